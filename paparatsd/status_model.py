"""Frozen values of how things are: of the daemon, its projects, and an index under way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.history_model import HistoryStatus
    from paparatsd.model import (
        CommitId,
        EmbedderSpec,
        FreshnessState,
        GroupName,
        ProjectName,
        ProjectState,
        RepoId,
    )


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an index run is; `eta_s` is None while unknown. Rates are per second."""

    files_done: int
    files_total: int
    chunks_done: int
    files_rate: float
    eta_s: float | None


@dataclass(frozen=True, slots=True)
class RemoteStatus:
    """How a project stands to the repository elsewhere that it follows.

    `state` is waiting, asking, cloning or fetching. Times are epoch seconds: `fetched_at` when the
    remote's files were last taken over, `checked_at` when it was last asked, None for never;
    `next_at` is when it is asked next. `problem` says why the last try failed, "" if it did not.
    """

    url: str
    branch: str
    ref: str
    state: str
    fetched_at: float | None
    checked_at: float | None
    next_at: float | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of fetching one project now: `moved` if it has other commits than before.

    `problem` says why nothing was fetched, "" if something was.
    """

    project: ProjectName
    moved: bool
    commit: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    """All that `status` says of one project."""

    name: ProjectName
    root: str
    group: GroupName
    repo: RepoId | None
    branch: str | None
    head: CommitId | None
    state: ProjectState
    reason: str
    generation: int
    files: int
    chunks: int
    skipped: int
    pending: int
    languages: Mapping[str, int]
    freshness: FreshnessState
    checked_at: float | None
    watching: str
    hooks: str
    progress: Progress | None = None
    history: HistoryStatus | None = None
    remote: RemoteStatus | None = None
    pushed: bool = False
    """Whether programs send its files."""


@dataclass(frozen=True, slots=True)
class Published:
    """What the knowledge endpoint tells strangers: documents of `audience` in `projects`.

    Sorted; no projects are all that may be answered about. Who may ask is never told.
    """

    audience: tuple[str, ...]
    projects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outlet:
    """What is sent to another program, and how much since the start.

    `host` is where to, with its port; `local` if that is this machine. `tokens` is what the other
    side counted, 0 if it does not; `what` and `purpose` are a few words each.
    """

    purpose: str
    what: str
    host: str
    local: bool
    texts: int = 0
    chars: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelChange:
    """A change of the embedding model under way; `role` is what for: code, or text.

    `old` is the model that answers meanwhile, "" for that of code; `can_answer` is false when it
    cannot be asked any more, so that words alone do.
    """

    role: str
    old: str
    new: str
    files_done: int
    files_total: int
    can_answer: bool = True


@dataclass(frozen=True, slots=True)
class CacheFigures:
    """How a cache does: entries in it, how often it was asked and could answer since the start.

    `limit`: so many entries at most; None where it is bounded by its size in bytes.
    """

    entries: int
    asked: int
    answered: int
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class DaemonFigures:
    """What the daemon counts and measures of itself, since its start.

    `memory_bytes`: of its processes together, `machine_bytes`: of the machine. `allowed_projects`:
    those that are answered about, empty for all. `saved_tokens`: see usage.py.
    """

    uptime_s: float
    memory_bytes: int
    machine_bytes: int
    allowed_projects: tuple[str, ...]
    searches: int
    saved_tokens: int
    answers: CacheFigures
    embeddings: CacheFigures


@dataclass(frozen=True, slots=True)
class DaemonStatus:
    """What the daemon says of itself."""

    version: str
    pid: int
    uptime_s: float
    state_dir: str
    http: str
    socket: str
    embedder: EmbedderSpec
    store: str
    memory_bytes: Mapping[str, int]
    projects: tuple[ProjectStatus, ...]
    problems: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    """What could be indexed and is not, with the command that does it."""
    outlets: tuple[Outlet, ...] = ()
    """Where texts and vectors go; empty: nowhere."""
    knowledge: Published | None = None
    """What the knowledge endpoint shows; None while there is none."""
    text_embedder: EmbedderSpec | None = None
    """The embedder of documents, terms and cards; None where it is the same."""
    model_changes: tuple[ModelChange, ...] = ()
