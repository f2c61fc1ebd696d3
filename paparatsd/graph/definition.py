"""Where what is named, or stands at a place, is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.graph.pick import Picked, pick
from paparatsd.graph.refs import Refs, local_ref
from paparatsd.graph_model import (
    Certainty,
    Defined,
    DefinitionAnswer,
    DefinitionRequest,
)

if TYPE_CHECKING:
    from paparatsd.graph.ground import Ground

MAX_LIMIT = 50


def definition(ground: Ground, request: DefinitionRequest) -> DefinitionAnswer:
    """Return the definitions that are meant. Raises BadQuery, UnknownAddress."""
    if not 1 <= request.limit <= MAX_LIMIT:
        raise BadQuery(f"limit is {request.limit}; it must be between 1 and {MAX_LIMIT}")
    picked = pick(ground, request.at)
    if picked.local is not None and not picked.targets:
        local = Defined(local_ref(*picked.local), Certainty.EXACT, "bound here, inside a function")
        return DefinitionAnswer(request.at, picked.name, (local,), 1)
    shown = picked.targets[: request.limit]
    refs = Refs(ground)
    refs.prepare(shown)
    found = tuple(Defined(refs.of(target), picked.certainty) for target in shown)
    return DefinitionAnswer(
        request.at,
        picked.name,
        found,
        max(picked.meant, len(picked.targets)),
        external=picked.external,
        notes=_notes(picked),
    )


def _notes(picked: Picked) -> tuple[str, ...]:
    if picked.targets:
        return ()
    if picked.external:
        return (f"{picked.name!r} comes from {picked.external!r}, which no project here defines.",)
    if picked.crowded:
        return (f"{picked.name!r} is defined in more than 50 places, any of which may be meant.",)
    return (f"Nothing in the source tells what {picked.name!r} stands for here.",)
