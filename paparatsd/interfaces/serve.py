"""Both listeners, from binding to the last answer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import anyio
import structlog

from paparatsd.interfaces.app import agents_app, owner_app
from paparatsd.interfaces.connections import Connections
from paparatsd.interfaces.framing import Fault, HeadLimits
from paparatsd.interfaces.guard import ByPath, Guard, RefusalLog, Rules, loopback_hosts
from paparatsd.interfaces.listen import BACKLOG, Sockets, open_sockets
from paparatsd.interfaces.mcp.endpoints import KNOWLEDGE_BODY_BYTES, McpEndpoints
from paparatsd.interfaces.mcp.identity import KNOWLEDGE_PATH
from paparatsd.interfaces.peer import peer_uid
from paparatsd.interfaces.protocol import Deadlines, HttpConnection, Listener

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from starlette.types import ASGIApp

    from paparatsd.interfaces.api import ServiceApi
    from paparatsd.publication import Publication
    from paparatsd.settings import HttpSettings

log = structlog.get_logger()

DRAIN_S = 2.0
"""How long answers under way may take when the daemon stops; then they are cut."""
CUT_S = 0.5
ACCEPT_BATCH = 8
"""Connections taken per turn of the loop: a burst of good clients must get to speak before more
are let in, or they would push each other out of the half-open places."""


@dataclass(frozen=True, slots=True)
class BoundAddresses:
    """Where we listen: `http` is a URL, `control` the path of the Unix socket."""

    http: str
    port: int
    control: str


async def serve_interfaces(  # noqa: PLR0913 - the daemon wires everything here
    service: ServiceApi,
    settings: HttpSettings,
    control_path: Path,
    expected_uid: int,
    inherited: Sequence[socket.socket],
    ready: Callable[[BoundAddresses], None],
    stop: anyio.Event,
    *,
    allowed_projects: Sequence[str] = (),
    knowledge: Publication | None = None,
) -> None:
    """Serve agents and the owner until `stop` is set, then drain and return within 3 s.

    `ready` is called once both listeners accept. Sockets that are not among the inherited ones
    are bound here. `allowed_projects` limits what agents see; empty means all. `knowledge` is what
    the knowledge endpoint tells; without one there is none. Raises Busy when the port or the
    control socket is taken, BadSettings when they cannot be what was asked for.
    """
    sockets = open_sockets(settings.host, settings.port, control_path, inherited)
    try:
        mcp = McpEndpoints(
            service,
            allowed_projects,
            max_body_bytes=settings.max_body_bytes,
            knowledge=knowledge,
        )
        tcp = _tcp_listener(service, settings, mcp, sockets.port, knowledge, allowed_projects)
        unix = _unix_listener(service, settings, mcp, expected_uid)
        async with mcp.run():
            servers = await _start(sockets, tcp, unix)
            try:
                ready(_addresses(sockets))
                await stop.wait()
            finally:
                with anyio.CancelScope(shield=True):
                    await _drain(servers, (tcp, unix))
    finally:
        sockets.close()


OWNER_CONNECTIONS = 2_048
"""Of the owner, whom the kernel has vouched for: no flood of strangers has to be feared."""


def _listener(
    app: ASGIApp,
    settings: HttpSettings,
    connections: Connections,
    is_welcome: Callable[[socket.socket], bool],
) -> Listener:
    return Listener(
        app=app,
        deadlines=Deadlines(
            header_s=settings.header_deadline_s,
            body_s=settings.body_deadline_s,
            write_s=settings.write_deadline_s,
        ),
        limits=HeadLimits(),
        connections=connections,
        tasks=set(),
        is_welcome=is_welcome,
    )


def _tcp_listener(
    service: ServiceApi,
    settings: HttpSettings,
    mcp: McpEndpoints,
    port: int,
    knowledge: Publication | None,
    allowed_projects: Sequence[str],
) -> Listener:
    rules = Rules(
        hosts=loopback_hosts(port),
        origins=frozenset(origin.encode("utf-8") for origin in settings.allowed_origins),
        tokens=None if settings.token is None else (settings.token,),
        max_body_bytes=settings.max_body_bytes,
    )
    own = agents_app(
        service, mcp.agent_routes(), allowed_projects, has_token=settings.token is not None
    )
    app: ASGIApp = Guard(own, rules, RefusalLog("tcp"))
    if knowledge is not None:
        # Its tokens open this path and no other; the listener's own token does not open it.
        stricter = replace(
            rules,
            tokens=knowledge.tokens,
            max_body_bytes=min(KNOWLEDGE_BODY_BYTES, settings.max_body_bytes),
            methods=frozenset({"POST"}),
        )
        strangers = Guard(mcp.serve_knowledge, stricter, RefusalLog("knowledge"))
        app = ByPath(app, {KNOWLEDGE_PATH: strangers})
    connections = Connections(settings.max_half_open, settings.max_connections)
    return _listener(app, settings, connections, lambda _sock: True)


def _unix_listener(
    service: ServiceApi, settings: HttpSettings, mcp: McpEndpoints, expected_uid: int
) -> Listener:
    refusals = RefusalLog("unix")

    def is_expected(sock: socket.socket) -> bool:
        try:
            uid = peer_uid(sock)
        except OSError:
            uid = -1
        if uid is None or uid == expected_uid:
            return True
        refusals.add(Fault(403, "foreign_user", f"uid {uid} may not use the control socket"))
        return False

    rules = Rules(max_body_bytes=settings.max_body_bytes)
    app = Guard(owner_app(service, mcp.bridge_routes()), rules, refusals)
    connections = Connections(OWNER_CONNECTIONS, OWNER_CONNECTIONS)
    return _listener(app, settings, connections, is_expected)


async def _start(sockets: Sockets, tcp: Listener, unix: Listener) -> list[asyncio.Server]:
    loop = asyncio.get_running_loop()
    servers: list[asyncio.Server] = []
    for listener, group in ((tcp, sockets.tcp), (unix, sockets.unix)):
        for sock in group:
            sock.setblocking(False)
            factory = partial(HttpConnection, listener)
            servers.append(await loop.create_server(factory, sock=sock, backlog=ACCEPT_BATCH))
            # asyncio takes one number for both; the kernel's queue has to be the longer one.
            sock.listen(BACKLOG)
    return servers


def _addresses(sockets: Sockets) -> BoundAddresses:
    host = str(sockets.tcp[0].getsockname()[0])
    shown = f"[{host}]" if ":" in host else host
    return BoundAddresses(
        http=f"http://{shown}:{sockets.port}",
        port=sockets.port,
        control=str(sockets.unix[0].getsockname()),
    )


async def _drain(servers: list[asyncio.Server], listeners: tuple[Listener, ...]) -> None:
    """Stop accepting, let answers finish, end streams at once, cut what is left."""
    for server in servers:
        server.close()
    connections = [one for listener in listeners for one in listener.connections.all()]
    for connection in connections:
        if isinstance(connection, HttpConnection):
            connection.stop()
            if connection.streaming:
                connection.end_stream()
    tasks = {task for listener in listeners for task in listener.tasks}
    if tasks:
        _, tasks = await asyncio.wait(tasks, timeout=DRAIN_S)
    for task in tasks:
        task.cancel()
    if tasks:
        log.warning("requests_cut", number=len(tasks))
        await asyncio.wait(tasks, timeout=CUT_S)
    for connection in connections:
        connection.drop()
