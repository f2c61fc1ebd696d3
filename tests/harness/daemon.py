"""The daemon as a process, for tests from the outside.

    async with running_daemon() as daemon:
        await daemon.add(repo.root, name="marmots")
        await daemon.settle("marmots")
        assert await daemon.paths("where do marmots sleep")

Each daemon has directories of its own and a notification socket of ours: `start` returns when it
has said READY=1, never after a guessed time.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote

import anyio
import anyio.to_thread
import httpx

from tests.harness.repos import git_environment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

START_S = 30.0
STOP_S = 10.0
CALL_S = 30.0
SETTLE_S = 120.0
LOOK_S = 0.3
LOG_TAIL_CHARS = 6_000
PACKAGE_ROOT = Path(__file__).resolve().parents[2]


class DaemonFailed(AssertionError):
    """The daemon did not start, did not stop or ended by itself; carries the end of its log."""


class Refusal(Exception):
    """The control API answered with an error."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message = status, code, message


class NotificationSocket:
    """Receives what a service tells its manager (`sd_notify`)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.received: list[dict[str, str]] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))

    def wait(
        self,
        wanted: Callable[[Mapping[str, str]], bool],
        within_s: float,
        still_running: Callable[[], bool] = lambda: True,
    ) -> bool:
        """Block until a message satisfies `wanted`; False after the time or the sender's end."""
        step_s = 0.05  # how late the end of a process without a message is noticed
        self._socket.settimeout(step_s)
        waited = 0.0
        while waited < within_s:
            try:
                data = self._socket.recv(65_536)
            except TimeoutError:
                waited += step_s
                if not still_running():
                    return False
                continue
            message = dict(line.split("=", 1) for line in data.decode().splitlines() if "=" in line)
            self.received.append(message)
            if wanted(message):
                return True
        return False

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()


