"""A look over whole projects: what nothing seems to use, and what most is built on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.chunks.priors import Prior, path_priors
from paparatsd.errors import BadQuery
from paparatsd.graph.byname import MAX_MEANINGS
from paparatsd.graph.degrees import share
from paparatsd.graph.doubts import ENTRY_NAMES, doubts, is_entry
from paparatsd.graph.files import CALLABLE, TYPES, VALUES
from paparatsd.graph.links import Linker, Links
from paparatsd.graph.refs import Refs, is_test
from paparatsd.graph.requests import Requests
from paparatsd.graph.routes import may_answer
from paparatsd.graph.slices import Stopwatch
from paparatsd.graph.source import Target
from paparatsd.graph.traits import traits_of
from paparatsd.graph_model import Certainty, SurveyAnswer, Surveyed, SurveyRequest
from paparatsd.sources.globs import PathMatcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.ground import Ground
    from paparatsd.graph.slices import Steps
    from paparatsd.graph.source import Tree
    from paparatsd.model import Symbol

MAX_LIMIT = 500
MAX_LOOKED_AT = 20_000
"""Definitions whose uses are resolved in one survey."""
SURVEY_S = 12.0
"""How long uses are resolved in one survey."""
MAX_SYMBOLS = 400_000
"""Definitions that one survey goes through."""
MAX_HUBS = 150
"""Definitions that may be hubs by their name and are looked at closely."""
MAX_ENTRIES = 500
MAX_EXAMINED = 1_200
"""Uses of one of these that are looked at."""

_SURVEYED = (CALLABLE | TYPES) - {"test", "impl"}
KINDS = _SURVEYED | VALUES | {"module", "route"}
_ASIDE = Prior.TEST | Prior.EXAMPLE | Prior.DOCS | Prior.VENDORED | Prior.STUB
_BY_NAME = frozenset({"make", "dockerfile"})
"""Languages whose definitions people start by name."""
_HUB = "used widely"


# ---------------------------------------------------------------------- unused


def unused(ground: Ground, request: SurveyRequest) -> Steps[SurveyAnswer]:
    """Return definitions that nothing seems to use, those without doubts first."""
    _check(request)
    survey = _Unused(ground, request)
    found = yield from survey.run()
    refs = Refs(ground)
    page = found[request.offset : request.offset + request.limit]
    refs.prepare([target for target, _ in page])
    more = request.offset + len(page)
    notes = [
        "Nothing in the indexed files of their groups names these. Uses through strings, "
        "reflection, templates, or from repositories that are not indexed cannot be seen."
    ]
    if survey.capped:
        notes.append("There are too many definitions to look at the uses of all of them.")
    return SurveyAnswer(
        tuple(Surveyed(refs.of(target), 0, reasons) for target, reasons in page),
        len(found),
        more if more < len(found) else None,
        notes=tuple(notes),
    )


def _check(request: SurveyRequest) -> None:
    if not 1 <= request.limit <= MAX_LIMIT:
        raise BadQuery(f"limit is {request.limit}; it must be between 1 and {MAX_LIMIT}")
    if request.offset < 0:
        raise BadQuery(f"offset is {request.offset}; it counts symbols from 0")
    unknown = sorted(set(request.kinds) - KINDS)
    if unknown:
        known = ", ".join(sorted(KINDS))
        raise BadQuery(f"no kind of symbol is called {unknown[0]!r} (kinds: {known})")


class _Unused:
    """Goes through all definitions; those whose name is used are looked at closely.

    Users count in whatever project of the group they are, asked about or not.
    """

    def __init__(self, ground: Ground, request: SurveyRequest) -> None:
        self._ground = ground
        self._kinds = frozenset(request.kinds) or _SURVEYED
        self._matcher = PathMatcher(request.scope.paths)
        self._whole = ground.with_others()
        self._linker = Linker(self._whole)
        self._requests = Requests(self._whole)
        self._looked_at = 0
        self._watch = Stopwatch(SURVEY_S)
        self.capped = False

    def run(self) -> Steps[list[tuple[Target, tuple[str, ...]]]]:
        """Return what is unused with the doubts about it, the fewest doubts first."""
        found: list[tuple[Target, tuple[str, ...]]] = []
        for tree in self._ground.trees:
            for one in self._in_tree(tree):
                yield
                if one is not None:
                    found.append(one)
        found.sort(key=lambda one: (len(one[1]), one[0].tree.name, one[0].path, one[0].index))
        return found

    def _in_tree(self, tree: Tree) -> Iterator[tuple[Target, tuple[str, ...]] | None]:
        """Yield what is unused in a tree, None for each definition that is used."""
        for file, indexes in _definitions(tree, self._kinds, self._matcher):
            names = {file.symbols[index].name for index in indexes}
            self._whole.look_up_users(tree, names)
            for index in indexes:
                target = Target(tree, file.path, index)
                with self._watch:
                    used = self._is_used(target, file)
                yield None if used else (target, doubts(self._ground, target, file))

    def _is_used(self, target: Target, file: FileSymbols) -> bool:
        """Say whether anything but a definition itself uses it."""
        symbol = file.symbols[target.index]
        if symbol.kind in TYPES and _holds_what_is_used(file, symbol):
            return True
        trees = self._whole.users_of(target.tree)
        if any(tree.using([symbol.name])[symbol.name] for tree in trees):
            if self._is_linked(target, symbol):
                return True
        elif symbol.name in traits_of(file.language).constructors or _exported_as(file, symbol):
            return True
        return self._is_requested(target, file)

    def _is_linked(self, target: Target, symbol: Symbol) -> bool:
        """Say whether something that is called like a definition means it, or may."""
        namesakes = target.tree.defining([symbol.name])[symbol.name]
        if len(namesakes) > MAX_MEANINGS:
            return True
        if self._looked_at >= MAX_LOOKED_AT or self._watch.is_over:
            self.capped = True
            return True
        self._looked_at += 1
        links = Links()
        for link in self._linker.uses_of(target, links):
            if link.cross or (link.user.path, link.user.index) != (target.path, target.index):
                return True
        return links.capped or links.crowded

    def _is_requested(self, target: Target, file: FileSymbols) -> bool:
        """Say whether somebody of the group asks over HTTP for what a definition answers."""
        if not may_answer(target.tree, file, target.index):
            return False
        if self._watch.is_over:
            self.capped = True
            return True
        return next(self._requests.into(target), None) is not None


def _definitions(
    tree: Tree, kinds: frozenset[str], matcher: PathMatcher
) -> Iterator[tuple[FileSymbols, list[int]]]:
    """Yield the files of a tree that hold code of its own, with their definitions."""
    seen = 0
    paths = [
        path for path in tree.paths if not path_priors(path) & _ASIDE and matcher.matches(path)
    ]
    for file in tree.files(paths):
        if file.language in _BY_NAME:
            continue
        indexes = [
            index
            for index, symbol in enumerate(file.symbols)
            if symbol.kind in kinds and not is_test(file, index) and not _is_local(file, symbol)
        ]
        seen += len(indexes)
        if indexes:
            yield file, indexes
        if seen >= MAX_SYMBOLS:
            return


def _holds_what_is_used(file: FileSymbols, symbol: Symbol) -> bool:
    """Say whether the file of a type names a member through it outside of it (`Mode.UP`)."""
    return any(
        use.receiver == symbol.name
        and not symbol.start_line <= use.line <= symbol.end_line
        and use.kind != "import"
        for use in file.uses
    )


def _is_local(file: FileSymbols, symbol: Symbol) -> bool:
    """Say whether a symbol is inside a function; such are often handed out under no name."""
    parent = symbol.parent
    while parent >= 0:
        if file.symbols[parent].kind in CALLABLE:
            return True
        parent = file.symbols[parent].parent
    return False


def _exported_as(file: FileSymbols, symbol: Symbol) -> bool:
    """Say whether a file gives a symbol away under another name, which others may use."""
    return any(
        fact.value == symbol.name and fact.name not in (symbol.name, "default")
        for facts in file.exports.values()
        for fact in facts
    )


# ---------------------------------------------------------------------- hubs


def hubs(ground: Ground, request: SurveyRequest) -> Steps[SurveyAnswer]:
    """Return the definitions that most files use, then where programs begin."""
    _check(request)
    kinds = frozenset(request.kinds) or _SURVEYED | {"route"}
    matcher = PathMatcher(request.scope.paths)
    linker, refs = Linker(ground, MAX_EXAMINED), Refs(ground)
    watch, notes = Stopwatch(SURVEY_S), []
    found: list[tuple[Target, int, tuple[str, ...]]] = []
    for tree in ground.trees:
        threshold = ground.degrees(tree).threshold
        likely = yield from _likely_hubs(tree, kinds, matcher, threshold)
        for target in likely:
            yield
            if watch.is_over:
                notes = ["There was no time to look at everything that may be used widely."]
                break
            with watch:
                users = _files_using(linker, target)
            if users >= threshold:
                found.append((target, users, (_HUB,)))
        entries = yield from _entries(tree, kinds, matcher)
        found += [(target, 0, (reason,)) for target, reason in entries]
    merged = _merged(found)
    page = merged[request.offset : request.offset + request.limit]
    more = request.offset + len(page)
    shown = []
    for target, users, reasons in page:
        yield
        symbol = replace(refs.of(target), hub=_HUB in reasons)
        shown.append(Surveyed(symbol, users or _files_using(linker, target), reasons))
    return SurveyAnswer(
        tuple(shown),
        len(merged),
        more if more < len(merged) else None,
        notes=tuple(notes),
    )


def _likely_hubs(
    tree: Tree, kinds: frozenset[str], matcher: PathMatcher, threshold: float
) -> Steps[list[Target]]:
    """Return the definitions whose name is used in enough files, the likeliest first."""
    likely: list[tuple[Target, float]] = []
    for file, indexes in _definitions(tree, kinds, matcher):
        yield
        names = {file.symbols[index].name for index in indexes}
        using, defining = tree.using(names), tree.defining(names)
        likely += [
            (
                Target(tree, file.path, index),
                share(files, len(defining[file.symbols[index].name])),
            )
            for index in indexes
            if (files := len(using[file.symbols[index].name])) >= threshold
            and file.symbols[index].name not in traits_of(file.language).constructors
            and file.qualified(file.symbols[index].qualified)[0] == index  # overloads once
        ]
    likely.sort(key=lambda one: (-one[1], one[0].path, one[0].index))
    return [target for target, _ in likely[:MAX_HUBS]]


def _files_using(linker: Linker, target: Target) -> int:
    """Return how many files use a definition, its own and those that may mean others aside."""
    links = linker.into(target).found
    return len(
        {
            (link.user.tree.project_id, link.user.path)
            for link in links
            if link.certainty is not Certainty.AMBIGUOUS
            and (link.user.path != target.path or link.user.tree is not target.tree)
        }
    )


def _entries(
    tree: Tree, kinds: frozenset[str], matcher: PathMatcher
) -> Steps[list[tuple[Target, str]]]:
    """Return where programs begin: main functions, and what answers routes."""
    found: list[tuple[Target, str]] = []
    for file, indexes in _definitions(tree, kinds, matcher):
        yield
        if len(found) >= MAX_ENTRIES:
            break
        answering = {fact.scope for fact in file.facts_of("route")}
        for index in indexes:
            if file.symbols[index].name in ENTRY_NAMES and is_entry(file, index):
                found.append((Target(tree, file.path, index), "entry point"))
            elif file.symbols[index].kind == "route" or index in answering:
                found.append((Target(tree, file.path, index), "answers a route"))
    return found


def _merged(
    found: list[tuple[Target, int, tuple[str, ...]]],
) -> list[tuple[Target, int, tuple[str, ...]]]:
    """Make one of entries of the same definition; the widest used first."""
    merged: dict[tuple[int, str, int], tuple[Target, int, tuple[str, ...]]] = {}
    for target, users, reasons in found:
        known = merged.get(target.key)
        more = (*known[2], *reasons) if known is not None else reasons
        most = max(users, known[1]) if known is not None else users
        merged[target.key] = (target, most, tuple(dict.fromkeys(more)))
    return sorted(merged.values(), key=lambda one: (-one[1], one[0].path, one[0].index))
