"""Builds the parts below the sessions, in the order they need each other, and stops them."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from paparatsd.embeddings.static import read_spec
from paparatsd.errors import PaparatsError
from paparatsd.fingerprints import make_pipeline
from paparatsd.graph.keeper import GraphKeeper
from paparatsd.history.keeper import HistoryKeeper
from paparatsd.indexing.apply import VersionBuilder
from paparatsd.indexing.flusher import Flusher
from paparatsd.indexing.ledger import Ledger
from paparatsd.indexing.pool import WorkerPool
from paparatsd.indexing.shard_writer import ShardWriter, ShardWriters
from paparatsd.knowledge.embedding import EndpointEmbedder
from paparatsd.knowledge.notes import Notes
from paparatsd.model_roles.embedders import Embedders
from paparatsd.model_roles.parts import CODE, RoleParts
from paparatsd.model_roles.roles import ModelRoles
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
    from collections.abc import Awaitable, Callable, Coroutine

    from paparatsd.broadcast import Broadcaster
    from paparatsd.clock import Clock
    from paparatsd.endpoints.posting import Sent
    from paparatsd.indexing.apply import Pipeline
    from paparatsd.knowledge.embedding import NoteEmbedder
    from paparatsd.model import RepoId, ShardKey
    from paparatsd.model_roles.embedders import OpenEmbedder
    from paparatsd.rerank.reranking import Reranking
    from paparatsd.settings import Settings
    from paparatsd.status_model import Outlet
    from paparatsd.store.vectors import VectorStore

log = structlog.get_logger()

GRACE_S = 1.0
"""So much longer than a question may take are shards kept that a change of models leaves."""


@dataclass(slots=True)
class Swaps:
    """What must happen when another model begins to answer, and whether now is a time for it.

    `on_code`: what is shown may have been placed for the model before. `is_settled` says that no
    project is about to replace what it shows. Both are the roster's, which is built later.
    """

    on_code: Callable[[], None] = lambda: None
    is_settled: Callable[[], bool] = lambda: True
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def start(self, work: Coroutine[None, None, None]) -> None:
        """Have something done soon, that cannot be waited for."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


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
    models: ModelRoles
    embedders: Embedders
    writers: ShardWriters
    builders: dict[RepoId, VersionBuilder]
    build_one: Callable[[RepoId], VersionBuilder]
    pipeline_of: Callable[[int], Pipeline]
    outlets: Callable[[], tuple[Outlet, ...]]
    swaps: Swaps
    more_problems: Callable[[], tuple[str, ...]] = tuple
    """What goes wrong beside the store, in a server that is shared; "" for nothing."""
    reranking: Reranking | None = None
    rewriter: Rewriter | None = None

    def builder_of(self, repo: RepoId) -> VersionBuilder:
        """Return the one builder of a repository."""
        builder = self.builders.get(repo)
        if builder is None:
            builder = self.builders[repo] = self.build_one(repo)
        return builder

    async def prepare(self, builder: VersionBuilder) -> None:
        """Have files read as it is due in this repository; see `build_anew`."""
        builds = await self.ledger.change(lambda it: it.models.builds())
        builder.pipeline = self.pipeline_of(builds.get(builder.repo, 0))

    async def build_anew(self, repo: RepoId) -> None:
        """Have everything of a repository built anew by passes to come.

        What is there is shown until its successor is.
        """
        build = await self.ledger.change(lambda it: it.models.begin_build(repo))
        self.builder_of(repo).pipeline = self.pipeline_of(build)

    async def collect(self) -> None:
        """Delete versions that nobody will show again."""
        builds = await self.ledger.change(lambda it: it.models.builds())
        current = {repo: self.pipeline_of(build).fingerprint for repo, build in builds.items()}
        await self.ledger.change(lambda it: it.models.doom_outdated(current))
        await self.ledger.collect()

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

    def model_pids(self) -> dict[str, int]:
        """Return the process ids of models that have a process of their own."""
        found = {}
        for role, opened in self.models.open_embedders():
            if (pid := opened.pid()) is not None:
                found["model" if role == CODE else f"model-{role}"] = pid
        return found

    async def delete_points(self, shard: ShardKey) -> None:
        """Delete what the outbox holds for a shard, also one that nobody uses any more."""
        await self.writers.of(shard).delete_points()

    async def recover(self) -> None:
        """Distrust what an unclean stop left unflushed; it is built again."""
        for shard in await self.ledger.shards():
            doubtful = await self.ledger.unflushed(shard)
            if doubtful and self.models.is_answering(shard):
                log.info("points_doubted", repo=shard.repo, versions=len(doubtful))
                await self.ledger.distrust(shard, doubtful)
            elif doubtful:  # made from what is stored
                await self.ledger.forget_points(shard, doubtful)

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
        steps += [self.notes.stop, self.models.stop, self.embedders.close, self.ledger.stop]
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
    reranking = await make_reranking(settings.rerank, clock)
    rewriter = _rewriter(settings, clock)
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
    embedders = Embedders(static=static, pool=pool, cache=settings.places.embeddings, clock=clock)
    writers = ShardWriters(
        lambda shard: ShardWriter(shard, ledger=ledger, vectors=vectors, flusher=flusher)
    )

    def pipeline_of(build: int) -> Pipeline:
        return make_pipeline(settings.index, static=static, build=build)

    search_child = _search_child(settings, vectors)
    builders: dict[RepoId, VersionBuilder] = {}
    swaps = Swaps()
    notes = Notes(settings.places.notes, clock)
    await notes.start()

    def on_swap(role: str) -> None:
        if role == CODE:
            for builder in builders.values():
                builder.model = models.model
            swaps.on_code()
        if settings.search.meaning:
            opened = models.for_notes
            swaps.start(notes.use(_notes_by(opened, search_child), dimension=opened.spec.dimension))

    role_parts = RoleParts(
        ledger=ledger,
        writers=writers,
        flusher=flusher,
        embedders=embedders,
        clock=clock,
        broadcaster=broadcaster,
        current=lambda build: pipeline_of(build).fingerprint,
        keys=settings.embedder_keys,
        grace_s=settings.search.deadline_s + GRACE_S,
        at_once=not settings.index.enabled,
    )
    models = ModelRoles(role_parts, on_swap=on_swap, is_settled=lambda: swaps.is_settled())
    await models.aim(settings.embedder, settings.text_embedder)

    def build_one(repo: RepoId) -> VersionBuilder:
        return VersionBuilder(
            repo,
            pipeline=pipeline_of(0),
            model=models.model,
            settings=settings.index,
            pool=pool,
            ledger=ledger,
            writers=writers,
            text_model=lambda: models.text_model,
            on_stored=models.wake,
        )

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
        models=models,
        embedders=embedders,
        writers=writers,
        builders=builders,
        build_one=build_one,
        pipeline_of=pipeline_of,
        outlets=lambda: outlets_of(
            settings,
            _sent(models),
            Asked(
                reranking.sent if reranking is not None and settings.rerank.url else None,
                None if rewriter is None else rewriter.sent,
            ),
        ),
        swaps=swaps,
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


