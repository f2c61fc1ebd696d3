"""What helps searches from outside, put together: a reranker, a chat model that rewrites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.search.reordering import Reordering
from paparatsd.search.rewrites import Rewrites

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.embeddings.embedder import Embedder
    from paparatsd.rerank.reranking import Reranking
    from paparatsd.rewriting.rewriter import Rewriter
    from paparatsd.settings import RerankSettings


def reordering_of(
    reranking: Reranking | None, settings: RerankSettings, search: str
) -> Reordering | None:
    """Return the say that a reranker has in one kind of search (code, docs), None without one."""
    if reranking is None or search not in settings.searches:
        return None
    return Reordering(reranking, settings.candidates, settings.max_chars)


def rewrites_of(rewriter: Rewriter | None, embedder: Embedder | None) -> Rewrites | None:
    """Return what rewrites questions; `embedder` None is the built-in one."""
    if rewriter is None:
        return None
    if embedder is None:
        return Rewrites(rewriter, None)
    used = embedder

    async def embed_code(text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = (await used.embed_documents([text])).vectors[0]
        return row

    return Rewrites(rewriter, embed_code)
