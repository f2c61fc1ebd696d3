"""Cross-validated NDCG@10 by repository, in both scopes; also from one data set to another.

    python -m contrib.train.ranker.crossval TABLE.npz [--lexical] [--seeds 3]
    python -m contrib.train.ranker.crossval TABLE.npz --train OTHER.npz      no label of TABLE used
    python -m contrib.train.ranker.crossval TABLE.npz [--train OTHER.npz] --mix MORE.npz --share 0.1

Every figure is of repositories that the weights have not seen. Standard error of a mean over 31
repositories is about 0.014; from seed to seed (folds and drawn negatives) it moves by 0.002.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from contrib.bench.quality.scopes import SCOPES
from contrib.train.ranker.linear import C, make_folds
from contrib.train.ranker.model import SHARE, choose, fit, load_pairs
from contrib.train.ranker.scores import macro, means, question_ndcg
from contrib.train.ranker.table import REAL, load_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from contrib.train.ranker.linear import Pairs
    from contrib.train.ranker.model import Choice, Weights
    from contrib.train.ranker.table import Question, Table


@dataclass
class Outcome:
    """NDCG@10 of every question, once a seed."""

    questions: Sequence[Question]
    values: list[list[float]] = field(default_factory=list)

    def by_seed(self, scope: str) -> list[float]:
        """Return the macro mean of a scope for each seed."""
        rows = self._rows(scope)
        some = [self.questions[row] for row in rows]
        return [macro(some, [values[row] for row in rows]) for values in self.values]

    def mean(self, scope: str) -> float:
        """Return the macro mean of a scope."""
        return float(np.mean(self.by_seed(scope)))

    def groups(self, scope: str, key: str) -> dict[str, float]:
        """Return the means by category, language or repo."""
        rows = self._rows(scope)
        values = np.mean(self.values, axis=0)
        some = [self.questions[row] for row in rows]
        return means(some, [values[row] for row in rows], lambda asked: str(getattr(asked, key)))

    def _rows(self, scope: str) -> list[int]:
        return [row for row, one in enumerate(self.questions) if one.asked.scope == scope]


def held_out_weights(
    table: Table,
    questions: Sequence[Question],
    choice: Choice,
    *,
    seed: int = 0,
    strength: float = C,
    extra: Pairs | None = None,
) -> dict[str, Weights]:
    """Return for each repository weights that were fitted without it."""
    out: dict[str, Weights] = {}
    for fold in make_folds((one.asked.repo for one in questions), seed):
        rest = [one for one in questions if one.asked.repo not in fold]
        weights = fit(table, rest, choice, seed=seed, strength=strength, extra=extra)
        out |= dict.fromkeys(fold, weights)
    return out


def cross_validate(
    table: Table,
    choice: Choice,
    *,
    seeds: int = 3,
    strength: float = C,
    extra: Pairs | None = None,
) -> Outcome:
    """Rank every question by weights that have not seen its repository."""
    real = table.of(REAL)
    outcome = Outcome(real)
    for seed in range(seeds):
        weights = held_out_weights(table, real, choice, seed=seed, strength=strength, extra=extra)
        outcome.values.append(
            [question_ndcg(one, weights[one.asked.repo].score(table, one)) for one in real]
        )
    return outcome


def transfer(
    train: Table, test: Table, choice: Choice, *, seeds: int = 3, extra: Pairs | None = None
) -> Outcome:
    """Rank the questions of one data set by weights fitted on another, and on `extra` pairs."""
    outcome = Outcome(test.of(REAL))
    for seed in range(seeds):
        weights = fit(train, train.of(REAL), choice, seed=seed, extra=extra)
        outcome.values.append(
            [question_ndcg(one, weights.score(test, one)) for one in outcome.questions]
        )
    return outcome


def signs(table: Table, choice: Choice, *, seed: int = 0) -> dict[str, NDArray[np.float64]]:
    """Return each feature's weight in every fold (meaning weights), in its own spread."""
    real = table.of(REAL)
    found: dict[str, list[float]] = defaultdict(list)
    spread = np.concatenate([one.features - one.features.mean(axis=0) for one in real]).std(axis=0)
    for fold in make_folds((one.asked.repo for one in real), seed):
        rest = [one for one in real if one.asked.repo not in fold]
        for name, weight in fit(table, rest, choice, seed=seed).meaning.items():
            found[name].append(weight * float(spread[table.columns[name]]))
    return {name: np.array(values) for name, values in found.items()}


def print_outcome(name: str, outcome: Outcome, *, details: bool = True) -> None:
    """Print macro means with their spread over seeds, and the means by category and language."""
    for scope in SCOPES:
        by_seed = outcome.by_seed(scope)
        categories = " ".join(
            f"{key} {value:.3f}" for key, value in outcome.groups(scope, "category").items()
        )
        spread = max(by_seed) - min(by_seed)
        print(
            f"{name:<34} {scope:<5} {np.mean(by_seed):.4f} (seeds +-{spread / 2:.4f})  {categories}"
        )
    if details:
        both = [outcome.groups(scope, "language") for scope in SCOPES]
        for language in both[0]:
            print(f"    {language:<14} root {both[0][language]:.3f}  full {both[1][language]:.3f}")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--lexical", action="store_true", help="no vectors")
    parser.add_argument("--train", type=Path, help="fit on this table only")
    parser.add_argument("--mix", type=Path, help="fit on this table too")
    parser.add_argument("--share", type=float, default=SHARE, help="what a pair of --mix counts")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--strength", type=float, default=C)
    parser.add_argument("--without", nargs="*", default=[], metavar="FEATURE")
    parser.add_argument("--brief", action="store_true", help="no languages")
    arguments = parser.parse_args(argv)
    table = load_table(arguments.table)
    choice = choose(table, arguments.without, lexical=arguments.lexical)
    extra = load_pairs(arguments.mix, arguments.share, table) if arguments.mix else None
    mixed = f" + {arguments.share:g} {arguments.mix.stem}" if arguments.mix else ""
    if arguments.train:
        train = load_table(arguments.train)
        outcome = transfer(train, table, choice, seeds=arguments.seeds, extra=extra)
        name = f"{arguments.train.stem}{mixed} -> {arguments.table.stem}"
    else:
        name = f"{arguments.table.stem}{mixed}"
        outcome = cross_validate(
            table, choice, seeds=arguments.seeds, strength=arguments.strength, extra=extra
        )
    kind = ", words only" if arguments.lexical else ""
    print_outcome(name + kind, outcome, details=not arguments.brief)
    return 0


if __name__ == "__main__":
    sys.exit(main())
