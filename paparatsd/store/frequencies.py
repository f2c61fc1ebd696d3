"""Document frequencies of a view, kept as a log of deltas that is merged now and then.

Each generation appends one segment. Segments merge when they are many, the small ones first, so
that a saved file costs a few hundred bytes and not a rewrite of the whole vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.store.packs import pack_counts, unpack_counts
from paparatsd.store.rows import Frequencies, TermDelta

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

MAX_SEGMENTS = 16


@dataclass(frozen=True, slots=True)
class Segment:
    """The sum of the deltas of generations `first` to `last`."""

    first: int
    last: int
    terms: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Merged:
    """Frequencies together with the last generation that is in them."""

    last: int
    frequencies: Frequencies


@dataclass(frozen=True, slots=True)
class TermPack:
    """A packed delta, made before the transaction that stores it."""

    terms: int
    data: bytes


def sum_counts(
    parts: Iterable[tuple[NDArray[np.uint32], NDArray[np.int32]]],
) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Add up counts of equal ids; ids come out ascending, sums of zero are left out."""
    columns = list(parts)
    if not columns:
        return np.empty(0, np.uint32), np.empty(0, np.int32)
    ids = np.concatenate([part[0] for part in columns])
    counts = np.concatenate([part[1] for part in columns])
    # Stable sort by the 32-bit id runs as a radix sort: linear in the number of terms.
    order = np.argsort(ids, kind="stable")
    ids = ids[order]
    if not len(ids):
        return ids, counts
    starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
    sums = np.add.reduceat(counts[order], starts, dtype=np.int32)
    kept = sums != 0
    return ids[starts][kept], sums[kept]


def append_segment(
    connection: sqlite3.Connection, project_id: int, generation: int, chunks: int, pack: TermPack
) -> None:
    """Add the delta of one generation."""
    connection.execute(
        "INSERT INTO segments VALUES (?,?,?,?,?,?)",
        (project_id, generation, generation, pack.terms, chunks, pack.data),
    )


def pack_delta(delta: TermDelta) -> TermPack:
    """Pack a delta; raises ValueError when its ids are not ascending and unique."""
    ids = np.asarray(delta.ids, dtype=np.uint32)
    if len(ids) != len(delta.counts) or (len(ids) > 1 and not (ids[1:] > ids[:-1]).all()):
        raise ValueError("term ids of a delta must be ascending, unique and as many as counts")
    return TermPack(len(ids), pack_counts(ids, np.asarray(delta.counts, dtype=np.int32)))


def list_segments(connection: sqlite3.Connection, project_id: int) -> list[Segment]:
    """Return the segments of a project, oldest first."""
    rows = connection.execute(
        "SELECT first, last, terms, chunks FROM segments WHERE project = ? ORDER BY last",
        (project_id,),
    )
    return [Segment(*row) for row in rows]


def choose_merge(segments: Sequence[Segment]) -> list[Segment]:
    """Return the newest segments that are worth merging into one, or none.

    An older segment joins while it is not larger than what is merged already, or while too many
    would be left.
    """
    if len(segments) <= MAX_SEGMENTS:
        return []
    chosen, terms = [segments[-1]], segments[-1].terms
    for segment in reversed(segments[:-1]):
        left = len(segments) - len(chosen)
        if segment.terms > max(terms, 1) and left <= MAX_SEGMENTS // 2:
            break
        chosen.append(segment)
        terms += segment.terms
    return chosen[::-1]


def read_counts(
    connection: sqlite3.Connection, project_id: int, first: int, last: int
) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Sum the segments that cover generations `first` to `last`."""
    rows = connection.execute(
        "SELECT pack FROM segments WHERE project = ? AND last BETWEEN ? AND ?",
        (project_id, first, last),
    )
    return sum_counts(unpack_counts(row[0]) for row in rows)


def pack_sum(connection: sqlite3.Connection, project_id: int, first: int, last: int) -> TermPack:
    """Sum the segments of generations `first` to `last` into one pack."""
    ids, counts = read_counts(connection, project_id, first, last)
    return TermPack(len(ids), pack_counts(ids, counts))


def replace_segments(
    connection: sqlite3.Connection, project_id: int, merged: Segment, pack: TermPack
) -> None:
    """Put one segment in the place of all that it sums up."""
    connection.execute(
        "DELETE FROM segments WHERE project = ? AND last BETWEEN ? AND ?",
        (project_id, merged.first, merged.last),
    )
    connection.execute(
        "INSERT INTO segments VALUES (?,?,?,?,?,?)",
        (project_id, merged.first, merged.last, pack.terms, merged.chunks, pack.data),
    )


def read_frequencies(
    connection: sqlite3.Connection, project_id: int, known: Merged | None = None
) -> Merged:
    """Return the frequencies of a view; with an earlier answer only what came later is read."""
    segments = list_segments(connection, project_id)
    base = 0
    if known is not None and all(s.last <= known.last or s.first > known.last for s in segments):
        base = known.last
    else:
        known = None
    later = [segment for segment in segments if segment.last > base]
    if known is not None and not later:
        return known
    last = segments[-1].last if segments else 0
    parts = [read_counts(connection, project_id, base + 1, last)]
    chunks = sum(segment.chunks for segment in later)
    if known is not None:
        parts.append((known.frequencies.ids, known.frequencies.counts))
        chunks += known.frequencies.chunks
    ids, counts = sum_counts(parts) if len(parts) > 1 else parts[0]
    return Merged(last, Frequencies(ids, counts, chunks))
