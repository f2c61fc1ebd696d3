"""Structure first, then size: cut a tree into spans and pack small neighbours.

The walk keeps its own stack, so depth of nesting is no danger, and goes only into what is too
large to be one chunk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from paparatsd.chunks.lines import split_rows
from paparatsd.chunks.textmap import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node

    from paparatsd.chunks.comments import Leads
    from paparatsd.chunks.limits import ChunkLimits
    from paparatsd.chunks.textmap import TextMap
    from paparatsd.chunks.tree import Deadline

MAX_DEPTH = 64
FULL_ENOUGH = 0.6
"""A new definition starts a new chunk once the current one holds this share of the target."""
BIG_BESIDE = 0.25
"""What a chunk may hold at most to be joined by a definition that is itself nearly full."""
TINY = 0.1
"""What holds less than this share of the target joins its neighbour up to the hard limit."""
SMALL_TAIL = 0.25
"""What is left of a definition, when it is less than this, stays with the part before it."""

_CLOSING = re.compile(r"[\s\W]*(?:end|fi|done|esac|endif|END)?[\s\W]*")


class Extent(NamedTuple):
    """Rows of one definition: where what is attached above it begins, and its last row."""

    lead: int
    last: int
    value: bool
    """Whether it is a mere value: variable, constant, field."""


class _Rows(NamedTuple):
    node: Node | None
    first: int
    last: int
    depth: int


@dataclass(frozen=True, slots=True)
class Splitter:
    """What splitting needs to know: text, sizes, attachments and where definitions begin."""

    source: TextMap
    limits: ChunkLimits
    leads: Leads
    definitions: tuple[Extent, ...]
    deadline: Deadline

    def split(self, root: Node, first: int, last: int) -> list[Span]:
        """Cut rows `first` to `last` along the tree; the spans cover them all, in order."""
        spans: list[Span] = []
        for a, b in self._pieces(root, first, last):
            if self.source.size(a, b) > self.limits.hard:
                spans.extend(split_rows(self.source, a, b, self.limits))
            else:
                spans.append(self.source.span(a, b))
        return self._pack(spans)

    def _pieces(self, root: Node, first: int, last: int) -> list[tuple[int, int]]:
        done: list[tuple[int, int]] = []
        pending = [_Rows(root, first, last, 0)]
        while pending:
            rows = pending.pop()
            self.deadline.check()
            parts = self._divide(rows)
            if parts:
                pending.extend(reversed(parts))
            else:
                done.append((rows.first, rows.last))
        return done

    def _divide(self, rows: _Rows) -> list[_Rows]:
        """Cut rows at the children of their node; nothing when they stay as they are."""
        node, first, last, depth = rows
        too_large = first < last and self.source.size(first, last) > self.limits.target
        if node is None or not too_large or depth >= MAX_DEPTH:
            return []
        children = node.children
        cuts = self._cuts(children, first, last)
        if not cuts:
            inner = _largest(children, first, last)
            return [] if inner is None else [_Rows(inner, first, last, depth + 1)]
        parts = []
        owned = _by_part(children, cuts)
        for index, (a, b) in enumerate(zip([first, *cuts], [*cuts, last + 1], strict=True)):
            parts.append(_Rows(owned.get(index), a, b - 1, depth + 1))
        return parts

    def _cuts(self, children: Sequence[Node], first: int, last: int) -> list[int]:
        cuts: list[int] = []
        latest = first
        for child in children:
            row = child.start_point[0]
            if row <= latest:
                continue
            if row > last:
                break
            row = self.leads.lead(row)
            if row > latest:
                cuts.append(row)
                latest = row
        return cuts

    def _pack(self, spans: Sequence[Span]) -> list[Span]:
        packed: list[Span] = []
        ends = self._ends_by_lead()
        inside = _Inside(self.definitions)
        has_definition, tail_end = False, -1
        for span in spans:
            end = ends.get(span.first, -1)
            after_tail = end >= 0 and 0 <= tail_end < span.first
            returned = after_tail and self._return_tail(packed)
            open_for_more = packed and not returned
            if open_for_more and self._joins(packed[-1], span, end, has_definition, after_tail):
                packed[-1] = _united(packed[-1], span)
                has_definition = has_definition or end >= 0
                continue
            packed.append(span)
            has_definition = end >= 0
            tail_end = inside.last_row_around(span.first)
        if tail_end >= 0:
            self._return_tail(packed)
        return packed

    def _ends_by_lead(self) -> dict[int, int]:
        """Map the row where a definition begins to its last row; values begin no chunk."""
        ends: dict[int, int] = {}
        for lead, last, value in self.definitions:
            if not value:
                ends[lead] = max(last, ends.get(lead, -1))
        return ends

    def _joins(
        self, current: Span, span: Span, end: int, has_definition: bool, after_tail: bool
    ) -> bool:
        """Say whether a span joins the chunk before it.

        `end` is the last row of the definition that begins with the span, -1 when none does;
        `after_tail` says that the chunk is the rest of another definition.
        """
        if not (self.source.is_whole(current) and self.source.is_whole(span)):
            return False
        target = self.limits.target
        held, added = current.end - current.start, span.end - span.start
        together = span.end - current.start
        if together > target:
            return together <= self.limits.hard and self._is_scrap(current, span)
        if end < 0 or held < TINY * target:
            return True
        if after_tail or end > span.last or held > FULL_ENOUGH * target:
            return False
        return not (has_definition and added > FULL_ENOUGH * target and held > BIG_BESIDE * target)

    def _return_tail(self, packed: list[Span]) -> bool:
        """Give a small rest of a definition back to the chunk before; say whether it was done."""
        if len(packed) < 2:
            return False
        before, tail = packed[-2:]
        whole = self.source.is_whole(before) and self.source.is_whole(tail)
        small = tail.end - tail.start < SMALL_TAIL * self.limits.target
        if not (whole and small and tail.end - before.start <= self.limits.hard):
            return False
        packed[-2:] = [_united(before, tail)]
        return True

    def _is_scrap(self, current: Span, span: Span) -> bool:
        """Say whether one of two neighbours is too little to stand alone.

        A header before its long first part, or what only closes what came before.
        """
        if current.end - current.start < TINY * self.limits.target:
            return True
        text = self.source.text
        short = span.end - span.start <= 80
        return short and _CLOSING.fullmatch(text, span.start, span.end) is not None


class _Inside:
    """Finds the innermost definition that a row continues, asked in ascending order."""

    def __init__(self, definitions: Iterable[Extent]) -> None:
        self._waiting = sorted(definitions, key=lambda one: (-one.lead, one.last))
        self._open: list[Extent] = []

    def last_row_around(self, row: int) -> int:
        """Return the last row of the innermost definition begun before `row`; -1 outside all."""
        while self._waiting and self._waiting[-1].lead < row:
            self._open.append(self._waiting.pop())
        self._open = [one for one in self._open if one.last >= row]
        return min((one.last for one in self._open), default=-1)


def _united(first: Span, second: Span) -> Span:
    return Span(first.first, second.last, first.start, second.end)


def _largest(children: Sequence[Node], first: int, last: int) -> Node | None:
    inside = [c for c in children if c.start_point[0] <= last and c.end_point[0] >= first]
    if not inside:
        return None
    largest = max(inside, key=lambda c: c.end_byte - c.start_byte)
    return largest if largest.child_count else None


def _by_part(children: Sequence[Node], cuts: Sequence[int]) -> dict[int, Node]:
    """Give each part (by index) the largest child that begins in it."""
    owned: dict[int, Node] = {}
    part = 0
    for child in children:
        row = child.start_point[0]
        while part < len(cuts) and row >= cuts[part]:
            part += 1
        known = owned.get(part)
        if known is None or child.end_byte - child.start_byte > known.end_byte - known.start_byte:
            owned[part] = child
    return owned
