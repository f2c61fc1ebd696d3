"""Frames between the daemon and its child processes, and the child's side of the conversation.

A frame is a header (request id, kind, length) and a pickled body. Both ends are our own
processes on an inherited socket pair; nothing else can reach it. A child serves requests one
after the other, most urgent first, and ends when the pipe closes. What it logs goes the same
way: the daemon has one log, of one form and level.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import resource
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, Protocol

from paparatsd.logs import relay_events

HEADER = struct.Struct("<IBI")
REQUEST, REPLY, FAILURE, NOTE, EVENT = 0, 1, 2, 3, 4
URGENT, NORMAL, BULK = 0, 1, 2
IDLE_PAUSE_MS = 1
"""How long a child listens between two pieces of idle work: that leaves others some processor."""

AWAKE_S = 0.001
"""How long a child looks for the answer of its side before it sleeps until there is one.

Most answers come sooner. To be put to sleep and woken takes up to a tenth of that, and then the
processor's caches hold what others needed.
"""

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


def lower_priority(niceness: int) -> None:
    """Let everything else go first. Linux weighs whole sessions before their processes.

    A child leads a session of its own, whose share (sched(7), autogroup) is lowered as well; its
    niceness would count only within it.
    """
    os.nice(niceness)
    with contextlib.suppress(OSError):  # no autogroups here, or changed too often at this moment
        descriptor = os.open("/proc/self/autogroup", os.O_WRONLY)
        try:
            os.write(descriptor, b"%d" % niceness)
        finally:
            os.close(descriptor)


def limit_memory(max_bytes: int) -> None:
    """Bound this process's address space growth; too large an allocation then raises."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(
            resource.RLIMIT_AS, (max_bytes, resource.getrlimit(resource.RLIMIT_AS)[1])
        )


class Later:
    """A reply that is not there yet: a handler returns it and settles it when it is."""

    def __init__(self) -> None:
        self._send: Callable[[Callable[[], Any]], None] | None = None

    def settle(self, work: Callable[[], Any]) -> None:
        """Reply with what the work returns, or with the failure that it raises."""
        if self._send is not None:
            self._send(work)

    def bind(self, send: Callable[[Callable[[], Any]], None]) -> None:
        """Say how the reply is sent; the server does so before it listens again."""
        self._send = send


class Side(Protocol):
    """Something else that a child listens to, beside the daemon."""

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        ...

    def take(self) -> None:
        """Take in and serve what has arrived."""
        ...

    def wait_s(self) -> float | None:
        """Return after how long `expire` wants to be called, None for never."""
        ...

    def expire(self) -> None:
        """Give up on what is overdue."""
        ...


class ChildServer:
    """Reads requests from the socket, runs the most urgent one, answers it, until EOF.

    `side` is served ahead of the queue. `idle` is called again and again while nobody asks, as long
    as it returns that there is more to do; each call holds up a request that comes in meanwhile.
    """

    def __init__(
        self,
        sock: socket.socket,
        handler: Handler,
        *,
        side: Side | None = None,
        idle: Callable[[], bool] | None = None,
    ) -> None:
        self._sock = sock
        self._sending = threading.Lock()
        self._handler = handler
        self._side = side
        self._idle = idle
        self._busy = idle is not None
        self._buffer = bytearray()
        self._chunk = memoryview(bytearray(1 << 18))
        self._queue: list[tuple[int, int, int, str, Any]] = []
        self._order = 0
        self._open = True
        # Whoever is to answer needs a processor too.
        self._stays_awake = side is not None and (os.cpu_count() or 1) > 1
        self._poll: select.poll | None = None
        if side is not None or idle is not None:
            self._poll = select.poll()
            for source in (sock, side):
                if source is not None:
                    self._poll.register(source.fileno(), select.POLLIN)

    def run(self) -> None:
        """Serve until the daemon closes its end."""
        while self._open or self._queue:
            if self._poll is None:
                self._receive(block=not self._queue)
            else:
                self._listen(self._poll)
            if self._queue:
                _, _, request_id, operation, argument = heappop(self._queue)
                self._answer(request_id, operation, argument)
                self._busy = self._idle is not None

    def _listen(self, poll: select.poll) -> None:
        """Take in what has come from either side; do idle work or wait while it is nothing."""
        ready = {number for number, _ in self._ready(poll)}
        if self._side is not None:
            if self._side.fileno() in ready:
                self._side.take()
            self._side.expire()
        if self._sock.fileno() in ready:
            self._receive(block=False)
        elif self._idle is not None and not ready and self._may_idle():
            self._busy = self._idle()

    def _ready(self, poll: select.poll) -> list[tuple[int, int]]:
        """Wait until there is something to take in, at first without sleeping if it is due."""
        if self._stays_awake and not self._queue and self._is_waiting():
            end = time.perf_counter() + AWAKE_S
            while time.perf_counter() < end:
                ready = poll.poll(0)
                if ready:
                    return ready
                os.sched_yield()  # whoever needs this processor goes first
        return poll.poll(self._patience_ms())

    def _is_waiting(self) -> bool:
        return self._side is not None and self._side.wait_s() is not None

    def _may_idle(self) -> bool:
        return self._busy and not self._queue and not self._is_waiting()

    def _patience_ms(self) -> float | None:
        if self._queue:
            return 0
        wait_s = self._side.wait_s() if self._side is not None else None
        if wait_s is not None:
            return max(0.0, wait_s * 1e3)
        return IDLE_PAUSE_MS if self._busy else None

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
            self._send(encode(request_id, NOTE, body))

        self._settle(request_id, lambda: self._handler(operation, argument, note))

    def _settle(self, request_id: int, work: Callable[[], Any]) -> None:
        """Do the work and send what it returns, unless that is to come later."""
        try:
            reply = work()
            if isinstance(reply, Later):
                reply.bind(lambda work: self._settle(request_id, work))
                return
            frame = encode(request_id, REPLY, reply)
        except Exception as error:  # noqa: BLE001 - the border: every failure becomes a reply
            frame = encode(request_id, FAILURE, (type(error).__name__, str(error)))
        try:
            self._send(frame)
        except OSError:
            self._open = False
            self._queue.clear()

    def log(self, event: dict[str, Any]) -> None:
        """Send an event of the log, from any thread; nobody reads it once the daemon is gone."""
        with contextlib.suppress(OSError):
            self._send(encode(0, EVENT, event))

    def _send(self, frame: bytes) -> None:
        with self._sending:
            self._sock.sendall(frame)


def serve_child(
    handler: Handler, *, side: Side | None = None, idle: Callable[[], bool] | None = None
) -> None:
    """Entry of every child: the socket is the descriptor named by the last argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    die_with_parent()
    sock = socket.socket(fileno=int(sys.argv[-1]))
    sock.setblocking(True)
    server = ChildServer(sock, handler, side=side, idle=idle)
    relay_events(server.log)
    with contextlib.suppress(OSError):
        server.run()
    os._exit(0)
