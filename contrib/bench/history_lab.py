"""What the parts of the history benchmark share: one subject, and waiting for its history."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lab
from lab import Daemon, git, is_settled

from paparatsd.chunks.address import format_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import httpx

NAME = "subject"
LOOK_AGAIN_S = 0.004
WITHIN_S = 3600.0
DONE = ("ready", "limited")

lab.ROLES.setdefault("paparatsd.history.child", "history")


@dataclass
class Subject:
    """One repository that a daemon follows."""

    daemon: Daemon
    home: Path
    tree: Path
    name: str = NAME
    blamed: int = 60

    def git(self, *arguments: str) -> str:
        """Run git in the checkout, with its hooks."""
        return git(self.tree, *arguments)

    def quiet_git(self, *arguments: str) -> str:
        """Run git in the checkout as if no hooks were installed."""
        nothing = self.home / "no-hooks"
        nothing.mkdir(exist_ok=True)
        return git(self.tree, "-c", f"core.hooksPath={nothing}", *arguments)

    def head(self) -> str:
        """Return the id of the checked out commit."""
        return self.git("rev-parse", "HEAD").strip()

    async def status(self, http: httpx.AsyncClient, name: str = "") -> dict[str, Any]:
        """Return the status of one project."""
        reply = await http.get("/v1/status")
        projects = {one["name"]: one for one in reply.json()["projects"]}
        found: dict[str, Any] = projects[name or self.name]
        return found

    async def log(
        self, http: httpx.AsyncClient, path: str, start: int, end: int, limit: int = 200
    ) -> dict[str, Any]:
        """Return the history of some lines."""
        address = format_lines(self.name, path, start, end)
        reply = await http.post("/v1/log", json={"address": address, "limit": limit})
        answer: dict[str, Any] = reply.json()
        return answer

    async def until(
        self,
        satisfied: Callable[[dict[str, Any]], bool],
        started: float,
        name: str = "",
        every_s: float = LOOK_AGAIN_S,
    ) -> float:
        """Return the seconds since `started` when the status satisfies."""
        async with self.daemon.client() as http:
            while not satisfied(found := await self.status(http, name)):
                if time.perf_counter() - started > WITHIN_S:
                    raise SystemExit(f"waited in vain: {found}\n{self.daemon.log_tail()}")
                await asyncio.sleep(every_s)
        return time.perf_counter() - started

    async def until_named(self, path: str, line: int, commit: str, started: float) -> float:
        """Return the seconds since `started` when the history of a line begins with a commit."""
        answer: dict[str, Any] = {}
        async with self.daemon.client() as http:
            while time.perf_counter() - started < WITHIN_S:
                answer = await self.log(http, path, line, line, 1)
                named = [one["commit"]["id"] for one in answer.get("commits", ())]
                if named == [commit]:
                    return time.perf_counter() - started
                await asyncio.sleep(LOOK_AGAIN_S)
        raise SystemExit(f"{commit} was never named: {answer}\n{self.daemon.log_tail()}")


def is_shown(status: dict[str, Any], head: str | None = None) -> bool:
    """Say whether the index shows what is on disk, of this commit."""
    settled = is_settled(status["state"], status["freshness"]) and not status["pending"]
    return settled and head in (None, status["head"])


def is_told(status: dict[str, Any], head: str | None = None) -> bool:
    """Say whether, besides, every chunk has its history."""
    history = status["history"]
    return is_shown(status, head) and history is not None and history["state"] in DONE


def children(pid: int) -> list[int]:
    """Return the processes that a process has started; none when it has ended."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


@dataclass(frozen=True)
class Run:
    """What a command took."""

    wall_s: float
    cpu_s: float
    peak_bytes: int


def spent(tree: Path, commands: Sequence[Sequence[str]]) -> Run:
    """Run commands of git one after the other, their output thrown away."""
    started = time.perf_counter()
    cpu_s, peak = 0.0, 0
    for command in commands:
        process = subprocess.Popen(
            ["git", *command], cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"git {' '.join(command)} failed")
        cpu_s += used.ru_utime + used.ru_stime
        peak = max(peak, used.ru_maxrss << 10)
    return Run(time.perf_counter() - started, cpu_s, peak)


def seconds(value: float) -> str:
    """Write a duration in the unit that suits it."""
    if value >= 10:
        return f"{value:.1f} s"
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.0f} ms"
