"""Who holds a state directory: a daemon may run where this command does not look for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.lock import FILE_NAME, read_address, read_holder

if TYPE_CHECKING:
    from paparatsd.settings import Places


def is_held(places: Places) -> bool:
    """Say whether a process that runs has written itself into the lock of the state directory."""
    pid = read_holder(places.state / FILE_NAME)
    return pid is not None and runs(pid)


def elsewhere(places: Places) -> str:
    """Return a sentence on a daemon that has our state directory but another socket, else ""."""
    lock = places.state / FILE_NAME
    pid, address = read_holder(lock), read_address(lock)
    if pid is None or address in (None, str(places.control_socket)) or not runs(pid):
        return ""
    return (
        f"a daemon (pid {pid}) runs on {places.state} already, but answers at {address}, not at "
        f"{places.control_socket}: XDG_RUNTIME_DIR or PAPARATS_RUNTIME_DIR is another one here; "
        f"reach it with `paparats --runtime-dir {Path(str(address)).parent} ...`"
    )


def runs(pid: int) -> bool:
    """Say whether a process runs; one that waits for its parent to notice its end does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        described = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return sys.platform != "linux"
    return described.rpartition(")")[2].split()[:1] not in (["Z"], ["X"])
