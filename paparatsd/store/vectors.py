"""The vector store's role, and the one place where what goes in and out of it is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paparatsd.errors import BadReply
from paparatsd.model import Recalled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.model import (
        PointBatch,
        RecallReply,
        RecallRequest,
        ShardKey,
        SparseVector,
        VersionId,
    )

FloatMatrix: TypeAlias = NDArray[np.float32]


class VectorStore(Protocol):
    """Keeps points by shard and finds those nearest to a query.

    Methods raise VectorStoreUnavailable when the store does not answer (they have tried again
    already), BadReply for vectors that cannot be stored, Conflict when a collection of another
    making is in the way. All writes can be repeated.
    """

    @property
    def problems(self) -> tuple[str, ...]:
        """Sentences about what was found damaged, lost or out of reach."""
        ...

    async def start(self) -> None:
        """Make the store usable, also while a server is away (a problem then).

        Raises VectorStoreUnavailable when it refuses us.
        """
        ...

    async def stop(self) -> None:
        """Flush and let go."""
        ...

    def describe(self) -> str:
        """Say in a few words which store this is; never carries a key."""
        ...

    async def upsert(self, shard: ShardKey, points: PointBatch) -> None:
        """Write points and return when they are acknowledged.

        Without dense vectors, points that are there already stay as they are.
        """
        ...

    async def recall(self, requests: Sequence[RecallRequest]) -> list[RecallReply]:
        """Answer each request, in order; a shard that is not there holds no points."""
        ...

    async def delete(self, shard: ShardKey, versions: Sequence[VersionId]) -> None:
        """Delete all points of these versions."""
        ...

    async def flush(self, shard: ShardKey) -> None:
        """Make everything acknowledged so far survive a power cut."""
        ...

    async def drop(self, shard: ShardKey) -> None:
        """Delete the shard as a whole; nothing of it is left."""
        ...

    async def count(self, shard: ShardKey) -> int:
        """Return how many points the shard has."""
        ...

    async def versions(self, shard: ShardKey) -> set[int]:
        """Return the versions that have points, to be compared with the catalog."""
        ...

    async def optimize(self) -> None:
        """Tidy up what is worth it; call it when nobody waits."""
        ...


def check_matrix(vectors: FloatMatrix, *, count: int, dimension: int) -> FloatMatrix:
    """Return dense rows as contiguous float32 [count, dimension], or raise BadReply.

    NaN would be stored and never found, infinity would come first in every answer, and a row of
    zeros is similar to nothing.
    """
    if vectors.shape != (count, dimension):
        raise BadReply(f"expected {count} vectors of size {dimension}, got shape {vectors.shape}")
    if not np.isfinite(vectors).all():
        raise BadReply("a vector holds NaN or infinity; check the embedder")
    if count and not vectors.any(axis=1).all():
        raise BadReply("a vector is all zeros; check the embedder")
    return np.ascontiguousarray(vectors, dtype=np.float32)


def check_sparse(vector: SparseVector) -> None:
    """Raise BadReply unless the arrays are parallel, ids ascending and values finite."""
    ids, values = vector.ids, vector.values
    if ids.shape != values.shape or ids.ndim != 1:
        raise BadReply("a lexical vector has not as many values as terms")
    if not np.isfinite(values).all():
        raise BadReply("a lexical vector holds NaN or infinity")
    if len(ids) > 1 and not (ids[1:] > ids[:-1]).all():
        raise BadReply("the terms of a lexical vector are not ascending and unique")


def check_points(shard: ShardKey, points: PointBatch) -> None:
    """Raise BadReply for a batch that must not reach any store."""
    count = len(points.versions)
    columns = (points.ordinals, points.kinds, points.languages, points.sparse)
    if any(len(column) != count for column in columns):
        raise BadReply("the columns of a batch of points differ in length")
    for vector in points.sparse:
        check_sparse(vector)
    if points.dense is not None:
        check_matrix(points.dense, count=count, dimension=shard.dimension)


def check_request(request: RecallRequest) -> None:
    """Raise BadReply for a query vector that would find nonsense."""
    if request.dense is not None:
        check_matrix(request.dense[np.newaxis, :], count=1, dimension=request.shard.dimension)
    if request.sparse is not None:
        check_sparse(request.sparse)


def empty_recall() -> Recalled:
    """Return a leg without candidates."""
    return Recalled(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))


def merge_recalled(parts: Sequence[Recalled], limit: int) -> Recalled:
    """Merge candidates of several parts: best score first, ties by version and ordinal."""
    if not parts:
        return empty_recall()
    versions = np.concatenate([part.versions for part in parts])
    ordinals = np.concatenate([part.ordinals for part in parts])
    scores = np.concatenate([part.scores for part in parts])
    order = np.lexsort((ordinals, versions, -scores))[:limit]
    return Recalled(versions[order], ordinals[order], scores[order])
