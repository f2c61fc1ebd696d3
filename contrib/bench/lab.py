"""What the scripts share: a daemon in a scratch directory, figures from /proc, one table.

The daemon is the one of the source tree that the script lies in, run by the Python that runs the
script. It reads no settings of yours, listens on a free port, and everything it writes is removed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE))

from tests.harness.daemon import Daemon  # noqa: E402 - needs the path above

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence

ROLES = {
    "paparatsd.indexing.worker": "workers",
    "paparatsd.store.edge_child": "store",
    "paparatsd.search.child": "search",
}
"""Module of a child process -> what its row is called."""
MEGABYTE = 1 << 20

__all__ = ["SOURCE", "Daemon"]


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """Make a directory that is gone afterwards."""
    path = Path(tempfile.mkdtemp(prefix="paparats-bench-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.asynccontextmanager
async def running(home: Path, options: Mapping[str, str] | None = None) -> AsyncIterator[Daemon]:
    """Start a daemon with its directories under `home`; stop it at the end, frozen or not."""
    daemon = Daemon(home, options={"PYTHONWARNINGS": "ignore", **(options or {})})
    await daemon.start()
    try:
        yield daemon
    finally:
        if daemon.process is not None:
            daemon.thaw()
            await daemon.stop(within_s=60)


async def until_ready(daemon: Daemon, *names: str, within_s: float = 3600.0) -> float:
    """Wait until these projects (or all) are ready and current; return the seconds it took."""
    started = time.perf_counter()
    while True:
        projects = (await daemon.status())["projects"]
        states = {one["name"]: (one["state"], one["freshness"]) for one in projects}
        wanted = [states.get(name) for name in names or states]
        if all(found is not None and is_settled(*found) for found in wanted):
            return time.perf_counter() - started
        failed = any(found is not None and found[0] == "error" for found in wanted)
        if failed or time.perf_counter() - started > within_s:
            raise SystemExit(f"not ready: {states}\n{daemon.log_tail()}")
        await asyncio.sleep(0.05)


def is_settled(state: str, freshness: str) -> bool:
    """Say whether a project shows what is on disk; `ready` alone holds while a look is due."""
    return state == "ready" and freshness != "stale"


def git(root: Path, *arguments: str, ok: Sequence[int] = (0,)) -> str:
    """Run git in a checkout and return its output."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
    )
    if done.returncode not in ok:
        raise SystemExit(f"git {' '.join(arguments)} in {root}: {done.stderr.strip()}")
    return done.stdout


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


# ---------------------------------------------------------------------- processes


def processes(daemon_pid: int) -> dict[int, str]:
    """Return pid -> role of the daemon and its children; what is not ours to name is `git`."""
    found = {daemon_pid: "daemon"}
    own_words = _read(f"/proc/{daemon_pid}/cmdline")
    for task in _numbers(Path(f"/proc/{daemon_pid}/task")):
        for child in _read(f"/proc/{daemon_pid}/task/{task}/children").split():
            words = _read(f"/proc/{child}/cmdline")
            if words in ("", own_words):  # about to become another program, or gone
                continue
            roles = (ROLES[word] for word in words.split("\0") if word in ROLES)
            found[int(child)] = next(roles, "git")
    return found


def peak_bytes(pid: int) -> int:
    """Return the largest resident size that a process has had."""
    return _status_kilobytes(pid, "VmHWM:") << 10


def resident_bytes(pid: int) -> int:
    """Return the resident size of a process, its share of mapped files included."""
    return _status_kilobytes(pid, "VmRSS:") << 10


def _status_kilobytes(pid: int, field_name: str) -> int:
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith(field_name):
            return int(line.split()[1])
    return 0


def _numbers(directory: Path) -> list[int]:
    try:
        return [int(entry.name) for entry in directory.iterdir()]
    except OSError:  # the process has ended
        return []


