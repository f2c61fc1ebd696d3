"""From paths to stored file versions: build what is unknown, write rows, then points.

The order is the promise: rows first (invisible until a view names them), points next, and only
what has both counts as known. A crash in between leaves rows that are built again, never a view
that names something search cannot find.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.indexing.plan import is_racy
from paparatsd.indexing.worker import BuildFile, BuildJob, Outcome
from paparatsd.model import PointBatch, ShardKey
from paparatsd.store.ids import version_id
from paparatsd.store.rows import VersionRow

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from paparatsd.chunks.parse import ChunkLimits
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.indexing.pool import WorkerPool
    from paparatsd.model import BuiltFile, Fingerprint, RepoId, SkippedFile, Stat, VersionId
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
        """The shard that holds the code of a repository."""
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
    ) -> None:
        self.repo = repo
        self.shard = pipeline.shard(repo)
        self._pipeline = pipeline
        self._settings = settings
        self._pool = pool
        self._ledger = ledger
        self._vectors = vectors

    async def place(self, root: Path, paths: Sequence[str]) -> list[Placed]:
        """Read and, where unknown, build and store these files of a checkout.

        Raises ChildDied, VectorStoreUnavailable or a store error; nothing is then half-visible and
        the same call can simply be made again.
        """
        known = await self._ledger.known_contents(self.repo, self._pipeline.fingerprint, paths)
        read_at_ns = time.time_ns()
        outcomes = await self._pool.build(
            BuildJob(
                root=str(root),
                files=tuple(BuildFile(path, known.get(path, frozenset())) for path in paths),
                limits=self._pipeline.limits,
                max_file_bytes=self._settings.max_file_bytes,
                allow_secrets=self._settings.allow_secrets,
                embed=self._pipeline.embed_in_worker,
            )
        )
        await self._store([(item.path, item.built) for item in outcomes if item.built is not None])
        return [self._placed(outcome, read_at_ns) for outcome in outcomes]

    async def _store(self, files: list[tuple[str, BuiltFile]]) -> None:
        if not files:
            return
        rows = [self._row(path, built) for path, built in files]
        await self._ledger.write_versions(rows)
        points = _points(rows, [built for _, built in files])
        if points is not None:
            await self._vectors.upsert(self.shard, points)
        dense = self._pipeline.embed_in_worker
        await self._ledger.mark_upserted(self.shard, [row.id for row in rows], dense=dense)

    def _row(self, path: str, built: BuiltFile) -> VersionRow:
        parsed = built.parsed
        return VersionRow(
            id=version_id(self.repo, path, built.content, self._pipeline.fingerprint),
            repo=self.repo,
            path=path,
            content=built.content,
            fingerprint=self._pipeline.fingerprint,
            language=parsed.language,
            size=built.size,
            lines=parsed.lines,
            chunks=parsed.chunks,
            symbols=parsed.symbols,
            uses=parsed.uses,
            record=built.record,
            degraded=parsed.degraded,
        )

    def _placed(self, outcome: Outcome, read_at_ns: int) -> Placed:
        if outcome.skipped is not None or outcome.stat is None:
            return Placed(outcome.path, outcome.stat, None, outcome.skipped)
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
            chunks=len(outcome.built.parsed.chunks) if outcome.built is not None else 0,
        )


def _points(rows: Sequence[VersionRow], built: Sequence[BuiltFile]) -> PointBatch | None:
    """One point a chunk, in the order of the rows; None when there are no chunks."""
    pairs = [(row, chunk) for row in rows for chunk in row.chunks]
    if not pairs:
        return None
    dense = [item.dense for item in built if item.dense is not None and len(item.dense)]
    return PointBatch(
        versions=tuple(row.id for row, _ in pairs),
        ordinals=tuple(chunk.ordinal for _, chunk in pairs),
        kinds=tuple(chunk.kind for _, chunk in pairs),
        languages=tuple(row.language for row, _ in pairs),
        sparse=tuple(vector for item in built for vector in item.sparse),
        dense=np.concatenate(dense) if dense else None,
    )
