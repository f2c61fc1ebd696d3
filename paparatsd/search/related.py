"""Neighbours of hits by the symbol rows: what is around them, what they call, who calls them.

Addresses only: what a reader may want to open next, in one line each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.address import format_address, format_lines
from paparatsd.chunks.priors import Prior, path_priors
from paparatsd.search.resolve import CALLABLE, EXTRACTED, INFERRED, TYPES, Names, Place, is_test
from paparatsd.search_model import Neighbour

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from paparatsd.chunks.record import Definition
    from paparatsd.model import ProjectName, Use
    from paparatsd.search.resolve import SymbolReader, UserFile
    from paparatsd.search.scope import Scope
    from paparatsd.search.shelf import Shelf
    from paparatsd.search.views import ProjectView
    from paparatsd.search_model import Hit

MAX_RELATED = 5
"""Neighbours per hit."""
MAX_HITS = 10
"""Hits that get neighbours: the first ones."""
MAX_USER_FILES = 12
"""Files that use a hit's name and are read for where; the nearest first."""
MAX_USED_NAMES = 60
"""Used names of one hit that are looked up."""
ORDER = (
    "inside", "called_by", "calls", "tested_by", "extended_by", "extends", "used_by",
)  # fmt: skip
"""Relations in the order in which they take turns."""

_FORTH = {"call": "calls", "construct": "calls", "decorator": "calls", "inherit": "extends"}
_BACK = {
    "call": "called_by", "construct": "called_by", "decorator": "called_by",
    "inherit": "extended_by", "type": "used_by", "reference": "used_by",
}  # fmt: skip
_TEST_MARKS = ("test", "tests", "spec", "specs", "suite", "bench")


class Related:
    """Finds neighbours in one catalog."""

    def __init__(self, reader: SymbolReader, shelf: Shelf) -> None:
        self._reader = reader
        self._shelf = shelf

    def attach(
        self, hits: Sequence[Hit], scope: Scope, views: Sequence[ProjectView]
    ) -> tuple[Hit, ...]:
        """Return the hits, the first MAX_HITS with at most MAX_RELATED neighbours each."""
        names: dict[ProjectName, Names] = {}
        by_project = {one.name: view for one, view in zip(scope.projects, views, strict=True)}
        out = []
        for hit in hits[:MAX_HITS]:
            view = by_project[hit.project]
            if hit.project not in names:
                names[hit.project] = Names(self._reader, self._shelf, view)
            out.append(replace(hit, related=self._of(hit, view, names[hit.project])))
        return (*out, *hits[MAX_HITS:])

    def _of(self, hit: Hit, view: ProjectView, names: Names) -> tuple[Neighbour, ...]:
        row = view.row_of_path(hit.path)
        file = names.file(int(view.versions[row])) if row >= 0 else None
        if file is None:
            return ()
        finder = _Finder(hit, file, names)
        users = self._users(finder, view)
        found = [
            *finder.around(),
            *finder.used(),
            *(one for user in users for one in finder.users_in(user)),
            *_tests_of(hit, view),
        ]
        return _fair(found)

    def _users(self, finder: _Finder, view: ProjectView) -> list[UserFile]:
        """Return files of the view that use the hit's name, the nearest first."""
        if finder.named is None or not finder.names.places(finder.named.name):
            return []
        name = finder.named.name
        versions = self._reader.users_of([name]).get(name, {})
        ids = np.fromiter((int(one) for one in versions), np.int64, len(versions))
        rows = view.rows_of(ids)
        shown = [
            (int(one), view.paths[row]) for one, row in zip(ids, rows, strict=True) if row >= 0
        ]
        shown.sort(key=lambda one: _distance(finder.file.path, one[1]))
        files = (finder.names.file(version) for version, _ in shown[:MAX_USER_FILES])
        return [file for file in files if file is not None]


def _distance(path: str, other: str) -> tuple[bool, bool, int, str]:
    """Order files by nearness: this one, then what is no test or example, then by folders."""
    mine, theirs = path.split("/")[:-1], other.split("/")[:-1]
    shared = 0
    for one, two in zip(mine, theirs, strict=False):
        if one != two:
            break
        shared += 1
    aside = bool(path_priors(other) & (Prior.TEST | Prior.EXAMPLE | Prior.DOCS | Prior.VENDORED))
    return other != path, aside, len(mine) + len(theirs) - 2 * shared, other


