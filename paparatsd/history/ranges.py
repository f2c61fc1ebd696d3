"""Lines carried back through one diff: from the newer side of its hunks to the older.

Inside, lines are half-open: [start, end), 1-based. Two things are carried, by different rules.
A *span* is a place: it stays as long as anything is left where it was, and grows to all that was
replaced at its edges, as `git log -L` does. A *run* is lines that survive: they are the same text
on both sides or they end here, as in `git blame`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paparatsd.commits import Hunk

Span = tuple[int, int]
"""Lines [start, end) of one version of a file."""

Run = tuple[int, int, int]
"""Lines [start, end) of an older version that are lines `origin`... of the newest one.

A plain tuple: a replay makes hundreds of thousands.
"""


class Edits:
    """The hunks of one file, ready to be asked many times."""

    __slots__ = ("_ends", "_old_ends", "_old_starts", "_shifts", "_starts")

    def __init__(self, hunks: Sequence[Hunk]) -> None:
        # git gives an empty side by the line before it, hence the 1.
        self._starts = [new + (not new_lines) for _, _, new, new_lines in hunks]
        self._ends = [new + (new_lines or 1) for _, _, new, new_lines in hunks]
        self._old_starts = [old + (not old_lines) for old, old_lines, _, _ in hunks]
        self._old_ends = [old + (old_lines or 1) for old, old_lines, _, _ in hunks]
        # What to add to lines that lie above hunk i and below the one before it.
        self._shifts = [
            0, *(old - new for old, new in zip(self._old_ends, self._ends, strict=True))
        ]  # fmt: skip

    def carry_span(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return where [start, end) was before, and whether a hunk touched it.

        It is empty if all of it was added. Equal to carrying it through the hunks one by one
        from the last to the first.
        """
        first = bisect_right(self._ends, start)
        after = bisect_left(self._starts, end, lo=first)
        if after <= first:
            shift = self._shifts[first]
            return start + shift, end + shift, False
        top = min(start, self._starts[first]) + self._shifts[first]
        return top, max(end, self._ends[after - 1]) + self._shifts[after], True

    def split_runs(self, runs: Iterable[Run]) -> tuple[list[Run], list[Run]]:
        """Return the runs that are the same before, in old lines, and the changed, in new ones."""
        starts, ends, shifts = self._starts, self._ends, self._shifts
        count = len(starts)
        kept: list[Run] = []
        changed: list[Run] = []
        for start, end, origin in runs:
            index = bisect_right(ends, start)
            if index == count or starts[index] >= end:
                shift = shifts[index]
                kept.append((start + shift, end + shift, origin))
                continue
            at = start
            while index < count and starts[index] < end:
                if starts[index] > at:
                    shift = shifts[index]
                    kept.append((at + shift, starts[index] + shift, origin + at - start))
                    at = starts[index]
                below = min(end, ends[index])
                if below > at:
                    changed.append((at, below, origin + at - start))
                    at = below
                index += 1
            if end > at:
                shift = shifts[index]
                kept.append((at + shift, end + shift, origin + at - start))
        return kept, changed

    def match_by_place(self, changed: Iterable[Run]) -> tuple[list[Run], list[Run]]:
        """Return for changed lines what stood in their place before, and those without such.

        Within a hunk the lines of both sides are laid beside each other in proportion, so that
        one line broken into three gives all three its past. Added lines have none.
        """
        matched: list[Run] = []
        added: list[Run] = []
        for start, end, origin in changed:
            index = bisect_right(self._ends, start)
            new_lines = self._ends[index] - self._starts[index]
            old_lines = self._old_ends[index] - self._old_starts[index]
            if not old_lines:
                added.append((start, end, origin))
                continue
            for line in range(start, end):
                offset = (line - self._starts[index]) * old_lines // new_lines
                old = self._old_starts[index] + offset
                matched.append((old, old + 1, origin + line - start))
        return matched, added


def unite_spans(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, those that overlap or adjoin as one; empty ones are dropped."""
    united: list[Span] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], end))
        else:
            united.append((start, end))
    return united


def runs_of(spans: Iterable[Span]) -> list[Run]:
    """Return the lines of the spans, each once, as they are now."""
    return [(start, end, start) for start, end in unite_spans(spans)]
