"""Members of types: their own, and those of their bases in method resolution order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph.files import TYPES, VALUES
from paparatsd.graph.parts import arity
from paparatsd.graph.scopes import home, type_around, type_at
from paparatsd.graph.source import Target
from paparatsd.graph.traits import traits_of
from paparatsd.graph.values import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.model import Fact, Use

MAX_BASES = 60
"""Types that a type is followed up through."""
MAX_OPENED = 50
"""Files in other folders that are opened to see whether they define members of a type."""
_MAX_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class Lineage:
    """A type and all that it inherits from, in the order in which members are looked for.

    `outside`: something in it is from a package outside, or nobody knows where from.
    """

    types: tuple[Target, ...]
    outside: bool


@dataclass(frozen=True, slots=True)
class Bases:
    """The direct bases of a type; `outside`: there are some that are none of ours."""

    types: tuple[Target, ...]
    outside: bool


class Members:
    """Looks names up in types. `resolve_base` says which types an `inherit` use names."""

    def __init__(
        self,
        resolve_base: Callable[[Place, Use], Bases],
        those_of: Callable[[Target, Sequence[Target]], list[Target]],
    ) -> None:
        """`those_of` says which definitions of other files that are called so are a type's."""
        self._resolve_base = resolve_base
        self._those_of = those_of
        self._above = 0
        self._own: dict[tuple[int, str, int, str], tuple[Target, ...]] = {}
        self._fields: dict[tuple[int, str, int, str], Sequence[tuple[Place, Fact]]] = {}
        self._lineages: dict[tuple[int, str, int], Lineage] = {}
        self._bases: dict[tuple[int, str, int], Bases] = {}

    # ------------------------------------------------------------------ one type

    def own(self, target: Target, name: str) -> tuple[Target, ...]:
        """Return the members of a type itself: all overloads, wherever its parts are."""
        key = (*target.key, name)
        known = self._own.get(key)
        if known is None:
            if len(self._own) > _MAX_KEPT:
                self._own.clear()
            known = self._own[key] = self._look_in(target, name)
        return known

    def _look_in(self, target: Target, name: str) -> tuple[Target, ...]:
        file = target.tree.file(target.path)
        if file is None:
            return ()
        symbol = file.symbols[target.index]
        wanted = f"{symbol.qualified}.{name}"
        found = [Target(target.tree, target.path, at) for at in file.qualified(wanted)]
        if not found and traits_of(file.language).loose_enums:
            named = [at for at in file.named(name) if home(file, at) == target.index]
            found = [Target(target.tree, target.path, at) for at in named]
        if traits_of(file.language).open_types:
            found += self._elsewhere(target, file, name, wanted)
        return tuple(found)

    def _elsewhere(self, target: Target, file: FileSymbols, name: str, wanted: str) -> list[Target]:
        """Return members defined in other files than the type; in its own folder if there are."""
        folder = target.path.rpartition("/")[0]
        places = [one for one in target.tree.defining([name])[name] if one.path != target.path]
        near = [one for one in places if one.path.rpartition("/")[0] == folder]
        far = [one for one in places if one.path.rpartition("/")[0] != folder]
        family = traits_of(file.language).family
        for group in (near, far if len(far) <= MAX_OPENED else []):
            called = [one for one in group if _is_called(one, wanted, family)]
            found = self._those_of(target, called) if called else []
            if found:
                return found
        return []

    def fields(self, target: Target, name: str) -> Sequence[tuple[Place, Fact]]:
        """Return how a type's field is bound: in its body, and in its methods by `self`."""
        key = (*target.key, name)
        known = self._fields.get(key)
        if known is None:
            if len(self._fields) > _MAX_KEPT:
                self._fields.clear()
            known = self._fields[key] = self._look_for_fields(target, name)
        return known

    def _look_for_fields(self, target: Target, name: str) -> Sequence[tuple[Place, Fact]]:
        file = target.tree.file(target.path)
        if file is None:
            return ()
        qualified = file.symbols[target.index].qualified
        found: list[tuple[Place, Fact]] = []
        for at in file.qualified(qualified):
            found += [
                (Place(target.tree, file, at, fact.line), fact)
                for fact in file.scope_facts(at, name)
                if fact.kind == "bind"
            ]
        for fact in file.own_fields(name):
            owner = type_around(file, fact.scope)
            if owner >= 0 and file.symbols[owner].qualified == qualified:
                found.append((Place(target.tree, file, fact.scope, fact.line), fact))
        return found

    # ------------------------------------------------------------------ with bases

    def find(self, target: Target, name: str, *, inherited: bool = False) -> tuple[Target, ...]:
        """Return what a name means in a type: the overloads of the first type that has it.

        With `inherited` the type's own are passed over.
        """
        for one in self.lineage(target).types[1 if inherited else 0 :]:
            found = self.own(one, name)
            if found:
                return found
        return ()

    def bare(self, target: Target, name: str) -> tuple[Target, ...]:
        """Return what a name means in a type where members are named without a receiver.

        A type's own name, or that of a base, is the type there, not its constructor.
        """
        for one in self.lineage(target).types:
            file = one.tree.file(one.path)
            if file is not None and file.symbols[one.index].name == name:
                return (one,)
            found = self.own(one, name)
            if found:
                return found
        return ()

    def lineage(self, target: Target) -> Lineage:
        """Return a type with all its bases, in method resolution order."""
        known = self._lineages.get(target.key)
        if known is not None:
            return known
        if self._above >= MAX_BASES:
            return Lineage((target,), outside=True)
        self._lineages[target.key] = Lineage((target,), outside=False)
        self._above += 1
        try:
            found = self._line_up(target)
        finally:
            self._above -= 1
        if len(self._lineages) > _MAX_KEPT:
            self._lineages.clear()
        self._lineages[target.key] = found
        return found

    def _line_up(self, target: Target) -> Lineage:
        bases = self.bases(target)
        above = [self.lineage(one) for one in bases.types]
        lines = [list(one.types) for one in above]
        order = _merge([*lines, list(bases.types)])
        types = (target, *(one for one in order if one.key != target.key))
        return Lineage(types[:MAX_BASES], bases.outside or any(one.outside for one in above))

    def bases(self, target: Target) -> Bases:
        """Return the direct bases of a type, of all its parts in the file."""
        known = self._bases.get(target.key)
        if known is not None:
            return known
        self._bases[target.key] = Bases((), outside=False)
        file = target.tree.file(target.path)
        found, foreign = [], False
        for part in self.parts(target) if file is not None else ():
            for place, use in _heritage(part):
                bases = self._resolve_base(place, use)
                found += [one for one in bases.types if one.key != target.key]
                foreign = foreign or bases.outside
        if len(self._bases) > _MAX_KEPT:
            self._bases.clear()
        self._bases[target.key] = Bases(tuple(dict.fromkeys(found)), foreign)
        return self._bases[target.key]

    def parts(self, target: Target) -> tuple[Target, ...]:
        """Return the symbols that make a type up: itself, its implementations, its extensions."""
        file = target.tree.file(target.path)
        if file is None or file.symbols[target.index].kind not in TYPES:
            return (target,)
        symbol = file.symbols[target.index]
        found = [
            Target(target.tree, target.path, at)
            for at in file.qualified(symbol.qualified)
            if file.symbols[at].kind in TYPES
        ]
        if traits_of(file.language).open_types:
            others = target.tree.defining([symbol.name])[symbol.name]
            family = traits_of(file.language).family
            called = [
                one
                for one in (others if len(others) <= MAX_OPENED else ())
                if one.path != target.path
                and _is_called(one, symbol.qualified, family, kinds=TYPES)
                and arity(one) in (0, arity(target))
            ]
            found += self._those_of(target, called) if called else []
        return tuple(found)


