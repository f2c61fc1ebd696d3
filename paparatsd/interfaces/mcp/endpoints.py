"""The MCP routes, with the SDK loaded behind: its import takes half a second.

The listeners accept at once; a request that comes while the SDK loads waits for it.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from paparatsd.interfaces.mcp.identity import IDENTITIES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from starlette.types import Receive, Scope, Send

    from paparatsd.interfaces.api import ServiceApi
    from paparatsd.interfaces.mcp.identity import ToolsetIdentity
    from paparatsd.interfaces.mcp.stateless import KnowledgeTransport
    from paparatsd.interfaces.mcp.transport import Transport
    from paparatsd.publication import Publication

SERVER_ERROR = -32_000
KNOWLEDGE_BODY_BYTES = 64 << 10
"""A question is short; a stranger's request is no place for more."""


class _Endpoint:
    """One path; an object, since Starlette takes a plain function for a request handler."""

    def __init__(
        self,
        endpoints: McpEndpoints,
        toolset: ToolsetIdentity,
        kind: str,
        methods: tuple[str, ...],
    ) -> None:
        self._endpoints = endpoints
        self._toolset = toolset
        self._kind = kind
        self._methods = methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request to the SDK."""
        if scope["method"] not in self._methods:
            allow = {"Allow": ", ".join(self._methods)}
            await Response(status_code=405, headers=allow)(scope, receive, send)
            return
        transports = await self._endpoints.loaded()
        session = dict(scope["headers"]).get(b"mcp-session-id")
        for name, other in transports.items():
            if session is not None and name != self._toolset.name and other.holds(session):
                await _foreign_session(self._toolset, IDENTITIES[name])(scope, receive, send)
                return
        await transports[self._toolset.name].serve(self._kind, scope, receive, send)


def _foreign_session(here: ToolsetIdentity, there: ToolsetIdentity) -> Response:
    message = (
        f"this session belongs to the toolset {there.name} at {there.endpoint}; "
        f"{here.endpoint} serves {here.name}: open a session of its own there"
    )
    error = {"code": SERVER_ERROR, "message": message}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, 400)


class McpEndpoints:
    """Routes of every toolset now, the servers behind them as soon as they are loaded.

    `knowledge` is what strangers may be told, None when there is no endpoint for them.
    """

    def __init__(
        self,
        service: ServiceApi,
        allowed_projects: Sequence[str],
        *,
        max_body_bytes: int,
        knowledge: Publication | None = None,
    ) -> None:
        self._service = service
        self._allowed_projects = tuple(allowed_projects)
        self._max_body_bytes = max_body_bytes
        self._publication = knowledge
        self._loaded = anyio.Event()
        self._transports: Mapping[str, Transport] | None = None
        self._knowledge: KnowledgeTransport | None = None

    async def loaded(self) -> Mapping[str, Transport]:
        """Return the transport of each toolset, waiting for them if need be."""
        await self._loaded.wait()
        if self._transports is None:
            raise RuntimeError("the MCP server has ended")
        return self._transports

    def agent_routes(self) -> list[Route]:
        """Return the routes over TCP: Streamable HTTP and the legacy SSE pair of each toolset."""
        kinds = (("mcp", ("GET", "POST", "DELETE")), ("sse", ("GET",)), ("messages", ("POST",)))
        return [
            Route(f"{toolset.root}/{kind}", _Endpoint(self, toolset, kind, methods))
            for toolset in IDENTITIES.values()
            for kind, methods in kinds
        ]

    def bridge_routes(self) -> list[Route]:
        """Return the routes over the Unix socket. They say when a session is gone."""
        methods = ("GET", "POST", "DELETE")
        return [
            Route(toolset.endpoint, _Endpoint(self, toolset, "bridge", methods))
            for toolset in IDENTITIES.values()
        ]

    async def serve_knowledge(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request to the knowledge endpoint; an application of its own, under no route."""
        await self._loaded.wait()
        if self._knowledge is None:
            raise RuntimeError("the knowledge endpoint has ended, or was never there")
        await self._knowledge.serve(scope, receive, send)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Load and run the servers inside this context."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._serve)
            yield
            tasks.cancel_scope.cancel()

    async def _serve(self) -> None:
        build, build_knowledge = await anyio.to_thread.run_sync(_import_transports)
        limits = (self._allowed_projects, self._max_body_bytes)
        transports = {
            name: build(toolset, self._service, *limits) for name, toolset in IDENTITIES.items()
        }
        async with AsyncExitStack() as running:
            for transport in transports.values():
                await running.enter_async_context(transport.run())
            self._transports = transports
            if self._publication is not None:
                self._knowledge = build_knowledge(
                    self._service, self._publication, KNOWLEDGE_BODY_BYTES
                )
            self._loaded.set()
            try:
                await anyio.sleep_forever()
            finally:
                self._transports = self._knowledge = None


def _import_transports() -> tuple[type[Transport], type[KnowledgeTransport]]:
    from paparatsd.interfaces.mcp.stateless import KnowledgeTransport as ForStrangers
    from paparatsd.interfaces.mcp.transport import Transport as OfToolset

    return OfToolset, ForStrangers
