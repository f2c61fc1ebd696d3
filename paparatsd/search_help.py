"""What helps searches from outside, put together: a reranker, a chat model that rewrites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.search.reordering import Reordering
from paparatsd.search.rewrites import Rewrites

if TYPE_CHECKING:
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


def rewrites_of(rewriter: Rewriter | None) -> Rewrites | None:
    """Return what rewrites questions, None without one."""
    return None if rewriter is None else Rewrites(rewriter)
