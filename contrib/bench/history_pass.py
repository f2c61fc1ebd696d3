"""The first full pass over a repository's history, and whether searches notice it."""

from __future__ import annotations

import asyncio
import itertools
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import lab
from history_lab import children, is_shown, is_told, seconds, spent
from lab import Peaks, megabytes, ms, peak_bytes, processes, quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from history_lab import Subject
    from lab import Table

IDLE_QUERIES = 150
PAUSE_S = 0.05
WHOLE_LOG = ("log", "-p", "-U0", "-M", "--diff-merges=first-parent", "HEAD")


@dataclass
class HistoryPeaks(Peaks):
    """Follows also the git processes of the history process."""

    git: dict[str, int] = field(default_factory=lambda: {"bytes": 0})

    def look(self, daemon_pid: int) -> None:
        """Take in what /proc says now."""
        super().look(daemon_pid)
        for pid, role in processes(daemon_pid).items():
            if role == "history":
                together = sum(peak_bytes(child) for child in children(pid))
                self.git["bytes"] = max(self.git["bytes"], together)


async def measure(subject: Subject, table: Table) -> dict[str, Any]:
    """Register, wait for the index, ask while history is read, and ask again afterwards."""
    queries = questions(subject)
    figures: dict[str, Any] = {}
    peaks = HistoryPeaks()
    during: list[float] = []
    told_during: list[float] = []
    idle: list[float] = []
    told_idle: list[float] = []
    started = time.perf_counter()
    await subject.daemon.add(subject.tree, name=subject.name, hooks=True)
    async with peaks.follow(subject.daemon.pid):
        figures["index_s"] = await subject.until(is_shown, started)
        told = asyncio.Event()
        asking = asyncio.create_task(ask(subject, queries, told.is_set, during, told_during))
        figures["told_s"] = await subject.until(is_told, started, every_s=0.1)
        told.set()
        await asking
    figures["history_s"] = figures["told_s"] - figures["index_s"]
    pids = {role: pid for pid, role in processes(subject.daemon.pid).items()}
    used = lab.usage(pids["history"])
    figures |= {"cpu_s": used.cpu_s, "git_cpu_s": used.children_cpu_s}
    figures |= {"peak": peaks.by_role["history"], "git_peak": peaks.git["bytes"]}
    figures["file_bytes"] = (subject.daemon.state / "history.sqlite3").stat().st_size
    await asyncio.sleep(1)
    await ask(subject, queries, lambda: len(idle) >= IDLE_QUERIES, idle, told_idle)
    figures["during_s"], figures["idle_s"] = during, idle
    figures["told_during_s"], figures["told_idle_s"] = told_during, told_idle
    status = await subject.daemon.project(subject.name)
    figures |= {key: status[key] for key in ("files", "chunks")}
    figures["commits"] = status["history"]["commits"]
    figures |= beside(subject)
    fill(table, figures)
    return figures


def questions(subject: Subject) -> list[str]:
    """Return subjects of commits as questions, newest first."""
    lines = subject.git("log", "--no-merges", "--format=%s", "--max-count=3000").splitlines()
    return list(dict.fromkeys(line for line in lines if len(line.split()) >= 3))


async def ask(
    subject: Subject,
    queries: Sequence[str],
    is_over: Callable[[], bool],
    plain: list[float],
    told: list[float],
) -> None:
    """Search again and again, in turns without and with a line of history for each result."""
    async with subject.daemon.client() as http:
        for number in itertools.count():
            if is_over():
                return
            # Another limit is another question to the cache of answers.
            options = {
                "query": queries[number % len(queries)],
                "limit": 5 + number // len(queries) % 20,
                "history": bool(number % 2),
            }
            started = time.perf_counter()
            reply = await http.post("/v1/search", json=options)
            reply.raise_for_status()
            (told if number % 2 else plain).append(time.perf_counter() - started)
            await asyncio.sleep(PAUSE_S)


def beside(subject: Subject) -> dict[str, Any]:
    """Run what a person would: the whole log with its hunks, and blame of files."""
    log = spent(subject.tree, [WHOLE_LOG])
    files = [path for path in subject.git("ls-files", "-z").split("\0") if path]
    step = max(1, len(files) // subject.blamed)
    some = [path for path in files[step // 2 :: step] if (subject.tree / path).is_file()]
    blame = spent(subject.tree, [("blame", "--porcelain", "HEAD", "--", path) for path in some])
    return {
        "log": vars(log),
        "blame": vars(blame),
        "blamed": len(some),
        "blame_all_s": blame.wall_s * len(files) / len(some),
        "blame_all_cpu_s": blame.cpu_s * len(files) / len(some),
    }


def fill(table: Table, found: dict[str, Any]) -> None:
    """Put the figures into rows."""
    log = found["log"]
    whole = "git log -p -U0"
    files, chunks = found["files"], found["chunks"]
    table.add("first pass", seconds(found["history_s"]), seconds(log["wall_s"]), whole)
    blamed = f"git blame, all files (from {found['blamed']})"
    table.add("  of commits and chunks", f"{found['commits']} / {chunks}",
              seconds(found["blame_all_s"]), blamed)  # fmt: skip
    cpu = f"{found['cpu_s']:.1f} s + {found['git_cpu_s']:.1f} s git"
    table.add("  processor time", cpu, f"{log['cpu_s']:.1f} s", whole)
    peak = f"{megabytes(found['peak'])} + {megabytes(found['git_peak'])} git"
    table.add("  peak memory", peak, megabytes(log["peak_bytes"]), whole)
    table.add("  on disk", megabytes(found["file_bytes"]), "", f"{files} files")
    during, idle = found["during_s"], found["idle_s"]
    table.add("query meanwhile, p50 / p95", halves(during), halves(idle), "ours, when idle")
    table.add("  with history of each hit", halves(found["told_during_s"]),
              halves(found["told_idle_s"]), "ours, when idle")  # fmt: skip


def halves(took: Sequence[float]) -> str:
    """Write median and 95th percentile in milliseconds."""
    if not took:
        return "-"
    return f"{ms(quantile(took, 0.5))} / {ms(quantile(took, 0.95))} ms"
