"""Mechanisms of the search that can be switched off one at a time, and how.

Each is a value or a function of one module that is replaced by what leaves things as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from contrib.train.ranker import replay
from paparatsd.search import confidence, diversity, engine, expand, query, rank, ranker, results
from paparatsd.search.certain import NOTHING_CERTAIN, Certain
from paparatsd.search.engine import Engine
from paparatsd.search.focus import whole
from paparatsd.search.recall import requests_for
from paparatsd.search.respelling import Respelling

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import Chunk, RecallRequest, SparseVector
    from paparatsd.search.features import FeatureTable
    from paparatsd.search.focus import Part
    from paparatsd.search.query import Query
    from paparatsd.search.recall import Allowed
    from paparatsd.search_model import Hit, SearchRequest


@dataclass(frozen=True)
class Mechanism:
    """A part of the search and what replaces it: (owner, name, value) for each attribute."""

    title: str
    off: tuple[tuple[Any, str, Any], ...]


def _nothing(*_: object) -> None:
    return None


def _empty(*_: object) -> tuple[()]:
    return ()


def _no_list(*_: object) -> list[str]:
    return []


def _nothing_certain(*_: object) -> Certain:
    return NOTHING_CERTAIN


def _as_asked(_: Respelling, asked: Query, *__: object) -> Query:
    return asked


def _without_meaning(
    request: SearchRequest,
    allowed: Allowed,
    dense: NDArray[np.float32] | None,
    sparse: SparseVector | None,
) -> tuple[RecallRequest, ...]:
    del dense
    return requests_for(request, allowed, None, sparse)


def _no_versions(*_: object) -> NDArray[np.int64]:
    return np.zeros(0, np.int64)


def _same_for_chunks(features: FeatureTable) -> NDArray[np.float64]:
    return np.zeros(int(features.hits.starts[-1]))


def _no_bonus(_: object, __: object, features: FeatureTable) -> NDArray[np.float64]:
    return _same_for_chunks(features)


def _no_cosines(floor: float, _: object, starts: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.full(int(starts[-1]), floor)


def _as_it_is(_: Sequence[Chunk], part: Part, __: int) -> Part:
    return part


def _whole_chunk(_: object, chunk: Chunk, __: object) -> Part:
    return whole(chunk)


def _every(_: confidence.Judge, files: Iterable[int]) -> Iterator[int]:
    return iter(files)


def _unmerged(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    return tuple(hits)


MECHANISMS = (
    Mechanism("recall by words", ((engine, "lexical_vector", _nothing),)),
    Mechanism("recall by meaning", ((engine, "requests_for", _without_meaning),)),
    Mechanism("recall by file name and definition", ((Engine, "_extra", _no_versions),)),
    Mechanism("adjacent words as one name", ((query, "_joined", _empty),)),
    Mechanism("own name and generic words count less", ((query, "_weight", lambda *_: 1.0),)),
    Mechanism("names in another spelling", ((Respelling, "respelled", _as_asked),)),
    Mechanism("typos", ((expand, "correct", _nothing),)),
    Mechanism("short and long forms of unknown words", ((expand, "_known_forms", _no_list),)),
    Mechanism("other languages", ((expand, "is_foreign", lambda _: False),)),
    Mechanism("questions of two parts", ((replay, "halves_of", _empty),)),
    Mechanism("what stands word for word", ((engine, "needles_of", _empty),)),
    Mechanism("the only definition of a name", ((engine, "certain_definition", _nothing_certain),)),
    Mechanism("kinds asked for at the head", ((query, "kind_at_head", lambda _: ("", "")),)),
    Mechanism("kinds asked for by word", ((query, "kinds_asked_for", lambda _: frozenset()),)),
    Mechanism("paths and lines", ((query, "find_places", _empty),)),
    Mechanism(
        "callers and definitions asked for",
        ((query, "callers_of", _nothing), (query, "definition_of", _nothing)),
    ),
    Mechanism("weights set by hand", ((ranker, "BY_HAND", {}),)),
    Mechanism("chunk: definition asked for", ((rank, "_definition_bonus", _no_bonus),)),
    Mechanism("chunk: names like the question", ((rank, "_names_in_chunks", _same_for_chunks),)),
    Mechanism("chunk: meaning", ((rank, "_cosines", _no_cosines),)),
    Mechanism("several chunks of a file", ((diversity, "MAX_PER_FILE", 1),)),
    Mechanism("whole definitions", ((results, "completed", _as_it_is),)),
    Mechanism("part of a chunk", ((results, "focus", _whole_chunk),)),
    Mechanism("neighbours merged", ((results, "merge_hits", _unmerged),)),
    Mechanism("what nothing speaks for is left out", ((confidence.Judge, "plausible", _every),)),
)
