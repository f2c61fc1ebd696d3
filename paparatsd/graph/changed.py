"""Which symbols a change touches, who calls them, and which tests are likely to tell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.chunks.address import format_address
from paparatsd.chunks.fragments import symbol_fragment
from paparatsd.chunks.priors import partner_stem
from paparatsd.errors import BadQuery
from paparatsd.graph.compare import Touched, alike_pairs, compare, read_side
from paparatsd.graph.links import Linker, Links
from paparatsd.graph.refs import Refs, is_test_path
from paparatsd.graph.slices import Stopwatch
from paparatsd.graph.source import Target
from paparatsd.graph.usages import edges_of, order_edges
from paparatsd.graph_model import (
    Certainty,
    ChangedAnswer,
    ChangedSymbol,
    ChangeKind,
    Edge,
    Relation,
    SymbolRef,
)
from paparatsd.sources.globs import PathMatcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from paparatsd.graph.asked import ChangedTexts
    from paparatsd.graph.ground import Ground
    from paparatsd.graph.slices import Steps
    from paparatsd.graph.source import Tree
    from paparatsd.model import ProjectName

MAX_LIMIT = 500
MAX_CALLERS = 50
MAX_TESTS = 10
MAX_NEXT = 15
"""Callers whose own tests are looked for when a symbol has none."""
PARSING_S = 20.0
"""How long texts are parsed in one answer; the rest is said to be left out."""

_ORDER = {
    ChangeKind.REMOVED: 0, ChangeKind.RENAMED: 1, ChangeKind.MODIFIED: 2, ChangeKind.ADDED: 3,
}  # fmt: skip


def changed(ground: Ground, asked: ChangedTexts) -> Steps[ChangedAnswer]:
    """Return the symbols that differ between the texts that the daemon has read."""
    request = asked.request
    for name, value, high in (
        ("limit", request.limit, MAX_LIMIT), ("callers", request.callers, MAX_CALLERS)
    ):  # fmt: skip
        if not 0 <= value <= high:
            raise BadQuery(f"{name} is {value}; it must be between 0 and {high}")
    touched, left_out = yield from _compared(ground, asked)
    teller = _Teller(ground, request.callers)
    shown = []
    for tree, one in touched[: request.limit]:
        yield
        shown.append(teller.tell(tree, one))
    notes = list(asked.notes)
    if left_out:
        notes.append(f"{left_out} changed files were not looked into: there was no time left.")
    return ChangedAnswer(asked.against, tuple(shown), asked.total, len(touched), notes=tuple(notes))


def _compared(ground: Ground, asked: ChangedTexts) -> Steps[tuple[list[tuple[Tree, Touched]], int]]:
    """Return what differs, by project and place, and how many files there was no time for."""
    matcher = PathMatcher(asked.request.scope.paths)
    found: list[tuple[Tree, Touched]] = []
    watch, left_out = Stopwatch(PARSING_S), 0
    for one in asked.files:
        tree = ground.tree(one.project)
        if not matcher.matches(one.path):
            continue
        yield
        if watch.is_over:
            left_out += 1
            continue
        with watch:
            old, new = read_side(one.path, one.old), read_side(one.path, one.new)
            found += [(tree, touched) for touched in compare(old, new)]
    found = _moved(found)
    found.sort(
        key=lambda pair: (
            pair[0].name,
            is_test_path(pair[1].path),
            pair[1].path,
            pair[1].symbol.start_line,
            _ORDER[pair[1].change],
        )
    )
    return found, left_out


def _moved(found: list[tuple[Tree, Touched]]) -> list[tuple[Tree, Touched]]:
    """Make one of what was removed from one file and added to another."""
    by_project: dict[ProjectName, tuple[list[Touched], list[Touched]]] = {}
    for tree, one in found:
        if one.change in (ChangeKind.REMOVED, ChangeKind.ADDED):
            gone, come = by_project.setdefault(tree.name, ([], []))
            (gone if one.change is ChangeKind.REMOVED else come).append(one)
    became: dict[int, Touched] = {}
    dropped: set[int] = set()
    for gone, come in by_project.values():
        pairs = alike_pairs(
            [((one.path, at), one.symbol, one.body) for at, one in enumerate(gone)],
            [((one.path, at), one.symbol, one.body) for at, one in enumerate(come)],
        )
        for (_, before), (_, after) in pairs:
            old, new = gone[before], come[after]
            dropped.add(id(old))
            was = f"{old.path}#{old.symbol.qualified}"
            became[id(new)] = replace(new, change=ChangeKind.RENAMED, before=was)
    return [(tree, became.get(id(one), one)) for tree, one in found if id(one) not in dropped]


class _Teller:
    """Tells callers and tests of touched symbols, as the index has them now."""

    def __init__(self, ground: Ground, callers: int) -> None:
        self._ground = ground
        self._callers = callers
        self._linker = Linker(ground)
        self._refs = Refs(ground)

    def tell(self, tree: Tree, touched: Touched) -> ChangedSymbol:
        """Return one touched symbol as it is answered with."""
        target = _target(tree, touched)
        ref = _ref(tree, touched) if target is None else self._refs.of(target)
        links = Links() if target is None else self._linker.into(target)
        edges = order_edges(edges_of(links.found, self._refs, incoming=True), touched.path)
        gone = _old_name(touched)
        left = list(self._left_behind(tree, touched, gone)) if gone else []
        edges = [*(edge for edge, _ in left), *edges]
        users = [*(user for _, user in left), *(link.user for link in links.found)]
        callers = [
            edge
            for edge in edges
            if not edge.symbol.test
            and not (edge.relation is Relation.IMPORTS and edge.symbol.kind == "file")
        ]
        tests = self._tests(tree, touched, users, edges)
        return ChangedSymbol(
            touched.change,
            ref,
            touched.before,
            touched.lines,
            tuple(callers[: self._callers]),
            len(callers),
            tests,
        )

    def _left_behind(
        self, tree: Tree, touched: Touched, name: str
    ) -> Iterator[tuple[Edge, Target]]:
        """Yield what still uses the name of something that is gone and finds nothing by it."""
        resolver = self._ground.resolver(tree)
        language = touched.language
        for file in tree.files(tree.using([name])[name]):
            if file.language != language:
                continue
            for use in file.uses_of(name):
                resolution = resolver.resolve(file, use)
                if resolution.targets or resolution.external or resolution.crowded:
                    continue
                if "." in touched.symbol.qualified and not use.receiver:
                    continue
                user = Target(tree, file.path, file.around(use.line))
                edge = Edge(
                    Relation.IMPORTS if use.kind == "import" else Relation.CALLS,
                    Certainty.INFERRED,
                    self._refs.of(user),
                    (use.line,),
                    name,
                    note="still names it; nothing of that name is found any more",
                )
                yield edge, user

    def _tests(
        self, tree: Tree, touched: Touched, users: Sequence[Target], edges: Sequence[Edge]
    ) -> tuple[SymbolRef, ...]:
        """Return the tests that are likely to tell: of it, of its callers, or named after it."""
        if is_test_path(touched.path):
            return ()
        found = {
            edge.symbol.address: edge.symbol
            for edge in edges
            if edge.symbol.test and edge.symbol.kind != "file"
        }
        if not found:
            near = list({one.key: one for one in users if one.index >= 0}.values())[:MAX_NEXT]
            self._linker.prepare(near)
            found = {
                ref.address: ref
                for one in near
                for link in self._linker.into(one).found
                if (ref := self._refs.of(link.user)).test and ref.kind != "file"
            }
        if not found:
            found = {ref.address: ref for ref in self._named_after(tree, touched.path)}
        return tuple(list(found.values())[:MAX_TESTS])

    def _named_after(self, tree: Tree, path: str) -> Iterator[SymbolRef]:
        """Yield the test files that are named after a file."""
        stem = path.rpartition("/")[2].partition(".")[0].lower()
        for one in tree.keep("tested stems", lambda: _tested(tree.paths)).get(stem, ()):
            yield self._refs.of(Target(tree, one, -1))


def _tested(paths: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        stem = partner_stem(path)
        if stem:
            found.setdefault(stem, []).append(path)
    return found


def _target(tree: Tree, touched: Touched) -> Target | None:
    """Return the definition as the index shows it, None when it does not (any more)."""
    if touched.change is ChangeKind.REMOVED:
        return None
    file = tree.file(touched.path)
    found = () if file is None else file.qualified(touched.symbol.qualified)
    return Target(tree, touched.path, found[touched.nth - 1]) if len(found) >= touched.nth else None


def _old_name(touched: Touched) -> str:
    """Return the name that is gone, "" when none is."""
    if touched.change is ChangeKind.REMOVED:
        return touched.symbol.name
    if touched.change is not ChangeKind.RENAMED:
        return ""
    name = touched.before.rpartition("#")[2].rpartition(".")[2]
    return name if name != touched.symbol.name else ""


def _ref(tree: Tree, touched: Touched) -> SymbolRef:
    symbol = touched.symbol
    fragment = symbol_fragment(symbol.qualified, touched.nth)
    return SymbolRef(
        project=tree.name,
        path=touched.path,
        language=touched.language,
        kind=symbol.kind,
        qualified=symbol.qualified,
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        address=format_address(tree.name, touched.path, fragment),
        signature=symbol.signature,
        doc=symbol.doc,
        exported=symbol.exported,
        test=is_test_path(touched.path),
    )
