"""Which symbols differ between two texts of a file. Pure: both are parsed here."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from paparatsd.chunks.parse import ChunkLimits, parse_file
from paparatsd.graph.files import CALLABLE, VALUES
from paparatsd.graph_model import ChangeKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from paparatsd.model import Symbol

MIN_ALIKE = 0.75
"""What is gone and what has come are one renamed symbol when so much of the words is the same."""
MAX_PAIRS = 4_000
"""Symbols that are compared with each other, in one file or between the files of a change."""
MAX_WORDS = 800
MAX_LINE_PAIRS = 1_000_000
"""Equal lines of two texts, each with each, beyond which they are counted, not put in order."""
MIN_WORDS = 8
"""Shorter bodies are alike by chance; they must be equal."""

Key = tuple[str, int]
"""A qualified name, and the how manieth of that name in the file (from 1)."""

_WORDS = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Side:
    """One text with its symbols; `own[key]` are the lines of a symbol that no other one has."""

    path: str
    language: str
    lines: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    keys: Mapping[Key, int]
    own: Mapping[Key, tuple[int, ...]]

    def text_of(self, key: Key) -> tuple[str, ...]:
        """Return a symbol's own lines, without blank ones and without what ends them."""
        lines = (self.lines[line - 1].rstrip() for line in self.own[key])
        return tuple(line for line in lines if line)

    def whole(self, key: Key) -> str:
        """Return the text of a symbol with all that is inside."""
        symbol = self.symbols[self.keys[key]]
        return "\n".join(self.lines[symbol.start_line - 1 : symbol.end_line])


@dataclass(frozen=True, slots=True)
class Touched:
    """One symbol that differs. `symbol` is the new one; of what is removed, the old one.

    `nth`: the how manieth of its qualified name it is. `before`: its name and file before.
    """

    change: ChangeKind
    path: str
    language: str
    symbol: Symbol
    nth: int
    lines: tuple[int, ...] = ()
    before: str = ""
    body: str = ""


def read_side(path: str, text: str | None) -> Side:
    """Parse one text; None is a file that is not there."""
    if text is None:
        return Side(path, "", (), (), {}, {})
    parsed = parse_file(path, text, ChunkLimits())
    symbols = parsed.symbols
    keys: dict[Key, int] = {}
    counts: dict[str, int] = {}
    for index, symbol in enumerate(symbols):
        counts[symbol.qualified] = counts.get(symbol.qualified, 0) + 1
        if not _is_local(symbols, symbol):
            keys[symbol.qualified, counts[symbol.qualified]] = index
    lines = tuple(text.replace("\r\n", "\n").split("\n"))
    return Side(path, parsed.language, lines, symbols, keys, _own_lines(symbols, keys, len(lines)))


def _is_local(symbols: Sequence[Symbol], symbol: Symbol) -> bool:
    """Say whether a symbol is a value inside a function, which is part of that function."""
    return symbol.kind in VALUES and symbol.parent >= 0 and symbols[symbol.parent].kind in CALLABLE


def _own_lines(
    symbols: Sequence[Symbol], keys: Mapping[Key, int], last: int
) -> dict[Key, tuple[int, ...]]:
    """Give each line to the innermost symbol around it, its leading comments included."""
    owner = [-1] * (last + 1)
    order = sorted(keys.values(), key=lambda at: (_first(symbols[at]), -symbols[at].end_line))
    for index in order:
        symbol = symbols[index]
        for line in range(_first(symbol), min(symbol.end_line, last) + 1):
            owner[line] = index
    own: dict[int, list[int]] = {index: [] for index in keys.values()}
    for line, index in enumerate(owner):
        if index >= 0:
            own[index].append(line)
    return {key: tuple(own[index]) for key, index in keys.items()}


def _first(symbol: Symbol) -> int:
    return max(symbol.lead_line or symbol.start_line, 1)


def compare(old: Side, new: Side) -> list[Touched]:
    """Return what differs in one file: removed, added, renamed in it, or modified."""
    changed = _changed_lines(old, new)
    found = [
        _touched(ChangeKind.MODIFIED, new, key, changed)
        for key in new.keys
        if key in old.keys and old.text_of(key) != new.text_of(key)
    ]
    gone = [key for key in old.keys if key not in new.keys]
    come = [key for key in new.keys if key not in old.keys]
    renamed, moved_inside = _renamed(old, new, gone, come)
    for before, after in renamed:
        found.append(
            _touched(
                ChangeKind.RENAMED, new, after, changed, before=old.symbols[old.keys[before]].name
            )
        )
    for before, after in moved_inside:
        if old.text_of(before) != new.text_of(after):
            found.append(_touched(ChangeKind.MODIFIED, new, after, changed))
    taken = [*renamed, *moved_inside]
    gone = [key for key in gone if key not in {one for one, _ in taken}]
    come = [key for key in come if key not in {one for _, one in taken}]
    found += [_touched(ChangeKind.REMOVED, old, key, None) for key in _outermost(old, gone)]
    found += [_touched(ChangeKind.ADDED, new, key, changed) for key in _outermost(new, come)]
    return found


