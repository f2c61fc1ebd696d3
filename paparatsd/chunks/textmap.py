"""One text with the maps between its characters, bytes and lines.

Rows are 0-based here; they become 1-based lines where values leave this package.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Span(NamedTuple):
    """Rows `first` to `last` (inclusive), as characters `start` to `end` of the text (exclusive).

    A span that does not hold whole lines is a piece of the one line `first`.
    """

    first: int
    last: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextMap:
    """A text split on newlines only (a carriage return stays part of its line)."""

    text: str
    lines: list[str]
    starts: list[int]
    """Character offset of each line, and one past the end as if a newline followed."""

    def span(self, first: int, last: int) -> Span:
        """Make the span of whole rows `first` to `last`."""
        return Span(first, last, self.starts[first], self.starts[last + 1] - 1)

    def is_whole(self, span: Span) -> bool:
        """Say whether a span holds whole lines, and is no piece of a cut one."""
        return span.start == self.starts[span.first] and span.end == self.starts[span.last + 1] - 1

    def without_blank_ends(self, spans: Iterable[Span]) -> list[Span]:
        """Take blank rows off both ends of spans, and leave out spans that are blank."""
        kept: list[Span] = []
        for span in spans:
            if not self.is_whole(span):
                piece = self.text[span.start : span.end]
                if piece and not piece.isspace():
                    kept.append(span)
                continue
            rows = self.trimmed(span.first, span.last)
            if rows is not None:
                kept.append(span if rows == (span.first, span.last) else self.span(*rows))
        return kept

    def size(self, first: int, last: int) -> int:
        """Count the characters of rows `first` to `last` as joined by newlines."""
        return self.starts[last + 1] - 1 - self.starts[first]

    def text_of(self, first: int, last: int) -> str:
        """Return rows `first` to `last` joined by newlines."""
        return self.text[self.starts[first] : self.starts[last + 1] - 1]

    def is_blank(self, row: int) -> bool:
        """Say whether a row holds nothing but white space."""
        line = self.lines[row]
        return not line or line.isspace()

    def trimmed(self, first: int, last: int) -> tuple[int, int] | None:
        """Shrink a range of rows to its first and last non-blank row; None when all are blank."""
        while first <= last and self.is_blank(first):
            first += 1
        while last >= first and self.is_blank(last):
            last -= 1
        return (first, last) if first <= last else None


def map_text(text: str) -> TextMap:
    """Split a text into lines and note where they start.

    A final newline ends the last line; it does not begin another one.
    """
    lines = text.split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    return TextMap(text, lines, starts)


def encode(text: str) -> bytes:
    """Encode for the parser; a lone surrogate becomes one byte, so that nothing can fail."""
    return text.encode("utf-8", "replace")


def char_offsets(data: bytes, ascending: Iterable[int]) -> list[int]:
    """Translate ascending byte offsets into character offsets in one pass."""
    offsets: list[int] = []
    byte = char = 0
    for target in ascending:
        char += len(data[byte:target].decode("utf-8", "ignore"))
        byte = target
        offsets.append(char)
    return offsets


def index_at(starts: list[int], offset: int) -> int:
    """Return the index of the last start that is not after `offset` (0 when there is none)."""
    return max(bisect_right(starts, offset) - 1, 0)
