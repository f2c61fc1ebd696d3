"""What the daemon does when there is nothing to do: processor, wake-ups, writes, memory.

    python contrib/bench/idle.py [DIR...] [--projects N] [--files N] [--seconds N] [--json OUT]

Registers the given checkouts (nothing is written into them), or N made ones, waits until all are
ready and the first rush is over, and then compares the counters of /proc before and after a pause
in which nobody asks anything. The pause is not disturbed: the script sleeps through it.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab import (
    Table,
    Usage,
    load,
    megabytes,
    processes,
    resident_bytes,
    running,
    scratch,
    until_ready,
    usage,
    write_json,
)

from tests.harness.repos import Repo, many_modules

if TYPE_CHECKING:
    from collections.abc import Sequence

QUIET_WITHIN_S = 180.0
QUIET_CPU = 0.02
LOOK_S = 3.0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("directories", nargs="*", type=Path, metavar="DIR", help="checkouts")
    parser.add_argument("--projects", type=int, default=20, help="how many to make without DIR")
    parser.add_argument("--files", type=int, default=100, help="in each project made")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to watch")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the table here")
    arguments = parser.parse_args()
    with scratch() as home:
        roots = [path.resolve() for path in arguments.directories] or [
            Repo.create(home / f"project{number}", many_modules(arguments.files)).root
            for number in range(arguments.projects)
        ]
        asyncio.run(run(home, roots, arguments.seconds, arguments.json))
    return 0


async def run(home: Path, roots: Sequence[Path], seconds: float, json_path: Path | None) -> None:
    async with running(home) as daemon:
        for root in roots:
            await daemon.add(root)
        await until_ready(daemon)
        await daemon.answer("wake the search process, it belongs to a daemon in use")
        waited = await until_quiet(daemon.pid)
        projects = (await daemon.status())["projects"]
        files_before = disk_state(home)
        before = {pid: usage(pid) for pid in processes(daemon.pid)}
        begin = load()
        await asyncio.sleep(seconds)
        found = measure(daemon.pid, before)
        changed = sorted(set(disk_state(home)) ^ set(files_before))
    chunks = sum(one["chunks"] for one in projects)
    print(
        f"{len(projects)} projects, {sum(one['files'] for one in projects)} files, {chunks} chunks;"
        f" quiet after {waited:.0f} s, then watched for {seconds:g} s; {begin}; {load()}\n"
    )
    table = Table(
        ("process", "CPU", "wake-ups/s", "written", "write calls", "git's CPU", "resident")
    )
    for role, row in found.items():
        table.add(
            role if row.count == 1 else f"{role} x{row.count}",
            f"{100 * row.cpu_s / seconds:.3f} %",
            f"{row.slices / seconds:.1f}",
            f"{row.written >> 10} kB",
            str(row.writes),
            f"{100 * row.children_cpu_s / seconds:.3f} %",
            megabytes(row.resident),
        )
    table.print()
    names = ", ".join(sorted({name for name, *_ in changed})) or "none"
    print(f"\nfiles of the daemon that changed meanwhile: {names}")
    write_json(json_path, {"table": table.records(), "changed": [name for name, *_ in changed]})


async def until_quiet(daemon_pid: int) -> float:
    """Wait until all processes are nearly still, or `QUIET_WITHIN_S`; return how long it was."""
    waited = 0.0
    while waited < QUIET_WITHIN_S:
        before = {pid: usage(pid) for pid in processes(daemon_pid)}
        await asyncio.sleep(LOOK_S)
        waited += LOOK_S
        rows = measure(daemon_pid, before).values()
        if sum(row.cpu_s for row in rows) < QUIET_CPU * LOOK_S:
            break
    return waited


@dataclass
class Row:
    """What the processes of one role used in the time between."""

    count: int = 0
    cpu_s: float = 0.0
    slices: int = 0
    written: int = 0
    writes: int = 0
    children_cpu_s: float = 0.0
    resident: int = 0

    def add(self, before: Usage, after: Usage, resident: int) -> None:
        """Take in one process."""
        self.count += 1
        self.cpu_s += after.cpu_s - before.cpu_s
        self.slices += sum(
            count - before.slices.get(thread, 0) for thread, count in after.slices.items()
        )
        self.written += after.written - before.written
        self.writes += after.writes - before.writes
        self.children_cpu_s += after.children_cpu_s - before.children_cpu_s
        self.resident += resident


def measure(daemon_pid: int, before: dict[int, Usage]) -> dict[str, Row]:
    """Return what each role used since `before`."""
    rows: dict[str, Row] = defaultdict(Row)
    for pid, role in processes(daemon_pid).items():
        rows[role].add(before.get(pid, Usage()), usage(pid), resident_bytes(pid))
    return rows


def disk_state(home: Path) -> set[tuple[str, int, int]]:
    """Return name, size and time of change of every file that the daemon keeps."""
    found = set()
    for kind in ("state", "cache", "config", "run", "data"):
        for path in (home / kind).rglob("*"):
            status = path.lstat()
            if path.is_file():
                found.add((str(path.relative_to(home)), status.st_size, status.st_mtime_ns))
    return found


if __name__ == "__main__":
    sys.exit(main())
