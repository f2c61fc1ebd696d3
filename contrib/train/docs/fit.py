"""Fits what orders places of documents and what tells whether they answer, and cross-validates it.

    python -m contrib.train.docs.fit --meaning FILE --words FILE [--out docs_weights.json]

FILE is what `collect` wrote, --words that of `collect --words`. The order is learnt from choices:
the best place of a right document among the best places of wrong ones, of the same question, as the
likeliest of all (a conditional logit), so that what counts are the few that come near. The
relevance is a logistic model of two kinds of places: the best one of a right document, and the
first ones of topics that are not treated. A project's figures are by numbers that were fitted
without it. The floor is what all but a few absent topics of such projects stay below.

With another embedder cosines mean something else: there the weights of `other` are as they were
chosen, and so are its floors. So are the weights of kinds of files that no question is about.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contrib.train.docs.collect import ABSENT, ELSEWHERE, EVERYDAY, FAR, Collected
from contrib.train.ranker.linear import Logistic, fit_logistic
from paparatsd.embeddings.static import read_spec
from paparatsd.search.docs_rank import BIAS, PACKAGED, best_of_documents, docs_score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MEANING, WORDS = "meaning", "words"
BY_MEANING = frozenset({"cos", "near", "rrf_meaning", "doc_cos", "doc_near", "path_cos"})
CHOSEN = {"changes": -4.0, "legal": -3.0, "short": -0.5, "test": -1.0, "vendored": -1.0}
"""What too few of these questions are about to be learnt."""
NOT_FITTED = frozenset({"known", "lead", "stem_back", *CHOSEN})
"""These too: features that do not tell places of a question apart, or add nothing."""
RELEVANCE = {MEANING: ("cos", "all_cov", "known"), WORDS: ("bm", "all_cov", "known")}
STRENGTH = 2.0
"""Inverse strength of the penalty; from 1 to 3 nothing changes by more than noise."""
STEPS = 40
STILL = 1e-6
WRONG = 40
FIRST = 10
LOOK = 30
COUNTS = {EVERYDAY: 1.0, FAR: 0.3, ABSENT: 2.0, ELSEWHERE: 0.3}
LEAKS = {MEANING: 1, WORDS: 2}
"""Absent topics of the development set that the floor lets through."""
ROUNDS = 3
TINY = 1e-9

Weights = dict[str, float]


def answered(questions: Sequence[Collected]) -> list[Collected]:
    """Return the questions that have an answer."""
    return [one for one in questions if one.wording in (EVERYDAY, FAR)]


def best_places(question: Collected, weights: Mapping[str, float]) -> NDArray[np.int64]:
    """Return the best place of each document, best first."""
    _, documents = np.unique(np.array(question.paths, dtype=object), return_inverse=True)
    return best_of_documents(docs_score(question.features, weights), documents)


def matrix(question: Collected, names: Sequence[str]) -> Floats:
    """Return the features of these names as [places, names]."""
    return np.column_stack([question.features[name] for name in names])


def fit_order(questions: Sequence[Collected], names: Sequence[str]) -> Weights:
    """Fit the order. Which place stands for a document depends on the weights: a few rounds."""
    packaged = json.loads(PACKAGED.read_text())["score"]
    weights: Weights = packaged[MEANING if "cos" in names else WORDS]
    for _ in range(ROUNDS):
        choices, counts = [], []
        for question in answered(questions):
            best = best_places(question, weights)
            right, wrong = best[question.right[best]][:1], best[~question.right[best]][:WRONG]
            if len(right) and len(wrong):
                values = matrix(question, names)
                choices.append(values[wrong] - values[right])
                counts.append(COUNTS[question.wording] * STRENGTH)
        every = np.concatenate(choices)
        scale = np.sqrt((every * every).mean(axis=0)) + TINY
        fitted = _likeliest([one / scale for one in choices], counts)
        weights = CHOSEN | dict(zip(names, (fitted / scale).tolist(), strict=True))
    return weights


def _likeliest(choices: Sequence[Floats], counts: Sequence[float]) -> Floats:
    """Return weights by Newton's method that make the right one of each choice likely.

    `choices` are the features of wrong ones less those of the right one; a penalty of half the
    squared weights keeps them small.
    """
    weights = np.zeros(choices[0].shape[1])
    for _ in range(STEPS):
        slope, curve = -weights, np.eye(len(weights))
        for differences, count in zip(choices, counts, strict=True):
            values = differences @ weights
            top = max(0.0, float(values.max()))
            shares = np.exp(values - top)
            shares /= shares.sum() + np.exp(-top)
            mean = shares @ differences
            slope = slope - count * mean
            curve += count * ((differences.T * shares) @ differences - np.outer(mean, mean))
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < STILL:
            break
    return weights


def fit_relevance(
    questions: Sequence[Collected], names: Sequence[str], order: Mapping[str, float]
) -> Logistic:
    """Fit how likely a place answers its question."""
    rows, truth, counts = [], [], []
    for question in questions:
        best = best_places(question, order)
        is_right = question.wording in (EVERYDAY, FAR)
        chosen = best[question.right[best]][:1] if is_right else best[:FIRST]
        if len(chosen):
            rows.append(matrix(question, names)[chosen])
            truth.append(np.full(len(chosen), float(is_right)))
            counts.append(np.full(len(chosen), COUNTS[question.wording] / len(chosen)))
    return fit_logistic(np.concatenate(rows), np.concatenate(truth), np.concatenate(counts))


def odds(question: Collected, names: Sequence[str], model: Logistic) -> Floats:
    """Return the logarithm of the odds that each place answers."""
    values: Floats = model.bias + matrix(question, names) @ model.weights
    return values


@dataclass
class Outcome:
    """What became of questions of one wording: ranks (0: not there), and odds.

    The odds are those of the first right place among ten, or the greatest of an absent topic.
    """

    ranks: list[int]
    odds: list[float]


def cross_validate(questions: Sequence[Collected], mode: str) -> dict[tuple[str, str], Outcome]:
    """Return by kind of project and wording what weights say that have not seen the project."""
    outcomes: dict[tuple[str, str], Outcome] = defaultdict(lambda: Outcome([], []))
    names = order_names(questions[0], mode)
    for project in sorted({one.project for one in questions}):
        seen = [one for one in questions if one.project != project]
        order = fit_order(seen, names)
        model = fit_relevance(seen, RELEVANCE[mode], order)
        for question in questions:
            if question.project == project:
                outcome = outcomes[question.kind, question.wording]
                judge(question, order, odds(question, RELEVANCE[mode], model), outcome)
    return outcomes


def judge(question: Collected, order: Mapping[str, float], told: Floats, outcome: Outcome) -> None:
    """Add what became of one question."""
    best = best_places(question, order)
    if question.wording in (EVERYDAY, FAR):
        places = np.flatnonzero(question.right[best])
        outcome.ranks.append(int(places[0]) + 1 if len(places) else 0)
        near = places[places < FIRST]
        outcome.odds.append(float(told[best[near[0]]]) if len(near) else -np.inf)
    else:
        outcome.odds.append(float(told[best[:LOOK]].max(initial=-np.inf)))


def order_names(question: Collected, mode: str) -> list[str]:
    """Return the features that order places."""
    left_out = NOT_FITTED | (BY_MEANING if mode == WORDS else frozenset())
    return [name for name in question.features if name not in left_out]


def floor_of(outcomes: Mapping[tuple[str, str], Outcome], leaks: int) -> float:
    """Return the odds that all but `leaks` absent topics stay below, half way to the next one."""
    absent = sorted(
        (one for (_, wording), told in outcomes.items() if wording == ABSENT for one in told.odds),
        reverse=True,
    )
    right = sorted(
        one for (_, wording), told in outcomes.items() if wording == EVERYDAY for one in told.odds
    )
    above = [one for one in (*absent[:leaks], *right) if one > absent[leaks]]
    return (absent[leaks] + min(above)) / 2 if above else absent[leaks] + TINY


def report(outcomes: Mapping[tuple[str, str], Outcome], floor: float, mode: str) -> None:
    """Print the cross-validated figures."""
    print(f"{mode}, by weights that have not seen the project; floor {floor:.2f} in odds")
    for (kind, wording), one in sorted(outcomes.items()):
        passed = np.mean(np.array(one.odds) >= floor)
        line = f"  {kind:6} {wording:10} {len(one.odds):4} passed {passed:.3f}"
        if one.ranks:
            ranks = np.array(one.ranks)
            first, five = np.mean(ranks == 1), np.mean((ranks > 0) & (ranks <= 5))
            both = np.mean((ranks == 1) & (np.array(one.odds) >= floor))
            line += f"  right first {first:.3f}, in 5 {five:.3f}; first and passed {both:.3f}"
        print(line)


def rounded(weights: Mapping[str, float]) -> Weights:
    """Return weights as they are written."""
    return {name: round(value, 4) for name, value in weights.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--meaning", type=Path, required=True)
    parser.add_argument("--words", type=Path, required=True)
    parser.add_argument("--out", type=Path, help="the weights to write (default: none)")
    arguments = parser.parse_args()
    content: dict[str, Any] = json.loads(PACKAGED.read_text())
    for mode, file in ((MEANING, arguments.meaning), (WORDS, arguments.words)):
        with file.open("rb") as kept:
            questions: list[Collected] = pickle.load(kept)
        outcomes = cross_validate(questions, mode)
        floor = floor_of(outcomes, LEAKS[mode])
        report(outcomes, floor, mode)
        order = fit_order(questions, order_names(questions[0], mode))
        model = fit_relevance(questions, RELEVANCE[mode], order)
        content["score"][mode] = rounded(order)
        # The bias is moved so that the floor is one half: what passes is likelier than not.
        told = dict(zip(RELEVANCE[mode], model.weights.tolist(), strict=True))
        content["relevance"][mode] = rounded({BIAS: model.bias - floor} | told)
        content["floors"][mode] = {"prose": 0.5, "code": 0.5}
    content["embedder"] = read_spec().fingerprint
    if arguments.out:
        arguments.out.write_text(json.dumps(content, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
