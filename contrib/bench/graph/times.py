"""How long questions to the graph take, beside `git grep` for the same names."""

from __future__ import annotations

import random
import subprocess
import time
from typing import TYPE_CHECKING

from contrib.bench.graph.ours import InProcess, OverSocket, indexed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

ROWS = (
    "find_usages, in the process",
    "find_usages, socket",
    "impact of two hops, in the process",
    "impact of two hops, socket",
    "git grep -w",
)


def measure(root: Path, functions: int, seed: int) -> dict[str, list[float]]:
    """Return milliseconds by row, each function asked once per row, in one order.

    The first question of each kind, which starts a process or reads what all need, is not counted;
    files are decoded as questions come to them.
    """
    with indexed(root) as ours:
        inside = InProcess(ours.catalog, ours.project)
        outside = OverSocket(ours.service, ours.project)
        known = inside.functions()
        draw = random.Random(seed)  # noqa: S311 - a sample that can be drawn again
        chosen = draw.sample(known, min(functions + 1, len(known)))
        places = [at for at, _ in chosen]
        fresh = InProcess(ours.catalog, ours.project)
        return {
            ROWS[0]: timed(fresh.usages, places),
            ROWS[1]: timed(outside.usages, places),
            ROWS[2]: timed(fresh.impact, places),
            ROWS[3]: timed(outside.impact, places),
            ROWS[4]: timed(lambda name: grep(root, name), [name for _, name in chosen]),
        }


def timed(ask: Callable[[str], bool], questions: Iterable[str]) -> list[float]:
    """Return the milliseconds of each question but the first."""
    taken = []
    for question in questions:
        started = time.perf_counter()
        ask(question)
        taken.append((time.perf_counter() - started) * 1000)
    return taken[1:]


def grep(root: Path, name: str) -> bool:
    """Look for a name as a word, in a directory that need not be a repository."""
    command = ["git", "grep", "--no-index", "-n", "-w", "-F", "-e", name, "--", "."]
    done = subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which this share of them lies, by nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
