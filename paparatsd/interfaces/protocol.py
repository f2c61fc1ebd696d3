"""HTTP/1.1 on one connection, with a deadline on everything a peer can delay.

Head, body and reading our answer each have a deadline of their own, so that a silent or slow
peer costs one descriptor for seconds, not for ever. h11 parses; framing.py is stricter before it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote_to_bytes

import h11
import structlog

from paparatsd.interfaces.exchange import Exchange
from paparatsd.interfaces.framing import END, Fault, HeadLimits, find_fault
from paparatsd.interfaces.shapes import error_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

    from paparatsd.interfaces.connections import Connections

log = structlog.get_logger()

LINGER_S = 1.0
"""How long a refused peer may go on sending, so that it gets to read the refusal."""
READ_AHEAD_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds a peer has; `idle_s` is between two requests of one connection."""

    header_s: float = 5.0
    body_s: float = 10.0
    write_s: float = 30.0
    idle_s: float = 75.0


@dataclass(frozen=True, slots=True)
class Listener:
    """What all connections of one listening socket share.

    `is_welcome` looks at a just accepted socket and says whether it may talk to us.
    """

    app: ASGIApp
    deadlines: Deadlines
    limits: HeadLimits
    connections: Connections
    tasks: set[asyncio.Task[None]]
    is_welcome: Callable[[socket.socket], bool]


