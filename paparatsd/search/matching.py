"""Where the question's terms stand in the candidate files, and what these define.

What follows works on the few hits only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.record import POSTING, TERM, WEIGHT_UNITS
from paparatsd.search.arena import DEFINED_TERMS, DEFINITIONS, KEYS, POSTINGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paparatsd.search.arena import Records

_BUCKETS = 1 << 16
FEW = 8
"""Up to this many wanted values, comparing with each in turn is faster than any table."""
MANY = 64
"""From this many wanted values on, sorting beats comparing each with each."""


@dataclass(frozen=True, slots=True)
class TermHits:
    """The question's terms in F files with C chunks in all.

    starts [F + 1]: first chunk of each file, counted through. chunks, terms, values [n]: chunk
    (counted through), number of the term, and the term's value there. whole [terms, F]: the
    terms' values in the files as one document. places [terms, F]: in which fields of the file a
    term stands, as bits; counts [terms, F]: how often in its text.
    """

    starts: NDArray[np.int64]
    chunks: NDArray[np.int64]
    terms: NDArray[np.int64]
    values: NDArray[np.float64]
    whole: NDArray[np.float64]
    places: NDArray[np.uint16]
    counts: NDArray[np.float64]

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
    filled = starts[1:] > starts[:-1]
    if filled.all():
        every: NDArray[np.float64] = np.maximum.reduceat(values, starts[:-1])
        return every
    best = np.zeros(len(starts) - 1, np.float64)
    if filled.any():
        best[filled] = np.maximum.reduceat(values, starts[:-1][filled])
    return best


def find_terms(records: Records, ids: NDArray[np.uint32]) -> TermHits:
    """Look the question's term ids up in the records: one binary search per file and term."""
    files = len(records)
    whole, counts = np.zeros((2, len(ids), files), np.float64)
    places = np.zeros((len(ids), files), np.uint16)
    arena = records.arena
    # Of two terms with the same number the first one counts.
    first = _first_of_each(ids)
    unique = ids[first]
    found, which = _present(arena.columns[KEYS].data, records.slots, unique)
    owners, terms = which // max(1, len(unique)), first[which % max(1, len(unique))]
    rows = _rows(arena.term_rows.data.take(found, axis=0), TERM)
    whole[terms, owners], places[terms, owners] = rows["value"], rows["places"]
    counts[terms, owners] = rows["count"]
    lengths = rows["chunks"].astype(np.int64)
    at = ranges(rows["first"] + records.starts[owners, POSTINGS], lengths)
    postings = _rows(arena.columns[POSTINGS].data.take(at, axis=0), POSTING)
    return TermHits(
        starts=records.chunks,
        chunks=postings["chunk"] + records.chunks[owners].repeat(lengths),
        terms=terms.repeat(lengths),
        values=postings["value"].astype(np.float64),
        whole=whole,
        places=places,
        counts=counts,
    )


def _first_of_each(ids: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return where each different number stands first, by number."""
    order = ids.argsort(kind="stable")
    ascending = ids[order]
    kept = np.ones(len(ids), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=kept[1:])
    return order[kept]


def _present(
    keys: NDArray[np.uint64], slots: NDArray[np.int64], ids: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which of the keys are of these slots and ids, and of which pair of them.

    The pairs of one slot follow each other, the slots in any order.
    """
    if len(keys) == 0 or len(slots) == 0 or len(ids) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = slots.argsort()  # neighbours are looked up in the same part of memory
    wanted = (slots[order].astype(np.uint64)[:, None] << np.uint64(32) | ids).reshape(-1)
    at = np.minimum(keys.searchsorted(wanted), len(keys) - 1)
    which = (keys[at] == wanted).nonzero()[0]
    owners, terms = np.divmod(which, len(ids))
    return at[which], order[owners] * len(ids) + terms


def _rows(rows: NDArray[np.uint16], row: np.dtype[np.void]) -> NDArray[np.void]:
    """Return rows of plain numbers as what they are: numpy gathers those many times faster."""
    return np.ascontiguousarray(rows).view(row).reshape(-1)


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the concatenated ranges starts[i] .. starts[i] + lengths[i]."""
    if len(starts) == 0:
        return np.zeros(0, np.int64)
    ends = lengths.cumsum()
    places: NDArray[np.int64] = (starts - ends + lengths).repeat(lengths)
    places += np.arange(ends[-1])
    return places


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the different values, ascending; `values` is sorted in place."""
    values.sort()
    kept = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=kept[1:])
    return values[kept]


def member_mask(values: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which of many values are among a few wanted ones."""
    if len(wanted) == 0 or len(values) == 0:
        return np.zeros(len(values), np.bool_)
    if len(wanted) <= FEW:
        mask: NDArray[np.bool_] = values == wanted[0]
        for one in wanted[1:]:
            mask |= values == one
        return mask
    mask = may_be_among(values, wanted)
    likely = mask.nonzero()[0]
    if len(wanted) > MANY:
        mask[likely] = np.isin(values[likely], wanted)
    else:
        mask[likely] = (values[likely][:, None] == wanted[None, :]).any(axis=1)
    return mask


def may_be_among(values: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which of many values may be among the wanted ones: these, and a few more."""
    table = np.zeros(_BUCKETS, np.bool_)
    table[wanted & (_BUCKETS - 1)] = True
    return table.take(values & (_BUCKETS - 1))


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
        return self.starts.searchsorted(definitions, side="right") - 1


def collect_definitions(records: Records) -> Definitions:
    """Lay the definitions of the files end to end."""
    table = np.ascontiguousarray(records.column(DEFINITIONS).T)
    hashes, folded, chunks, lengths, weights = table
    offsets = np.zeros(len(lengths) + 1, np.int64)
    lengths.cumsum(out=offsets[1:])
    starts = np.zeros(len(records) + 1, np.int64)
    records.lengths[:, DEFINITIONS].cumsum(out=starts[1:])
    return Definitions(
        starts=starts,
        hashes=hashes,
        folded=folded,
        offsets=offsets,
        terms=records.column(DEFINED_TERMS),
        weights=weights / WEIGHT_UNITS,
        chunks=chunks,
    )
