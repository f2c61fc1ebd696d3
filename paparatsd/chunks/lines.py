"""Cutting by lines: overlapping windows of plain text, and what is too large to stay whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.chunks.textmap import Span

if TYPE_CHECKING:
    from paparatsd.chunks.limits import ChunkLimits
    from paparatsd.chunks.textmap import TextMap

OVERLAP_SHARE = 0.1
SMALLEST_SHARE = 0.25
"""A last window below this share of the target is joined to the one before it."""


def windows(source: TextMap, first: int, last: int, limits: ChunkLimits) -> list[Span]:
    """Cut rows `first` to `last` into windows that overlap by about a tenth."""
    spans: list[Span] = []
    row = first
    while row <= last:
        end = _fill(source, row, last, limits.target)
        if end == row and source.size(row, row) > limits.hard:
            spans.extend(cut_line(source, row, limits))
            row += 1
            continue
        small = last > end and source.size(end + 1, last) < limits.target * SMALLEST_SHARE
        if small and source.size(row, last) <= limits.hard:
            end = last
        spans.append(source.span(row, end))
        if end >= last:
            break
        row = _step_back(source, row, end, limits)
    return spans


def _fill(source: TextMap, row: int, last: int, size: int) -> int:
    end = row
    while end < last and source.size(row, end + 1) <= size:
        end += 1
    return end


def _step_back(source: TextMap, row: int, end: int, limits: ChunkLimits) -> int:
    """Return where the next window begins: a few lines before the end of this one."""
    start = end + 1
    overlap = limits.target * OVERLAP_SHARE
    while start - 1 > row and source.size(start - 1, end) <= overlap:
        start -= 1
    # A long line right after could not join the overlap and would leave it as a window alone.
    if end + 1 < len(source.lines) and source.size(start, end + 1) > limits.target:
        return end + 1
    return start


def split_rows(source: TextMap, first: int, last: int, limits: ChunkLimits) -> list[Span]:
    """Cut rows without overlap into spans near the target, at blank lines where possible."""
    spans: list[Span] = []
    row = first
    while row <= last:
        if source.size(row, row) > limits.hard:
            spans.extend(cut_line(source, row, limits))
            row += 1
            continue
        if source.size(row, last) <= limits.target:
            spans.append(source.span(row, last))
            break
        end = _fill(source, row, last, _fair_size(source.size(row, last), limits.target))
        end = _last_blank(source, row, end) if end < last else end
        spans.append(source.span(row, end))
        row = end + 1
    return spans


def _fair_size(size: int, target: int) -> int:
    """Share the rest out evenly, so that no tiny piece is left at the end."""
    pieces = -(-size // target)
    return min(target, size // pieces + target // 20 + 1)


def _last_blank(source: TextMap, row: int, end: int) -> int:
    half = row + (end - row) // 2
    return next((r for r in range(end, half, -1) if source.is_blank(r)), end)


def cut_line(source: TextMap, row: int, limits: ChunkLimits) -> list[Span]:
    """Cut one long line by characters, at white space where some is near."""
    start, end = source.starts[row], source.starts[row + 1] - 1
    spans: list[Span] = []
    while end - start > limits.target:
        cut = start + limits.target
        space = source.text.rfind(" ", cut - limits.target // 8, cut)
        cut = space + 1 if space > start else cut
        spans.append(Span(row, row, start, cut))
        start = cut
    spans.append(Span(row, row, start, end))
    return spans
