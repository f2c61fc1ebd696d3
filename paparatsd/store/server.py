"""The served vector store: one Qdrant node or cluster, shared by repositories and daemons.

A collection holds the points of one kind under one fingerprint. Each point belongs to one
installation (`server_points`): what a daemon deletes can only ever be its own.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from paparatsd.clock import SystemClock
from paparatsd.errors import PaparatsError, VectorStoreUnavailable
from paparatsd.model import Recalled, RecallReply
from paparatsd.store.server_layout import DENSE, TERMS, Layout, collection_name
from paparatsd.store.server_link import CollectionMissing, QdrantLink
from paparatsd.store.server_points import (
    any_of,
    point,
    read_point_id,
    read_points,
    recall_filter,
    recalled,
    tenant_of,
    tenants_filter,
)
from paparatsd.store.server_presence import BEAT_S, Presence
from paparatsd.store.vectors import check_points, check_request, empty_recall, merge_recalled

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from paparatsd.clock import Clock
    from paparatsd.model import PointBatch, RecallRequest, RepoId, ShardKey, VersionId
    from paparatsd.settings import StoreSettings

__all__ = ["ServerStore", "collection_name"]

log = structlog.get_logger()

BATCH_POINTS = 32
"""Points a request: turning them into JSON must not hold the event loop for 20 ms."""
BATCH_VERSIONS = 500
SCROLL_POINTS = 500
RECALL_S = 5.0
AGAIN_S = 5.0
"""A server that was away at the start is told of us so soon after it came."""
LEAVE_S = 2.0
"""A stop waits no longer for a server that hangs; the next start then looks twice."""
MAX_PROBLEMS = 20


class ServerStore:
    """Qdrant over HTTP, with the points of one installation."""

    def __init__(
        self,
        settings: StoreSettings,
        owner: str,
        *,
        clock: Clock | None = None,
        only_reads: bool = False,
        make_client: Callable[[], Any] | None = None,
    ) -> None:
        """`owner` is the installation (16 hex digits) whose points are written and deleted.

        One that `only_reads` has no points of its own and searches those of `sources`, which says
        of each repository whose there are. `make_client` takes the place of the HTTP client.
        """
        self._clock = clock or SystemClock()
        self.link = QdrantLink(settings, self._clock, make_client)
        self.layout = Layout(self.link, settings)
        self.presence = Presence(self.link, self.layout, owner, publishes=settings.publish)
        self.owner = owner
        self._only_reads = only_reads
        self.sources: Mapping[RepoId, Sequence[str]] = {}
        self._lost: tuple[str, ...] = ()
        self._unheard = ""
        self._beating: asyncio.Task[None] | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """What the server lost, and that it cannot be reached or changed while that is so."""
        now = dict.fromkeys((self.link.problem, self._unheard, self.presence.doubt))
        return (*self._lost, *filter(None, now))

    @property
    def _client(self) -> Any:  # noqa: ANN401 - the client is imported late
        return self.link.client

    @property
    def _models(self) -> Any:  # noqa: ANN401 - the client is imported late
        return self.link.models

    async def start(self) -> None:
        """Import the client and look for the server; one that is away is a problem, no error."""
        await self.link.open()
        if not self._only_reads:
            if not self.link.problem:
                await self._announce()
            self._beating = asyncio.get_running_loop().create_task(self._beat())

    async def stop(self) -> None:
        """Say goodbye and close the connections."""
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.wait({self._beating})
            if not self.problems:
                try:
                    async with asyncio.timeout(LEAVE_S):
                        await self.presence.leave(self._clock.now())
                except (PaparatsError, TimeoutError) as error:
                    log.debug("not_left", error=str(error))
        await self.link.close()

    async def _beat(self) -> None:
        while True:
            await self._clock.sleep(BEAT_S if self.presence.registered else AGAIN_S)
            await self._announce()

    async def _announce(self) -> None:
        try:
            await self.presence.announce(self._clock.now())
            self._unheard = ""
        except PaparatsError as error:
            self._unheard = str(error)
            log.warning("not_registered", error=str(error))

    def describe(self) -> str:
        """Say which server this is, without what may be secret in its URL."""
        return self.link.describe()

    # ------------------------------------------------------------------ the protocol

    async def upsert(self, shard: ShardKey, points: PointBatch) -> None:
        """Write points in small requests, each acknowledged."""
        if self._only_reads:
            raise VectorStoreUnavailable(
                "this daemon only searches what others index (index.enabled is off)"
            )
        check_points(shard, points)
        for start in range(0, len(points.versions), BATCH_POINTS):
            rows = range(start, min(start + BATCH_POINTS, len(points.versions)))
            structs = [point(self._models, self.owner, shard.repo, points, row) for row in rows]
            await self._write(shard, structs, lexical=points.dense is None)

    async def recall(self, requests: Sequence[RecallRequest]) -> list[RecallReply]:
        """Answer each request; a collection that is not there holds nothing."""
        for request in requests:
            check_request(request)
        try:
            async with asyncio.timeout(RECALL_S):
                return list(await asyncio.gather(*map(self._recall, requests)))
        except TimeoutError:
            raise VectorStoreUnavailable(
                f"{self.describe()} did not answer a search within {RECALL_S:g} s"
            ) from None

    async def delete(self, shard: ShardKey, versions: Sequence[VersionId]) -> None:
        """Delete all points of these versions that are this installation's."""
        if self._only_reads:
            return
        await self._check_deletes()
        for start in range(0, len(versions), BATCH_VERSIONS):
            batch = versions[start : start + BATCH_VERSIONS]
            chosen = any_of(self._models, "version", map(int, batch))
            await self._delete(shard, self._own(shard, [chosen]))

    async def flush(self, shard: ShardKey) -> None:
        """Do nothing: the server acknowledges what is in its log."""

    async def drop(self, shard: ShardKey) -> None:
        """Delete the repository's points, and the collection where nobody else could use it."""
        if self._only_reads:
            return
        await self._check_deletes()
        await self._delete(shard, self._own(shard))
        name = self.layout.name(shard)
        try:
            left = await self.link.ask("count", lambda: self._client.count(name, exact=True))
        except CollectionMissing:
            return
        # An empty collection may be about to be written to by another installation.
        others = [one for one in await self.presence.list() if one.owner != self.owner]
        if left.count == 0 and not others:
            await self.layout.delete(name)

    async def count(self, shard: ShardKey) -> int:
        """Return how many points the repository has."""
        name, condition = self.layout.name(shard), self._own(shard)
        try:
            reply = await self.link.ask(
                "count", lambda: self._client.count(name, count_filter=condition, exact=True)
            )
        except CollectionMissing:
            return 0
        return int(reply.count)

    async def versions(self, shard: ShardKey) -> set[int]:
        """Return the versions that have points, read page by page."""
        return set(await self.tally(shard))

    async def optimize(self) -> None:
        """Do nothing: the server tidies up by itself."""

    # ------------------------------------------------------------------ for moving points

    async def tally(self, shard: ShardKey) -> dict[int, int]:
        """Return how many points each version has."""
        found: dict[int, int] = {}
        offset: Any = None
        while True:
            records, offset = await self._page(shard, offset, vectors=False)
            for record in records:
                version, _ = read_point_id(record.id)
                found[version] = found.get(version, 0) + 1
            if offset is None:
                return found

    async def read(self, shard: ShardKey, versions: Sequence[int]) -> list[PointBatch]:
        """Return all points of a few versions with their vectors."""
        chosen = [any_of(self._models, "version", map(int, versions))]
        batches: list[PointBatch] = []
        offset: Any = None
        while True:
            records, offset = await self._page(shard, offset, vectors=True, must=chosen)
            batches += read_points(records, shard.dimension)
            if offset is None:
                return batches

    async def _page(
        self,
        shard: ShardKey,
        offset: Any,  # noqa: ANN401 - whatever the page before said
        *,
        vectors: bool,
        must: Sequence[Any] = (),
    ) -> tuple[list[Any], Any]:
        try:
            records, following = await self.link.ask(
                "list points",
                partial(
                    self._client.scroll,
                    self.layout.name(shard),
                    scroll_filter=self._own(shard, must),
                    limit=BATCH_POINTS if vectors else SCROLL_POINTS,
                    offset=offset,
                    with_payload=vectors,
                    with_vectors=vectors,
                ),
            )
        except CollectionMissing:
            return [], None
        return records, following

    # ------------------------------------------------------------------ writing and deleting

    async def _check_deletes(self) -> None:
        if not self.presence.registered:
            await self.presence.announce(self._clock.now())
        if self.presence.doubt:
            raise VectorStoreUnavailable(self.presence.doubt)

    async def _write(self, shard: ShardKey, structs: list[Any], *, lexical: bool) -> None:
        # Lexical vectors alone never replace a point: that would take its dense vector away.
        modes = self._models.UpdateMode
        mode = modes.INSERT_ONLY if lexical else modes.UPSERT

        async def write() -> None:
            name = await self.layout.ensure(shard)
            call = partial(self._client.upsert, name, structs, wait=True, update_mode=mode)
            await self.link.ask("write", call)

        try:
            await write()
        except CollectionMissing:
            name = self.layout.name(shard)
            self.layout.forget(name)
            lost = f"collection {name} was deleted under us"
            self._lost = (*self._lost, lost)[-MAX_PROBLEMS:]
            log.warning("collection_missing", name=name)
            try:
                await write()
            except CollectionMissing as error:
                raise VectorStoreUnavailable(f"collection {name} vanishes again") from error

    async def _delete(self, shard: ShardKey, condition: Any) -> None:  # noqa: ANN401
        name = self.layout.name(shard)
        selector = self._models.FilterSelector(filter=condition)
        try:
            await self.link.ask("delete", lambda: self._client.delete(name, selector, wait=True))
        except CollectionMissing:
            return

    def _own(self, shard: ShardKey, must: Sequence[Any] = ()) -> Any:  # noqa: ANN401
        return tenants_filter(self._models, [tenant_of(self.owner, shard.repo)], must)

    # ------------------------------------------------------------------ searching

    def _tenants(self, repo: RepoId) -> list[str]:
        owners = self.sources.get(repo, ()) if self._only_reads else (self.owner,)
        return [tenant_of(owner, repo) for owner in owners]

    async def _recall(self, request: RecallRequest) -> RecallReply:
        legs: dict[str, Any] = {}
        if request.dense is not None:
            legs[DENSE] = request.dense.tolist()
        if request.sparse is not None and len(request.sparse.ids):
            legs[TERMS] = self._models.SparseVector(
                indices=request.sparse.ids.tolist(), values=request.sparse.values.tolist()
            )
        tenants, found = self._tenants(request.shard.repo), dict[str, Recalled]()
        if tenants and legs and (len(request.filter.versions) or not request.filter.include):
            answers = await self._query(request, tenants, legs)
            found = dict(zip(legs, answers, strict=True))
        return RecallReply(
            dense=None if request.dense is None else found.get(DENSE, empty_recall()),
            lexical=None if request.sparse is None else found.get(TERMS, empty_recall()),
        )

    async def _query(
        self, request: RecallRequest, tenants: Sequence[str], legs: dict[str, Any]
    ) -> list[Recalled]:
        models = self._models
        condition = recall_filter(models, tenants, request)
        rescore = models.QuantizationSearchParams(rescore=True, oversampling=2.0)
        queries = [
            models.QueryRequest(
                query=vector,
                using=leg,
                filter=condition,
                limit=request.limit * len(tenants),
                params=models.SearchParams(quantization=rescore),
                with_payload=False,
            )
            for leg, vector in legs.items()
        ]
        name = self.layout.name(request.shard)
        ask: Callable[[], Awaitable[Any]] = partial(self._client.query_batch_points, name, queries)
        try:
            replies = await self.link.ask("search", ask)
        except CollectionMissing:
            return [empty_recall() for _ in legs]
        return [merge_recalled([recalled(reply.points)], request.limit) for reply in replies]
