"""Where the question's terms stand in the candidate files: the one pass over their records.

A term is looked up in the files' sorted term tables; what follows works on the few hits only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.record import POSTING, TERM, WEIGHT_UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.chunks.record import RankRecord

_BUCKETS = 1 << 16
FEW = 8
"""Up to this many wanted values, comparing with each in turn is faster than any table."""
MANY = 64
"""From this many wanted values on, sorting beats comparing each with each."""
_NONE = np.zeros(0, np.uint32)
_NO_TABLE = np.zeros((5, 0), np.uint32)


@dataclass(frozen=True, slots=True)
class TermHits:
    """The question's terms in F files with C chunks in all.

    starts [F + 1]: first chunk of each file, counted through. chunks, terms, values [n]: chunk
    (counted through), number of the term, and the term's value there. whole [terms, F]: the
    terms' values in the files as one document. places [terms, F]: in which fields of the file a
    term stands, as bits; counts [terms, F]: how often in its text. definitions [F + 1]: first
    definition of each.
    """

    starts: NDArray[np.int64]
    chunks: NDArray[np.int64]
    terms: NDArray[np.int64]
    values: NDArray[np.float64]
    whole: NDArray[np.float64]
    places: NDArray[np.uint16]
    counts: NDArray[np.float64]
    definitions: NDArray[np.int64]

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
    """Look the question's term ids up in the records, all tables laid end to end."""
    ends = ends_of(records)
    starts, table_starts, posting_starts = ends[0], ends[1], ends[2]
    whole, counts = np.zeros((2, len(ids), len(records)), np.float64)
    places = np.zeros((len(ids), len(records)), np.uint16)
    tables = np.concatenate([_NONE, *[record.terms for record in records]])
    found = np.flatnonzero(member_mask(tables, ids))
    order = np.argsort(ids, kind="stable")
    terms = order[np.searchsorted(ids[order], tables[found])]
    files = np.searchsorted(table_starts, found, side="right") - 1
    rows = laid_out([record.term_table for record in records], TERM, found)
    whole[terms, files], places[terms, files] = rows["value"], rows["places"]
    counts[terms, files] = rows["count"]
    lengths = rows["chunks"].astype(np.int64)
    at = ranges(rows["first"] + posting_starts[files], lengths)
    postings = laid_out([record.postings for record in records], POSTING, at)
    return TermHits(
        starts=starts,
        chunks=postings["chunk"] + np.repeat(starts[files], lengths),
        terms=np.repeat(terms, lengths),
        values=postings["value"].astype(np.float64),
        whole=whole,
        places=places,
        counts=counts,
        definitions=ends[3],
    )


def laid_out(
    tables: Sequence[NDArray[np.void]], row: np.dtype[np.void], wanted: NDArray[np.int64]
) -> NDArray[np.void]:
    """Return the wanted rows of tables laid end to end.

    As plain numbers: numpy copies rows of a structured type one field at a time.
    """
    width = row.itemsize // 2
    flat = np.concatenate([np.zeros(0, np.uint16), *[one.view(np.uint16) for one in tables]])
    chosen = flat.reshape(-1, width)[wanted]
    return np.ascontiguousarray(chosen).view(row).reshape(-1)


def ends_of(records: Sequence[RankRecord]) -> NDArray[np.int64]:
    """Return where each record's chunks, terms, postings and definitions begin, and the ends.

    Four rows [0, l0, l0 + l1, ...], for what is laid end to end.
    """
    ends = np.zeros((4, len(records) + 1), np.int64)
    if records:
        sizes = np.concatenate([record.sizes for record in records]).reshape(-1, 4)
        np.cumsum(sizes.T, axis=1, out=ends[:, 1:])
    return ends


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the concatenated ranges starts[i] .. starts[i] + lengths[i]."""
    if len(starts) == 0:
        return np.zeros(0, np.int64)
    ends = np.cumsum(lengths)
    return np.repeat(starts - np.concatenate([[0], ends[:-1]]), lengths) + np.arange(ends[-1])


def member_mask(values: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which of many values are among a few wanted ones."""
    if len(wanted) == 0 or len(values) == 0:
        return np.zeros(len(values), np.bool_)
    if len(wanted) <= FEW:
        mask: NDArray[np.bool_] = values == wanted[0]
        for one in wanted[1:]:
            mask |= values == one
        return mask
    table = np.zeros(_BUCKETS, np.bool_)
    table[wanted & (_BUCKETS - 1)] = True
    mask = table.take(values & (_BUCKETS - 1))
    likely = np.flatnonzero(mask)
    if len(wanted) > MANY:
        mask[likely] = np.isin(values[likely], wanted)
    else:
        mask[likely] = (values[likely][:, None] == wanted[None, :]).any(axis=1)
    return mask


@dataclass(frozen=True, slots=True)
class Definitions:
    """All definitions of the candidate files in one table.

    starts [F + 1]: first definition of each file. offsets [D + 1] into terms: each name's parts.
    weights [D]: how much each is what somebody asks for. chunks [D]: ordinal of the chunk it begins
    in.
    """

    starts: NDArray[np.int64]
    hashes: NDArray[np.uint32]
    folded: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    terms: NDArray[np.uint32]
    weights: NDArray[np.float64]
    chunks: NDArray[np.uint32]

    def files_of(self, definitions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of the file that each of these definitions is in."""
        return np.searchsorted(self.starts, definitions, side="right") - 1


def collect_definitions(records: Sequence[RankRecord], starts: NDArray[np.int64]) -> Definitions:
    """Lay the definitions of the files end to end; `starts` says where each file's begin."""
    tables = [_NO_TABLE, *[record.def_table for record in records]]
    hashes, folded, chunks, lengths, weights = np.concatenate(tables, axis=1)
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Definitions(
        starts=starts,
        hashes=hashes,
        folded=folded,
        offsets=offsets,
        terms=np.concatenate([_NONE, *[record.def_terms for record in records]]),
        weights=weights / WEIGHT_UNITS,
        chunks=chunks,
    )