def _touched(
    change: ChangeKind, side: Side, key: Key, changed: set[int] | None, before: str = ""
) -> Touched:
    symbol = side.symbols[side.keys[key]]
    lines = tuple(line for line in side.own[key] if changed is not None and line in changed)
    whole = side.whole(key) if change in (ChangeKind.ADDED, ChangeKind.REMOVED) else ""
    return Touched(change, side.path, side.language, symbol, key[1], lines, before, whole)


def _changed_lines(old: Side, new: Side) -> set[int]:
    """Return the lines of the new text that the old one does not have."""
    start = _same_lines(old.lines, new.lines)
    most = min(len(old.lines), len(new.lines)) - start
    last = min(_same_lines(old.lines[::-1], new.lines[::-1]), most)
    before, after = (side.lines[start : len(side.lines) - last] for side in (old, new))
    counts = Counter(before)
    if sum(counts[line] for line in after) > MAX_LINE_PAIRS:
        return {start + at + 1 for at in _uncounted(counts, after)}
    matcher = SequenceMatcher(None, before, after, autojunk=True)
    return {
        start + line + 1
        for tag, _, _, first, last in matcher.get_opcodes()
        if tag in ("insert", "replace")
        for line in range(first, last)
    }


def _same_lines(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines two texts have in common at their beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _uncounted(counts: Counter[str], lines: Sequence[str]) -> Iterator[int]:
    """Yield the positions of lines that are there more often than they are counted."""
    left = counts.copy()
    for at, line in enumerate(lines):
        if left[line] <= 0:
            yield at
        left[line] -= 1


def _outermost(side: Side, keys: Iterable[Key]) -> Iterator[Key]:
    """Yield those that lie in no other of them: what is inside comes and goes with it."""
    indexes = {side.keys[key]: key for key in keys}
    for index, key in indexes.items():
        parent = side.symbols[index].parent
        while parent >= 0 and parent not in indexes:
            parent = side.symbols[parent].parent
        if parent < 0:
            yield key


def _renamed(
    old: Side, new: Side, gone: Sequence[Key], come: Sequence[Key]
) -> tuple[list[tuple[Key, Key]], list[tuple[Key, Key]]]:
    """Pair what is gone with what has come: renamed symbols, and those inside of renamed ones."""
    pairs = alike_pairs(
        [(key, old.symbols[old.keys[key]], old.whole(key)) for key in _outermost(old, gone)],
        [(key, new.symbols[new.keys[key]], new.whole(key)) for key in _outermost(new, come)],
    )
    inside = []
    arrived = set(come)
    for before, after in pairs:
        for name, nth in gone:
            if name.startswith(f"{before[0]}."):
                moved = (after[0] + name[len(before[0]) :], nth)
                if moved in arrived:
                    inside.append(((name, nth), moved))
    return pairs, inside


def alike_pairs(
    gone: Sequence[tuple[Key, Symbol, str]], come: Sequence[tuple[Key, Symbol, str]]
) -> list[tuple[Key, Key]]:
    """Return which of those that are gone have come again under another name, best first."""
    scored: list[tuple[float, Key, Key]] = []
    compared = 0
    words = {key: _words(text, symbol.name) for key, symbol, text in come}
    for before, symbol, text in gone:
        mine = _words(text, symbol.name)
        for after, other, _ in come:
            if other.kind == symbol.kind and compared < MAX_PAIRS:
                compared += may_be_alike(mine, words[after])
                score = likeness(mine, words[after])
                if score >= MIN_ALIKE:
                    scored.append((score, before, after))
    scored.sort(key=lambda one: (-one[0], one[1], one[2]))
    pairs: list[tuple[Key, Key]] = []
    for _, before, after in scored:
        if all(before != one and after != other for one, other in pairs):
            pairs.append((before, after))
    return pairs


def _words(text: str, name: str) -> list[str]:
    """Return the words of a text but for its own name; only so many as are compared."""
    found = [word for word in _WORDS.findall(text[: MAX_WORDS * 12]) if word != name]
    return found[:MAX_WORDS]


def may_be_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Say whether two lists are of such lengths that they are worth comparing."""
    return min(len(one), len(other)) >= MIN_ALIKE / 2 * max(len(one), len(other))


def likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Return which share of two lists of words is the same, in order, between 0 and 1."""
    if min(len(one), len(other)) < MIN_WORDS:
        return 1.0 if one and list(one) == list(other) else 0.0
    if not may_be_alike(one, other):
        return 0.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.quick_ratio() < MIN_ALIKE:
        return 0.0
    return matcher.ratio()
