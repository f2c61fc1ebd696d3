"""Builds the parts below the sessions, in the order they need each other, and stops them."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from paparatsd.chunks.embedtext import TEXT_VERSION
from paparatsd.embeddings.cache import CachedEmbedder, EmbeddingCache
from paparatsd.embeddings.http import HttpEmbedder
from paparatsd.embeddings.model2vec import Model2vecEmbedder, load_table
from paparatsd.embeddings.sameness import SameModel
from paparatsd.embeddings.static import read_spec
from paparatsd.errors import EmbedderUnavailable, PaparatsError
from paparatsd.fingerprints import make_pipeline
from paparatsd.graph.keeper import GraphKeeper
from paparatsd.history.keeper import HistoryKeeper
from paparatsd.indexing.apply import VersionBuilder
from paparatsd.indexing.dense import DenseFiller
from paparatsd.indexing.flusher import Flusher
from paparatsd.indexing.ledger import Ledger
from paparatsd.indexing.pool import WorkerPool
from paparatsd.knowledge.embedding import EndpointEmbedder
from paparatsd.knowledge.notes import Notes
from paparatsd.outlets import Asked, outlets_of
from paparatsd.rerank.choice import make_reranking
from paparatsd.rewriting.chat import Chat
from paparatsd.rewriting.rewriter import Rewriter
from paparatsd.search.embedding import SearchEmbedder
from paparatsd.search.options import ChildOptions
from paparatsd.search.ranker import load_ranker
from paparatsd.store.edge import EdgeStore
from paparatsd.store.installation import installation_id
from paparatsd.supervise import Child

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paparatsd.broadcast import Broadcaster
    from paparatsd.clock import Clock
    from paparatsd.embeddings.embedder import Embedder
    from paparatsd.indexing.apply import Pipeline
    from paparatsd.knowledge.embedding import NoteEmbedder
    from paparatsd.model import EmbedderSpec, RepoId, ShardKey
    from paparatsd.rerank.reranking import Reranking
    from paparatsd.settings import Settings
    from paparatsd.status_model import Outlet
    from paparatsd.store.vectors import VectorStore

log = structlog.get_logger()


@dataclass(slots=True)
class Parts:
    """Everything that must be there before a project can be opened."""

    ledger: Ledger
    vectors: VectorStore
    search_child: Child
    history: HistoryKeeper
    history_child: Child
    graph: GraphKeeper
    graph_child: Child
    notes: Notes
    pool: WorkerPool
    flusher: Flusher
    pipeline: Pipeline
    embedder_spec: EmbedderSpec
    embedder: Embedder | None
    filler: DenseFiller | None
    builders: dict[RepoId, VersionBuilder]
    build_one: Callable[[RepoId], VersionBuilder]
    close_embedder: Callable[[], Awaitable[None]]
    outlets: Callable[[], tuple[Outlet, ...]]
    more_problems: Callable[[], tuple[str, ...]] = tuple
    """What goes wrong beside the store, in a server that is shared; "" for nothing."""
    reranking: Reranking | None = None
    rewriter: Rewriter | None = None

    def builder_of(self, repo: RepoId) -> VersionBuilder:
        """Return the one builder of a repository."""
        builder = self.builders.get(repo)
        if builder is None:
            builder = self.builders[repo] = self.build_one(repo)
            if self.filler is not None:
                builder.on_lexical_only = self.filler.wake
        return builder

    def store_problems(self) -> tuple[str, ...]:
        """Say what was found damaged or lost since the start."""
        aside, unsafe = self.ledger.moved_aside, self.flusher.problem
        own = (
            [f"the catalog was damaged; it is built anew, the old one is {aside}"] if aside else []
        )
        own += [f"vectors cannot be made durable: {unsafe}"] if unsafe else []
        silent = "" if self.reranking is None else self.reranking.problem
        own += [f"answers are not reranked: {silent}"] if silent else []
        return (*own, *self.vectors.problems, *filter(None, self.more_problems()))

    def is_linked(self) -> bool:
        """Say whether the search process may ask the store without the daemon now."""
        return isinstance(self.vectors, EdgeStore) and self.vectors.may_be_asked()

    def store_pids(self) -> dict[str, int]:
        """Return the process id of the store child, if there is one and it runs."""
        if not isinstance(self.vectors, EdgeStore) or self.vectors.child.pid is None:
            return {}
        return {"store": self.vectors.child.pid}

    async def delete_points(self, shard: ShardKey) -> None:
        """Delete what the outbox holds for a shard, also one of another fingerprint."""
        builder = self.builder_of(shard.repo)
        if builder.shard == shard:
            await builder.delete_points()
            return
        for entry in await self.ledger.outbox():
            if entry.shard == shard:
                await self.vectors.delete(shard, entry.versions)
                await self.ledger.outbox_done(entry)

    async def recover(self) -> None:
        """Distrust what an unclean stop left unflushed; it is built again."""
        for shard in await self.ledger.shards():
            doubtful = await self.ledger.unflushed(shard)
            if doubtful:
                log.info("points_doubted", repo=shard.repo, versions=len(doubtful))
                await self.ledger.distrust(shard, doubtful)

    async def stop(self) -> None:
        """Stop in reverse order; a part that fails to stop does not keep the others."""
        steps: list[Callable[[], Awaitable[object]]] = [
            self.pool.stop,
            self.search_child.stop,
            self.history_child.stop,
            self.graph_child.stop,
            self.flusher.flush,
            self.vectors.stop,
        ]
        steps += [one.close for one in (self.reranking, self.rewriter) if one is not None]
        steps += [self.notes.stop, self.close_embedder, self.ledger.stop]
        for step in steps:
            try:
                await step()
            except (PaparatsError, OSError) as error:
                log.warning("stop_failed", part=step.__qualname__, error=str(error))


async def build_parts(settings: Settings, clock: Clock, broadcaster: Broadcaster) -> Parts:
    """Build and start everything below the sessions.

    Raises BadSettings, SchemaTooNew, EmbedderUnavailable (an endpoint whose dimension is neither
    set nor can be asked for), Broken (ranking weights of the user's that cannot be used) and what
    else keeps the daemon from starting.
    """
    if settings.search.ranker:
        load_ranker(Path(settings.search.ranker))
    ledger = Ledger(settings.places.catalog)
    await ledger.start()
    try:
        return await _build_on(ledger, settings, clock, broadcaster)
    except BaseException:
        await ledger.stop()
        raise


async def _build_on(
    ledger: Ledger, settings: Settings, clock: Clock, broadcaster: Broadcaster
) -> Parts:
    static = await asyncio.to_thread(read_spec)
    chosen = await _chosen(settings, clock)
    spec = static if chosen is None else await _spec_of(chosen)
    reranking = await make_reranking(settings.rerank, clock)
    rewriter = _rewriter(settings, clock)
    pipeline = make_pipeline(settings.index, embedder=spec, static=static)
    vectors = _store(settings, clock)
    await vectors.start()
    pool = WorkerPool(
        count=settings.index.workers or os.cpu_count() or 1,
        file_timeout_s=settings.index.parse_timeout_s,
        memory_bytes=settings.index.worker_memory_bytes,
        idle_s=settings.index.worker_idle_s,
        clock=clock,
    )
    flusher = Flusher(vectors=vectors, ledger=ledger, clock=clock)
    builders: dict[RepoId, VersionBuilder] = {}
    embedder: Embedder | None = None
    close: Callable[[], Awaitable[None]] = _nothing
    if chosen is not None:
        embedder, close = _cached(settings, clock, chosen)
    filler = None
    if embedder is not None:
        filler = DenseFiller(
            embedder=embedder,
            ledger=ledger,
            clock=clock,
            builders=builders.values,
            on_progress=lambda shard, left: broadcaster.send(
                "vectors", repo=shard.repo, pending=left
            ),
        )

    def build_one(repo: RepoId) -> VersionBuilder:
        return VersionBuilder(
            repo,
            pipeline=pipeline,
            settings=settings.index,
            pool=pool,
            ledger=ledger,
            vectors=vectors,
            flusher=flusher,
        )

    search_child = _search_child(settings, vectors)
    notes = _notes(settings, clock, spec, embedder, search_child)
    await notes.start()
    history_child = Child(
        "history",
        "paparatsd.history.child",
        (str(settings.places.history), str(settings.places.catalog)),
    )
    graph_child = Child("graph", "paparatsd.graph.child", (str(settings.places.catalog),))
    return Parts(
        ledger=ledger,
        vectors=vectors,
        search_child=search_child,
        history=HistoryKeeper(history_child, clock),
        history_child=history_child,
        graph=GraphKeeper(graph_child, clock),
        graph_child=graph_child,
        notes=notes,
        pool=pool,
        flusher=flusher,
        pipeline=pipeline,
        embedder_spec=spec,
        embedder=embedder,
        filler=filler,
        builders=builders,
        build_one=build_one,
        close_embedder=close,
        outlets=lambda: outlets_of(
            settings,
            chosen.sent if isinstance(chosen, HttpEmbedder) else None,
            Asked(
                reranking.sent if reranking is not None and settings.rerank.url else None,
                None if rewriter is None else rewriter.sent,
            ),
        ),
        reranking=reranking,
        rewriter=rewriter,
    )


def _rewriter(settings: Settings, clock: Clock) -> Rewriter | None:
    expand = settings.expand
    if expand.mode == "off":
        return None
    return Rewriter(
        Chat(expand, clock=clock),
        clock=clock,
        mode=expand.mode,
        timeout_s=expand.timeout_s,
        per_minute=expand.per_minute,
    )


def _search_child(settings: Settings, vectors: VectorStore) -> Child:
    link = vectors.link if isinstance(vectors, EdgeStore) else None
    options = ChildOptions(settings.search.ranker, settings.search.meaning, link)
    return Child(
        "search",
        "paparatsd.search.child",
        (str(settings.places.catalog), options.to_argument()),
        inherit=() if link is None else (link,),
    )


def _notes(
    settings: Settings,
    clock: Clock,
    spec: EmbedderSpec,
    embedder: Embedder | None,
    search_child: Child,
) -> Notes:
    """Return the notes; compared by words alone where searches are."""
    made_by: NoteEmbedder | None = None
    if settings.search.meaning:
        built_in = SearchEmbedder(search_child, spec.fingerprint)
        made_by = built_in if embedder is None else EndpointEmbedder(embedder)
    return Notes(settings.places.notes, clock, made_by, dimension=spec.dimension)


async def _chosen(settings: Settings, clock: Clock) -> HttpEmbedder | Model2vecEmbedder | None:
    """Return the embedder that was chosen, None for the built-in one."""
    if settings.embedder.provider == "static":
        return None
    if settings.embedder.provider == "model2vec":
        table = await asyncio.to_thread(load_table, settings.embedder.model)
        return Model2vecEmbedder(settings.embedder, table, text_version=TEXT_VERSION)
    return HttpEmbedder(settings.embedder, text_version=TEXT_VERSION, clock=clock)


def _cached(
    settings: Settings, clock: Clock, chosen: HttpEmbedder | Model2vecEmbedder
) -> tuple[Embedder, Callable[[], Awaitable[None]]]:
    """Return the embedder with its cache, if it is worth one, and what closes both."""
    if isinstance(chosen, Model2vecEmbedder):
        return chosen, chosen.close
    cache = EmbeddingCache(settings.places.embeddings)
    same = SameModel(chosen, cache, clock)
    embedder = CachedEmbedder(same, cache, slice_texts=chosen.batch_texts * 4)
    return embedder, _closer(chosen, cache)


async def _spec_of(chosen: HttpEmbedder | Model2vecEmbedder) -> EmbedderSpec:
    if isinstance(chosen, Model2vecEmbedder):
        return chosen.spec
    try:
        return chosen.spec
    except EmbedderUnavailable:
        return await chosen.probe()


def _store(settings: Settings, clock: Clock) -> VectorStore:
    if settings.store.qdrant_url:
        # Importing the client takes most of a second, which only a served store is worth.
        from paparatsd.store.server import ServerStore

        owner = installation_id(settings.places.installation)
        return ServerStore(
            settings.store, owner, clock=clock, only_reads=not settings.index.enabled
        )
    return EdgeStore(settings.places.vectors, clock=clock)


def _closer(endpoint: HttpEmbedder, cache: EmbeddingCache) -> Callable[[], Awaitable[None]]:
    async def close() -> None:
        await endpoint.close()
        await asyncio.to_thread(cache.close)

    return close


async def _nothing() -> None:
    """Close nothing."""
