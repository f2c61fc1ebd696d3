"""Frames between the daemon and its child processes, and the child's side of the conversation.

A frame is a header (request id, kind, length) and a pickled body. Both ends are our own
processes on an inherited socket pair; nothing else can reach it. A child serves requests one
after the other, most urgent first, and ends when the pipe closes.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

HEADER = struct.Struct("<IBI")
REQUEST, REPLY, FAILURE, NOTE = 0, 1, 2, 3
URGENT, NORMAL, BULK = 0, 1, 2

Handler = Callable[[str, Any, Callable[[Any], None]], Any]
"""Called with (operation, argument, note); what it returns is the reply, `note` sends progress."""


def encode(request_id: int, kind: int, body: object) -> bytes:
    """Return one frame."""
    data = pickle.dumps(body, protocol=pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(request_id, kind, len(data)) + data


def die_with_parent() -> None:
    """Ask the kernel to end this process when its parent ends (Linux; elsewhere EOF does it)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)


def limit_memory(max_bytes: int) -> None:
    """Bound this process's address space growth; too large an allocation then raises."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(
            resource.RLIMIT_AS, (max_bytes, resource.getrlimit(resource.RLIMIT_AS)[1])
        )


class ChildServer:
    """Reads requests from the socket, runs the most urgent one, answers it, until EOF."""

    def __init__(self, sock: socket.socket, handler: Handler) -> None:
        self._sock = sock
        self._handler = handler
        self._buffer = bytearray()
        self._chunk = memoryview(bytearray(1 << 18))
        self._queue: list[tuple[int, int, int, str, Any]] = []
        self._order = 0
        self._open = True

    def run(self) -> None:
        """Serve until the daemon closes its end."""
        while self._open or self._queue:
            self._receive(block=not self._queue)
            if self._queue:
                _, _, request_id, operation, argument = heappop(self._queue)
                self._answer(request_id, operation, argument)

    def _receive(self, *, block: bool) -> None:
        """Take in what has arrived; with `block` wait until there is a request."""
        while self._open:
            try:
                count = self._sock.recv_into(self._chunk, 0, 0 if block else socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            if not count:
                self._open = False
                return
            self._buffer += self._chunk[:count]
            self._split()
            block = block and not self._queue

    def _split(self) -> None:
        while len(self._buffer) >= HEADER.size:
            request_id, _, length = HEADER.unpack_from(self._buffer)
            end = HEADER.size + length
            if len(self._buffer) < end:
                return
            urgency, operation, argument = pickle.loads(memoryview(self._buffer)[HEADER.size : end])
            del self._buffer[:end]
            self._order += 1
            heappush(self._queue, (urgency, self._order, request_id, operation, argument))

    def _answer(self, request_id: int, operation: str, argument: object) -> None:
        def note(body: object) -> None:
            self._sock.sendall(encode(request_id, NOTE, body))

        try:
            reply = self._handler(operation, argument, note)
            frame = encode(request_id, REPLY, reply)
        except Exception as error:  # noqa: BLE001 - the border: every failure becomes a reply
            frame = encode(request_id, FAILURE, (type(error).__name__, str(error)))
        try:
            self._sock.sendall(frame)
        except OSError:
            self._open = False
            self._queue.clear()


def serve_child(handler: Handler) -> None:
    """Entry of every child: the socket is the descriptor named by the last argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    die_with_parent()
    sock = socket.socket(fileno=int(sys.argv[-1]))
    sock.setblocking(True)
    with contextlib.suppress(OSError):
        ChildServer(sock, handler).run()
    os._exit(0)
