"""How a view change moves the document frequencies of its terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.record import read_record, term_parts
from paparatsd.errors import StateCorrupt
from paparatsd.model import VersionId
from paparatsd.store.database import batched
from paparatsd.store.rows import TermDelta

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paparatsd.store.reader import CatalogReader
    from paparatsd.store.rows import Frequencies

MIN_BY_WAY_OF_ANOTHER = 300
"""From so many versions on it is worth looking whether another view shows the same."""
MAX_OTHERS = 3
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
            own_ids, own_counts = term_parts(records[version])
            ids.append(own_ids)
            counts.append(sign * own_counts.astype(np.int64))
            chunks += sign * infos[version].chunks
    return _sum(ids, counts, chunks)


def delta_by_way_of_another(
    read: CatalogReader, project_id: int, come: Sequence[VersionId], gone: Sequence[VersionId]
) -> TermDelta | None:
    """Return the sum that `term_delta` would, from the frequencies of a view of the repository.

    A new work tree shows what another does, and so does a branch that one comes back to: that saves
    reading all the records. None where no view is near enough, or `term_delta` is as good.
    """
    if len(come) + len(gone) < MIN_BY_WAY_OF_ANOTHER:
        return None
    here = np.unique(read.view_versions(project_id)[1])
    wanted = np.union1d(np.setdiff1d(here, gone), np.asarray(come, np.int64))
    if len(wanted) != len(here) - len(gone) + len(come):
        return None  # something is listed twice, or leaves that is not there
    rows = {row.id: row for row in read.projects()}
    own = rows.pop(project_id, None)
    others = [row for row in rows.values() if own is not None and row.repo == own.repo]
    others.sort(key=lambda row: abs(row.files - len(wanted)))
    for other in others[:MAX_OTHERS]:
        shown = read.view_versions(other.id)[1]
        missing, extra = np.setdiff1d(wanted, shown), np.setdiff1d(shown, wanted)
        if 2 * (len(missing) + len(extra)) < len(come) + len(gone):
            rest = term_delta(read, _versions(missing), _versions(extra))
            return _difference(read.frequencies(other.id), read.frequencies(project_id), rest)
    return None


def _versions(numbers: NDArray[np.int64]) -> list[VersionId]:
    return [VersionId(number) for number in numbers.tolist()]


def _difference(there: Frequencies, here: Frequencies, rest: TermDelta | None) -> TermDelta:
    ids, chunks = [there.ids, here.ids], there.chunks - here.chunks
    counts = [there.counts.astype(np.int64), -here.counts.astype(np.int64)]
    if rest is not None:
        ids.append(rest.ids)
        counts.append(rest.counts.astype(np.int64))
        chunks += rest.chunks
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
                (own_ids, own_counts), own = term_parts(data), read_record(data).chunks
            except StateCorrupt:
                continue
            ids.append(own_ids)
            counts.append(own_counts.astype(np.int64))
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
