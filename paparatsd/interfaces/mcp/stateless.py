"""The knowledge endpoint over the SDK: a server and a transport of its own for every request.

Nothing is kept between two requests: no session is opened, and one that is named is not looked
for. Who may ask, and how much a request may hold, is decided before, by `guard.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import JSONResponse

from paparatsd.interfaces.mcp.identity import KNOWLEDGE_TITLE
from paparatsd.interfaces.mcp.instructions import KNOWLEDGE_INSTRUCTIONS
from paparatsd.interfaces.mcp.knowledge import knowledge_tools
from paparatsd.interfaces.mcp.transport import SECURITY, server_of
from paparatsd.interfaces.shapes import error_json

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.publication import Publication

MAX_RUNNING = 16
"""Requests at a time: strangers must not keep the daemon from those it is there for."""


class KnowledgeTransport:
    """Streamable HTTP without sessions, answered as JSON."""

    def __init__(self, service: ToolsApi, scope: Publication, max_body_bytes: int) -> None:
        self._service = service
        self._tools = knowledge_tools(scope)
        self._max_body_bytes = max_body_bytes
        self._running = 0

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one POST; ends early when the peer goes away."""
        if self._running >= MAX_RUNNING:
            busy = error_json("busy", "too many requests are being answered; try again")
            await JSONResponse(busy, 503, {"Retry-After": "1"})(scope, receive, send)
            return
        self._running += 1
        try:
            await _while_wanted(self._answer, scope, receive, send)
        finally:
            self._running -= 1

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        server = server_of(
            KNOWLEDGE_TITLE, KNOWLEDGE_INSTRUCTIONS, self._tools, self._service, handlers={}
        )
        manager = StreamableHTTPSessionManager(
            server,
            json_response=True,
            stateless=True,
            security_settings=SECURITY,
            max_request_body_size=self._max_body_bytes,
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)


async def _while_wanted(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Run an application, and cancel it when the peer is gone.

    The body has come in whole: what follows it can only be the disconnect.
    """
    body = [await receive()]

    async def once() -> Message:
        if body:
            return body.pop()
        await anyio.sleep_forever()
        raise AssertionError

    async with anyio.create_task_group() as tasks:

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(watch)
        await app(scope, once, send)
        tasks.cancel_scope.cancel()
