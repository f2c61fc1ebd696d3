from __future__ import annotations

import pytest

from paparatsd.commits import Person
from paparatsd.history.trailers import Trailer, co_authors, find_trailers, read_person

ADA = Person("Ada", "ada@example.org")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Subject\n\nBug: 12\n", [("Bug", "12")]),
        ("Subject\n\nBody\n\nBug: 12\nCloses: #1\n\n\n", [("Bug", "12"), ("Closes", "#1")]),
        ("Subject: this\nBug: 12", []),
        ("Subject\n\nBug: 12\n\nThe end", []),
        ("Subject\n\nIt says\nBug: 12", []),
        ("Subject\n\nIt says\nSigned-off-by: A <a@b>", [("Signed-off-by", "A <a@b>")]),
        (
            "Subject\n\nBug: one\n  two\n\tthree\nCloses: 1",
            [("Bug", "one two three"), ("Closes", "1")],
        ),
        ("Subject\n\nhttp://example.org", [("http", "//example.org")]),
        ("Subject\n\nBug : 12\nEmpty:", [("Bug", "12"), ("Empty", "")]),
        ("Subject\n\nBug: 12\n# A comment", [("Bug", "12")]),
        ("Subject\n\nBug: 12\n\nConflicts:\n\ta.py\n", [("Bug", "12")]),
        ("", []),
        ("Subject", []),
    ],
)
def test_trailers_are_the_last_paragraph(message: str, expected: list[tuple[str, str]]) -> None:
    assert find_trailers(message) == tuple(Trailer(*one) for one in expected)


def test_co_authors_are_each_named_once_and_the_author_never() -> None:
    message = (
        "Subject\n\n"
        "Co-authored-by: Bob <bob@example.org>\n"
        "CO-AUTHORED-BY: Robert <BOB@example.org>\n"
        "co-authored-by: Ada L. <ada@example.org>\n"
        "Co-authored-by: Carol\n"
        "Co-authored-by: dan@example.org\n"
        "Co-authored-by:\n"
        "Reviewed-by: Eve <eve@example.org>\n"
    )

    assert co_authors(message, ADA) == (
        Person("Bob", "bob@example.org"),
        Person("Carol", ""),
        Person("", "dan@example.org"),
    )


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Bob B. <bob@example.org>", Person("Bob B.", "bob@example.org")),
        ("<bob@example.org>", Person("", "bob@example.org")),
        ("Bob <>", Person("Bob", "")),
        ("Bob <bob@example.org> (again)", Person("Bob", "bob@example.org")),
        ("", Person("", "")),
    ],
)
def test_a_person_is_a_name_and_an_address(text: str, person: Person) -> None:
    assert read_person(text) == person
