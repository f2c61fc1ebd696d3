"""The event source of Linux: one inotify instance for all directories, read when it has news."""

from __future__ import annotations

import asyncio
import errno
import os
from typing import TYPE_CHECKING

from anyio import to_thread

from paparatsd.sources import watch_inotify as kernel
from paparatsd.sources.watch_inotify import READ_BYTES, Inotify, records
from paparatsd.sources.watch_source import (
    ADDED,
    DELETED,
    MODIFIED,
    Lost,
    News,
    Refusal,
    WatchRefused,
    is_at_or_below,
    over_instance_limit,
    over_watch_limit,
    with_all_below,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from collections.abc import Set as AbstractSet

    from paparatsd.clock import Clock

COVER_AT_ONCE = 2_000
"""Directories between two looks at what happened to those just added."""
COVER_ATTEMPTS = 3
"""So often a directory is tried that moves while it is being added."""

_ABSENT = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENAMETOOLONG}
)
"""There is no directory to watch, or not for us: its parent tells when that changes."""
_GONE = kernel.IN_DELETE_SELF | kernel.IN_MOVE_SELF | kernel.IN_UNMOUNT | kernel.IN_IGNORED
_CAME = kernel.IN_CREATE | kernel.IN_MOVED_TO
_WENT = kernel.IN_DELETE | kernel.IN_MOVED_FROM


