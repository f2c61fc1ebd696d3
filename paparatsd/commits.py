"""Frozen values of git history that its stages share: commits, what each touched, what came of it.

Facts are immutable: a commit, and for each (commit, parent, path) its hunks. What is said of a
chunk is replayed from them. Lines are 1-based and inclusive; hunks are as git writes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from paparatsd.model import CommitId


class Hunk(NamedTuple):
    """One replaced run of lines: `@@ -old_start,old_lines +new_start,new_lines @@` of `-U0`.

    As git writes it: with a length of 0 the start is the line *after* which the place lies, so it
    is 0 at the beginning of a file. Hunks of one file are in ascending order and never overlap.
    """

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int


class Moment(NamedTuple):
    """An instant and the zone it was written in."""

    seconds: int
    """Since the epoch; may be negative."""
    zone_minutes: int
    """East of UTC."""


class Person(NamedTuple):
    """A name and an address, as a commit or a mailmap writes them; either may be empty."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit as it was made; the mailmap is applied when it is shown, never when it is kept.

    `subject` is the first paragraph on one line, `body` the rest of the message without trailing
    blank lines, trailers included. `parents` are in git's order; `boundary` says that git knows
    more parents than it has (a shallow clone ends here).
    """

    id: CommitId
    parents: tuple[CommitId, ...]
    author: Person
    authored: Moment
    committer: Person
    committed: Moment
    subject: str
    body: str
    boundary: bool = False


class Change(StrEnum):
    """What a commit did to a path, as seen from one parent."""

    ADD = "add"
    MODIFY = "modify"
    DELETE = "delete"
    RENAME = "rename"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class Touch:
    """What one commit did to one path, against one parent.

    `parent` counts from 0. `path` is the name in the commit (of a deletion: in the parent),
    `old_path` the name in the parent where it is another one (rename, copy), else None.
    `blob` is git's object id of the content in the commit, "" of a deletion. `whole` says that
    there are no hunks because git sees no lines (binary content, a link): all of it changed.

    Of a merge: parent 0 has an entry for every path that differs from it. Another parent has one
    only for a path that differs from *all* parents. A path with an entry against parent 0 and
    none against parent n is the same in parent `same_in` = n.
    """

    path: str
    parent: int
    change: Change
    blob: str
    hunks: tuple[Hunk, ...] = ()
    old_path: str | None = None
    whole: bool = False
    same_in: int | None = None


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """A commit with all it touched. A root commit touches what it adds, against parent 0."""

    commit: Commit
    touches: tuple[Touch, ...]


class Role(StrEnum):
    """What a commit is to a chunk.

    AUTHOR: it changed lines of it. CARRIER: a merge that brought in such commits from another
    branch. RESOLUTION: a merge that changed lines itself, as no parent has them.
    """

    AUTHOR = "author"
    CARRIER = "carrier"
    RESOLUTION = "resolution"


@dataclass(frozen=True, slots=True)
class Involvement:
    """One commit of a chunk's history, by the number under which the store knows it.

    `lines` is how many of the chunk's lines as they are now it was the last to change: 0 where
    all it did was overwritten since, where it only removed lines, and of a carrier.
    `born` says that the chunk's oldest lines begin here: nothing of it is older.
    """

    commit: int
    role: Role
    lines: int
    born: bool = False


@dataclass(frozen=True, slots=True)
class ChunkPast:
    """The history of one range of lines of one file version.

    `commits` are newest first (topological order, then the committer's instant). `uncommitted` is
    the number of lines that are in no commit. `complete` is False when history is cut off below
    (a shallow clone, missing objects, a limit): `commits` is then what there is.
    """

    start_line: int
    end_line: int
    commits: tuple[Involvement, ...]
    uncommitted: int = 0
    complete: bool = True
