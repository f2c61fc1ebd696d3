from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LINUX_WITH_SLICES = sys.platform == "linux" and os.uname().machine in ("x86_64", "aarch64")

PROGRAM = """
import os, subprocess, sys
from paparatsd.urgency import ask_for_short_slices
os.nice(3)
print(ask_for_short_slices())
print(os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0))
"""


@pytest.mark.skipif(not LINUX_WITH_SLICES, reason="asks the kernel of Linux by its number")
def test_process_keeps_its_policy_and_its_priority() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    noticed, after = done.stdout.splitlines()
    assert noticed in ("True", "False")  # a sandbox may forbid it
    assert after.split()[0] in ("0", str(os.SCHED_OTHER | os.SCHED_RESET_ON_FORK))
    assert int(after.split()[1]) == os.getpriority(os.PRIO_PROCESS, 0) + 3