@dataclass(frozen=True, slots=True)
class _Finder:
    """Looks around one hit, which lies in `file`."""

    hit: Hit
    file: UserFile
    names: Names

    @property
    def named(self) -> Definition | None:
        """The definition that the hit is named after, when it is one to call or to be."""
        for one in self.file.record.definitions:
            inside = self.hit.start_line <= one.start_line <= self.hit.end_line
            if one.qualified == self.hit.symbol and inside and one.kind in CALLABLE | TYPES:
                return one
        return None

    def around(self) -> Iterator[Neighbour]:
        """Yield what the hit lies in, when that begins outside of it."""
        first = self.hit.start_line
        held = [
            one
            for one in self.file.record.definitions
            if one.kind in TYPES | CALLABLE | {"impl"}
            and one.start_line < first
            and one.end_line >= self.hit.end_line
            and one.qualified != self.hit.symbol
        ]
        if held:
            inner = min(held, key=lambda one: one.end_line - one.start_line)
            yield self._neighbour(
                "inside", EXTRACTED, Place(self.file.version, self.file.path, inner)
            )

    def used(self) -> Iterator[Neighbour]:
        """Yield what the hit calls and extends, in its order."""
        lines = range(self.hit.start_line, self.hit.end_line + 1)
        uses = [use for use in self.file.uses if use.line in lines and use.kind in _FORTH]
        uses = uses[:MAX_USED_NAMES]
        self.names.look_up(use.name for use in uses)
        for use in uses:
            found = self.names.resolve(use, self.file)
            if found is not None and not self._within(found.place):
                yield self._neighbour(_FORTH[use.kind], found.certainty, found.place)

    def _within(self, place: Place) -> bool:
        inside = self.hit.start_line <= place.definition.start_line <= self.hit.end_line
        return place.version == self.file.version and inside

    def users_in(self, user: UserFile) -> Iterator[Neighbour]:
        """Yield the places in a file that use what the hit is named after."""
        named = self.named
        if named is None:
            return
        key = Place(self.file.version, self.file.path, named).key
        for use in user.uses:
            if use.name != named.name or use.kind not in _BACK:
                continue
            if user.version == self.file.version and self._holds(use):
                continue
            found = self.names.resolve(use, user)
            if found is not None and found.place.key == key:
                yield self._user(use, user, found.certainty)

    def _holds(self, use: Use) -> bool:
        return self.hit.start_line <= use.line <= self.hit.end_line

    def _user(self, use: Use, user: UserFile, certainty: str) -> Neighbour:
        relation = "tested_by" if is_test(user.path) else _BACK[use.kind]
        around = user.around(use.line)
        if around is not None:
            place = Place(user.version, user.path, around)
            return replace(self._neighbour(relation, certainty, place), line=use.line)
        address = format_lines(self.hit.project, user.path, use.line)
        symbol = user.path.rpartition("/")[2]
        return Neighbour(relation, certainty, address, symbol, "file", user.path, use.line)

    def _neighbour(self, relation: str, certainty: str, place: Place) -> Neighbour:
        one = place.definition
        address = format_address(self.hit.project, place.path, one.fragment)
        return Neighbour(
            relation, certainty, address, one.qualified, one.kind, place.path, one.start_line
        )


def _tests_of(hit: Hit, view: ProjectView) -> Iterator[Neighbour]:
    """Yield the test file that is named after the hit's file."""
    if is_test(hit.path):
        return
    stem = _plain_stem(hit.path)
    named = [
        path
        for path in view.paths
        if stem in path.lower() and is_test(path) and _is_named_after(path, hit.path, stem)
    ]
    if named:
        path = min(named, key=lambda one: _distance(hit.path, one))
        address, name = format_lines(hit.project, path, 1), path.rpartition("/")[2]
        yield Neighbour("tested_by", INFERRED, address, name, "file", path, 1)


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
    for one in sorted(found, key=lambda each: (each.certainty != EXTRACTED, each.relation)):
        if one.address not in seen:
            seen.add(one.address)
            queues[one.relation].append(one)
    out: list[Neighbour] = []
    while len(out) < MAX_RELATED and any(queues.values()):
        for relation in ORDER:
            if queues[relation] and len(out) < MAX_RELATED:
                out.append(queues[relation].pop(0))
    return tuple(sorted(out, key=lambda one: ORDER.index(one.relation)))
