"""A control API with answers from a table, for tests of the command line without a daemon.

with FakeControl(directory) as control:
    control.answer("GET", "/v1/status", STATUS)
    run_cli("status", environment=control.environment)
    assert control.calls == [Call("GET", "/v1/status", {}, None)]
"""

from __future__ import annotations

import json
import socketserver
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from paparatsd import __version__

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

Reply = tuple[int, dict[str, Any]]


@dataclass(frozen=True)
class Call:
    """One request that arrived."""

    method: str
    path: str
    parameters: dict[str, str]
    body: Any


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64


class FakeControl:
    """Answers on `<directory>/run/control.sock` what it was told to; anything else is 404."""

    def __init__(self, directory: Path, *, version: str = __version__) -> None:
        self.directory = directory
        self.version = version
        self.calls: list[Call] = []
        self._replies: dict[tuple[str, str], list[Reply]] = {}
        (directory / "run").mkdir(mode=0o700, parents=True, exist_ok=True)
        self._server = _Server(str(directory / "run" / "control.sock"), _handler_of(self))
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self.answer("GET", "/v1/health", {"status": "ok", "version": version, "groups": {}})

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead the command line here."""
        return {
            "HOME": str(self.directory),
            "PAPARATS_STATE_DIR": str(self.directory / "state"),
            "PAPARATS_CONFIG_DIR": str(self.directory / "config"),
            "PAPARATS_CACHE_DIR": str(self.directory / "cache"),
            "PAPARATS_DATA_DIR": str(self.directory / "data"),
            "PAPARATS_RUNTIME_DIR": str(self.directory / "run"),
        }

    def answer(self, method: str, path: str, *bodies: dict[str, Any], status: int = 200) -> None:
        """Answer a call with these bodies, one after the other, the last one again and again."""
        self._replies[method, path] = [(status, body) for body in bodies]

    def refuse(self, method: str, path: str, status: int, code: str, message: str) -> None:
        """Answer a call with an error."""
        self.answer(method, path, {"error": {"code": code, "message": message}}, status=status)

    def take(self, call: Call) -> Reply:
        """Note a call and return the reply to it."""
        self.calls.append(call)
        replies = self._replies.get((call.method, call.path))
        if replies is None:
            return 404, {"error": {"code": "bad_request", "message": f"no {call.path} here"}}
        return replies.pop(0) if len(replies) > 1 else replies[0]

    def made(self, method: str, path: str) -> list[Call]:
        """Return the calls of one kind."""
        return [call for call in self.calls if (call.method, call.path) == (method, path)]

    def __enter__(self) -> Self:
        """Start answering."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop answering and close the socket."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler_of(control: FakeControl) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            data = self.rfile.read(length)
            call = Call(
                self.command,
                unquote(parts.path),
                dict(parse_qsl(parts.query)),
                json.loads(data) if data else None,
            )
            status, body = control.take(call)
            reply = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.send_header("Paparats-Version", control.version)
            self.end_headers()
            self.wfile.write(reply)

        do_GET = do_POST = do_DELETE = _serve  # noqa: N815 - the names http.server looks for

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the base
            """Keep the test's output clean."""

        def address_string(self) -> str:
            return "unix"

    return Handler


def project(name: str = "shop", **changes: Any) -> dict[str, Any]:
    """Return a project as the control API shows it."""
    return {
        "name": name,
        "root": f"/src/{name}",
        "group": "default",
        "repo": "0" * 40,
        "branch": "main",
        "head": "1" * 40,
        "state": "ready",
        "reason": "",
        "generation": 3,
        "files": 12,
        "chunks": 345,
        "skipped": 2,
        "pending": 0,
        "languages": {"python": 12},
        "freshness": "current",
        "checked_at": None,
        "watching": "events",
        "hooks": "installed",
        "progress": None,
        "history": None,
        **changes,
    }


def daemon_status(*projects: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a status as the control API shows it."""
    return {
        "version": __version__,
        "pid": 4_194_300,
        "uptime_s": 75.0,
        "state_dir": "/state",
        "http": "http://127.0.0.1:9876",
        "socket": "/run/control.sock",
        "embedder": {"provider": "static", "model": "m", "dimension": 256, "fingerprint": "f"},
        "store": "edge",
        "memory_bytes": {"daemon": 50 << 20, "store": 70 << 20},
        "problems": [],
        "offers": [],
        "projects": list(projects),
        **changes,
    }


def hit(**changes: Any) -> dict[str, Any]:
    """Return a search result as the control API shows it."""
    return {
        "project": "shop",
        "path": "src/cart.py",
        "start_line": 9,
        "end_line": 11,
        "address": "shop:src/cart.py#Cart.total",
        "score": 0.8123,
        "confidence": "high",
        "language": "python",
        "kind": "method",
        "symbol": "Cart.total",
        "symbol_end": None,
        "text": "def total(self):\n    # sum\n    return sum(self.prices)",
        "defines": ["Cart.total"],
        "uses": ["sum"],
        "also_in": [],
        **changes,
    }


def freshness(state: str = "current", **changes: Any) -> dict[str, Any]:
    """Return the freshness of one project as the control API shows it."""
    return {
        "project": "shop",
        "generation": 3,
        "head": None,
        "state": state,
        "reason": "",
        "pending": 0,
        "checked_at": None,
        **changes,
    }


def answer(*hits: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a search answer as the control API shows it."""
    return {
        "query": "q",
        "results": list(hits),
        "freshness": [freshness()],
        "notes": [],
        "took_ms": 1.0,
        "total_candidates": len(hits),
        "tokens": 1234,
        "next_offset": None,
        **changes,
    }
