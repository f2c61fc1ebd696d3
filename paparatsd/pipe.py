"""The daemon's end of a child's socket: frames out, frames in as they arrive.

A reply wakes whoever waits for it directly, without a reading task in between.
"""

from __future__ import annotations

import asyncio
import pickle
from typing import TYPE_CHECKING, Any, cast

from paparatsd import ipc

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    Deliver = Callable[[int, int, Any], None]


class FramePipe(asyncio.Protocol):
    """One connection. `closed` is done once it is over, with the error that ended it if any did."""

    def __init__(self, deliver: Deliver) -> None:
        """`deliver` gets request id, kind and body of each frame."""
        loop = asyncio.get_running_loop()
        self._deliver = deliver
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self._writable: asyncio.Future[None] | None = None
        self.closed: asyncio.Future[Exception | None] = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note where to write."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Deliver the frames that are complete now; one that nobody can read ends it all."""
        self._buffer += data
        try:
            self._split()
        except Exception as error:  # noqa: BLE001 - the border: it costs the child, not the daemon
            self._end(error)
            self.close()

    def _split(self) -> None:
        buffer, start = self._buffer, 0
        while len(buffer) - start >= ipc.HEADER.size:
            request_id, kind, length = ipc.HEADER.unpack_from(buffer, start)
            body = start + ipc.HEADER.size
            if len(buffer) < body + length:
                break
            start = body + length
            with memoryview(buffer) as whole, whole[body:start] as part:
                value = pickle.loads(part)
            self._deliver(request_id, kind, value)
        del buffer[:start]

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell everybody who waits."""
        self.resume_writing()
        self._end(None)

    def _end(self, error: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(error)

    def pause_writing(self) -> None:
        """Have writers wait: the child does not read."""
        self._writable = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        """Let writers go on."""
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)
        self._writable = None

    def write(self, frame: bytes) -> None:
        """Send a frame, later if it must be."""
        if self._transport is not None:
            self._transport.write(frame)

    async def drain(self) -> None:
        """Wait while the child does not read what it was sent."""
        if self._writable is not None:
            await asyncio.shield(self._writable)

    def close(self) -> None:
        """End the connection once all is sent."""
        if self._transport is not None:
            self._transport.close()


async def open_pipe(sock: socket.socket, deliver: Deliver) -> FramePipe:
    """Return the pipe over a connected socket."""
    loop = asyncio.get_running_loop()
    _, pipe = await loop.create_connection(lambda: FramePipe(deliver), sock=sock)
    return pipe
