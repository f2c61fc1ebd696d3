"""How good a ranked list is, by two rules that the published figures use.

A result matches a target when the paths are equal or either is a "/"-suffix of the other. For each
target only the first result that matches counts, at that result's rank. Gain is binary.

    file rule   ndcg10, and mrr, recall5, top1: the list is reduced to distinct files, the first
                appearance kept; lines are ignored.
    chunk rule  ndcg10c: ranks are places in the list as it is, so that further chunks of one file
                use up ranks; where a target has lines, the result must overlap them.

    NDCG@k = sum over distinct ranks r <= k of hits of 1/log2(r+1),
             over the same sum for the ranks 1..min(k, number of targets)

The rules are those of semble's benchmark (upstream commit 8d737aba), where external tools are
scored by files, and semble and its ablations by chunks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contrib.bench.quality.dataset import Target

METRICS = ("ndcg10", "ndcg10c", "mrr", "recall5", "top1")
DEPTH = 10


@dataclass(frozen=True)
class Result:
    """A place in a ranked list; without lines it stands for the whole file."""

    path: str
    start_line: int | None = None
    end_line: int | None = None


def path_matches(path: str, target: str) -> bool:
    """Say whether two paths are equal or either ends in the other."""
    one, other = path.replace("\\", "/"), target.replace("\\", "/")
    return one == other or one.endswith("/" + other) or other.endswith("/" + one)


def overlaps(result: Result, target: Target) -> bool:
    """Say whether lines are shared; what has no lines shares them with everything."""
    if target.start_line is None or target.end_line is None or result.start_line is None:
        return True
    end_line = result.start_line if result.end_line is None else result.end_line
    return result.start_line <= target.end_line and target.start_line <= end_line


def ndcg(ranks: Iterable[int], relevant: int, depth: int = DEPTH) -> float:
    """Return NDCG@depth of 1-based ranks; two targets at one rank gain once."""
    if relevant == 0:
        return 0.0
    gain = sum(1 / math.log2(rank + 1) for rank in {r for r in ranks if 1 <= r <= depth})
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(depth, relevant) + 1))
    return gain / ideal


def score(
    results: Sequence[Result], targets: Sequence[Target], *, inside: str = "", depth: int = DEPTH
) -> dict[str, float]:
    """Return every metric of one ranked list.

    With `inside`, only results below that folder can be relevant: a copy elsewhere in the
    repository that happens to have a target's name is no answer.
    """
    files = [Result(path) for path in dict.fromkeys(result.path for result in results)][:depth]
    wanted = [Place(target, inside) for target in targets]
    by_file = _ranks(files, [place.whole_file() for place in wanted])
    by_chunk = _ranks(results[:depth], wanted)
    count = len(targets)
    return {
        "ndcg10": ndcg(by_file, count, depth),
        "ndcg10c": ndcg(by_chunk, count, depth),
        "mrr": 1 / min(by_file) if by_file else 0.0,
        "recall5": sum(rank <= 5 for rank in by_file) / count if count else 0.0,
        "top1": float(1 in by_file),
    }


@dataclass(frozen=True)
class Place:
    """A target and the folder that its answers must lie in."""

    target: Target
    inside: str

    def whole_file(self) -> Place:
        """Return the same without lines."""
        return Place(type(self.target)(self.target.path), self.inside)

    def answers(self, result: Result) -> bool:
        """Say whether a result is this place."""
        if self.inside and not result.path.startswith(self.inside + "/"):
            return False
        return path_matches(result.path, self.target.path) and overlaps(result, self.target)


def _ranks(results: Sequence[Result], places: Sequence[Place]) -> list[int]:
    firsts = (
        next((rank for rank, result in enumerate(results, 1) if place.answers(result)), None)
        for place in places
    )
    return [rank for rank in firsts if rank is not None]
