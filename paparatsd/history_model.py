"""Frozen values of answers about history: what interfaces show of commits, chunks and people.

Names and addresses are those of the mailmap. Moments keep the zone they were written in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from paparatsd.place_labels import NO_LABELS

if TYPE_CHECKING:
    from paparatsd.commits import Change, Moment, Person, Role
    from paparatsd.model import CommitId, Freshness, ProjectName
    from paparatsd.place_labels import PlaceLabels
    from paparatsd.search_model import Hit


class HistoryState(StrEnum):
    """How far the history of a project is.

    NONE: there is none (no git, no commit yet). SCANNING: commits are being read. MAPPING: chunks
    get theirs. READY: every chunk has what there is. LIMITED: ready, but history is cut off below
    (shallow, missing objects). BROKEN: git cannot be read; the reason says why.
    """

    NONE = "none"
    SCANNING = "scanning"
    MAPPING = "mapping"
    READY = "ready"
    LIMITED = "limited"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class HistoryStatus:
    """The history of one project: commits known, commits or files still to come, and why."""

    state: HistoryState
    commits: int = 0
    pending: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ChangedFilter:
    """Only what was changed so. Texts as people write them; empty means no restriction.

    `author`: part of a name or address. `since`, `until`: a date, an instant, or "7 days ago".
    `ticket`: a key such as ABC-12 or #12.
    """

    author: str = ""
    since: str = ""
    until: str = ""
    ticket: str = ""

    def __bool__(self) -> bool:
        """Say whether anything is restricted."""
        return bool(self.author or self.since or self.until or self.ticket)


@dataclass(frozen=True, slots=True)
class TicketNote:
    """A ticket that a commit names. `source`: jira, github, gitlab or custom."""

    key: str
    source: str
    closes: bool = False
    url: str | None = None


@dataclass(frozen=True, slots=True)
class CommitNote:
    """One commit as it is shown."""

    project: ProjectName
    id: CommitId
    author: Person
    authored: Moment
    committer: Person
    committed: Moment
    subject: str
    body: str = ""
    co_authors: tuple[Person, ...] = ()
    tickets: tuple[TicketNote, ...] = ()
    merge: bool = False
    url: str | None = None


@dataclass(frozen=True, slots=True)
class ChunkCommit:
    """What one commit is to a chunk; see `commits.Involvement`."""

    commit: CommitNote
    role: Role
    lines: int
    born: bool = False


@dataclass(frozen=True, slots=True)
class Owner:
    """A person, with the lines of a chunk as it is now that are theirs, and when they came last."""

    person: Person
    lines: int
    commits: int
    last: Moment


@dataclass(frozen=True, slots=True)
class ChunkLog:
    """The history of one place, newest commit first.

    `total` counts all commits, of which `commits` are the first. `owners`: who to ask, most lines
    first. `uncommitted`: lines that are in no commit. `complete` is False when history is cut off
    below. `pending` says that commits are still being read, so that some may be missing.
    `began` is the commit with which the oldest of it came in, where that is known. `labels`: what
    the project's own file calls the part it is in.
    """

    project: ProjectName
    branch: str | None
    address: str
    path: str
    start_line: int
    end_line: int
    symbol: str | None
    kind: str
    commits: tuple[ChunkCommit, ...]
    total: int
    tickets: tuple[TicketNote, ...]
    owners: tuple[Owner, ...]
    uncommitted: int
    complete: bool
    pending: bool
    freshness: Freshness
    notes: tuple[str, ...] = ()
    began: CommitNote | None = None
    labels: PlaceLabels = NO_LABELS


@dataclass(frozen=True, slots=True)
class LastChange:
    """One line of history for a hit: its newest commit, and how many there are in all.

    `commit` is None while no commit is known: nothing of it is committed, or history is pending.
    """

    commit: CommitNote | None
    commits: int
    uncommitted: int
    pending: bool = False


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that a commit changed; `old_path` where it had another name before."""

    path: str
    change: Change
    old_path: str | None = None


@dataclass(frozen=True, slots=True)
class TouchedPlace:
    """A chunk as it is now that a commit is part of."""

    project: ProjectName
    path: str
    start_line: int
    end_line: int
    address: str
    symbol: str | None
    kind: str


@dataclass(frozen=True, slots=True)
class FoundCommit:
    """A commit that answers a question, with what it changed and what is left of that now.

    `score` is 0 where nothing was asked but a time, a person or a ticket. Of many files and
    places the first are listed; `files_total` and `places_total` count them all.
    """

    commit: CommitNote
    score: float
    files: tuple[FileChange, ...]
    files_total: int
    places: tuple[TouchedPlace, ...]
    places_total: int


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """A question about commits; an empty `query` lists what the filter lets by, newest first."""

    query: str = ""
    changed: ChangedFilter | None = None
    projects: tuple[ProjectName, ...] = ()
    groups: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    limit: int = 10
    merges: bool = False


@dataclass(frozen=True, slots=True)
class CommitsAnswer:
    """Commits, best or newest first, and what they reflect. `total`: how many the filter let by."""

    query: str
    commits: tuple[FoundCommit, ...]
    total: int
    freshness: tuple[Freshness, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One commit with those of the found places that it is part of."""

    commit: CommitNote
    hits: tuple[int, ...]
    """Numbers of hits in the answer, from 0."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a question finds, with the commits behind it, newest first; the hits carry `related`.

    `owners`: who to ask about the hits, those first who have most lines in them.
    """

    question: str
    hits: tuple[Hit, ...]
    timeline: tuple[TimelineEntry, ...]
    freshness: tuple[Freshness, ...]
    notes: tuple[str, ...] = ()
    owners: tuple[Owner, ...] = ()
