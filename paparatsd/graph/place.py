"""What stands at a place of a file: the name there, and the definitions that it means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.errors import UnknownAddress
from paparatsd.graph.source import Target
from paparatsd.graph_model import Certainty

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.resolve import Resolver
    from paparatsd.model import Chunk, Fact, Use

_IDENTIFIER = re.compile(r"[^\W\d][\w$]*[?!]?|[$@]+[\w$]+")


@dataclass(frozen=True, slots=True)
class Standing:
    """What a place means; `local` is the binding of a name that a function has for itself."""

    name: str
    targets: tuple[Target, ...] = ()
    certainty: Certainty = Certainty.EXACT
    external: str = ""
    local: Fact | None = None
    crowded: bool = False


def at_line(resolver: Resolver, file: FileSymbols, line: int) -> Standing:
    """Return the definition that begins in a line, else the one around it, else the file."""
    begins = [
        index
        for index, symbol in enumerate(file.symbols)
        if symbol.start_line == line or 0 < symbol.lead_line <= line < symbol.start_line
    ]
    index = begins[0] if begins else file.around(line)
    name = file.symbols[index].qualified if index >= 0 else file.path
    return Standing(name, (Target(resolver.tree, file.path, index),))


def used_in_line(resolver: Resolver, file: FileSymbols, line: int) -> tuple[Target, ...]:
    """Return the definitions that the names in a line mean, in its order."""
    found: dict[tuple[int, str, int], Target] = {}
    for use in file.uses_between(line, line):
        for target in resolver.resolve(file, use).targets[:3]:
            found.setdefault(target.key, target)
    return tuple(found.values())


def at_column(
    resolver: Resolver, file: FileSymbols, chunks: Sequence[Chunk], line: int, column: int
) -> Standing:
    """Return what the name means that stands at a column, counted in characters from 1.

    Raises UnknownAddress when no name stands there.
    """
    text = line_text(chunks, line)
    name, nth = name_at(text, column)
    if not name:
        there = ", ".join(dict.fromkeys(_IDENTIFIER.findall(text)))
        hint = f"; the line has {there[:200]}" if there else ""
        raise UnknownAddress(f"no name stands at line {line}, column {column}{hint}")
    for index in file.named(name):
        if _begins_in(file, index, line):
            return Standing(name, (Target(resolver.tree, file.path, index),))
    uses = [use for use in file.uses_between(line, line) if name in (use.name, use.alias)]
    if uses:
        return _of_use(resolver, file, uses[min(nth, len(uses) - 1)], name)
    fact = _bound(file, name, line)
    if fact is not None:
        return Standing(name, local=fact)
    return _unused(resolver, file, name)


def line_text(chunks: Iterable[Chunk], line: int) -> str:
    """Return the text of a line, "" for one that no chunk shows."""
    for chunk in chunks:
        if chunk.start_line <= line <= chunk.end_line:
            lines = chunk.text.split("\n")
            at = line - chunk.start_line
            if at < len(lines):
                return lines[at].rstrip("\r")
    return ""


def name_at(text: str, column: int) -> tuple[str, int]:
    """Return the name that a column is in or just behind, and how many of it stand before it."""
    before: list[str] = []
    behind = ""
    for match in _IDENTIFIER.finditer(text):
        if match.start() < column <= match.end():
            return match[0], before.count(match[0])
        if match.end() == column - 1:
            behind = match[0]
        else:
            before.append(match[0])
    return behind, before.count(behind)


def _begins_in(file: FileSymbols, index: int, line: int) -> bool:
    """Whether a symbol's own name may stand in a line: after its decorators, before its body."""
    symbol = file.symbols[index]
    last = symbol.start_line + symbol.signature.count("\n")
    return symbol.start_line <= line <= last


def _of_use(resolver: Resolver, file: FileSymbols, use: Use, name: str) -> Standing:
    resolution = resolver.resolve(file, use)
    if resolution.targets or resolution.external or resolution.crowded:
        return Standing(
            name,
            resolution.targets,
            resolution.certainty,
            resolution.external,
            crowded=resolution.crowded,
        )
    fact = _bound(file, name, use.line)
    return Standing(name, certainty=resolution.certainty, local=fact)


def _bound(file: FileSymbols, name: str, line: int) -> Fact | None:
    """Return how the innermost scope around a line binds a name."""
    scope = file.around(line)
    while True:
        fact = file.binds(scope, name, line)
        if fact is not None or scope < 0:
            return fact
        scope = file.outer(scope)


def _unused(resolver: Resolver, file: FileSymbols, name: str) -> Standing:
    """Return what a name means that stands where nothing was seen to use it: in words, say."""
    own = file.named(name)
    if own:
        return Standing(name, tuple(Target(resolver.tree, file.path, at) for at in own))
    found = tuple(resolver.named(name))
    certainty = Certainty.INFERRED if len(found) == 1 else Certainty.AMBIGUOUS
    return Standing(name, found, certainty)
