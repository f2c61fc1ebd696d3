"""The portable event source: few streams of watchfiles, grown without losing an event."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import structlog
from anyio import CapacityLimiter, to_thread

from paparatsd.sources.watch_source import Lost, News, RawEvent, WatchRefused, with_all_below
from paparatsd.sources.watch_stream import (
    Notifier,
    Stream,
    StreamDied,
    drain,
    open_notifier,
    open_stream,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from pathlib import Path

    from paparatsd.clock import Clock

log = structlog.get_logger()

BIN_DIRECTORIES = 1_500
"""Directories in a stream: opening one holds the GIL for about 18 ms."""
RECENT_DIRECTORIES = 256
"""Streams up to this size are rebuilt to take in a few more directories."""
MAX_STREAMS = 8
"""Beyond it the smallest are merged, whatever their size becomes."""


IDLE_STEP_S = 0.075
ACTIVE_STEP_S = 0.015
"""How often the streams are read: seldom while nothing happens, since each waking costs."""
ACTIVE_FOR_S = 2.0
"""So long after an event more are expected, and looked for more often."""
STALL_S = 1.5
"""A reading later than this may have let the kernel's queue overflow."""
SELF_TEST_ANSWER_S = 2.0


class Streams:
    """Owns the streams; they are opened, and read while nothing happens, in a thread.

    A stream cannot take more directories, so growing means opening a larger one and closing the
    old one after its last events were read: at no instant is a directory unwatched. What is lost
    in the library or before it is read (an overflow, a thread that ended) is not told by it: hence
    the self-test, and the doubt after a reading that came late.
    """

    step_s = ACTIVE_STEP_S
    check_s = 5.0

    def __init__(
        self,
        *,
        sentinel: Path | None = None,
        opener: Callable[[list[str]], Notifier] = open_notifier,
    ) -> None:
        self._sentinel = os.path.realpath(sentinel) if sentinel is not None else None
        self._opener = opener
        self._streams: list[Stream] = []
        self._leftover: set[RawEvent] = set()
        self._dead: list[Stream] = []
        self._active_until = 0.0
        # One thread waits: it wakes at a third of the cost of the event loop.
        self._waiting = CapacityLimiter(1)
        # The library forbids to close an object while another thread reads it.
        self._reading = threading.Lock()
        self._bin = BIN_DIRECTORIES
        self.watched: set[str] = set()

    @property
    def count(self) -> int:
        """How many inotify instances are in use."""
        return len(self._streams)

    async def cover(self, missing: Collection[str]) -> set[str]:
        """Watch these directories too; returns those that are watched now.

        Raises WatchRefused when nothing can be done; what was covered until then stays so.
        """
        todo = sorted(missing)
        covered: set[str] = set()
        small = self._smallest(1)
        if small and small[0].built + len(todo) <= RECENT_DIRECTORIES:
            grown = await self._try_rebuild(small, todo)
            covered |= grown
            todo = [] if grown else todo
        while todo:
            part, todo = todo[: self._bin], todo[self._bin :]
            covered |= await self._rebuild([], part)
        while len(self._streams) > MAX_STREAMS:
            if not await self._try_rebuild(self._smallest(2), []):
                break
        return covered & set(missing)

    def _smallest(self, count: int) -> list[Stream]:
        return sorted(self._streams, key=lambda stream: stream.built)[:count]

    async def _try_rebuild(self, old: list[Stream], more: Iterable[str]) -> set[str]:
        """Rebuild unless a limit is too tight for old and new to live side by side."""
        try:
            return await self._rebuild(old, more)
        except WatchRefused as error:
            log.debug("watch_streams_kept_apart", reason=str(error))
            return set()

    async def _rebuild(self, old: list[Stream], more: Iterable[str]) -> set[str]:
        """Replace `old` by one stream that watches their directories and `more`."""
        wanted = set(more).union(*(stream.directories for stream in old))
        fresh = await to_thread.run_sync(open_stream, wanted, self._opener, self._sentinel)
        self._streams.append(fresh)
        for stream in old:
            self._retire(stream)
        self.watched |= fresh.directories
        return fresh.directories

    def _retire(self, stream: Stream) -> None:
        with self._reading:
            try:
                self._leftover |= drain(stream.notifier)
            except StreamDied:
                log.debug("watch_stream_died_at_its_end")
        self._close(stream)

    def _close(self, stream: Stream) -> None:
        with self._reading:
            self._streams.remove(stream)
            stream.notifier.close()
        self.watched = set().union(*(other.directories for other in self._streams))

    def give_up_one(self) -> bool:
        """Close the smallest stream to free its instance; its directories are unwatched then."""
        if not self._streams:
            return False
        self._close(self._smallest(1)[0])
        self._bin *= 2  # fewer and larger ones from now on, or the next opening fails as well
        return True

    async def release(self, wanted: Collection[str]) -> None:
        """Rebuild the streams of which less than half is still wanted, close those of no use."""
        keep = set(wanted)
        for stream in list(self._streams):
            useful = stream.directories & keep
            if 2 * len(useful) >= stream.built:
                continue
            stream.directories = useful
            if useful:
                await self._try_rebuild([stream], [])
            else:
                self._close(stream)
        self.watched = set().union(*(stream.directories for stream in self._streams))

    def forget(self, moved: Collection[str]) -> set[str]:
        """Take directories that moved, and all below them, for unwatched; returns those."""
        gone = self.watched.intersection(moved)
        if not gone:
            return gone
        gone = with_all_below(gone, self.watched)
        for stream in self._streams:
            stream.directories -= gone
        self.watched -= gone
        return gone

    async def wait(self) -> News:
        """Return when there is news."""
        stop = threading.Event()
        try:
            news = await to_thread.run_sync(
                self._wait, stop, abandon_on_cancel=True, limiter=self._waiting
            )
        finally:
            stop.set()
        if news.events:
            self._active_until = time.monotonic() + ACTIVE_FOR_S
        return self._with_lost(news)

    def _wait(self, stop: threading.Event) -> News:
        while not stop.is_set():
            began = time.monotonic()
            step = ACTIVE_STEP_S if began < self._active_until else IDLE_STEP_S
            time.sleep(step)
            news = self._read_all()
            if time.monotonic() - began > step + STALL_S:
                news.doubt = "stalled"
            if news or self._dead:
                return news
        return News()

    def poll(self) -> News:
        """Return all events since the last call, at once."""
        return self._with_lost(self._read_all())

    def _read_all(self) -> News:
        with self._reading:
            news = News(self._leftover)
            self._leftover = set()
            for stream in self._streams:
                self._read(stream, news)
        return news

    def _read(self, stream: Stream, news: News) -> None:
        if stream.failure:
            return
        try:
            found = drain(stream.notifier)
        except StreamDied as error:
            stream.failure = str(error)
            self._dead.append(stream)
            return
        if found:
            self._note_sentinel(stream, found)
            news.events |= found

    def _with_lost(self, news: News) -> News:
        dead, self._dead = self._dead, []
        news.lost += self._bury(dead)
        return news

    def _bury(self, dead: Iterable[Stream]) -> list[Lost]:
        lost = []
        for stream in dead:
            if stream in self._streams:
                self._close(stream)
                lost.append(Lost(frozenset(stream.directories), stream.failure))
        return lost

    def _note_sentinel(self, stream: Stream, found: set[RawEvent]) -> None:
        if self._sentinel is None or stream.heard_sentinel:
            return
        below = self._sentinel + "/"
        stream.heard_sentinel = any(path.startswith(below) for _, path in found)

    async def self_test(self, clock: Clock) -> list[Lost]:
        """Make an event that every stream must hear; those that do not are as good as dead."""
        if self._sentinel is None or not self._streams:
            return []
        for stream in self._streams:
            stream.heard_sentinel = False
        asked = [stream for stream in self._streams if stream.has_sentinel]
        try:
            await to_thread.run_sync(_touch, self._sentinel)
        except OSError as error:
            log.info("watch_self_test_skipped", error=str(error))
            return []
        await clock.sleep(SELF_TEST_ANSWER_S)
        silent = [stream for stream in asked if not stream.heard_sentinel]
        for stream in silent:
            stream.failure = stream.failure or "the stream no longer reports events"
        return self._bury(silent)

    def close(self) -> None:
        """End all watching."""
        for stream in list(self._streams):
            self._close(stream)


def _touch(directory: str) -> None:
    path = os.path.join(directory, "beat")  # noqa: PTH118 - strings here, like every watched path
    with open(path, "wb"):  # noqa: PTH123 - as above
        pass
