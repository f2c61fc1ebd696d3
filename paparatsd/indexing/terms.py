"""How a view change moves the document frequencies of its terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.record import term_counts
from paparatsd.store.rows import TermDelta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.model import VersionId
    from paparatsd.store.reader import CatalogReader


def term_delta(
    read: CatalogReader, come: Sequence[VersionId], gone: Sequence[VersionId]
) -> TermDelta | None:
    """Sum the terms of versions that come into a view less those of versions that leave it.

    A version counts as often as it is listed. None when nothing changes.
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


def _sum(
    ids: Sequence[NDArray[np.uint32]], counts: Sequence[NDArray[np.int64]], chunks: int
) -> TermDelta:
    unique, where = np.unique(np.concatenate(ids), return_inverse=True)
    totals = np.bincount(where, weights=np.concatenate(counts), minlength=len(unique))
    totals = np.rint(totals).astype(np.int32)
    changed = totals != 0
    return TermDelta(unique[changed].astype(np.uint32), totals[changed], chunks)
