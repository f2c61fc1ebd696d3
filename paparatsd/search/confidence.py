"""How much a hit is worth reading: two small logistic rules on absolute values.

The ranking score only orders files of one question and has no zero, so it is never shown. Two
questions are asked instead. Is there an answer at all: from the likeness of meaning of the best
chunk, the share of the question's words found, and whether a name was found. Is it this file: from
how far the file's score lies behind the first one, and how far the first is ahead of the second.
The shown score is the product of both probabilities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.model import Confidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.search.features import FeatureTable
    from paparatsd.search.recall import Candidates, Pinned

HIGH, PARTIAL = 0.60, 0.35
"""Shown scores from which a hit is called high or partial; below, it is low."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one question found.

    cosine: best cosine of a recalled chunk with the built-in embedder, None when it was not used.
    share: the best file's score as one document over its possible maximum (0..1).
    coverage: share of the question's idf found in the best file. unknown: share of the question's
    terms that stand nowhere. named: a file defines a name of the question, case-exact.
    """

    cosine: float | None
    share: float
    coverage: float
    unknown: float
    named: bool


def answerable(evidence: Evidence) -> float:
    """Return the probability that the searched projects hold an answer at all."""
    if evidence.named:
        return 0.97
    words = 5.0 * evidence.share + 2.0 * evidence.coverage - 3.5 * evidence.unknown
    if evidence.cosine is None:
        return _logistic(words - 2.5)
    return _logistic(words + 14.0 * evidence.cosine - 8.0)


def is_this_one(behind: float, ahead: float) -> float:
    """Return the probability that a file is what was meant.

    behind: how far its score lies behind the first file's; ahead: how far the first file is ahead
    of the second.
    """
    if behind <= 0:
        return _logistic(0.9 + 3.0 * ahead)
    return _logistic(0.5 - 1.6 * behind)


def shown_score(evidence: Evidence, behind: float, ahead: float) -> float:
    """Return the score that is shown, 0..1, rounded so that it reads alike everywhere."""
    return round(answerable(evidence) * is_this_one(behind, ahead), 4)


def label(score: float) -> Confidence:
    """Return the word for a shown score."""
    if score >= HIGH:
        return Confidence.HIGH
    return Confidence.PARTIAL if score >= PARTIAL else Confidence.LOW


def advice(scores: list[float]) -> str | None:
    """Return one sentence on how to read these hits, or None when they need none."""
    if not scores:
        return None
    best, low = max(scores), sum(score < PARTIAL for score in scores)
    if best < PARTIAL:
        return (
            "Low confidence: probably none of these answers the question. Try the words or names "
            "that the code itself would use."
        )
    if best < HIGH:
        return "Partial matches: read the first ones before relying on them."
    if low:
        return f"{len(scores) - low} of {len(scores)} results are likely, the rest is a guess."
    return None


def _logistic(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, value))))


class Judge:
    """Scores shown for the files of one question; `order` lists them best first."""

    def __init__(
        self,
        pinned: Pinned,
        candidates: Candidates,
        features: FeatureTable,
        scores: NDArray[np.float64],
        order: Sequence[int],
    ) -> None:
        self._scores = scores
        self._first = order[0]
        second = order[1] if len(order) > 1 else None
        self._ahead = 1.0 if second is None else float(scores[self._first] - scores[second])
        used = pinned.native and pinned.dense is not None
        values = features.values
        self.evidence = Evidence(
            cosine=max(candidates.dense.values(), default=0.0) if used else None,
            share=float(values["fbm25f_share"].max()),
            coverage=float(values["coverage"].max()),
            unknown=1.0 - float(pinned.known.mean()) if len(pinned.known) else 1.0,
            named=bool(values["def_exact"].any()),
        )

    def shown(self, file: int) -> float:
        """Return the score to show for a file."""
        behind = float(self._scores[self._first] - self._scores[file])
        return shown_score(self.evidence, behind, self._ahead)
