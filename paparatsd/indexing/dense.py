"""Fills in dense vectors behind search, from texts that are stored.

With the built-in model vectors are made in the workers and there is usually nothing to do here.
Otherwise a project answers lexically as soon as its files are parsed, and this task catches up. It
also makes the shards of a model that is to answer later.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

import structlog

from paparatsd.embeddings.embedder import EmbedderRefused
from paparatsd.errors import PaparatsError
from paparatsd.model import PointBatch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.clock import Clock
    from paparatsd.embeddings.embedder import Embedder
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.indexing.shard_writer import ShardWriters
    from paparatsd.indexing.stored import StoredFile
    from paparatsd.model import Chunk, ShardKey, SparseVector, VersionId
    from paparatsd.store.rows import VersionInfo

log = structlog.get_logger()

VERSIONS_AT_ONCE = 32
RETRY_S = (1.0, 5.0, 15.0, 60.0)
PATHS_TOLD = 3
"""How many files with refused texts are named in the status."""


class Work(Protocol):
    """What is to be filled. Calls raise PaparatsError."""

    async def shards(self) -> Sequence[ShardKey]:
        """Return the shards to look at."""
        ...

    async def missing(self, shard: ShardKey) -> Sequence[VersionId]:
        """Return the versions in a shard that lack vectors now."""
        ...

    async def full(self) -> None:
        """Hear that nothing was missing when it was last looked at."""
        ...


class DenseFiller:
    """Embeds versions from their stored texts into the shards of one model, for all repositories.

    Where it ends, by whatever reason, the next one goes on: what is done is in the catalog.
    """

    def __init__(
        self,
        *,
        embedder: Embedder,
        ledger: Ledger,
        writers: ShardWriters,
        clock: Clock,
        work: Work,
        on_progress: Callable[[ShardKey, int], None] = lambda shard, left: None,
    ) -> None:
        self._embedder = embedder
        self._ledger = ledger
        self._writers = writers
        self._clock = clock
        self._work = work
        self._on_progress = on_progress
        self._wake = asyncio.Event()
        self._failures = 0
        self._left: dict[ShardKey, int] = {}
        self.problem = ""
        self.refused_texts = 0
        self._refused_paths: dict[str, None] = {}

    def wake(self) -> None:
        """Say that there may be work."""
        self._wake.set()

    def pending(self, shard: ShardKey) -> int:
        """Return how many files of a shard have no dense vectors yet, as far as known."""
        return self._left.get(shard, 0)

    def problems(self) -> tuple[str, ...]:
        """Say what the embedder could not do."""
        return tuple(text for text in (self.problem, self._refused()) if text)

    def _refused(self) -> str:
        """Return how many texts were refused since the start, and in which files; "" for none."""
        if not self.refused_texts:
            return ""
        names = ", ".join(tuple(self._refused_paths)[:PATHS_TOLD])
        more = " and others" if len(self._refused_paths) > PATHS_TOLD else ""
        texts = "a text" if self.refused_texts == 1 else f"{self.refused_texts} texts"
        them = "it" if self.refused_texts == 1 else "them"
        return f"the embedder refused {texts} (in {names}{more}); words alone find {them}"

    async def run(self) -> None:
        """Fill until cancelled; a failing endpoint is tried again with growing waits."""
        while True:
            self._wake.clear()
            try:
                for shard in await self._work.shards():
                    await self._fill(shard)
                self._failures, self.problem = 0, ""
                await self._work.full()
            except PaparatsError as error:
                self.problem = str(error)
                log.warning("embedding_failed", error=str(error), code=error.code)
                await self._clock.sleep(self._wait_s(error))
                self._failures += 1
                continue
            await self._wake.wait()

    def _wait_s(self, error: PaparatsError) -> float:
        # A wrong key or a missing model does not mend itself within seconds.
        refused = isinstance(error, EmbedderRefused)
        return RETRY_S[-1 if refused else min(self._failures, len(RETRY_S) - 1)]

    async def _fill(self, shard: ShardKey) -> None:
        while versions := await self._work.missing(shard):
            for start in range(0, len(versions), VERSIONS_AT_ONCE):
                self._left[shard] = len(versions) - start
                self._on_progress(shard, self._left[shard])
                await self._fill_some(shard, versions[start : start + VERSIONS_AT_ONCE])
        if self._left.pop(shard, 0):
            self._on_progress(shard, 0)

    async def _fill_some(self, shard: ShardKey, versions: Sequence[VersionId]) -> None:
        """Embed a few versions; those that are gone by now have nothing to embed."""
        files = await self._ledger.stored_files(versions)
        texts = [text for file in files for text in file.texts()]
        batches: list[PointBatch] = []
        if texts:
            embedded = await self._embedder.embed_documents(texts)
            refused = frozenset(embedded.failed)
            if refused:
                self._note_refused(files, embedded.failed)
                batches.append(_points(files, sorted(refused), None))
            keep = [row for row in range(len(texts)) if row not in refused]
            if keep:
                batches.append(_points(files, keep, embedded.vectors[keep]))
        await self._writers.of(shard).fill(batches, versions)
        # A project may take hours: what was wrong before this is over now, not at its end.
        self._failures, self.problem = 0, ""

    def _note_refused(self, files: Sequence[StoredFile], failed: Sequence[int]) -> None:
        """Remember which files have texts that were refused; `failed` counts over all chunks."""
        paths = [str(file.info.path) for file in files for _ in file.chunks]
        for row in failed:
            log.warning("text_refused", path=paths[row])
            if len(self._refused_paths) <= PATHS_TOLD:
                self._refused_paths[paths[row]] = None
        self.refused_texts += len(failed)


def _points(
    files: Sequence[StoredFile], keep: Sequence[int], dense: NDArray[np.float32] | None
) -> PointBatch:
    """Make points of some chunks, of words alone without `dense`; `keep` counts over all files."""
    all_chunks: list[tuple[VersionInfo, Chunk, SparseVector]] = [
        (file.info, chunk, vector)
        for file in files
        for chunk, vector in zip(file.chunks, file.sparse, strict=True)
    ]
    chosen = [all_chunks[row] for row in keep]
    return PointBatch(
        versions=tuple(info.id for info, _, _ in chosen),
        ordinals=tuple(chunk.ordinal for _, chunk, _ in chosen),
        kinds=tuple(chunk.kind for _, chunk, _ in chosen),
        languages=tuple(info.language for info, _, _ in chosen),
        sparse=tuple(vector for _, _, vector in chosen),
        dense=dense,
    )
