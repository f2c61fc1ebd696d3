"""Which definition of a chunk a question is about, and which of the chunk's lines show it.

A chunk packs several small definitions. A hit is named after the one that the question matches
best, and shows no more than what matches about as well.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from paparatsd.chunks.terms import beginnings_of, find_tokens, tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.chunks.record import Definition, RankRecord
    from paparatsd.model import Chunk

IN_NAME = 8.0
"""A word of the question in a name counts like this many in the text."""
USUAL_WORDS = 60
LENGTH_MATTERS = 0.5
SATURATION = 2.0
ASKED_BY_NAME = 100.0
"""More than any sum over words: a name of the question is what is asked for."""
NEARLY_AS_GOOD = 0.8
"""Definitions that match this well compared with the best are shown with it."""
FIRST_CHOICE = 1.1
"""The definition that the chunk is named after wins when others match equally well."""
FEWEST_LINES = 6
"""Less is read with its neighbours: fields, constants, one-line functions."""
FEW_TO_BEGIN = 20
"""The beginning of a long definition has so many lines, if the chunks below allow it."""
AROUND_LINES = 6
"""Lines above and below that are read with it."""
WORTH_LEAVING_OUT = 8
"""Lines that must be saved for a part of a chunk to be shown instead of all of it."""


@dataclass(frozen=True)
class Sought:
    """What a question looks for: its terms and their worth, its names, and the kinds it wants."""

    worth: Mapping[str, float]
    names: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()

    @cached_property
    def folded(self) -> frozenset[str]:
        """The names in lower case."""
        return frozenset(name.lower() for name in self.names)

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """How words begin that may be sought."""
        return beginnings_of(self.worth)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a chunk: the definition it is named after (None: the chunk as it is), its lines."""

    definition: Definition | None
    start_line: int
    end_line: int
    text: str


def whole(chunk: Chunk) -> Part:
    """Return all of a chunk under its own name."""
    return Part(None, chunk.start_line, chunk.end_line, chunk.text)


def unfocused(record: RankRecord, chunk: Chunk, sought: Sought) -> Part:
    """Return all of a chunk, whatever of it is sought."""
    del record, sought
    return whole(chunk)


def focus(record: RankRecord, chunk: Chunk, sought: Sought) -> Part:
    """Return the part of a chunk that shows what is sought."""
    present = around = definitions_in(record, chunk)
    if sought.kinds:
        present = tuple(one for one in present if one.kind in sought.kinds)
    if not present or _shows_only(present, chunk):
        return whole(chunk)
    if len(present) == 1 and _is_named(present[0], sought):
        return cut_out(chunk, present[0], [_shown_for(present[0], record, chunk)], around)
    text = _Text(chunk, present, sought)
    scores = [_score(one, chunk, text, sought) for one in present]
    best = max(range(len(present)), key=lambda at: (scores[at], -at))
    if scores[best] <= 0:
        return whole(chunk)
    near = [
        one
        for one, score in zip(present, scores, strict=True)
        if score >= NEARLY_AS_GOOD * scores[best]
    ]
    shown = [_shown_for(one, record, chunk) for one in near]
    return cut_out(chunk, present[best], shown, around)


def _is_named(one: Definition, sought: Sought) -> bool:
    """Say whether a definition's name alone has a word of the question: no need to read more."""
    return any(sought.worth.get(term, 0.0) > 0.0 for term in _terms_of_name(one.name))


@lru_cache(maxsize=1 << 14)
def _terms_of_name(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tokens(name)))


def _shows_only(present: Sequence[Definition], chunk: Chunk) -> bool:
    """Say whether a chunk is one definition and little else: no need to read it."""
    only = present[0]
    if len(present) > 1 or only.qualified != chunk.name:
        return False
    around = max(0, only.lead_line - chunk.start_line) + max(0, chunk.end_line - only.end_line)
    return around < WORTH_LEAVING_OUT


def _shown_for(one: Definition, record: RankRecord, chunk: Chunk) -> Definition:
    """Return a short definition's enclosing one when that begins in the chunk too, else itself."""
    while one.end_line - one.lead_line + 1 < FEWEST_LINES and one.parent >= 0:
        outer = record.definition(one.parent)
        if outer.chunk != chunk.ordinal:
            break
        one = outer
    return one


def definitions_in(record: RankRecord, chunk: Chunk) -> tuple[Definition, ...]:
    """Return the definitions that begin in a chunk, in file order."""
    return record.definitions_in(chunk.ordinal)


def cut_out(
    chunk: Chunk,
    named: Definition,
    shown: Sequence[Definition],
    among: Sequence[Definition] = (),
) -> Part:
    """Return the lines of some definitions with what is attached above, under one's name.

    Few lines come with some around them, which begin and end with no part of a definition of
    `among`. The whole chunk, when little would be left out.
    """
    first = max(chunk.start_line, min(one.lead_line for one in shown))
    last = min(chunk.end_line, max(one.end_line for one in shown))
    if last - first + 1 < FEWEST_LINES:
        first, last = _around(first, last, among)
        first, last = max(chunk.start_line, first), min(chunk.end_line, last)
    left_out = (chunk.end_line - chunk.start_line) - (last - first)
    if left_out < WORTH_LEAVING_OUT or not has_whole_lines(chunk):
        return Part(named, chunk.start_line, chunk.end_line, chunk.text)
    return Part(named, first, last, _lines(chunk, first, last))


