"""Writing and deleting the points of shards: one lock a shard, rows before points."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.model import PointBatch, ShardKey

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from paparatsd.indexing.flusher import Flusher
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.model import Fingerprint, RepoId, VersionId
    from paparatsd.store.packed import PackedVersion
    from paparatsd.store.vectors import VectorStore


@dataclass(frozen=True, slots=True)
class VectorModel:
    """What the vectors of a role's shards are: of which kind, of which embedder, how large.

    `in_worker`: the process that reads a file makes them at once.
    """

    kind: str
    fingerprint: Fingerprint
    dimension: int
    in_worker: bool = False

    def shard(self, repo: RepoId) -> ShardKey:
        """Return the shard of a repository."""
        return ShardKey(repo, self.kind, self.fingerprint, self.dimension)


class ShardWriter:
    """Writes and deletes points of one shard, never both at once.

    A version that comes back is taken out of the outbox when it is noted as on its way, but a
    delete that was sent already could not be called back; hence the lock around either.
    """

    def __init__(
        self, shard: ShardKey, *, ledger: Ledger, vectors: VectorStore, flusher: Flusher
    ) -> None:
        self.shard = shard
        self.lock = asyncio.Lock()
        self._ledger = ledger
        self._vectors = vectors
        self._flusher = flusher

    async def add(
        self, rows: Sequence[PackedVersion], points: PointBatch | None, project_id: int
    ) -> bool:
        """Write new versions and their points; returns whether all of these have dense vectors.

        Hold the lock.
        """
        await self._ledger.write_versions(rows, self.shard, project_id)
        dense = await self._put(points)
        await self._ledger.mark_upserted(self.shard, [row.id for row in rows], dense=dense)
        return dense

    async def add_words(self, points: PointBatch | None, versions: Sequence[VersionId]) -> None:
        """Write the lexical vectors of known versions; what is there stays as it is."""
        async with self.lock:
            there = await self._ledger.change(lambda it: it.models.intend(self.shard, versions))
            if await self._put(_of(points, there)):
                await self._note(versions)
            else:
                await self._ledger.mark_upserted(self.shard, list(there), dense=False)

    async def fill(self, batches: Sequence[PointBatch], versions: Sequence[VersionId]) -> None:
        """Write all points of known versions, and note that these have all their vectors."""
        async with self.lock:
            there = await self._ledger.change(lambda it: it.models.intend(self.shard, versions))
            for batch in batches:
                await self._put(_of(batch, there))
            await self._note(versions)

    async def _note(self, versions: Sequence[VersionId]) -> None:
        await self._ledger.change(lambda it: it.models.note_filled(self.shard, versions))
        self._flusher.note(self.shard)

    async def _put(self, points: PointBatch | None) -> bool:
        if points is None:
            return True
        await self._vectors.upsert(self.shard, points)
        self._flusher.note(self.shard)
        return points.dense is not None

    async def delete_points(self) -> None:
        """Delete what the outbox holds for this shard."""
        async with self.lock:
            while entries := [
                entry for entry in await self._ledger.outbox() if entry.shard == self.shard
            ]:
                for entry in entries:
                    await self._vectors.delete(self.shard, entry.versions)
                    await self._ledger.outbox_done(entry)


class ShardWriters:
    """The one writer of each shard."""

    def __init__(self, make: Callable[[ShardKey], ShardWriter]) -> None:
        self._make = make
        self._writers: dict[ShardKey, ShardWriter] = {}

    def of(self, shard: ShardKey) -> ShardWriter:
        """Return the writer of a shard."""
        writer = self._writers.get(shard)
        if writer is None:
            writer = self._writers[shard] = self._make(shard)
        return writer


def _of(points: PointBatch | None, versions: Collection[VersionId]) -> PointBatch | None:
    """Return the points of some versions; None when there are none."""
    if points is None or all(version in versions for version in points.versions):
        return points
    rows = [row for row, version in enumerate(points.versions) if version in versions]
    if not rows:
        return None
    return PointBatch(
        versions=tuple(points.versions[row] for row in rows),
        ordinals=tuple(points.ordinals[row] for row in rows),
        kinds=tuple(points.kinds[row] for row in rows),
        languages=tuple(points.languages[row] for row in rows),
        sparse=tuple(points.sparse[row] for row in rows),
        dense=None if points.dense is None else points.dense[rows],
    )
