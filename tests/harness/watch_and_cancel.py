"""A client that asks for what takes for ever, hears of its progress, and gives up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from mcp import Client

    from tests.harness.fake_service import Served


async def watch_and_cancel(client: Client, up: Served) -> None:
    """Begin a search that does not end, wait for progress, cancel it; the service must notice."""
    heard = anyio.Event()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.set()

    async with anyio.create_task_group() as tasks:

        async def wait() -> None:
            await client.call_tool("search_code", {"query": "wait"}, progress_callback=on_progress)

        tasks.start_soon(wait)
        with anyio.fail_after(5):
            await up.service.started.wait()
            await heard.wait()
        tasks.cancel_scope.cancel()
    with anyio.fail_after(5):
        await up.service.cancelled.wait()
