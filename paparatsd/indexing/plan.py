"""Decide, from what is known and what is seen, what has to be read, dropped or noted. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paparatsd.model import SkippedFile, Stat, TreeListing
    from paparatsd.store.rows import ViewEntry

RACY_NS = 2_000_000_000
"""A file written this recently when it was read may change again within the same time stamp."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the index says of some part of a project.

    `skipped` are files left out by name or kind; `refused` those left out after reading them, with
    the stat they had then, so that they are not read again until it changes.
    """

    view: Mapping[str, ViewEntry]
    skipped: Mapping[str, SkippedFile]
    refused: Mapping[str, Stat]


@dataclass(frozen=True, slots=True)
class Plan:
    """What makes the index equal to the listing it was made from.

    `read` are files whose content has to be looked at, in path order; `doubted` are those of them
    that look the same and are read only because that proves nothing. `drop` leave the view; `skip`
    and `unskip` change the list of skipped files.
    """

    read: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    skip: tuple[SkippedFile, ...] = ()
    unskip: tuple[str, ...] = ()
    doubted: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether index and listing agree already."""
        return not (self.read or self.drop or self.skip or self.unskip)


def is_racy(stat: Stat, read_at_ns: int) -> bool:
    """Say whether equal stat values later would not prove equal content.

    The rule is git's for its index: a file changed at (or after) the instant it was read may be
    changed once more without its time stamp moving.
    """
    return max(stat.mtime_ns, stat.ctime_ns) >= read_at_ns - RACY_NS


def plan_changes(known: Known, seen: TreeListing, *, paranoid: bool = False) -> Plan:
    """Compare the index with the disk.

    `known` and `seen` must describe the same part of the project (all of it, or the same paths).
    With `paranoid` every listed file is read whatever its stat says.
    """
    read = [
        path for path, stat in seen.files.items() if paranoid or not _is_settled(known, path, stat)
    ]
    now_skipped = {item.path: item for item in seen.skipped}
    drop = [path for path in known.view if path not in seen.files]
    skip = [item for path, item in now_skipped.items() if known.skipped.get(path) != item]
    gone = [
        path
        for path in (*known.skipped, *known.refused)
        if path not in now_skipped and path not in seen.files
    ]
    return Plan(
        read=tuple(sorted(read)),
        drop=tuple(sorted(drop)),
        skip=tuple(sorted(skip, key=lambda item: item.path)),
        unskip=tuple(sorted(set(gone))),
        doubted=frozenset(path for path in read if _looks_the_same(known, path, seen)),
    )


def _looks_the_same(known: Known, path: str, seen: TreeListing) -> bool:
    entry = known.view.get(path)
    return entry is not None and entry.stat == seen.files[path]


def _is_settled(known: Known, path: str, stat: Stat) -> bool:
    entry = known.view.get(path)
    if entry is not None:
        return entry.stat == stat and not entry.racy
    return known.refused.get(path) == stat


def batches(
    paths: Iterable[str], sizes: Mapping[str, Stat], *, max_files: int, max_bytes: int
) -> list[tuple[str, ...]]:
    """Cut paths into runs of at most `max_files` files and about `max_bytes` bytes."""
    out: list[tuple[str, ...]] = []
    current: list[str] = []
    weight = 0
    for path in paths:
        size = sizes[path].size if path in sizes else 0
        if current and (len(current) >= max_files or weight + size > max_bytes):
            out.append(tuple(current))
            current, weight = [], 0
        current.append(path)
        weight += size
    if current:
        out.append(tuple(current))
    return out
