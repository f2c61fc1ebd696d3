"""Neighbours of what a search has found: what is around, what it calls, who uses and tests it.

Addresses only: what a reader may want to open next, in one line each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from paparatsd.graph.byname import distance
from paparatsd.graph.files import CALLABLE, TYPES
from paparatsd.graph.links import Linker
from paparatsd.graph.refs import Refs, is_test_path
from paparatsd.graph.source import Target
from paparatsd.graph_model import Certainty, Relation
from paparatsd.search_model import Neighbour

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from paparatsd.graph.asked import Found
    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.ground import Ground
    from paparatsd.graph.links import Link
    from paparatsd.graph.source import Tree

MAX_RELATED = 5
"""Neighbours of one hit."""
MAX_HITS = 10
"""Hits that get neighbours: the first ones."""
MAX_EXAMINED = 120
"""Uses of a hit's name that are looked at, the nearest first."""
ORDER = ("inside", "called_by", "calls", "tested_by", "extended_by", "extends", "used_by")
"""Relations in the order in which they take turns."""

_BACK: Mapping[Relation, str] = MappingProxyType(
    {
        Relation.CALLS: "called_by",
        Relation.INHERITS: "extended_by",
        Relation.OVERRIDES: "extended_by",
        Relation.REFERENCES: "used_by",
        Relation.REQUESTS: "called_by",
        Relation.TESTS: "tested_by",
    }
)
_FORTH: Mapping[Relation, str] = MappingProxyType(
    {
        Relation.CALLS: "calls",
        Relation.TESTS: "calls",
        Relation.REQUESTS: "calls",
        Relation.INHERITS: "extends",
        Relation.OVERRIDES: "extends",
    }
)
_TEST_MARKS = ("test", "tests", "spec", "specs", "suite", "bench")


def related(ground: Ground, found: Sequence[Found]) -> tuple[tuple[Neighbour, ...], ...]:
    """Return the neighbours of the first MAX_HITS hits, at most MAX_RELATED each."""
    finder = _Finder(ground)
    return tuple(_fair(finder.around(hit)) for hit in found[:MAX_HITS])


@dataclass(slots=True)
class _Place:
    """One hit in its file; `target` is the definition that it is named after, if it is one."""

    hit: Found
    tree: Tree
    file: FileSymbols
    target: Target | None


class _Finder:
    """Looks around hits of one ground."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._linker = Linker(ground, MAX_EXAMINED)
        self._refs = Refs(ground)

    def around(self, hit: Found) -> Iterator[Neighbour]:
        """Yield the neighbours of one hit, none when its file is not shown any more."""
        tree = next((one for one in self._ground.trees if one.name == hit.project), None)
        file = None if tree is None else tree.file(hit.path)
        if tree is None or file is None:
            return
        place = _Place(hit, tree, file, _named(tree, file, hit))
        yield from self._holder(place)
        yield from self._used(place)
        yield from self._users(place)
        yield from self._tests(place)

    def _holder(self, place: _Place) -> Iterator[Neighbour]:
        """Yield what the hit lies in, when that begins outside of it."""
        hit = place.hit
        held = [
            (one.end_line - one.start_line, index)
            for index, one in enumerate(place.file.symbols)
            if one.kind in TYPES | CALLABLE
            and one.start_line < hit.start_line
            and one.end_line >= hit.end_line
            and one.qualified != hit.symbol
        ]
        if held:
            yield self._of("inside", Certainty.EXACT, Target(place.tree, hit.path, min(held)[1]))

    def _used(self, place: _Place) -> Iterator[Neighbour]:
        """Yield what the lines of the hit call and extend."""
        for link in self._linker.out_of_lines(
            place.tree, place.file, place.hit.start_line, place.hit.end_line
        ):
            relation = _FORTH.get(link.relation)
            if relation is not None and _is_told(link) and not _within(place, link.used):
                yield self._of(relation, link.certainty, link.used)

    def _users(self, place: _Place) -> Iterator[Neighbour]:
        if place.target is None:
            return
        for link in self._linker.into(place.target).found:
            relation = _BACK.get(link.relation)
            if relation is None or not _is_told(link) or _within(place, link.user):
                continue
            user = self._of(relation, link.certainty, link.user)
            yield replace(user, line=link.line)

    def _tests(self, place: _Place) -> Iterator[Neighbour]:
        """Yield the test file that is named after the hit's file."""
        path = place.hit.path
        if is_test_path(path):
            return
        stem = _plain_stem(path)
        named = [
            one
            for one in _test_paths(place.tree)
            if stem in one.lower() and _is_named_after(one, path, stem)
        ]
        if named:
            nearest = min(named, key=lambda one: distance(path, one))
            yield self._of("tested_by", Certainty.INFERRED, Target(place.tree, nearest, -1))

    def _of(self, relation: str, certainty: Certainty, target: Target) -> Neighbour:
        ref = self._refs.of(target)
        name = ref.qualified if target.index >= 0 else ref.path.rpartition("/")[2]
        return Neighbour(
            relation, certainty.value, ref.address, name, ref.kind, ref.path, ref.start_line
        )


