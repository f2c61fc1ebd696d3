"""Which uses of a name cannot mean a definition, as far as a glance at them tells.

Resolving a use takes a hundred times as long, and most uses of common names mean something else.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from paparatsd.graph.byname import symbol_of
from paparatsd.graph.files import CALLABLE, VALUES
from paparatsd.graph.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.resolve import Resolver
    from paparatsd.graph.source import Target, Tree
    from paparatsd.model import Use

MAX_HEIRS = 400
"""Names of types that extend one, by name alone, before it is no use to know them."""

_STRICT = frozenset({"python", "ecma"})
"""Families in which a member is never named without what it is a member of."""
_ROOT = re.compile(r"[\w$]+")


def sieve_for(resolver: Resolver, target: Target) -> Callable[[FileSymbols, Use], bool]:
    """Return what says whether a use may mean a definition; it errs on the side of yes."""
    symbol, file = symbol_of(target), target.tree.file(target.path)
    if symbol is None or file is None:
        return _anything
    traits = traits_of(file.language)
    owner = resolver.owner(target)
    owner_symbol = symbol_of(owner) if owner is not None else None
    if owner_symbol is not None and symbol.name in traits.constructors:
        return _constructors(resolver.tree, symbol.name, owner_symbol.name)
    if traits.family not in _STRICT:
        return _anything
    if owner is not None and symbol.kind in CALLABLE | VALUES:
        return _members(target.path)
    if symbol.parent < 0 and symbol.qualified == symbol.name:
        return _top_level(target.path)
    return _anything


def _anything(file: FileSymbols, use: Use) -> bool:
    del file, use
    return True


def _members(home: str) -> Callable[[FileSymbols, Use], bool]:
    """Take uses with a receiver only, but for the file that the member is in."""

    def may_mean(file: FileSymbols, use: Use) -> bool:
        return bool(use.receiver and use.kind != "import") or file.path == home

    return may_mean


def _top_level(home: str) -> Callable[[FileSymbols, Use], bool]:
    """Take uses of what is imported, and members of what is imported or defined in the file."""

    def may_mean(file: FileSymbols, use: Use) -> bool:
        if not use.receiver or use.kind == "import" or file.path == home:
            return True
        traits = traits_of(file.language)
        if use.receiver in traits.own | traits.own_type | traits.parent:
            return False
        root = _ROOT.match(use.receiver)
        if root is None:
            return False
        return root[0] in file.imports or traits.family != "python"

    return may_mean


def _constructors(tree: Tree, name: str, owner: str) -> Callable[[FileSymbols, Use], bool]:
    """Take what makes the type, and calls of the inherited constructor by what extends it."""
    heirs: set[str] = set()

    def may_mean(file: FileSymbols, use: Use) -> bool:
        if use.name != name or name == owner or use.kind == "import":
            return True
        if not heirs:
            heirs.update(heirs_of(tree, owner))
        if len(heirs) > MAX_HEIRS:
            return True
        return any(one.name in heirs for one in file.heritage) or owner in use.receiver

    return may_mean


def _heirs_in(file: FileSymbols) -> dict[str, set[str]]:
    """Return by the name of what is extended the names of what extends it in one file."""
    found: dict[str, set[str]] = {}
    for use in file.heritage:
        index = file.around(use.line)
        if index >= 0:
            found.setdefault(use.name, set()).add(file.symbols[index].name)
    return found


def heirs_of(tree: Tree, name: str) -> set[str]:
    """Return the names of a type and of all that extend it, whatever else is called so."""
    found, edge = {name}, {name}
    while edge and len(found) <= MAX_HEIRS:
        using = tree.using(edge)
        reached: set[str] = set()
        for file in tree.files(sorted({path for paths in using.values() for path in paths})):
            heirs = tree.keep(f"heirs in {file.path}", partial(_heirs_in, file))
            for one in edge & heirs.keys():
                reached |= heirs[one]
        edge = reached - found
        found |= edge
    return found
