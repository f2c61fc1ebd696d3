"""Tidies a copy of a part in a process of its own, so that no query waits for it.

Run as `python -m paparatsd.store.edge_optimizer FD`.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import qdrant_edge as engine

from paparatsd import ipc


def copy_sparse(source: Path, target: Path) -> None:
    """Copy a file without filling its holes: the engine's files are mostly holes."""
    size = source.stat().st_size
    with source.open("rb") as reader, target.open("wb") as writer:
        writer.truncate(size)
        position = 0
        while position < size:
            try:
                position = os.lseek(reader.fileno(), position, os.SEEK_DATA)
            except OSError as error:
                if error.errno == errno.ENXIO:
                    return  # nothing but a hole up to the end
                raise
            end = os.lseek(reader.fileno(), position, os.SEEK_HOLE)
            while position < end:
                data = os.pread(reader.fileno(), min(end - position, 1 << 20), position)
                if not data:
                    return
                position += os.pwrite(writer.fileno(), data, position)


def copy_part(source: Path, target: Path) -> None:
    """Copy a flushed engine directory into an empty one."""

    def copy_file(source_file: str, target_file: str) -> None:
        copy_sparse(Path(source_file), Path(target_file))

    shutil.copytree(source, target, copy_function=copy_file, dirs_exist_ok=True)


def tidy(operation: str, argument: tuple[str, str], note: object) -> bool:
    """Copy a part and optimize the copy; False when there was nothing to do."""
    source, target = map(Path, argument)
    copy_part(source, target)
    shard = engine.EdgeShard.load(str(target))
    try:
        worked = bool(shard.optimize())
        shard.flush()
    finally:
        shard.close()
    return worked


if __name__ == "__main__":
    os.nice(10)
    ipc.serve_child(tidy)
