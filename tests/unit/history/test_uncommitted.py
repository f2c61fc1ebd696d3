"""What of a file on disk is in no commit."""

from __future__ import annotations

from paparatsd.commits import Hunk
from paparatsd.history.uncommitted import compare

TEXT = b"".join(b"line %d\n" % number for number in range(1, 11))


def test_the_same_text_has_no_hunks() -> None:
    assert compare(TEXT, TEXT) == ()


def test_hunks_are_as_git_writes_them() -> None:
    on_disk = TEXT.replace(b"line 3\n", b"").replace(b"line 6\n", b"line 6\nnew\nnewer\n")
    on_disk = b"first\n" + on_disk.replace(b"line 9\n", b"changed\n")

    assert compare(TEXT, on_disk) == (
        Hunk(0, 0, 1, 1), Hunk(3, 1, 3, 0), Hunk(6, 0, 7, 2), Hunk(9, 1, 11, 1),
    )  # fmt: skip


def test_hunks_one_line_apart_stay_two() -> None:
    on_disk = TEXT.replace(b"line 4\n", b"a\n").replace(b"line 6\n", b"b\n")

    assert compare(TEXT, on_disk) == (Hunk(4, 1, 4, 1), Hunk(6, 1, 6, 1))


def test_ends_of_lines_are_no_difference_where_the_checkout_made_them() -> None:
    on_disk = TEXT.replace(b"\n", b"\r\n")

    assert compare(TEXT, on_disk) == ()
    assert compare(on_disk, TEXT) == ()
    assert compare(TEXT, on_disk.replace(b"line 4", b"four")) == (Hunk(4, 1, 4, 1),)


def test_ends_of_lines_count_where_both_sides_have_such() -> None:
    both = TEXT.replace(b"line 1\n", b"line 1\r\n")

    assert compare(both, TEXT.replace(b"\n", b"\r\n")) != ()


def test_a_missing_last_newline_changes_the_last_line() -> None:
    assert compare(TEXT, TEXT[:-1]) == (Hunk(10, 1, 10, 1),)


def test_an_emptied_and_a_filled_file_are_one_hunk() -> None:
    assert compare(TEXT, b"") == (Hunk(1, 10, 0, 0),)
    assert compare(b"", TEXT) == (Hunk(0, 0, 1, 10),)


def test_bytes_that_are_no_text_are_compared_by_their_lines() -> None:
    assert compare(b"a\n\0\xff\nb\n", b"a\n\0\xfe\nb\n") == (Hunk(2, 1, 2, 1),)
