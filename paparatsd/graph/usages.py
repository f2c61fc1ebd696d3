"""Who uses a symbol, and what it uses: edges with their relation, certainty and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.graph.byname import MAX_MEANINGS, distance
from paparatsd.graph.links import Linker, is_crowded
from paparatsd.graph.pick import pick, pick_one
from paparatsd.graph.refs import Refs
from paparatsd.graph_model import (
    Certainty,
    Direction,
    Edge,
    Relation,
    Side,
    Usages,
    UsagesAnswer,
    UsagesRequest,
)
from paparatsd.sources.globs import PathMatcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from paparatsd.graph.ground import Ground
    from paparatsd.graph.links import Link, Links
    from paparatsd.graph.slices import Steps
    from paparatsd.graph.source import Target

MAX_FOUND = 5
"""Definitions of one name whose users are told in one answer."""
MAX_LIMIT = 200
MAX_LINES = 50

SURENESS = {Certainty.EXACT: 0, Certainty.INFERRED: 1, Certainty.AMBIGUOUS: 2}


def usages(ground: Ground, request: UsagesRequest) -> Steps[UsagesAnswer]:
    """Return users and used of what is asked for. Raises BadQuery, UnknownAddress."""
    _check(request)
    picked = pick(ground, request.at)
    targets = picked.targets or pick_one(ground, request.at)
    notes = []
    if picked.meant > MAX_FOUND:
        notes.append(
            f"{picked.name!r} is defined in {picked.meant} places; shown are the users of the "
            f"{MAX_FOUND} likeliest. The address of one asks for it alone."
        )
    teller = Teller(ground, request)
    found = []
    for target in targets[:MAX_FOUND]:
        yield
        found.append(teller.tell(target))
    notes += teller.notes(targets[:MAX_FOUND])
    return UsagesAnswer(request.at, tuple(found), max(picked.meant, len(found)), notes=tuple(notes))


def _check(request: UsagesRequest) -> None:
    if not 1 <= request.limit <= MAX_LIMIT:
        raise BadQuery(f"limit is {request.limit}; it must be between 1 and {MAX_LIMIT}")
    if request.offset < 0:
        raise BadQuery(f"offset is {request.offset}; it counts edges from 0")


class Teller:
    """Tells the sides of symbols, as one request wants them."""

    def __init__(self, ground: Ground, request: UsagesRequest) -> None:
        self._request = request
        self._linker = Linker(ground)
        self._refs = Refs(ground)
        self._matcher = PathMatcher(request.scope.paths)
        self._crowded = False

    def tell(self, target: Target) -> Usages:
        """Return the sides of one symbol that were asked for."""
        incoming = outgoing = None
        if self._request.direction is not Direction.OUTGOING:
            incoming = self._side(self._linker.into(target), target, incoming=True)
        if self._request.direction is not Direction.INCOMING:
            outgoing = self._side(self._linker.out_of(target), target, incoming=False)
        return Usages(self._refs.of(target), incoming, outgoing)

    def notes(self, targets: Sequence[Target]) -> list[str]:
        """Return what a reader must know of these answers."""
        if self._crowded and any(is_crowded(one) for one in targets):
            return [
                f"The name is defined in more than {MAX_MEANINGS} places: of its uses only those "
                "are counted that say which one they mean."
            ]
        return []

    def _side(self, links: Links, target: Target, *, incoming: bool) -> Side:
        self._crowded = self._crowded or links.crowded
        kept = [link for link in links.found if self._wants(link, incoming=incoming)]
        self._refs.prepare({one.key: one for one in others_of(kept, incoming=incoming)}.values())
        edges = [
            edge
            for edge in edges_of(kept, self._refs, incoming=incoming)
            if (self._request.hubs or not edge.symbol.hub)
            and (self._request.tests or not edge.symbol.test)
        ]
        edges = order_edges(edges, target.path)
        first, limit = self._request.offset, self._request.limit
        more = first + limit if first + limit < len(edges) else None
        return Side(tuple(edges[first : first + limit]), len(edges), more, links.capped)

    def _wants(self, link: Link, *, incoming: bool) -> bool:
        wanted = self._request.relations
        if wanted and link.relation not in wanted:
            return False
        return self._matcher.matches(_other(link, incoming=incoming).path)


def edges_of(links: Iterable[Link], refs: Refs, *, incoming: bool) -> list[Edge]:
    """Return one edge for all links of one relation to one symbol that are equally sure."""
    grouped: dict[tuple[object, Relation, Certainty], list[Link]] = {}
    for link in links:
        other = _other(link, incoming=incoming)
        grouped.setdefault((other.key, link.relation, link.certainty), []).append(link)
    return [_edge(some, refs, incoming=incoming) for some in grouped.values()]


def _edge(links: Sequence[Link], refs: Refs, *, incoming: bool) -> Edge:
    best = min(links, key=lambda one: one.line)
    lines = sorted({one.line for one in links})
    return Edge(
        relation=best.relation,
        certainty=best.certainty,
        symbol=refs.of(_other(best, incoming=incoming)),
        lines=tuple(lines[:MAX_LINES]),
        name=best.name,
        cross=best.cross,
        note=best.note,
    )


def _other(link: Link, *, incoming: bool) -> Target:
    return link.user if incoming else link.used


def others_of(links: Iterable[Link], *, incoming: bool) -> Iterator[Target]:
    """Yield the ends of links that are not the symbol asked about."""
    return (_other(link, incoming=incoming) for link in links)


def order_edges(edges: Iterable[Edge], path: str) -> list[Edge]:
    """Order edges: the sure ones first, imports last, then by nearness to a file, then by place."""
    return sorted(
        edges,
        key=lambda one: (
            SURENESS[one.certainty],
            one.relation is Relation.IMPORTS,
            distance(path, one.symbol.path),
            (one.symbol.project, one.symbol.path),
            one.lines,
        ),
    )
