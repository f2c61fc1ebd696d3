"""One search, seen from the daemon: plan in the search process, recall in the store, rank.

The search process asks the embedded store itself; a served one, or one that does not answer, is
asked from here. Nothing here computes; every wait has the request's deadline. What one part cannot
give is left out with a note, as long as the rest is still an answer.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import structlog

from paparatsd import errors, ipc
from paparatsd.errors import (
    Busy,
    ChildDied,
    EmbedderUnavailable,
    PaparatsError,
    Unavailable,
    VectorStoreUnavailable,
)
from paparatsd.search.asked_by import BUILT_IN
from paparatsd.search.assistance import ALONE
from paparatsd.search.cache import cache_key
from paparatsd.search.compound import completed
from paparatsd.search.frames import Asked, pack_asked, unpack_ranked
from paparatsd.search.further import NOTHING_FURTHER
from paparatsd.search.query import halves_of
from paparatsd.search.reordering import certain_hits, order_note, with_verdict
from paparatsd.search.rewrites import Rewrite
from paparatsd.search_model import SearchAnswer
from paparatsd.supervise import RemoteError, local_error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.model import GroupName, RecallReply, RecallRequest, ShardKey
    from paparatsd.search.asked_by import AskedOf
    from paparatsd.search.assistance import Assistance
    from paparatsd.search.cache import QueryCache
    from paparatsd.search.frames import Ranked
    from paparatsd.search.further import Further
    from paparatsd.search.recall import RecallPlan
    from paparatsd.search.scope import Scope
    from paparatsd.search_model import ChunkView, SearchRequest, Verdict
    from paparatsd.status_model import CacheFigures
    from paparatsd.store.vectors import VectorStore
    from paparatsd.supervise import Child

log = structlog.get_logger()

MAX_RUNNING = 32
"""Searches under way at once; more wait for their turn until their deadline."""
MAX_EMBED_S = 3.0
"""After this long without a query vector, words alone must do."""
MAX_RECALL_S = 5.0
RERANK_SHARE = 0.7
"""Of the time that is left for an answer; the rest is for the answer without the reranker."""
REWRITE_SHARE = 0.4
"""Of the time for an answer; most questions are answered in a fraction of the rest."""
QUIET_S = 1.0
ASKED_LATELY_S = 600.0

NO_EMBEDDER = "The embedder did not answer: these results are found by words only, not by meaning."
NO_STORE = (
    "The vector store did not answer: only files that define a name of the question, or are named "
    "like it, were searched."
)


@dataclass(frozen=True, slots=True)
class Found:
    """Hits with the notes on how they were found; only a complete answer may be kept."""

    ranked: Ranked
    notes: tuple[str, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """A question's vector; `built_in`: the search process makes it. `notes` say why it has none."""

    vector: NDArray[np.float32] | None
    notes: tuple[str, ...] = ()
    built_in: bool = False


