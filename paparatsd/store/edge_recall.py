"""Asking the embedded engine: filters, the two legs of a recall, and their merge over parts."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
import qdrant_edge as engine

from paparatsd.model import Recalled, RecallReply
from paparatsd.store.vectors import empty_recall, merge_recalled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paparatsd.model import RecallRequest

TIE_MARGIN = 16
"""Candidates asked for beyond the limit, so that ties at the edge are cut in a stable order."""
_MAX_FILTERS = 32


def any_version(versions: Sequence[int]) -> Any:  # noqa: ANN401 - the engine has no types
    """Return the condition that a point belongs to one of these versions."""
    return engine.FieldCondition(key="version", match=engine.MatchAny(list(versions)))


class FilterCache:
    """Engine filters by what they say: the same view is asked again and again."""

    def __init__(self) -> None:
        self._filters: OrderedDict[tuple[bool, bytes, tuple[str, ...]], Any] = OrderedDict()

    def filter_of(self, request: RecallRequest) -> Any:  # noqa: ANN401 - the engine has no types
        """Return the filter of a request, or None when it restricts nothing."""
        versions = request.filter.versions
        kinds = tuple(sorted(request.kinds))
        if not kinds and not request.filter.include and not len(versions):
            return None
        digest = blake2b(np.ascontiguousarray(versions).tobytes(), digest_size=16).digest()
        key = (request.filter.include, digest, kinds)
        found = self._filters.get(key)
        if found is None:
            found = self._filters[key] = _make_filter(request, kinds)
            if len(self._filters) > _MAX_FILTERS:
                self._filters.popitem(last=False)
        self._filters.move_to_end(key)
        return found


def _make_filter(request: RecallRequest, kinds: tuple[str, ...]) -> Any:  # noqa: ANN401
    versions = request.filter.versions.tolist()
    must, must_not = [], []
    if request.filter.include:
        must.append(any_version(versions))
    elif versions:
        must_not.append(any_version(versions))
    if kinds:
        must.append(engine.FieldCondition(key="kind", match=engine.MatchAny(list(kinds))))
    return engine.Filter(must=must, must_not=must_not)


def recall_parts(parts: Iterable[Any], request: RecallRequest, filters: FilterCache) -> RecallReply:
    """Ask every part and merge the answers of each leg."""
    has_dense, has_sparse = request.dense is not None, request.sparse is not None
    legs: dict[str, list[Recalled]] = {}
    if not (request.filter.include and not len(request.filter.versions)):
        queries = _queries(request, filters.filter_of(request))
        if queries:
            for part in parts:
                batch = engine.QueryBatchRequest([query for _, query in queries])
                answers = part.query_batch(batch)
                for (leg, _), hits in zip(queries, answers, strict=True):
                    legs.setdefault(leg, []).append(_recalled(hits, request.limit))
    return RecallReply(
        dense=merge_recalled(legs.get("dense", []), request.limit) if has_dense else None,
        lexical=merge_recalled(legs.get("terms", []), request.limit) if has_sparse else None,
    )


def _queries(request: RecallRequest, condition: Any) -> list[tuple[str, Any]]:  # noqa: ANN401
    legs: list[tuple[str, Any]] = []
    if request.dense is not None:
        legs.append(("dense", request.dense.tolist()))
    if request.sparse is not None and len(request.sparse.ids):
        ids, values = request.sparse.ids.tolist(), request.sparse.values.tolist()
        terms = engine.SparseVector(indices=ids, values=values)
        legs.append(("terms", terms))
    # Rescoring makes int8 exact; where nothing is quantized yet it costs nothing.
    rescore = engine.QuantizationSearchParams(rescore=True, oversampling=2.0)
    return [
        (
            leg,
            engine.QueryRequest(
                limit=request.limit + TIE_MARGIN,
                query=engine.Query.Nearest(vector, using=leg),
                filter=condition,
                with_payload=False,
                params=engine.SearchParams(quantization=rescore),
            ),
        )
        for leg, vector in legs
    ]


def _recalled(hits: Sequence[Any], limit: int) -> Recalled:
    """Return the best `limit` of hits in falling order, and those that tie with the last."""
    if not hits:
        return empty_recall()
    scores = [hit.score for hit in hits]
    end = len(scores)
    # Reading an id costs more than all the rest.
    while end > limit and scores[end - 1] < scores[limit - 1]:
        end -= 1
    # Both halves of a point's id are numbers: see `ids.point_id`.
    ids = [hit.id.int for hit in hits[:end]]
    return Recalled(
        versions=np.array([number >> 64 for number in ids], dtype=np.int64),
        ordinals=np.array([number & 0xFFFFFFFF for number in ids], dtype=np.int32),
        scores=np.array(scores[:end], dtype=np.float32),
    )
