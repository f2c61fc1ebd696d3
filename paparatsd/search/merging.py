"""One result per place: hits that overlap or touch within a file become one.

What a chunk ends at is not what a reader's interest ends at; two hits side by side say the same
path, the same confidence and half a thought each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.chunks.address import format_lines
from paparatsd.search.diversity import MAX_OVERLAP, overlap

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paparatsd.search_model import Hit

MAX_MERGED_LINES = 120
"""Hits stay apart when they would be longer than this together: nobody reads that much at once."""
MAX_GAP_LINES = 2
"""Blank lines between chunks belong to none; over so many of them two hits still touch."""
MAX_NAMES = 8


def merge_hits(hits: Sequence[Hit], max_gap: int = MAX_GAP_LINES) -> tuple[Hit, ...]:
    """Return the hits in their order, those of one place as one, at the place of the best.

    `max_gap`: lines between two that still touch; -1 merges only those that share lines. Two that
    cannot be merged both stay, unless they overlap by more than half: then the better one.
    """
    out: list[Hit] = []
    for hit in hits:
        for at, kept in enumerate(out):
            joined = _joined(kept, hit, max_gap)
            if joined is not None:
                out[at] = joined
                break
            if _alike(kept, hit):
                break
        else:
            out.append(hit)
    # What has grown may touch another one now.
    return merge_hits(out, max_gap) if len(out) < len(hits) else tuple(out)


def _same_file(one: Hit, other: Hit) -> bool:
    return (one.project, one.path) == (other.project, other.path)


def _alike(one: Hit, other: Hit) -> bool:
    spans = (one.start_line, one.end_line), (other.start_line, other.end_line)
    return _same_file(one, other) and overlap(*spans) > MAX_OVERLAP


def _joined(best: Hit, other: Hit, max_gap: int) -> Hit | None:
    """Return both hits as one that is named after the better one, or None when they stay apart."""
    if not _same_file(best, other):
        return None
    upper, lower = sorted((best, other), key=lambda hit: (hit.start_line, -hit.end_line))
    gap = lower.start_line - upper.end_line - 1
    first, last = upper.start_line, max(upper.end_line, lower.end_line)
    if gap > max_gap or last - first + 1 > MAX_MERGED_LINES:
        return None
    if not (_has_whole_lines(upper) and _has_whole_lines(lower)):
        return None
    for whole in (best, other):
        if (whole.start_line, whole.end_line) == (first, last):
            return _around(whole, best, other)
    return replace(
        best,
        start_line=first,
        end_line=last,
        address=format_lines(best.project, best.path, first, last),
        text=_union(upper, lower, gap),
        defines=first_names((*best.defines, *other.defines)),
        uses=first_names((*best.uses, *other.uses)),
    )


def _around(whole: Hit, best: Hit, other: Hit) -> Hit:
    """Return the hit that holds the other one, with the better one's score."""
    names = (*best.defines, *other.defines)
    return replace(
        best,
        start_line=whole.start_line,
        end_line=whole.end_line,
        address=whole.address,
        kind=whole.kind,
        symbol=whole.symbol,
        text=whole.text,
        defines=first_names(names),
        uses=first_names((*best.uses, *other.uses)),
    )


def _union(upper: Hit, lower: Hit, gap: int) -> str:
    """Put the lines of two neighbours together; what stands between chunks is blank."""
    if gap >= 0:
        return "\n".join([upper.text, *[""] * gap, lower.text])
    common = upper.end_line - lower.start_line + 1
    return "\n".join([upper.text, *lower.text.split("\n")[common:]])


def _has_whole_lines(hit: Hit) -> bool:
    return hit.text.count("\n") == hit.end_line - hit.start_line


def first_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return as many different names as a hit shows."""
    return tuple(dict.fromkeys(names))[:MAX_NAMES]
