"""Cuts what `git log -z --raw` writes into records: a commit, its raw entries, its patch.

A record begins with NUL, SOH, NUL at the beginning of a line. No message, name or path can hold a
NUL, raw entries are counted out field by field, and no line of a patch begins with NUL or SOH
(lines of content have a sign in front), so nothing a repository holds can pass for a record.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from paparatsd.commits import Change, Commit, Moment, Person
from paparatsd.errors import GitFailed
from paparatsd.history.instants import as_instant
from paparatsd.model import CommitId

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

RECORD_FORMAT = "%x00%x01%x00" + "%x00".join(
    ("%H", "%P", "%an", "%ae", "%ad", "%cn", "%ce", "%cd", "%s", "%b", "")
)
"""For `--format=`, together with `--date=raw` and `-z`."""

MAX_FIELD_BYTES = 64 << 10
"""What is kept of one field of a commit, of the body too; the rest is dropped as it comes."""

_FIELDS = RECORD_FORMAT.count("%x00") - 2
_MAX_ENTRY_BYTES = 4 << 20
_START = re.compile(rb"[\n\0]*\x01\0")
_MARK = b"\x01\0"
_GAP = b"\n\0"
_COLON = ord(":")
_DIFF = b"diff --"
_DATE = re.compile(r"(-?\d{1,20}) ([+-])(\d+)")
_DAY_MINUTES = 24 * 60

GITLINK = b"160000"
LINK = b"120000"
NO_MODE = b"000000"

CHANGES = {
    "A": Change.ADD,
    "C": Change.COPY,
    "D": Change.DELETE,
    "M": Change.MODIFY,
    "R": Change.RENAME,
    "T": Change.MODIFY,
}
"""Git's status letters."""


@dataclass(frozen=True, slots=True)
class RawEntry:
    """One path of `--raw`: modes, blobs, status letters and names.

    `modes` and `blobs` are those of the parents in order, then the commit's own; `status` has a
    letter for each parent; `paths` has the parents' names (of combined entries only, or of a
    rename) and then the commit's.
    """

    modes: tuple[bytes, ...]
    blobs: tuple[str, ...]
    status: str
    paths: tuple[str, ...]


