"""Reads commits with what each touched against its first parent, as `git log -p -U0` writes it.

Only headers of hunks are read; the text of a patch is passed over with a regular expression and
never kept. Every line of content has a sign in front (without context: + - or a backslash), so a
header at the beginning of a line is git's own. Which file a section is about follows from its
place: sections come in the order of the raw entries, so no name is ever parsed out of a header.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.commits import Change, CommitFacts, Hunk, Touch
from paparatsd.history.records import (
    CHANGES,
    GITLINK,
    LINK,
    NO_MODE,
    RawEntry,
    RecordParser,
    parse_commit,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FILE_HUNKS = 50_000
"""A file changed in more places by one commit counts as changed as a whole."""
MAX_COMMIT_HUNKS = 500_000
"""When a commit has this many, its further files count as changed as a whole."""

_MAX_LINE_BYTES = 512
_SECTION = b"diff --git "
_MARKS = re.compile(
    rb"\n(?:@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@|diff --git |Binary files |[\n\0]*\x01\0)"
)
_AT, _D, _B = b"@dB"


class _Section:
    """What the patch says of one raw entry, or of one half of a change of type."""

    __slots__ = ("hunks", "whole")

    def __init__(self) -> None:
        self.hunks: list[Hunk] = []
        self.whole = False


class FactsParser(RecordParser[CommitFacts]):
    """Gives CommitFacts with the touches against parent 0 (`same_in` is not known here).

    `lines` says that there are patches (`-p -U0 --raw`); without them every change of content
    is `whole`. With `boundary` commits are marked so, and touch nothing.
    """

    def __init__(self, *, lines: bool = True, boundary: bool = False) -> None:
        super().__init__()
        self._lines = lines
        self._boundary = boundary
        self._sections: list[_Section] = []
        self._hunks = 0

    def _open_patch(self) -> bool:
        if len(self._buffer) - self._at < len(_SECTION):
            return False
        self._sections.append(_Section())
        self._at += len(_SECTION)
        self._state = self._patch
        return True

    def _patch(self) -> bool:
        buffer = self._buffer
        section = self._sections[-1]
        for found in _MARKS.finditer(buffer, self._at):
            self._at = found.end()
            kind = buffer[found.start() + 1]
            if kind == _AT:
                self._add_hunk(section, found)
            elif kind == _D:
                section = _Section()
                self._sections.append(section)
            elif kind == _B:
                section.whole = True
            else:
                self._begin_record(found.end())
                return True
        self._keep_last_line()
        return False

    def _keep_last_line(self) -> None:
        """Pass over all but a last line that is not complete and could still be a header."""
        line = self._buffer.rfind(b"\n", self._at)
        size = len(self._buffer)
        self._at = line if line >= 0 and size - line <= _MAX_LINE_BYTES else size

    def _add_hunk(self, section: _Section, found: re.Match[bytes]) -> None:
        if section.whole:
            return
        old, old_lines, new, new_lines = found.groups()
        section.hunks.append(
            Hunk(
                int(old),
                1 if old_lines is None else int(old_lines),
                int(new),
                1 if new_lines is None else int(new_lines),
            )
        )
        self._hunks += 1
        if len(section.hunks) > MAX_FILE_HUNKS or self._hunks > MAX_COMMIT_HUNKS:
            self._hunks -= len(section.hunks)
            section.hunks, section.whole = [], True

    def _finish(self, fields: list[bytes], entries: list[RawEntry]) -> CommitFacts:
        sections, self._sections, self._hunks = self._sections, [], 0
        commit = parse_commit(fields, boundary=self._boundary)
        if self._boundary:
            return CommitFacts(commit, ())
        wanted = sum(2 if entry.status == "T" else 1 for entry in entries)
        if not self._lines or len(sections) != wanted:
            touches = [_whole_touch(entry) for entry in entries]
        else:
            each = iter(sections)
            touches = [_touch(entry, next(each), each) for entry in entries]
        return CommitFacts(commit, tuple(touch for touch in touches if touch is not None))


def _touch(entry: RawEntry, section: _Section, following: Iterator[_Section]) -> Touch | None:
    """Make a touch of an entry and its section; of a change of type the second one follows."""
    if entry.status != "T":
        if LINK in entry.modes:
            return _whole_touch(entry)
        return _make_touch(entry, CHANGES[entry.status], tuple(section.hunks), section.whole)
    added = next(following)
    before, after = entry.modes
    if after == GITLINK and before != LINK:
        return _make_touch(entry, Change.DELETE, tuple(section.hunks), section.whole)
    if after not in (LINK, GITLINK):
        # Nothing of a file can come from a link: blame, too, begins here.
        return _make_touch(entry, Change.ADD, tuple(added.hunks), added.whole)
    return _whole_touch(entry)


def _whole_touch(entry: RawEntry) -> Touch | None:
    if entry.status == "T" and GITLINK in entry.modes:
        gone = entry.modes[1] == GITLINK
        return _make_touch(entry, Change.DELETE if gone else Change.ADD, (), True)
    return _make_touch(entry, CHANGES[entry.status], (), entry.blobs[0] != entry.blobs[1])


def _make_touch(
    entry: RawEntry, change: Change, hunks: tuple[Hunk, ...], whole: bool
) -> Touch | None:
    """Return the touch, or None of a submodule and of a change of nothing but the mode."""
    if all(mode in (GITLINK, NO_MODE) for mode in entry.modes):
        return None
    if change is Change.MODIFY and entry.blobs[0] == entry.blobs[1]:
        return None
    return Touch(
        path=entry.paths[-1],
        parent=0,
        change=change,
        blob="" if change is Change.DELETE else entry.blobs[1],
        hunks=hunks,
        old_path=entry.paths[0] if change in (Change.RENAME, Change.COPY) else None,
        whole=whole,
    )
