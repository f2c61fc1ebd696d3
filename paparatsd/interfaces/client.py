"""Client of the control API over the Unix socket, for the CLI.

Standard library only, and little of it: a shell waits for this import. The shapes of the replies
are in `contrib/API.md`.
"""

from __future__ import annotations

import json
import os
import socket
import time
from typing import TYPE_CHECKING, Any

from paparatsd import __version__, errors
from paparatsd.interfaces.peer import peer_uid

if TYPE_CHECKING:
    from collections.abc import Iterator

START_HINT = "start it with `paparats up`"
MAX_HEAD_BYTES = 64 << 10
MAX_REPLY_BYTES = 256 << 20
SILENCE_S = 30.0
"""The event stream pings every 10 s; three missed pings mean the daemon hangs."""


_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def quote(text: str) -> str:
    """Percent-encode everything but the unreserved characters (urllib costs an import of 2 ms)."""
    return "".join(
        chr(byte) if byte in _PLAIN else f"%{byte:02X}"
        for byte in text.encode("utf-8", "surrogateescape")
    )


def error_class(code: str) -> type[errors.PaparatsError]:
    """Return the class of errors.py with that code, or the base."""
    waiting: list[type[errors.PaparatsError]] = [errors.PaparatsError]
    while waiting:
        candidate = waiting.pop()
        if candidate.code == code:
            return candidate
        waiting.extend(candidate.__subclasses__())
    return errors.PaparatsError


