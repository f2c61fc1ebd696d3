from __future__ import annotations

import asyncio
import pickle
import socket
from typing import Any

from paparatsd import ipc
from paparatsd.pipe import FramePipe, open_pipe


async def connected() -> tuple[FramePipe, socket.socket, asyncio.Queue[tuple[int, int, Any]]]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    got: asyncio.Queue[tuple[int, int, Any]] = asyncio.Queue()
    return await open_pipe(ours, lambda *frame: got.put_nowait(frame)), theirs, got


async def test_frames_are_delivered_however_they_are_cut() -> None:
    pipe, theirs, got = await connected()
    loop = asyncio.get_running_loop()
    sent = [(1, ipc.REPLY, "first"), (2, ipc.NOTE, ["x" * 300_000]), (3, ipc.FAILURE, ("A", "b"))]
    data = b"".join(ipc.encode(*frame) for frame in sent)
    for start, end in ((0, 3), (3, 40), (40, 200_000), (200_000, len(data))):
        await loop.sock_sendall(theirs, data[start:end])
    assert [await got.get() for _ in sent] == sent
    theirs.close()
    assert await pipe.closed is None


async def test_frame_that_nobody_can_read_ends_the_connection() -> None:
    pipe, theirs, got = await connected()
    body = b"no pickle at all"
    theirs.send(ipc.HEADER.pack(1, ipc.REPLY, len(body)) + body)
    assert isinstance(await pipe.closed, pickle.UnpicklingError)
    assert await asyncio.get_running_loop().sock_recv(theirs, 1) == b""
    assert got.empty()
    theirs.close()


async def test_writer_waits_for_a_child_that_does_not_read_until_it_is_gone() -> None:
    pipe, theirs, _ = await connected()
    pipe.write(bytes(8 << 20))
    waiting = asyncio.ensure_future(pipe.drain())
    await asyncio.sleep(0)
    assert not waiting.done()
    theirs.close()
    await waiting
    assert pipe.closed.done()
    pipe.write(b"too late")
    await pipe.drain()
