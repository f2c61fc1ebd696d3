"""Fit the models of `paparatsd/knowledge/calibration.json` to the development half.

    python contrib/bench/notes/fit.py [--write]

Each is a ridge-penalised logistic regression on standardised observations (Newton's method); which
observations it has was chosen on the same half by cross-validation. Scores for the choice of a
threshold come from folds that the scored pair was not in. Then bias and slope are moved so that the
thresholds of `likeness.PLAIN` fall where they are wanted.
"""

from __future__ import annotations

import argparse
import json
import math
from typing import TYPE_CHECKING

import numpy as np
from material import DEVELOPMENT, Pairs, pairs
from scoring import both_questions, model, nearest, observed, observed_question, store

from paparatsd.knowledge.likeness import PLAIN, calibration_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

OF_NOTES = {
    "card": (
        *("cosine", "words", "label", "numbers", "clauses", "label_core", "core"),
        *("phrasing", "core_phrases"),
    ),
    "term": ("cosine", "pieces", "label", "numbers", "clauses", "label_within", "phrasing"),
}
OF_QUESTIONS = ("cosine", "covered", "by_label", "label")
REPEATS = {"again": 1.0, "reworded": 0.5, "shortened": 0.3}
"""Kinds of pairs that say the same, and how much each counts; the others count 1."""
OTHERS = {"neighbours": 1.0, "near": 1.0}
FOLDS = 10
PENALTY = 2.0
REFUSED = {"card": 0.09, "term": 0.08}
"""The share of near pairs that may be taken for repetitions, which sets the thresholds."""
LET_THROUGH = 0.15
"""The share of questions without an answer for which something may be shown."""
NEAREST = 8


def fit(rows: Array, truth: Array, weights: Array, penalty: float) -> tuple[float, Array]:
    """Return bias and weights of a logistic model of `truth` (0 or 1)."""
    mean, spread = rows.mean(0), rows.std(0) + 1e-9
    table = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    ridge = np.eye(table.shape[1]) * penalty
    ridge[-1, -1] = 0.0
    beta = np.zeros(table.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-np.clip(table @ beta, -30, 30)))
        slope = table.T @ (weights * (chance - truth)) + ridge @ beta
        curve = (table * (weights * chance * (1 - chance))[:, None]).T @ table + ridge
        beta -= np.linalg.solve(curve + 1e-9 * np.eye(len(beta)), slope)
    slopes = beta[:-1] / spread
    return float(beta[-1] - slopes @ mean), slopes


def held_out(
    rows: Array, truth: Array, weights: Array, folds: Array, penalty: float = PENALTY
) -> Array:
    """Return the logit of each row by a model fitted without the row's fold."""
    logits = np.zeros(len(rows))
    for fold in np.unique(folds):
        rest = folds != fold
        bias, slopes = fit(rows[rest], truth[rest], weights[rest], penalty)
        logits[~rest] = bias + rows[~rest] @ slopes
    return logits


def logit(chance: float) -> float:
    return math.log(chance / (1 - chance))


def limit(scores: Array, share: float) -> float:
    """Return the smallest limit that at most this share of the scores reach."""
    ordered = np.sort(scores)[::-1]
    allowed = int(share * len(ordered))
    return float((ordered[allowed] + (ordered[allowed - 1] if allowed else ordered[0] + 0.5)) / 2)


def notes_model(kind: str, *, words: bool) -> dict[str, float]:
    """Fit the model of one kind of notes."""
    names = [name for name in OF_NOTES[kind] if not (words and name == "cosine")]
    written: Pairs = pairs(f"{kind}s", *DEVELOPMENT)
    rows, truth, weights, folds, groups = [], [], [], [], []
    order = np.random.default_rng(1)
    fold_of = {
        "again": order.permutation(len(written.again)) % FOLDS,
        "near": order.permutation(len(written.near)) % FOLDS,
    }
    for group, weight in (REPEATS | OTHERS).items():
        own = fold_of["again" if group in ("again", "neighbours") else "near"]
        for number, (a, b) in enumerate(getattr(written, group)):
            seen = observed(a, b)
            rows.append([seen[name] for name in names])
            truth.append(float(group in REPEATS))
            weights.append(weight)
            folds.append(own[number])
            groups.append(group)
    table = (np.array(rows), np.array(truth), np.array(weights), np.array(folds))
    scores = held_out(*table)
    of = {group: scores[np.array(groups) == group] for group in REPEATS | OTHERS}
    bias, slopes = fit(*table[:3], PENALTY)
    wanted = limit(of["near"], REFUSED[kind])
    if kind == "term":
        anchors = ((wanted, PLAIN.term_duplicate),)
    else:
        surely = max(limit(of["near"], 0.0), wanted + 1.0)
        anchors = ((wanted, PLAIN.card_similar), (surely, PLAIN.card_duplicate))
    report(f"{kind} {'words' if words else 'meaning'}", of, wanted)
    return moved(names, bias, slopes, anchors)


