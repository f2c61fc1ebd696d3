"""Where the question's terms stand in the candidate files: the one pass over their records.

A term is looked up in the files' sorted term tables; what follows works on the few hits only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.chunks.record import RankRecord

_BUCKETS = 1 << 16


@dataclass(frozen=True, slots=True)
class TermHits:
    """The question's terms in F files with C chunks in all.

    starts [F + 1]: first chunk of each file, counted through. chunks, terms, values [n]: chunk
    (counted through), number of the term, and the term's value there. whole [terms, F]: the
    terms' values in the files as one document.
    """

    starts: NDArray[np.int64]
    chunks: NDArray[np.int64]
    terms: NDArray[np.int64]
    values: NDArray[np.float64]
    whole: NDArray[np.float64]

    def chunk_scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weighted sum of term values of each chunk."""
        worth = self.values * weights[self.terms]
        scores = np.bincount(self.chunks, weights=worth, minlength=int(self.starts[-1]))
        return scores.astype(np.float64, copy=False)

    def best_of_files(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the largest chunk score of each file, 0 where it has no chunk."""
        return best_of_groups(scores, self.starts)


def best_of_groups(values: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the maximum of each run values[starts[i]:starts[i + 1]], 0 for an empty run."""
    best = np.zeros(len(starts) - 1, np.float64)
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        best[filled] = np.maximum.reduceat(values, starts[filled])
    return best


def find_terms(records: Sequence[RankRecord], ids: NDArray[np.uint32]) -> TermHits:
    """Look the question's term ids up in the records."""
    starts = np.concatenate([[0], np.cumsum([record.chunks for record in records])])
    order = np.argsort(ids, kind="stable")
    wanted = ids[order]
    whole = np.zeros((len(ids), len(records)), np.float64)
    files: list[int] = []
    terms: list[int] = []
    chunk_parts: list[NDArray[np.uint32]] = []
    value_parts: list[NDArray[np.float16]] = []
    counts: list[int] = []
    for number, record in enumerate(records):
        table = record.terms
        if len(table) == 0 or len(wanted) == 0:
            continue
        at = table.searchsorted(wanted)
        at[at == len(table)] = 0
        for place in np.flatnonzero(table[at] == wanted).tolist():
            row, term = int(at[place]), int(order[place])
            whole[term, number] = record.whole_values[row]
            begin, end = int(record.offsets[row]), int(record.offsets[row + 1])
            files.append(number)
            terms.append(term)
            counts.append(end - begin)
            chunk_parts.append(record.posting_chunks[begin:end])
            value_parts.append(record.posting_values[begin:end])
    if not files:
        none = np.zeros(0, np.int64)
        return TermHits(starts, none, none, np.zeros(0), whole)
    lengths = np.array(counts)
    return TermHits(
        starts,
        np.concatenate(chunk_parts).astype(np.int64) + np.repeat(starts[files], lengths),
        np.repeat(np.array(terms, np.int64), lengths),
        np.concatenate(value_parts).astype(np.float64),
        whole,
    )


def member_mask(values: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which of many values are among a few wanted ones."""
    if len(wanted) == 0 or len(values) == 0:
        return np.zeros(len(values), np.bool_)
    table = np.zeros(_BUCKETS, np.bool_)
    table[wanted & (_BUCKETS - 1)] = True
    mask: NDArray[np.bool_] = table[values & (_BUCKETS - 1)]
    likely = np.flatnonzero(mask)
    mask[likely] = np.isin(values[likely], wanted)
    return mask


@dataclass(frozen=True, slots=True)
class Definitions:
    """All definitions of the candidate files in one table.

    starts [F + 1]: first definition of each file. offsets [D + 1] into terms: each name's parts.
    """

    starts: NDArray[np.int64]
    hashes: NDArray[np.uint32]
    folded: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    terms: NDArray[np.uint32]

    def files_of(self, definitions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of the file that each of these definitions is in."""
        return np.searchsorted(self.starts, definitions, side="right") - 1


def collect_definitions(records: Sequence[RankRecord]) -> Definitions:
    """Lay the definitions of the files end to end."""
    none = np.zeros(0, np.uint32)
    counts = [len(record.def_hashes) for record in records]
    sizes = [np.diff(record.def_offsets) for record in records]
    lengths = np.concatenate([none, *sizes]) if records else none
    return Definitions(
        starts=np.concatenate([[0], np.cumsum(counts)]),
        hashes=np.concatenate([none, *[record.def_hashes for record in records]]),
        folded=np.concatenate([none, *[record.def_folded for record in records]]),
        offsets=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
        terms=np.concatenate([none, *[record.def_terms for record in records]]),
    )
