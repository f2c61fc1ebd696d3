"""One stream of watchfiles: its refusals in our words, and reading it without waiting."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from paparatsd.errors import Unavailable
from paparatsd.sources.watch_source import (
    RawEvent,
    Refusal,
    WatchRefused,
    over_instance_limit,
    over_watch_limit,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_OPEN_ATTEMPTS = 5
_FOREVER_MS = 1 << 31


class StreamDied(Unavailable):
    """An event stream ended; what happened since its last events is unknown."""


class StopFlag(Protocol):
    """What the library asks once in each of its rounds."""

    def is_set(self) -> bool:
        """Whether to return now."""
        ...


class Notifier(Protocol):
    """The part of the library's object that is used; tests have their own."""

    def watch(
        self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: StopFlag
    ) -> set[RawEvent] | str:
        """Return the changes since the last call, or a word when there are none."""
        ...

    def close(self) -> None:
        """End the watching."""
        ...


@dataclass(eq=False, slots=True)
class Stream:
    """One inotify instance and the directories it watches (absolute).

    `built` counts what the kernel was asked for; `directories` loses entries as they vanish.
    """

    notifier: Notifier
    directories: set[str] = field(default_factory=set)
    built: int = 0
    has_sentinel: bool = False
    heard_sentinel: bool = False
    failure: str = ""


class _TwoRounds:
    """Ends a call in its third round: changes, if any, are returned at the end of the second."""

    __slots__ = ("_rounds",)

    def __init__(self) -> None:
        self._rounds = 0

    def is_set(self) -> bool:
        self._rounds += 1
        return self._rounds > 2


def open_notifier(directories: list[str]) -> Notifier:
    """Watch exactly these directories, not what is below them.

    The library holds the GIL for about 12 us a directory while it does.
    """
    return RustNotify(
        directories,
        debug=False,
        force_polling=False,
        poll_delay_ms=0,
        recursive=False,
        ignore_permission_denied=False,
    )


def open_stream(
    directories: Iterable[str], opener: Callable[[list[str]], Notifier], sentinel: str | None
) -> Stream:
    """Watch those of the directories that exist, in one instance.

    Raises WatchRefused. Directories that vanish meanwhile are left out of the stream.
    """
    wanted = sorted(directories)
    for _ in range(_OPEN_ATTEMPTS):
        present = [path for path in wanted if is_watchable(path)]
        extra = [sentinel] if sentinel is not None and is_watchable(sentinel) else []
        try:
            notifier = opener(present + extra)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        except (OSError, WatchfilesRustInternalError) as error:
            raise _refusal_of(error) from error
        return Stream(notifier, set(present), len(present), has_sentinel=bool(extra))
    raise WatchRefused(Refusal.UNSTABLE, "the directories change faster than they can be watched")


def is_watchable(path: str) -> bool:
    """Whether the path is a real directory that may be watched (links are not followed)."""
    return os.path.isdir(path) and not os.path.islink(path) and os.access(path, os.R_OK)  # noqa: PTH112, PTH114 - thousands at a time, no Path objects


def _refusal_of(error: Exception) -> WatchRefused:
    # The library gives no errno, only words.
    text = str(error)
    if "watch limit" in text:
        return over_watch_limit()
    if "Too many open files" in text:
        return over_instance_limit()
    return WatchRefused(Refusal.OTHER, f"watching failed: {text}")


def drain(notifier: Notifier) -> set[RawEvent]:
    """Return what happened since the last call, at once. Raises StreamDied.

    The library only offers a call that polls in rounds, one instance at a time. With rounds of no
    length and an end in the third it costs a microsecond, so that one thread can read them all.
    """
    try:
        answer = notifier.watch(1, 0, _FOREVER_MS, _TwoRounds())
    except Exception as error:
        # One name that is not UTF-8 ends the stream for good, in the words of the library.
        raise StreamDied(str(error)) from error
    return set() if isinstance(answer, str) else answer
