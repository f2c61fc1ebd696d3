"""What the daemon and its workers say to each other.

A module of its own: a worker runs as `__main__`, and what is defined there has another name in the
daemon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paparatsd.chunks.limits import ChunkLimits
    from paparatsd.model import BuiltFile, ContentId, SkippedFile, Stat


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
