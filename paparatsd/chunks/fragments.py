"""Naming chunks: which symbol a chunk shows, and its fragment, unique within the file."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

from paparatsd.chunks.address import encode_part
from paparatsd.chunks.symbols import VALUES
from paparatsd.model import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paparatsd.chunks.symbols import Definition
    from paparatsd.chunks.textmap import Span, TextMap


_TYPES = frozenset({"class", "struct", "interface", "trait", "impl", "enum", "module"})


def text_fragment(text: str) -> str:
    """Name code outside any symbol by its own text: `~` and six hex digits."""
    return "~" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()


def symbol_fragment(qualified: str, nth: int) -> str:
    """Name the nth (from 1) symbol of a file that bears a qualified name."""
    return encode_part(qualified) + (f"@{nth}" if nth > 1 else "")


class Fragments:
    """Hands out the fragments of one file in order and keeps them unique."""

    def __init__(self) -> None:
        self._parts: Counter[str] = Counter()
        self._hashes: Counter[str] = Counter()
        self._given: set[str] = set()

    def of_name(self, qualified: str, nth: int, *, continued: bool = False) -> str:
        """Name the next chunk of the nth (from 1) bearer of a name: `Name`, `Name@2`, `Name/2`.

        `continued` says that the symbol begins in an earlier chunk, which shows another one: its
        plain name stays free for the symbol itself.
        """
        base = symbol_fragment(qualified, nth)
        self._parts[base] = max(self._parts[base], int(continued)) + 1
        part = self._parts[base]
        return self._unique(base if part == 1 else f"{base}/{part}")

    def of_text(self, text: str) -> str:
        """Name the next chunk that shows no symbol."""
        base = text_fragment(text)
        self._hashes[base] += 1
        nth = self._hashes[base]
        return self._unique(base if nth == 1 else f"{base}@{nth}")

    def _unique(self, fragment: str) -> str:
        candidate, nth = fragment, 2
        while candidate in self._given:
            candidate, nth = f"{fragment}@{nth}", nth + 1
        self._given.add(candidate)
        return candidate


def name_chunks(
    source: TextMap, spans: Sequence[Span], definitions: Sequence[Definition], chars: list[int]
) -> tuple[tuple[Chunk, ...], list[int]]:
    """Make the chunks of spans in order; also tell in which chunk each definition begins.

    `chars` holds the character offset where each definition begins, ascending.
    """
    shown = source.without_blank_ends(spans)
    starts = [span.start for span in shown]
    homes = [max(bisect_right(starts, char) - 1, 0) for char in chars]
    starters: dict[int, list[int]] = defaultdict(list)
    for index, home in enumerate(homes):
        starters[home].append(index)
    numbers = numbered([definition.qualified for definition in definitions])
    covering = _Covering(definitions)
    fragments = Fragments()
    chunks = []
    for ordinal, span in enumerate(shown):
        text = source.text[span.start : span.end]
        shows = _principal(definitions, starters.get(ordinal, ()))
        if shows < 0:
            shows = covering.innermost(span.first, span.last)
        if shows < 0:
            kind, name, fragment = "block", None, fragments.of_text(text)
        else:
            symbol = definitions[shows]
            kind, name = symbol.kind, symbol.qualified
            fragment = fragments.of_name(
                symbol.qualified, numbers[shows], continued=homes[shows] < ordinal
            )
        chunks.append(Chunk(ordinal, span.first + 1, span.last + 1, kind, name, fragment, text))
    return tuple(chunks), homes


def numbered(names: Iterable[str]) -> list[int]:
    """Tell for each name the how manieth of its kind it is, from 1."""
    counts: Counter[str] = Counter()
    numbers = []
    for name in names:
        counts[name] += 1
        numbers.append(counts[name])
    return numbers


def _principal(definitions: Sequence[Definition], starters: Iterable[int]) -> int:
    """Choose the symbol a chunk shows among those that begin in it: the outermost, largest one."""
    present = set(starters)
    if not present:
        return -1
    # A module says less than the type in it: look through it when one begins here too.
    inner = {definitions[i].parent for i in present if definitions[i].kind in _TYPES}
    present -= {i for i in inner & present if definitions[i].kind == "module"}
    outer = [i for i in sorted(present) if definitions[i].parent not in present]
    return max(outer, key=lambda i: (_weight(definitions[i]), -i))


def _weight(definition: Definition) -> tuple[bool, bool, int]:
    span = definition.last - definition.first
    return definition.container, definition.kind not in VALUES, span


class _Covering:
    """Finds the innermost definition over a range of rows, asked in ascending order."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._definitions = definitions
        self._next = 0
        self._open: list[int] = []

    def innermost(self, first: int, last: int) -> int:
        while self._next < len(self._definitions) and self._definitions[self._next].first <= first:
            self._open.append(self._next)
            self._next += 1
        self._open = [i for i in self._open if self._definitions[i].last >= first]
        covering = [i for i in self._open if self._definitions[i].last >= last]
        return covering[-1] if covering else -1
