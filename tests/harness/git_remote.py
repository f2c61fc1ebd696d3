"""A repository elsewhere: a bare one that is pushed to, and a smart HTTP server in front of it.

with GitServer(directory) as server:
    server.url("shop")           # http://127.0.0.1:PORT/shop.git
"""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from tests.harness.repos import GIT_DEADLINE_S, Repo

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Upstream:
    """A bare repository, and the checkout from which tests push to it."""

    def __init__(self, top: Path, name: str = "shop", *, object_format: str = "sha1") -> None:
        self.bare = top / f"{name}.git"
        self.work = Repo.create(top / f"{name}-work", object_format=object_format)
        self.work.git(
            "init", "--quiet", "--bare", "--initial-branch=main",
            f"--object-format={object_format}", str(self.bare),
        )  # fmt: skip
        self.work.git("remote", "add", "origin", str(self.bare))

    @property
    def url(self) -> str:
        """The address of the bare repository on this disk."""
        return f"file://{self.bare}"

    def push(self, files: Mapping[str, str | bytes], message: str = "A commit") -> str:
        """Commit these files on the branch that is checked out, push it, return the commit."""
        self.work.write_all(files)
        commit = self.work.commit(message)
        self.work.git("push", "--quiet", "--force", "origin", "HEAD")
        return commit

    def set_default(self, branch: str) -> None:
        """Have the remote's HEAD name another branch."""
        self.work.git("--git-dir", str(self.bare), "symbolic-ref", "HEAD", f"refs/heads/{branch}")


class GitServer:
    """Serves the bare repositories of a directory over smart HTTP on a free port of loopback.

    With `credential` ("user:token") it lets nobody else in. `moved_to` answers everything with a
    redirect. `requests` has each request's path and its Authorization header.
    """

    def __init__(self, top: Path, *, credential: str = "", moved_to: str = "") -> None:
        self.top = top
        self.credential = credential
        self.moved_to = moved_to
        self.status = 0
        """Answer everything with this status; 0: serve."""
        self.requests: list[tuple[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    def __enter__(self) -> Self:
        """Serve from now on."""
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    def refusal(self, path: str, sent: str) -> tuple[int, dict[str, str]]:
        """Return with what to answer a request that is not served; 0 for one that is."""
        wanted = "Basic " + base64.b64encode(self.credential.encode()).decode()
        if self.moved_to:
            return 301, {"Location": self.moved_to + path}
        if self.credential and sent != wanted:
            return 401, {"WWW-Authenticate": 'Basic realm="git"'}
        return self.status, {}

    def url(self, name: str) -> str:
        """Return the URL of a repository."""
        return f"http://127.0.0.1:{self.port}/{name}.git"


def _handler(server: GitServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def log_message(self, *_arguments: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            """Serve."""
            self._serve(b"")

        def do_POST(self) -> None:
            """Serve."""
            self._serve(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

        def _serve(self, body: bytes) -> None:
            sent = self.headers.get("Authorization") or ""
            server.requests.append((self.path, sent))
            status, headers = server.refusal(self.path, sent)
            if status:
                self._plain(status, headers)
            else:
                self._backend(body)

        def _plain(self, status: int, headers: Mapping[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _backend(self, body: bytes) -> None:
            headers, answer = _ask_git(server.top, self, body)
            self.send_response(int(headers.pop("Status", "200 OK").split()[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

    return Handler


def _ask_git(
    top: Path, request: BaseHTTPRequestHandler, body: bytes
) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of what git's own CGI program answers."""
    path, _, query = request.path.partition("?")
    sent = request.headers
    environment = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_PROJECT_ROOT": str(top),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "REQUEST_METHOD": request.command,
        "CONTENT_TYPE": sent.get("Content-Type") or "",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": sent.get("Content-Encoding") or "",
        "GIT_PROTOCOL": sent.get("Git-Protocol") or "",
    }
    done = subprocess.run(
        ["git", "http-backend"],
        input=body,
        env=environment,
        capture_output=True,
        timeout=GIT_DEADLINE_S,
        check=False,
    )
    head, _, answer = done.stdout.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    return dict(line.split(": ", 1) for line in lines if ": " in line), answer