class HttpConnection(asyncio.Protocol):
    """One connection: reads heads, runs one exchange at a time, closes in time."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._head = bytearray()
        self._parser: h11.Connection | None = None
        self._exchange: Exchange | None = None
        self._between_requests = False
        self._lingering = False
        self._stopping = False

    @property
    def idle(self) -> bool:
        """Whether no request is under way."""
        return self._exchange is None and not self._head

    @property
    def streaming(self) -> bool:
        """Whether the exchange is an open-ended stream that only the peer or we will end."""
        return self._exchange is not None and self._exchange.streaming

    # ------------------------------------------------------------------ what asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Check the peer before a byte is read, then wait for its first request."""
        self._transport = cast("asyncio.Transport", transport)
        sock = cast("socket.socket", transport.get_extra_info("socket"))
        if not self._listener.is_welcome(sock):
            self._transport.abort()
            return
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            # Without it a reply in two writes waits 40 ms for the peer's delayed ACK.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._listener.connections.opened(self)
        self._arm(self._listener.deadlines.header_s)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever works for this peer that it is gone."""
        self._listener.connections.closed(self)
        self._disarm()
        if self._write_timer is not None:
            self._write_timer.cancel()
        if self._exchange is not None:
            self._exchange.disconnect()

    def data_received(self, data: bytes) -> None:
        """Take bytes in."""
        if self._lingering or self._transport is None or self._transport.is_closing():
            return
        if self._exchange is None:
            self._head += data
            self._read_head()
            return
        parser = self._parser
        if parser is None or self._exchange.received:
            self._read_ahead(data)
            return
        parser.receive_data(data)
        self._read_body(self._exchange, parser)

    def eof_received(self) -> bool:
        """Let the transport close: half-closed peers are not waited for."""
        return False

    def pause_writing(self) -> None:
        """Give the peer a deadline to read what we wrote."""
        if self._exchange is not None:
            self._exchange.pause()
        if self._write_timer is None:
            self._write_timer = self._loop.call_later(
                self._listener.deadlines.write_s, self._abort, "write_deadline"
            )

    def resume_writing(self) -> None:
        """Go on: the peer reads."""
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None
        if self._exchange is not None:
            self._exchange.resume()

    # ------------------------------------------------------------------ reading

    def _read_ahead(self, data: bytes) -> None:
        """Keep the beginning of a pipelined request until the present one is answered."""
        self._head += data
        if len(self._head) > READ_AHEAD_BYTES and self._transport is not None:
            self._transport.pause_reading()

    def _read_head(self) -> None:
        if self._head.startswith(b"\r\n"):
            del self._head[:2]
        fault = find_fault(bytes(self._head[: READ_AHEAD_BYTES + 1]), self._listener.limits)
        if fault is not None:
            self._refuse(fault)
            return
        if END not in self._head:
            if self._between_requests and self._head:
                self._between_requests = False
                self._arm(self._listener.deadlines.header_s)
            return
        self._between_requests = False
        self._disarm()
        parser = h11.Connection(
            h11.SERVER, max_incomplete_event_size=self._listener.limits.max_head_bytes + 1024
        )
        parser.receive_data(bytes(self._head))
        self._head.clear()
        try:
            event = parser.next_event()
            if not isinstance(event, h11.Request):
                raise h11.RemoteProtocolError("no request")  # noqa: TRY301 - same answer
            if event.http_version not in (b"1.0", b"1.1"):
                raise h11.RemoteProtocolError("version", 505)  # noqa: TRY301 - same answer
            self._begin(event, parser)
        except (h11.RemoteProtocolError, UnicodeDecodeError) as error:
            status = getattr(error, "error_status_hint", 400)
            self._refuse(Fault(status, "bad_http", "the request is not valid HTTP"))

    def _begin(self, request: h11.Request, parser: h11.Connection) -> None:
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        scope = self._scope(request, transport)
        exchange = Exchange(scope, parser, transport, self._on_answered)
        self._parser, self._exchange = parser, exchange
        task = self._loop.create_task(exchange.run(self._listener.app), name="http-request")
        self._listener.tasks.add(task)
        task.add_done_callback(self._listener.tasks.discard)
        self._arm(self._listener.deadlines.body_s)
        self._read_body(exchange, parser)

    def _scope(self, request: h11.Request, transport: asyncio.Transport) -> dict[str, Any]:
        raw_path, _, query = request.target.partition(b"?")
        peer = transport.get_extra_info("peername")
        name = transport.get_extra_info("sockname")
        return {
            "type": "http",
            # 2.3: who streams must watch for the disconnect; 2.4 would have send() raise.
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": request.http_version.decode("ascii"),
            "method": request.method.decode("ascii"),
            "scheme": "http",
            "path": unquote_to_bytes(raw_path).decode("utf-8", "replace"),
            "raw_path": raw_path,
            "query_string": query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers],
            "client": tuple(peer[:2]) if isinstance(peer, tuple) else None,
            "server": tuple(name[:2]) if isinstance(name, tuple) else None,
            "state": {"connection": self},
        }

    def _read_body(self, exchange: Exchange, parser: h11.Connection) -> None:
        try:
            while True:
                event = parser.next_event()
                if isinstance(event, h11.Data):
                    exchange.feed(bytes(event.data))
                elif isinstance(event, h11.EndOfMessage):
                    self._disarm()
                    exchange.finish()
                    self._head += parser.trailing_data[0]
                    return
                else:
                    return
        except h11.RemoteProtocolError:
            self._fail(exchange, Fault(400, "bad_http", "the request body is not valid HTTP"))

    def admit(self) -> bool:
        """Count this connection as established; False when there is no room."""
        return self._listener.connections.admit(self)

    # ------------------------------------------------------------------ answering and closing

    def _on_answered(self, exchange: Exchange) -> None:
        """Go on with the next request, or close."""
        self._disarm()
        self._exchange, parser, self._parser = None, self._parser, None
        if self._transport is None or self._transport.is_closing():
            return
        if not exchange.received:
            self._linger()
            return
        if self._stopping or parser is None or parser.our_state is not h11.DONE:
            self._close()
            return
        self._transport.resume_reading()
        deadlines = self._listener.deadlines
        self._between_requests = not self._head
        self._arm(deadlines.idle_s if self._between_requests else deadlines.header_s)
        if self._head:
            self._read_head()

    def _refuse(self, fault: Fault) -> None:
        """Answer a request that never became an exchange, then close."""
        body = json.dumps(error_json(fault.code, fault.message)).encode()
        head = (
            f"HTTP/1.1 {fault.status} Refused\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(head.encode("ascii") + body)
        self._linger()

    def _fail(self, exchange: Exchange, fault: Fault) -> None:
        """End an exchange whose request never became complete; no handler has seen it."""
        exchange.disconnect()
        if exchange.started:
            self._close()
        else:
            self._refuse(fault)

    def _linger(self) -> None:
        """Close our side and discard for a moment what still comes in.

        Closing with unread input resets the connection, and the peer would lose our answer.
        """
        if self._transport is None or self._transport.is_closing():
            return
        self._lingering = True
        with contextlib.suppress(OSError, RuntimeError):
            if self._transport.can_write_eof():
                self._transport.write_eof()
        self._transport.resume_reading()
        self._disarm()
        self._timer = self._loop.call_later(LINGER_S, self._abort, "linger")

    def _close(self) -> None:
        """Close once what we wrote is sent, at the write deadline in any case."""
        if self._transport is None or self._transport.is_closing():
            return
        self._transport.close()
        if self._transport.get_write_buffer_size() and self._write_timer is None:
            self._write_timer = self._loop.call_later(
                self._listener.deadlines.write_s, self._abort, "write_deadline"
            )

    def _abort(self, reason: str) -> None:
        if self._transport is not None:
            log.debug("connection_aborted", reason=reason)
            self._transport.abort()

    def drop(self) -> None:
        """Close at once: there are too many connections, or the daemon ends."""
        self._abort("dropped")

    def stop(self) -> None:
        """Close as soon as nothing is under way."""
        self._stopping = True
        if self._exchange is None:
            self._close()

    def end_stream(self) -> None:
        """Tell a stream that its peer is gone."""
        if self._exchange is not None:
            self._exchange.disconnect()
            self._close()

    # ------------------------------------------------------------------ deadlines

    def _arm(self, seconds: float) -> None:
        self._disarm()
        self._timer = self._loop.call_later(seconds, self._on_deadline)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_deadline(self) -> None:
        self._timer = None
        fault = Fault(408, "timeout", "the request did not arrive in time")
        if self._exchange is not None:
            self._fail(self._exchange, fault)
        elif self._head:
            self._refuse(fault)
        else:
            self._close()
