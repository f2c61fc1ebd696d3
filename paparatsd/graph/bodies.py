"""What is declared in one place and defined in another: C, C++, Objective-C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.graph.byname import MAX_MEANINGS, symbol_of
from paparatsd.graph.files import CALLABLE
from paparatsd.graph.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paparatsd.graph.parts import Parts
    from paparatsd.graph.source import Target
    from paparatsd.model import Symbol


def with_bodies(targets: tuple[Target, ...], parts: Parts) -> tuple[Target, ...]:
    """Return targets with the bodies of what is declared and what declares the bodies.

    Bodies come first. Where a function is defined in several files that include its declaration,
    one for each platform, all are meant.
    """
    bodies: list[Target] = []
    declarations: list[Target] = []
    for one in targets:
        file = one.tree.file(one.path)
        if file is None or one.index < 0 or not traits_of(file.language).apart:
            continue
        symbol = file.symbols[one.index]
        if symbol.kind not in CALLABLE:
            continue
        others = list(_namesakes(one, symbol))
        if is_declaration(symbol):
            found = [other for other, body in others if body]
            bodies += parts.including(one, found) if found[1:] else found
        else:
            bodies.append(one)
            found = [other for other, body in others if not body]
            declarations += parts.declared_for(one, found)
    if not bodies and not declarations:
        return targets
    return tuple(dict.fromkeys((*bodies, *targets, *declarations)))


def _namesakes(place: Target, symbol: Symbol) -> Iterator[tuple[Target, bool]]:
    """Yield the other functions of the same qualified name, and whether they have a body."""
    found = place.tree.defining([symbol.name])[symbol.name]
    for one in found if len(found) <= MAX_MEANINGS else ():
        other = symbol_of(one)
        if (
            other is not None
            and one.key != place.key
            and other.kind in CALLABLE
            and other.qualified == symbol.qualified
            and ((other.exported and symbol.exported) or one.path == place.path)
        ):
            yield one, not is_declaration(other)


def is_declaration(symbol: Symbol) -> bool:
    """Say whether a function is declared without a body."""
    return symbol.signature.rstrip().endswith(";")


def only_body(targets: Sequence[Target]) -> Target | None:
    """Return the one definition among declarations of the same name, None when there are more."""
    symbols = [(one, symbol) for one in targets if (symbol := symbol_of(one)) is not None]
    bodies = [
        one for one, symbol in symbols if symbol.kind in CALLABLE and not is_declaration(symbol)
    ]
    alone = len({symbol.qualified for _, symbol in symbols}) == 1 and len(bodies) == 1
    return bodies[0] if alone and len(targets) > 1 else None
