"""How a view change moves the document frequencies of its terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.record import read_record, term_counts
from paparatsd.errors import StateCorrupt
from paparatsd.store.database import batched
from paparatsd.store.rows import TermDelta

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import VersionId
    from paparatsd.store.reader import CatalogReader

READ_AT_ONCE = 500
"""Records in memory at a time when a whole view is counted anew."""


def term_delta(
    read: CatalogReader, come: Sequence[VersionId], gone: Sequence[VersionId]
) -> TermDelta | None:
    """Sum the terms of versions that come into a view less those of versions that leave it.

    A version counts as often as it is listed. None when nothing changes. Raises StateCorrupt when
    a record cannot be read: then it takes `recount`.
    """
    if not come and not gone:
        return None
    wanted = {*come, *gone}
    records = read.records(wanted)
    infos = read.infos(wanted)
    ids: list[NDArray[np.uint32]] = []
    counts: list[NDArray[np.int64]] = []
    chunks = 0
    for versions, sign in ((come, 1), (gone, -1)):
        for version in versions:
            terms = term_counts(records[version])
            ids.append(terms.ids)
            counts.append(sign * terms.values.astype(np.int64))
            chunks += sign * infos[version].chunks
    return _sum(ids, counts, chunks)


def recount(read: CatalogReader, project_id: int, shown: Iterable[VersionId]) -> TermDelta:
    """Return what makes a view's frequencies those of the versions it will show.

    For when the record of a version that leaves it cannot be read, so that nobody knows what it
    added: it is damaged, or of an earlier format. Such records count nothing here.
    """
    now = read.frequencies(project_id)
    ids, counts, chunks = [now.ids], [-now.counts.astype(np.int64)], -now.chunks
    for versions in batched(shown, READ_AT_ONCE):
        for data in read.records(versions).values():
            try:
                terms, own = term_counts(data), read_record(data).chunks
            except StateCorrupt:
                continue
            ids.append(terms.ids)
            counts.append(terms.values.astype(np.int64))
            chunks += own
    return _sum(ids, counts, chunks)


def unreadable(read: CatalogReader, versions: Iterable[VersionId]) -> set[VersionId]:
    """Return those of some versions whose record is missing, damaged or of an earlier format."""
    out: set[VersionId] = set()
    for some in batched(versions, READ_AT_ONCE):
        records = read.records(some)
        out.update(version for version in some if not _opens(records.get(version)))
    return out


def _opens(record: bytes | None) -> bool:
    try:
        return record is not None and read_record(record) is not None
    except StateCorrupt:
        return False


def _sum(
    ids: Sequence[NDArray[np.uint32]], counts: Sequence[NDArray[np.int64]], chunks: int
) -> TermDelta:
    unique, where = np.unique(np.concatenate(ids), return_inverse=True)
    totals = np.bincount(where, weights=np.concatenate(counts), minlength=len(unique))
    totals = np.rint(totals).astype(np.int32)
    changed = totals != 0
    return TermDelta(unique[changed].astype(np.uint32), totals[changed], chunks)