class RecordParser(ABC, Generic[T]):
    """Takes in output of `git log` piece by piece and gives finished values, one a record.

    A subclass says what a patch means (`_patch`) and makes the value (`_finish`). Of the output no
    more is held than one piece and the unfinished field, entry or line in front of it.
    """

    def __init__(self) -> None:
        self._buffer = b""
        self._at = 0
        self._state: Callable[[], bool] = self._start
        self._fields: list[bytes] = []
        self._cut: bytes | None = None
        self._entries: list[RawEntry] = []
        self._done: list[T] = []
        self._open = False

    def feed(self, data: bytes) -> list[T]:
        """Take in a piece and return the records that it completed.

        Raises GitFailed for what git does not write.
        """
        self._buffer = self._buffer[self._at :] + data if self._at < len(self._buffer) else data
        self._at = 0
        while self._state():
            pass
        done, self._done = self._done, []
        return done

    def close(self) -> list[T]:
        """Return the last record. To be called only when git ended well."""
        if self._state == self._metadata or self._buffer[self._at :].strip(_GAP):
            raise GitFailed("git log ended in the middle of a record")
        self._end_record()
        done, self._done = self._done, []
        return done

    @abstractmethod
    def _finish(self, fields: list[bytes], entries: list[RawEntry]) -> T:
        """Make the value of one record."""

    @abstractmethod
    def _open_patch(self) -> bool:
        """Take in what stands at the beginning of the first section; False if it is incomplete."""

    @abstractmethod
    def _patch(self) -> bool:
        """Read on in a patch; True when the record ended and the next one begins."""

    def _end_record(self) -> None:
        if self._open:
            self._done.append(self._finish(self._fields, self._entries))
        self._open = False
        self._fields, self._entries = [], []

    def _begin_record(self, at: int) -> None:
        """Finish the record before, and go on at the first field of the next one."""
        self._end_record()
        self._at = at
        self._state = self._metadata

    def _start(self) -> bool:
        found = _START.match(self._buffer, self._at)
        if found is not None:
            self._begin_record(found.end())
            return True
        if self._buffer[self._at : self._at + 256].strip(_GAP + _MARK):
            raise GitFailed("git log did not begin with a record")
        return False

    def _metadata(self) -> bool:
        buffer, at = self._buffer, self._at
        while len(self._fields) < _FIELDS:
            end = buffer.find(b"\0", at)
            if end < 0:
                self._at = at
                self._cut_field()
                return False
            self._fields.append(
                buffer[at : min(end, at + MAX_FIELD_BYTES)] if self._cut is None else self._cut
            )
            self._cut = None
            at = end + 1
        self._at = at
        self._open = True
        self._state = self._raw
        return True

    def _cut_field(self) -> None:
        """Of a field that is too long already keep the beginning, and drop what came since."""
        if len(self._buffer) - self._at > MAX_FIELD_BYTES or self._cut is not None:
            if self._cut is None:
                self._cut = self._buffer[self._at : self._at + MAX_FIELD_BYTES]
            self._at = len(self._buffer)

    def _raw(self) -> bool:
        buffer, at = self._buffer, self._at
        size = len(buffer)
        while at < size and buffer[at] in _GAP:
            at += 1
        self._at = at
        if at == size:
            return False
        if buffer[at] == _COLON:
            return self._entry()
        if size - at < len(_DIFF):
            if buffer.startswith(_MARK, at):
                self._begin_record(at + len(_MARK))
                return True
            return False
        if buffer.startswith(_DIFF, at):
            return self._open_patch()
        if not buffer.startswith(_MARK, at):
            raise GitFailed("git log wrote an entry that is not one")
        self._begin_record(at + len(_MARK))
        return True

    def _entry(self) -> bool:
        """Take in one entry `:modes blobs status NUL path NUL...`; False if it is incomplete."""
        buffer, at = self._buffer, self._at
        end = buffer.find(b"\0", at)
        if end < 0:
            return self._wait_for_entry()
        parents = 1
        while buffer[at + parents] == _COLON:
            parents += 1
        words = buffer[at + parents : end].split(b" ")
        if len(words) != 2 * parents + 3:
            raise GitFailed("git log wrote an entry that is not one")
        status = words[-1].decode("ascii", "replace").rstrip("0123456789")
        names = parents + 1 if parents > 1 or status in ("R", "C") else 1
        paths = []
        for _ in range(names):
            begin, end = end + 1, buffer.find(b"\0", end + 1)
            if end < 0:
                return self._wait_for_entry()
            paths.append(os.fsdecode(buffer[begin:end]))
        blobs = tuple(word.decode("ascii", "replace") for word in words[parents + 1 : -1])
        self._entries.append(RawEntry(tuple(words[: parents + 1]), blobs, status, tuple(paths)))
        self._at = end + 1
        return True

    def _wait_for_entry(self) -> bool:
        if len(self._buffer) - self._at > _MAX_ENTRY_BYTES:
            raise GitFailed("git log wrote a path that is too long to be one")
        return False


def parse_commit(fields: list[bytes], *, boundary: bool = False) -> Commit:
    """Make a commit of the fields of RECORD_FORMAT; raises GitFailed when there is no id."""
    texts = [field.decode("utf-8", "replace") for field in fields]
    if not re.fullmatch(r"[0-9a-f]{40,64}", texts[0]):
        raise GitFailed("git log wrote a commit without an id")
    return Commit(
        id=CommitId(texts[0]),
        parents=tuple(CommitId(parent) for parent in texts[1].split()),
        author=Person(texts[2], texts[3]),
        authored=parse_moment(texts[4]),
        committer=Person(texts[5], texts[6]),
        committed=parse_moment(texts[7]),
        subject=texts[8],
        body=texts[9].rstrip(),
        boundary=boundary,
    )


def parse_moment(text: str) -> Moment:
    """Read `seconds +hhmm`; what is no date is the epoch, a zone beyond a day is UTC."""
    found = _DATE.fullmatch(text)
    if found is None:
        return Moment(0, 0)
    seconds, zone = int(found[1]), int(found[3])
    minutes = zone // 100 * 60 + zone % 100
    if minutes >= _DAY_MINUTES:
        minutes = 0
    return Moment(as_instant(seconds), -minutes if found[2] == "-" else minutes)
