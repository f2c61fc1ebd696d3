"""How far probabilities can be trusted: area under the curve, Brier score, calibration by bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BINS = 10


@dataclass(frozen=True)
class Bin:
    """Predictions in one tenth of the scale: their mean, how many were true, what they count."""

    predicted: float
    true: float
    count: float


def auc(chances: Floats, truth: Floats) -> float:
    """Return the chance that a true one is predicted higher than a false one, ties half."""
    order = np.argsort(chances, kind="stable")
    values = chances[order]
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = ((ends - counts + 1 + ends) / 2)[inverse]
    true = truth[order] > 0.5
    positives, negatives = int(true.sum()), int((~true).sum())
    if not positives or not negatives:
        return float("nan")
    return float((ranks[true].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def brier(chances: Floats, truth: Floats, counts: Floats | None = None) -> float:
    """Return the mean squared error of the probabilities."""
    return float(np.average((chances - truth) ** 2, weights=counts))


def bins(
    chances: Floats, truth: Floats, counts: Floats | None = None, number: int = BINS
) -> list[Bin]:
    """Return the bins that have predictions; `counts` is what each one counts."""
    weights = np.ones(len(chances)) if counts is None else counts
    at = np.minimum((chances * number).astype(int), number - 1)
    found = []
    for one in range(number):
        mine = at == one
        if mine.any():
            predicted = np.average(chances[mine], weights=weights[mine])
            true = np.average(truth[mine], weights=weights[mine])
            found.append(Bin(float(predicted), float(true), float(weights[mine].sum())))
    return found


def calibration_error(chances: Floats, truth: Floats, counts: Floats | None = None) -> float:
    """Return the expected calibration error: |predicted - true| of the bins, by their size."""
    found = bins(chances, truth, counts)
    total = sum(one.count for one in found)
    return sum(abs(one.predicted - one.true) * one.count for one in found) / total
