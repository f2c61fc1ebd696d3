"""Stopping a store at each of its steps, and looking at what is on disk then."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


class Stopped(Exception):
    """Stands for the end of the process."""


class Fuse:
    """An `on_step` that burns at the n-th step."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.steps: list[str] = []

    def __call__(self, step: str) -> None:
        self.steps.append(step)
        if len(self.steps) == self.after:
            raise Stopped(step)


def contents(path: Path) -> dict[str, list[Any]]:
    """Read every table but the bookkeeping of sqlite itself."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        tables = [
            row[0]
            for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        ]
        return {
            table: sorted(map(repr, connection.execute(f"SELECT * FROM {table}")))
            for table in tables
            if not table.startswith("sqlite_")
        }


class StillClock:
    """Stands still, so that a repetition writes the same times."""

    def now(self) -> float:
        return 1_000_000.0

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("a store does not sleep")


def crash(path: Path) -> Path:
    """Copy the files as they are, as after kill -9: nobody closes anything."""
    crashed = path.with_name(f"{path.stem}-crashed{path.suffix}")
    for suffix in ("", "-wal"):
        if (source := path.with_name(path.name + suffix)).exists():
            shutil.copy(source, crashed.with_name(crashed.name + suffix))
    return crashed
