"""Fit the weights that are shipped, or those of each fold.

    python -m contrib.train.ranker.fit TABLE.npz --out paparatsd/search/ranker.json
    python -m contrib.train.ranker.fit TABLE.npz --folds DIR [--seed N]
    python -m contrib.train.ranker.fit TABLE.npz --mix MORE.npz --share 0.1 --out ...

With --folds, DIR/REPO.json holds weights that were fitted without the repository (ten folds by
repository), so that `contrib/bench/quality/run --folds DIR` measures what no label of it decided.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from contrib.train.ranker.linear import C, make_folds
from contrib.train.ranker.model import SHARE, choose, fit, load_pairs, write_weights
from contrib.train.ranker.table import REAL, load_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contrib.train.ranker.model import Weights
    from contrib.train.ranker.table import Question


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", type=Path, help="what collect wrote")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write weights of all questions")
    parser.add_argument("--folds", type=Path, metavar="DIR", help="write DIR/REPO.json")
    parser.add_argument("--without", nargs="*", default=[], metavar="FEATURE")
    parser.add_argument("--strength", type=float, default=C)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mix", type=Path, metavar="TABLE", help="questions of another set too")
    parser.add_argument("--share", type=float, default=SHARE, help="what each of --mix counts")
    arguments = parser.parse_args(argv)
    table = load_table(arguments.table)
    real = table.of(REAL)
    choice = choose(table, arguments.without)
    extra = load_pairs(arguments.mix, arguments.share, table) if arguments.mix else None

    def fitted(questions: Sequence[Question]) -> Weights:
        return fit(
            table,
            questions,
            choice,
            seed=arguments.seed,
            strength=arguments.strength,
            extra=extra,
        )

    if arguments.out:
        weights = fitted(real)
        write_weights(arguments.out, weights)
        print(f"{len(weights.meaning)} and {len(weights.words)} weights: {arguments.out}")
    if arguments.folds:
        arguments.folds.mkdir(parents=True, exist_ok=True)
        for fold in make_folds((one.asked.repo for one in real), arguments.seed):
            weights = fitted([one for one in real if one.asked.repo not in fold])
            for repo in sorted(fold):
                write_weights(arguments.folds / f"{repo}.json", weights)
        print(f"weights without each repository: {arguments.folds}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
