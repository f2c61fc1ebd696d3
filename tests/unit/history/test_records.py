from __future__ import annotations

import pytest

from paparatsd.commits import Moment, Person
from paparatsd.errors import GitFailed
from paparatsd.history.records import MAX_FIELD_BYTES, parse_moment
from paparatsd.history.stream import FactsParser
from tests.unit.history.log_output import entry, oid, record


def read(output: bytes, size: int = 1 << 20) -> list[object]:
    """Feed a parser in pieces of one size."""
    parser = FactsParser()
    found: list[object] = []
    for start in range(0, len(output), size):
        found += parser.feed(output[start : start + size])
    return found + list(parser.close())


def test_a_commit_has_all_that_was_written_of_it() -> None:
    parser = FactsParser()
    parser.feed(record(oid(9), oid(1), oid(2), subject="A b", body="One\n\nSigned-off-by: X\n\n"))
    (facts,) = parser.close()
    commit = facts.commit
    assert (commit.id, commit.parents) == (oid(9), (oid(1), oid(2)))
    assert commit.author == commit.committer == Person("Ada", "ada@example.org")
    assert commit.authored == Moment(1700000000, 90)
    assert (commit.subject, commit.body) == ("A b", "One\n\nSigned-off-by: X")
    assert not commit.boundary


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_where_the_output_is_cut_into_pieces_changes_nothing(size: int) -> None:
    patch = (
        b"diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1 @@ x\n-a\n-b\n+c\n"
    )
    output = (
        record(oid(3), oid(2), entries=entry("M", b"f"), patch=patch)
        + record(oid(2), oid(1))
        + record(oid(1), entries=entry("A", b"new\nline", blobs=(0, 1)), patch=patch + patch[:9])
    )[: -len(patch[:9])]
    whole = read(output)
    assert len(whole) == 3
    assert read(output, size) == whole


def test_a_message_cannot_pass_for_the_next_commit() -> None:
    body = "\n\x01\n:100644 100644 a b M\ndiff --git a/x b/x\n@@ -1 +1 @@\n"
    found = read(record(oid(2), oid(1), subject="\x01", body=body) + record(oid(1)))
    assert len(found) == 2


def test_of_an_endless_message_the_beginning_is_kept_and_nothing_more_is_held() -> None:
    parser = FactsParser()
    output = record(oid(1), subject="s" * 200_000, body="b" * 3_000_000)
    held = 0
    for start in range(0, len(output), 50_000):
        parser.feed(output[start : start + 50_000])
        held = max(held, len(parser._buffer) - parser._at)
    (facts,) = parser.close()
    assert facts.commit.subject == "s" * MAX_FIELD_BYTES
    assert facts.commit.body == "b" * MAX_FIELD_BYTES
    assert held <= MAX_FIELD_BYTES


def test_bytes_that_are_not_utf8_are_replaced_in_texts_and_kept_in_names() -> None:
    output = record(oid(1), subject="caf").replace(b"caf", b"caf\xe9")
    output += b"\n" + entry("A", b"caf\xe9.py", blobs=(0, 1))
    (facts,) = read(output)
    assert facts.commit.subject == "caf\N{REPLACEMENT CHARACTER}"  # type: ignore[attr-defined]
    assert facts.touches[0].path == "caf\udce9.py"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1700000000 +0545", Moment(1700000000, 345)),
        ("1700000000 -0330", Moment(1700000000, -210)),
        ("-86400 +0000", Moment(-86400, 0)),
        ("9223372036854775807 +0000", Moment(1 << 60, 0)),
        ("18446744073709551615 +0000", Moment(-1, 0)),
        ("18446744011573954815 +0000", Moment(-62135596801, 0)),
        ("5 +9999", Moment(5, 0)),
        ("5 -51800", Moment(5, 0)),
        ("", Moment(0, 0)),
        ("yesterday", Moment(0, 0)),
    ],
)
def test_odd_dates_and_zones_have_an_instant(text: str, moment: Moment) -> None:
    assert parse_moment(text) == moment


@pytest.mark.parametrize(
    "output",
    [
        b"fatal: something else",
        record("not an id"),
        record(oid(1)) + b"\n:100644 100644 M\0f\0",
        record(oid(1)) + b"\nwarning: something",
    ],
)
def test_what_git_does_not_write_is_refused(output: bytes) -> None:
    with pytest.raises(GitFailed):
        read(output)


def test_an_end_in_the_middle_of_a_record_is_noticed() -> None:
    with pytest.raises(GitFailed, match="middle"):
        read(record(oid(1))[:60])
    with pytest.raises(GitFailed, match="middle"):
        read(record(oid(1)) + b"\n" + entry("A", b"name")[:-1])
