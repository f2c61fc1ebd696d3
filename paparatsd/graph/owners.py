"""Types and what they own: whose member a definition is, what it overrides, what makes a type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.graph.byname import MAX_MEANINGS, distance, symbol_of
from paparatsd.graph.files import TYPES
from paparatsd.graph.source import Target
from paparatsd.graph.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph.members import Members


def owner_of(target: Target) -> Target | None:
    """Return the type that a definition is a member of."""
    file = target.tree.file(target.path)
    if file is None or target.index < 0:
        return None
    symbol = file.symbols[target.index]
    if symbol.parent >= 0:
        inside = file.symbols[symbol.parent].kind in TYPES
        return Target(target.tree, target.path, symbol.parent) if inside else None
    qualified = symbol.qualified.rpartition(".")[0]
    for at in file.qualified(qualified) if qualified else ():
        if file.symbols[at].kind in TYPES:
            return Target(target.tree, target.path, at)
    return _owner_elsewhere(target, qualified)


def _owner_elsewhere(target: Target, qualified: str) -> Target | None:
    name = qualified.rpartition(".")[2]
    places = target.tree.defining([name])[name] if name else ()
    near = sorted(places, key=lambda one: distance(target.path, one.path))[:MAX_MEANINGS]
    found = [
        one
        for one in near
        if (symbol := symbol_of(one)) is not None
        and symbol.kind in TYPES
        and symbol.qualified == qualified
    ]
    return found[0] if found else None


def overridden_by(members: Members, target: Target) -> Sequence[Target]:
    """Return the inherited members whose place a method takes, nearest first."""
    owner, symbol = owner_of(target), symbol_of(target)
    if owner is None or symbol is None:
        return ()
    return [
        found
        for above in members.lineage(owner).types[1:]
        for found in members.own(above, symbol.name)
    ]


def constructors_of(members: Members, target: Target) -> Sequence[Target]:
    """Return what runs when a type is called or made; nothing for what is no type."""
    symbol = symbol_of(target)
    if symbol is None or symbol.kind not in TYPES:
        return ()
    for name in traits_of(_language(target)).constructors:
        found = members.find(target, symbol.name if name == "=" else name)
        if found:
            return found
    return ()


def _language(target: Target) -> str:
    file = target.tree.file(target.path)
    return "" if file is None else file.language
