from __future__ import annotations

import asyncio
from typing import Any

from paparatsd.broadcast import BACKLOG, Broadcaster


async def _drain(broadcaster: Broadcaster, into: list[Any], ready: asyncio.Event) -> None:
    ready.set()
    async for event in broadcaster.subscribe():
        into.append(event)  # noqa: PERF401 - the list is read while the loop runs


async def test_every_subscriber_gets_every_event_in_order() -> None:
    broadcaster = Broadcaster()
    first: list[Any] = []
    second: list[Any] = []
    async with asyncio.TaskGroup() as tasks:
        for into in (first, second):
            ready = asyncio.Event()
            tasks.create_task(_drain(broadcaster, into, ready))
            await ready.wait()
        await asyncio.sleep(0)
        broadcaster.send("one", project="a")
        broadcaster.send("two")
        broadcaster.close()
    assert first == second == [{"event": "one", "project": "a"}, {"event": "two"}]


async def test_a_slow_subscriber_loses_the_oldest_events_only() -> None:
    broadcaster = Broadcaster()
    stream = broadcaster.subscribe()
    pending = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    for number in range(BACKLOG + 10):
        broadcaster.send("n", number=number)
    broadcaster.close()
    received = [await pending] + [event async for event in stream]
    assert received[-1]["number"] == BACKLOG + 9
    assert len(received) <= BACKLOG + 1
