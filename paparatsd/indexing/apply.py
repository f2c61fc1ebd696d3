"""From paths to stored file versions: build what is unknown, write rows, then points.

The order is the promise: rows first (invisible until a view names them), points next, and only
what has both counts as known. A crash in between leaves rows that are built again, never a view
that names something search cannot find.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.indexing.jobs import BuildFile, BuildJob, Outcome
from paparatsd.indexing.plan import is_racy
from paparatsd.model import PointBatch, Stat
from paparatsd.store.ids import version_id
from paparatsd.store.packed import PackedVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from paparatsd.chunks.parse import ChunkLimits
    from paparatsd.indexing.jobs import BuiltFile
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.indexing.pool import WorkerPool
    from paparatsd.indexing.shard_writer import ShardWriters, VectorModel
    from paparatsd.model import ContentId, Fingerprint, RepoId, ShardKey, SkippedFile, VersionId
    from paparatsd.settings import IndexSettings


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


class VersionBuilder:
    """Turns files of any checkout of one repository into stored versions, each once.

    `pipeline` and `model` may be exchanged at any time; what is under way ends as it was begun,
    and its points go where those of the `model` of that moment are.
    """

    def __init__(  # noqa: PLR0913 - wired by name in one place
        self,
        repo: RepoId,
        *,
        pipeline: Pipeline,
        model: VectorModel,
        settings: IndexSettings,
        pool: WorkerPool,
        ledger: Ledger,
        writers: ShardWriters,
        text_model: Callable[[], VectorModel | None] = lambda: None,
        on_stored: Callable[[], None] = lambda: None,
    ) -> None:
        """`text_model` is that of the documents where it is another one.

        `on_stored` is called when vectors may be wanting that are not made in workers.
        """
        self.repo = repo
        self.pipeline = pipeline
        self.model = model
        self._settings = settings
        self._pool = pool
        self._ledger = ledger
        self._writers = writers
        self._text_model = text_model
        self._on_stored = on_stored

    @property
    def shard(self) -> ShardKey:
        """The shard that answers searches of this repository."""
        return self.model.shard(self.repo)

    @property
    def width(self) -> int:
        """How many batches are worth having under way at once."""
        return self._pool.size + 1

    async def place(self, project_id: int, root: Path, paths: Sequence[str]) -> list[Placed]:
        """Read and, where unknown, build and store these files of a checkout.

        Raises ChildDied, VectorStoreUnavailable or a store error; nothing is then half-visible and
        the same call can simply be made again.
        """
        pipeline = self.pipeline
        known = await self._ledger.known_contents(self.shard, pipeline.fingerprint, paths)
        read_at_ns = time.time_ns()
        outcomes = await self._pool.build(self._job(root, paths, known, pipeline))
        placed = [self._placed(outcome, read_at_ns, pipeline) for outcome in outcomes]
        built = [(item.path, item.built) for item in outcomes if item.built is not None]
        await self._store(project_id, built, pipeline)
        recognised = [item.version for item in placed if item.version and not item.computed]
        if recognised:
            await self._ledger.keep(recognised)
        return placed

    async def recognise(self, root: Path, paths: Sequence[str]) -> list[Placed]:
        """Place those of these files of which a version with their content is stored already.

        The others are left to `place`. This one takes thousands at once, as they come with a
        branch or a work tree.
        """
        pipeline = self.pipeline
        contents = await self._ledger.known_contents(self.shard, pipeline.fingerprint, paths)
        asked = [path for path in paths if contents.get(path)]
        if not asked:
            return []
        read_at_ns = time.time_ns()
        found = await self._pool.recognise(self._job(root, asked, contents, pipeline))
        placed = [
            self._recognised(asked[index], Stat(*stat), content, read_at_ns, pipeline)
            for index, stat, content in found
        ]
        if placed:
            await self._ledger.keep([item.version for item in placed if item.version])
        return placed

    def _job(
        self,
        root: Path,
        paths: Sequence[str],
        known: Mapping[str, frozenset[ContentId]],
        pipeline: Pipeline,
    ) -> BuildJob:
        return BuildJob(
            root=str(root),
            files=tuple(BuildFile(path, known.get(path, frozenset())) for path in paths),
            limits=pipeline.limits,
            max_file_bytes=self._settings.max_file_bytes,
            allow_secrets=self._settings.allow_secrets,
            embed=self.model.in_worker,
        )

    def _recognised(
        self, path: str, stat: Stat, content: ContentId, read_at_ns: int, pipeline: Pipeline
    ) -> Placed:
        version = version_id(self.repo, path, content, pipeline.fingerprint)
        return Placed(path, stat, version, None, racy=is_racy(stat, read_at_ns))

    async def _store(
        self, project_id: int, files: list[tuple[str, BuiltFile]], pipeline: Pipeline
    ) -> None:
        if not files:
            return
        rows = [self._row(path, built, pipeline) for path, built in files]
        built = [one for _, one in files]
        points = points_of(rows, built)
        dense = await self._add(project_id, rows, points)
        documents = [at for at, row in enumerate(rows) if row.file.document is not None]
        text_model = self._text_model() if documents else None
        if text_model is not None:
            some = [rows[at] for at in documents]
            words = _words(points_of(some, [built[at] for at in documents]))
            writer = self._writers.of(text_model.shard(self.repo))
            await writer.add_words(words, [row.id for row in some])
        if not dense or text_model is not None:
            self._on_stored()

    async def _add(
        self, project_id: int, rows: Sequence[PackedVersion], points: PointBatch | None
    ) -> bool:
        """Write to the shard that answers when it is our turn; see `ShardWriter.add`."""
        while True:
            model = self.model
            writer = self._writers.of(model.shard(self.repo))
            async with writer.lock:
                if self.model is model:
                    # Read for another model: its vectors say nothing here.
                    fitting = points if model.in_worker else _words(points)
                    return await writer.add(rows, fitting, project_id)

    def _row(self, path: str, built: BuiltFile, pipeline: Pipeline) -> PackedVersion:
        return PackedVersion(
            id=version_id(self.repo, path, built.content, pipeline.fingerprint),
            repo=self.repo,
            path=path,
            content=built.content,
            fingerprint=pipeline.fingerprint,
            size=built.size,
            record=built.record,
            file=built.file,
        )

    def _placed(self, outcome: Outcome, read_at_ns: int, pipeline: Pipeline) -> Placed:
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
            version_id(self.repo, outcome.path, content, pipeline.fingerprint),
            None,
            racy=is_racy(outcome.stat, read_at_ns),
            computed=outcome.built is not None,
            chunks=len(outcome.built.file.kinds) if outcome.built is not None else 0,
        )


def _words(points: PointBatch | None) -> PointBatch | None:
    """Return points without their dense vectors."""
    return None if points is None else replace(points, dense=None)


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
