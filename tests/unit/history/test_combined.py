from __future__ import annotations

from paparatsd.commits import Change, CommitFacts, Hunk, Touch
from paparatsd.history.combined import MergeParser, with_merge
from paparatsd.history.records import parse_commit
from tests.unit.history.log_output import oid, record

MERGE = record(oid(9), oid(7), oid(8))
FILE, LINK, NONE = "100644", "120000", "000000"


def combined(
    status: str,
    *paths: str,
    modes: tuple[str, ...] = (FILE, FILE, FILE),
    blobs: tuple[int, ...] = (1, 2, 3),
) -> bytes:
    """Return one raw entry against two parents."""
    names = paths if len(paths) == len(blobs) else paths * len(blobs)
    colons = ":" * (len(blobs) - 1)
    head = f"{colons}{' '.join(modes)} {' '.join(map(oid, blobs))} {status}".encode()
    return b"".join(part + b"\0" for part in (head, *(name.encode() for name in names)))


def section(text: str, blobs: tuple[int, ...] = (1, 2, 3)) -> bytes:
    *parents, own = map(oid, blobs)
    head = f"diff --combined f\nindex {','.join(parents)}..{own}\n--- a/f\n--- a/f\n+++ b/f\n"
    return (head + text).encode()


def further(
    entries: bytes, patch: bytes = b"", *, lines: bool = True, size: int = 1 << 20
) -> list[Touch]:
    """Return what a merge that touches f against parent 0 touches against others."""
    parser = MergeParser(lines=lines)
    output = MERGE + b"\0" + entries + (b"\0" + patch if patch else b"")
    for start in range(0, len(output), size):
        assert not parser.feed(output[start : start + size])
    (merge,) = parser.close()
    facts = with_merge(facts_of(Touch("f", 0, Change.MODIFY, oid(3))), merge)
    return [touch for touch in facts.touches if touch.parent]


def facts_of(*touches: Touch, parents: int = 2) -> CommitFacts:
    names = " ".join(map(oid, range(1, parents + 1)))
    fields = [oid(9), names, "", "", "", "", "", "", "", ""]
    return CommitFacts(parse_commit([field.encode() for field in fields]), touches)


def test_each_column_gives_the_hunks_of_its_parent() -> None:
    patch = section(
        "@@@ -1,4 -1,3 +1,4 @@@\n"
        "  a\n"
        "- old\n"
        " -other\n"
        "++merged\n"
        "  c\n"
        "@@@ -9,2 -8,3 +9,3 @@@\n"
        "  k\n"
        "+ from the other\n"
        "  l\n"
    )
    (touch,) = further(combined("MM", "f"), patch)
    assert touch == Touch("f", 1, Change.MODIFY, oid(3), (Hunk(2, 1, 2, 1),))


def test_lines_lost_in_front_of_a_line_and_one_added_behind_it_are_two_hunks() -> None:
    patch = section("@@@ -1,3 -1,4 +1,4 @@@\n  a\n -lost\n  b\n ++more\n".replace(" ++", "++"))
    (touch,) = further(combined("MM", "f"), patch)
    assert touch.hunks == (Hunk(2, 1, 1, 0), Hunk(3, 0, 3, 1))


def test_wrong_lengths_at_the_end_of_a_file_do_not_matter() -> None:
    patch = section(
        "@@@ -3,2 -3,18446744073709551615 +3,18446744073709551615 @@@\n  c\n++d\n -lost\n"
    )
    (touch,) = further(combined("MM", "f"), patch)
    assert touch.hunks == (Hunk(4, 1, 4, 1),)


def test_where_the_output_is_cut_into_pieces_changes_nothing() -> None:
    patch = section("@@@ -1,2 -1,2 +1,3 @@@\n  a\n++" + "x" * 70_000 + "\n+ y\n  z\n +w\n")
    whole = further(combined("MM", "f"), patch)
    assert whole[0].hunks == (Hunk(1, 0, 2, 1), Hunk(3, 0, 5, 1))
    assert further(combined("MM", "f"), patch, size=13) == whole


def test_content_that_looks_like_headers_is_content() -> None:
    lies = ["@@@ -1,1 -1,1 +1,1 @@@", "diff --combined x", "\0\1\0", "index 1,2..3"]
    text = "".join(f"++{lie}\n" for lie in lies)
    patch = section(f"@@@ -1,1 -1,1 +1,5 @@@\n  a\n{text}")
    (touch,) = further(combined("MM", "f"), patch)
    assert touch.hunks == (Hunk(1, 0, 2, 4),)


def test_an_entry_without_a_section_leaves_the_next_one_its_own() -> None:
    entries = combined("RR", "a", "b", "e", blobs=(5, 5, 5)) + combined("MM", "f")
    patch = section("@@@ -1,1 -1,1 +1,2 @@@\n  a\n++b\n")
    (touch,) = further(entries, patch)
    assert touch.hunks == (Hunk(1, 0, 2, 1),)


def test_what_became_of_a_path_is_said_for_each_parent() -> None:
    (moved,) = further(
        combined("MR", "f", "before", "f"), section("@@@ -1,1 -1,1 +1,2 @@@\n  a\n++b\n")
    )
    assert (moved.change, moved.old_path) == (Change.RENAME, "before")
    (added,) = further(
        combined("MA", "f", modes=(FILE, NONE, FILE), blobs=(1, 0, 3)),
        section("@@@ -1,1 -1,0 +1,2 @@@\n +a\n++b\n", blobs=(1, 0, 3)),
    )
    assert (added.change, added.hunks) == (Change.ADD, (Hunk(0, 0, 1, 2),))
    (gone,) = further(combined("DD", "f", modes=(FILE, FILE, NONE), blobs=(1, 2, 0)))
    assert (gone.change, gone.blob, gone.whole) == (Change.DELETE, "", True)


def test_links_binary_content_and_missing_patches_are_whole() -> None:
    (link,) = further(combined("MM", "f", modes=(FILE, FILE, LINK)))
    (binary,) = further(combined("MM", "f"), section("Binary files differ\n"))
    (unread,) = further(combined("MM", "f"), lines=False)
    assert [touch.whole for touch in (link, binary, unread)] == [True, True, True]


def same_in(touch: Touch, entries: bytes, differing: dict[int, frozenset[str]] | None) -> object:
    parser = MergeParser()
    parser.feed(MERGE + b"\0" + entries)
    (merge,) = parser.close()
    (found,) = with_merge(facts_of(touch, parents=3), merge, differing).touches
    return found.same_in


def test_a_path_that_only_the_first_parent_has_otherwise_is_the_same_in_another() -> None:
    touch = Touch("f", 0, Change.MODIFY, oid(3))
    other = combined("MM", "other")
    assert same_in(touch, other, None) == 1
    assert same_in(touch, combined("MM", "f", blobs=(1, 3, 3)), None) == 1
    assert same_in(touch, other, {1: frozenset({"f"}), 2: frozenset()}) == 2
    assert same_in(touch, other, {1: frozenset({"f"}), 2: frozenset({"f"})}) is None
