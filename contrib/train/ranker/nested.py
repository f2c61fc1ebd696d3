"""Nested cross-validation: features are chosen and weights fitted without the repositories scored.

    python -m contrib.train.ranker.nested TABLE.npz [--mix MORE.npz] [--seeds 1] [--folds DIR]

An outer fold is never looked at before it is scored: the features to keep, and how many, are chosen
by inner folds of the other repositories (`selection`), from all features that are computed, also
those that `model.LEFT_OUT` names, which was decided with all repositories in sight. The curve gives
the same at fixed numbers of features. With --folds, DIR/REPO.json holds the weights of the first
seed, for `contrib/bench/quality/run --folds DIR`: the same features through the daemon.

What this cannot undo: the features themselves were thought of by people who had read failures of
these repositories.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from contrib.bench.quality.scopes import SCOPES
from contrib.train.ranker.crossval import Outcome, cross_validate, print_outcome
from contrib.train.ranker.linear import C, make_folds, together
from contrib.train.ranker.model import (
    SHARE,
    Choice,
    Weights,
    choose,
    fit_pairs,
    load_pairs,
    write_weights,
)
from contrib.train.ranker.scores import question_ndcg
from contrib.train.ranker.selection import best_step, eliminate, kept_step, pairs_by_repo
from contrib.train.ranker.table import REAL, load_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contrib.train.ranker.linear import Pairs
    from contrib.train.ranker.selection import Step
    from contrib.train.ranker.table import Question, Table

SIZES = (8, 12, 16, 20, 25, 30, 35, 40, 45, 50)
FEWER_NEGATIVES = 5
"""Of each target of --mix so many pairs decide what is left out; all of them fit the weights."""
CHOSEN, BEST = "chosen", "best"
"""The largest set that is not told from the best inner score, and the set that has it."""


@dataclass(frozen=True)
class Mixed:
    """Pairs of another set: a part for choosing features, all for fitting weights."""

    choosing: Pairs | None = None
    fitting: Pairs | None = None


@dataclass
class Nested:
    """What came of it by size of the set ("chosen", "best": the size is chosen too)."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    chosen: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, questions: Sequence[Question], size: str, values: dict[int, float]) -> None:
        """Take down one seed's NDCG@10 by the place of the question."""
        outcome = self.outcomes.setdefault(size, Outcome(questions))
        outcome.values.append([values[at] for at in range(len(questions))])


def pool_of(table: Table, *, lexical: bool) -> tuple[str, ...]:
    """Return all features that a fit may weight."""
    choice = choose(table, lexical=lexical, left_out=())
    return choice.words if lexical else choice.meaning


def sets_of(steps: Sequence[Step]) -> dict[str, tuple[str, ...]]:
    """Return the features to be scored, by size; the size of all of them is the first step's."""
    sizes = {len(step.kept): step.kept for step in steps}
    found = {str(size): sizes[size] for size in (*SIZES, len(steps[0].kept)) if size in sizes}
    return {**found, BEST: best_step(steps).kept, CHOSEN: kept_step(steps).kept}


def outer_folds(
    table: Table, real: Sequence[Question], mixed: Mixed, *, lexical: bool, seed: int
) -> Iterator[tuple[frozenset[str], dict[str, Weights]]]:
    """Yield each outer fold with weights by size of the set, none of which has seen it."""
    pool = pool_of(table, lexical=lexical)
    pairs = pairs_by_repo(real, seed=seed)
    every = pool_of(table, lexical=True)
    for fold in make_folds((one.asked.repo for one in real), seed):
        rest = [one for one in real if one.asked.repo not in fold]
        steps = eliminate(table, rest, pairs, pool, seed=seed, extra=mixed.choosing)
        fitting = [own for repo, own in pairs.items() if repo not in fold]
        training = together([*fitting, *([mixed.fitting] if mixed.fitting else [])])
        yield (
            fold,
            {
                size: fit_pairs(table, training, Choice(kept, kept, every), C)
                for size, kept in sets_of(steps).items()
            },
        )


