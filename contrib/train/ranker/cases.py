"""Questions as the judge of confidence sees them, and samples of them to fit chances on.

Every question is ranked by weights that have not seen its repository, as a user's are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contrib.train.ranker.crossval import held_out_weights
from contrib.train.ranker.linear import fit_logistic
from contrib.train.ranker.model import choose
from contrib.train.ranker.table import ELSEWHERE, REAL, REMOVED
from paparatsd.search.calibration import MEANING, NAME, WORDS, Chance
from paparatsd.search.confidence import (
    FILE_INPUTS,
    answer_variant,
    behind_inputs,
    margin_inputs,
    question_inputs,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from contrib.train.ranker.linear import Pairs
    from contrib.train.ranker.model import Weights
    from contrib.train.ranker.table import Question, Table

ANSWER_INPUTS: Mapping[str, tuple[str, ...]] = {
    MEANING: ("cosine", "unknown", "share", "early", "named", "defines", "names", "ahead5"),
    WORDS: ("unknown", "share", "early", "dense_words", "named", "stem", "ahead5"),
    NAME: ("unknown", "named", "stem"),
}
FIRST_INPUTS = ("ahead", "ahead5", "part")
FURTHER_INPUTS = ("behind", "part")
RISING = {"ahead": 1, "ahead5": 1, "part": 1, "behind": -1, "unknown": -1}
"""Which way an input may speak; all others speak for an answer. One that is turned is left out."""
COUNTS: Mapping[str, float] = {REAL: 1.0, ELSEWHERE: 0.125, REMOVED: 0.125}
"""What a case counts: one question in five has no answer here, because it belongs to another
project or because what it asks for is missing."""
DEEPEST = 20
"""Files behind the first one that are looked at, at most."""


@dataclass(frozen=True)
class Case:
    """One question as the judge sees it, ranked by weights that have not seen the repository.

    variant: by which weights it was ranked; answer: by which model there is an answer.
    further: for each file behind the first one its inputs and whether it is a target.
    """

    question: Question
    variant: str
    answer: str
    inputs: Mapping[str, float]
    right: bool
    further: tuple[tuple[Mapping[str, float], bool], ...]

    @property
    def kind(self) -> str:
        """What kind of question it is."""
        return self.question.asked.kind

    @property
    def repo(self) -> str:
        """The repository asked."""
        return self.question.asked.repo

    @property
    def scope(self) -> str:
        """What of it is searched."""
        return self.question.asked.scope


def make_case(table: Table, question: Question, weights: Weights, *, by_meaning: bool) -> Case:
    """Rank a question's files and take down what the judge would go by."""
    asked = question.asked
    meaning = by_meaning and not asked.by_words
    scores = weights.score(table, question, by_words=not meaning)
    order = np.argsort(-scores, kind="stable")
    first = question.features[order[0]]
    features = {name: float(first[table.columns[name]]) for name in FILE_INPUTS.values()}
    margins = margin_inputs(scores[order])
    inputs = question_inputs(
        features, unknown=asked.unknown, cosine=asked.cosine if meaning else None
    )
    right = question.right[order]
    behind = scores[order[0]] - scores[order]
    return Case(
        question=question,
        variant=MEANING if meaning else WORDS,
        answer=answer_variant(single=asked.single, by_meaning=meaning),
        inputs=inputs | margins,
        right=bool(right[0]),
        further=tuple(
            (behind_inputs(margins, float(behind[at])), bool(right[at]))
            for at in range(1, min(DEEPEST, len(order)))
        ),
    )


@dataclass(frozen=True)
class Sample:
    """Rows to fit a chance on: inputs by name, the truth, and what each counts."""

    rows: Sequence[Mapping[str, float]]
    truth: Sequence[bool]
    counts: Sequence[float]

    def fit(self, names: Sequence[str]) -> Chance:
        """Fit a chance; inputs that would speak the wrong way are left out one by one."""
        kept = list(names)
        truth, counts = np.array(self.truth, np.float64), np.array(self.counts)
        while True:
            inputs = np.array([[row[name] for name in kept] for row in self.rows], np.float64)
            model = fit_logistic(inputs, truth, counts)
            push = model.weights * inputs.std(axis=0)
            worst, name = min(
                (value * RISING.get(name, 1), name) for value, name in zip(push, kept, strict=True)
            )
            if worst >= 0 or len(kept) == 1:
                weights = dict(zip(kept, model.weights.tolist(), strict=True))
                return Chance(model.bias, weights)
            kept.remove(name)


def answer_sample(cases: Iterable[Case]) -> Sample:
    """Return what tells whether there is an answer."""
    rows = list(cases)
    return Sample(
        [case.inputs for case in rows],
        [case.kind == REAL for case in rows],
        [COUNTS[case.kind] for case in rows],
    )


def first_sample(cases: Iterable[Case]) -> Sample:
    """Return what tells whether the first file is meant, given that there is an answer."""
    rows = [case for case in cases if case.kind == REAL]
    return Sample([case.inputs for case in rows], [case.right for case in rows], [1.0] * len(rows))


def further_sample(cases: Iterable[Case]) -> Sample:
    """Return what tells whether a file behind the first one is meant."""
    rows = [one for case in cases if case.kind == REAL for one in case.further]
    return Sample([one for one, _ in rows], [right for _, right in rows], [1.0] * len(rows))


def collect_cases(
    table: Table, *, seed: int = 0, extra: Pairs | None = None
) -> tuple[list[Case], list[Case]]:
    """Return all questions ranked with vectors, and the same ranked by words alone.

    extra: what the weights are fitted on beside the table, as those that are shipped.
    """
    weights = held_out_weights(table, table.of(REAL), choose(table), seed=seed, extra=extra)
    known = [one for one in table.questions if one.asked.repo in weights]
    return (
        [make_case(table, one, weights[one.asked.repo], by_meaning=True) for one in known],
        [make_case(table, one, weights[one.asked.repo], by_meaning=False) for one in known],
    )
