"""Notices when another model answers under the name of the one whose vectors are kept.

Vectors of two models say nothing to each other, and nothing in a reply tells them apart when their
size is the same. So the vector of one fixed text is kept and compared with a new one now and then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import numpy as np

from paparatsd.embeddings.cache import stored
from paparatsd.embeddings.embedder import Embedded, EmbedderRefused
from paparatsd.errors import PaparatsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.clock import Clock
    from paparatsd.embeddings.cache import EmbeddingCache
    from paparatsd.embeddings.embedder import Embedder, FloatVector
    from paparatsd.model import EmbedderSpec

CHECK_S = 600.0
"""So long a comparison holds; the first call of a process always makes one."""
SAME = 0.95
"""Least cosine of one model's vectors of one text; other rounding of the same weights passes."""
REFERENCE = "def read_file(path):\n    return open(path).read()"


class SameModel:
    """An embedder that refuses to go on while the endpoint behind it answers as another model.

    The reference is kept in the embedding cache; without it the next answer becomes the reference.
    """

    def __init__(self, embedder: Embedder, cache: EmbeddingCache, clock: Clock) -> None:
        """Watch over `embedder`."""
        self._embedder = embedder
        self._cache = cache
        self._clock = clock
        self._checked_at = {"document": float("-inf"), "query": float("-inf")}

    @property
    def spec(self) -> EmbedderSpec:
        """The spec of the embedder that is watched."""
        return self._embedder.spec

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Embed documents, with the reference among them when it is due.

        Raises as the embedder, and EmbedderRefused when it is another model.
        """
        if not texts or not self._is_due("document"):
            return await self._embedder.embed_documents(texts)
        answer = await self._embedder.embed_documents([*texts, REFERENCE])
        last = len(texts)
        if last not in answer.failed:
            await self._compare("document", answer.vectors[last])
        return Embedded(answer.vectors[:last], tuple(one for one in answer.failed if one != last))

    async def embed_query(self, text: str) -> FloatVector:
        """Embed a question, with the reference beside it when due. Raises as for documents."""
        if not self._is_due("query"):
            return await self._embedder.embed_query(text)
        reference: list[FloatVector] = []

        async def ask() -> None:
            try:
                reference.append(await self._embedder.embed_query(REFERENCE))
            except PaparatsError:
                return  # the next question asks again

        failure: PaparatsError | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            try:
                row = await self._embedder.embed_query(text)
            except PaparatsError as error:
                failure = error
                tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure
        if reference:
            await self._compare("query", reference[0])
        return row

    def _is_due(self, use: str) -> bool:
        return self._clock.monotonic() - self._checked_at[use] >= CHECK_S

    async def _compare(self, use: str, row: FloatVector) -> None:
        """Compare a vector of the reference with the one that is kept; raises EmbedderRefused."""
        template = self.spec.query_template if use == "query" else ""
        key = f"reference\0{use}\0{template}\0{REFERENCE}"
        known = await anyio.to_thread.run_sync(self._cache.get_many, [key], self.spec)
        if known[0] is None:
            rows = stored(row[None, :])
            await anyio.to_thread.run_sync(self._cache.put_many, [key], rows, self.spec)
        elif float(np.add.reduce(known[0] * row)) < SAME:
            raise EmbedderRefused(
                f"another model than before answers under the name {self.spec.model!r}; bring the "
                "former one back, or set embedder.revision to any new word to embed all anew"
            )
        self._checked_at[use] = self._clock.monotonic()