class Searcher:
    """Answers searches for the interfaces. Holds no index data but the cache of answers."""

    def __init__(
        self,
        *,
        child: Child,
        store: VectorStore,
        cache: QueryCache,
        asked_by: AskedOf = lambda shard: BUILT_IN,
        linked: Callable[[], bool] = lambda: False,
        quiet_s: float = QUIET_S,
        assistance: Assistance = ALONE,
    ) -> None:
        """`asked_by` says how the questions to a shard are embedded.

        `linked` says whether the search process may ask the store itself now. `quiet_s`: how long
        nothing may have changed before what has changed is loaded ahead of the next question.
        """
        self._child = child
        self._store = store
        self._cache = cache
        self._asked_by = asked_by
        self._linked = linked
        self._quiet_s = quiet_s
        self._assistance = assistance
        self._asked_at: float | None = None
        self._warmed: set[int] = set()
        self._due: asyncio.TimerHandle | None = None
        self._warming: asyncio.Task[None] | None = None
        self._running = asyncio.Semaphore(MAX_RUNNING)

    async def search(self, request: SearchRequest, scope: Scope) -> SearchAnswer:
        """Answer a search over a scope.

        Raises BadQuery, Busy when its turn does not come in time, Unavailable (or a subclass)
        when no answer at all can be given.
        """
        started = time.perf_counter()
        self._asked_at = asyncio.get_running_loop().time()
        if not scope.projects:
            return SearchAnswer(request.query, (), (), notes=scope_notes(scope))
        key = cache_key(request, scope)
        # What a filter by history lets through may change without a new generation.
        ranked, notes = (None if scope.limited else self._cache.get(key)), ()
        if ranked is None:
            found = await self.within(request.deadline_s, lambda: self._find(request, scope))
            ranked, notes = found.ranked, found.notes
            if found.complete and not scope.limited:
                self._cache.put(key, scope, ranked)
        return SearchAnswer(
            query=request.query,
            hits=ranked.hits,
            freshness=tuple(project.freshness for project in scope.projects),
            notes=(*scope_notes(scope), *notes, *ranked.notes),
            took_ms=round((time.perf_counter() - started) * 1e3, 3),
            total_candidates=ranked.candidates,
            reranked_by=ranked.reranked_by,
        )

    async def show(
        self, address: str, radius: int, scope: Scope, deadline_s: float = 10.0
    ) -> ChunkView:
        """Return the chunk at an address.

        Raises BadQuery for a malformed address, UnknownProject or UnknownAddress.
        """
        view: ChunkView = await self.within(
            deadline_s,
            lambda: self.twice(lambda: self.ask("show", (address, radius, scope), deadline_s)),
        )
        return view

    def forget(self, group: GroupName) -> None:
        """Drop kept answers that cover a group; a new generation would not find them anyway."""
        self._cache.drop_group(group)

    def cache_figures(self) -> CacheFigures:
        """Return how the cache of answers does."""
        return self._cache.figures()

    async def warm(self, scope: Scope) -> None:
        """Load the model and the views of a scope before the first question needs them."""
        await self.ask("warm", scope, 60.0, urgency=ipc.BULK)
        self._warmed |= {one.project_id for one in scope.projects if one.building is None}

    def warm_soon(self, scope: Callable[[], Scope]) -> None:
        """Have what changed loaded as soon as nothing changes for a moment; call it at a change.

        Only where somebody has asked lately, or a project was never loaded: loading views over and
        over for nobody would cost more than the first question after a pause.
        """
        if self._due is not None:
            self._due.cancel()
        self._due = asyncio.get_running_loop().call_later(self._quiet_s, self._begin_warming, scope)

    def _begin_warming(self, get_scope: Callable[[], Scope]) -> None:
        loop, scope = asyncio.get_running_loop(), get_scope()
        ready = {one.project_id for one in scope.projects if one.building is None}
        asked = self._asked_at is not None and loop.time() - self._asked_at < ASKED_LATELY_S
        if self._child.is_running() and (asked or ready - self._warmed):
            self._warming = loop.create_task(self._warm_quietly(scope))

    async def _warm_quietly(self, scope: Scope) -> None:
        try:
            await self.warm(scope)
        except PaparatsError as error:  # the next question will say so, if it matters
            log.debug("warming_failed", error=str(error))

    # ------------------------------------------------------------------ for other searches, too

    async def within(self, deadline_s: float, work: Callable[[], Awaitable[Any]]) -> Any:  # noqa: ANN401 - what the work returns
        """Do the work when it is its turn. Raises Busy, and Unavailable at the deadline."""
        waiting = True
        try:
            async with asyncio.timeout(deadline_s), self._running:
                waiting = False
                return await work()
        except TimeoutError:
            if waiting:
                raise Busy("too many searches are running; try again in a moment") from None
            raise Unavailable(f"the search took longer than {deadline_s:g} s") from None

    async def _find(self, request: SearchRequest, scope: Scope) -> Found:
        found = await self._find_ordered(request, scope)
        halves = halves_of(request.query) if request.limit > 1 else ()
        if not halves:
            return found
        one_each = [replace(request, query=half, limit=1) for half in halves]
        others = [await self._find_one(half, scope) for half in one_each]
        ranked = completed(found.ranked, [other.ranked for other in others], request.limit)
        complete = found.complete and all(other.complete for other in others)
        return Found(ranked, found.notes, complete)

    async def _find_ordered(self, request: SearchRequest, scope: Scope) -> Found:
        """Find with the say of a chat model and a reranker, if there are any, in the time left."""
        if self._assistance == ALONE:
            return await self._find_one(request, scope)
        reordering, rewrites = self._assistance.reordering, self._assistance.rewrites
        loop = asyncio.get_running_loop()
        ends = loop.time() + request.deadline_s
        made = await self.vector(request.query, scope.projects[0].shard, request.deadline_s)
        rewrite = Rewrite()
        if rewrites is not None and request.widen:
            by = self._asked_by(scope.projects[0].shard)
            left_s = (ends - loop.time()) * REWRITE_SHARE
            rewrite = await rewrites.of(request.query, left_s, by)

        async def find(limit: int) -> Found:
            asked = replace(request, limit=limit)
            found: Found = await self.twice(
                lambda: self._attempt(asked, scope, made, rewrite.further)
            )
            ranked = replace(found.ranked, notes=(*rewrite.notes, *found.ranked.notes))
            return replace(found, ranked=ranked, complete=found.complete and rewrite.complete)

        if reordering is None:
            return await find(request.limit)
        silence = reordering.reranker.silence()
        if silence is not None:
            found = await find(request.limit)
            hits = found.ranked.hits
            return unordered(found, silence) if certain_hits(hits) < len(hits) else found
        found = await find(reordering.wanted(request.limit))
        left_s = (ends - loop.time()) * RERANK_SHARE
        verdict = await reordering.opinion(request.query, found.ranked.hits, left_s)
        if verdict is not None and verdict.scores is not None:
            return replace(found, ranked=with_verdict(found.ranked, verdict, request.limit))
        # More were looked for than were asked for, which may merge some that are shown.
        found = await find(request.limit)
        return found if verdict is None else unordered(found, verdict)

    async def _find_one(self, request: SearchRequest, scope: Scope) -> Found:
        # All shards of a scope are of one model: see `model_roles/role.py`.
        made = await self.vector(request.query, scope.projects[0].shard, request.deadline_s)
        found: Found = await self.twice(lambda: self._attempt(request, scope, made))
        return found

    async def twice(self, attempt: Callable[[], Awaitable[Any]]) -> Any:  # noqa: ANN401 - what it returns
        """Make the attempt, and once more when the search process died under it."""
        try:
            return await attempt()
        except RemoteError as error:
            raise local_error(error, self._child.name) from error
        except ChildDied as error:
            log.warning("search_retried", error=str(error))
        try:
            return await attempt()
        except RemoteError as error:
            raise local_error(error, self._child.name) from error

    async def vector(self, text: str, shard: ShardKey, deadline_s: float) -> QuestionVector:
        """Return a question's vector by the model of a shard, and a note where there is none."""
        by = self._asked_by(shard)
        if by.built_in:
            return QuestionVector(None, built_in=True)
        if by.embed_query is None:
            return QuestionVector(None, (by.note,))
        try:
            async with asyncio.timeout(min(MAX_EMBED_S, deadline_s / 2)):
                return QuestionVector(await by.embed_query(text))
        except (EmbedderUnavailable, errors.BadReply, TimeoutError) as error:
            log.warning("query_not_embedded", error=str(error))
            return QuestionVector(None, (_without_vector(error),))

    async def _attempt(
        self,
        request: SearchRequest,
        scope: Scope,
        made: QuestionVector,
        further: Further = NOTHING_FURTHER,
    ) -> Found:
        notes = made.notes
        asked = Asked(request, scope, made.vector, made.built_in, self._linked(), further)
        plan: RecallPlan | None
        plan, packed = await self.ask("find", pack_asked(asked), request.deadline_s)
        if plan is None:
            return Found(unpack_ranked(packed), notes, complete=not notes)
        replies, problem = await self.recall(plan.requests, request.deadline_s)
        packed = await self.ask("rank", (plan.token, replies), request.deadline_s)
        ranked = unpack_ranked(packed)
        if problem is not None:
            if not ranked.hits:
                raise problem
            notes = (*notes, NO_STORE)
        return Found(ranked, notes, complete=not notes)

    async def recall(
        self, requests: Sequence[RecallRequest], deadline_s: float
    ) -> tuple[list[RecallReply], VectorStoreUnavailable | None]:
        """Ask the stores; without their answer return why there is none."""
        if not requests:
            return [], None
        try:
            async with asyncio.timeout(min(MAX_RECALL_S, deadline_s / 2)):
                return await self._store.recall(requests), None
        except (Unavailable, errors.BadReply, TimeoutError) as error:
            log.warning("recall_failed", error=str(error) or "no answer in time")
            reason = str(error) or "no answer in time"
            return [], VectorStoreUnavailable(f"the vector store cannot be searched: {reason}")

    async def ask(
        self,
        operation: str,
        argument: Any,  # noqa: ANN401 - whatever the operation takes
        deadline_s: float,
        *,
        urgency: int = ipc.URGENT,
    ) -> Any:  # noqa: ANN401 - whatever the operation returns
        """Ask the search process."""
        return await self._child.call(operation, argument, timeout_s=deadline_s, urgency=urgency)


def unordered(found: Found, verdict: Verdict) -> Found:
    """Return what was found in our own order, with why; it is not kept for the next question."""
    return replace(found, notes=(*found.notes, order_note(verdict)), complete=False)


def scope_notes(scope: Scope) -> tuple[str, ...]:
    """Return what a reader must know of the searched projects beside how fresh they are."""
    if not scope.projects:
        return ("No project is registered here: `paparats add PATH` registers one.",)
    notes = []
    for project in scope.projects:
        if project.building is not None:
            done, total = project.building
            notes.append(
                f"The index of {project.name} is still being built: {done} of {total} files are in."
            )
    return tuple(notes)


def _without_vector(error: Exception) -> str:
    """Return the note about a question that has no vector: the reason, if waiting does not help."""
    if getattr(error, "code", "") in {"embedder_refused", errors.BadReply.code}:
        return f"Found by words only, not by meaning: {error}."
    return NO_EMBEDDER
