"""A daemon of our own, started, asked and stopped by plain calls.

No event loop: a signal that ends the script must find its way through every `finally`, and threads
of a loop that died would keep the process.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from tests.harness.daemon import Daemon

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

START_S = 60.0
STOP_S = 6.0
"""How long the daemon may take to end; all it could still write is deleted anyway."""
CALL_S = 60.0
INDEX_S = 3600.0
LOOK_S = 0.05
SOCKET_PATH_BYTES = 100
SEARCHABLE = ("ready", "degraded")
"""Degraded is searchable too: a directory that an outer repository ignores is read without git."""


class DaemonUnusable(Exception):
    """The daemon did not start, could not index or failed to answer; carries the end of its log."""


class QueryRefused(Exception):
    """The daemon says that the query itself cannot be asked."""


@dataclass(frozen=True)
class Service:
    """A running daemon, asked over one connection to its Unix socket."""

    daemon: Daemon
    process: subprocess.Popen[bytes]
    client: httpx.Client

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Make one call; raises QueryRefused for a 4xx, DaemonUnusable for anything else."""
        try:
            reply = self.client.request(method, path, json=body)
            answer: dict[str, Any] = reply.json()
        except (httpx.HTTPError, ValueError) as error:
            raise DaemonUnusable(f"{method} {path}: {error!r}\n{self.daemon.log_tail()}") from error
        if reply.status_code >= 400:
            said = f"{reply.status_code} {answer.get('error', {}).get('message', '?')}"
            if reply.status_code < 500:
                raise QueryRefused(said)
            raise DaemonUnusable(f"{method} {path}: {said}\n{self.daemon.log_tail()}")
        return answer

    def index(self, roots: Sequence[Path], within_s: float = INDEX_S) -> list[dict[str, Any]]:
        """Register directories, wait until all can be searched, and return their states.

        Their names are what the daemon makes of their paths, as for a user: a project's own name
        means little in a question about it.
        """
        deadline = time.monotonic() + within_s
        names = [self._register(root) for root in roots]
        while True:
            projects = {one["name"]: one for one in self.call("GET", "/v1/status")["projects"]}
            if all(is_searchable(projects[name]) for name in names):
                return [projects[name] for name in names]
            stuck = [one for one in projects.values() if one["state"] in ("error", "missing")]
            if stuck or time.monotonic() > deadline:
                told = {name: (one["state"], one["reason"]) for name, one in projects.items()}
                raise DaemonUnusable(f"not searchable: {told}\n{self.daemon.log_tail()}")
            time.sleep(LOOK_S)

    def _register(self, root: Path) -> str:
        try:
            answer = self.call("POST", "/v1/projects", {"path": str(root), "hooks": False})
        except QueryRefused as error:
            raise DaemonUnusable(f"cannot register {root}: {error}") from None
        return str(answer["project"]["name"])

    def search(self, query: str, *, project: str, limit: int) -> list[dict[str, Any]]:
        """Return the results of one project, best first, as the service gives them."""
        body = {"query": query, "limit": limit, "projects": [project]}
        results: list[dict[str, Any]] = self.call("POST", "/v1/search", body)["results"]
        return results


def is_searchable(project: dict[str, Any]) -> bool:
    """Say whether a project shows all that is on disk."""
    settled = project["freshness"] != "stale" and project["pending"] == 0
    return bool(settled and project["state"] in SEARCHABLE)


@contextlib.contextmanager
def running(flags: Sequence[str] = ()) -> Iterator[Service]:
    """Yield a started daemon with directories of its own; at the end stop it and delete them.

    `flags` are for its command line. Raises DaemonUnusable when it does not start.
    """
    with scratch_home() as home:
        daemon = Daemon(home, {"PYTHONWARNINGS": "ignore"}, flags)
        (home / "home").mkdir()
        with (home / "daemon.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "paparatsd", *flags],
                env=daemon.environment,
                cwd=home,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            wait_for_socket(daemon, process)
            with socket_client(daemon) as client:
                yield Service(daemon, process, client)
        finally:
            stop(process)


@contextlib.contextmanager
def scratch_home() -> Iterator[Path]:
    """Yield a directory for the daemon, in $QUALITY_CACHE_DIR if a socket's path fits there."""
    cache = os.environ.get("QUALITY_CACHE_DIR")
    longest = Path(cache or "/") / "ppd-12345678" / "run" / "control.sock"
    if len(os.fsencode(longest)) > SOCKET_PATH_BYTES:
        cache = None
    with tempfile.TemporaryDirectory(prefix="ppd-", dir=cache, ignore_cleanup_errors=True) as home:
        yield Path(home)


def wait_for_socket(daemon: Daemon, process: subprocess.Popen[bytes]) -> None:
    """Wait until the daemon answers; raises DaemonUnusable when it ends or stays silent."""
    deadline = time.monotonic() + START_S
    while True:
        with contextlib.suppress(httpx.HTTPError), socket_client(daemon) as client:
            client.get("/v1/status")
            return
        if process.poll() is not None:
            raise DaemonUnusable(
                f"the daemon ended with code {process.returncode}\n{daemon.log_tail()}"
            )
        if time.monotonic() > deadline:
            raise DaemonUnusable(f"the daemon was silent for {START_S} s\n{daemon.log_tail()}")
        time.sleep(LOOK_S)


def socket_client(daemon: Daemon) -> httpx.Client:
    """Return a client that keeps one connection to the daemon's socket."""
    return httpx.Client(
        transport=httpx.HTTPTransport(uds=str(daemon.socket_path), verify=False),
        base_url="http://localhost",
        timeout=CALL_S,
    )


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the daemon; one that does not end in time is killed, and its children with it."""
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
