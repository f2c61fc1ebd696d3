"""The ranking model: a linear one, as plain numbers in a file beside this module.

A file's score is the sum of weight times feature, so that each feature's share of a score can be
shown. Three sets of weights: `meaning` with vectors, `words` without them, `name` for a single
identifier. `contrib/train/ranker` fits them; weights belong to the features as they are computed
here, and a change of one is a change of the other.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.errors import Broken
from paparatsd.search.calibration import parse_calibration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from paparatsd.search.calibration import Calibration

FORMAT = 1
PACKAGED = Path(__file__).with_name("ranker.json")


BY_HAND = {"a_path": 8.0, "a_owner": 1.5, "p_asked": 0.5}
"""Weights of what few questions have, so that no fit finds them: a file that the question names by
its path comes first, a qualified name prefers the definition in that place, and tests or documents
that are asked for come a little before the rest.
"""


@dataclass(frozen=True, slots=True)
class Ranker:
    """Weights by feature: for questions ranked with vectors, by words, and for one identifier.

    A file of weights alone has no `confidence`, which belongs to the weights; one without `name`
    ranks identifiers with `words`.
    """

    meaning: Mapping[str, float]
    words: Mapping[str, float]
    confidence: Calibration | None = None
    name: Mapping[str, float] | None = None

    def weights(self, *, by_words: bool, single: bool = False) -> Mapping[str, float]:
        """Return the weights for a question, those set by hand included."""
        if not by_words:
            return {**BY_HAND, **self.meaning}
        return {**BY_HAND, **(self.name if single and self.name else self.words)}

    def score(
        self,
        values: Mapping[str, NDArray[np.float64]],
        *,
        by_words: bool,
        single: bool = False,
    ) -> NDArray[np.float64]:
        """Return each file's score; only differences between files of one question count.

        Raises Broken when there is a weight for a feature that nobody computes.
        """
        weights = self.weights(by_words=by_words, single=single)
        unknown = sorted(set(weights) - set(values))
        if unknown:
            raise Broken(
                f"the ranking weights name features that do not exist here ({', '.join(unknown)}); "
                "correct the file of `search.ranker`, or install paparatsd again"
            )
        table = np.concatenate([values[name] for name in weights]).reshape(len(weights), -1)
        total: NDArray[np.float64] = np.array(list(weights.values())) @ table
        return total


def load_ranker(path: Path | None = None) -> Ranker:
    """Read a model (default: the packaged one).

    Raises Broken when the file cannot be used; weights of features that nobody computes are
    noticed by the first search.
    """
    place = path or PACKAGED
    try:
        return _parse(json.loads(place.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise Broken(
            f"the ranking weights in {place} cannot be used ({error}); "
            "install paparatsd again, or correct `search.ranker`"
        ) from error


def _parse(content: Mapping[str, Any]) -> Ranker:
    if content.get("format") != FORMAT:
        raise ValueError(f"format {content.get('format')!r}, expected {FORMAT}")
    said = content.get("confidence")
    confidence = None if said is None else parse_calibration(said)
    name = _weights(content, "name") if "name" in content else None
    return Ranker(_weights(content, "meaning"), _weights(content, "words"), confidence, name)


def calibration_of(ranker: Ranker) -> Calibration:
    """Return what turns this model's scores into confidence, the packaged one if it has none.

    Raises Broken when that cannot be read.
    """
    found = ranker.confidence or load_ranker().confidence
    if found is None:
        raise Broken(f"{PACKAGED} says nothing of confidence; install paparatsd again")
    return found


def _weights(content: Mapping[str, Any], name: str) -> dict[str, float]:
    weights = {str(feature): float(value) for feature, value in content[name].items()}
    if not weights or not all(map(math.isfinite, weights.values())):
        raise ValueError(f"{name!r} must hold finite numbers by feature")
    return weights