def moved(
    names: Sequence[str], bias: float, slopes: Array, anchors: tuple[tuple[float, float], ...]
) -> dict[str, float]:
    """Return the model with each anchor's logit moved to where its likeness is wanted."""
    first, *more = anchors
    steeper = 1.0
    if more:
        steeper = (logit(more[0][1]) - logit(first[1])) / (more[0][0] - first[0])
    moved_bias = steeper * (bias - first[0]) + logit(first[1])
    return {"bias": round(moved_bias, 3)} | {
        name: round(float(steeper * slope), 3) for name, slope in zip(names, slopes, strict=True)
    }


def report(name: str, of: dict[str, Array], wanted: float) -> None:
    shares = ", ".join(f"{group} {np.mean(scores >= wanted):.2f}" for group, scores in of.items())
    print(f"{name:16} taken for a repetition, out of fold: {shares}")


def questions_model(kind: str, *, words: bool) -> dict[str, float]:
    """Fit how a question and a note of one kind go together."""
    names = [name for name in OF_QUESTIONS if not (words and name == "cosine")]
    what = f"{kind}s"
    notes = store(what, "dev")
    by_label = {note.label: note for note in notes}
    answered, unanswered = both_questions(what, "dev")
    rows, truth, weights, folds = [], [], [], []

    def add(text: str, label: str, *, right: bool, weight: float, fold: int) -> None:
        seen = observed_question(text, by_label[label])
        rows.append([seen[name] for name in names])
        truth.append(float(right))
        weights.append(weight)
        folds.append(fold)

    for number, one in enumerate(answered):
        add(one.text, one.answer, right=True, weight=1.0, fold=number % FOLDS)
        for wrong in nearest(one.text, notes, NEAREST):
            if wrong.label != one.answer:
                add(one.text, wrong.label, right=False, weight=0.1, fold=number % FOLDS)
    for number, one in enumerate(unanswered):
        for wrong in nearest(one.text, notes, NEAREST):
            add(one.text, wrong.label, right=False, weight=0.5, fold=(number + 5) % FOLDS)
    table = (np.array(rows), np.array(truth), np.array(weights), np.array(folds))
    bias, slopes = fit(*table[:3], PENALTY)
    best = np.array(
        [
            max(bias + float(np.dot(slopes, [seen[name] for name in names])) for seen in found)
            for found in (
                [observed_question(one.text, note) for note in notes] for one in unanswered
            )
        ]
    )
    scores = held_out(*table)
    right = scores[table[1] == 1]
    wanted = limit(best, LET_THROUGH)
    print(
        f"{kind} question {'words' if words else 'meaning':8} "
        f"answers kept, out of fold: {np.mean(right >= wanted):.2f}"
    )
    floor = PLAIN.term_floor if kind == "term" else PLAIN.card_floor
    return moved(names, bias, slopes, ((wanted, floor),))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the packaged calibration")
    write = parser.parse_args().write
    made = {
        what: {
            kind: {
                variant: build(kind, words=variant == "words") for variant in ("meaning", "words")
            }
            for kind in ("card", "term")
        }
        for what, build in (("notes", notes_model), ("questions", questions_model))
    }
    content = json.dumps({"embedder": model().spec.fingerprint, **made}, indent=1)
    if write:
        calibration_file().write_text(f"{content}\n", encoding="utf-8")
    else:
        print(content)


if __name__ == "__main__":
    main()
