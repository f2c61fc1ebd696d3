"""What the hub asks of an event source, and what a source answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from paparatsd.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Collection
    from collections.abc import Set as AbstractSet

    from paparatsd.clock import Clock

RawEvent = tuple[int, str]
"""(1 added, 2 modified, 3 deleted; absolute path, undecodable bytes as surrogates)."""
ADDED, MODIFIED, DELETED = 1, 2, 3

_FEW = 16


class Refusal(Enum):
    """Why directories could not be watched."""

    WATCH_LIMIT = "watch limit"
    INSTANCE_LIMIT = "instance limit"
    UNSTABLE = "unstable"
    OTHER = "other"


class WatchRefused(Unavailable):
    """The kernel or the library would not watch; `refusal` decides what is done about it."""

    def __init__(self, refusal: Refusal, message: str) -> None:
        super().__init__(message)
        self.refusal = refusal


def over_watch_limit() -> WatchRefused:
    """Say that the kernel allows no more watches."""
    return WatchRefused(
        Refusal.WATCH_LIMIT,
        "no more inotify watches are allowed; raise the sysctl fs.inotify.max_user_watches",
    )


def over_instance_limit() -> WatchRefused:
    """Say that there may be no further inotify instance, or no further descriptor."""
    return WatchRefused(
        Refusal.INSTANCE_LIMIT,
        "no more inotify instances or descriptors are allowed; "
        "raise the sysctl fs.inotify.max_user_instances (or the limit of open files)",
    )


@dataclass(frozen=True, slots=True)
class Lost:
    """Directories (absolute) that are no longer watched: what reported them failed."""

    directories: frozenset[str]
    reason: str


@dataclass(slots=True)
class News:
    """What one reading found.

    `doubt` names why events may be missing although the watching goes on; `more` says that there
    is more to read right now.
    """

    events: set[RawEvent] = field(default_factory=set)
    lost: list[Lost] = field(default_factory=list)
    doubt: str = ""
    more: bool = False

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return bool(self.events or self.lost or self.doubt)


class EventSource(Protocol):
    """Watches directories one by one, not what is below them. All paths are absolute.

    Everything is called in the event loop's thread; `cover` and `release` never at the same time.
    """

    step_s: float
    """So long without an event, a burst is taken to be over."""
    check_s: float
    """How often roots are to be compared with what is watched, whatever the events say."""

    @property
    def count(self) -> int:
        """How many inotify instances are in use."""
        ...

    @property
    def watched(self) -> AbstractSet[str]:
        """The directories that are watched."""
        ...

    async def cover(self, missing: Collection[str]) -> AbstractSet[str]:
        """Watch these directories too; returns those of them that are watched now.

        Raises WatchRefused when a limit forbids it; what is watched already stays so.
        """
        ...

    def give_up_one(self) -> bool:
        """Free an instance where the limit of instances forbids more; False when there is none."""
        ...

    async def release(self, wanted: Collection[str]) -> None:
        """Stop watching what is not wanted, as far as that is worth its cost."""
        ...

    def forget(self, moved: Collection[str]) -> set[str]:
        """Take directories that moved, and all below them, for unwatched; returns those."""
        ...

    async def wait(self) -> News:
        """Return when there is news."""
        ...

    def poll(self) -> News:
        """Return what happened since the last reading, at once."""
        ...

    async def self_test(self, clock: Clock) -> list[Lost]:
        """Find out what reports no events any more, for a source that would not notice."""
        ...

    def close(self) -> None:
        """End all watching."""
        ...


def with_all_below(tops: Collection[str], paths: Collection[str]) -> set[str]:
    """Return those of the paths that are one of `tops` or lie below one."""
    if len(tops) <= _FEW:
        prefixes = tuple(f"{top}/" for top in tops)
        return {path for path in paths if path in tops or path.startswith(prefixes)}
    return {path for path in paths if is_at_or_below(path, tops)}


def is_at_or_below(path: str, tops: Collection[str]) -> bool:
    """Whether the path or a directory above it is among `tops`."""
    while path:
        if path in tops:
            return True
        path = path.rpartition("/")[0]
    return False
