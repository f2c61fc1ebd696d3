"""Which chunks become hits: one per file first, then further good ones, never two alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

MAX_PER_FILE = 3
WORTH_SHOWING = 0.6
"""A further chunk of a file is shown when it scores this share of the file's best."""
MAX_OVERLAP = 0.5


@dataclass(frozen=True, slots=True)
class Pick:
    """A chosen chunk: number of its file among the candidates, and its ordinal there."""

    file: int
    ordinal: int


def overlap(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Return the common lines of two inclusive ranges as a share of the shorter one."""
    common = min(first[1], second[1]) - max(first[0], second[0]) + 1
    shorter = min(first[1] - first[0], second[1] - second[0]) + 1
    return max(0, common) / max(1, shorter)


def pick_chunks(
    ranked: Sequence[int],
    chunks: dict[int, list[tuple[int, float]]],
    lines: dict[int, NDArray[Any]],
    limit: int,
) -> list[Pick]:
    """Return at most `limit` chunks of files in their order.

    chunks: per file (ordinal, score), best first. lines: per file the line ranges of its chunks.
    Each file gives its best chunk; while there is room, files give further ones in rank order.
    """
    picks = [Pick(file, chunks[file][0][0]) for file in ranked if chunks[file]][:limit]
    if len(picks) == limit:
        return picks
    further: list[Pick] = []
    for pick in picks:
        room = limit - len(picks) - len(further)
        further += list(_further(pick, chunks[pick.file], lines[pick.file]))[:room]
    return picks + further


def _further(pick: Pick, chunks: list[tuple[int, float]], lines: NDArray[Any]) -> Iterable[Pick]:
    """Yield more chunks of a file that are nearly as good and lie elsewhere."""
    best = chunks[0][1]
    taken = [tuple(lines[pick.ordinal].tolist())]
    for ordinal, score in chunks[1:]:
        if len(taken) == MAX_PER_FILE or score <= 0 or score < WORTH_SHOWING * best:
            return
        span = tuple(lines[ordinal].tolist())
        if all(overlap(span, other) <= MAX_OVERLAP for other in taken):
            taken.append(span)
            yield Pick(pick.file, ordinal)
