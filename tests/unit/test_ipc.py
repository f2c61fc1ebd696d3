"""The child's side of a conversation: order, replies that come later, a side, idle work."""

from __future__ import annotations

import pickle
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from paparatsd import ipc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Client:
    """The daemon's end, blocking."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._stream = sock.makefile("rb")

    def ask(self, number: int, operation: str, argument: object = None) -> None:
        self._sock.sendall(ipc.encode(number, ipc.REQUEST, (ipc.NORMAL, operation, argument)))

    def reply(self) -> tuple[int, int, Any]:
        header = self._stream.read(ipc.HEADER.size)
        number, kind, length = ipc.HEADER.unpack(header)
        return number, kind, pickle.loads(self._stream.read(length))


@contextmanager
def serving(handler: ipc.Handler, **more: Any) -> Iterator[Client]:
    ours, theirs = socket.socketpair()
    ours.settimeout(5)
    server = ipc.ChildServer(theirs, handler, **more)
    thread = threading.Thread(target=server.run)
    thread.start()
    client = Client(ours)
    try:
        yield client
    finally:
        ours.shutdown(socket.SHUT_RDWR)
        thread.join(5)
        client._stream.close()
        ours.close()
        theirs.close()
    assert not thread.is_alive()


class Mailbox:
    """A side that hands each byte it gets to `act`."""

    def __init__(self, act: Callable[[bytes], None]) -> None:
        self._act = act
        self.outside, self._inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.due: float | None = None
        self.on_expiry: Callable[[], None] = lambda: None

    def fileno(self) -> int:
        return self._inside.fileno()

    def take(self) -> None:
        self._act(self._inside.recv(10))

    def wait_s(self) -> float | None:
        return self.due

    def expire(self) -> None:
        if self.due == 0.0:
            self.due = None
            self.on_expiry()

    def close(self) -> None:
        self.outside.close()
        self._inside.close()


def test_replies_and_failures_carry_the_number_of_their_request() -> None:
    def handle(operation: str, argument: Any, note: object) -> Any:
        return argument / 2

    with serving(handle) as client:
        client.ask(7, "halve", 4)
        assert client.reply() == (7, ipc.REPLY, 2.0)
        client.ask(8, "halve", "word")
        number, kind, (name, _) = client.reply()
        assert (number, kind, name) == (8, ipc.FAILURE, "TypeError")


def test_reply_that_comes_later_holds_up_nobody() -> None:
    later = ipc.Later()
    mailbox = Mailbox(lambda data: later.settle(data.decode))

    def handle(operation: str, argument: Any, note: object) -> Any:
        return later if operation == "wait" else argument

    with serving(handle, side=mailbox) as client:
        client.ask(1, "wait")
        client.ask(2, "echo", "at once")
        assert client.reply() == (2, ipc.REPLY, "at once")
        mailbox.outside.send(b"at last")
        assert client.reply() == (1, ipc.REPLY, "at last")
    mailbox.close()


def test_later_reply_may_be_a_failure() -> None:
    later = ipc.Later()
    mailbox = Mailbox(lambda data: later.settle(lambda: data.decode("no such encoding")))

    def handle(operation: str, argument: Any, note: object) -> Any:
        mailbox.outside.send(b"now")
        return later

    with serving(handle, side=mailbox) as client:
        client.ask(1, "wait")
        assert client.reply()[:2] == (1, ipc.FAILURE)
    mailbox.close()


def test_what_is_overdue_is_given_up_without_another_event() -> None:
    later = ipc.Later()
    mailbox = Mailbox(lambda _: None)
    mailbox.on_expiry = lambda: later.settle(lambda: "gave up")

    def handle(operation: str, argument: Any, note: object) -> Any:
        mailbox.due = 0.0
        return later

    with serving(handle, side=mailbox) as client:
        client.ask(1, "wait")
        assert client.reply() == (1, ipc.REPLY, "gave up")
    mailbox.close()


def test_idle_work_is_done_to_its_end_and_begins_anew_after_a_request() -> None:
    done: list[int] = []
    finished = threading.Event()

    def idle() -> bool:
        done.append(len(done))
        if len(done) % 3 == 0:
            finished.set()
        return len(done) % 3 != 0

    with serving(lambda *_: len(done), idle=idle) as client:
        assert finished.wait(5)
        finished.clear()
        client.ask(1, "count")
        assert client.reply() == (1, ipc.REPLY, 3)
        assert finished.wait(5)
        client.ask(2, "count")
        assert client.reply() == (2, ipc.REPLY, 6)