def _test_paths(tree: Tree) -> Sequence[str]:
    return tree.keep("test paths", lambda: tuple(filter(is_test_path, tree.paths)))


def _is_told(link: Link) -> bool:
    """Say whether a link is sure enough: a wrong neighbour costs more than a missing one."""
    return link.certainty is not Certainty.AMBIGUOUS


def _named(tree: Tree, file: FileSymbols, hit: Found) -> Target | None:
    """Return the definition that a hit is named after, when it is one to call or to be."""
    for index in file.qualified(hit.symbol) if hit.symbol else ():
        symbol = file.symbols[index]
        inside = hit.start_line <= symbol.start_line <= hit.end_line
        if inside and symbol.kind in CALLABLE | TYPES:
            return Target(tree, file.path, index)
    return None


def _within(place: _Place, target: Target) -> bool:
    """Say whether a definition begins in the lines that are shown anyway."""
    if target.path != place.hit.path or target.tree is not place.tree or target.index < 0:
        return False
    line = place.file.symbols[target.index].start_line
    return place.hit.start_line <= line <= place.hit.end_line


def _plain_stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower()


def _is_named_after(test: str, path: str, stem: str) -> bool:
    """Say whether a test's name is the file's with a mark, or the same in a like-named folder."""
    if _plain_stem(test) != stem:
        return _tested_stem(test) == stem
    folders = [one.rpartition("/")[0].rpartition("/")[2] for one in (test, path)]
    return folders[0] == folders[1] != ""


def _tested_stem(path: str) -> str:
    """Return what a test file's name says without its marks: `test_x`, `XTest`, `x.spec` -> x."""
    stem = _plain_stem(path)
    for mark in _TEST_MARKS:
        stem = stem.removeprefix(f"{mark}_").removeprefix(f"{mark}-")
        stem = stem.removesuffix(mark).rstrip("_-") if stem != mark else stem
    return stem


def _fair(found: Iterable[Neighbour]) -> tuple[Neighbour, ...]:
    """Let the relations take turns, the certain ones first, each address once."""
    queues: dict[str, list[Neighbour]] = {relation: [] for relation in ORDER}
    seen: set[str] = set()
    for one in sorted(found, key=lambda each: (each.certainty != Certainty.EXACT, each.relation)):
        if one.address not in seen:
            seen.add(one.address)
            queues[one.relation].append(one)
    out: list[Neighbour] = []
    while len(out) < MAX_RELATED and any(queues.values()):
        for relation in ORDER:
            if queues[relation] and len(out) < MAX_RELATED:
                out.append(queues[relation].pop(0))
    return tuple(sorted(out, key=lambda one: ORDER.index(one.relation)))