def nested(
    table: Table, mixed: Mixed, *, lexical: bool, seeds: int
) -> tuple[Nested, dict[str, Weights]]:
    """Score every question; also return the chosen weights of the first seed by repository."""
    real = table.of(REAL)
    found = Nested()
    kept: dict[str, Weights] = {}
    for seed in range(seeds):
        values: dict[str, dict[int, float]] = {}
        for fold, by_size in outer_folds(table, real, mixed, lexical=lexical, seed=seed):
            rows = [at for at, one in enumerate(real) if one.asked.repo in fold]
            for size, weights in by_size.items():
                scores = {
                    at: question_ndcg(real[at], weights.score(table, real[at])) for at in rows
                }
                values.setdefault(size, {}).update(scores)
            found.chosen.append(tuple(by_size[CHOSEN].meaning))
            kept |= dict.fromkeys(fold, by_size[CHOSEN]) if seed == 0 else {}
            print(f"  seed {seed}: {', '.join(sorted(fold))}: "
                  f"{len(found.chosen[-1])} features", file=sys.stderr, flush=True)  # fmt: skip
        for size, some in values.items():
            found.add(real, size, some)
    return found, kept


def print_nested(title: str, found: Nested, fixed: Outcome, pool: Sequence[str]) -> None:
    """Print the scores, the curve, and how often each feature was chosen."""
    print_outcome(f"{title}, chosen inside the folds", found.outcomes[CHOSEN])
    print_outcome(f"{title}, the packaged choice", fixed)
    print("  features   " + "  ".join(f"{scope:>6}" for scope in SCOPES))
    for size, outcome in found.outcomes.items():
        print(f"  {size:<9}  " + "  ".join(f"{outcome.mean(scope):.4f}" for scope in SCOPES))
    sizes = sorted(map(len, found.chosen))
    print(f"  chosen: {sizes[0]} to {sizes[-1]}, median {sizes[len(sizes) // 2]} of {len(pool)}")
    counts = Counter(name for names in found.chosen for name in names)
    for name in sorted(pool, key=lambda name: (-counts[name], name)):
        print(f"    {name:<16} kept in {counts[name]} of {len(found.chosen)} folds")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--mix", type=Path, help="fit on this table too")
    parser.add_argument("--share", type=float, default=SHARE, help="what a pair of --mix counts")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--folds", type=Path, metavar="DIR", help="write DIR/REPO.json")
    arguments = parser.parse_args(argv)
    table, mixed = load_table(arguments.table), Mixed()
    if arguments.mix:
        mixed = Mixed(
            load_pairs(arguments.mix, arguments.share, table, negatives=FEWER_NEGATIVES),
            load_pairs(arguments.mix, arguments.share, table),
        )
    kept: dict[bool, dict[str, Weights]] = {}
    real = table.of(REAL)
    for lexical, title in ((False, "with vectors"), (True, "words only")):
        found, kept[lexical] = nested(table, mixed, lexical=lexical, seeds=arguments.seeds)
        fixed = cross_validate(
            table,
            choose(table, lexical=lexical),
            seeds=arguments.seeds,
            extra=mixed.fitting,
        )
        pool = pool_of(table, lexical=lexical)
        print_nested(title, found, fixed, pool)
        whole = eliminate(table, real, pairs_by_repo(real), pool, extra=mixed.choosing)
        names = kept_step(whole).kept
        print(f"  by the same rule of all repositories: {len(names)}: {' '.join(names)}")
        sys.stdout.flush()
    if arguments.folds:
        arguments.folds.mkdir(parents=True, exist_ok=True)
        for repo, words in kept[True].items():
            meaning = kept[False][repo]
            write_weights(
                arguments.folds / f"{repo}.json",
                Weights(meaning.meaning, words.words, words.name),
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
