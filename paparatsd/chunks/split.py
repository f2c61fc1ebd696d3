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
    from collections.abc import Sequence

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

_CLOSING = re.compile(r"[\s\W]*(?:end|fi|done|esac|endif|END)?[\s\W]*")


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
    definition_rows: frozenset[int]
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
        has_definition = False
        for span in spans:
            starts = span.first in self.definition_rows
            if packed and self._joins(packed[-1], span, starts, has_definition):
                last = packed[-1]
                packed[-1] = Span(last.first, span.last, last.start, span.end)
                has_definition = has_definition or starts
            else:
                packed.append(span)
                has_definition = starts
        return packed

    def _joins(self, current: Span, span: Span, starts: bool, has_definition: bool) -> bool:
        if not (self.source.is_whole(current) and self.source.is_whole(span)):
            return False
        target = self.limits.target
        held, added = current.end - current.start, span.end - span.start
        together = span.end - current.start
        if together > target:
            return together <= self.limits.hard and self._is_scrap(current, span)
        if not starts:
            return True
        if held > FULL_ENOUGH * target:
            return False
        return not (has_definition and added > FULL_ENOUGH * target and held > BIG_BESIDE * target)

    def _is_scrap(self, current: Span, span: Span) -> bool:
        """Say whether one of two neighbours is too little to stand alone.

        A header before its long first part, or what only closes what came before.
        """
        if current.end - current.start < TINY * self.limits.target:
            return True
        text = self.source.text
        short = span.end - span.start <= 80
        return short and _CLOSING.fullmatch(text, span.start, span.end) is not None


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
