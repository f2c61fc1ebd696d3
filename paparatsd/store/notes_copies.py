"""Copies of the notes file beside it: at most one a day, the newest few are kept."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import StateCorrupt, StateUnwritable
from paparatsd.store.notes_schema import NOTES

if TYPE_CHECKING:
    from pathlib import Path

log = structlog.get_logger()

KEPT = 5


def copies_of(path: Path) -> list[Path]:
    """Return the copies of a notes file, oldest first."""
    return sorted(path.parent.glob(f"{path.name}.copy-????-??-??"))


def keep_copy(connection: sqlite3.Connection, path: Path, now: float) -> Path | None:
    """Copy the open file to `NAME.copy-DATE`, unless there is one of this day (UTC).

    A copy is complete, checked and on the disk before it has its name, and only then the oldest
    goes. Returns where it is, None when nothing was due. Raises StateCorrupt when the copy fails
    its check, StateUnwritable.
    """
    target = path.with_name(f"{path.name}.copy-{time.strftime('%Y-%m-%d', time.gmtime(now))}")
    if target.exists():
        return None
    partial = path.with_name(f"{path.name}.copying")
    try:
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600)
        _copy(connection, partial)
        _sync(partial)
        partial.replace(target)
        _sync(path.parent)
        for old in copies_of(path)[:-KEPT]:
            old.unlink()
    except OSError as error:
        raise StateUnwritable(f"cannot copy {path}: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
    log.info("notes_copied", to=str(target))
    return target


def _copy(connection: sqlite3.Connection, partial: Path) -> None:
    with contextlib.closing(sqlite3.connect(partial)) as copy:
        connection.backup(copy)
        # A copy of the log mode would need files of its own beside it to be read.
        copy.execute("PRAGMA journal_mode = DELETE")
        verdict = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise StateCorrupt(f"{partial} is damaged: {verdict}; {NOTES.damaged}")


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
