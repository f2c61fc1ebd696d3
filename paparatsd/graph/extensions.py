"""Functions that are called as members of a type though they are defined outside of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.graph.files import CALLABLE
from paparatsd.graph.traits import traits_of
from paparatsd.graph.typetexts import read_type
from paparatsd.graph.values import Place, Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.members import Members
    from paparatsd.graph.source import Target, Tree
    from paparatsd.graph.values import Value

MAX_NAMESAKES = 400
"""Functions of one name that are asked what they extend."""
_MAX_KEPT = 20_000
_TEXTS = frozenset({"String", "string", "str", "CharSequence", "StringProtocol"})
"""What a text in quotes is, in the languages that have such functions."""


class Extensions:
    """Finds them. `type_of` says what a variable of a written type is, in a place."""

    def __init__(
        self, members: Members, type_of: Callable[[Place, str], tuple[Value, ...]]
    ) -> None:
        self._members = members
        self._type_of = type_of
        self._kept: dict[tuple[Tree, str, str], tuple[tuple[Target, Place, str], ...]] = {}
        self._found: dict[tuple[Value, str], tuple[Target, ...]] = {}

    def find(self, tree: Tree, value: Value, name: str, family: str) -> tuple[Target, ...]:
        """Return the functions that extend what a value is, of one name and family ("": any)."""
        key = (value, name)
        known = self._found.get(key)
        if known is None:
            if len(self._found) > _MAX_KEPT:
                self._found.clear()
            self._found[key] = ()  # asked for anew on the way, it says nothing
            known = tuple(
                target
                for target, place, text in self._named(tree, name, family)
                if self._extends(place, text, value)
            )
            self._found[key] = known
        return known

    def of_text(self, tree: Tree, name: str, family: str) -> tuple[Target, ...]:
        """Return the functions that extend texts."""
        return tuple(
            target
            for target, _, text in self._named(tree, name, family)
            if {one.name for one in read_type(text)} & _TEXTS
        )

    def _named(self, tree: Tree, name: str, family: str) -> Sequence[tuple[Target, Place, str]]:
        key = (tree, name, family)
        known = self._kept.get(key)
        if known is None:
            if len(self._kept) > _MAX_KEPT:
                self._kept.clear()
            places = tree.defining([name])[name]
            known = self._kept[key] = tuple(
                (target, place, text)
                for target in (places if len(places) <= MAX_NAMESAKES else ())
                if (extended := extended_by(target, family)) is not None
                for place, text in [extended]
            )
        return known

    def _extends(self, place: Place, text: str, value: Value) -> bool:
        bound = bound_of(place, text)
        if bound is not None:
            return bound == "" or self._extends(place, bound, value)
        if value.sort is Sort.OUTSIDE:
            names = {one.last for one in read_type(text)}
            return value.text in names or bool(value.text in _TEXTS and names & _TEXTS)
        extended = self._type_of(place, text)
        if value.sort is Sort.LIST:
            held = {one.target.key for one in value.elements if one.target}
            return any(
                inner.target.key in held
                for one in extended
                for inner in one.elements
                if inner.target is not None
            )
        if value.target is None:
            return False
        keys = {one.key for one in self._members.lineage(value.target).types}
        return any(one.target is not None and one.target.key in keys for one in extended)


def extended_by(target: Target, family: str) -> tuple[Place, str] | None:
    """Return the type that a function extends, and the place in which it is written; or None."""
    file = target.tree.file(target.path)
    if file is None or target.index < 0:
        return None
    traits = traits_of(file.language)
    if family and traits.family != family:
        return None
    symbol = file.symbols[target.index]
    if symbol.kind not in CALLABLE:
        return None
    if traits.extended:
        fact = file.binds(target.index, "this")
        if fact is None or not fact.type:
            return None
        return Place(target.tree, file, target.index, fact.line), fact.type
    if "impl" in traits.adding and symbol.parent >= 0:
        owner = file.symbols[symbol.parent]
        if owner.kind == "impl":
            place = Place(target.tree, file, symbol.parent, owner.start_line)
            return place, owner.qualified
    return None


def bound_of(place: Place, text: str) -> str | None:
    """Return what a type parameter is bound to, "" for nothing, None when it is none.

    It is told by the signatures around: `<T : Base>`, `<T extends Base>`, `where T : Base`.
    """
    if not text.isidentifier():
        return None
    scope, found = place.scope, None
    while scope >= 0:
        signature = place.file.symbols[scope].signature
        if re.search(rf"<(?:[^()]*,)?\s*(?:(?:in|out|reified)\s+)?{text}\b", signature):
            found = re.search(rf"\b{text}\s*(?::|extends)\s*([\w.]+)", signature)
            return "" if found is None or found[1] in _ANY else found[1]
        scope = place.file.outer(scope)
    return None


_ANY = frozenset({"Any", "class", "struct", "notnull", "unmanaged", "new", "object"})


def extends_types(language: str) -> bool:
    """Say whether types can be given members from outside of them in a language."""
    traits = traits_of(language)
    return traits.extended or "impl" in traits.adding


def gives_itself(file: FileSymbols, index: int, declared: str) -> bool:
    """Say whether a function declares to give what it extends, of whatever type that is."""
    fact = file.binds(index, "this")
    return fact is not None and fact.type == declared and _is_parameter(file, index, declared)


def _is_parameter(file: FileSymbols, index: int, name: str) -> bool:
    before = file.symbols[index].signature.partition("(")[0]
    return name.isidentifier() and re.search(rf"<[^()]*\b{name}\b", before) is not None