@dataclass
class Daemon:
    """One daemon with its own directories under `home`; restartable."""

    home: Path
    options: Mapping[str, str] = field(default_factory=dict)
    arguments: Sequence[str] = ()
    process: subprocess.Popen[bytes] | None = None
    _notify: NotificationSocket | None = None
    _log: IO[bytes] | None = None

    # ------------------------------------------------------------------ the process

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the daemon and of the CLI that belongs to it."""
        variables = git_environment(self.home / "home")
        variables |= {
            "PAPARATS_STATE_DIR": str(self.home / "state"),
            "PAPARATS_CONFIG_DIR": str(self.home / "config"),
            "PAPARATS_CACHE_DIR": str(self.home / "cache"),
            "PAPARATS_DATA_DIR": str(self.home / "data"),
            "PAPARATS_RUNTIME_DIR": str(self.home / "run"),
            "PAPARATS_PORT": "0",
            "PYTHONPATH": str(PACKAGE_ROOT),
            "PYTHONWARNINGS": "default",
        }
        return {**variables, **self.options}

    @property
    def socket_path(self) -> Path:
        """Where the control API listens."""
        return self.home / "run" / "control.sock"

    @property
    def state(self) -> Path:
        """The state directory."""
        return self.home / "state"

    @property
    def pid(self) -> int:
        """The process id of the running daemon."""
        assert self.process is not None, "the daemon is not running"
        return self.process.pid

    @property
    def notifications(self) -> list[dict[str, str]]:
        """What the daemon told its service manager since the last start."""
        return self._notify.received if self._notify is not None else []

    async def start(self, within_s: float = START_S) -> None:
        """Start the process and return when it is ready; raises DaemonFailed."""
        assert self.process is None, "the daemon is running already"
        (self.home / "home").mkdir(parents=True, exist_ok=True)
        path = self.home / "notify.sock"
        path.unlink(missing_ok=True)
        self._notify = NotificationSocket(path)
        self._log = (self.home / "daemon.log").open("ab")
        process = subprocess.Popen(  # noqa: ASYNC220 - a fork of milliseconds
            [sys.executable, "-m", "paparatsd", *self.arguments],
            env={**self.environment, "NOTIFY_SOCKET": str(path)},
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )
        self.process = process
        if not await self.notified("READY", "1", within_s=within_s):
            code = process.poll()
            self.kill()
            how = f"ended with code {code}" if code is not None else f"was silent for {within_s} s"
            raise DaemonFailed(f"the daemon {how} instead of getting ready\n{self.log_tail()}")

    async def notified(self, key: str, value: str, *, within_s: float = CALL_S) -> bool:
        """Wait until the daemon tells its service manager `key=value`."""
        notify, process = self._notify, self.process
        assert notify is not None
        assert process is not None
        return await anyio.to_thread.run_sync(
            lambda: notify.wait(
                lambda message: message.get(key) == value,
                within_s,
                lambda: process.poll() is None,
            )
        )

    async def wait(self, within_s: float = STOP_S) -> int:
        """Wait for the process to end by itself and return its exit code."""
        process = self.process
        assert process is not None, "the daemon is not running"
        try:
            code = await anyio.to_thread.run_sync(lambda: process.wait(within_s))
        except subprocess.TimeoutExpired:
            self.kill()
            raise DaemonFailed(
                f"the daemon did not end within {within_s} s\n{self.log_tail()}"
            ) from None
        self._ended()
        return code

    async def stop(self, within_s: float = STOP_S) -> int:
        """Send SIGTERM, wait for the end and return the exit code."""
        self.signal(signal.SIGTERM)
        return await self.wait(within_s)

    async def restart(self) -> None:
        """Stop (unless it ended) and start again with the same directories."""
        if self.process is not None:
            await self.stop()
        await self.start()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the daemon itself, not to its children."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """End it as `kill -9` and crashes do; the children are left to notice."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self._ended()

    def kill_child(self, name: str) -> None:
        """End the child that runs `paparatsd.NAME.child`, as crashes do."""
        os.kill(self.child_pid(f"{name}.child"), signal.SIGKILL)

    def child_pid(self, module: str) -> int:
        """Return the process id of the child that runs `paparatsd.MODULE`."""
        for entry in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split():
            if f"paparatsd.{module}" in Path(f"/proc/{entry}/cmdline").read_text():
                return int(entry)
        raise DaemonFailed(f"no child {module!r} is running")

    def freeze(self) -> None:
        """Stop the daemon where it stands (SIGSTOP)."""
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen daemon go on (SIGCONT)."""
        self.signal(signal.SIGCONT)

    def _ended(self) -> None:
        self.process = None
        if self._notify is not None:
            self._notify.close()
        if self._log is not None:
            self._log.close()
        self._notify = self._log = None

    def log_text(self) -> str:
        """Return everything that this daemon has logged, over all starts."""
        path = self.home / "daemon.log"
        return path.read_bytes().decode(errors="replace") if path.exists() else ""

    def log_tail(self) -> str:
        """Return the end of the log."""
        return self.log_text()[-LOG_TAIL_CHARS:]

    # ------------------------------------------------------------------ the CLI

    async def cli(
        self, *arguments: str, within_s: float = CALL_S
    ) -> subprocess.CompletedProcess[str]:
        """Run `paparats` against this daemon."""
        return await anyio.to_thread.run_sync(
            lambda: subprocess.run(
                [sys.executable, "-m", "paparatsd.interfaces.cli.main", *arguments],
                env=self.environment,
                cwd=self.home,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=within_s,
                check=False,
            )
        )

    # ------------------------------------------------------------------ the control API

    def client(self, within_s: float = CALL_S) -> httpx.AsyncClient:
        """Return an HTTP client of the control socket; close it with `async with`."""
        return httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=str(self.socket_path), verify=False),
            base_url="http://localhost",
            timeout=within_s,
        )

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        within_s: float = CALL_S,
        **parameters: str | int,
    ) -> dict[str, Any]:
        """Make one call and return its JSON; raises Refusal."""
        async with self.client(within_s) as client:
            reply = await client.request(method, path, json=body, params=parameters)
        answer: dict[str, Any] = reply.json()
        if reply.status_code >= 400:
            error = answer.get("error", {})
            raise Refusal(reply.status_code, error.get("code", "?"), error.get("message", "?"))
        return answer

    async def add(
        self,
        root: Path,
        *,
        name: str | None = None,
        group: str | None = None,
        hooks: bool = False,
    ) -> str:
        """Register a directory and return its project name; does not wait for the index."""
        body: dict[str, Any] = {"path": str(root), "hooks": hooks}
        body |= {key: value for key, value in (("name", name), ("group", group)) if value}
        answer = await self.call("POST", "/v1/projects", body)
        return str(answer["project"]["name"])

    async def remove(self, name: str) -> None:
        """Forget a project."""
        await self.call("DELETE", f"/v1/projects/{quote(name)}")

    async def settle(
        self, *names: str, history: bool = False, within_s: float = SETTLE_S
    ) -> list[dict[str, Any]]:
        """Have the daemon compare the index with the disk now, and wait until nothing is pending.

        Without names all projects; with `history` that is settled, too. Returns the freshness of
        each.
        """
        fresh: list[dict[str, Any]] = []
        named: list[dict[str, Any]] = [{"project": name} for name in names]
        for body in named or [{}]:
            body |= {"history": True} if history else {}
            answer = await self.call("POST", "/v1/flush", body, within_s=within_s)
            fresh += answer["freshness"]
        assert all(one["pending"] == 0 for one in fresh), fresh
        return fresh

    async def wait_until(
        self, satisfied: Callable[[dict[str, Any]], bool], within_s: float = CALL_S
    ) -> dict[str, Any]:
        """Wait until the status satisfies and return it; looks again at each progress event.

        And at the latest after `LOOK_S`, since not every change of the status is an event.
        """
        moved = anyio.Event()

        async def listen() -> None:
            nonlocal moved
            async for _ in self.events(within_s):
                moved.set()
                moved = anyio.Event()

        with anyio.fail_after(within_s):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(listen)
                while not satisfied(status := await self.status()):
                    with anyio.move_on_after(LOOK_S):
                        await moved.wait()
                tasks.cancel_scope.cancel()
        return status

    async def wait_ready(self, *names: str, within_s: float = SETTLE_S) -> None:
        """Wait until these projects (or all) are `ready`, without asking for a reconcile."""

        def satisfied(status: dict[str, Any]) -> bool:
            states = {one["name"]: one["state"] for one in status["projects"]}
            return all(states.get(name) == "ready" for name in names or states)

        await self.wait_until(satisfied, within_s)

    async def events(self, within_s: float = CALL_S) -> AsyncIterator[dict[str, Any]]:
        """Yield progress events as they come."""
        async with self.client(within_s) as client, client.stream("GET", "/v1/events") as reply:
            async for line in reply.aiter_lines():
                yield json.loads(line)

    async def status(self) -> dict[str, Any]:
        """Return the whole status."""
        return await self.call("GET", "/v1/status")

    async def project(self, name: str) -> dict[str, Any]:
        """Return the status of one project."""
        projects = {one["name"]: one for one in (await self.status())["projects"]}
        assert name in projects, f"no project {name!r} among {sorted(projects)}"
        found: dict[str, Any] = projects[name]
        return found

    async def skipped(self, name: str) -> dict[str, str]:
        """Return path -> reason of a project's skipped files."""
        answer = await self.call("GET", "/v1/skipped", project=name)
        return {one["path"]: one["reason"] for one in answer["projects"][name]}

    async def answer(self, query: str, **options: Any) -> dict[str, Any]:
        """Search and return the whole answer; options as in the body of POST /v1/search."""
        return await self.call("POST", "/v1/search", {"query": query, **options})

    async def search(self, query: str, **options: Any) -> list[dict[str, Any]]:
        """Search and return the results."""
        results: list[dict[str, Any]] = (await self.answer(query, **options))["results"]
        return results

    async def paths(self, query: str, **options: Any) -> list[str]:
        """Search and return the paths of the results, best first."""
        return [hit["path"] for hit in await self.search(query, **options)]

    async def show(self, address: str, radius: int = 0) -> dict[str, Any]:
        """Return the chunk at an address."""
        return await self.call("GET", "/v1/show", address=address, radius=radius)

    async def log(self, address: str, limit: int = 200) -> dict[str, Any]:
        """Return the history of the place at an address."""
        return await self.call("POST", "/v1/log", {"address": address, "limit": limit})

    async def http_url(self) -> str:
        """Return the base URL of the TCP listener, without a final slash."""
        url = str((await self.status())["http"])
        return url.rstrip("/")

    async def mcp_url(self) -> str:
        """Return the address of the coding toolset."""
        return f"{await self.http_url()}/mcp"


def make_home() -> Path:
    """Return a new short directory: the path of a Unix socket holds about 100 bytes."""
    return Path(tempfile.mkdtemp(prefix="ppd-"))


def clean_home(home: Path) -> None:
    """Delete such a directory."""
    shutil.rmtree(home, ignore_errors=True)


@contextlib.asynccontextmanager
async def running_daemon(
    options: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
    *,
    start: bool = True,
) -> AsyncIterator[Daemon]:
    """Yield a started daemon; at the end stop it (kill it if a test froze it) and clean up."""
    daemon = Daemon(make_home(), options or {}, arguments)
    try:
        if start:
            await daemon.start()
        yield daemon
    finally:
        daemon.kill()
        clean_home(daemon.home)
