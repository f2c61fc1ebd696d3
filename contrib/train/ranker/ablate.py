"""What each part of the ranking is worth: families and single features left out, cross-validated.

    python -m contrib.train.ranker.ablate TABLE.npz [--seeds 2] [--singles | --shrink]

Differences are paired: the same folds, drawn negatives and questions with and without a part. The
first lines say what noise is: how much the whole model moves from seed to seed, and the standard
error of a difference over repositories. A difference below either says nothing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from contrib.bench.quality.scopes import SCOPES
from contrib.train.ranker.crossval import Outcome, cross_validate, signs
from contrib.train.ranker.model import choose
from contrib.train.ranker.scores import means
from contrib.train.ranker.table import load_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contrib.train.ranker.table import Table

FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("words of the best chunk", ("bm25f_",)),
    ("words of the file", ("fbm25f_", "rk_fbm25f", "mean_", "top_", "tf_", "body_", "bigram_")),
    ("first words", ("pw_bm", "pw_cov", "stem_first")),
    ("coverage", ("cov_", "symcov", "rarest")),
    ("defined names", ("def", "contcos", "join_", "pw_def", "rk_def", "first_sym", "symtf")),
    (
        "file name and folders",
        ("stem_", "pw_stem", "rk_pw_stem", "dir_", "p_stemlen", "first_path"),
    ),
    ("who uses whom", ("g_", "p_logindeg")),
    ("standing", ("p_", "has_partner")),
    ("meaning", ("d_",)),
)
"""Families and how their features' names begin; the longest beginning decides."""
OTHER = "other"
FEWEST = 30


def family(name: str) -> str:
    """Return the family of a feature."""
    best = max(
        ((len(start), title) for title, starts in FAMILIES for start in starts
         if name.startswith(start)),
        default=(0, OTHER),
    )  # fmt: skip
    return best[1]


def families(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the features of each family, families in the order of the table."""
    out: dict[str, list[str]] = {title: [] for title in (*dict(FAMILIES), OTHER)}
    for name in names:
        out[family(name)].append(name)
    return {title: members for title, members in out.items() if members}


def differences(with_it: Outcome, without: Outcome, scope: str) -> tuple[float, float]:
    """Return how much a part brings in a scope, and the standard error over repositories."""
    rows = [row for row, one in enumerate(with_it.questions) if one.asked.scope == scope]
    gain = np.mean(with_it.values, axis=0) - np.mean(without.values, axis=0)
    some = [with_it.questions[row] for row in rows]
    per_repo = list(means(some, gain[rows].tolist(), lambda asked: asked.repo).values())
    return float(np.mean(per_repo)), float(np.std(per_repo, ddof=1) / np.sqrt(len(per_repo)))


def print_worth(name: str, whole: Outcome, other: Outcome) -> None:
    """Print what is lost without a part."""
    parts = []
    for scope in SCOPES:
        lost, error = differences(whole, other, scope)
        parts.append(f"{scope} {-lost:+.4f} (+-{error:.4f})")
    print(f"  {name:<26} {'  '.join(parts)}", flush=True)


def leave_out(table: Table, groups: dict[str, list[str]], whole: Outcome, seeds: int) -> None:
    """Print what is lost without each group of features."""
    for title, members in groups.items():
        other = cross_validate(table, choose(table, members), seeds=seeds)
        print_worth(f"{title} ({len(members)})" if len(members) > 1 else title, whole, other)


def add_in_order(table: Table, groups: dict[str, list[str]], seeds: int) -> None:
    """Print how the score grows, family by family."""
    rest = [name for members in groups.values() for name in members]
    for title, members in groups.items():
        rest = [name for name in rest if name not in members]
        outcome = cross_validate(table, choose(table, rest), seeds=seeds)
        scores = "  ".join(f"{scope} {outcome.mean(scope):.4f}" for scope in SCOPES)
        print(f"  + {title:<26} {scores}", flush=True)


def print_signs(table: Table) -> None:
    """Print each feature's weight in spreads over folds, those that change sign marked."""
    found = signs(table, choose(table))
    for name, values in sorted(found.items(), key=lambda item: -abs(item[1].mean())):
        flips = min((values > 0).sum(), (values < 0).sum())
        note = f"  changes sign in {flips} of {len(values)} folds" if flips else ""
        print(f"  {name:<16} {values.mean():+.3f} (+-{values.std():.3f}){note}")


def shrink(table: Table, whole: Outcome, seeds: int) -> None:
    """Print what is lost when the features of the smallest weights go, one after the other.

    After each the rest is fitted again, since those that say the same share a weight.
    """
    gone: list[str] = []
    while len(choose(table, gone).meaning) > FEWEST:
        found = signs(table, choose(table, gone))
        gone.append(min(found, key=lambda name: abs(float(found[name].mean()))))
        other = cross_validate(table, choose(table, gone), seeds=seeds)
        print_worth(f"{len(found) - 1} without {gone[-1]}", whole, other)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--singles", action="store_true", help="also each feature left out")
    parser.add_argument("--shrink", action="store_true", help="only: drop the smallest in turn")
    arguments = parser.parse_args(argv)
    table = load_table(arguments.table)
    whole = cross_validate(table, choose(table), seeds=arguments.seeds)
    print(f"all {len(choose(table).meaning)} features")
    for scope in SCOPES:
        by_seed = whole.by_seed(scope)
        print(f"  {scope} {np.mean(by_seed):.4f}, seeds {min(by_seed):.4f} to {max(by_seed):.4f}")
    if arguments.shrink:
        shrink(table, whole, arguments.seeds)
        return 0
    groups = families(choose(table).meaning)
    print("weights in spreads, over folds")
    print_signs(table)
    print("each family left out")
    leave_out(table, groups, whole, arguments.seeds)
    print("families added in this order")
    add_in_order(table, groups, arguments.seeds)
    if arguments.singles:
        print("each feature left out")
        single = {name: [name] for members in groups.values() for name in members}
        leave_out(table, single, whole, arguments.seeds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
