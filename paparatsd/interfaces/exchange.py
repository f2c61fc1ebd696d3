"""One request and its response, between the ASGI application and the connection."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import h11
import structlog

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message

log = structlog.get_logger()

HIGH_WATER_BYTES = 64 << 10
_REASONS = {status.value: status.phrase.encode("ascii") for status in HTTPStatus}
_STREAM_TYPES = (b"text/event-stream", b"application/x-ndjson")


class Exchange:
    """Buffers the request body for the application and frames what it sends."""

    def __init__(
        self,
        scope: dict[str, Any],
        parser: h11.Connection,
        transport: asyncio.Transport,
        on_answered: Callable[[Exchange], None],
    ) -> None:
        self._scope = scope
        self._parser = parser
        self._transport = transport
        self._on_answered = on_answered
        self._body = bytearray()
        self._delivered = False
        self._wake = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._reading_paused = False
        self._continue = parser.they_are_waiting_for_100_continue
        self._media_type = b""
        self.received = False
        """The whole request has come in."""
        self.started = False
        """The head of the response is written."""
        self.complete = False
        """The response is written."""
        self.disconnected = False

    @property
    def streaming(self) -> bool:
        """Whether this is the answer to a GET that ends only when somebody ends it."""
        media_type = self._media_type.partition(b";")[0]
        return self.started and self._scope["method"] == "GET" and media_type in _STREAM_TYPES

    # ------------------------------------------------------------------ from the connection

    def _change(self) -> None:
        self._wake.set()
        self._wake = asyncio.Event()

    def feed(self, data: bytes) -> None:
        """Take a piece of the body; more than the application reads waits in the socket."""
        self._body += data
        if len(self._body) > HIGH_WATER_BYTES and not self._reading_paused:
            self._reading_paused = True
            self._transport.pause_reading()
        self._change()

    def finish(self) -> None:
        """Note that the request is complete."""
        self.received = True
        self._change()

    def disconnect(self) -> None:
        """Note that the peer is gone."""
        self.disconnected = True
        self._writable.set()
        self._change()

    def pause(self) -> None:
        """Hold back the application: the peer does not read."""
        self._writable.clear()

    def resume(self) -> None:
        """Let the application write again."""
        self._writable.set()

    # ------------------------------------------------------------------ for the application

    async def run(self, app: ASGIApp) -> None:
        """Run the application; whatever it raises becomes a 500 and a line in the log."""
        try:
            await app(self._scope, self.receive, self.send)
        except Exception:  # the border between our code and the socket
            log.exception("request_failed", method=self._scope["method"], path=self._scope["path"])
            await self._abandon()
        except asyncio.CancelledError:
            self._transport.abort()
            raise
        else:
            if not self.complete and not self.disconnected:
                log.error("request_unanswered", path=self._scope["path"])
                await self._abandon()

    async def _abandon(self) -> None:
        if self.disconnected or self.complete:
            return
        if self.started:
            self._transport.abort()
            return
        body = b'{"error": {"code": "internal", "message": "internal error"}}'
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        await self.send({"type": "http.response.start", "status": 500, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    async def receive(self) -> Message:
        """ASGI receive: pieces of the body, then the disconnect when it comes."""
        if self._continue and not self.disconnected and not self.started:
            self._continue = False
            self._write(h11.InformationalResponse(status_code=100, headers=[]))
        while True:
            if self.disconnected or self.complete:
                return {"type": "http.disconnect"}
            if self._body or (self.received and not self._delivered):
                return self._take()
            await self._wake.wait()

    def _take(self) -> Message:
        body = bytes(self._body)
        self._body.clear()
        if self._reading_paused:
            self._reading_paused = False
            self._transport.resume_reading()
        self._delivered = self.received
        return {"type": "http.request", "body": body, "more_body": not self.received}

    async def send(self, message: Message) -> None:
        """ASGI send: waits while the peer does not read, drops what nobody will read."""
        await self._writable.wait()
        if self.disconnected or self.complete or self._transport.is_closing():
            return
        if message["type"] == "http.response.start":
            self._start(message["status"], list(message.get("headers", ())))
        elif message["type"] == "http.response.body":
            self._send_body(message.get("body", b""), more=message.get("more_body", False))

    def _start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        self.started = True
        self._continue = False
        self._media_type = next((v for name, v in headers if name.lower() == b"content-type"), b"")
        reason = _REASONS.get(status, b"")
        self._write(h11.Response(status_code=status, headers=headers, reason=reason))

    def _send_body(self, body: bytes, *, more: bool) -> None:
        if body and self._scope["method"] != "HEAD":
            self._write(h11.Data(data=body))
        if more:
            return
        self._write(h11.EndOfMessage())
        self.complete = True
        self._change()
        self._on_answered(self)

    def _write(self, event: h11.Event) -> None:
        data = self._parser.send(event)
        if data:
            self._transport.write(data)
