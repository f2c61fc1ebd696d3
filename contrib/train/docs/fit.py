"""Fits what orders places of documents and what tells whether they answer, and cross-validates it.

    python -m contrib.train.docs.fit --meaning FILE --words FILE [--out docs_weights.json]

FILE is what `collect` wrote, --words that of `collect --words`. The order is learnt from choices:
the best place of a right document among the best places of wrong ones, of the same question, as the
likeliest of all (a conditional logit), so that what counts are the few that come near. The
relevance is a logistic model of two kinds of places: the first one of a question that is answered
among the first few, and the first one of a topic that is not treated. A project's figures are by
numbers that were fitted without it. The floor is what all but a few absent topics of such projects
stay below; a question passes with its best place, and lets the others pass at a lower floor.

With another embedder cosines mean something else: there the weights of `other` are as they were
chosen, and so are its floors. So are the weights of kinds of files that no question is about.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contrib.train.docs.collect import ABSENT, ELSEWHERE, EVERYDAY, FAR, HARD, Collected
from contrib.train.ranker.linear import Logistic, fit_logistic
from paparatsd.embeddings.static import prose_model, read_spec
from paparatsd.search.docs_rank import BIAS, PACKAGED, SCORE, best_of_documents, docs_score
from paparatsd.search.docs_sense import SENSES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MEANING, PLAIN, WORDS = "meaning", "plain", "words"
BY_MEANING = frozenset({"cos", "near", "rrf_meaning", "doc_cos", "doc_near", "path_cos", *SENSES})
CHOSEN = {"changes": -5.0, "legal": -3.0, "short": -0.5, "test": -1.0, "vendored": -1.0}
"""What too few of these questions are about to be learnt."""
REDUNDANT = frozenset(
    {"rrf_meaning", "rrf_words", "stem_cov", "stem_back", "heads_cov", "doc_near", "lead"}
)
"""What says nothing that others do not: fitted with these, unseen projects come out a little worse.
Weights for other embedders have some of them.
"""
NOT_FITTED = frozenset({"known", *REDUNDANT, *CHOSEN})
"""These too: features that do not tell places of a question apart, or add nothing."""
RELEVANCE = {
    MEANING: ("cos", "all_cov", "known", "sense", "sense_doc", "sense_head", SCORE),
    PLAIN: ("cos", "all_cov", "known", SCORE),
    WORDS: ("bm", "all_cov", "known", SCORE),
}
STRENGTH = 1.0
"""Inverse strength of the penalty; from 1 to 2 nothing changes by more than noise."""
STEPS = 40
STILL = 1e-6
WRONG = 40
LOOK = 30
ANSWERED = 5
FOLLOW = 2.0
"""How far below the floor, in odds, others are when one has passed: right ones are not farther."""
COUNTS = {EVERYDAY: 1.0, HARD: 1.0, FAR: 0.3, ABSENT: 2.0, ELSEWHERE: 0.3}
TREATED = (EVERYDAY, HARD, FAR)
LEAKS = {MEANING: 0.032, PLAIN: 0.032, WORDS: 0.032}
"""Share of absent topics of the development sets that the floor lets through."""
ROUNDS = 3
TINY = 1e-9

Weights = dict[str, float]


def answered(questions: Sequence[Collected]) -> list[Collected]:
    """Return the questions that have an answer."""
    return [one for one in questions if one.wording in TREATED]


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
    mode = MEANING if "sense" in names else PLAIN if "cos" in names else WORDS
    before: Weights = packaged[mode]
    weights = {name: value for name, value in before.items() if name in questions[0].features}
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
    """Return weights that make the right one of each choice likely.

    `choices` are the features of wrong ones less those of the right one; a penalty of half the
    squared weights keeps them small. Newton's method, whose steps are halved until they gain.
    """
    rows, count = np.concatenate(choices), np.array(counts)
    sizes = np.array([len(one) for one in choices])
    starts, owners = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)

    def shares_of(weights: Floats) -> tuple[Floats, float]:
        """Return how likely each wrong one is, and what is to be made small."""
        values = rows @ weights
        tops = np.maximum(0.0, np.maximum.reduceat(values, starts))
        shares = np.exp(values - tops[owners])
        sums = np.add.reduceat(shares, starts) + np.exp(-tops)
        loss = float(count @ (np.log(sums) + tops) + weights @ weights / 2)
        return shares / sums[owners], loss

    weights = np.zeros(rows.shape[1])
    shares, loss = shares_of(weights)
    for _ in range(STEPS):
        means = np.add.reduceat(rows * shares[:, None], starts)
        curve = np.eye(len(weights)) - (means.T * count) @ means
        curve += (rows.T * (shares * count[owners])) @ rows
        step = np.linalg.solve(curve, -weights - count @ means)
        tried, after = shares_of(weights + step)
        while after > loss and np.abs(step).max() >= STILL:
            step = step / 2
            tried, after = shares_of(weights + step)
        if after > loss or np.abs(step).max() < STILL:
            break
        weights, shares, loss = weights + step, tried, after
    return weights


def judged_by(question: Collected, names: Sequence[str], order: Mapping[str, float]) -> Floats:
    """Return the features that tell the relevance as [places, names]."""
    features = {**question.features, SCORE: docs_score(question.features, order)}
    return np.column_stack([features[name] for name in names])


def fit_relevance(
    questions: Sequence[Collected], names: Sequence[str], order: Mapping[str, float]
) -> Logistic:
    """Fit how likely the first place says that its question is answered."""
    rows, truth, counts = [], [], []
    for question in questions:
        best = best_places(question, order)
        is_treated = question.wording in TREATED
        # Where no right document is near the top, the first place is that of nothing in particular.
        if len(best) and (not is_treated or question.right[best[:ANSWERED]].any()):
            rows.append(judged_by(question, names, order)[best[0]])
            truth.append(float(is_treated))
            counts.append(COUNTS[question.wording])
    return fit_logistic(np.array(rows), np.array(truth), np.array(counts))


@dataclass
class Outcome:
    """What became of questions of one wording: ranks (0: not there), and the greatest odds.

    after: how far below the greatest odds the first right place is; infinite if there is none.
    """

    ranks: list[int]
    odds: list[float]
    after: list[float]


def cross_validate(questions: Sequence[Collected], mode: str) -> dict[tuple[str, str], Outcome]:
    """Return by kind of project and wording what weights say that have not seen the project."""
    outcomes: dict[tuple[str, str], Outcome] = defaultdict(lambda: Outcome([], [], []))
    names = order_names(questions[0], mode)
    for project in sorted({one.project for one in questions}):
        seen = [one for one in questions if one.project != project]
        order = fit_order(seen, names)
        model = fit_relevance(seen, RELEVANCE[mode], order)
        for question in questions:
            if question.project == project:
                outcome = outcomes[question.kind, question.wording]
                told = judged_by(question, RELEVANCE[mode], order) @ model.weights + model.bias
                judge(question, order, told, outcome)
    return outcomes


def judge(question: Collected, order: Mapping[str, float], told: Floats, outcome: Outcome) -> None:
    """Add what became of one question."""
    best = best_places(question, order)[:LOOK]
    greatest = float(told[best].max(initial=-np.inf))
    outcome.odds.append(greatest)
    if question.wording in TREATED:
        places = np.flatnonzero(question.right[best])
        outcome.ranks.append(int(places[0]) + 1 if len(places) else 0)
        outcome.after.append(greatest - float(told[best[places[0]]]) if len(places) else np.inf)


def order_names(question: Collected, mode: str) -> list[str]:
    """Return the features that order places."""
    left_out = NOT_FITTED | {WORDS: BY_MEANING, PLAIN: frozenset(SENSES)}.get(mode, frozenset())
    return [name for name in question.features if name not in left_out]


def floor_of(outcomes: Mapping[tuple[str, str], Outcome], share: float) -> float:
    """Return the odds that all but a share of absent topics stay below, half way to the next."""
    absent = sorted(
        (one for (_, wording), told in outcomes.items() if wording == ABSENT for one in told.odds),
        reverse=True,
    )
    leaks = int(share * len(absent))
    above = absent[leaks - 1] if leaks else absent[0] + 2 * TINY
    return (absent[leaks] + above) / 2


def report(outcomes: Mapping[tuple[str, str], Outcome], floor: float, mode: str) -> None:
    """Print the cross-validated figures."""
    print(f"{mode}, by weights that have not seen the project; floor {floor:.2f} in odds")
    for (kind, wording), one in sorted(outcomes.items()):
        passed = np.array(one.odds) >= floor
        line = f"  {kind:6} {wording:10} {len(one.odds):4} passed {passed.mean():.3f}"
        if one.ranks:
            ranks = np.array(one.ranks)
            first, five = ranks == 1, (ranks > 0) & (ranks <= ANSWERED)
            shown = passed & (np.array(one.after) <= FOLLOW)
            line += f"  right first {first.mean():.3f}, in 5 {five.mean():.3f}"
            line += f"; and passed {(first & shown).mean():.3f}, {(five & shown).mean():.3f}"
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
    files = {MEANING: arguments.meaning, PLAIN: arguments.meaning, WORDS: arguments.words}
    for mode, file in files.items():
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
        content["follow"][mode] = round(2 / (1 + math.exp(FOLLOW)), 4)
    content["embedder"] = read_spec().fingerprint
    content["sense"] = read_spec(prose_model()).fingerprint
    if arguments.out:
        arguments.out.write_text(json.dumps(content, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
