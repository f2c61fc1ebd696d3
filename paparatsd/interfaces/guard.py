"""Who may ask, before anything else runs: host, origin, token, size, in this order.

Stands in front of the application of a listener. A refusal is decided from the head alone, so
the body of a stranger is never read; a handler starts only when the whole body has arrived.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import structlog
from starlette.responses import JSONResponse

from paparatsd.interfaces.auth import token_matches
from paparatsd.interfaces.framing import Fault
from paparatsd.interfaces.shapes import error_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = structlog.get_logger()

METHODS = frozenset({"GET", "HEAD", "POST", "DELETE"})
LOG_EVERY_S = 10.0


class Admission(Protocol):
    """The connection a request came over."""

    def admit(self) -> bool:
        """Count as established; False when there is no room."""
        ...


@dataclass(frozen=True, slots=True)
class Rules:
    """What one application of a listener lets in.

    `hosts` None: not checked, the socket's owner is known. `tokens` None: none is asked for; an
    empty tuple lets nobody in.
    """

    hosts: frozenset[bytes] | None = None
    origins: frozenset[bytes] = frozenset()
    tokens: tuple[str, ...] | None = field(default=None, repr=False)
    max_body_bytes: int = 4 << 20
    methods: frozenset[str] = METHODS


def loopback_hosts(port: int) -> frozenset[bytes]:
    """Return the exact Host headers that name us; no pattern, a pattern has let strangers in."""
    names = ("127.0.0.1", "localhost", "[::1]")
    hosts = {f"{name}:{port}".encode("ascii") for name in names}
    if port == 80:
        hosts |= {name.encode("ascii") for name in names}
    return frozenset(hosts)


def find_refusal(scope: Scope, rules: Rules) -> Fault | None:
    """Decide from the head of a request whether it is refused, and why. Pure."""
    headers: Sequence[tuple[bytes, bytes]] = scope["headers"]
    if rules.hosts is not None:
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in rules.hosts:
            return Fault(421, "wrong_host", "this host name is not served here")
    for name, value in headers:
        if name == b"origin" and value not in rules.origins:
            return Fault(403, "wrong_origin", "web pages may not use this service")
    if rules.tokens is not None:
        sent = [value for name, value in headers if name == b"authorization"]
        if not token_matches(rules.tokens, sent):
            return Fault(401, "unauthorized", "a valid bearer token is required")
    if scope["method"] not in rules.methods:
        return Fault(405, "bad_method", "this method is not supported")
    if not scope["raw_path"].startswith(b"/"):
        return Fault(400, "bad_target", "the request target must be a path")
    return _find_oversize(headers, rules.max_body_bytes)


def _find_oversize(headers: Sequence[tuple[bytes, bytes]], max_bytes: int) -> Fault | None:
    lengths = [value for name, value in headers if name == b"content-length"]
    # More digits than any size has: int() would refuse them with an error of its own.
    if lengths and (len(lengths[0]) > 19 or int(lengths[0]) > max_bytes):
        return Fault(413, "too_large", f"the request body is over {max_bytes} bytes")
    return None


class RefusalLog:
    """One line per reason and interval: a flood of refusals must not become a flood of lines."""

    def __init__(self, listener: str) -> None:
        self._listener = listener
        self._next: dict[str, float] = {}
        self._silent: dict[str, int] = {}

    def add(self, fault: Fault) -> None:
        """Count a refusal and log it when it is time."""
        now = time.monotonic()
        if now < self._next.get(fault.code, 0.0):
            self._silent[fault.code] = self._silent.get(fault.code, 0) + 1
            return
        self._next[fault.code] = now + LOG_EVERY_S
        log.warning(
            "request_refused",
            listener=self._listener,
            reason=fault.code,
            detail=fault.message,
            unlogged_before=self._silent.pop(fault.code, 0),
        )


class Guard:
    """The first ASGI layer of a listener."""

    def __init__(self, app: ASGIApp, rules: Rules, refusals: RefusalLog) -> None:
        self._app = app
        self._rules = rules
        self._refusals = refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or read the body and pass the request on."""
        fault = find_refusal(scope, self._rules)
        connection: Admission = scope["state"]["connection"]
        if fault is None and not connection.admit():
            fault = Fault(503, "busy", "too many connections are busy; try again")
        if fault is not None:
            await self._refuse(fault, scope, receive, send)
            return
        body = await self._read_body(receive)
        if isinstance(body, Fault):
            await self._refuse(body, scope, receive, send)
        elif body is not None:
            await self._app(scope, _replay(body, receive), send)

    async def _read_body(self, receive: Receive) -> bytes | Fault | None:
        """Return the whole body, a fault when it is too long, or None when the peer left."""
        pieces: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            piece: bytes = message.get("body", b"")
            size += len(piece)
            if size > self._rules.max_body_bytes:
                limit = self._rules.max_body_bytes
                return Fault(413, "too_large", f"the request body is over {limit} bytes")
            pieces.append(piece)
            if not message.get("more_body", False):
                return b"".join(pieces)

    async def _refuse(self, fault: Fault, scope: Scope, receive: Receive, send: Send) -> None:
        self._refusals.add(fault)
        headers = {"Connection": "close"}
        if fault.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        if fault.status == 405:
            headers["Allow"] = ", ".join(sorted(self._rules.methods))
        response = JSONResponse(error_json(fault.code, fault.message), fault.status, headers)
        await response(scope, receive, send)


class ByPath:
    """Leads exact paths to guarded applications of their own, all else to the usual one.

    What such a path serves is in no other application, so that no way of writing the path comes
    to it past its own guard.
    """

    def __init__(self, usual: ASGIApp, own: Mapping[str, ASGIApp]) -> None:
        self._usual = usual
        self._own = own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        await self._own.get(scope["path"], self._usual)(scope, receive, send)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a receive that gives the body once more, then what follows."""
    messages: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
