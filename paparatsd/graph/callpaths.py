"""How one symbol comes to call another: the shortest chains, searched from both ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.graph.byname import symbol_of
from paparatsd.graph.files import TYPES
from paparatsd.graph.links import Linker
from paparatsd.graph.pick import pick_one
from paparatsd.graph.refs import Refs
from paparatsd.graph.slices import Stopwatch
from paparatsd.graph_model import (
    CallPath,
    Certainty,
    Edge,
    PathsAnswer,
    PathsRequest,
    Relation,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from paparatsd.graph.ground import Ground
    from paparatsd.graph.links import Key, Link
    from paparatsd.graph.slices import Steps
    from paparatsd.graph.source import Target

MAX_HOPS = 12
MAX_LIMIT = 20
MAX_ENDS = 5
"""Definitions of a name that are taken as ends."""
MAX_EXPANDED = 1_500
"""Symbols whose calls are looked at in one search."""
SEARCH_S = 10.0
"""How long they are looked at."""

_FOLLOWED = frozenset({Relation.CALLS, Relation.TESTS, Relation.REFERENCES, Relation.REQUESTS})


def call_paths(ground: Ground, request: PathsRequest) -> Steps[PathsAnswer]:
    """Return the shortest chains of calls. Raises BadQuery, UnknownAddress."""
    if not 1 <= request.max_hops <= MAX_HOPS:
        raise BadQuery(f"max_hops is {request.max_hops}; it must be between 1 and {MAX_HOPS}")
    if not 1 <= request.limit <= MAX_LIMIT:
        raise BadQuery(f"limit is {request.limit}; it must be between 1 and {MAX_LIMIT}")
    sources = pick_one(ground, request.source)[:MAX_ENDS]
    targets = pick_one(ground, request.target)[:MAX_ENDS]
    search = _Search(ground, request.max_hops)
    found = yield from search.run(sources, targets)
    chains = found[: request.limit]
    refs = Refs(ground)
    notes: tuple[str, ...] = ()
    if search.gave_up:
        notes = (f"Looked at the calls of {search.expanded} symbols, and then gave up.",)
    return PathsAnswer(
        tuple(refs.of(one) for one in sources),
        tuple(refs.of(one) for one in targets),
        tuple(_path(refs, chain) for chain in chains),
        notes=notes,
    )


@dataclass(slots=True)
class _Front:
    """What has been reached from one end: by symbol the hops to it and the links into it."""

    hops: dict[Key, int]
    links: dict[Key, list[Link]]
    nodes: dict[Key, Target]
    edge: list[Target]
    depth: int = 0

    @classmethod
    def of(cls, targets: Sequence[Target]) -> _Front:
        """Begin at these symbols."""
        nodes = {one.key: one for one in targets}
        return cls(dict.fromkeys(nodes, 0), {}, nodes, list(nodes.values()))


@dataclass(slots=True)
class _Search:
    """Grows the smaller of two fronts until they meet (bidirectional breadth-first search)."""

    ground: Ground
    max_hops: int
    gave_up: bool = False
    expanded: int = 0
    _linker: Linker = field(init=False)
    _watch: Stopwatch = field(default_factory=lambda: Stopwatch(SEARCH_S))

    def __post_init__(self) -> None:
        self._linker = Linker(self.ground)

    def run(self, sources: Sequence[Target], targets: Sequence[Target]) -> Steps[list[list[Link]]]:
        """Return the shortest chains of links from a source to a target, the surest first."""
        ahead = _Front.of([one for source in sources for one in self._bodies(source)])
        back = _Front.of(targets)
        while ahead.edge and back.edge and ahead.depth + back.depth < self.max_hops:
            if self.gave_up:
                break
            if len(ahead.edge) <= len(back.edge):
                yield from self._grow(ahead, forward=True)
            else:
                yield from self._grow(back, forward=False)
            meeting = [key for key in ahead.hops if key in back.hops]
            if meeting:
                return self._chains(ahead, back, meeting)
        return []

    def _grow(self, front: _Front, *, forward: bool) -> Steps[None]:
        front.depth += 1
        reached: dict[Key, Target] = {}
        if not forward:
            self._linker.prepare(front.edge)
        for one in front.edge:
            yield
            self.expanded += 1
            if self.expanded > MAX_EXPANDED or self._watch.is_over:
                self.gave_up = True
                break
            with self._watch:
                following = list(self._next(one, forward=forward))
            for link, other in following:
                if front.hops.setdefault(other.key, front.depth) == front.depth:
                    front.links.setdefault(other.key, []).append(link)
                    reached.setdefault(other.key, other)
        front.nodes.update(reached)
        front.edge = list(reached.values())

    def _next(self, one: Target, *, forward: bool) -> Iterator[tuple[Link, Target]]:
        found = self._linker.out_of(one) if forward else self._linker.into(one)
        for link in found.found:
            if link.relation not in _FOLLOWED or link.certainty is Certainty.AMBIGUOUS:
                continue
            if not forward:
                if link.user.index >= 0:
                    yield link, link.user
                continue
            for body in self._bodies(link.used):
                yield link, body
            yield link, link.used

    def _bodies(self, target: Target) -> Iterator[Target]:
        """Yield what runs when something is called: of a type its constructors, and itself."""
        symbol = symbol_of(target)
        if symbol is not None and symbol.kind in TYPES:
            yield from self.ground.resolver(target.tree).constructors(target)
        yield target

    def _chains(self, ahead: _Front, back: _Front, meeting: Iterable[Key]) -> list[list[Link]]:
        shortest = min(ahead.hops[key] + back.hops[key] for key in meeting)
        found: dict[tuple[Key, ...], list[Link]] = {}
        for key in meeting:
            if ahead.hops[key] + back.hops[key] > shortest:
                continue
            for first in _trails(ahead, key, forward=True):
                for second in _trails(back, key, forward=False):
                    chain = [*first, *second]
                    steps = tuple(link.user.key for link in chain)
                    found.setdefault(steps, chain)
                    if len(found) >= MAX_LIMIT:
                        break
        return sorted(found.values(), key=_surety)


def _trails(front: _Front, key: Key, *, forward: bool) -> Iterator[list[Link]]:
    """Yield the links between the beginning of a front and a symbol, in the order of the calls."""
    if front.hops[key] == 0:
        yield []
        return
    for link in front.links[key][:MAX_LIMIT]:
        other = link.user if forward else link.used
        for trail in _trails(front, other.key, forward=forward):
            yield [*trail, link] if forward else [link, *trail]


def _surety(chain: Sequence[Link]) -> tuple[int, tuple[str, ...]]:
    unsure = sum(link.certainty is not Certainty.EXACT for link in chain)
    return unsure, tuple(link.user.path for link in chain)


def _path(refs: Refs, chain: Sequence[Link]) -> CallPath:
    ends = [link.user for link in chain] + [link.used for link in chain[-1:]]
    edges = tuple(
        Edge(
            link.relation,
            link.certainty,
            refs.of(link.used),
            (link.line,),
            link.name,
            link.cross,
            link.note,
        )
        for link in chain
    )
    return CallPath(tuple(refs.of(one) for one in ends), edges)