def _read(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:  # the process has ended
        return ""


@dataclass
class Peaks:
    """Follows the memory of a daemon and its children while something goes on."""

    by_role: dict[str, int] = field(default_factory=dict)
    together: int = 0
    """The largest sum of resident sizes seen at one moment; shared pages count in each."""

    @contextlib.asynccontextmanager
    async def follow(self, daemon_pid: int, every_s: float = 0.1) -> AsyncIterator[None]:
        """Look again and again until the block ends."""

        async def look() -> None:
            while True:
                self.look(daemon_pid)
                await asyncio.sleep(every_s)

        task = asyncio.create_task(look())
        try:
            yield
        finally:
            task.cancel()
            self.look(daemon_pid)

    def look(self, daemon_pid: int) -> None:
        """Take in what /proc says now; several processes of one role add up."""
        now: dict[str, int] = defaultdict(int)
        together = 0
        for pid, role in processes(daemon_pid).items():
            now[role] += peak_bytes(pid)
            together += resident_bytes(pid)
        self.together = max(self.together, together)
        for role, size in now.items():
            self.by_role[role] = max(self.by_role.get(role, 0), size)


@dataclass(frozen=True)
class Usage:
    """What a process has used so far."""

    cpu_s: float = 0.0
    slices: Mapping[int, int] = field(default_factory=dict)
    """Thread -> how often it was put on a processor: wake-ups, when idle."""
    written: int = 0
    """Bytes for a disk, also those that the kernel has yet to send there."""
    writes: int = 0
    """Calls of `write`, also to pipes and sockets."""
    children_cpu_s: float = 0.0
    """Of children that have ended, as git has."""


def usage(pid: int) -> Usage:
    """Read the counters of a process; zeros when it has ended."""
    slices = {}
    for thread in _numbers(Path(f"/proc/{pid}/task")):
        numbers = _read(f"/proc/{pid}/task/{thread}/schedstat").split()
        if len(numbers) == 3:
            slices[thread] = int(numbers[2])
    io = dict(line.split(": ") for line in _read(f"/proc/{pid}/io").splitlines())
    after_name = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    ticks = int(after_name[13]) + int(after_name[14]) if after_name else 0
    return Usage(
        cpu_s=_cpu_s(pid),
        slices=slices,
        written=int(io.get("write_bytes", 0)),
        writes=int(io.get("syscw", 0)),
        children_cpu_s=ticks / os.sysconf("SC_CLK_TCK"),
    )


def cpu_s_by_role(daemon_pid: int) -> dict[str, float]:
    """Return the processor time used so far; ended children, git mostly, are one role."""
    found: dict[str, float] = defaultdict(float)
    for pid, role in processes(daemon_pid).items():
        found[role] += _cpu_s(pid)
    found["git"] = usage(daemon_pid).children_cpu_s
    return found


def _cpu_s(pid: int) -> float:
    """Read the clock of a process: all its threads, ended ones too, in nanoseconds.

    /proc/PID/stat counts in steps of 10 ms, more than an idle process uses in ten seconds.
    """
    scheduler_clock = 2
    try:
        return time.clock_gettime((~pid << 3) | scheduler_clock)
    except OSError:  # the process has ended
        return 0.0


# ---------------------------------------------------------------------- figures


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def ms(seconds: float) -> str:
    """Write seconds as milliseconds."""
    value = seconds * 1e3
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def p50_p99(seconds: Sequence[float]) -> str:
    """Write median and 99th percentile in milliseconds."""
    return f"{ms(quantile(seconds, 0.5))} / {ms(quantile(seconds, 0.99))}"


def p50_max(seconds: Sequence[float]) -> str:
    """Write median and maximum in milliseconds."""
    return f"{ms(quantile(seconds, 0.5))} / {ms(max(seconds))}"


def megabytes(size: float) -> str:
    """Write bytes as megabytes."""
    return f"{size / MEGABYTE:.0f} MB"


@dataclass
class Table:
    """Rows of text under a heading, printed with aligned columns."""

    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        """Add a row; missing cells stay empty."""
        self.rows.append([*cells, *[""] * (len(self.columns) - len(cells))])

    def print(self, right_from: int = 1) -> None:
        """Print; columns from `right_from` on are aligned to the right."""
        lines = [self.columns, *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.columns))]
        for number, line in enumerate(lines):
            cells = [
                cell.rjust(width) if column >= right_from else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            ]
            print("  ".join(cells).rstrip())
            if number == 0:
                print("  ".join("-" * width for width in widths))

    def records(self) -> list[dict[str, str]]:
        """Return the rows as objects, for JSON."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def load() -> str:
    """Say how busy the machine is: absolute times mean little without it."""
    one, five, _ = os.getloadavg()
    return f"load {one:.1f} (1 min), {five:.1f} (5 min) on {os.cpu_count()} processors"


def write_json(path: Path | None, content: dict[str, Any]) -> None:
    """Write the figures for a program to read, when asked to."""
    if path is not None:
        path.write_text(json.dumps(content, indent=2) + "\n")
