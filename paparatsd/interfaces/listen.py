"""Listening sockets: loopback TCP and an owner-only Unix socket, ours or handed over."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.errors import BadSettings, Busy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


BACKLOG = 256


@dataclass(frozen=True, slots=True)
class Sockets:
    """The listening sockets of the daemon; `control_path` is set when we made the Unix one."""

    tcp: tuple[socket.socket, ...]
    unix: tuple[socket.socket, ...]
    control_path: Path | None
    control_inode: int = 0

    @property
    def port(self) -> int:
        """The TCP port that was given or picked."""
        return int(self.tcp[0].getsockname()[1])

    def close(self) -> None:
        """Close all, and take our own socket file away if it still is ours."""
        for one in (*self.tcp, *self.unix):
            one.close()
        if self.control_path is None:
            return
        with suppress(OSError):
            if self.control_path.lstat().st_ino == self.control_inode:
                self.control_path.unlink()


def open_sockets(
    host: str, port: int, control_path: Path, inherited: Sequence[socket.socket]
) -> Sockets:
    """Take the sockets handed over and make those that are missing.

    Raises BadSettings for an address that is not loopback or a foreign file at the control path,
    Busy when the port or the path is in use.
    """
    for one in inherited:
        _check_inherited(one)
    tcp = tuple(one for one in inherited if one.family != socket.AF_UNIX)
    unix = tuple(one for one in inherited if one.family == socket.AF_UNIX)
    made: list[socket.socket] = []
    try:
        if not tcp:
            tcp = (_bind_tcp(host, port),)
            made.extend(tcp)
        if unix:
            return Sockets(tcp, unix, None)
        control = bind_control(control_path)
    except BaseException:
        for one in made:
            one.close()
        raise
    return Sockets(tcp, (control,), control_path, control_path.lstat().st_ino)


def _check_inherited(one: socket.socket) -> None:
    listening = one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if one.type != socket.SOCK_STREAM or not listening:
        raise BadSettings(
            "an inherited socket is not a listening stream socket; see the .socket unit"
        )
    if one.family in (socket.AF_INET, socket.AF_INET6):
        _check_loopback(str(one.getsockname()[0]))
    elif one.family != socket.AF_UNIX:
        raise BadSettings("an inherited socket is neither TCP nor Unix; see the .socket unit")


def _check_loopback(host: str) -> str:
    """Return the address to bind; only this machine may reach us."""
    if host == "localhost":
        return "127.0.0.1"
    with suppress(ValueError):
        if ipaddress.ip_address(host).is_loopback:
            return host
    raise BadSettings(f"http host {host!r} is not a loopback address; use 127.0.0.1 or ::1")


def _bind_tcp(host: str, port: int) -> socket.socket:
    address = _check_loopback(host)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # The explicit protocol is what lets asyncio switch Nagle off.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((address, port))
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise _bind_error(address, port, error) from error
    sock.setblocking(False)
    return sock


def _bind_error(address: str, port: int, error: OSError) -> BadSettings | Busy:
    if error.errno == errno.EADDRINUSE:
        return Busy(
            f"port {port} on {address} is taken by another program; "
            "choose another with http.port in config.toml, or with PAPARATS_PORT (0 picks a "
            "free one)"
        )
    return BadSettings(f"cannot listen on port {port} of {address}: {error.strerror}")


@contextmanager
def _owner_only() -> Iterator[None]:
    """Create files for their owner only: no moment in which others could connect."""
    before = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(before)


def bind_control(path: Path) -> socket.socket:
    """Bind the control socket, mode 0600 in a directory that is ours alone.

    The daemon holds its lock by now, so a socket that nobody answers at is left over from a
    killed daemon of ours; that, and nothing else, is removed.
    """
    _check_directory(path.parent)
    _clear(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _owner_only():
            sock.bind(str(path))
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise BadSettings(f"cannot make the control socket {path}: {error}") from error
    sock.setblocking(False)
    return sock


def _check_directory(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = directory.lstat()
    except OSError as error:
        raise BadSettings(f"cannot use the runtime directory {directory}: {error}") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise BadSettings(f"the runtime directory {directory} is not a directory of ours")
    if stat.S_IMODE(found.st_mode) & 0o077:
        directory.chmod(0o700)


def _clear(path: Path) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid():
        raise BadSettings(f"{path} exists and is not a socket of ours; move it away")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except OSError as error:
            raise Busy(f"another program holds {path}: {error}") from error
    raise Busy(f"another program answers at {path}; stop it first")
