"""Which uses tie a definition to others: those of it, and those that it makes itself."""

from __future__ import annotations

import time
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

import structlog

from paparatsd.graph.byname import MAX_MEANINGS, symbol_of
from paparatsd.graph.files import CALLABLE, TYPES
from paparatsd.graph.refs import is_test, is_test_path
from paparatsd.graph.requests import Requests
from paparatsd.graph.resolve import Resolution
from paparatsd.graph.sieve import MAX_HEIRS, heirs_of, sieve_for
from paparatsd.graph.source import Target
from paparatsd.graph.traits import traits_of
from paparatsd.graph_model import Certainty, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.ground import Ground
    from paparatsd.graph.requests import Asking
    from paparatsd.graph.resolve import Resolver
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

log = structlog.get_logger()

MAX_EXAMINED = 3_000
"""Uses of one name that are looked at, in each project."""
EXAMINED_S = 4.0
"""How long they are looked at: in a tangle of types a single one can take milliseconds."""
MAX_BELOW = 8
"""Symbols that can begin in one line below a decorator."""
MAX_NAMESAKES = 200
"""Methods of one name that are asked whether they take the place of another."""

_RELATIONS: Mapping[str, Relation] = MappingProxyType(
    {
        "call": Relation.CALLS,
        "construct": Relation.CALLS,
        "inherit": Relation.INHERITS,
        "import": Relation.IMPORTS,
    }
)
_TESTABLE = frozenset({Relation.CALLS, Relation.REFERENCES})
_MAKES = frozenset({"call", "construct"})

Key = tuple[int, str, int]


@dataclass(frozen=True, slots=True)
class Link:
    """One use by which `user` depends on `used`, in a line of the user's file."""

    user: Target
    used: Target
    relation: Relation
    certainty: Certainty
    line: int
    name: str
    note: str = ""

    @property
    def cross(self) -> bool:
        """Whether the ends are in different projects."""
        return self.user.tree is not self.used.tree


@dataclass(slots=True)
class Links:
    """What was found. `capped`: not all uses were looked at. `crowded`: some could mean anything.

    `external` counts uses that mean something outside of all projects.
    """

    found: list[Link] = field(default_factory=list)
    capped: bool = False
    crowded: bool = False
    external: int = 0


@dataclass(frozen=True, slots=True)
class _Standing:
    """How a definition stands for the one asked about."""

    certainty: Certainty = Certainty.EXACT
    kinds: frozenset[str] = frozenset()
    note: str = ""

    def fits(self, use: Use) -> bool:
        """Whether a use of that definition counts."""
        return not self.kinds or use.kind in self.kinds


