"""Deletes directories that were moved out of the way, bit by bit, so that nobody waits for it."""

from __future__ import annotations

import asyncio
import shutil
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

GONE = ".gone-"
"""How the names of directories begin that are only still to be deleted."""


def set_aside(path: Path) -> bool:
    """Move a directory out of the way at once; False when it is not there. Raises OSError."""
    try:
        path.rename(path.with_name(f"{GONE}{path.name}-{time.monotonic_ns()}"))
    except FileNotFoundError:
        return False
    return True


class Sweeper:
    """Deletes what was set aside below these directories, also by a daemon before this one."""

    def __init__(self, tops: Sequence[Path]) -> None:
        self._tops = tuple(tops)
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Have it look again."""
        self._wake.set()

    async def run(self) -> None:
        """Sweep now and whenever woken, until cancelled: between any two files of a top level."""
        while True:
            self._wake.clear()
            await self.sweep()
            await self._wake.wait()

    async def sweep(self) -> None:
        """Delete what there is now."""
        for top in self._tops:
            for path in await asyncio.to_thread(_gone_in, top):
                for child in await asyncio.to_thread(_children, path):
                    await asyncio.to_thread(_delete, child)
                await asyncio.to_thread(_delete, path)


def _gone_in(top: Path) -> list[Path]:
    return [path for path in _children(top) if path.name.startswith(GONE)]


def _children(path: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(path.iterdir())
    return []


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
