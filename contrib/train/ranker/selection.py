"""Which features to keep: backward elimination, decided by inner folds of some repositories.

In each inner fold weights of all features are fitted on the other repositories. Then the feature
goes whose loss is felt least by the pairs of the repositories left out (mean logistic loss), again
and again. A fit for every feature that might go would take hours: near its minimum the loss is a
parabola, and what the other weights become without one of them is known from its second derivatives
(after Hassibi and Stork 1993, optimal brain surgeon). Every few features the weights are fitted
again. How many features to keep is decided by NDCG@10 of the repositories left out: of all sets
that are not told from the best one the largest is kept. A penalised fit bears a feature that says
little, where one that is missed is gone for good, and the best of fifty inner scores is the
luckiest of those that are much the same (one-standard-error rule of Breiman et al. 1984, turned to
the safe side). The error is that of the difference by repository: some repositories are harder
than others for every set alike, which says nothing of the sets.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contrib.train.ranker.linear import TINY, C, make_folds, make_pairs, newton, together
from contrib.train.ranker.scores import question_ndcg
from paparatsd.search.ranker import BY_HAND

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from contrib.train.ranker.linear import Pairs
    from contrib.train.ranker.table import Question, Table

    Floats = NDArray[np.float64]

INNER_FOLDS = 5
FEWEST = 8
REFIT = 3
"""After so many features have gone the others are fitted again, in this many steps:"""
STEPS = 2


@dataclass(frozen=True)
class Step:
    """Features that are left, and NDCG@10 of the inner folds by weights of these alone.

    by_repo: the same of each repository, in an order that all steps share.
    """

    kept: tuple[str, ...]
    inner: float
    by_repo: tuple[float, ...] = ()


def pairs_by_repo(questions: Iterable[Question], *, seed: int = 0) -> dict[str, Pairs]:
    """Return the pairs of each repository, drawn alike whatever other repositories there are."""
    some: dict[str, list[Question]] = defaultdict(list)
    for one in questions:
        some[one.asked.repo].append(one)
    return {repo: make_pairs(own, seed=seed) for repo, own in sorted(some.items())}


class _Inner:
    """One inner fold: what weights are fitted on, and the repositories that judge them.

    Columns are those of a pool of features; weights [pool] belong to `rows`, which are scaled, and
    are 0 for what has gone.
    """

    def __init__(
        self,
        table: Table,
        pool: Sequence[str],
        training: Pairs,
        judging: Pairs,
        questions: Sequence[Question],
        strength: float,
    ) -> None:
        columns = table.at(pool)
        rows = training.differences[:, columns]
        self._scale = np.sqrt((rows * rows).mean(axis=0)) + TINY
        self._rows = rows / self._scale
        self._counts = training.counts * strength
        self._truth = np.ones(len(rows))
        self._judging = judging.differences[:, columns] / self._scale
        self._share = judging.counts / judging.counts.sum()
        self._questions = questions
        self._features = [one.features[:, columns] / self._scale for one in questions]
        by_hand = [name for name in BY_HAND if name in table.columns]
        worth = np.array([BY_HAND[name] for name in by_hand])
        self._by_hand = [one.features[:, table.at(by_hand)] @ worth for one in questions]
        self.weights, self._curve = newton(self._rows, self._truth, self._counts)

    def losses(self, kept: Sequence[int]) -> Floats:
        """Return the loss of the judging pairs when each of the kept features goes [kept]."""
        inverse = np.linalg.inv(self._curve[np.ix_(kept, kept)])
        weights = self.weights[kept]
        without = weights[:, None] - inverse * (weights / np.diag(inverse))
        margins = self._judging[:, kept] @ without
        losses: Floats = self._share @ np.logaddexp(0.0, -margins)
        return losses

    def drop(self, kept: Sequence[int], gone: int) -> None:
        """Take a feature away; the other kept weights become what is best without it."""
        inverse = np.linalg.inv(self._curve[np.ix_(kept, kept)])
        at = list(kept).index(gone)
        weights = self.weights[kept]
        self.weights = np.zeros(len(self.weights))
        self.weights[kept] = weights - inverse[:, at] * (weights[at] / inverse[at, at])
        self.weights[gone] = 0.0

    def refit(self, kept: Sequence[int]) -> None:
        """Fit the kept weights again, beginning with what they are."""
        weights, curve = newton(
            self._rows[:, kept],
            self._truth,
            self._counts,
            start=self.weights[kept],
            steps=STEPS,
        )
        self.weights[kept] = weights
        self._curve[np.ix_(kept, kept)] = curve

    def scores(self) -> list[float]:
        """Return NDCG@10 of each judging question."""
        return [
            question_ndcg(one, features @ self.weights + by_hand)
            for one, features, by_hand in zip(
                self._questions, self._features, self._by_hand, strict=True
            )
        ]


def eliminate(
    table: Table,
    questions: Sequence[Question],
    pairs: Mapping[str, Pairs],
    pool: Sequence[str],
    *,
    seed: int = 0,
    strength: float = C,
    extra: Pairs | None = None,
    fewest: int = FEWEST,
) -> list[Step]:
    """Return the steps from all features of a pool to the fewest.

    Only the repositories of `questions` are looked at, and `extra` pairs for fitting; questions
    that are one identifier do not judge, since weights of their own rank them.
    """
    judging = [one for one in questions if not one.asked.single]
    folds = make_folds((one.asked.repo for one in questions), seed, INNER_FOLDS)
    repos = {one.asked.repo for one in questions} & set(pairs)
    inner = []
    for fold in folds:
        rest = [pairs[repo] for repo in sorted(repos - fold)]
        own = together([pairs[repo] for repo in sorted(repos & fold)])
        asked = [one for one in judging if one.asked.repo in fold]
        training = together([*rest, *([extra] if extra else [])])
        inner.append(_Inner(table, pool, training, own.of(~own.single), asked, strength))
    ordered = [one for fold in folds for one in judging if one.asked.repo in fold]
    kept = list(range(len(pool)))
    steps = [_step(pool, kept, inner, ordered)]
    while len(kept) > fewest:
        losses = np.mean([one.losses(kept) for one in inner], axis=0)
        gone = kept[int(np.argmin(losses))]
        for one in inner:
            one.drop(kept, gone)
        kept.remove(gone)
        if (len(pool) - len(kept)) % REFIT == 0:
            for one in inner:
                one.refit(kept)
        steps.append(_step(pool, kept, inner, ordered))
    return steps


def _step(
    pool: Sequence[str], kept: Sequence[int], inner: Sequence[_Inner], ordered: Sequence[Question]
) -> Step:
    values = [value for one in inner for value in one.scores()]
    by_repo = _by_repo(ordered, values)
    return Step(tuple(pool[at] for at in kept), float(np.mean(by_repo)), by_repo)


def _by_repo(questions: Sequence[Question], values: Sequence[float]) -> tuple[float, ...]:
    """Return each repository's mean over scopes of the means of its questions."""
    some: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one, value in zip(questions, values, strict=True):
        some[one.asked.repo][one.asked.scope].append(value)
    return tuple(
        float(np.mean([np.mean(own) for own in scopes.values()])) for scopes in some.values()
    )


def best_step(steps: Sequence[Step]) -> Step:
    """Return the step with the best inner score, of equally good ones the smallest."""
    return max(steps, key=lambda step: (step.inner, -len(step.kept)))


def kept_step(steps: Sequence[Step]) -> Step:
    """Return the largest step whose inner score is within one standard error of the best."""
    best = best_step(steps)
    return max((step for step in steps if _near(step, best)), key=lambda step: len(step.kept))


def _near(step: Step, best: Step) -> bool:
    lost = np.array(best.by_repo) - np.array(step.by_repo)
    return bool(lost.mean() <= lost.std(ddof=1) / np.sqrt(len(lost)))
