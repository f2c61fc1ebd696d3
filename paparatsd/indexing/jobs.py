"""What the daemon and its workers say to each other.

A module of its own: a worker runs as `__main__`, and what is defined there has another name in the
daemon.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paparatsd.model import SparseVector, Stat

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from paparatsd.chunks.limits import ChunkLimits
    from paparatsd.model import ContentId, SkippedFile
    from paparatsd.store.packed import PackedFile


@dataclass(frozen=True, slots=True)
class BuildFile:
    """One file to look at. Content in `known` is only recognised, not built again."""

    path: str
    known: frozenset[ContentId] = frozenset()
    structure: bool = True


@dataclass(frozen=True, slots=True)
class BuildJob:
    """Files of one root, built alike. With `embed` the worker computes the dense vectors too."""

    root: str
    files: tuple[BuildFile, ...]
    limits: ChunkLimits
    max_file_bytes: int
    allow_secrets: bool
    embed: bool


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """What a worker makes of one file, flat: thousands of small objects would travel slowly.

    The terms of chunk i are `term_ids[offsets[i]:offsets[i + 1]]` (uint32, ascending), their
    values likewise (float16, as the ranking record has them). `dense` has one row of length 1 a
    chunk (float32), or is None when the embedder is not in the worker.
    """

    content: ContentId
    size: int
    file: PackedFile
    offsets: NDArray[np.int64]
    term_ids: NDArray[np.uint32]
    term_values: NDArray[np.float16]
    record: bytes
    dense: NDArray[np.float32] | None

    def sparse(self) -> tuple[SparseVector, ...]:
        """Return the lexical vector of each chunk."""
        values = self.term_values.astype(np.float32)
        bounds = self.offsets.tolist()
        return tuple(
            SparseVector(self.term_ids[start:end], values[start:end])
            for start, end in pairwise(bounds)
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file: exactly one of `skipped`, `recognised`, `built` is set.

    `stat` is what the opened descriptor said, None when the file could not be opened.
    """

    path: str
    stat: Stat | None
    skipped: SkippedFile | None = None
    recognised: ContentId | None = None
    built: BuiltFile | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """Note: the worker is about to touch this file."""

    path: str


class Recognised(NamedTuple):
    """A file whose content is known, flat: its place in the job, and the four values of its stat.

    Thousands come at once when a branch or a work tree does.
    """

    place: int
    stat: tuple[int, int, int, int]
    content: ContentId


def stat_file(path: Path) -> Stat | None:
    """Stat a file before it is read: if it changes meanwhile the next listing differs."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return Stat(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
