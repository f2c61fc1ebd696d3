from __future__ import annotations

import pytest

from paparatsd.commits import Change, CommitFacts, Hunk, Touch
from paparatsd.history import stream
from paparatsd.history.stream import FactsParser
from tests.unit.history.log_output import entry, oid, record

HEAD = b"diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n"
SUBMODULE, LINK, NONE, FILE = "160000", "120000", "000000", "100644"


def facts_of(entries: bytes, patch: bytes = b"", parser: FactsParser | None = None) -> CommitFacts:
    parser = parser or FactsParser()
    assert not parser.feed(record(oid(2), oid(1), entries=entries, patch=patch))
    (facts,) = parser.close()
    return facts


def test_hunks_are_read_with_their_default_lengths() -> None:
    patch = HEAD + b"@@ -3 +2,0 @@ def\n-a\n@@ -5,0 +5,2 @@\n+a\n+b\n@@ -9,2 +11 @@\n-a\n-b\n+c\n"
    (touch,) = facts_of(entry("M", b"f"), patch).touches
    hunks = (Hunk(3, 1, 2, 0), Hunk(5, 0, 5, 2), Hunk(9, 2, 11, 1))
    assert touch == Touch("f", 0, Change.MODIFY, oid(2), hunks)


def test_content_that_looks_like_headers_is_content() -> None:
    lies = [
        b"@@ -1 +1 @@",
        b"diff --git a/x b/x",
        b"Binary files a/x and b/x differ",
        b"\0\1\0" + oid(7).encode() + b"\0",
        b"\1\0",
        b"\r@@ -1 +1 @@",
    ]
    body = b"".join(b"-" + lie + b"\n+" + lie + b"\n" for lie in lies)
    patch = HEAD + b"@@ -1,6 +1,6 @@ @@ -8 +8 @@\n" + body + b"\\ No newline at end of file\n"
    (touch,) = facts_of(entry("M", b"f"), patch).touches
    assert touch.hunks == (Hunk(1, 6, 1, 6),)
    assert not touch.whole


def test_sections_belong_to_entries_by_their_order_whatever_the_names() -> None:
    entries = (
        entry("M", b'q"uote\n')
        + entry("R090", b"a b/x", b"new b/x")
        + entry("R100", b"old", b"same", blobs=(5, 5))
        + entry("D", b"gone", modes=(FILE, NONE), blobs=(3, 0))
    )
    patch = (
        HEAD
        + b"@@ -1 +1 @@\n-a\n+b\n"
        + b"diff --git a/a b/x b/new b/x\nsimilarity index 90%\n@@ -2 +2 @@\n-a\n+b\n"
        + b"diff --git a/old b/same\nsimilarity index 100%\nrename from old\nrename to same\n"
        + b"diff --git a/gone b/gone\n@@ -1,3 +0,0 @@\n-a\n-b\n-c\n"
    )
    first, moved, same, gone = facts_of(entries, patch).touches
    assert (first.path, first.hunks) == ('q"uote\n', (Hunk(1, 1, 1, 1),))
    assert (moved.path, moved.old_path, moved.change) == ("new b/x", "a b/x", Change.RENAME)
    assert moved.hunks == (Hunk(2, 1, 2, 1),)
    assert (same.old_path, same.hunks, same.whole) == ("old", (), False)
    assert gone == Touch("gone", 0, Change.DELETE, "", (Hunk(1, 3, 0, 0),))


def test_binary_content_is_whole() -> None:
    patch = b"diff --git a/f b/f\nindex 1..2\nBinary files a/f and b/f differ\n"
    (touch,) = facts_of(entry("M", b"f"), patch).touches
    assert touch.whole
    assert not touch.hunks


