"""What the daemon tells the history process of a project, and what it hears of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from paparatsd.history_model import (
        ChunkCommit,
        CommitNote,
        FoundCommit,
        HistoryStatus,
        Owner,
        TicketNote,
    )
    from paparatsd.model import CommitId, ProjectName, RepoId


def own_files_stamp(top: Path, common_dir: Path | None) -> tuple[object, ...]:
    """Return a value that is equal as long as the files stay put that say how to tell history.

    Those at the top of the work tree, and those of git that say where history ends, what stands
    for other commits, and where the remote is.
    """
    paths = [top / name for name in (".mailmap", ".git-blame-ignore-revs")]
    if common_dir is not None:
        paths += [common_dir / name for name in ("config", "shallow", "info/grafts")]
        paths.append(common_dir / "refs" / "replace")
    return tuple(map(_stamp, paths))


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@dataclass(frozen=True, slots=True)
class Followed:
    """One project as it is now: where it is, what it shows, and how its tickets are written.

    `wanted` is False when the project's own settings want no history.
    `head` is None for a folder without git and for an unborn branch. `patterns` are regular
    expressions of the project's own settings; `jira` is where Jira keys are looked up, or "".
    `settled` is False while the head has moved and the view is still being brought in line.
    `stamp` is an `own_files_stamp`: it makes one follow what those files say.
    """

    project_id: int
    name: ProjectName
    repo: RepoId
    root: str
    git: bool
    generation: int
    head: CommitId | None
    branch: str | None = None
    patterns: tuple[str, ...] = ()
    jira: str = ""
    settled: bool = True
    stamp: tuple[object, ...] = ()
    wanted: bool = True


@dataclass(frozen=True, slots=True)
class Asked:
    """A filter as numbers: who (part of a name or address), when (seconds), which ticket."""

    author: str = ""
    since: float | None = None
    until: float | None = None
    ticket: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a step: whether there is more to do, and how far each project is.

    `again_s`: after how long it is worth asking again although nothing has moved.
    """

    busy: bool
    status: Mapping[int, HistoryStatus]
    again_s: float | None = None


class Found(NamedTuple):
    """Commits, best or newest first, how many there were in all, and what to know of them."""

    commits: tuple[FoundCommit, ...]
    total: int
    notes: tuple[str, ...] = ()
    named: bool = False
    """Whether the question was the id of what was found: nothing else is asked for then."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines `start` to `end` of what a project shows at a path.

    `symbol`, or the one around `line`, if it lies within them: then its own lines are meant.
    """

    project_id: int
    path: str
    start: int
    end: int
    symbol: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class PlaceLog:
    """The history of lines `start` to `end`: what `ChunkLog` says of commits.

    `symbol` is the one they are, when the question was narrowed to it.
    """

    start: int
    end: int
    commits: tuple[ChunkCommit, ...]
    total: int
    tickets: tuple[TicketNote, ...]
    owners: tuple[Owner, ...]
    uncommitted: int
    complete: bool
    pending: bool
    symbol: str | None = None
    notes: tuple[str, ...] = ()
    began: CommitNote | None = None
