"""Where what is named, or stands at a place, is defined."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.graph.pick import Picked, pick
from paparatsd.graph.place import used_in_line
from paparatsd.graph.refs import Refs, local_ref
from paparatsd.graph.routes import fit, is_route, routes_of
from paparatsd.graph_model import (
    Certainty,
    Defined,
    DefinitionAnswer,
    DefinitionRequest,
)

if TYPE_CHECKING:
    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.ground import Ground
    from paparatsd.graph.source import Target

MAX_LIMIT = 50
MAX_STATED = 5
"""Statements of one route that are told of."""


def definition(ground: Ground, request: DefinitionRequest) -> DefinitionAnswer:
    """Return the definitions that are meant. Raises BadQuery, UnknownAddress."""
    if not 1 <= request.limit <= MAX_LIMIT:
        raise BadQuery(f"limit is {request.limit}; it must be between 1 and {MAX_LIMIT}")
    picked = pick(ground, request.at)
    if picked.local is not None and not picked.targets:
        local = Defined(local_ref(*picked.local), Certainty.EXACT, "bound here, inside a function")
        return DefinitionAnswer(request.at, picked.name, (local,), 1)
    picked = _used(ground, picked)
    shown = picked.targets[: request.limit]
    refs = Refs(ground)
    refs.prepare(shown)
    found = tuple(
        Defined(refs.of(target), picked.certainty, _stated(ground, target, request.at))
        for target in shown
    )
    return DefinitionAnswer(
        request.at,
        picked.name,
        found,
        max(picked.meant, len(picked.targets)),
        external=picked.external,
        notes=_notes(picked),
    )


def _stated(ground: Ground, target: Target, at: str) -> str:
    """Return where it is stated that a definition answers the route that was asked for."""
    if not is_route(at):
        return ""
    routes = routes_of(ground.resolver(target.tree), target)
    fits = {fact.name: fit(fact.name, at.strip()) for _, fact in routes}
    places = [
        f"{fact.name} in {'' if path == target.path else f'{path} '}line {fact.line}"
        for path, fact in routes
        if fits[fact.name] == max(fits.values()) > 0
    ]
    more = len(places) - MAX_STATED
    return ", ".join(places[:MAX_STATED]) + (f" and {more} more" if more > 0 else "")


def _used(ground: Ground, picked: Picked) -> Picked:
    """Return, for a line in which nothing begins, what the names in it mean."""
    if picked.line is None or not picked.targets:
        return picked
    tree, file, line = picked.line
    begins = any(
        one.index >= 0 and file.symbols[one.index].start_line <= line <= _head(file, one.index)
        for one in picked.targets
    )
    used = () if begins else used_in_line(ground.resolver(tree), file, line)
    if not used:
        return picked
    return replace(picked, name=f"line {line}", targets=used, meant=len(used))


def _head(file: FileSymbols, index: int) -> int:
    symbol = file.symbols[index]
    return symbol.start_line + symbol.signature.count("\n")


def _notes(picked: Picked) -> tuple[str, ...]:
    if picked.targets:
        return ()
    if picked.external:
        return (f"{picked.name!r} comes from {picked.external!r}, which no project here defines.",)
    if picked.crowded:
        return (f"{picked.name!r} is defined in more than 50 places, any of which may be meant.",)
    return (f"Nothing in the source tells what {picked.name!r} stands for here.",)
