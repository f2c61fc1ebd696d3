"""Collections on a Qdrant server: their names, how they are made, and whether one is ours.

What is written and read goes to an alias, behind which is a collection with a number, so that one
of another layout can be built beside it and take its place in one step. The name carries the
fingerprint of whatever makes the vectors: those of two models are never in one collection.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from paparatsd.errors import Conflict
from paparatsd.store.server_link import CollectionMissing

if TYPE_CHECKING:
    from paparatsd.model import ShardKey
    from paparatsd.settings import StoreSettings
    from paparatsd.store.server_link import QdrantLink

log = structlog.get_logger()

DENSE, TERMS, TENANT = "dense", "terms", "tenant"
INSTALLATIONS, PUBLISHED = "installations", "published"
"""Collections without vectors: who uses the server, and what is there for others to search."""


def prefix_of(suffix: str) -> str:
    """Return how the names of a team's collections begin."""
    return f"paparats_{suffix}" if suffix else "paparats"


def collection_name(shard: ShardKey, suffix: str = "") -> str:
    """Name the alias of a shard's collection; repositories and installations of a team share it."""
    return f"{prefix_of(suffix)}_{shard.kind}_{shard.fingerprint[:8]}"


def already_there(status: int, reason: str) -> bool:
    """Whether a refusal says that what was to be made exists; older servers say so with 400."""
    return status == 409 or (status == 400 and "already exists" in reason)


class Layout:
    """Makes collections, each once, or finds that they are there and ours."""

    def __init__(self, link: QdrantLink, settings: StoreSettings) -> None:
        self._link = link
        self._settings = settings
        self._ready: set[str] = set()
        self._making = asyncio.Lock()

    def name(self, shard: ShardKey) -> str:
        """Return where the points of a shard are."""
        return collection_name(shard, self._settings.suffix)

    def plain(self, kind: str) -> str:
        """Return the name of a collection without vectors."""
        return f"{prefix_of(self._settings.suffix)}_{kind}"

    def forget(self, name: str) -> None:
        """Have the collection looked at again before the next write."""
        self._ready.discard(name)

    async def ensure(self, shard: ShardKey) -> str:
        """Return the name of the shard's collection, which is there and fits then.

        Raises Conflict for one that another program or another model made.
        """
        name = self.name(shard)
        if name in self._ready:
            return name
        async with self._making:
            try:
                info = await self._inspect(name)
            except CollectionMissing:
                await self.make(f"{name}_1", shard.dimension)
                await self.point(name, f"{name}_1")
                info = await self._inspect(name)
            check_collection(name, info, shard.dimension)
            # Also where the collection was there: a crash may have come before its indexes.
            await self.index(name)
            self._ready.add(name)
        return name

    async def index(self, name: str) -> None:
        """Make the indexes of a collection of vectors; those that are there stay."""
        await self._index(name, (TENANT, "keyword"), ("version", "integer"))
        await self._index(name, ("kind", "keyword"), ("language", "keyword"))

    async def ensure_plain(self, kind: str) -> str:
        """Return the name of a collection without vectors, which is there then."""
        name = self.plain(kind)
        if name in self._ready:
            return name
        async with self._making:
            try:
                await self._inspect(name)
            except CollectionMissing:
                await self._create(name, vectors_config={})
            await self._index(name, (TENANT, "keyword"), ("what", "keyword"))
            self._ready.add(name)
        return name

    async def _inspect(self, name: str) -> Any:  # noqa: ANN401 - the client is imported late
        return await self._link.ask("inspect", lambda: self._link.client.get_collection(name))

    async def make(self, name: str, dimension: int) -> None:
        """Create a collection of vectors as the settings say; one that is there stays."""
        models, chosen = self._link.models, self._settings
        dense = models.VectorParams(
            size=dimension, distance=models.Distance.COSINE, on_disk=chosen.vectors_on_disk
        )
        await self._create(
            name,
            vectors_config={DENSE: dense},
            sparse_vectors_config={
                TERMS: models.SparseVectorParams(
                    index=models.SparseIndexParams(on_disk=chosen.vectors_on_disk)
                )
            },
            # Every question names its tenant: a graph over all of them would never be walked.
            hnsw_config=models.HnswConfigDiff(m=0, payload_m=16),
            quantization_config=_quantization(models, chosen.quantization),
        )
        log.info("collection_created", name=name, dimension=dimension)

    async def _create(self, name: str, **layout: Any) -> None:  # noqa: ANN401 - as the client takes
        chosen = self._settings
        await self._link.ask(
            "create the collection",
            lambda: self._link.client.create_collection(
                name,
                shard_number=chosen.shards or None,
                replication_factor=chosen.replicas,
                write_consistency_factor=chosen.write_consistency,
                on_disk_payload=chosen.payload_on_disk,
                **layout,
            ),
            # Another daemon was faster: what it made is what we would have made.
            allowed=already_there,
        )

    async def point(self, alias: str, name: str, old: str | None = None) -> None:
        """Let an alias lead to a collection from now on, in one step also when it led to `old`."""
        models = self._link.models
        steps: list[Any] = []
        if old is not None:
            gone = models.DeleteAlias(alias_name=alias)
            steps.append(models.DeleteAliasOperation(delete_alias=gone))
        made = models.CreateAlias(collection_name=name, alias_name=alias)
        steps.append(models.CreateAliasOperation(create_alias=made))
        await self._link.ask(
            "move the alias", lambda: self._link.client.update_collection_aliases(steps)
        )

    async def behind(self, alias: str) -> str | None:
        """Return the collection that an alias leads to, None when there is no such alias."""
        reply = await self._link.ask("list aliases", self._link.client.get_aliases)
        found = {one.alias_name: one.collection_name for one in reply.aliases}
        return found.get(alias)

    async def delete(self, alias: str) -> None:
        """Delete the collection behind an alias, and the alias with it."""
        name = await self.behind(alias)
        self.forget(alias)
        if name is not None:
            await self._link.ask("drop", lambda: self._link.client.delete_collection(name))

    async def _index(self, name: str, *fields: tuple[str, str]) -> None:
        models = self._link.models
        for field, kind in fields:
            schema = (
                models.KeywordIndexParams(type="keyword", is_tenant=True)
                if field == TENANT
                else models.PayloadSchemaType(kind)
            )
            await self._link.ask(
                "index a field",
                partial(
                    self._link.client.create_payload_index,
                    name,
                    field_name=field,
                    field_schema=schema,
                    wait=True,
                ),
            )


def _quantization(models: Any, kind: str) -> Any:  # noqa: ANN401 - the client is imported late
    """Return how vectors are made smaller in memory; the originals stay for the last step."""
    if kind == "int8":
        int8 = models.ScalarQuantizationConfig(
            type=models.ScalarType.INT8, quantile=0.99, always_ram=True
        )
        return models.ScalarQuantization(scalar=int8)
    if kind == "binary":
        return models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=True))
    return None


def check_collection(name: str, info: Any, dimension: int) -> None:  # noqa: ANN401
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
