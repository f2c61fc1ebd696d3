"""A search of documents, seen from the daemon: plan in the search process, recall, rank."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.search.reordering import order_note, reordered
from paparatsd.search.searcher import RERANK_SHARE

if TYPE_CHECKING:
    from paparatsd.docs_model import DocumentText
    from paparatsd.search.docs_asked import DocsAsked, DocsFound, DocsPlan, DocumentAsked
    from paparatsd.search.reordering import Reordering
    from paparatsd.search.searcher import Searcher
    from paparatsd.search_model import Verdict

NO_STORE = (
    "The vector store did not answer: only documents whose title or path has words of the question "
    "were searched."
)
NO_MEANING = "Search by meaning is switched off (search.meaning): these are found by words only."


class DocsSearcher:
    """Asks the search process, and the stores in between, with a deadline on every wait."""

    def __init__(
        self, searcher: Searcher, *, meaning: bool = True, reordering: Reordering | None = None
    ) -> None:
        """`meaning`: whether vectors are used at all. `reordering`: as for `Searcher`."""
        self._searcher = searcher
        self._meaning = meaning
        self._reordering = reordering

    async def search(self, asked: DocsAsked, deadline_s: float) -> DocsFound:
        """Answer a question. Raises BadQuery, Busy, Unavailable (or a subclass)."""
        found: DocsFound = await self._searcher.within(
            deadline_s, lambda: self._search(asked, deadline_s)
        )
        return found

    async def _search(self, asked: DocsAsked, deadline_s: float) -> DocsFound:
        # All shards of a scope are of one model: see `model_roles/role.py`.
        shard = asked.scope.projects[0].scope.shard
        made = await self._searcher.vector(asked.query, shard, deadline_s)
        notes = made.notes if self._meaning else (NO_MEANING,)
        asked = replace(asked, vector=made.vector, built_in=made.built_in)
        found = await self._ordered(asked, deadline_s)
        return replace(found, notes=(*notes, *found.notes))

    async def _ordered(self, asked: DocsAsked, deadline_s: float) -> DocsFound:
        """Find with the say of the reranker, if there is one, within what time is left.

        It orders what is near enough by our own gate, which stays as it is.
        """
        reordering, loop = self._reordering, asyncio.get_running_loop()
        started = loop.time()

        async def find(limit: int) -> DocsFound:
            said = replace(asked, limit=limit)
            found: DocsFound = await self._searcher.twice(lambda: self._attempt(said, deadline_s))
            return found

        if reordering is None:
            return await find(asked.limit)
        silence = reordering.reranker.silence()
        if silence is not None:
            found = await find(asked.limit)
            return _unordered(found, silence if found.hits else None)
        found = await find(reordering.wanted(asked.limit))
        left_s = (deadline_s - (loop.time() - started)) * RERANK_SHARE
        verdict = await reordering.opinion(asked.query, found.hits, left_s)
        if verdict is not None and verdict.scores is not None:
            hits = reordered(found.hits, verdict)[: asked.limit]
            notes = (*found.notes, order_note(verdict))
            return replace(found, hits=hits, notes=notes, reranked_by=verdict.by)
        # More were looked for than were asked for, which has a part in the order.
        return _unordered(await find(asked.limit), verdict)

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


def _unordered(found: DocsFound, verdict: Verdict | None) -> DocsFound:
    """Return what was found in our own order, with why there is no other one, if that is to say."""
    told = () if verdict is None else (order_note(verdict),)
    return replace(found, notes=(*found.notes, *told))