def _sent(models: ModelRoles) -> list[tuple[str, str, Sent]]:
    """Return of each endpoint what for it is asked, its URL, and what it got."""
    apart = models.is_apart
    return [
        (role if apart else "all", opened.settings.url, opened.sent())
        for role, opened in models.open_embedders()
        if opened.sent is not None
    ]


def _notes_by(opened: OpenEmbedder, search_child: Child) -> NoteEmbedder | None:
    """Return what embeds notes; None where it cannot be asked: then words alone compare them."""
    if opened.embedder is None:
        return None
    if opened.built_in:
        return SearchEmbedder(search_child, opened.spec.fingerprint)
    return EndpointEmbedder(opened.embedder)


def _search_child(settings: Settings, vectors: VectorStore) -> Child:
    link = vectors.link if isinstance(vectors, EdgeStore) else None
    options = ChildOptions(settings.search.ranker, settings.search.meaning, link)
    return Child(
        "search",
        "paparatsd.search.child",
        (str(settings.places.catalog), options.to_argument()),
        inherit=() if link is None else (link,),
    )


def _store(settings: Settings, clock: Clock) -> VectorStore:
    if settings.store.qdrant_url:
        # Importing the client takes most of a second, which only a served store is worth.
        from paparatsd.store.server import ServerStore

        owner = installation_id(settings.places.installation)
        return ServerStore(
            settings.store, owner, clock=clock, only_reads=not settings.index.enabled
        )
    return EdgeStore(settings.places.vectors, clock=clock)
