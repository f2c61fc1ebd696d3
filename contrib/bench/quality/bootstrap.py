"""Is one system better than another: paired bootstrap over the same queries.

Two intervals, because the queries of one repository are no independent draws. `by query` resamples
queries and is about the mean over queries: how much luck is in these questions. `by repository`
resamples repositories and is about the mean over repositories: how much is in the choice of code;
it is the one to believe about code that nobody measured. Percentile intervals (Efron and
Tibshirani 1993, section 13), the same draws for the same seed.

    python bootstrap.py A.json B.json       two reports that `run --reports DIR` wrote
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from contrib.bench.quality.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contrib.bench.quality.report import Report

DRAWS = 2000
SEED = 0
SAME = 1e-9


@dataclass(frozen=True)
class Interval:
    """A mean difference B - A and the interval that holds 95 % of its resampled means."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """Write mean and ends."""
        return f"{self.mean:+.4f} [{self.low:+.4f}, {self.high:+.4f}]"

    @property
    def verdict(self) -> str:
        """What the interval says of B."""
        if self.low > 0:
            return "better"
        return "worse" if self.high < 0 else "no clear difference"


@dataclass(frozen=True)
class Difference:
    """How B differs from A in one metric."""

    metric: str
    by_query: Interval
    by_repo: Interval
    better: int
    """Queries in which B scores higher."""
    worse: int
    same: int
    repos_better: int
    repos: int


def resampled(values: Sequence[float], draws: int = DRAWS, seed: int = SEED) -> Interval:
    """Return the mean of the values and its 95 % percentile interval."""
    numbers = np.asarray(values, dtype=float)
    random = np.random.default_rng(seed)
    means = numbers[random.integers(0, len(numbers), size=(draws, len(numbers)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(numbers.mean()), float(low), float(high))


def difference(first: Report, second: Report, metric: str) -> Difference:
    """Compare two reports, B - A, over the queries that both have; ValueError if there are none."""
    common = [query for query in first["queries"] if query in second["queries"]]
    if not common:
        raise ValueError("the two reports share no query")
    by_repo: dict[str, list[float]] = defaultdict(list)
    for query in common:
        gain = second["queries"][query][metric] - first["queries"][query][metric]
        by_repo[query.rpartition(":")[0]].append(gain)
    gains = [gain for some in by_repo.values() for gain in some]
    means = [sum(some) / len(some) for some in by_repo.values()]
    better, worse = sum(gain > SAME for gain in gains), sum(gain < -SAME for gain in gains)
    return Difference(
        metric,
        by_query=resampled(gains),
        by_repo=resampled(means),
        better=better,
        worse=worse,
        same=len(gains) - better - worse,
        repos_better=sum(mean > SAME for mean in means),
        repos=len(means),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("first", type=Path, metavar="A.json")
    parser.add_argument("second", type=Path, metavar="B.json")
    arguments = parser.parse_args()
    first, second = (
        json.loads(path.read_text(encoding="utf-8")) for path in (arguments.first, arguments.second)
    )
    lone = len(first["queries"].keys() ^ second["queries"].keys())
    for letter, report in (("A", first), ("B", second)):
        label = report.get("weights", "weights not stated")
        print(f"{letter} = {report.get('name')}, scope {report.get('scope')}: {label}")
    if lone:
        print(f"{lone} queries are in one of them only and left out")
    for metric in METRICS:
        found = difference(first, second, metric)
        print(
            f"{metric:<8} B-A by query {found.by_query}, by repository {found.by_repo}: "
            f"{found.by_repo.verdict}; queries better {found.better}, worse {found.worse}, same "
            f"{found.same}; repositories better {found.repos_better} of {found.repos}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
