"""What a ranking of candidates is worth: NDCG@10 by the file rule, and its means."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from contrib.bench.quality.metrics import DEPTH, ndcg

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from contrib.train.ranker.table import Asked, Question


def question_ndcg(question: Question, scores: NDArray[np.float64]) -> float:
    """Return NDCG@10 of the candidates in the order of their scores."""
    order = np.argsort(-scores, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(1, len(order) + 1)
    ranks = [int(min(rank[row] for row in rows)) for rows in question.answers if rows]
    return ndcg(ranks, question.asked.targets, DEPTH)


def macro(questions: Sequence[Question], values: Sequence[float]) -> float:
    """Return the mean over repositories of each one's mean."""
    return float(np.mean(list(means(questions, values, lambda asked: asked.repo).values())))


def means(
    questions: Sequence[Question], values: Sequence[float], key: Callable[[Asked], str]
) -> dict[str, float]:
    """Return the mean by some property of the question."""
    groups: dict[str, list[float]] = defaultdict(list)
    for question, value in zip(questions, values, strict=True):
        groups[key(question.asked)].append(value)
    return {name: float(np.mean(group)) for name, group in sorted(groups.items())}
