"""A search as the daemon and the search process tell it each other: plain values in tuples.

Pickling our own classes takes several times as long, and every question waits for it.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, fields
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from paparatsd.search.further import NOTHING_FURTHER, Further
from paparatsd.search_model import Confidence, Hit, SearchRequest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.search.scope import Scope

    Packed = tuple[Any, ...]

KEPT_SCOPES = 64
_HIT = tuple(field.name for field in fields(Hit))
_CONFIDENCE = _HIT.index("confidence")
_values_of_hit = attrgetter(*_HIT)
_values_of_request = attrgetter(*(field.name for field in fields(SearchRequest)))


class Asked(NamedTuple):
    """What the daemon asks.

    `vector` is the question's embedding unless the embedder is `built_in`; `linked`: whether the
    store may be asked over the link now. `further`: what a rewritten question adds.
    """

    request: SearchRequest
    scope: Scope
    vector: NDArray[np.float32] | None
    built_in: bool
    linked: bool
    further: Further = NOTHING_FURTHER


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a search found: hits best first, notes, and how many candidates were looked at.

    `reranked_by`: as in the answer; the search process knows no reranker.
    """

    hits: tuple[Hit, ...]
    notes: tuple[str, ...]
    candidates: int
    reranked_by: str = ""


def pack_asked(asked: Asked) -> Packed:
    """Return what `unpack_asked` reads."""
    # A scope with chunks is that of one question and may be large: it is not worth keeping.
    write = _write_scope if asked.scope.limited else _write_known_scope
    said = _values_of_request(asked.request), write(asked.scope), *asked[2:5]
    return *said, tuple(asked.further)


def _write_scope(scope: Scope) -> bytes:
    return pickle.dumps(scope, pickle.HIGHEST_PROTOCOL)


_write_known_scope = lru_cache(maxsize=KEPT_SCOPES)(_write_scope)


def unpack_asked(packed: Packed) -> Asked:
    """Return what `pack_asked` was given."""
    request, scope, vector, built_in, linked, further = packed
    said = SearchRequest(*request), _read_scope(scope), vector, built_in, linked
    return Asked(*said, Further(*further))


@lru_cache(maxsize=KEPT_SCOPES)
def _read_scope(data: bytes) -> Scope:
    """Return a pickled scope: few differ, as long as no project changes."""
    scope: Scope = pickle.loads(data)
    return scope


def pack_ranked(ranked: Ranked) -> Packed:
    """Return what `unpack_ranked` reads."""
    return [_pack_hit(hit) for hit in ranked.hits], ranked.notes, ranked.candidates


def unpack_ranked(packed: Packed) -> Ranked:
    """Return what `pack_ranked` was given."""
    hits, notes, candidates = packed
    return Ranked(tuple(map(_unpack_hit, hits)), notes, candidates)


def _pack_hit(hit: Hit) -> list[Any]:
    values = list(_values_of_hit(hit))
    values[_CONFIDENCE] = hit.confidence.value
    return values


def _unpack_hit(values: list[Any]) -> Hit:
    values[_CONFIDENCE] = Confidence(values[_CONFIDENCE])
    return Hit(*values)
