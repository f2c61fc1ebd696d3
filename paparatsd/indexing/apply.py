"""From paths to stored file versions: build what is unknown, write rows, then points.

The order is the promise: rows first (invisible until a view names them), points next, and only
what has both counts as known. A crash in between leaves rows that are built again, never a view
that names something search cannot find.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.indexing.jobs import BuildFile, BuildJob, Outcome
from paparatsd.indexing.plan import is_racy
from paparatsd.model import PointBatch, ShardKey, Stat
from paparatsd.store.ids import version_id
from paparatsd.store.packed import PackedVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from paparatsd.chunks.parse import ChunkLimits
    from paparatsd.indexing.flusher import Flusher
    from paparatsd.indexing.jobs import BuiltFile
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.indexing.pool import WorkerPool
    from paparatsd.model import ContentId, Fingerprint, RepoId, SkippedFile, VersionId
    from paparatsd.settings import IndexSettings
    from paparatsd.store.vectors import VectorStore


@dataclass(frozen=True, slots=True)
class Placed:
    """Where one file ended up: a stored version, or the list of skipped files.

    `racy` means that an equal stat later would not prove equal content.
    """

    path: str
    stat: Stat | None
    version: VersionId | None
    skipped: SkippedFile | None
    racy: bool = False
    computed: bool = False
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Pipeline:
    """How files are turned into versions; equal fingerprints give equal versions."""

    fingerprint: Fingerprint
    limits: ChunkLimits
    embed_in_worker: bool
    shard_fingerprint: Fingerprint
    dimension: int

    def shard(self, repo: RepoId) -> ShardKey:
        """Return the shard that holds the code of a repository."""
        return ShardKey(repo, "code", self.shard_fingerprint, self.dimension)


class VersionBuilder:
    """Turns files of any checkout of one repository into stored versions, each once."""

    def __init__(
        self,
        repo: RepoId,
        *,
        pipeline: Pipeline,
        settings: IndexSettings,
        pool: WorkerPool,
        ledger: Ledger,
        vectors: VectorStore,
        flusher: Flusher,
    ) -> None:
        self.repo = repo
        self.shard = pipeline.shard(repo)
        self._pipeline = pipeline
        self._settings = settings
        self._pool = pool
        self._ledger = ledger
        self._vectors = vectors
        self._flusher = flusher
        self._writing = asyncio.Lock()
        self.on_lexical_only: Callable[[], None] = lambda: None

    @property
    def width(self) -> int:
        """How many batches are worth having under way at once."""
        return self._pool.size + 1

    async def place(self, project_id: int, root: Path, paths: Sequence[str]) -> list[Placed]:
        """Read and, where unknown, build and store these files of a checkout.

        Raises ChildDied, VectorStoreUnavailable or a store error; nothing is then half-visible and
        the same call can simply be made again.
        """
        known = await self._ledger.known_contents(self.shard, self._pipeline.fingerprint, paths)
        read_at_ns = time.time_ns()
        outcomes = await self._pool.build(self._job(root, paths, known))
        placed = [self._placed(outcome, read_at_ns) for outcome in outcomes]
        built = [(item.path, item.built) for item in outcomes if item.built is not None]
        await self._store(project_id, built)
        recognised = [item.version for item in placed if item.version and not item.computed]
        if recognised:
            await self._ledger.keep(recognised)
        return placed

    async def recognise(self, root: Path, paths: Sequence[str]) -> list[Placed]:
        """Place those of these files of which a version with their content is stored already.

        The others are left to `place`. This one takes thousands at once, as they come with a
        branch or a work tree.
        """
        contents = await self._ledger.known_contents(self.shard, self._pipeline.fingerprint, paths)
        asked = [path for path in paths if contents.get(path)]
        if not asked:
            return []
        read_at_ns = time.time_ns()
        found = await self._pool.recognise(self._job(root, asked, contents))
        placed = [
            self._recognised(asked[index], Stat(*stat), content, read_at_ns)
            for index, stat, content in found
        ]
        if placed:
            await self._ledger.keep([item.version for item in placed if item.version])
        return placed

    def _job(
        self, root: Path, paths: Sequence[str], known: Mapping[str, frozenset[ContentId]]
    ) -> BuildJob:
        return BuildJob(
            root=str(root),
            files=tuple(BuildFile(path, known.get(path, frozenset())) for path in paths),
            limits=self._pipeline.limits,
            max_file_bytes=self._settings.max_file_bytes,
            allow_secrets=self._settings.allow_secrets,
            embed=self._pipeline.embed_in_worker,
        )

    def _recognised(self, path: str, stat: Stat, content: ContentId, read_at_ns: int) -> Placed:
        version = version_id(self.repo, path, content, self._pipeline.fingerprint)
        return Placed(path, stat, version, None, racy=is_racy(stat, read_at_ns))

    async def _store(self, project_id: int, files: list[tuple[str, BuiltFile]]) -> None:
        if not files:
            return
        rows = [self._row(path, built) for path, built in files]
        points = points_of(rows, [built for _, built in files])
        async with self._writing:
            await self._ledger.write_versions(rows, self.shard, project_id)
            if points is not None:
                await self._vectors.upsert(self.shard, points)
                self._flusher.note(self.shard)
            dense = self._pipeline.embed_in_worker or points is None
            await self._ledger.mark_upserted(self.shard, [row.id for row in rows], dense=dense)
        if not dense:
            self.on_lexical_only()

    async def write_dense(self, points: PointBatch, versions: Sequence[VersionId]) -> None:
        """Write points again, now with dense vectors, and note that these versions have them."""
        async with self._writing:
            await self._vectors.upsert(self.shard, points)
            self._flusher.note(self.shard)
            await self._ledger.mark_upserted(self.shard, versions, dense=True)

    async def mark_dense(self, versions: Sequence[VersionId]) -> None:
        """Note that these versions have all the dense vectors they will ever have."""
        if versions:
            await self._ledger.mark_upserted(self.shard, versions, dense=True)

    async def delete_points(self) -> None:
        """Delete what the outbox holds for this shard.

        Under the same lock as writing: a version that comes back is taken out of the outbox when
        its rows are written, but a delete already on its way could not be called back.
        """
        async with self._writing:
            while entries := [
                entry for entry in await self._ledger.outbox() if entry.shard == self.shard
            ]:
                for entry in entries:
                    await self._vectors.delete(self.shard, entry.versions)
                    await self._ledger.outbox_done(entry)

    def _row(self, path: str, built: BuiltFile) -> PackedVersion:
        return PackedVersion(
            id=version_id(self.repo, path, built.content, self._pipeline.fingerprint),
            repo=self.repo,
            path=path,
            content=built.content,
            fingerprint=self._pipeline.fingerprint,
            size=built.size,
            record=built.record,
            file=built.file,
        )

    def _placed(self, outcome: Outcome, read_at_ns: int) -> Placed:
        if outcome.skipped is not None or outcome.stat is None:
            # Without a stat the next pass reads the file again, which a racy one needs.
            stat = outcome.stat
            settled = stat is not None and not is_racy(stat, read_at_ns)
            return Placed(outcome.path, stat if settled else None, None, outcome.skipped)
        content = outcome.built.content if outcome.built is not None else outcome.recognised
        if content is None:
            raise AssertionError("an outcome is skipped, recognised or built")
        return Placed(
            outcome.path,
            outcome.stat,
            version_id(self.repo, outcome.path, content, self._pipeline.fingerprint),
            None,
            racy=is_racy(outcome.stat, read_at_ns),
            computed=outcome.built is not None,
            chunks=len(outcome.built.file.kinds) if outcome.built is not None else 0,
        )


def points_of(rows: Sequence[PackedVersion], built: Sequence[BuiltFile]) -> PointBatch | None:
    """Make one point a chunk, in the order of the rows; None when there are no chunks."""
    sizes = [len(row.file.kinds) for row in rows]
    if not any(sizes):
        return None
    dense = [item.dense for item in built if item.dense is not None and len(item.dense)]
    return PointBatch(
        versions=tuple(row.id for row, n in zip(rows, sizes, strict=True) for _ in range(n)),
        ordinals=tuple(ordinal for n in sizes for ordinal in range(n)),
        kinds=tuple(kind for row in rows for kind in row.file.kinds),
        languages=tuple(
            row.file.language for row, n in zip(rows, sizes, strict=True) for _ in range(n)
        ),
        sparse=tuple(vector for item in built for vector in item.sparse()),
        dense=np.concatenate(dense) if dense else None,
    )