class _Text:
    """The words of one chunk between the borders of its definitions, read once for all of them."""

    def __init__(self, chunk: Chunk, present: Sequence[Definition], sought: Sought) -> None:
        borders = {one.lead_line for one in present} | {one.end_line + 1 for one in present}
        ends = (chunk.start_line, chunk.end_line + 1)
        self._cuts = sorted({*ends, *(at for at in borders if ends[0] < at < ends[1])})
        self._lines = chunk.text.split("\n") if has_whole_lines(chunk) else []
        self._sought = sought
        self._read: dict[int, tuple[int, list[str]]] = {}

    def read(self, first: int, last: int) -> tuple[int, list[str]]:
        """Return the number of words in the lines of a definition, and the sought ones."""
        a, b = bisect_left(self._cuts, first), bisect_left(self._cuts, last + 1)
        b = min(b, len(self._cuts) - 1)
        if b - a == 1:
            return self._part(a)
        total, all_found = 0, []
        for at in range(a, b):
            size, found = self._part(at)
            total += size
            all_found += found
        return total, all_found

    def _part(self, at: int) -> tuple[int, list[str]]:
        known = self._read.get(at)
        if known is None:
            begin, first, end = self._cuts[0], self._cuts[at], self._cuts[at + 1]
            text = "\n".join(self._lines[first - begin : end - begin])
            known = find_tokens(text, self._sought.worth, self._sought.beginnings)
            self._read[at] = known
        return known


def _score(one: Definition, chunk: Chunk, text: _Text, sought: Sought) -> float:
    """Score a definition like a small document: its name and its lines in this chunk."""
    size, found = text.read(one.lead_line, one.end_line)
    weight = 1.0 / (1.0 - LENGTH_MATTERS + LENGTH_MATTERS * size / USUAL_WORDS)
    counts: dict[str, float] = {}
    for term in found:
        counts[term] = counts.get(term, 0.0) + weight
    for term in filter(sought.worth.__contains__, _terms_of_name(one.name)):
        counts[term] = counts.get(term, 0.0) + IN_NAME
    score = sum(sought.worth[at] * n / (n + SATURATION) for at, n in counts.items())
    score *= 0.5 + 0.5 * one.weight
    if one.qualified == chunk.name:
        score *= FIRST_CHOICE
    if one.name in sought.names:
        score += ASKED_BY_NAME * one.weight
    elif one.name.lower() in sought.folded:
        score += ASKED_BY_NAME / 2 * one.weight
    return score


def has_whole_lines(chunk: Chunk) -> bool:
    """Say whether the chunk's text is the lines it claims: not so for cells and cut lines."""
    return chunk.kind != "cell" and chunk.text.count("\n") == chunk.end_line - chunk.start_line


def _around(first: int, last: int, among: Sequence[Definition]) -> tuple[int, int]:
    """Return some lines more on both sides, without the halves of definitions at the edges."""
    above, below = first - AROUND_LINES, last + AROUND_LINES
    for one in among:
        if one.lead_line < above <= one.end_line < first:
            above = one.end_line + 1
        if last < one.lead_line <= below < one.end_line:
            below = one.lead_line - 1
    return above, below


def completed(chunks: Sequence[Chunk], part: Part, most: int) -> Part:
    """Return a part with the rest of the definition it is named after, from the chunks below.

    Of one that would be more than `most` lines, a few lines of beginning get the next chunks. As it
    is when the lines cannot be put together.
    """
    named = part.definition
    if named is None or named.end_line <= part.end_line:
        return part
    last = named.end_line
    if last - part.start_line + 1 > most:
        last = _enough(chunks, part, most)
    return _extended(chunks, part, last)


def _enough(chunks: Sequence[Chunk], part: Part, most: int) -> int:
    """Return where to end the beginning of a long definition: where a chunk does."""
    ends = sorted(chunk.end_line for chunk in chunks if chunk.end_line > part.end_line)
    last = part.end_line
    for end in ends:
        if last - part.start_line + 1 >= FEW_TO_BEGIN or end - part.start_line + 1 > most:
            break
        last = end
    return last


def _extended(chunks: Sequence[Chunk], part: Part, last: int) -> Part:
    """Return a part with the lines of the chunks below it down to `last`."""
    lines = part.text.split("\n")
    following = part.end_line + 1
    for chunk in chunks:
        if chunk.end_line < following or chunk.start_line > last:
            continue
        if not has_whole_lines(chunk):
            return part
        lines += [""] * max(0, chunk.start_line - following)
        first, end = max(following, chunk.start_line), min(chunk.end_line, last)
        lines += _lines(chunk, first, end).split("\n")
        following = end + 1
    if len(lines) != following - part.start_line:
        return part
    return Part(part.definition, part.start_line, following - 1, "\n".join(lines))


def _lines(chunk: Chunk, first: int, last: int) -> str:
    lines = chunk.text.split("\n")
    return "\n".join(lines[first - chunk.start_line : last - chunk.start_line + 1])
