"""Reads merges with the paths that differ from all parents, as `git log -c -p -U1` writes them.

A combined patch has a column for each parent; from the columns come each parent's own hunks, the
same that a comparison with that parent alone would give. One line of context is asked for: without
any, git leaves out lines in the middle of a hunk, and the rest cannot be told where it lies. Of a
hunk's header only the starts are used (the lengths are wrong at the end of a file).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.commits import Change, CommitFacts, Hunk, Touch
from paparatsd.errors import GitFailed
from paparatsd.history.records import (
    CHANGES,
    GITLINK,
    LINK,
    NO_MODE,
    RawEntry,
    RecordParser,
)
from paparatsd.history.stream import MAX_COMMIT_HUNKS, MAX_FILE_HUNKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MAX_LINE_BYTES = 64 << 10
_SECTION = b"diff --combined "
_INDEX = re.compile(rb"index ([0-9a-f,]+)\.\.([0-9a-f]+)")
_START = re.compile(rb"[-+](\d+)")
_AT, _LOST, _ADDED = b"@-+"
_BODY = b" -+"


@dataclass(frozen=True, slots=True)
class Merged:
    """A path of a merge that differs from all parents, with what each parent's column says.

    `hunks` has an item for each parent; `whole` says that there are none (see Touch).
    """

    entry: RawEntry
    hunks: tuple[tuple[Hunk, ...], ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class MergeFacts:
    """One merge with its paths that differ from all parents."""

    id: str
    paths: tuple[Merged, ...]


class _Column:
    """The hunks of one parent, put together from signs line by line.

    Positions are those of the next line, on either side; `close` writes them as git does.
    """

    __slots__ = ("_new", "_new_lines", "_old", "_old_lines", "hunks", "next")

    def __init__(self) -> None:
        self.hunks: list[Hunk] = []
        self.next = 1
        self._old = self._new = self._old_lines = self._new_lines = 0

    def lost(self, new: int) -> None:
        """Take in a line that this parent has and the merge has not."""
        if not self._old_lines and not self._new_lines:
            self._old, self._new = self.next, new
        self._old_lines += 1
        self.next += 1

    def added(self, new: int) -> None:
        """Take in a line that the merge has and this parent has not."""
        if not self._old_lines and not self._new_lines:
            self._old, self._new = self.next, new
        self._new_lines += 1

    def close(self) -> None:
        """End the run of changed lines, if there is one."""
        old_lines, new_lines = self._old_lines, self._new_lines
        if old_lines or new_lines:
            old = self._old if old_lines else self._old - 1
            new = self._new if new_lines else self._new - 1
            self.hunks.append(Hunk(old, old_lines, new, new_lines))
            self._old_lines = self._new_lines = 0


class _Section:
    """What the combined patch says of one path."""

    __slots__ = ("blobs", "columns", "new", "whole")

    def __init__(self) -> None:
        self.blobs: tuple[str, ...] = ()
        self.columns: list[_Column] = []
        self.new = 1
        self.whole = False

    def index(self, found: re.Match[bytes]) -> None:
        """Take in the blobs of the parents and of the merge."""
        self.blobs = (*found[1].decode("ascii").split(","), found[2].decode("ascii"))
        self.columns = [_Column() for _ in self.blobs[:-1]]

    def hunk(self, line: bytes) -> None:
        """Take in a header `@@@ -start,lines -start,lines +start,lines @@@`."""
        starts = _START.findall(line.split(b"@ ", 1)[1].split(b" @", 1)[0])
        if len(starts) != len(self.columns) + 1:
            self.whole = True
            return
        for column, start in zip(self.columns, starts, strict=False):
            column.close()
            column.next = int(start)
        self.new = int(starts[-1])

    def body(self, line: bytes) -> None:
        """Take in a line of content with a sign for each parent."""
        columns = self.columns
        signs = line[: len(columns)]
        if _LOST in signs:
            for column, sign in zip(columns, signs, strict=False):
                if sign == _LOST:
                    column.lost(self.new)
            return
        for column, sign in zip(columns, signs, strict=False):
            if sign == _ADDED:
                column.added(self.new)
            else:
                column.close()
                column.next += 1
        self.new += 1

    def hunks(self) -> tuple[tuple[Hunk, ...], ...]:
        """Return the hunks of each parent."""
        for column in self.columns:
            column.close()
        return tuple(tuple(column.hunks) for column in self.columns)

    def count(self) -> int:
        """Return how many hunks there are."""
        return sum(len(column.hunks) for column in self.columns)


class MergeParser(RecordParser[MergeFacts]):
    """Gives MergeFacts; without `lines` there is no patch and all paths are `whole`."""

    def __init__(self, *, lines: bool = True) -> None:
        super().__init__()
        self._lines = lines
        self._sections: list[_Section] = []
        self._in_hunks = False
        self._skipping = False
        self._hunks = 0

    def _open_patch(self) -> bool:
        self._state = self._patch
        return True

    def _patch(self) -> bool:
        buffer, at, size = self._buffer, self._at, len(self._buffer)
        while at < size:
            if not self._skipping and buffer[at] in (0, 1):
                self._at = at
                self._state = self._start
                return True
            end = buffer.find(b"\n", at)
            if end < 0:
                if size - at > _MAX_LINE_BYTES or self._skipping:
                    self._line(buffer[at : at + _MAX_LINE_BYTES])
                    self._skipping, at = True, size
                break
            self._line(buffer[at : min(end, at + _MAX_LINE_BYTES)])
            self._skipping = False
            at = end + 1
        self._at = at
        return False

    def _line(self, line: bytes) -> None:
        """Take in one line, of which the rest may be missing."""
        if self._skipping or not line:
            return
        sections = self._sections
        if line[0] in _BODY:
            if self._in_hunks and not sections[-1].whole:
                sections[-1].body(line)
        elif line.startswith(_SECTION):
            self._count()
            sections.append(_Section())
            self._in_hunks = False
        elif not sections:
            raise GitFailed("git log wrote a patch that does not begin with its first file")
        elif line[0] == _AT:
            self._in_hunks = True
            sections[-1].hunk(line)
            self._bound(sections[-1])
        elif found := _INDEX.match(line):
            sections[-1].index(found)
        elif line.startswith(b"Binary files "):
            sections[-1].whole = True

    def _count(self) -> None:
        if self._sections:
            self._hunks += self._sections[-1].count()

    def _bound(self, section: _Section) -> None:
        if section.count() > MAX_FILE_HUNKS or self._hunks > MAX_COMMIT_HUNKS:
            section.whole = True
            section.columns = []

    def _finish(self, fields: list[bytes], entries: list[RawEntry]) -> MergeFacts:
        sections, self._sections, self._hunks = self._sections, [], 0
        self._in_hunks = False
        paths = []
        at = 0
        for entry in entries:
            # A path whose lines are equal everywhere (renamed, another mode) has no section.
            if at < len(sections) and sections[at].blobs == entry.blobs:
                section = sections[at]
                at += 1
                paths.append(Merged(entry, section.hunks(), section.whole))
            else:
                paths.append(Merged(entry, (), not self._lines))
        return MergeFacts(fields[0].decode("ascii", "replace"), tuple(paths))


def with_merge(
    facts: CommitFacts, merge: MergeFacts, differing: Mapping[int, frozenset[str]] | None = None
) -> CommitFacts:
    """Add to facts against parent 0 those against the others, and `same_in`.

    `differing` has, for each further parent of a merge of more than two, the paths whose content
    is another one there; of a merge of two, what is not in `merge` is the same in parent 1.
    """
    merged = {path.entry.paths[-1]: path for path in merge.paths}
    gone = {path.entry.paths[1] for path in merge.paths if path.entry.status[1:2] == "R"}
    touches: list[Touch] = []
    further: list[Touch] = []
    for touch in facts.touches:
        found = merged.get(touch.path)
        if found is not None:
            same = _equal_parent(found.entry)
            if same is None:
                further += _further_touches(found)
        elif differing is not None:
            same = _first_without(touch.path, differing)
        else:
            same = None if touch.change is Change.DELETE and touch.path in gone else 1
        touches.append(touch if same is None else _same(touch, same))
    return CommitFacts(facts.commit, (*touches, *further))


def _same(touch: Touch, parent: int) -> Touch:
    return Touch(
        touch.path,
        touch.parent,
        touch.change,
        touch.blob,
        touch.hunks,
        touch.old_path,
        touch.whole,
        parent,
    )


def _first_without(path: str, differing: Mapping[int, frozenset[str]]) -> int | None:
    return next((n for n, paths in sorted(differing.items()) if path not in paths), None)


def _equal_parent(entry: RawEntry) -> int | None:
    """Return the first further parent that has this content under this name (any mode)."""
    for parent in range(1, len(entry.blobs) - 1):
        if (
            entry.blobs[parent] == entry.blobs[-1]
            and entry.paths[parent] == entry.paths[-1]
            and _kind(entry.modes[parent]) == _kind(entry.modes[-1])
        ):
            return parent
    return None


def _kind(mode: bytes) -> bytes:
    """Return what says file, link or submodule of a mode."""
    return mode[:3]


def _further_touches(merged: Merged) -> Sequence[Touch]:
    entry = merged.entry
    if GITLINK in (entry.modes[-1], entry.modes[0]):
        return ()
    return [_further_touch(merged, parent) for parent in range(1, len(entry.blobs) - 1)]


def _further_touch(merged: Merged, parent: int) -> Touch:
    entry = merged.entry
    before, after = entry.modes[parent], entry.modes[-1]
    hunks = merged.hunks[parent] if merged.hunks and not merged.whole else ()
    change = CHANGES.get(entry.status[parent : parent + 1], Change.MODIFY)
    renamed = entry.paths[parent] != entry.paths[-1]
    whole = merged.whole
    if after == NO_MODE:
        change, hunks, whole = Change.DELETE, (), True
    elif before == NO_MODE:
        change = Change.ADD
    elif _kind(before) != _kind(after) or LINK in (before, after):
        hunks, whole = (), entry.blobs[parent] != entry.blobs[-1]
    elif entry.blobs[parent] == entry.blobs[-1]:
        hunks, whole = (), False
    if after == LINK and before == NO_MODE:
        hunks, whole = (), True
    return Touch(
        path=entry.paths[-1],
        parent=parent,
        change=change,
        blob="" if change is Change.DELETE else entry.blobs[-1],
        hunks=hunks,
        old_path=entry.paths[parent] if renamed and change is Change.RENAME else None,
        whole=whole,
    )
