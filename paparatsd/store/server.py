"""The served vector store: one Qdrant node or cluster, shared by repositories and daemons.

A collection holds the points of one kind under one fingerprint; points of a repository are told
apart by the payload field `repo`.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import structlog

from paparatsd.clock import SystemClock
from paparatsd.errors import BadReply, Conflict, VectorStoreUnavailable
from paparatsd.model import Recalled, RecallReply
from paparatsd.store.ids import point_id
from paparatsd.store.server_link import CollectionMissing, QdrantLink
from paparatsd.store.vectors import check_points, check_request, empty_recall, merge_recalled

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from paparatsd.clock import Clock
    from paparatsd.model import PointBatch, RecallRequest, ShardKey, VersionId
    from paparatsd.settings import StoreSettings

log = structlog.get_logger()

BATCH_POINTS = 32
"""Points a request: turning them into JSON must not hold the event loop for 20 ms."""
BATCH_VERSIONS = 500
SCROLL_POINTS = 500
RECALL_S = 5.0
DENSE, TERMS = "dense", "terms"


def collection_name(shard: ShardKey) -> str:
    """Name the collection of a shard; all repositories share it."""
    return f"paparats_{shard.kind}_{shard.fingerprint[:8]}"


class ServerStore:
    """Qdrant over HTTP."""

    def __init__(self, settings: StoreSettings, *, clock: Clock | None = None) -> None:
        self._link = QdrantLink(settings, clock or SystemClock())
        self._ready: set[str] = set()
        self._making = asyncio.Lock()
        self._lost: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """What the server lost, and that it cannot be reached while that is so."""
        return (*self._lost, self._link.problem) if self._link.problem else self._lost

    @property
    def _client(self) -> Any:  # noqa: ANN401 - the client is imported late
        return self._link.client

    @property
    def _models(self) -> Any:  # noqa: ANN401 - the client is imported late
        return self._link.models

    async def start(self) -> None:
        """Import the client and look for the server; one that is away is a problem, no error."""
        await self._link.open()

    async def stop(self) -> None:
        """Close the connections."""
        await self._link.close()

    def describe(self) -> str:
        """Say which server this is, without what may be secret in its URL."""
        return self._link.describe()

    # ------------------------------------------------------------------ the protocol

    async def upsert(self, shard: ShardKey, points: PointBatch) -> None:
        """Write points in small requests, each acknowledged."""
        check_points(shard, points)
        name = collection_name(shard)
        for start in range(0, len(points.versions), BATCH_POINTS):
            rows = range(start, min(start + BATCH_POINTS, len(points.versions)))
            structs = [self._point(shard, points, row) for row in rows]
            await self._write(shard, partial(self._upsert, name, structs, points))

    def _upsert(self, name: str, structs: list[Any], points: PointBatch) -> Awaitable[Any]:
        # Lexical vectors alone never replace a point: that would take its dense vector away.
        modes = self._models.UpdateMode
        mode = modes.INSERT_ONLY if points.dense is None else modes.UPSERT
        call: Awaitable[Any] = self._client.upsert(name, structs, wait=True, update_mode=mode)
        return call

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
        """Delete all points of these versions."""
        for start in range(0, len(versions), BATCH_VERSIONS):
            batch = versions[start : start + BATCH_VERSIONS]
            await self._delete(shard, self._filter(shard, must=[self._any("version", batch)]))

    async def flush(self, shard: ShardKey) -> None:
        """Do nothing: the server acknowledges what is in its log."""

    async def drop(self, shard: ShardKey) -> None:
        """Delete the repository's points, and the collection when nothing else is in it."""
        await self._delete(shard, self._filter(shard))
        name = collection_name(shard)
        try:
            left = await self._link.ask("count", lambda: self._client.count(name, exact=True))
            if left.count == 0:
                self._ready.discard(name)
                await self._link.ask("drop", lambda: self._client.delete_collection(name))
        except CollectionMissing:
            pass

    async def count(self, shard: ShardKey) -> int:
        """Return how many points the repository has."""
        name, condition = collection_name(shard), self._filter(shard)
        try:
            reply = await self._link.ask(
                "count", lambda: self._client.count(name, count_filter=condition, exact=True)
            )
        except CollectionMissing:
            return 0
        return int(reply.count)

    async def versions(self, shard: ShardKey) -> set[int]:
        """Return the versions that have points, read page by page."""
        name, condition = collection_name(shard), self._filter(shard)
        found: set[int] = set()
        offset: Any = None
        while True:
            try:
                records, offset = await self._link.ask(
                    "list points",
                    partial(
                        self._client.scroll,
                        name,
                        scroll_filter=condition,
                        limit=SCROLL_POINTS,
                        offset=offset,
                        with_payload=["version"],
                        with_vectors=False,
                    ),
                )
            except CollectionMissing:
                return set()
            found.update(int(record.payload["version"]) for record in records)
            if offset is None:
                return found

    async def optimize(self) -> None:
        """Do nothing: the server tidies up by itself."""

    # ------------------------------------------------------------------ collections

    async def _ensure(self, shard: ShardKey) -> None:
        """Make the collection, or check that the one that is there is ours."""
        name = collection_name(shard)
        if name in self._ready:
            return
        async with self._making:
            try:
                info = await self._link.ask("inspect", lambda: self._client.get_collection(name))
            except CollectionMissing:
                await self._create(name, shard.dimension)
            else:
                _check_collection(name, info, shard.dimension)
            # Also where the collection was there: a crash may have come before its indexes.
            await self._create_indexes(name)
            self._ready.add(name)

    async def _create(self, name: str, dimension: int) -> None:
        models = self._models
        int8 = models.ScalarQuantizationConfig(
            type=models.ScalarType.INT8, quantile=0.99, always_ram=True
        )
        await self._link.ask(
            "create the collection",
            lambda: self._client.create_collection(
                name,
                vectors_config={
                    DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)
                },
                sparse_vectors_config={TERMS: models.SparseVectorParams()},
                quantization_config=models.ScalarQuantization(scalar=int8),
            ),
            # Another daemon was faster: what it made is what we would have made.
            allowed=(409,),
        )
        log.info("collection_created", name=name, dimension=dimension)

    async def _create_indexes(self, name: str) -> None:
        types = self._models.PayloadSchemaType
        tenant = self._models.KeywordIndexParams(type="keyword", is_tenant=True)
        for field, schema in (
            ("repo", tenant),
            ("version", types.INTEGER),
            ("kind", types.KEYWORD),
            ("language", types.KEYWORD),
        ):
            await self._link.ask(
                "index a field",
                partial(
                    self._client.create_payload_index,
                    name,
                    field_name=field,
                    field_schema=schema,
                    wait=True,
                ),
            )

    async def _write(self, shard: ShardKey, call: Callable[[], Awaitable[Any]]) -> None:
        await self._ensure(shard)
        try:
            await self._link.ask("write", call)
        except CollectionMissing:
            name = collection_name(shard)
            self._ready.discard(name)
            self._lost = (*self._lost, f"collection {name} was deleted under us")[-20:]
            log.warning("collection_missing", name=name)
            await self._ensure(shard)
            try:
                await self._link.ask("write", call)
            except CollectionMissing as error:
                raise VectorStoreUnavailable(f"collection {name} vanishes again") from error

    async def _delete(self, shard: ShardKey, condition: Any) -> None:  # noqa: ANN401
        name = collection_name(shard)
        selector = self._models.FilterSelector(filter=condition)
        try:
            await self._link.ask("delete", lambda: self._client.delete(name, selector, wait=True))
        except CollectionMissing:
            return

    # ------------------------------------------------------------------ points and queries

    def _point(self, shard: ShardKey, points: PointBatch, row: int) -> Any:  # noqa: ANN401
        sparse, version, ordinal = points.sparse[row], points.versions[row], points.ordinals[row]
        vector: dict[str, Any] = {
            TERMS: self._models.SparseVector(
                indices=sparse.ids.tolist(), values=sparse.values.tolist()
            )
        }
        if points.dense is not None:
            vector[DENSE] = points.dense[row].tolist()
        payload = {
            "repo": shard.repo,
            "version": int(version),
            "n": ordinal,
            "kind": points.kinds[row],
            "language": points.languages[row],
        }
        return self._models.PointStruct(
            id=point_id(version, ordinal), vector=vector, payload=payload
        )

    def _any(self, key: str, values: Iterable[Any]) -> Any:  # noqa: ANN401
        match = self._models.MatchAny(any=list(values))
        return self._models.FieldCondition(key=key, match=match)

    def _filter(
        self, shard: ShardKey, must: Sequence[Any] = (), must_not: Sequence[Any] = ()
    ) -> Any:  # noqa: ANN401 - the client is imported late
        repo = self._models.FieldCondition(
            key="repo", match=self._models.MatchValue(value=str(shard.repo))
        )
        return self._models.Filter(must=[repo, *must], must_not=list(must_not) or None)

    def _filter_of(self, request: RecallRequest) -> Any:  # noqa: ANN401
        must, must_not = [], []
        versions = request.filter.versions.tolist()
        if request.filter.include:
            must.append(self._any("version", versions))
        elif versions:
            must_not.append(self._any("version", versions))
        if request.kinds:
            must.append(self._any("kind", sorted(request.kinds)))
        return self._filter(request.shard, must, must_not)

    async def _recall(self, request: RecallRequest) -> RecallReply:
        legs: dict[str, Any] = {}
        if request.dense is not None:
            legs[DENSE] = request.dense.tolist()
        if request.sparse is not None and len(request.sparse.ids):
            legs[TERMS] = self._models.SparseVector(
                indices=request.sparse.ids.tolist(), values=request.sparse.values.tolist()
            )
        found: dict[str, Recalled] = {}
        if legs and (len(request.filter.versions) or not request.filter.include):
            answers = await self._query(request, legs)
            found = dict(zip(legs, answers, strict=True))
        return RecallReply(
            dense=None if request.dense is None else found.get(DENSE, empty_recall()),
            lexical=None if request.sparse is None else found.get(TERMS, empty_recall()),
        )

    async def _query(self, request: RecallRequest, legs: dict[str, Any]) -> list[Recalled]:
        models, condition = self._models, self._filter_of(request)
        rescore = models.QuantizationSearchParams(rescore=True, oversampling=2.0)
        queries = [
            models.QueryRequest(
                query=vector,
                using=leg,
                filter=condition,
                limit=request.limit,
                params=models.SearchParams(quantization=rescore),
                with_payload=["version", "n"],
            )
            for leg, vector in legs.items()
        ]
        name = collection_name(request.shard)
        try:
            replies = await self._link.ask(
                "search", lambda: self._client.query_batch_points(name, queries)
            )
        except CollectionMissing:
            return [empty_recall() for _ in legs]
        return [merge_recalled([_recalled(reply.points)], request.limit) for reply in replies]


def _check_collection(name: str, info: Any, dimension: int) -> None:  # noqa: ANN401
    """Raise Conflict when a collection of our name was not made like ours."""
    vectors, sparse = info.config.params.vectors, info.config.params.sparse_vectors or {}
    dense = vectors.get(DENSE) if isinstance(vectors, dict) else None
    if dense is None or TERMS not in sparse:
        raise Conflict(
            f"collection {name} was made by another program (it has no vectors named "
            f"{DENSE!r} and {TERMS!r}); rename or delete it, nothing in it was changed"
        )
    if dense.size != dimension or str(dense.distance.value) != "Cosine":
        raise Conflict(
            f"collection {name} holds vectors of size {dense.size} and distance "
            f"{dense.distance.value}, the embedder makes size {dimension} for Cosine; "
            "delete the collection or choose the embedder it was made with"
        )


def _recalled(points: Sequence[Any]) -> Recalled:
    try:
        return Recalled(
            versions=np.array([int(p.payload["version"]) for p in points], dtype=np.int64),
            ordinals=np.array([int(p.payload["n"]) for p in points], dtype=np.int32),
            scores=np.array([p.score for p in points], dtype=np.float32),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadReply("a found point has no version or ordinal; was it written by us?") from error
