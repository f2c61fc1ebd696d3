"""Progress events: one sender, any number of bounded subscribers."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

BACKLOG = 256
"""Events kept for a subscriber that does not read; older ones are dropped first."""


class Broadcaster:
    """Hands each event to every subscriber without ever waiting for one."""

    def __init__(self) -> None:
        self._subscribers: set[_Subscriber] = set()
        self._closed = False

    def send(self, event: str, **fields: Any) -> None:  # noqa: ANN401 - JSON-ready values
        """Tell all subscribers."""
        message = {"event": event, **fields}
        for subscriber in self._subscribers:
            subscriber.put(message)

    def close(self) -> None:
        """End all subscriptions, present and future."""
        self._closed = True
        for subscriber in self._subscribers:
            subscriber.close()

    async def subscribe(self) -> AsyncIterator[Mapping[str, Any]]:
        """Yield events from now on until closed."""
        subscriber = _Subscriber()
        self._subscribers.add(subscriber)
        try:
            while not self._closed or subscriber.backlog:
                message = await subscriber.get()
                if message is None:
                    return
                yield message
        finally:
            self._subscribers.discard(subscriber)


class _Subscriber:
    """One reader's backlog."""

    def __init__(self) -> None:
        self.backlog: deque[Mapping[str, Any]] = deque(maxlen=BACKLOG)
        self._wake = asyncio.Event()
        self._closed = False

    def put(self, message: Mapping[str, Any]) -> None:
        self.backlog.append(message)
        self._wake.set()

    def close(self) -> None:
        self._closed = True
        self._wake.set()

    async def get(self) -> Mapping[str, Any] | None:
        while not self.backlog:
            if self._closed:
                return None
            self._wake.clear()
            await self._wake.wait()
        return self.backlog.popleft()