class Client:
    """Calls the daemon, one connection a call.

    Every call raises the error the daemon refused with, Unavailable when the daemon does not run
    or does not answer within the deadline, Refused when the socket is not ours.
    """

    def __init__(self, control_socket: os.PathLike[str] | str, *, timeout_s: float = 30.0) -> None:
        self._path = str(control_socket)
        self._timeout_s = timeout_s
        self.daemon_version: str | None = None
        """The version of the daemon, known after the first call."""

    def version_note(self) -> str | None:
        """Return a sentence when daemon and client differ in version."""
        if self.daemon_version in (None, __version__):
            return None
        return (
            f"the daemon runs version {self.daemon_version}, this is {__version__}; "
            "restart it with `paparats down` and `paparats up`"
        )

    def is_up(self, timeout_s: float = 1.0) -> bool:
        """Say whether a daemon answers."""
        try:
            self.call("GET", "/v1/health", timeout_s=timeout_s)
        except errors.PaparatsError:
            return False
        return True

    def health(self) -> dict[str, Any]:
        """GET /v1/health."""
        return self.call("GET", "/v1/health")

    def status(self) -> dict[str, Any]:
        """GET /v1/status."""
        return self.call("GET", "/v1/status")

    def projects(self, group: str | None = None) -> list[dict[str, Any]]:
        """GET /v1/projects."""
        projects: list[dict[str, Any]] = self.call(
            "GET", "/v1/projects", parameters={"group": group}
        )["projects"]
        return projects

    def add_project(
        self, path: str, *, name: str | None = None, group: str | None = None, hooks: bool = True
    ) -> dict[str, Any]:
        """POST /v1/projects; `path` is absolute."""
        body = {"path": path, "name": name, "group": group, "hooks": hooks}
        entry: dict[str, Any] = self.call("POST", "/v1/projects", body)["project"]
        return entry

    def add_remote(self, url: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON values
        """POST /v1/projects with a URL; options are name, group, branch, ref, depth."""
        body = {"url": url, **options}
        entry: dict[str, Any] = self.call("POST", "/v1/projects", body)["project"]
        return entry

    def remove_project(self, name: str) -> dict[str, Any]:
        """DELETE /v1/projects/{name}."""
        return self.call("DELETE", f"/v1/projects/{quote(name)}")

    def reindex(self, project: str | None = None, *, depth: str = "changed") -> dict[str, Any]:
        """POST /v1/reindex."""
        return self.call("POST", "/v1/reindex", {"project": project, "depth": depth})

    def flush(self, project: str | None = None, *, timeout_s: float = 600.0) -> dict[str, Any]:
        """POST /v1/flush: reconcile with the disk and wait for it."""
        return self.call("POST", "/v1/flush", {"project": project}, timeout_s=timeout_s)

    def skipped(self, project: str | None = None) -> dict[str, list[dict[str, Any]]]:
        """GET /v1/skipped."""
        skipped: dict[str, list[dict[str, Any]]] = self.call(
            "GET", "/v1/skipped", parameters={"project": project}
        )["projects"]
        return skipped

    def search(self, query: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON values
        """POST /v1/search; options as in `contrib/API.md`."""
        return self.call("POST", "/v1/search", {"query": query, **options})

    def show(self, address: str, radius: int = 0) -> dict[str, Any]:
        """GET /v1/show."""
        return self.call("GET", "/v1/show", parameters={"address": address, "radius": str(radius)})

    def log(self, address: str, limit: int = 10) -> dict[str, Any]:
        """POST /v1/log."""
        return self.call("POST", "/v1/log", {"address": address, "limit": limit})

    def commits(self, query: str = "", **options: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """POST /v1/commits; options as in `contrib/API.md`."""
        return self.call("POST", "/v1/commits", {"query": query, **options})

    def explain(self, query: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON values
        """POST /v1/explain; options as in `contrib/API.md`."""
        return self.call("POST", "/v1/explain", {"query": query, **options})

    def ask(self, call: str, /, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON values
        """POST /v1/{call}: such as usages, docs or cards/context; as in `contrib/API.md`."""
        return self.call("POST", f"/v1/{call}", options)

    def hooks(self, verb: str, target: str) -> dict[str, Any]:
        """POST /v1/hooks/{install, uninstall or status}; target is a path or a project."""
        return self.call("POST", f"/v1/hooks/{verb}", {"path": target})

    def reload(self) -> list[str]:
        """POST /v1/reload."""
        changes: list[str] = self.call("POST", "/v1/reload")["changes"]
        return changes

    def stop(self) -> dict[str, Any]:
        """POST /v1/stop."""
        return self.call("POST", "/v1/stop")

    def events(self) -> Iterator[dict[str, Any]]:
        """GET /v1/events: progress until the daemon stops; close the iterator to end it."""
        with _Exchange(self._path, SILENCE_S) as exchange:
            exchange.send("GET", "/v1/events", b"")
            status = exchange.read_head()
            self.daemon_version = exchange.headers.get("paparats-version")
            if status != 200:
                raise _refusal(status, b"".join(exchange.body()))
            pending = b""
            for piece in exchange.open_body():
                exchange.extend(SILENCE_S)
                *lines, pending = (pending + piece).split(b"\n")
                for line in lines:
                    event = json.loads(line)
                    if event["event"] not in ("ping", "connected"):
                        yield event

    def call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        parameters: dict[str, str | None] | None = None,
        timeout_s: float | None = None,
    ) -> dict[str, Any]:
        """Make one call and return its JSON reply."""
        query = "&".join(
            f"{name}={quote(value)}"
            for name, value in (parameters or {}).items()
            if value is not None
        )
        data = b"" if body is None else json.dumps(body).encode()
        with _Exchange(self._path, timeout_s or self._timeout_s) as exchange:
            exchange.send(method, f"{path}?{query}" if query else path, data)
            status = exchange.read_head()
            self.daemon_version = exchange.headers.get("paparats-version", self.daemon_version)
            reply = b"".join(exchange.body())
        if status != 200:
            raise _refusal(status, reply)
        try:
            value: dict[str, Any] = json.loads(reply)
        except ValueError:
            raise errors.BadReply(f"the daemon's reply to {path} is not JSON") from None
        return value


def _refusal(status: int, reply: bytes) -> errors.PaparatsError:
    try:
        error = json.loads(reply)["error"]
        return error_class(error["code"])(error["message"])
    except (ValueError, KeyError, TypeError):
        return errors.BadReply(f"the daemon answered with status {status} and no reason")


class _Exchange:
    """One request and its response over one connection, all within one deadline."""

    def __init__(self, path: str, timeout_s: float) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s
        self._buffer = b""
        self._closed = False
        self.headers: dict[str, str] = {}
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

    def __enter__(self) -> _Exchange:
        try:
            self._arm()
            self._socket.connect(self._path)
            owner = peer_uid(self._socket)
        except BaseException as error:
            self._socket.close()
            raise _connect_error(self._path, error) from error
        if owner is not None and owner != os.geteuid():
            self._socket.close()
            raise errors.Refused(f"{self._path} is served by another user (uid {owner})")
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._socket.close()

    def extend(self, timeout_s: float) -> None:
        """Start the deadline anew."""
        self._deadline = time.monotonic() + timeout_s

    def _arm(self) -> None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)

    def send(self, method: str, target: str, data: bytes) -> None:
        """Send the request."""
        head = (
            f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        )
        try:
            self._arm()
            self._socket.sendall(head.encode("ascii") + data)
        except TimeoutError:
            raise self._late() from None
        except OSError as error:
            raise errors.Unavailable(f"the daemon closed the connection; {START_HINT}") from error

    def _late(self) -> errors.Unavailable:
        return errors.Unavailable(
            f"the daemon did not answer within {self._timeout_s:g} s; it may be busy or hang"
        )

    def _receive(self) -> bytes:
        try:
            self._arm()
            return self._socket.recv(1 << 18)
        except TimeoutError:
            raise self._late() from None
        except OSError:
            return b""  # a reset says no more than a close

    def read_head(self) -> int:
        """Read status line and headers; return the status."""
        while b"\r\n\r\n" not in self._buffer:
            data = self._receive()
            if not data:
                raise errors.Unavailable(
                    "the daemon closed the connection without an answer; it may be stopping"
                )
            self._buffer += data
            if len(self._buffer) > MAX_HEAD_BYTES and b"\r\n\r\n" not in self._buffer:
                raise errors.BadReply(f"what answers at {self._path} does not speak HTTP")
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        words = first.split(" ")
        if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
            raise errors.BadReply(f"what answers at {self._path} does not speak HTTP")
        pairs = (line.partition(":") for line in lines)
        self.headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        return int(words[1])

    def body(self) -> Iterator[bytes]:
        """Yield the body as it comes in."""
        if "chunked" in self.headers.get("transfer-encoding", ""):
            yield from self._chunks()
            return
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MAX_REPLY_BYTES:
            raise errors.BadReply("the daemon's reply has no usable length")
        yield self._exactly(int(length))

    def open_body(self) -> Iterator[bytes]:
        """Yield a stream as it comes in; its end is whatever ends the connection."""
        try:
            yield from self.body()
        except errors.Unavailable:
            if not self._closed:
                raise

    def _chunks(self) -> Iterator[bytes]:
        total = 0
        while True:
            size = int(self._line().split(b";")[0], 16)
            total += size
            if total > MAX_REPLY_BYTES and self.headers.get("content-type") == "application/json":
                raise errors.BadReply("the daemon's reply is too long")
            if size == 0:
                return
            yield self._exactly(size)
            self._line()

    def _line(self) -> bytes:
        while b"\r\n" not in self._buffer:
            self._more()
        line, _, self._buffer = self._buffer.partition(b"\r\n")
        return line

    def _exactly(self, size: int) -> bytes:
        pieces = [self._buffer]
        have = len(self._buffer)
        while have < size:
            self._buffer = b""
            self._more()
            pieces.append(self._buffer)
            have += len(self._buffer)
        whole = b"".join(pieces)
        self._buffer = whole[size:]
        return whole[:size]

    def _more(self) -> None:
        data = self._receive()
        if not data:
            self._closed = True
            raise errors.Unavailable("the daemon closed the connection in mid-answer")
        self._buffer += data


def _connect_error(path: str, error: BaseException) -> BaseException:
    if isinstance(error, TimeoutError):
        return errors.Unavailable("the daemon does not take connections; it may hang")
    if isinstance(error, PermissionError):
        return errors.Refused(f"no permission to use {path}; it belongs to another user")
    if isinstance(error, OSError):
        return errors.Unavailable(f"the daemon is not running; {START_HINT}")
    return error
