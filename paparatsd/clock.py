"""Wall time, monotonic time and sleep as one object that tests can replace."""

from __future__ import annotations

import time
from typing import Protocol

import anyio


class Clock(Protocol):
    """What the daemon may know of time."""

    def now(self) -> float:
        """Return seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Return seconds that only grow; never stored, never compared across processes."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait without blocking the event loop."""
        ...


class SystemClock:
    """The real clock."""

    def now(self) -> float:
        """Return seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait without blocking the event loop."""
        await anyio.sleep(seconds)
