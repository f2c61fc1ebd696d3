"""A TCP proxy that misbehaves on demand: `async with FaultProxy.to(host, port) as proxy`.

Set `proxy.fault` at any time; it holds for connections made from then on (`delay_s` also for
those that are open). `proxy.connections` counts how often somebody connected.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

BLOCK = 65_536
DRIP_S = 1.0


class Mode(Enum):
    """What happens to a connection."""

    PASS = "pass"
    """Everything goes through."""
    REFUSE = "refuse"
    """Closed (with a reset) as soon as it is accepted."""
    HANG = "hang"
    """Accepted and read, never answered."""
    DRIP = "drip"
    """The reply arrives one byte at a time, one each `drip_s`."""
    CUT = "cut"
    """The reply ends after `after_bytes` bytes."""
    RESET_AFTER_REQUEST = "reset_after_request"
    """The request gets through and is answered, but the reply is lost in a reset."""


@dataclass(frozen=True, slots=True)
class Fault:
    """How the proxy misbehaves: a mode with its numbers, and a delay before each reply block."""

    mode: Mode = Mode.PASS
    after_bytes: int = 0
    delay_s: float = 0.0
    drip_s: float = DRIP_S


class FaultProxy:
    """Listens on a free loopback port and forwards to one address."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.fault = Fault()
        self.connections = 0
        self.port = 0

    @classmethod
    @contextlib.asynccontextmanager
    async def to(cls, host: str, port: int) -> AsyncIterator[FaultProxy]:
        """Yield a running proxy in front of an address."""
        proxy = cls(host, port)
        await proxy.start()
        try:
            yield proxy
        finally:
            await proxy.stop()

    @property
    def url(self) -> str:
        """The base URL of an HTTP server behind the proxy."""
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listen; after `stop` on the same port as before."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening (connections are refused by the kernel) and drop what is open."""
        if self._server is None:
            return
        self._server.close()
        await self.drop()
        await self._server.wait_closed()
        self._server = None

    async def drop(self) -> None:
        """End all open connections."""
        for task in self._open:
            task.cancel()
        if self._open:
            await asyncio.wait(self._open)

    def set(self, mode: Mode, **numbers: float) -> None:
        """Change the mode, keeping nothing of the old fault but what is named here."""
        self.fault = replace(Fault(mode), **numbers)  # type: ignore[arg-type]  # after_bytes is an int

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        self.connections += 1
        fault = self.fault
        try:
            if fault.mode is Mode.REFUSE:
                _reset(writer)
            elif fault.mode is Mode.HANG:
                while await reader.read(BLOCK):
                    pass
            else:
                await self._forward(reader, writer, fault)
        except (OSError, asyncio.CancelledError):
            pass  # an end of either side is what this proxy is for
        finally:
            self._open.discard(task)
            writer.close()

    async def _forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, fault: Fault
    ) -> None:
        upstream_reader, upstream_writer = await asyncio.open_connection(*self._target)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_copy, reader, upstream_writer)
                await self._reply(upstream_reader, writer, fault)
                tasks.cancel_scope.cancel()
        finally:
            upstream_writer.close()

    async def _reply(
        self, upstream: asyncio.StreamReader, writer: asyncio.StreamWriter, fault: Fault
    ) -> None:
        sent = 0
        while data := await upstream.read(BLOCK):
            if self.fault.delay_s:
                await anyio.sleep(self.fault.delay_s)
            if fault.mode is Mode.RESET_AFTER_REQUEST:
                _reset(writer)
                return
            if fault.mode is Mode.CUT and sent + len(data) >= fault.after_bytes:
                writer.write(data[: fault.after_bytes - sent])
                await writer.drain()
                return
            await _write(writer, data, fault)
            sent += len(data)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(BLOCK):
            writer.write(data)
            await writer.drain()


async def _write(writer: asyncio.StreamWriter, data: bytes, fault: Fault) -> None:
    if fault.mode is not Mode.DRIP:
        writer.write(data)
        await writer.drain()
        return
    for byte in data:
        writer.write(bytes([byte]))
        await writer.drain()
        await anyio.sleep(fault.drip_s)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close so that the peer sees a reset instead of an orderly end."""
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
