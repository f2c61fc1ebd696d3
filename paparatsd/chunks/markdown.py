"""Prose with headings (Markdown, reStructuredText, AsciiDoc, Org, text): a chunk per section."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from paparatsd.chunks.fragments import Fragments
from paparatsd.chunks.lines import split_rows
from paparatsd.model import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.chunks.headings import Heading, Outline
    from paparatsd.chunks.limits import ChunkLimits
    from paparatsd.chunks.textmap import Span, TextMap

SMALL_SHARE = 0.4
"""A section takes its own subsections in while it holds less than this share of the target."""
TINY_SHARE = 0.08
"""And whatever follows while it holds less than this: a title alone finds nothing."""
MAX_NAME_CHARS = 300


@dataclass(frozen=True, slots=True)
class _Section:
    """Rows `first` to `last` under a heading; level 0 and no name before the first heading."""

    first: int
    last: int
    level: int
    name: str | None
    empty: bool


@dataclass(slots=True)
class Trail:
    """The headings above a place, as (level, title), and the fragments given so far."""

    path: list[tuple[int, str]] = field(default_factory=list)
    fragments: Fragments = field(default_factory=Fragments)
    seen: Counter[str] = field(default_factory=Counter)

    @property
    def name(self) -> str | None:
        """The titles from the highest to the nearest one, as one breadcrumb."""
        name = " > ".join(title for _, title in self.path if title)
        return name[-MAX_NAME_CHARS:].strip(" >") or None

    def enter(self, heading: Heading) -> None:
        """Go on below a heading."""
        while self.path and self.path[-1][0] >= heading.level:
            self.path.pop()
        self.path.append((heading.level, heading.title))


def prose_chunks(
    source: TextMap, outline: Outline, limits: ChunkLimits, trail: Trail | None = None
) -> tuple[Chunk, ...]:
    """Cut a document at its headings; fenced blocks stay whole where they fit.

    Front matter is a "block", everything else a "section". With `trail` the text goes on below the
    headings of an earlier one, and what is below its own ones comes next.
    """
    trail = trail if trail is not None else Trail()
    writer = _Writer(source, outline, limits, trail)
    if outline.front:
        writer.write(0, outline.front - 1, None, "block")
    for group in _groups(source, _sections(source, outline, limits, trail), limits):
        shown = next((s for s in group if s.name is not None and not s.empty), group[0])
        writer.write(group[0].first, group[-1].last, shown.name, "section")
    return tuple(writer.chunks)


def _sections(
    source: TextMap, outline: Outline, limits: ChunkLimits, trail: Trail
) -> list[_Section]:
    rows = [h.row for h in outline.headings]
    end = len(source.lines)
    sections = []
    if (rows[0] if rows else end) > outline.front:
        last = (rows[0] if rows else end) - 1
        # An anchor or a badge above the first heading belongs to it.
        scrap = source.size(outline.front, last) < TINY_SHARE * limits.target and bool(rows)
        sections.append(_Section(outline.front, last, 0, trail.name, scrap))
    for heading, (first, after) in zip(outline.headings, pairwise([*rows, end]), strict=True):
        trail.enter(heading)
        empty = source.trimmed(heading.body, after - 1) is None
        sections.append(_Section(first, after - 1, heading.level, trail.name, empty))
    return sections


def _groups(
    source: TextMap, sections: Sequence[_Section], limits: ChunkLimits
) -> list[list[_Section]]:
    """Join a small section with its own subsections, so that a heading is never alone."""
    groups: list[list[_Section]] = []
    bare = True  # whether the last group has headings only
    for section in sections:
        if groups:
            group = groups[-1]
            held = source.size(group[0].first, group[-1].last)
            together = source.size(group[0].first, section.last)
            below = section.level > group[0].level or held < TINY_SHARE * limits.target
            small = held < SMALL_SHARE * limits.target and together <= limits.target
            if below and (small or bare):
                group.append(section)
                bare = bare and section.empty
                continue
        groups.append([section])
        bare = section.empty
    return groups


class _Writer:
    """Writes the chunks of one document in order."""

    def __init__(
        self, source: TextMap, outline: Outline, limits: ChunkLimits, trail: Trail
    ) -> None:
        self.chunks: list[Chunk] = []
        self._source = source
        self._limits = limits
        self._fragments = trail.fragments
        self._seen = trail.seen
        self._fence_end = dict(outline.fences)

    def write(self, first: int, last: int, name: str | None, kind: str) -> None:
        """Write rows `first` to `last` as one chunk, or as several where they are too large."""
        nth = 0
        if name is not None:
            self._seen[name] += 1
            nth = self._seen[name]
        for span in self._source.without_blank_ends(self._spans(first, last)):
            text = self._source.text[span.start : span.end]
            fragment = (
                self._fragments.of_text(text)
                if name is None
                else self._fragments.of_name(name, nth)
            )
            self.chunks.append(
                Chunk(len(self.chunks), span.first + 1, span.last + 1, kind, name, fragment, text)
            )

    def _spans(self, first: int, last: int) -> list[Span]:
        source, limits = self._source, self._limits
        if source.size(first, last) <= limits.target:
            return [source.span(first, last)]
        spans: list[Span] = []
        start = first
        for a, b in self._blocks(first, last):
            if a > start and source.size(start, b) > limits.target:
                spans.extend(self._fitted(start, a - 1))
                start = a
        rest = source.trimmed(start, last)
        if rest is not None and spans and source.is_whole(spans[-1]):
            before = spans[-1].first
            small = source.size(*rest) < TINY_SHARE * limits.target
            if small and source.size(before, rest[1]) <= limits.hard:
                # A closing tag, or a last line: it is no piece of its own.
                spans[-1] = source.span(before, last)
                return spans
        spans.extend(self._fitted(start, last))
        return spans

    def _fitted(self, first: int, last: int) -> list[Span]:
        if self._source.size(first, last) <= self._limits.hard:
            return [self._source.span(first, last)]
        return split_rows(self._source, first, last, self._limits)

    def _blocks(self, first: int, last: int) -> list[tuple[int, int]]:
        """List the paragraphs and fenced blocks of rows `first` to `last`."""
        blocks: list[tuple[int, int]] = []
        row = first
        while row <= last:
            if self._source.is_blank(row):
                row += 1
                continue
            end = min(self._fence_end.get(row, row), last)
            while end < last and not self._source.is_blank(end + 1):
                end = min(self._fence_end.get(end + 1, end + 1), last)
            blocks.append((row, end))
            row = end + 1
        return blocks
