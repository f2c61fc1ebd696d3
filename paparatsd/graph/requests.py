"""Who asks for a route over HTTP, and what a function asks for: from project to project too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph.byname import MAX_MEANINGS
from paparatsd.graph.routes import answering, fit, routes_of, stated
from paparatsd.graph.source import Target
from paparatsd.graph_model import Certainty

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paparatsd.graph.ground import Ground
    from paparatsd.graph.source import Tree
    from paparatsd.model import Fact


@dataclass(frozen=True, slots=True)
class Asking:
    """A request of `user` that `used` answers."""

    user: Target
    used: Target
    certainty: Certainty
    line: int
    name: str
    note: str


@dataclass(frozen=True, slots=True)
class _Stated:
    """A route or request and where it is stated."""

    tree: Tree
    path: str
    fact: Fact


class Requests:
    """Matches requests and routes of one ground. Paths are all that is compared, thus never exact.

    Of several routes that fit, those that spell out most of the path are meant, and of these those
    nearest to the request: in its function, its file, its project.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._routes: dict[tuple[int, str, int, str, str], tuple[_Stated, ...]] = {}

    def into(self, target: Target) -> Iterator[Asking]:
        """Yield the requests that a definition answers, of all projects asked about."""
        resolver = self._ground.resolver(target.tree)
        own = routes_of(resolver, target)
        for tree in self._ground.users_of(target.tree) if own else ():
            for path, fact in stated(tree, "request"):
                for at, route in own:
                    if fit(route.name, fact.name, ends=True) > 0:
                        meant = self._meant(_Stated(tree, path, fact))
                        if any(one.path == at and one.fact == route for one in meant):
                            user = Target(tree, path, fact.scope)
                            yield _asking(user, target, fact, route, len(meant))
                            break

    def out_of(self, target: Target) -> Iterator[Asking]:
        """Yield the requests that a definition makes and that some project answers."""
        file = target.tree.file(target.path)
        for fact in file.facts_of("request") if file is not None else ():
            if not _is_inside(target, fact):
                continue
            meant = self._meant(_Stated(target.tree, target.path, fact))
            for one in meant:
                home = one.tree.file(one.path)
                if home is not None:
                    for used in answering(self._ground.resolver(one.tree), home, one.fact):
                        yield _asking(target, used, fact, one.fact, len(meant))

    def _meant(self, request: _Stated) -> Sequence[_Stated]:
        """Return the routes that a request most likely asks for; none when too many fit."""
        fact, tree = request.fact, request.tree
        key = (tree.project_id, request.path, fact.scope, fact.name, fact.type)
        known = self._routes.get(key)
        if known is None:
            known = self._routes[key] = self._look(request)
        return known

    def _look(self, request: _Stated) -> tuple[_Stated, ...]:
        found: list[_Stated] = []
        best: tuple[int, bool, bool, bool] = (0, False, False, False)
        tree = request.tree
        for other in (tree, *self._ground.group_of(tree)):
            for path, fact in stated(other, "route"):
                worth = fit(fact.name, request.fact.name, ends=not request.fact.type)
                beside = other is tree and path == request.path
                rank = (worth, beside and fact.scope == request.fact.scope, beside, other is tree)
                if worth and rank >= best:
                    found = found if rank == best else []
                    best = rank
                    found.append(_Stated(other, path, fact))
        return tuple(found) if len(found) <= MAX_MEANINGS else ()


def _is_inside(target: Target, fact: Fact) -> bool:
    if target.index < 0:
        return fact.scope < 0
    file = target.tree.file(target.path)
    symbol = file.symbols[target.index] if file is not None else None
    return symbol is not None and symbol.start_line <= fact.line <= symbol.end_line


def _asking(user: Target, used: Target, asked: Fact, route: Fact, meant: int) -> Asking:
    """Make what is told; a host that is written out may be somebody else's."""
    sure = meant == 1 and not asked.type
    parts = [f"answers {route.name}"] if route.name != asked.name else []
    parts += [f"at {asked.type}"] if asked.type else []
    parts += [f"one of {meant} routes that it may mean"] if meant > 1 else []
    certainty = Certainty.INFERRED if sure else Certainty.AMBIGUOUS
    return Asking(user, used, certainty, asked.line, asked.name, ", ".join(parts))
