"""Steps of an expression: what calling something gives, and what its members are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.graph.extensions import extends_types, gives_itself
from paparatsd.graph.traits import traits_of
from paparatsd.graph.typewords import ELEMENT, SAME
from paparatsd.graph.values import MAX_ALTERNATIVES, Place, Sort, Value, each, element, outside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Target
    from paparatsd.graph.types import Types
    from paparatsd.graph.values import Values

MAX_RESULTS = 4
"""Return statements of a function that are looked at."""


class Steps:
    """Takes them in one project."""

    def __init__(self, types: Types) -> None:
        self._types = types

    def call(self, value: Value) -> Values:
        """Return what calling something gives."""
        return self._types.effort.deeper(self._call, value)

    def _call(self, value: Value) -> Values:
        if value.sort is Sort.TYPE and value.target is not None:
            return (Value(Sort.OBJECT, value.target),)
        if value.sort is Sort.FUNCTION:
            return self.result(value)
        if value.sort is Sort.OBJECT and value.target is not None:
            file = value.target.tree.file(value.target.path)
            name = traits_of(file.language).called if file is not None else ""
            found = self.member(value, name) if name else ()
            return each(found, self.call)
        if value.sort is Sort.MODULE:
            return ()
        return (value,)

    def result(self, value: Value) -> Values:
        """Return what a function gives: as declared, else what it returns."""
        return self._types.effort.deeper(self._result, value)

    def _result(self, value: Value) -> Values:
        target = value.target
        file = target.tree.file(target.path) if target is not None else None
        if target is None or file is None:
            return ()
        symbol = file.symbols[target.index]
        place = Place(target.tree, file, target.index, symbol.end_line, value.own)
        declared = file.returns(target.index)
        if declared:
            if value.own is not None and gives_itself(file, target.index, declared):
                return (value.own,)
            return self._types.typenames.of_type(place, declared)
        found: dict[Value, None] = {}
        for chain in file.yields(target.index)[:MAX_RESULTS]:
            found.update(dict.fromkeys(self._types.chain(place, chain)))
        if not found and file.owns(symbol.qualified) and _has_outer_members(file, target.index):
            return (Value(Sort.OBJECT, target),)
        return tuple(found)[:MAX_ALTERNATIVES]

    def member(self, value: Value, name: str) -> Values:
        """Return what a member of something is; nothing when that is not known."""
        return self._types.effort.deeper(self._member, value, name)

    def _member(self, value: Value, name: str) -> Values:
        if not self._types.effort.spend():
            return ()
        if value.sort is Sort.MODULE and value.module is not None:
            return self._types.meanings.values_of(self._types.imports.member(value.module, name))
        if value.sort is Sort.OUTSIDE:
            return self._extending(value, name) or (replace(value, text=""),)
        if value.sort is Sort.LIST:
            found = self._extending(value, name)
            return found or (element(value) if name in ELEMENT else (value,))
        if value.target is None:
            return ()
        if value.sort is Sort.FUNCTION:
            found = self._types.meanings.of_targets(self._types.members.own(value.target, name))
            return found or each(self.result(value), lambda one: self.member(one, name))
        return self._member_of_type(value, value.target, name)

    def _member_of_type(self, value: Value, target: Target, name: str) -> Values:
        own = replace(value, inherited=False)
        lineage = self._types.members.lineage(target)
        for one in lineage.types[1 if value.inherited else 0 :]:
            targets = self._types.members.own(one, name)
            found = self._types.meanings.of_targets(targets, own)
            if found:
                return found
            fields = self._field(one, name)
            if fields or targets:
                return fields
        file = target.tree.file(target.path)
        traits = traits_of(file.language if file is not None else "")
        if value.sort is Sort.TYPE and name == traits.maker:
            return (own if own.inherited else replace(own, sort=Sort.OBJECT),)
        if name in traits.opening:
            return (value,)
        extending = self._extending(own, name)
        if extending:
            return extending
        if lineage.outside:
            return (outside(""),)
        return (value,) if name in SAME else ()

    def _extending(self, value: Value, name: str) -> Values:
        """Return the functions of the name that extend what a value is."""
        targets = self.extending(value, name)
        return tuple(Value(Sort.FUNCTION, one, own=value) for one in targets)[:MAX_ALTERNATIVES]

    def extending(self, value: Value, name: str) -> Sequence[Target]:
        """Return the functions of a name that are called as members of what a value is."""
        family = ""
        if value.sort is Sort.OUTSIDE:
            if not value.text:
                return ()
        else:
            held = value.target or next((one.target for one in value.elements if one.target), None)
            file = held.tree.file(held.path) if held is not None else None
            if file is None or value.sort is Sort.TYPE or not extends_types(file.language):
                return ()
            family = traits_of(file.language).family
        return self._types.extensions.find(self._types.imports.tree, value, name, family)

    def _field(self, target: Target, name: str) -> Values:
        facts = self._types.members.fields(target, name)
        typed = [(place, fact) for place, fact in facts if fact.type]
        found: dict[Value, None] = {}
        for place, fact in typed or facts:
            found.update(dict.fromkeys(self._types.meanings.of_fact(place, fact)))
        return tuple(found)[:MAX_ALTERNATIVES]


def _has_outer_members(file: FileSymbols, index: int) -> bool:
    """Say whether something that a function is the owner of stands outside of it."""
    symbol = file.symbols[index]
    return any(
        one.qualified.rpartition(".")[0] == symbol.qualified and one.parent != index
        for one in file.symbols
    )
