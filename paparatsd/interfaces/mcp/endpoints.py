"""The MCP routes, with the SDK loaded behind: its import takes half a second.

The listeners accept at once; a request that comes while the SDK loads waits for it.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from starlette.responses import Response
from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from starlette.types import Receive, Scope, Send

    from paparatsd.interfaces.api import ServiceApi
    from paparatsd.interfaces.mcp.transport import Transport


class _Endpoint:
    """One path; an object, since Starlette takes a plain function for a request handler."""

    def __init__(self, endpoints: McpEndpoints, kind: str, methods: tuple[str, ...]) -> None:
        self._endpoints = endpoints
        self._kind = kind
        self._methods = methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request to the SDK."""
        if scope["method"] not in self._methods:
            allow = {"Allow": ", ".join(self._methods)}
            await Response(status_code=405, headers=allow)(scope, receive, send)
            return
        transport = await self._endpoints.loaded()
        await transport.serve(self._kind, scope, receive, send)


class McpEndpoints:
    """Routes now, the server behind them as soon as it is loaded."""

    def __init__(
        self, service: ServiceApi, allowed_projects: Sequence[str], *, max_body_bytes: int
    ) -> None:
        self._service = service
        self._allowed_projects = tuple(allowed_projects)
        self._max_body_bytes = max_body_bytes
        self._loaded = anyio.Event()
        self._transport: Transport | None = None

    async def loaded(self) -> Transport:
        """Return the transport, waiting for it if need be."""
        await self._loaded.wait()
        if self._transport is None:
            raise RuntimeError("the MCP server has ended")
        return self._transport

    def agent_routes(self) -> list[Route]:
        """Return the routes over TCP: Streamable HTTP and the legacy SSE pair."""
        return [
            Route("/mcp", _Endpoint(self, "mcp", ("GET", "POST", "DELETE"))),
            Route("/sse", _Endpoint(self, "sse", ("GET",))),
            Route("/messages", _Endpoint(self, "messages", ("POST",))),
        ]

    def bridge_routes(self) -> list[Route]:
        """Return the route over the Unix socket. It says when a session is gone."""
        return [Route("/mcp", _Endpoint(self, "bridge", ("GET", "POST", "DELETE")))]

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Load and run the server inside this context."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._serve)
            yield
            tasks.cancel_scope.cancel()

    async def _serve(self) -> None:
        build = await anyio.to_thread.run_sync(_import_transport)
        transport = build(self._service, self._allowed_projects, self._max_body_bytes)
        async with transport.run():
            self._transport = transport
            self._loaded.set()
            try:
                await anyio.sleep_forever()
            finally:
                self._transport = None


def _import_transport() -> type[Transport]:
    from paparatsd.interfaces.mcp.transport import Transport as Loaded

    return Loaded
