"""How much a hit is worth reading: two logistic models on a handful of numbers.

The ranking score only orders files of one question and has no zero, so it is never shown. Two
questions are asked instead. Is there an answer at all: from absolute values, such as the likeness
of meaning of the best chunk and the share of the question's words that stand nowhere. Is it this
file: from how far the first file is ahead, or how far this one lies behind. The shown score is the
product of both chances.

The numbers come with the weights (`calibration`); contrib/train/ranker/README.md says on what they
were fitted, how well they hold, and what they cannot see: where the very files that answer a
question are missing, its words still stand all over the project, so "low" is advice, not proof.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.search.calibration import MEANING, NAME, WORDS
from paparatsd.search.certain import NOTHING_CERTAIN, WORTH_READING
from paparatsd.search_model import Confidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.search.calibration import Calibration
    from paparatsd.search.certain import Certain
    from paparatsd.search.features import FeatureTable
    from paparatsd.search.recall import Candidates, Pinned

    Floats = NDArray[np.float64]

NOISE_COSINE = 0.45
"""A question of which no word is known needs a likeness of meaning above this to have an answer.

Made-up words reach 0.2 to 0.3 as a rule, 0.45 in the largest of six repositories of up to 4,800
files; so do real words of other fields.
"""
NEGLIGIBLE = 0.01
ALONE = 3.0
"""How far ahead a file without a rival is."""
FIFTH = 4

FILE_INPUTS: Mapping[str, str] = {
    "share": "fbm25f_share",
    "early": "pw_bm",
    "dense_words": "tf_density",
    "named": "def_exact",
    "stem": "stem_cos",
    "defines": "pw_defcos",
    "names": "d_names",
}
"""Input of a chance -> feature of the first file."""


def question_inputs(
    first: Mapping[str, float], *, unknown: float, cosine: float | None
) -> dict[str, float]:
    """Return what tells whether there is an answer at all.

    first: the features of the first file. unknown: share of the question's terms that stand
    nowhere. cosine: best likeness of meaning of a recalled chunk, None without vectors.
    """
    inputs = {name: float(first[feature]) for name, feature in FILE_INPUTS.items()}
    inputs["unknown"] = unknown
    inputs["cosine"] = 0.0 if cosine is None else cosine
    return inputs


def margin_inputs(scores: Floats) -> dict[str, float]:
    """Return how far the first of some scores (best first) is ahead of the others.

    ahead, ahead5: of the second and of the fifth. part: its share when scores compete as
    exponents, 1 when it is alone.
    """
    if len(scores) < 2:
        return {"ahead": ALONE, "ahead5": ALONE, "part": 1.0}
    behind = scores[0] - scores
    fifth = min(FIFTH, len(scores) - 1)
    part = 1.0 / float(np.exp(-behind).sum())
    return {"ahead": float(behind[1]), "ahead5": float(behind[fifth]), "part": part}


def behind_inputs(inputs: Mapping[str, float], behind: float) -> dict[str, float]:
    """Return what tells whether a file is meant that lies this far behind the first one."""
    return {"behind": behind, "part": inputs["part"] * math.exp(-min(behind, 50.0))}


def answer_variant(*, single: bool, by_meaning: bool) -> str:
    """Return by which model to judge whether there is an answer."""
    return NAME if single else MEANING if by_meaning else WORDS


def advice(labels: Sequence[Confidence]) -> str | None:
    """Return one sentence on how to read hits of these labels, or None when they need none."""
    if not labels:
        return None
    low = sum(label is Confidence.LOW for label in labels)
    if low == len(labels):
        return (
            "Low confidence: probably none of these answers the question. Try the words or names "
            "that the code itself would use."
        )
    if Confidence.HIGH not in labels:
        return "Partial matches: read the first ones before relying on them."
    if low:
        return f"{len(labels) - low} of {len(labels)} results are likely, the rest is a guess."
    return None


def _have_words(features: FeatureTable) -> NDArray[np.bool_]:
    """Return which files have a word of the question in text, file name or defined names."""
    parts = [features.values[name] > 0 for name in ("bm25f_share", "stem_cos", "defcos")]
    found: NDArray[np.bool_] = np.logical_or.reduce(parts)
    return found


class Judge:
    """Scores shown for the files of one question; `order` lists them best first."""

    def __init__(  # noqa: PLR0913 - one place makes it, from values of its own
        self,
        pinned: Pinned,
        candidates: Candidates,
        features: FeatureTable,
        scores: Floats,
        order: Sequence[int],
        levels: Calibration,
        *,
        embedder: str | None,
        certain: Certain = NOTHING_CERTAIN,
    ) -> None:
        """`embedder`: fingerprint of the model behind `pinned.static`, None without one.

        `certain`: what needs no estimate; all other files are less likely than these.
        """
        self._levels = levels
        self._certain = certain
        self._bound = certain.bound()
        self._scores = scores
        self._first = order[0]
        self._shown: dict[int, float] = {}
        # Cosines of another model have another scale: they are neither evidence nor its absence.
        self._unjudged = pinned.dense is not None and not pinned.native
        by_meaning = pinned.static is not None and pinned.native and embedder == levels.embedder
        self._by_words = _have_words(features)
        self._variant = MEANING if by_meaning else WORDS
        self._answer = answer_variant(single=pinned.query.single, by_meaning=by_meaning)
        self._named = bool(features.values["def_exact"].any())
        used = pinned.native and pinned.dense is not None
        first = {name: float(features.values[name][order[0]]) for name in FILE_INPUTS.values()}
        self._inputs = question_inputs(
            first,
            unknown=1.0 - float(pinned.known.mean()) if len(pinned.known) else 1.0,
            cosine=candidates.nearest if used else None,
        )
        self._inputs |= margin_inputs(scores[np.array(order, np.int64)])
        self._answerable = levels.answerable[self._answer].of(self._inputs)
        self._this_first = levels.first[self._variant].of(self._inputs)

    def is_noise(self) -> bool:
        """Whether nothing that was found has to do with the question."""
        nothing_known = self._inputs["unknown"] >= 1.0 and not self._named
        return nothing_known and self._inputs["cosine"] < NOISE_COSINE

    def plausible(self, files: Iterable[int]) -> Iterator[int]:
        """Leave out what nothing speaks for; files that have a word of the question stay."""
        leads = self._certain.leads
        yield from leads
        if self._certain.alone:
            return
        files = [file for file in files if file not in leads]
        if self._unjudged:
            yield from files
        elif not self.is_noise():
            for file in files:
                if self._by_words[file] or self.shown(file) >= NEGLIGIBLE:
                    yield file

    def this_one(self, file: int) -> float:
        """Return the chance that a file is what was meant, if there is an answer."""
        behind = float(self._scores[self._first] - self._scores[file])
        if file == self._first or behind <= 0:
            return self._this_first
        chance = self._levels.further[self._variant].of(behind_inputs(self._inputs, behind))
        return min(chance, self._this_first)

    def shown(self, file: int) -> float:
        """Return the score to show for a file, rounded so that it reads alike everywhere."""
        known = self._shown.get(file)
        if known is None:
            known = round(min(self._bound, self._answerable * self.this_one(file)), 4)
            if self._is_likely(file):
                known = max(known, WORTH_READING)
            lead = self._certain.leads.get(file)
            self._shown[file] = known = known if lead is None else lead.score
        return known

    def _is_likely(self, file: int) -> bool:
        return file == self._first and file in self._certain.likely

    def label(self, file: int) -> Confidence:
        """Return the word for a file's shown score."""
        lead = self._certain.leads.get(file)
        if lead is not None:
            return lead.label
        estimated = self._levels.label(self.shown(file), self._answerable)
        low = estimated is Confidence.LOW
        return Confidence.PARTIAL if low and self._is_likely(file) else estimated

    def grounds(self, file: int) -> dict[str, float]:
        """Return what the shown score was computed from, by name (see `meanings`)."""
        lead = self._certain.leads.get(file)
        if lead is not None:
            return {"answerable": 1.0, "this_one": lead.score, "certain": 1.0}
        if self._is_likely(file) and self.shown(file) <= WORTH_READING:
            return {"answerable": 1.0, "this_one": WORTH_READING, "certain": 0.0}
        answer = self._levels.answerable[self._answer]
        bound = self._bound / max(self._answerable, self._bound)
        grounds = {"answerable": self._answerable, "this_one": min(bound, self.this_one(file))}
        grounds |= {name: self._inputs[name] for name in answer.weights}
        behind = float(self._scores[self._first] - self._scores[file])
        if file == self._first or behind <= 0:
            first = self._levels.first[self._variant]
            grounds |= {name: self._inputs[name] for name in first.weights}
        else:
            grounds |= behind_inputs(self._inputs, behind)
        return {name: round(value, 4) for name, value in grounds.items()}