class KernelSource:
    """Knows which watch stands for which paths, and doubts itself when the kernel says so.

    A watch belongs to a directory, not to its name: once the directory is moved, its events still
    come, under a name that is wrong. `_wds` is what is believed, path to watch; `_paths` is the
    other way round and decides how an event is read. A watch in `_stale` is removed by the next
    release, unless it is added again before (a directory that was only renamed).
    """

    step_s = 0.005
    check_s = 30.0

    def __init__(self, opener: Callable[[], Inotify] = Inotify) -> None:
        self._opener = opener
        self._instance: Inotify | None = None
        self._opened = asyncio.Event()
        self._wds: dict[str, int] = {}
        self._paths: dict[int, set[str]] = {}
        self._stale: set[int] = set()
        self._covering = False
        self._dead: set[int] = set()
        self._moved: set[str] = set()
        self._overflowed = False

    @property
    def count(self) -> int:
        """How many instances are in use."""
        return 0 if self._instance is None else 1

    @property
    def watched(self) -> AbstractSet[str]:
        """The directories that are watched."""
        return self._wds.keys()

    # ------------------------------------------------------------------ watches

    async def cover(self, missing: Collection[str]) -> AbstractSet[str]:
        """Watch these directories too; returns those that are watched now. Raises WatchRefused."""
        todo = sorted(missing)
        covered: set[str] = set()
        while todo:
            part, todo = todo[:COVER_AT_ONCE], todo[COVER_AT_ONCE:]
            for _ in range(COVER_ATTEMPTS):
                done, part = await self._add(part)
                covered |= done
                if not part:
                    break
        return covered

    async def _add(self, paths: list[str]) -> tuple[set[str], list[str]]:
        """Add watches; returns what is watched, and what moved meanwhile."""
        instance = self._open()
        self._dead.clear()
        self._moved.clear()
        self._overflowed = False
        self._covering = True
        try:
            added, refused = await to_thread.run_sync(_add_all, instance, paths)
        finally:
            self._covering = False
        if instance is not self._instance:
            return set(), []  # it failed meanwhile, which has been reported
        if self._overflowed:
            # So has this; the end of any of these watches may be among what was lost.
            self._stale.update(added.values())
            return set(), []
        again = [path for path, wd in added.items() if not self._record(path, wd)]
        if refused is not None:
            raise refused
        return added.keys() - set(again), again

    def _open(self) -> Inotify:
        if self._instance is None:
            try:
                self._instance = self._opener()
            except OSError as error:
                raise _refusal_to_open(error) from error
            self._opened.set()
        return self._instance

    def _record(self, path: str, wd: int) -> bool:
        """Believe that the watch stands for the path, unless something says otherwise."""
        if wd in self._dead or (self._moved and is_at_or_below(path, self._moved)):
            if wd not in self._paths:
                self._stale.add(wd)
            return False
        if wd in self._stale:
            self._stale.remove(wd)
            self._paths[wd] = set()
        self._paths.setdefault(wd, set()).add(path)
        self._wds[path] = wd
        return True

    def give_up_one(self) -> bool:
        """Return False: there is one instance, and it is needed."""
        return False

    async def release(self, wanted: Collection[str]) -> None:
        """Remove the watches that are not wanted and those that stand for nothing known."""
        self._drop(self._wds.keys() - set(wanted))
        if not self._stale or self._instance is None:
            return
        stale, self._stale = self._stale, set()
        for wd in stale:
            self._paths.pop(wd, None)
        await to_thread.run_sync(_remove_all, self._instance, stale)

    def forget(self, moved: Collection[str]) -> set[str]:
        """Take directories that moved, and all below them, for unwatched; returns those."""
        if self._covering:
            self._moved.update(moved)
        tops = self._wds.keys() & set(moved)
        if not tops:
            return set()
        gone = with_all_below(tops, self._wds.keys())
        self._drop(gone)
        return gone

    def _drop(self, paths: Iterable[str]) -> None:
        for path in paths:
            wd = self._wds.pop(path)
            names = self._paths.get(wd, set())
            names.discard(path)
            if not names:
                self._paths.pop(wd, None)
                self._stale.add(wd)

    # ------------------------------------------------------------------ events

    async def wait(self) -> News:
        """Sleep until the kernel has news."""
        loop = asyncio.get_running_loop()
        while True:
            await self._opened.wait()
            instance, readable = self._open(), asyncio.Event()
            loop.add_reader(instance, readable.set)
            try:
                await readable.wait()
            finally:
                loop.remove_reader(instance)
            if news := self.poll():
                return news

    def poll(self) -> News:
        """Return what happened since the last reading, at most a few hundred events of it."""
        news = News()
        if self._instance is None:
            return news
        try:
            data = self._instance.read()
        except OSError as error:
            news.lost.append(self._fail(f"inotify cannot be read: {error}"))
            return news
        for wd, mask, name in records(data):
            self._note(wd, mask, name, news)
        news.more = len(data) > READ_BYTES // 2
        return news

    def _note(self, wd: int, mask: int, name: bytes, news: News) -> None:
        if mask & kernel.IN_Q_OVERFLOW:
            news.doubt = "overflow"
            self._distrust()
            return
        paths = self._paths.get(wd)
        if paths is None:
            # Removed by us; or so new that its path is not recorded yet, then its end matters.
            if self._covering and mask & _GONE:
                self._dead.add(wd)
            return
        change = ADDED if mask & _CAME else DELETED if mask & (_WENT | _GONE) else MODIFIED
        below = "/" + os.fsdecode(name) if name else ""
        # A watch that ended stays in the books until the event made here is acted upon.
        news.events.update([(change, path + below) for path in paths])

    def _distrust(self) -> None:
        """After an overflow: directories may have moved, so every watch is to be added anew."""
        self._stale |= self._paths.keys()
        self._wds.clear()
        self._overflowed = True

    def _fail(self, reason: str) -> Lost:
        lost = Lost(frozenset(self._wds), reason)
        self.close()
        return lost

    async def self_test(self, clock: Clock) -> list[Lost]:
        """Return nothing: the kernel says when it loses something."""
        del clock
        return []

    def close(self) -> None:
        """End all watching."""
        if self._instance is not None:
            self._instance.close()
        self._instance = None
        self._opened.clear()
        self._wds.clear()
        self._paths.clear()
        self._stale.clear()


def _refusal_to_open(error: OSError) -> WatchRefused:
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return over_instance_limit()
    return WatchRefused(Refusal.OTHER, f"inotify cannot be opened: {error}")


def _add_all(instance: Inotify, paths: list[str]) -> tuple[dict[str, int], WatchRefused | None]:
    """Watch those that exist, up to the first refusal; for a thread. 3 us each."""
    added: dict[str, int] = {}
    for path in paths:
        try:
            added[path] = instance.add(os.fsencode(path))
        except OSError as error:
            if error.errno == errno.ENOSPC:
                return added, over_watch_limit()
            if error.errno not in _ABSENT:
                return added, WatchRefused(Refusal.OTHER, f"watching failed: {path!r}: {error}")
    return added, None


def _remove_all(instance: Inotify, watches: Iterable[int]) -> None:
    for watch in watches:
        instance.remove(watch)
