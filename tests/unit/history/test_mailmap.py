from __future__ import annotations

import pytest

from paparatsd.commits import Person
from paparatsd.history.mailmap import Mailmap, parse_mailmap

JANE = Person("jane", "jane@old.example")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("Jane Doe <jane@old.example>", Person("Jane Doe", "jane@old.example")),
        ("<jane@new.example> <jane@old.example>", Person("jane", "jane@new.example")),
        ("Jane Doe <j@new.example> <jane@old.example>", Person("Jane Doe", "j@new.example")),
        ("Jane Doe <j@new.example> jane <jane@old.example>", Person("Jane Doe", "j@new.example")),
        ("Jane Doe <j@new.example> JANE <JANE@OLD.example>", Person("Jane Doe", "j@new.example")),
        ("Jane Doe <j@new.example> joan <jane@old.example>", JANE),
        ("Jane Doe <jane@other.example>", JANE),
        ("# Jane Doe <jane@old.example>", JANE),
        ("Jane Doe jane@old.example", JANE),
        ("", JANE),
    ],
)
def test_a_line_of_each_form_shows_a_person_otherwise(line: str, shown: Person) -> None:
    assert parse_mailmap(line).apply(JANE) == shown


def test_a_later_line_replaces_only_what_it_has() -> None:
    mailmap = parse_mailmap("Jane Doe <jane@old.example>\n<j@new.example> <jane@old.example>\n")

    assert mailmap.apply(JANE) == Person("Jane Doe", "j@new.example")


def test_an_entry_for_the_name_wins_over_the_one_for_the_address() -> None:
    mailmap = parse_mailmap("A <jane@old.example>\n<b@new.example> jane <jane@old.example>\n")

    assert mailmap.apply(JANE) == Person("jane", "b@new.example")
    assert mailmap.apply(Person("x", "jane@old.example")) == Person("A", "jane@old.example")


def test_an_empty_mailmap_changes_nobody() -> None:
    assert Mailmap().apply(JANE) == JANE


def test_other_letters_than_ascii_keep_their_case() -> None:
    mailmap = parse_mailmap("Jürgen <new@example.org> JÜRGEN <j@example.org>")

    assert mailmap.apply(Person("jürgen", "j@example.org")).email == "j@example.org"