class Linker:
    """Finds links in one ground."""

    def __init__(self, ground: Ground, most: int = MAX_EXAMINED) -> None:
        """Look at `most` uses of one name in each project, the nearest first."""
        self._ground = ground
        self._most = most
        self._requests = Requests(ground)
        self._heirs: dict[tuple[int, str], set[str]] = {}

    def prepare(self, targets: Iterable[Target]) -> None:
        """Look up the names of many definitions at once, before `into` is asked for each."""
        names: dict[int, set[str]] = {}
        for target in targets:
            symbol = symbol_of(target)
            for tree in self._ground.users_of(target.tree) if symbol is not None else ():
                names.setdefault(tree.project_id, set()).add(symbol.name if symbol else "")
        for tree in self._ground.trees:
            called = names.get(tree.project_id)
            if called:
                paths = {path for found in tree.using(called).values() for path in found[:400]}
                for _ in tree.files(sorted(paths)):
                    pass

    # ------------------------------------------------------------------ incoming

    def into(self, target: Target) -> Links:
        """Return the uses of a definition, of all files of the projects asked about."""
        links = Links()
        links.found += self.uses_of(target, links)
        links.found += self._overriding(target)
        links.found += map(_request, self._requests.into(target))
        return links

    def uses_of(self, target: Target, links: Links) -> Iterator[Link]:
        """Yield the uses of a definition as they are found; `links` hears what else there is."""
        standings = self._standings(target)
        for tree in self._ground.users_of(target.tree):
            yield from self._uses_in(self._ground.resolver(tree), target, standings, links)

    def _uses_in(
        self,
        resolver: Resolver,
        target: Target,
        standings: Mapping[Key, tuple[Target, _Standing]],
        links: Links,
    ) -> Iterator[Link]:
        seen: set[tuple[str, Use]] = set()
        until = time.monotonic() + EXAMINED_S
        for one, _ in standings.values():
            may_mean = sieve_for(resolver, one)
            for file, use in resolver.candidates(one):
                if (file.path, use) in seen or not may_mean(file, use):
                    continue
                if len(seen) >= self._most or time.monotonic() > until:
                    links.capped = True
                    return
                seen.add((file.path, use))
                resolution = _resolved(resolver, file, use)
                links.crowded = links.crowded or resolution.crowded
                for meant in resolution.targets:
                    known = standings.get(meant.key)
                    if known is not None and known[1].fits(use):
                        yield _link(resolver, file, use, target, resolution, known[1])
                        break

    def _standings(self, target: Target) -> dict[Key, tuple[Target, _Standing]]:
        """Return the definitions whose uses count as uses of this one, itself first."""
        found = {target.key: (target, _Standing())}
        symbol, file = symbol_of(target), target.tree.file(target.path)
        if symbol is None or file is None:
            return found
        resolver = self._ground.resolver(target.tree)
        if symbol.kind in TYPES:
            for at in file.qualified(symbol.qualified):
                part = Target(target.tree, target.path, at)
                if file.symbols[at].kind in TYPES:
                    found.setdefault(part.key, (part, _Standing()))
            return found
        owner = resolver.owner(target)
        if owner is not None and _is_constructor(file, symbol.name, owner):
            made = _Standing(kinds=_MAKES, note="by making one")
            found.setdefault(owner.key, (owner, made))
            return found
        for above in resolver.overridden(target):
            base = symbol_of(above)
            note = f"through {base.qualified}" if base is not None else ""
            found.setdefault(above.key, (above, _Standing(Certainty.INFERRED, note=note)))
        return found

    def _overriding(self, target: Target) -> Iterator[Link]:
        """Yield the methods that take the place of a method."""
        symbol = symbol_of(target)
        if symbol is None or symbol.kind not in CALLABLE or "." not in symbol.qualified:
            return
        owner = symbol.qualified.split(".")[-2]
        for tree in self._ground.users_of(target.tree):
            resolver = self._ground.resolver(tree)
            heirs = self._heirs_of(tree, owner)
            if len(heirs) == 1:
                continue
            for one in islice(_members_of(tree, symbol.name, heirs), MAX_NAMESAKES):
                if one.key != target.key and _has(resolver.overridden(one), target):
                    yield _override(one, target)

    def _heirs_of(self, tree: Tree, name: str) -> set[str]:
        known = self._heirs.get((tree.project_id, name))
        if known is None:
            known = self._heirs[tree.project_id, name] = heirs_of(tree, name)
        return known

    # ------------------------------------------------------------------ outgoing

    def out_of(self, target: Target) -> Links:
        """Return the uses that a definition makes, decorators and nested functions included."""
        links = Links()
        file = target.tree.file(target.path)
        if file is None:
            return links
        resolver = self._ground.resolver(target.tree)
        for use in uses_in(file, target.index):
            self._follow(resolver, file, use, target, links)
        if target.index >= 0:
            links.found += [_override(target, above) for above in resolver.overridden(target)[:1]]
        links.found += map(_request, self._requests.out_of(target))
        return links

    def out_of_lines(self, tree: Tree, file: FileSymbols, first: int, last: int) -> list[Link]:
        """Return the uses in some lines of a file, whatever symbols make them."""
        links = Links()
        resolver = self._ground.resolver(tree)
        for use in file.uses_between(first, last)[: self._most]:
            self._follow(resolver, file, use, Target(tree, file.path, user_of(file, use)), links)
        return links.found

    def _follow(
        self, resolver: Resolver, file: FileSymbols, use: Use, user: Target, links: Links
    ) -> None:
        """Add what a use means, if that lies outside of the one that uses it."""
        resolution = _resolved(resolver, file, use)
        links.crowded = links.crowded or resolution.crowded
        links.external += bool(resolution.external and not resolution.targets)
        used = _first_outside(resolution, user, file)
        if used is not None:
            note = _note(use, resolution, used)
            relation = _relation(use, user, used)
            certainty = resolution.certainty
            links.found.append(Link(user, used, relation, certainty, use.line, use.name, note))


def uses_in(file: FileSymbols, index: int) -> list[Use]:
    """Return the uses inside a symbol with what is above it; of a file those outside of symbols."""
    if index < 0:
        return [use for use in file.uses if user_of(file, use) < 0]
    symbol = file.symbols[index]
    first = symbol.lead_line or symbol.start_line
    return [
        use
        for use in file.uses_between(first, symbol.end_line)
        if use.line >= symbol.start_line or use.kind == "decorator"
    ]


