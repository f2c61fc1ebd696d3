"""How evidence becomes a chance: logistic models as plain numbers, kept beside the weights.

They belong to what they were fitted with: margins to the weights of the same file, likeness of
meaning to one embedding model, which is named. `contrib/train/ranker/confidence` fits them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paparatsd.search_model import Confidence

if TYPE_CHECKING:
    from collections.abc import Mapping

MEANING, WORDS, NAME = "meaning", "words", "name"
"""Variants: a question ranked with the vectors of the built-in model, by words, one identifier."""
STEEPEST = 30.0


@dataclass(frozen=True, slots=True)
class Chance:
    """A logistic model: the chance that goes with some inputs."""

    bias: float
    weights: Mapping[str, float]

    def of(self, inputs: Mapping[str, float]) -> float:
        """Return the chance, 0..1; `inputs` has at least those that weights are for."""
        total = self.bias + sum(weight * inputs[name] for name, weight in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-STEEPEST, min(STEEPEST, total))))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Everything between a ranking and the label of a hit.

    embedder: fingerprint of the model to which the variants `meaning` belong. answerable: by
    variant, whether there is an answer at all. first, further: by variant (never `name`), whether
    the first file, or one behind it, is what was meant. doubt: where the chance of any answer is
    smaller, all hits are low. high, partial: shown scores from which a hit is called so otherwise.
    """

    embedder: str
    answerable: Mapping[str, Chance]
    first: Mapping[str, Chance]
    further: Mapping[str, Chance]
    doubt: float
    high: float
    partial: float

    def label(self, score: float, answerable: float) -> Confidence:
        """Return the word for a shown score and the chance that there is any answer."""
        if answerable < self.doubt or score < self.partial:
            return Confidence.LOW
        return Confidence.HIGH if score >= self.high else Confidence.PARTIAL


def parse_calibration(content: Mapping[str, Any]) -> Calibration:
    """Read what a file of weights says of confidence; raises ValueError, KeyError or TypeError."""
    margins = (MEANING, WORDS)
    calibration = Calibration(
        embedder=str(content["embedder"]),
        answerable=_chances(content["answerable"], (MEANING, WORDS, NAME)),
        first=_chances(content["first"], margins),
        further=_chances(content["further"], margins),
        doubt=float(content["doubt"]),
        high=float(content["high"]),
        partial=float(content["partial"]),
    )
    if not 0.0 <= calibration.partial <= calibration.high <= 1.0:
        raise ValueError("`partial` and `high` must be chances, `partial` the smaller one")
    if not 0.0 <= calibration.doubt <= 1.0:
        raise ValueError("`doubt` must be a chance")
    return calibration


def _chances(content: Mapping[str, Any], variants: tuple[str, ...]) -> dict[str, Chance]:
    return {variant: _chance(content[variant]) for variant in variants}


def _chance(content: Mapping[str, Any]) -> Chance:
    weights = {str(name): float(value) for name, value in content.items()}
    if not all(map(math.isfinite, weights.values())):
        raise ValueError("a chance must be made of finite numbers")
    return Chance(weights.pop("bias"), weights)
