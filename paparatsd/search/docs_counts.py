"""In how many chunks of some documents each word stands, kept up to date as documents change."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.record import read_record, term_counts
from paparatsd.store.rows import Frequencies

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol

    from numpy.typing import NDArray

    class Records(Protocol):
        """Where ranking records come from."""

        def records(self, versions: Iterable[int]) -> Mapping[int, bytes]:
            """Return the ranking records of these versions; unknown ones are left out."""
            ...


AT_ONCE = 48
"""Records that are read at once: a document's is some ten kilobytes."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The words of the documents of `versions`."""

    versions: frozenset[int]
    frequencies: Frequencies


NOTHING = Counted(frozenset(), Frequencies(np.zeros(0, np.uint32), np.zeros(0, np.int32), 0))


def nearer(counted: Counted, wanted: frozenset[int], reader: Records) -> Counted:
    """Return what has been counted after one more slice of work towards the versions wanted.

    Whatever was counted before, the end of it is the same.
    """
    went = counted.versions - wanted
    if len(went) > len(wanted):
        return nearer(NOTHING, wanted, reader)
    sign, some = (-1, went) if went else (1, wanted - counted.versions)
    part = list(islice(some, AT_ONCE))
    records = reader.records(part)
    if sign < 0 and len(records) < len(part):  # nobody knows any more what to take off
        return nearer(NOTHING, wanted, reader)
    frequencies = _added(counted.frequencies, sign, list(records.values()))
    versions = counted.versions - set(part) if sign < 0 else counted.versions | set(part)
    return Counted(versions, frequencies)


def count(counted: Counted, wanted: frozenset[int], reader: Records) -> Counted:
    """Return the words of the versions wanted, going on from what has been counted before."""
    while counted.versions != wanted:
        counted = nearer(counted, wanted, reader)
    return counted


def _added(before: Frequencies, sign: int, records: Sequence[bytes]) -> Frequencies:
    vectors = [term_counts(record) for record in records]
    ids = np.concatenate([before.ids, *[vector.ids for vector in vectors]])
    counts: NDArray[np.float64] = np.concatenate(
        [before.counts.astype(np.float64), *[sign * vector.values for vector in vectors]]
    )
    terms, inverse = np.unique(ids, return_inverse=True)
    sums = np.bincount(inverse, weights=counts, minlength=len(terms)).astype(np.int32)
    kept = sums > 0
    chunks = before.chunks + sign * sum(read_record(record).chunks for record in records)
    return Frequencies(terms[kept].astype(np.uint32), sums[kept], chunks)
