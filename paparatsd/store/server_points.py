"""Points as a Qdrant server keeps them, and what is asked of it. Pure; `models` is qdrant-client's.

A point belongs to one installation and one repository of it: both are in the payload field
`tenant`, by which everything is asked, and the installation is in the point's id, so that no two
ever write to, or delete, the same point.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.errors import BadReply
from paparatsd.model import PointBatch, Recalled, SparseVector, VersionId
from paparatsd.store.server_layout import DENSE, TENANT, TERMS
from paparatsd.store.vectors import FloatMatrix, empty_recall

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import RecallRequest, RepoId

_ORDINAL_BITS, _OWNER_BITS = 24, 40


def tenant_of(owner: str, repo: RepoId) -> str:
    """Return whose points these are: of an installation and one of its repositories."""
    return f"{owner}/{repo}"


def owned_point_id(owner: str, version: int, ordinal: int) -> str:
    """Name the point of one chunk: a UUID of version, installation and the chunk's number.

    63 bits of the version, 40 of the installation, 24 of the number.
    """
    mine = int(owner[: _OWNER_BITS // 4], 16)
    value = (version << 64) | (mine << _ORDINAL_BITS) | ordinal
    return str(uuid.UUID(int=value))


def read_point_id(ident: object) -> tuple[int, int]:
    """Return version and number of the chunk that a point's id names; raises BadReply."""
    try:
        value = uuid.UUID(str(ident)).int
    except ValueError as error:
        raise BadReply(f"a found point is called {ident!r}; was it written by us?") from error
    return value >> 64, value & ((1 << _ORDINAL_BITS) - 1)


def point(models: Any, owner: str, repo: RepoId, points: PointBatch, row: int) -> Any:  # noqa: ANN401
    """Return one row of a batch as the client takes it."""
    sparse, version, ordinal = points.sparse[row], points.versions[row], points.ordinals[row]
    vector: dict[str, Any] = {
        TERMS: models.SparseVector(indices=sparse.ids.tolist(), values=_plain(sparse.values))
    }
    if points.dense is not None:
        # The server makes them of length 1 anyway, for it compares cosines.
        vector[DENSE] = _plain(points.dense[row] / np.linalg.norm(points.dense[row]))
    payload = {
        TENANT: tenant_of(owner, repo),
        "version": int(version),
        "kind": points.kinds[row],
        "language": points.languages[row],
    }
    return models.PointStruct(
        id=owned_point_id(owner, version, ordinal), vector=vector, payload=payload
    )


def _plain(values: NDArray[np.float32]) -> list[float]:
    """Return numbers as they go over the wire: what float32 tells apart, at half the length."""
    rounded: list[float] = values.astype(np.float64).round(8).tolist()
    return rounded


def any_of(models: Any, key: str, values: Iterable[Any]) -> Any:  # noqa: ANN401
    """Return the condition that a payload field has one of these values."""
    return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))


def tenants_filter(
    models: Any,  # noqa: ANN401 - the client is imported late
    tenants: Sequence[str],
    must: Sequence[Any] = (),
    must_not: Sequence[Any] = (),
) -> Any:  # noqa: ANN401 - likewise
    """Return a filter that never leaves these tenants."""
    return models.Filter(
        must=[any_of(models, TENANT, tenants), *must], must_not=list(must_not) or None
    )


def recall_filter(models: Any, tenants: Sequence[str], request: RecallRequest) -> Any:  # noqa: ANN401
    """Return the filter of a recall: tenants, versions, kinds."""
    must, must_not = [], []
    versions = request.filter.versions.tolist()
    if request.filter.include:
        must.append(any_of(models, "version", versions))
    elif versions:
        must_not.append(any_of(models, "version", versions))
    if request.kinds:
        must.append(any_of(models, "kind", sorted(request.kinds)))
    return tenants_filter(models, tenants, must, must_not)


def recalled(points: Sequence[Any]) -> Recalled:
    """Return what was found, each chunk once: several installations may have the same."""
    if not points:
        return empty_recall()
    try:
        scores = np.array([found.score for found in points], dtype=np.float32)
    except (AttributeError, TypeError, ValueError) as error:
        raise BadReply("a found point has no score") from error
    names = [read_point_id(found.id) for found in points]
    first = {name: row for row, name in reversed(list(enumerate(names)))}
    rows = sorted(first.values())
    return Recalled(
        versions=np.array([names[row][0] for row in rows], dtype=np.int64),
        ordinals=np.array([names[row][1] for row in rows], dtype=np.int32),
        scores=scores[rows],
    )


def read_points(records: Sequence[Any], dimension: int) -> list[PointBatch]:
    """Return records with vectors as batches: those with a dense vector, then those without.

    Raises BadReply for points that were not written by us.
    """
    with_dense = [record for record in records if DENSE in (record.vector or {})]
    without = [record for record in records if DENSE not in (record.vector or {})]
    try:
        batches = [_batch(chosen, dimension) for chosen in (with_dense, without) if chosen]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadReply("a point has not the vectors that ours have") from error
    return batches


def _batch(records: Sequence[Any], dimension: int) -> PointBatch:
    names = [read_point_id(record.id) for record in records]
    dense: FloatMatrix | None = None
    if DENSE in records[0].vector:
        rows = [record.vector[DENSE] for record in records]
        dense = np.array(rows, dtype=np.float32).reshape(len(rows), dimension)
    return PointBatch(
        versions=tuple(VersionId(version) for version, _ in names),
        ordinals=tuple(ordinal for _, ordinal in names),
        kinds=tuple(str(record.payload["kind"]) for record in records),
        languages=tuple(str(record.payload["language"]) for record in records),
        sparse=tuple(_sparse(record.vector[TERMS]) for record in records),
        dense=dense,
    )


def _sparse(vector: Any) -> SparseVector:  # noqa: ANN401 - the client is imported late
    ids = np.array(vector.indices, dtype=np.uint32)
    order = np.argsort(ids)
    return SparseVector(ids[order], np.array(vector.values, dtype=np.float32)[order])
