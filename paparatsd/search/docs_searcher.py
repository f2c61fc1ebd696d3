"""A search of documents, seen from the daemon: plan in the search process, recall, rank."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paparatsd.docs_model import DocumentText
    from paparatsd.search.docs_asked import DocsAsked, DocsFound, DocsPlan, DocumentAsked
    from paparatsd.search.searcher import Searcher

NO_STORE = (
    "The vector store did not answer: only documents whose title or path has words of the question "
    "were searched."
)
NO_MEANING = "Search by meaning is switched off (search.meaning): these are found by words only."


class DocsSearcher:
    """Asks the search process, and the stores in between, with a deadline on every wait."""

    def __init__(self, searcher: Searcher, *, meaning: bool = True) -> None:
        """`meaning`: whether vectors are used at all."""
        self._searcher = searcher
        self._meaning = meaning

    async def search(self, asked: DocsAsked, deadline_s: float) -> DocsFound:
        """Answer a question. Raises BadQuery, Busy, Unavailable (or a subclass)."""
        found: DocsFound = await self._searcher.within(
            deadline_s, lambda: self._search(asked, deadline_s)
        )
        return found

    async def _search(self, asked: DocsAsked, deadline_s: float) -> DocsFound:
        # All shards of a scope are of one model: see `model_role`.
        shard = asked.scope.projects[0].scope.shard
        made = await self._searcher.vector(asked.query, shard, deadline_s)
        notes = made.notes if self._meaning else (NO_MEANING,)
        asked = replace(asked, vector=made.vector, built_in=made.built_in)
        found: DocsFound = await self._searcher.twice(lambda: self._attempt(asked, deadline_s))
        return replace(found, notes=(*notes, *found.notes))

    async def _attempt(self, asked: DocsAsked, deadline_s: float) -> DocsFound:
        plan: DocsPlan = await self._searcher.ask("docs", asked, deadline_s)
        replies, problem = await self._searcher.recall(plan.requests, deadline_s)
        found: DocsFound = await self._searcher.ask("docs_rank", (plan.token, replies), deadline_s)
        if problem is None:
            return found
        if not found.hits:
            raise problem
        return replace(found, notes=(NO_STORE, *found.notes))

    async def document(self, asked: DocumentAsked, deadline_s: float) -> DocumentText:
        """Return a piece of a document. Raises UnknownDocument."""
        text: DocumentText = await self._searcher.within(
            deadline_s,
            lambda: self._searcher.twice(lambda: self._searcher.ask("document", asked, deadline_s)),
        )
        return text
