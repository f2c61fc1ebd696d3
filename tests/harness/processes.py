"""What processes there are, as the kernel says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def children_of(pid: int) -> set[int]:
    """Return the child processes that a process has started, by whichever thread."""
    found = set()
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        found |= {int(entry) for entry in path.read_text().split()}
    return found


def is_ours(pid: int) -> bool:
    """Say whether a process of this package runs under this number."""
    try:
        return "paparatsd" in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


def run_script(script: str) -> subprocess.CompletedProcess[str]:
    """Run a script as people do: without a guard, and here with warnings as errors."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
