"""A small HTTP client over a Unix socket for asyncio; one request a connection.

For the stdio bridge, which must answer before a full client library would have been imported.
"""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadReply, Refused, Unavailable
from paparatsd.interfaces.peer import peer_uid

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

LIMIT_BYTES = 64 << 20
SILENCE_S = 60.0
"""The server pings open streams every 15 s; four missed pings mean it hangs."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The head of a response."""

    status: int
    headers: Mapping[str, str]

    @property
    def is_stream(self) -> bool:
        """Whether the body is a stream of server-sent events."""
        return self.headers.get("content-type", "").startswith("text/event-stream")


class UnixRequest:
    """One request under way; use as a context manager, leaving it closes the connection."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._chunked = False
        self._length = 0

    async def __aenter__(self) -> UnixRequest:
        """Connect. Raises OSError when nobody listens, Refused when somebody else does."""
        self._reader, self._writer = await asyncio.open_unix_connection(
            self._path, limit=LIMIT_BYTES
        )
        owner = peer_uid(self._writer.get_extra_info("socket"))
        if owner is not None and owner != os.geteuid():
            self._writer.transport.abort()
            raise Refused(f"{self._path} is served by another user (uid {owner})")
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """Close the connection, whatever is still under way on it."""
        if self._writer is not None:
            self._writer.transport.abort()

    async def send(
        self, method: str, target: str, headers: Mapping[str, str], message: object = None
    ) -> Reply:
        """Send a request with a JSON body (None: without) and return the head of the response."""
        if self._writer is None or self._reader is None:
            raise Unavailable("the connection is not open")
        data = b"" if message is None else json.dumps(message).encode()
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        lines += ["Content-Type: application/json", f"Content-Length: {len(data)}", "", ""]
        self._writer.write("\r\n".join(lines).encode("ascii") + data)
        await self._writer.drain()
        async with asyncio.timeout(SILENCE_S):
            head = await self._reader.readuntil(b"\r\n\r\n")
        reply = _parse_head(head)
        self._chunked = "chunked" in reply.headers.get("transfer-encoding", "")
        self._length = int(reply.headers.get("content-length", "0"))
        return reply

    async def _pieces(self) -> AsyncIterator[bytes]:
        if self._reader is None:
            return
        if not self._chunked:
            yield await self._reader.readexactly(self._length)
            return
        while True:
            async with asyncio.timeout(SILENCE_S):
                size = int((await self._reader.readuntil(b"\r\n")).split(b";")[0], 16)
                piece = await self._reader.readexactly(size + 2)
            if size == 0:
                return
            yield piece[:-2]

    async def body(self) -> bytes:
        """Return the whole body."""
        return b"".join([piece async for piece in self._pieces()])

    async def events(self) -> AsyncIterator[str]:
        """Yield the data of each server-sent event."""
        pending = b""
        data: list[str] = []
        async for piece in self._pieces():
            *lines, pending = (pending + piece).split(b"\n")
            for raw in lines:
                line = raw.rstrip(b"\r").decode("utf-8", "replace")
                if line.startswith("data:"):
                    data.append(line[5:].removeprefix(" "))
                elif not line and data:
                    yield "\n".join(data)
                    data.clear()


def _parse_head(head: bytes) -> Reply:
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    words = first.split(" ")
    if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
        raise BadReply("what answers at the control socket does not speak HTTP")
    pairs = [line.partition(":") for line in lines]
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return Reply(int(words[1]), headers)


def json_object(data: bytes | str) -> dict[str, Any] | None:
    """Return the JSON object in the data, or None when it holds something else."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
