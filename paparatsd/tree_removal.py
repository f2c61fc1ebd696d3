"""Deletes a directory with all that is in it, however deep it is."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def remove_tree(root: Path) -> None:
    """Delete a directory that nobody looks at; what cannot be deleted stays. Blocking IO.

    What a stranger has made may be deeper than Python recurses, and its paths longer than the
    system takes: so each directory is moved up to the top before it is looked into.
    """
    directories, own, count = [root], f".gone-{time.monotonic_ns()}-", 0
    for place in directories:
        with suppress(OSError), os.scandir(place) as found:
            for entry in found:
                with suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        (place / entry.name).unlink()
                        continue
                    moved = place / entry.name
                    if place is not root:
                        count += 1
                        moved = moved.rename(root / f"{own}{count}")
                    directories.append(moved)
        if place is not root:
            with suppress(OSError):
                place.rmdir()
    with suppress(OSError):
        root.rmdir()
