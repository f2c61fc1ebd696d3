"""What the task of a project is given, and what it lets others see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.naming import UNLABELLED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paparatsd.broadcast import Broadcaster
    from paparatsd.clock import Clock
    from paparatsd.history.keeper import HistoryKeeper
    from paparatsd.indexing.apply import VersionBuilder
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.model import GroupName, Head, ProjectName, ProjectState, RepoId
    from paparatsd.settings import IndexSettings, WatchSettings
    from paparatsd.sources.watch import WatchHub
    from paparatsd.status_model import Progress


@dataclass(frozen=True, slots=True)
class SessionParts:
    """What every session needs of the daemon."""

    clock: Clock
    hub: WatchHub
    ledger: Ledger
    index: IndexSettings
    watch: WatchSettings
    broadcaster: Broadcaster
    builder_of: Callable[[RepoId], VersionBuilder]
    warm: Callable[[], None]
    history: HistoryKeeper
    prepare: Callable[[VersionBuilder], Awaitable[None]]
    """Tells a builder how often its repository was to be built anew."""
    on_group: Callable[[], None] = lambda: None
    """Called when a project's own file names another group than the project has."""
    on_change: Callable[[GroupName], None] = lambda group: None
    """Called when a generation of a project of this group was committed."""
    absence: Callable[[ProjectName], tuple[ProjectState, str] | None] = lambda name: None
    """What to say of a project whose root is not there, when it is known better than from that."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is known of a project at one instant; swapped, never edited.

    `docs_kind` (auto, prose, code) and `docs_audience`, the label of documents that name none, are
    what the project's own file and its overrides say; the label is "" until they were read.
    """

    project_id: int
    repo: RepoId | None
    state: ProjectState
    reason: str
    generation: int
    head: Head
    pending: int
    checked_at: float | None
    progress: Progress | None
    dirty: bool
    first: bool
    docs_kind: str = "auto"
    docs_audience: str = UNLABELLED


def age_when(watching: str, checked_at: float | None, now: float) -> str:
    """Say how old the last check is, which counts where no event tells of a change."""
    age = "never" if checked_at is None else f"{now - checked_at:.0f} s ago"
    return f"{watching}; last checked {age}"