def user_of(file: FileSymbols, use: Use) -> int:
    """Return the symbol that makes a use: the innermost around it, the one that it decorates."""
    if use.kind == "decorator":
        index = _below(file, use.line)
        if index >= 0:
            return index
    return file.around(use.line)


def _below(file: FileSymbols, line: int) -> int:
    """Return the nearest symbol whose leading lines hold a line, -1 for none."""
    at = bisect_right(file.symbols, line, key=lambda one: one.start_line)
    for index in range(at, min(at + MAX_BELOW, len(file.symbols))):
        if 0 < file.symbols[index].lead_line <= line:
            return index
    return -1


def _resolved(resolver: Resolver, file: FileSymbols, use: Use) -> Resolution:
    """Resolve a use; one that leads nowhere but round and round means nothing."""
    try:
        return resolver.resolve(file, use)
    except RecursionError:
        log.warning("use_not_resolved", path=file.path, line=use.line, name=use.name)
        return Resolution()


def _link(
    resolver: Resolver,
    file: FileSymbols,
    use: Use,
    target: Target,
    resolution: Resolution,
    standing: _Standing,
) -> Link:
    user = Target(resolver.tree, file.path, user_of(file, use))
    certainty = resolution.certainty
    if certainty is Certainty.EXACT:
        certainty = standing.certainty
    note = standing.note or _note(use, resolution, target)
    return Link(user, target, _relation(use, user, target), certainty, use.line, use.name, note)


def _relation(use: Use, user: Target, used: Target) -> Relation:
    relation = _RELATIONS.get(use.kind, Relation.REFERENCES)
    if relation in _TESTABLE and _tests(user) and not _tests(used):
        return Relation.TESTS
    return relation


def _tests(target: Target) -> bool:
    file = target.tree.file(target.path)
    return is_test_path(target.path) if file is None else is_test(file, target.index)


def _note(use: Use, resolution: Resolution, used: Target) -> str:
    """Return what is to be known of a use beyond the definition that it means."""
    if resolution.certainty is Certainty.AMBIGUOUS and len(resolution.targets) > 1:
        return f"one of {len(resolution.targets)} definitions that it may mean"
    if use.alias:
        return f"as {use.alias}"
    symbol = symbol_of(used)
    if symbol is not None and symbol.name != use.name and use.kind not in _MAKES:
        return f"written {use.name}"
    return ""


def _request(asking: Asking) -> Link:
    return Link(
        asking.user,
        asking.used,
        Relation.REQUESTS,
        asking.certainty,
        asking.line,
        asking.name,
        asking.note,
    )


def _override(method: Target, above: Target) -> Link:
    symbol = symbol_of(method)
    line, name = (symbol.start_line, symbol.name) if symbol is not None else (1, "")
    return Link(method, above, Relation.OVERRIDES, Certainty.EXACT, line, name)


def _first_outside(resolution: Resolution, target: Target, file: FileSymbols) -> Target | None:
    """Return the likeliest definition that is not inside of the one that uses it.

    A function that calls itself is told, what a type does with its own members is not.
    """
    for one in resolution.targets:
        if one.path != target.path or one.tree is not target.tree or target.index < 0:
            return None if one.key == target.key else one
        if one.index == target.index:
            return one if file.symbols[one.index].kind in CALLABLE else None
        if one.index < 0 or not _inside(file, one.index, target.index):
            return one
        return None
    return None


def _inside(file: FileSymbols, index: int, outer: int) -> bool:
    while index >= 0:
        index = file.symbols[index].parent
        if index == outer:
            return True
    return False


def _is_constructor(file: FileSymbols, name: str, owner: Target) -> bool:
    symbol = symbol_of(owner)
    names = traits_of(file.language).constructors
    return name in names or ("=" in names and symbol is not None and symbol.name == name)


def _has(targets: Iterable[Target], wanted: Target) -> bool:
    return any(one.key == wanted.key for one in targets)


def _members_of(tree: Tree, name: str, owners: set[str]) -> Iterator[Target]:
    """Yield the definitions of a name in types that are called so; in all when these are many."""
    for one in tree.defining([name])[name]:
        if len(owners) > MAX_HEIRS or _owner(one) in owners:
            yield one


def _owner(target: Target) -> str:
    symbol = symbol_of(target)
    return "" if symbol is None else symbol.qualified.rpartition(".")[0].rpartition(".")[2]


def is_crowded(target: Target) -> bool:
    """Say whether a definition's name is that of more definitions than anybody would compare."""
    symbol = symbol_of(target)
    if symbol is None:
        return False
    return len(target.tree.defining([symbol.name])[symbol.name]) > MAX_MEANINGS
