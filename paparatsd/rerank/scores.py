"""Scores as rerankers send them, checked; and which scores mean "unrelated", where that is known.

A score means nothing without the backend and the model that it is of: one's noise is above
another's best answer. So a floor belongs to a fingerprint of both, and no other floor stands in.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paparatsd.model import Fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CODE_VERSION = 1
"""Raise it when backends would be shown other texts than before: their scores change with them."""
KNOWN_FLOORS: Mapping[str, float] = MappingProxyType(
    {"voyage/rerank-2.5": 0.5, "cohere/rerank-v3.5": 0.2}
)
"""Floors by "backend/model". Voyage's scores of code that answers are 0.5 to 0.8; Cohere's begin at
0.22, its noise ends at 0.14."""


@dataclass(frozen=True, slots=True)
class RerankerSpec:
    """What names a way of reranking."""

    provider: str
    model: str

    @property
    def name(self) -> str:
        """The words that answers use."""
        return f"{self.provider} {self.model}".strip()

    @property
    def fingerprint(self) -> Fingerprint:
        """Equal for equal scores: of backend, model, and what we show to it."""
        named = json.dumps([CODE_VERSION, self.provider, self.model])
        return Fingerprint(hashlib.blake2b(named.encode(), digest_size=16).hexdigest())


def floor_of(spec: RerankerSpec, said: Iterable[str]) -> float | None:
    """Return the floor of exactly this reranker, None where none is known.

    `said`: "backend/model=number" each, as somebody has set; they win over what is known.
    """
    table = {_spec_of(key).fingerprint: floor for key, floor in KNOWN_FLOORS.items()}
    for line in said:
        key, floor = read_floor(line)
        table[_spec_of(key).fingerprint] = floor
    return table.get(spec.fingerprint)


def read_floor(line: str) -> tuple[str, float]:
    """Return "backend/model" and the number of a floor as it is set; raises ValueError."""
    key, _, number = line.rpartition("=")
    provider, _, model = key.strip().partition("/")
    floor = float(number)
    if not provider or not model or not math.isfinite(floor):
        raise ValueError(line)
    return key.strip(), floor


def _spec_of(key: str) -> RerankerSpec:
    provider, _, model = key.partition("/")
    return RerankerSpec(provider.lower(), model)


def scores_of(items: Any, name: str, count: int) -> tuple[float, ...]:  # noqa: ANN401 - a stranger's
    """Return the scores of `count` texts in their order, from objects with `index` and `name`.

    Raises ValueError when one is missing, told twice, of a text that was not sent, or no number.
    """
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ValueError("no list of scores")
    scores: dict[int, float] = {}
    for item in items:
        index = item.get("index")
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
            raise ValueError("the score of a text that was not sent")
        if index in scores:
            raise ValueError("two scores of one text")
        scores[index] = number_of(item.get(name))
    if len(scores) < count:
        raise ValueError(f"{len(scores)} scores for {count} texts")
    return tuple(scores[index] for index in range(count))


def number_of(score: Any) -> float:  # noqa: ANN401 - a stranger's
    """Return a score that things can be ordered by; raises ValueError for NaN and the like."""
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        raise ValueError("a score that is no number")
    return float(score)
