"""Which places of documents answer a question, in which order, and which are near enough.

Places are ordered by a sum of weight times feature; whether there is an answer at all is told by
another sum, turned into a number from 0 to 1, of which the first one is a part. What is asked of
the documents is whether any of them answers: once one is near enough, a lower floor holds for the
others, since a question that is answered at all is often answered by one of the next.
With an embedder that is not ours that number is the plain cosine.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.docs_model import DocsKind
from paparatsd.errors import Broken

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FORMAT = 1
PACKAGED = Path(__file__).with_name("docs_weights.json")
BIAS = "bias"
SCORE = "score"
"""In a relevance: what the place is ordered by."""


class Mode(StrEnum):
    """What a question is answered by.

    Our vectors, the model of prose and words; the same without that model; another embedder's
    vectors; words alone.
    """

    MEANING = "meaning"
    PLAIN = "plain"
    OTHER = "other"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class DocsWeights:
    """The numbers that order and judge places; `score`, `floors` and `follow` by mode.

    `relevance` is there for the modes in which it is not the cosine. `follow`: share of the floor
    that is enough once a place has passed. `embedder`: the fingerprint of the built-in model that
    all but those of another embedder belong to; `sense`: that of the model of prose.
    """

    score: Mapping[Mode, Mapping[str, float]]
    relevance: Mapping[Mode, Mapping[str, float]]
    floors: Mapping[Mode, Mapping[DocsKind, float]]
    follow: Mapping[Mode, float]
    embedder: str
    sense: str


@dataclass(frozen=True, slots=True)
class Judged:
    """Scores and relevance of places, parallel; `known`: where the relevance can be told.

    Where it cannot, it is that of the words alone.
    """

    scores: Floats
    relevance: Floats
    known: NDArray[np.bool_]


@lru_cache(maxsize=4)
def load_docs_weights(path: Path = PACKAGED) -> DocsWeights:
    """Read the weights; raises Broken when they cannot be used."""
    try:
        return _parse(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise Broken(
            f"the weights in {path} cannot be used ({error}); install paparatsd again"
        ) from error


def _parse(content: Mapping[str, Any]) -> DocsWeights:
    if content["format"] != FORMAT:
        raise ValueError(f"format {content['format']!r}, expected {FORMAT}")
    return DocsWeights(
        score={mode: _numbers(content["score"][mode]) for mode in Mode},
        relevance={
            mode: _numbers(content["relevance"][mode]) for mode in Mode if mode is not Mode.OTHER
        },
        floors={
            mode: {kind: _numbers(content["floors"][mode])[kind] for kind in DocsKind}
            for mode in Mode
        },
        follow={mode: _numbers(content["follow"])[mode] for mode in Mode},
        embedder=str(content["embedder"]),
        sense=str(content["sense"]),
    )


def _numbers(table: Mapping[str, Any]) -> dict[str, float]:
    numbers = {str(name): float(value) for name, value in table.items()}
    if not all(map(math.isfinite, numbers.values())):
        raise ValueError("a weight is no finite number")
    return numbers


def docs_score(values: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """Return the sum of weight times feature of each place, with the bias if there is one."""
    sizes = {len(one) for one in values.values()}
    total = np.full(sizes.pop() if sizes else 0, weights.get(BIAS, 0.0))
    for name, weight in weights.items():
        if name != BIAS:
            total = total + weight * values[name]
    return total


def docs_relevance(values: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """Return how likely each place is near to the question, from 0 to 1."""
    odds: Floats = 1.0 / (1.0 + np.exp(-np.clip(docs_score(values, weights), -50.0, 50.0)))
    return odds


def judge(
    values: Mapping[str, Floats], cosines: Floats, mode: Mode, weights: DocsWeights
) -> Judged:
    """Score places and tell how relevant each is. `cosines` are NaN where unknown."""
    scores = docs_score(values, weights.score[mode])
    words = docs_score(values, weights.score[Mode.WORDS])
    by_words = docs_relevance({**values, SCORE: words}, weights.relevance[Mode.WORDS])
    if mode is Mode.WORDS:
        return Judged(scores, by_words, np.ones(len(scores), np.bool_))
    known = ~np.isnan(cosines)
    if mode is not Mode.OTHER:
        near = docs_relevance({**values, SCORE: scores}, weights.relevance[mode])
    else:
        near = np.clip(np.nan_to_num(cosines), 0.0, 1.0)
    return Judged(scores, np.where(known, near, by_words), known)


def near_enough(
    judged: Judged, kinds: Floats, floors: Mapping[DocsKind, float], follow: float = 1.0
) -> NDArray[np.bool_]:
    """Return which places pass: those at the floor of their kind, and those that nobody can judge.

    When any is at its floor, `follow` of it is enough for the others. `kinds`: 1 where a place is
    among code, else 0. A floor of 0 lets everything of a kind through.
    """
    floor = np.where(kinds > 0, floors[DocsKind.CODE], floors[DocsKind.PROSE])
    if (judged.known & (floor > 0) & (judged.relevance >= floor)).any():
        floor = floor * follow
    return ~judged.known | (floor <= 0) | (judged.relevance >= floor)


def best_of_documents(scores: Floats, documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the best place of each document, best first; of equal ones the first."""
    order = np.lexsort((np.arange(len(scores)), -scores))
    _, first = np.unique(documents[order], return_index=True)
    best: NDArray[np.int64] = order[np.sort(first)]
    return best
