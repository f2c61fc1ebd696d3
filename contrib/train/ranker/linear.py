"""Fitting: a pairwise ranker and a plain logistic model, both by Newton's method; folds.

The ranker (a linear RankSVM's pairs under a logistic loss, after Joachims 2002 and Burges 2005)
learns from differences: a target's features minus those of other candidates of the same question.
Differences are scaled by their root mean square for fitting, and the scale is folded into the
weights, so that a score is a plain dot product with raw values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from contrib.train.ranker.table import Question

    Floats = NDArray[np.float64]

C = 0.2
"""Inverse strength of the penalty; from 0.05 to 0.5 nothing changes by more than noise."""
NEGATIVES = 20
FOLDS = 10
STEPS = 40
TINY = 1e-9


@dataclass(frozen=True)
class Pairs:
    """differences [pairs, features] that should score above 0, and what each pair counts.

    single [pairs]: whether the question is one identifier.
    """

    differences: Floats
    counts: Floats
    single: NDArray[np.bool_]

    def of_names(self) -> Pairs:
        """Return the pairs of questions that are one identifier."""
        return self.of(self.single)

    def of(self, mask: NDArray[np.bool_]) -> Pairs:
        """Return some of the pairs."""
        return Pairs(self.differences[mask], self.counts[mask], self.single[mask])

    def fit(self, columns: Sequence[int], strength: float = C) -> Floats:
        """Return a weight for each of these columns; raw values times weights are the score."""
        rows = self.differences[:, columns]
        scale = np.sqrt((rows * rows).mean(axis=0)) + TINY
        weights, _ = newton(rows / scale, np.ones(len(rows)), self.counts * strength)
        raw: Floats = weights / scale
        return raw


def make_pairs(
    questions: Iterable[Question], *, seed: int = 0, share: float = 1.0, negatives: int = NEGATIVES
) -> Pairs:
    """Pair each target with up to 20 wrong candidates, drawn at random.

    A target's pairs count 1 in sum, less where a question has several targets; times `share`.
    """
    rng = np.random.default_rng(seed)
    differences, counts, single = [], [], []
    for question in questions:
        wrong = np.flatnonzero(~question.right)
        if not len(wrong):
            continue
        for rows in question.answers:
            if not rows:
                continue
            some = wrong if len(wrong) <= negatives else rng.choice(wrong, negatives, replace=False)
            features = question.features.astype(np.float64)
            differences.append(features[rows[0]] - features[some])
            one = share / len(some) / np.sqrt(len(question.answers))
            counts.append(np.full(len(some), one))
            single.append(np.full(len(some), question.asked.single))
    return Pairs(np.concatenate(differences), np.concatenate(counts), np.concatenate(single))


def together(some: Sequence[Pairs]) -> Pairs:
    """Return the pairs of all."""
    return Pairs(
        np.concatenate([one.differences for one in some]),
        np.concatenate([one.counts for one in some]),
        np.concatenate([one.single for one in some]),
    )


@dataclass(frozen=True)
class Logistic:
    """A probability: bias + inputs . weights, through the logistic function."""

    bias: float
    weights: Floats

    def predict(self, inputs: Floats) -> Floats:
        """Return the probability of each row."""
        return 1.0 / (1.0 + np.exp(-np.clip(self.bias + inputs @ self.weights, -30.0, 30.0)))


def fit_logistic(
    inputs: Floats, truth: Floats, counts: Floats | None = None, *, penalty: float = 1.0
) -> Logistic:
    """Fit a logistic model with a light penalty on all but the bias; inputs are scaled inside."""
    center, spread = inputs.mean(axis=0), inputs.std(axis=0) + TINY
    rows = np.column_stack([np.ones(len(inputs)), (inputs - center) / spread])
    counted = np.ones(len(rows)) if counts is None else counts
    fitted, _ = newton(rows, truth, counted, penalty=penalty, free=1)
    weights = fitted[1:] / spread
    return Logistic(float(fitted[0] - center @ weights), weights)


def newton(
    rows: Floats,
    truth: Floats,
    counts: Floats,
    *,
    penalty: float = 1.0,
    free: int = 0,
    start: Floats | None = None,
    steps: int = STEPS,
) -> tuple[Floats, Floats]:
    """Minimise the counted logistic loss and a penalty, which the first `free` do not bear.

    `start`: weights to begin with (default 0). Returns the weights [d] and the loss's second
    derivatives [d, d] where the last step began.
    """
    weights = np.zeros(rows.shape[1]) if start is None else start
    ridge = np.full(len(weights), penalty)
    ridge[:free] = TINY
    curve = np.diag(ridge)
    for _ in range(steps):
        chance = 1.0 / (1.0 + np.exp(-np.clip(rows @ weights, -30.0, 30.0)))
        slope = ridge * weights + rows.T @ (counts * (chance - truth))
        curve = np.diag(ridge) + (rows.T * (counts * chance * (1.0 - chance))) @ rows
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if np.abs(step).max() < 1e-6:
            break
    return weights, curve


def make_folds(repos: Iterable[str], seed: int = 0, count: int = FOLDS) -> list[frozenset[str]]:
    """Deal repositories into folds, in an order that the seed decides."""
    names = sorted(set(repos))
    np.random.default_rng(seed).shuffle(names)
    return [frozenset(names[first::count]) for first in range(min(count, len(names)))]
