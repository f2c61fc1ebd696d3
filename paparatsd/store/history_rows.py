"""The values that go into the history file and come out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from paparatsd.commits import Change, Touch
from paparatsd.store.hunk_pack import pack_hunks, unpack_hunks

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.commits import Commit, Hunk, Person
    from paparatsd.model import CommitId


class Skeleton(NamedTuple):
    """A commit's place in the graph, known before its facts.

    `committed` (seconds) decides in which order facts are read: the newest first.
    """

    id: CommitId
    parents: tuple[CommitId, ...]
    committed: int = 0


class TicketLink(NamedTuple):
    """That a commit speaks of a ticket: where it says so, and what it does to the ticket."""

    key: str
    source: str
    relation: str


class Rewrite(NamedTuple):
    """That one commit took the place of another; `kind` says by what, `at` when (seconds)."""

    old: CommitId
    new: CommitId
    kind: str
    at: float


@dataclass(frozen=True, slots=True)
class Words:
    """How text becomes words of the full-text index; another `version` builds it again.

    `split` returns words in order, composed names also in their parts, in the form in which those
    of a question meet them. `stop` are words, in that form, that say nothing in a question: they
    stand in most commits, and scoring those takes most of the time.
    """

    version: int
    split: Callable[[str], list[str]]
    stop: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class GraphRows:
    """The commits of a repository as columns, by ascending number.

    `numbers` int64 [n]; the parents of row i, in git's order, are
    `parents[offsets[i]:offsets[i + 1]]` (numbers; one that is not among `numbers` is not there:
    history is cut off). `committed` int64 [n], seconds; `facts` bool [n]: whether what the commit
    touched is known.
    """

    numbers: NDArray[np.int64]
    offsets: NDArray[np.int64]
    parents: NDArray[np.int64]
    committed: NDArray[np.int64]
    facts: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class StoredTouch:
    """One touch of a path as it is stored; `number` is the commit's."""

    number: int
    parent: int
    change: Change
    old_path: str | None
    same_in: int | None
    whole: bool
    blob: bytes
    pack: bytes

    @classmethod
    def deletion(cls, number: int) -> StoredTouch:
        """Return what a commit did to a path that was gone with it."""
        return cls(number, 0, Change.DELETE, None, None, whole=False, blob=b"", pack=pack_hunks(()))

    def hunks(self) -> tuple[Hunk, ...]:
        """Unpack the hunks; raises StateCorrupt."""
        return unpack_hunks(self.pack)

    def touch(self, path: str) -> Touch:
        """Return the whole value; `path` is the one it was asked for by."""
        return Touch(
            path=path,
            parent=self.parent,
            change=self.change,
            blob=self.blob.hex(),
            hunks=self.hunks(),
            old_path=self.old_path,
            whole=self.whole,
            same_in=self.same_in,
        )


@dataclass(frozen=True, slots=True)
class StoredCommit:
    """A commit with the numbers by which the store knows it and its people."""

    number: int
    commit: Commit
    author: int
    committer: int


@dataclass(frozen=True, slots=True)
class StoredPerson:
    """A name and address with its number."""

    number: int
    person: Person


@dataclass(frozen=True, slots=True)
class ScanState:
    """How far a repository was read, and by which rules.

    `heads`: all that they reach is in the graph. The others are digests: of where git said that
    history is cut off, of how tickets are written, and of the commits that only carry lines.
    """

    heads: tuple[CommitId, ...] = ()
    shallow: str = ""
    wording: str = ""
    ignored: str = ""


@dataclass(frozen=True, slots=True)
class HistoryCounts:
    """How much there is of a repository: commits, those with facts, and touches."""

    commits: int = 0
    facts: int = 0
    touches: int = 0
