"""The MCP server over the SDK, and its transports; `handlers.py` has the rest of what it answers.

These two and `stateless.py` alone import the SDK. Two names it uses are semi-private
(`serve_dual_era_loop` and the manager's table of sessions), hence the pinned minor version.
"""

from __future__ import annotations

import logging
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import structlog
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_dual_era_loop
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool
from starlette.responses import Response

from paparatsd import __version__
from paparatsd.interfaces.mcp.handlers import prompt_handlers, resource_handlers
from paparatsd.interfaces.mcp.identity import (
    HANDSHAKE_VERSIONS,
    SERVER_NAME,
    instructions_of,
)
from paparatsd.interfaces.mcp.scope import scoped
from paparatsd.interfaces.mcp.toolbox import Toolbox
from paparatsd.interfaces.mcp.toolsets import PROMPTS, RESOURCES, TOOLS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from mcp.server.context import ServerRequestContext
    from mcp_types import PaginatedRequestParams
    from starlette.types import Receive, Scope, Send

    from paparatsd.interfaces.mcp.identity import ToolsetIdentity
    from paparatsd.interfaces.mcp.reply import AnyTool, ToolsApi
    from paparatsd.interfaces.mcp.schemas import ToolSpec

log = structlog.get_logger()

MAX_SESSIONS = 64
IDLE_S = 1_800.0
_SESSION_ID = re.compile(rb"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# Host and origin are checked by guard.py, exactly; the SDK's own check is a prefix match.
SECURITY = TransportSecuritySettings(enable_dns_rebinding_protection=False)


def _tool(spec: ToolSpec) -> ListedTool:
    reads = spec.effect == "read"
    annotations = ToolAnnotations(
        title=spec.title,
        read_only_hint=reads,
        # What deletes says nothing here: of what writes, destruction is assumed.
        destructive_hint=False if spec.effect in ("add", "append") else None,
        idempotent_hint=True if spec.effect in ("add", "delete") else None,
        open_world_hint=False,
    )
    return ListedTool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        input_schema=spec.input_schema,
        output_schema=spec.output_schema,
        annotations=annotations,
    )


def build_server(
    toolset: ToolsetIdentity, service: ToolsApi, allowed_projects: Sequence[str]
) -> Server[Any]:
    """Return the MCP server of a toolset."""
    reachable = scoped(service, allowed_projects)
    return server_of(
        toolset.title,
        instructions_of(toolset, allowed_projects),
        TOOLS[toolset.name],
        reachable,
        handlers={
            **prompt_handlers(PROMPTS.get(toolset.name, ())),
            **resource_handlers(RESOURCES.get(toolset.name, ()), reachable),
        },
    )


def server_of(
    title: str,
    instructions: str,
    offered: Sequence[AnyTool],
    service: ToolsApi,
    *,
    handlers: Mapping[str, Any],
) -> Server[Any]:
    """Return a server with these tools over a service; `handlers` are those of all else."""
    specs = [tool.spec for tool in offered]
    tools = Toolbox(service, offered)
    listing = ListToolsResult(tools=[_tool(spec) for spec in specs])
    inputs = {spec.name: spec.input_schema for spec in specs}

    async def list_tools(
        _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return listing

    async def call_tool(
        context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult:
        async def report(progress: float, message: str, total: float | None = None) -> None:
            await context.session.report_progress(progress, total, message)

        if params.name not in inputs:
            raise MCPError(INVALID_PARAMS, f"there is no tool {params.name[:80]!r}")
        listens = "progress_token" in (context.meta or {})
        reply = await tools.call(params.name, params.arguments or {}, report, listens=listens)
        return CallToolResult(
            content=[TextContent(text=reply.text)],
            structured_content=reply.structured,
            is_error=reply.is_error,
        )

    server: Server[Any] = Server(
        SERVER_NAME,
        version=__version__,
        title=title,
        instructions=instructions,
        get_tool_input_schema=inputs.get,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **handlers,
    )
    server.middleware.clear()  # the SDK's tracing hook; nothing here listens to it
    return server


class Transport:
    """One toolset over HTTP.

    Streamable HTTP with sessions, without them where a session is lost or too many, and SSE.
    """

    def __init__(
        self,
        toolset: ToolsetIdentity,
        service: ToolsApi,
        allowed_projects: Sequence[str],
        max_body_bytes: int,
    ) -> None:
        for name in ("mcp", "sse_starlette"):
            # Below this they log session ids and whole answers, which are repository content.
            logging.getLogger(name).setLevel(logging.ERROR)
        self._server = build_server(toolset, service, allowed_projects)
        self._stateful = StreamableHTTPSessionManager(
            self._server,
            security_settings=SECURITY,
            session_idle_timeout=IDLE_S,
            max_request_body_size=max_body_bytes,
            max_sessions=None,  # we count: past our cap a client is served without a session
        )
        self._stateless = StreamableHTTPSessionManager(
            self._server,
            security_settings=SECURITY,
            stateless=True,
            max_request_body_size=max_body_bytes,
        )
        self._sse = SseServerTransport(
            toolset.messages, security_settings=SECURITY, max_request_body_size=max_body_bytes
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Run both session managers."""
        async with self._stateful.run(), self._stateless.run():
            yield

    def holds(self, session: bytes) -> bool:
        """Say whether a session of this name is open here."""
        return session.decode("latin-1") in self._stateful._server_instances

    async def serve(self, kind: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request: kind is mcp, bridge, sse or messages."""
        if kind == "sse":
            await self._serve_sse(scope, receive, send)
        elif kind == "messages":
            await self._sse.handle_post_message(scope, receive, send)
        elif kind == "mcp" and self._needs_no_session(scope):
            if scope["method"] == "POST":
                await self._stateless.handle_request(scope, receive, send)
            else:
                await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
        else:
            await self._stateful.handle_request(scope, receive, send)

    def _needs_no_session(self, scope: Scope) -> bool:
        """Say whether to serve without a session.

        So a client survives our restart and the end of its idle session, and the sixty-fifth
        client works too. No tool keeps anything in a session.
        """
        headers = dict(scope["headers"])
        session = headers.get(b"mcp-session-id")
        sessions = self._stateful._server_instances
        if session is None:
            version = headers.get(b"mcp-protocol-version", b"").decode("latin-1")
            return version in HANDSHAKE_VERSIONS or len(sessions) >= MAX_SESSIONS
        known = session.decode("latin-1") in sessions
        ending = scope["method"] == "DELETE"
        return not known and not ending and _SESSION_ID.fullmatch(session) is not None

    async def _serve_sse(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._sse.connect_sse(scope, receive, send) as (reader, writer):
            await serve_dual_era_loop(
                self._server,
                reader,
                writer,
                lifespan_state={},
                init_options=self._server.create_initialization_options(),
            )
