"""The service manager's side of life: notifications, the watchdog, sockets handed over.

Plain sockets and the documented variables; without a manager everything is a no-op. The
environment comes in as an argument.
"""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import BadSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

log = structlog.get_logger()

FIRST_SOCKET = 3
MAX_SOCKETS = 16
VARIABLES = (
    "NOTIFY_SOCKET",
    "WATCHDOG_PID",
    "WATCHDOG_USEC",
    "LISTEN_PID",
    "LISTEN_FDS",
    "LISTEN_FDNAMES",
)
"""What to keep from child processes, which must not speak for the daemon."""


class Notifier:
    """Tells the service manager how the daemon is.

    Each method returns whether there is a manager. A single message that it does not take (its
    queue may be full) is not reported: the next one will do.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        address = environment.get("NOTIFY_SOCKET", "")
        # "@" stands for the NUL of an abstract name.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self.watchdog_s = watchdog_interval(environment)
        """Ping at least this often (half of what the manager waits), None: no watchdog."""

    def send(self, *assignments: str) -> bool:
        """Send raw assignments such as "READY=1" in one message; never raises, never blocks."""
        if not self._address.startswith(("/", "\0")):
            return False
        message = "\n".join(assignments).encode("utf-8", "backslashreplace")
        kind = socket.SOCK_DGRAM | getattr(socket, "SOCK_CLOEXEC", 0)
        try:
            with socket.socket(socket.AF_UNIX, kind) as out:
                out.setblocking(False)
                out.connect(self._address)
                out.sendall(message)
        except OSError:
            log.debug("manager_not_told", message=assignments[0])
        return True

    def ready(self, status: str = "") -> bool:
        """Say that both listeners accept and the state is open."""
        return self.send("READY=1", *_status(status))

    def status(self, text: str) -> bool:
        """Say in one line what the daemon is doing."""
        return self.send(*_status(text))

    def ping(self) -> bool:
        """Feed the watchdog; call it from the event loop so that a stuck loop is seen."""
        return self.send("WATCHDOG=1")

    def reloading(self) -> bool:
        """Say that settings are being read again; say `ready` afterwards."""
        # The manager pairs the two messages by this time stamp.
        stamp = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        return self.send("RELOADING=1", f"MONOTONIC_USEC={stamp}")

    def stopping(self, status: str = "") -> bool:
        """Say that the daemon is going down."""
        return self.send("STOPPING=1", *_status(status))


def _status(text: str) -> tuple[str, ...]:
    # A newline in the text would begin an assignment of its own.
    return (f"STATUS={' '.join(text.split())}",) if text else ()


def watchdog_interval(environment: Mapping[str, str], *, pid: int | None = None) -> float | None:
    """Return the seconds between two pings, or None when nobody waits for them from us."""
    wanted_pid = environment.get("WATCHDOG_PID", "")
    if wanted_pid and wanted_pid != str(os.getpid() if pid is None else pid):
        return None
    usec = environment.get("WATCHDOG_USEC", "")
    if not usec.isdigit() or int(usec) == 0:
        return None
    return int(usec) / 2_000_000


@dataclass(frozen=True, slots=True)
class InheritedSocket:
    """A socket the manager bound for us; `name` is its FileDescriptorName, or ""."""

    name: str
    socket: socket.socket

    @property
    def is_unix(self) -> bool:
        """Whether it is the control socket's kind, else TCP."""
        return self.socket.family == socket.AF_UNIX


def listen_sockets(
    environment: Mapping[str, str], *, pid: int | None = None, first: int = FIRST_SOCKET
) -> list[InheritedSocket]:
    """Return the listening sockets handed to this process; empty without socket activation.

    Raises BadSettings when what was handed over is not what the variables say. Sockets meant for
    another process are left alone. Socket files belong to the manager: do not unlink them.
    """
    if environment.get("LISTEN_PID", "") != str(os.getpid() if pid is None else pid):
        return []
    names = environment.get("LISTEN_FDNAMES", "")
    count = _count(environment.get("LISTEN_FDS", "0"))
    labels = names.split(":") if names else [""] * count
    if len(labels) != count:
        raise BadSettings(
            f"LISTEN_FDNAMES names {len(labels)} sockets but LISTEN_FDS says {count}; "
            "check paparatsd.socket"
        )
    found: list[InheritedSocket] = []
    try:
        for offset, label in enumerate(labels):
            found.append(InheritedSocket(label, _adopt(first + offset)))
    except BadSettings:
        for one in found:
            one.socket.close()
        raise
    return found


def inherited_sockets(environment: Mapping[str, str]) -> list[socket.socket]:
    """Return only the sockets of `listen_sockets`; their families tell them apart."""
    return [one.socket for one in listen_sockets(environment)]


def _count(text: str) -> int:
    if not text.isdigit() or int(text) > MAX_SOCKETS:
        raise BadSettings(f"LISTEN_FDS is {text!r}; allowed: 0 to {MAX_SOCKETS}")
    return int(text)


def _adopt(number: int) -> socket.socket:
    """Check a descriptor and keep it from child processes."""
    try:
        one = socket.socket(fileno=number)
    except OSError as error:
        raise BadSettings(
            f"descriptor {number} was announced as a socket but is none ({error.strerror}); "
            "check paparatsd.socket"
        ) from None
    stream = one.type == socket.SOCK_STREAM
    known = one.family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)
    if not (stream and known and one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)):
        one.close()
        raise BadSettings(
            f"descriptor {number} is not a listening stream socket; check paparatsd.socket"
        )
    one.set_inheritable(False)
    one.setblocking(False)
    return one
