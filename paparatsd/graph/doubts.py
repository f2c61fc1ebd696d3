"""Doubts: why a definition may be used although nothing names it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.graph.byname import MAX_MEANINGS
from paparatsd.graph.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.ground import Ground
    from paparatsd.graph.source import Target
    from paparatsd.model import Symbol, Use

MAX_BASES = 60
"""Types that a type is followed up through."""
ENTRY_NAMES = frozenset({"main", "Main", "__main__", "lambda_handler", "handler", "wsgi", "asgi"})
"""What programs begin with."""
_SPECIAL = re.compile(r"__\w+__|operator\b.*|~\w+|init|deinit|\[\]|<=>|==|to_s|inspect|initialize")


def doubts(ground: Ground, target: Target, file: FileSymbols) -> tuple[str, ...]:
    """Return why a definition may be used although nothing names it."""
    symbol = file.symbols[target.index]
    found = []
    if symbol.exported or _is_given_away(file, symbol):
        found.append("exported")
    if any(use.kind == "decorator" for use in _above(file, symbol)):
        found.append("decorated")
    if not symbol.exported and _is_constructor_of(file, symbol):
        found.append("keeps others from making one")
    if _SPECIAL.fullmatch(symbol.name):
        found.append("called by the language")
    if ground.resolver(target.tree).overridden(target):
        found.append("overrides an inherited method")
    elif _fits_interface(target, symbol):
        found.append("an interface asks for one of its name")
    elif _extends_foreign(ground, target):
        found.append("its class extends one from elsewhere")
    if symbol.kind == "route" or any(one.scope == target.index for one in file.facts_of("route")):
        found.append("answers a route")
    if is_entry(file, target.index):
        found.append("entry point")
    return tuple(found)


def _is_given_away(file: FileSymbols, symbol: Symbol) -> bool:
    """Say whether a statement of its own exports a symbol: `export { dig }`, `module.exports`."""
    return symbol.parent < 0 and any(
        not fact.type and symbol.name == (fact.value or fact.name)
        for facts in file.exports.values()
        for fact in facts
    )


def _is_constructor_of(file: FileSymbols, symbol: Symbol) -> bool:
    """Say whether a symbol is a constructor that is called like its type."""
    if symbol.parent < 0 or "=" not in traits_of(file.language).constructors:
        return False
    return file.symbols[symbol.parent].name == symbol.name


def _above(file: FileSymbols, symbol: Symbol) -> Sequence[Use]:
    return file.uses_between(symbol.lead_line or symbol.start_line, symbol.start_line)


def _extends_foreign(ground: Ground, target: Target) -> bool:
    """Say whether a method's type, or one that it extends, has a base from elsewhere."""
    owner = ground.resolver(target.tree).owner(target)
    left, seen = [owner] if owner is not None else [], 0
    while left and seen < MAX_BASES:
        one, seen = left.pop(), seen + 1
        bases = ground.resolver(one.tree).bases(one) if one.tree is target.tree else ()
        if len(bases) < _named_bases(one):
            return True
        left += bases
    return False


def _fits_interface(target: Target, symbol: Symbol) -> bool:
    """Say whether a type may fit an interface by this method, though nobody says so (Go)."""
    if symbol.kind != "method":
        return False
    namesakes = target.tree.defining([symbol.name])[symbol.name][:MAX_MEANINGS]
    return any(_is_asked_for(one) for one in namesakes if one.key != target.key)


def _is_asked_for(target: Target) -> bool:
    file = target.tree.file(target.path)
    parent = file.symbols[target.index].parent if file is not None else -1
    return file is not None and parent >= 0 and file.symbols[parent].kind == "interface"


def _named_bases(target: Target) -> int:
    file = target.tree.file(target.path)
    if file is None:
        return 0
    symbol = file.symbols[target.index]
    return sum(
        symbol.start_line <= use.line <= symbol.end_line and file.around(use.line) == target.index
        for use in file.heritage
    )


def is_entry(file: FileSymbols, index: int) -> bool:
    """Say whether a program may begin at a definition."""
    symbol = file.symbols[index]
    if symbol.parent >= 0 and symbol.name not in ("main", "Main"):
        return False
    if file.path.rpartition("/")[2] == "conftest.py":
        return symbol.name.startswith("pytest_")
    return symbol.name in ENTRY_NAMES
