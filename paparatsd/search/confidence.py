"""How much a hit is worth reading: small logistic rules on absolute values.

The ranking score only orders files of one question and has no zero, so it is never shown. Two
questions are asked instead. Is there an answer at all: from the likeness of meaning of the best
chunk, the share of the question's words found, the share that stands nowhere, and whether a name
was found. Is it this file: from how far the first file is ahead, or how far this one is behind.
The shown score is the product of both probabilities.

Coefficients are rounded fits on 452 questions over 23 repositories with tests and docs, against as
many questions asked of the wrong repository (area under the curve 0.98, by words alone 0.96). A
feature that the right project lacks is a harder negative than that: "low" is advice, not proof.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.model import Confidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.search.features import FeatureTable
    from paparatsd.search.recall import Candidates, Pinned

HIGH, PARTIAL = 0.60, 0.20
"""Shown scores from which a hit is called high or partial; below, it is low.

Measured: first hits at 0.60 and above are right in 9 of 10 cases, between 0.20 and 0.60 in half of
them; further hits between 0.15 and 0.25 are one of the files meant in 1 of 5 cases.
"""


NOISE_COSINE = 0.45
"""A question of which no word is known needs a likeness of meaning above this to have an answer.

Made-up words reach 0.2 to 0.3 as a rule, 0.45 in the largest of six repositories of up to 4,800
files; so do real words of other fields.
"""
NEGLIGIBLE = 0.01


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one question found.

    cosine: best cosine of a recalled chunk with the built-in embedder, None when it was not used.
    share: the best file's score as one document over its possible maximum (0..1).
    unknown: share of the question's terms that stand nowhere. named: a file defines a name of the
    question, case-exact. single: the question is one identifier.
    """

    cosine: float | None
    share: float
    unknown: float
    named: bool
    single: bool


def answerable(evidence: Evidence) -> float:
    """Return the probability that the searched projects hold an answer at all."""
    if evidence.single:
        return _logistic(5.0 * evidence.named + 1.5 * evidence.share - 3.3 * evidence.unknown - 2.0)
    if evidence.cosine is None:
        return _logistic(
            10.0 * evidence.share - 11.0 * evidence.unknown + 3.0 * evidence.named - 3.4
        )
    words = 6.0 * evidence.share - 7.0 * evidence.unknown + 2.0 * evidence.named
    return _logistic(13.0 * evidence.cosine + words - 6.4)


def is_this_one(behind: float, ahead: float) -> float:
    """Return the probability that a file is what was meant.

    behind: how far its score lies behind the first file's; ahead: how far the first file is ahead
    of the second.
    """
    if behind <= 0:
        return _logistic(2.1 * ahead - 0.3)
    return _logistic(-1.2 - 1.2 * behind)


def shown_score(evidence: Evidence, behind: float, ahead: float) -> float:
    """Return the score that is shown, 0..1, rounded so that it reads alike everywhere."""
    return round(answerable(evidence) * is_this_one(behind, ahead), 4)


def is_noise(evidence: Evidence) -> bool:
    """Whether nothing that was found has to do with the question."""
    likeness = 0.0 if evidence.cosine is None else evidence.cosine
    return evidence.unknown >= 1.0 and not evidence.named and likeness < NOISE_COSINE


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


def _have_words(features: FeatureTable) -> NDArray[np.bool_]:
    """Return which files have a word of the question in text, file name or defined names."""
    parts = [features.values[name] > 0 for name in ("bm25f_share", "stem_cos", "defcos")]
    found: NDArray[np.bool_] = np.logical_or.reduce(parts)
    return found


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
        # Cosines of another model have another scale: they are neither evidence nor its absence.
        self._unjudged = pinned.dense is not None and not pinned.native
        self._by_words = _have_words(features)
        values = features.values
        self.evidence = Evidence(
            cosine=max(candidates.dense.values(), default=0.0) if used else None,
            share=float(values["fbm25f_share"].max()),
            unknown=1.0 - float(pinned.known.mean()) if len(pinned.known) else 1.0,
            named=bool(values["def_exact"].any()),
            single=pinned.query.single,
        )

    def plausible(self, files: Sequence[int]) -> list[int]:
        """Leave out what nothing speaks for; files that have a word of the question stay."""
        if self._unjudged:
            return list(files)
        if is_noise(self.evidence):
            return []
        return [file for file in files if self._by_words[file] or self.shown(file) >= NEGLIGIBLE]

    def shown(self, file: int) -> float:
        """Return the score to show for a file."""
        behind = float(self._scores[self._first] - self._scores[file])
        return shown_score(self.evidence, behind, self._ahead)