@pytest.mark.parametrize(
    ("status", "modes", "blobs"),
    [
        ("M", (FILE, "100755"), (1, 1)),
        ("M", (SUBMODULE, SUBMODULE), (1, 2)),
        ("A", (NONE, SUBMODULE), (0, 2)),
        ("D", (SUBMODULE, NONE), (1, 0)),
    ],
)
def test_submodules_and_changes_of_mode_touch_nothing(
    status: str, modes: tuple[str, str], blobs: tuple[int, int]
) -> None:
    patch = b"diff --git a/f b/f\nold mode 1\n@@ -1 +1 @@\n-x\n+y\n"
    entries = entry(status, b"f", modes=modes, blobs=blobs)
    assert facts_of(entries, patch).touches == ()
    assert facts_of(entries, parser=FactsParser(lines=False)).touches == ()


@pytest.mark.parametrize(
    ("modes", "expected"),
    [
        ((FILE, LINK), (Change.MODIFY, (), True)),
        ((LINK, FILE), (Change.ADD, (Hunk(0, 0, 1, 2),), False)),
        ((FILE, SUBMODULE), (Change.DELETE, (Hunk(1, 1, 0, 0),), False)),
        ((SUBMODULE, FILE), (Change.ADD, (Hunk(0, 0, 1, 2),), False)),
    ],
)
def test_a_change_of_type_has_two_sections(
    modes: tuple[str, str], expected: tuple[Change, tuple[Hunk, ...], bool]
) -> None:
    patch = HEAD + b"@@ -1 +0,0 @@\n-x\n" + HEAD + b"@@ -0,0 +1,2 @@\n+y\n+z\n"
    following = HEAD + b"@@ -7 +7 @@\n-x\n+y\n"
    entries = entry("T", b"f", modes=modes) + entry("M", b"g")
    first, second = facts_of(entries, patch + following).touches
    assert (first.change, first.hunks, first.whole) == expected
    assert second.hunks == (Hunk(7, 1, 7, 1),)


def test_a_link_is_whole() -> None:
    (touch,) = facts_of(
        entry("A", b"f", modes=(NONE, LINK), blobs=(0, 1)), HEAD + b"@@ -0,0 +1 @@\n+to\n"
    ).touches
    assert (touch.whole, touch.hunks) == (True, ())


def test_without_patches_changed_content_is_whole_and_a_mere_rename_is_not() -> None:
    entries = entry("M", b"f") + entry("R100", b"a", b"b", blobs=(4, 4))
    changed, moved = facts_of(entries, parser=FactsParser(lines=False)).touches
    assert (changed.whole, moved.whole, moved.old_path) == (True, False, "a")


def test_a_patch_that_misses_a_section_is_believed_in_nothing() -> None:
    entries = entry("M", b"f") + entry("M", b"g")
    touches = facts_of(entries, HEAD + b"@@ -1 +1 @@\n-a\n+b\n").touches
    assert [(touch.whole, touch.hunks) for touch in touches] == [(True, ()), (True, ())]


def test_a_boundary_commit_touches_nothing() -> None:
    facts = facts_of(entry("A", b"f", blobs=(0, 1)), parser=FactsParser(boundary=True))
    assert facts.commit.boundary
    assert facts.touches == ()


def test_the_text_of_a_patch_is_never_held() -> None:
    parser = FactsParser()
    parser.feed(record(oid(2), oid(1), entries=entry("M", b"f"), patch=HEAD + b"@@ -1 +1 @@\n"))
    for piece in (b"+" + b"x" * 100_000, b"y" * 100_000, b"\n-" + b"z\n-" * 50_000):
        parser.feed(piece)
        assert len(parser._buffer) - parser._at < 1_000
    parser.feed(b"\n@@ -80,0 +90 @@\n+x\n")
    (facts,) = parser.close()
    assert facts.touches[0].hunks == (Hunk(1, 1, 1, 1), Hunk(80, 0, 90, 1))


def test_a_file_changed_in_too_many_places_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MAX_FILE_HUNKS", 3)
    body = b"".join(b"@@ -%d +%d @@\n-a\n+b\n" % (n, n) for n in range(1, 10, 2))
    entries = entry("M", b"f") + entry("M", b"g")
    first, second = facts_of(entries, HEAD + body + HEAD + b"@@ -1 +1 @@\n-a\n+b\n").touches
    assert (first.whole, first.hunks) == (True, ())
    assert second.hunks == (Hunk(1, 1, 1, 1),)