def _is_called(
    target: Target, qualified: str, family: str, kinds: frozenset[str] = frozenset()
) -> bool:
    """Say whether a definition has a qualified name, in a language of this family."""
    file = target.tree.file(target.path)
    if file is None or traits_of(file.language).family != family:
        return False
    symbol = file.symbols[target.index]
    return symbol.qualified == qualified and (not kinds or symbol.kind in kinds)


def _heritage(target: Target) -> Sequence[tuple[Place, Use]]:
    """Return the `inherit` uses of a type, each with the place that its name is looked up in."""
    file = target.tree.file(target.path)
    if file is None:
        return ()
    symbol = file.symbols[target.index]
    outer = file.outer(target.index) if symbol.kind not in VALUES else -1
    return [
        (Place(target.tree, file, outer, use.line), use)
        for use in file.heritage
        if symbol.start_line <= use.line <= symbol.end_line
        and type_at(file, use.line) == target.index
    ]


def _merge(lines: list[list[Target]]) -> list[Target]:
    """Merge lineages so that each keeps its order (C3, as Python does); the rest as it comes."""
    order: list[Target] = []
    seen: set[tuple[int, str, int]] = set()
    lines = [line for line in lines if line]
    while lines and len(order) < MAX_BASES:
        later = {one.key for line in lines for one in line[1:]}
        head = next((line[0] for line in lines if line[0].key not in later), lines[0][0])
        if head.key not in seen:
            seen.add(head.key)
            order.append(head)
        lines = [[one for one in line if one.key != head.key] for line in lines]
        lines = [line for line in lines if line]
    return order
