"""Routes by what they answer: "GET /users" names its handler."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from paparatsd.graph.byname import symbol_of
from paparatsd.graph.source import Target
from paparatsd.model import Use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.resolve import Resolver
    from paparatsd.graph.source import Tree
    from paparatsd.model import Fact

_ROUTE = re.compile(
    r"(?P<method>GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|ANY|ALL)\s+(?P<path>/\S*)", re.IGNORECASE
)
_PARAMETER = re.compile(r":\w+|\{[^}]*\}|<[^>]*>|\*\w*")
_ANY = frozenset({"ANY", "ALL", "*", ""})
_REST = "{*}"
_WHOLE = 1_000
"""What a path that fits as a whole is worth beside those that only end alike."""


def is_route(text: str) -> bool:
    """Say whether a text is a method and a path."""
    return _ROUTE.fullmatch(text.strip()) is not None


def handlers(resolvers: Sequence[Resolver], text: str) -> Sequence[Target]:
    """Return what answers a route; parameters fit whatever they are called or filled with.

    Of several routes that fit those are meant that spell out most of the path, in all projects.
    """
    match = _ROUTE.fullmatch(text.strip())
    if match is None:
        return ()
    asked = f"{match['method'].upper()} {match['path']}"
    names = {name for resolver in resolvers for name in resolver.tree.labels("route")}
    fits = {name: fit(name, asked) for name in names}
    best = max(fits.values(), default=0)
    found: dict[tuple[int, str, int], Target] = {}
    for resolver in resolvers if best >= _WHOLE else ():
        for path, fact in stated(resolver.tree, "route"):
            file = resolver.tree.file(path) if fits.get(fact.name) == best else None
            for target in answering(resolver, file, fact) if file is not None else ():
                found.setdefault(target.key, target)
    return tuple(found.values())


def stated(tree: Tree, kind: str) -> Sequence[tuple[str, Fact]]:
    """Return all routes or requests of a project with the files that state them."""

    def read() -> tuple[tuple[str, Fact], ...]:
        paths = sorted({path for some in tree.labels(kind).values() for path in some})
        return tuple(
            (file.path, fact) for file in tree.files(paths) for fact in file.facts_of(kind)
        )

    return tree.keep(f"stated {kind}", read)


def fit(route: str, asked: str, *, ends: bool = False) -> int:
    """Return how well a route fits what is asked for, 0 when it does not.

    With `ends`, the shorter path may be the end of the longer one: routers are mounted, and clients
    have a base, elsewhere. Then the ends must have a segment in common that is spelled out.
    """
    (method, own), (wanted, path) = _split(route), _split(asked)
    if method != wanted and method not in _ANY and wanted not in _ANY:
        return 0
    if own and own[-1] == _REST and len(path) >= len(own):
        path = (*path[: len(own) - 1], _REST)
    if len(own) == len(path):
        same = _same(own, path)
        return 0 if same < 0 else _WHOLE + same
    length = min(len(own), len(path))
    if not ends or length == 0:
        return 0
    return max(_same(own[-length:], path[-length:]), 0)


@lru_cache(maxsize=16_384)
def _split(name: str) -> tuple[str, tuple[str, ...]]:
    method, _, path = name.partition(" ")
    return method.upper(), tuple(part for part in path.split("/") if part)


def _same(own: Sequence[str], path: Sequence[str]) -> int:
    """Return how many segments are spelled alike, -1 when the paths differ."""
    alike = 0
    for one, other in zip(own, path, strict=True):
        if one == other and one[:1] != "{":
            alike += 1
        elif one != other and _PARAMETER.search(one) is None:
            return -1
    return alike


def answering(resolver: Resolver, file: FileSymbols, fact: Fact) -> Sequence[Target]:
    """Return what a route fact says answers it."""
    if not fact.value:
        return (Target(resolver.tree, file.path, fact.scope),)
    receiver, _, name = fact.value.rpartition(".")
    use = Use(name, "value", fact.line, receiver)
    return resolver.resolve(file, use).targets or (Target(resolver.tree, file.path, fact.scope),)


def routes_of(resolver: Resolver, target: Target) -> Sequence[tuple[str, Fact]]:
    """Return the routes that a definition answers, with the files that state them."""
    symbol = symbol_of(target)
    found = []
    for path, fact in stated(target.tree, "route"):
        own = path == target.path and fact.scope == target.index
        named = symbol is not None and fact.value.rpartition(".")[2] == symbol.name
        if own if not fact.value else (own or named):
            file = target.tree.file(path)
            answers = answering(resolver, file, fact) if file is not None else ()
            if any(one.key == target.key for one in answers):
                found.append((path, fact))
    return found


def may_answer(tree: Tree, file: FileSymbols, index: int) -> bool:
    """Say whether a definition may answer some route, as far as a glance at it tells."""

    def read() -> frozenset[str]:
        values = (fact.value for _, fact in stated(tree, "route"))
        return frozenset(value.rpartition(".")[2] for value in values if value)

    return file.symbols[index].name in tree.keep("answering", read) or any(
        fact.scope == index for fact in file.facts_of("route")
    )
