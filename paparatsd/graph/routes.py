"""Routes by what they answer: "GET /users" names its handler."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.graph.source import Target
from paparatsd.model import Use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.resolve import Resolver
    from paparatsd.model import Fact

_ROUTE = re.compile(
    r"(?P<method>GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|ANY|ALL)\s+(?P<path>/\S*)", re.IGNORECASE
)
_PARAMETER = re.compile(r":\w+|\{[^}]*\}|<[^>]*>|\*\w*")
_ANY = frozenset({"ANY", "ALL", "*", ""})


def is_route(text: str) -> bool:
    """Say whether a text is a method and a path."""
    return _ROUTE.fullmatch(text.strip()) is not None


def handlers(resolver: Resolver, text: str) -> Sequence[Target]:
    """Return what answers a route; parameters fit whatever they are called or filled with."""
    match = _ROUTE.fullmatch(text.strip())
    if match is None:
        return ()
    method, path = match["method"].upper(), match["path"]
    found: dict[tuple[int, str, int], Target] = {}
    for name, paths in resolver.tree.labels("route").items():
        if _answers(name, method, path):
            for file in resolver.tree.files(paths):
                for fact in file.facts_of("route"):
                    if fact.name == name:
                        for target in _handler(resolver, file, fact):
                            found.setdefault(target.key, target)
    return tuple(found.values())


def _answers(route: str, method: str, path: str) -> bool:
    own_method, _, own_path = route.partition(" ")
    if own_method.upper() not in {*_ANY, method} and method not in _ANY:
        return False
    own, asked = own_path.strip("/").split("/"), path.strip("/").split("/")
    if len(own) != len(asked):
        return False
    return all(
        one == other or _PARAMETER.search(one) is not None
        for one, other in zip(own, asked, strict=True)
    )


def _handler(resolver: Resolver, file: FileSymbols, fact: Fact) -> Sequence[Target]:
    """Return what a route fact says answers it."""
    if not fact.value:
        return (Target(resolver.tree, file.path, fact.scope),)
    receiver, _, name = fact.value.rpartition(".")
    use = Use(name, "value", fact.line, receiver)
    return resolver.resolve(file, use).targets or (Target(resolver.tree, file.path, fact.scope),)
