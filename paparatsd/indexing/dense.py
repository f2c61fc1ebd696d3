"""Fills in dense vectors behind search, when the embedder is an endpoint.

With the built-in model vectors are made in the workers and there is nothing to do here. Otherwise
a project answers lexically as soon as its files are parsed, and this task catches up.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

from paparatsd.embeddings.embedder import EmbedderRefused
from paparatsd.errors import PaparatsError
from paparatsd.model import PointBatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.clock import Clock
    from paparatsd.embeddings.embedder import Embedder
    from paparatsd.indexing.apply import VersionBuilder
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.indexing.stored import StoredFile
    from paparatsd.model import Chunk, ShardKey, SparseVector
    from paparatsd.store.rows import VersionInfo

log = structlog.get_logger()

VERSIONS_AT_ONCE = 32
RETRY_S = (1.0, 5.0, 15.0, 60.0)
PATHS_TOLD = 3
"""How many files with refused texts are named in the status."""


class DenseFiller:
    """Embeds versions that have only their lexical vectors, for all repositories."""

    def __init__(
        self,
        *,
        embedder: Embedder,
        ledger: Ledger,
        clock: Clock,
        builders: Callable[[], Iterable[VersionBuilder]],
        on_progress: Callable[[ShardKey, int], None] = lambda shard, left: None,
    ) -> None:
        self._embedder = embedder
        self._ledger = ledger
        self._clock = clock
        self._builders = builders
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
                for builder in tuple(self._builders()):
                    await self._fill(builder)
                self._failures, self.problem = 0, ""
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

    async def _fill(self, builder: VersionBuilder) -> None:
        while versions := await self._ledger.lexical_only(builder.shard):
            self._left[builder.shard] = len(versions)
            self._on_progress(builder.shard, len(versions))
            files = await self._ledger.stored_files(versions[:VERSIONS_AT_ONCE])
            await self._embed(builder, files)
            done = {file.info.id for file in files}
            # Versions that are gone by now have nothing to embed.
            gone = [version for version in versions[:VERSIONS_AT_ONCE] if version not in done]
            await builder.mark_dense(gone)
        if self._left.pop(builder.shard, 0):
            self._on_progress(builder.shard, 0)

    async def _embed(self, builder: VersionBuilder, files: Sequence[StoredFile]) -> None:
        texts = [text for file in files for text in file.texts()]
        if texts:
            embedded = await self._embedder.embed_documents(texts)
            refused = frozenset(embedded.failed)
            if refused:
                self._note_refused(files, embedded.failed)
            keep = [row for row in range(len(texts)) if row not in refused]
            if keep:
                batch = _points(files, keep, embedded.vectors[keep])
                await builder.write_dense(batch, [file.info.id for file in files])
                return
        await builder.mark_dense([file.info.id for file in files])

    def _note_refused(self, files: Sequence[StoredFile], failed: Sequence[int]) -> None:
        """Remember which files have texts that were refused; `failed` counts over all chunks."""
        paths = [str(file.info.path) for file in files for _ in file.chunks]
        for row in failed:
            log.warning("text_refused", path=paths[row])
            if len(self._refused_paths) <= PATHS_TOLD:
                self._refused_paths[paths[row]] = None
        self.refused_texts += len(failed)


def _points(
    files: Sequence[StoredFile], keep: Sequence[int], dense: NDArray[np.float32]
) -> PointBatch:
    """Make points of the chunks that were embedded; `keep` counts over all files' chunks."""
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
