"""What names are as values: what binds them, imports of them, and definitions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.graph.files import TYPES, VALUES
from paparatsd.graph.fixtures import fixture_of
from paparatsd.graph.imports import Module
from paparatsd.graph.modules.table import modules_of
from paparatsd.graph.scopes import bindings
from paparatsd.graph.source import Target
from paparatsd.graph.traits import traits_of
from paparatsd.graph.values import MAX_ALTERNATIVES, Place, Sort, Value, as_types, each, outside

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.imports import Found
    from paparatsd.graph.scopes import Binding
    from paparatsd.graph.types import Types
    from paparatsd.graph.values import Values
    from paparatsd.model import Fact, Symbol


class Meanings:
    """Says it for the files of one project."""

    def __init__(self, types: Types) -> None:
        self._types = types

    def name(self, place: Place, name: str, *, called: bool = False) -> Values | None:
        """Return what a bare name is: () when it is bound to who knows what, None when unbound."""
        if not self._types.effort.spend():
            return ()
        lent = False
        for binding in bindings(place.file, place.scope, place.line, name, called=called):
            if binding.scope < 0 and not lent:
                lent = True
                if found := self._types.surroundings.of_lent(place, name):
                    return found
            bound = self._bound(place, binding, name)
            if bound is not None:
                return bound
        found = () if lent else self._types.surroundings.of_lent(place, name)
        if found:
            return found
        implicit = self._types.imports.implicit(place.tree, place.file, name)
        if implicit:
            return self.of_targets(implicit)
        passed = self._types.imports.passed_on(place.tree, place.file, name)
        return self.values_of(passed) if passed else None

    def _bound(self, place: Place, binding: Binding, name: str) -> Values | None:
        if binding.owner >= 0:
            own = Value(Sort.OBJECT, Target(place.tree, place.file.path, binding.owner))
            return self._types.surroundings.bare(own, name) or None
        if binding.fact is not None:
            # What the name was before is meant on the right side of `x = x.next()`.
            line = min(place.line, binding.fact.line)
            if not binding.fact.type and not binding.fact.value:
                fixture = fixture_of(place, binding.scope, name)
                if fixture is None:
                    return ()
                return self._types.steps.result(Value(Sort.FUNCTION, fixture))
            return self.of_fact(replace(place, scope=binding.scope, line=line), binding.fact)
        if binding.symbols:
            targets = [Target(place.tree, place.file.path, at) for at in binding.symbols]
            return self.of_targets(targets)
        found: Values = ()
        for use in binding.imports:
            led = self._types.imports.follow(place.tree, place.file, use)
            found += self.values_of(led)
        ours = tuple(one for one in found if one.sort is not Sort.OUTSIDE)
        return ours or found

    def values_of(self, found: Found) -> Values:
        """Return what an import or a module's member is as a value."""
        if found.external:
            return (outside(found.external),)
        values = [Value(Sort.MODULE, module=one) for one in found.modules]
        values += self.of_targets(found.targets)
        for tree, path, chain in found.chains:
            file = tree.file(path)
            if file is not None:
                values += self._types.chain(Place(tree, file, -1, 1 << 30), chain)
        return tuple(values)

    def of_targets(self, targets: Iterable[Target], own: Value | None = None) -> Values:
        """Return what definitions are as values, `own` being what they are members of."""
        found: dict[Value, None] = {}
        for one in targets:
            found.update(dict.fromkeys(self.of_target(one, own)))
        return tuple(found)[:MAX_ALTERNATIVES]

    def of_target(self, target: Target, own: Value | None = None) -> Values:
        """Return what a definition is as a value."""
        file = target.tree.file(target.path)
        if file is None or target.index < 0:
            language = "" if file is None else file.language
            return (Value(Sort.MODULE, module=Module(target.tree, (target.path,), language)),)
        symbol = file.symbols[target.index]
        if symbol.kind == "type":
            return self._aliased(target, file, symbol) or (Value(Sort.TYPE, target),)
        if symbol.kind in TYPES:
            return (Value(Sort.TYPE, target),)
        if symbol.kind in VALUES:
            return self._variable(target, file, symbol)
        if symbol.kind == "module":
            return _declared_module(target, file, symbol) or (Value(Sort.OBJECT, target),)
        return (Value(Sort.FUNCTION, target, own=own),)

    def _variable(self, target: Target, file: FileSymbols, symbol: Symbol) -> Values:
        if symbol.parent >= 0 and file.symbols[symbol.parent].kind == "enum":
            return (Value(Sort.OBJECT, Target(target.tree, target.path, symbol.parent)),)
        place = Place(target.tree, file, symbol.parent, 1 << 30)
        facts = [one for one in file.scope_facts(symbol.parent, symbol.name) if one.kind == "bind"]
        typed = [one for one in facts if one.type]
        for fact in typed or [one for one in facts if one.value]:
            found = self.of_fact(replace(place, line=fact.line), fact)
            if found:
                return found
        return (Value(Sort.OBJECT, target),) if file.owns(symbol.qualified) else ()

    def _aliased(self, target: Target, file: FileSymbols, symbol: Symbol) -> Values:
        _, equals, text = symbol.signature.partition("=")
        if not equals or "{" in text:
            return ()
        place = Place(target.tree, file, file.outer(target.index), symbol.start_line)
        found = self._types.typenames.of_type(place, text.strip().rstrip(";"))
        others = tuple(one for one in found if one.target is None or one.target.key != target.key)
        return as_types(others)

    def of_fact(self, place: Place, fact: Fact) -> Values:
        """Return what is bound: by its type as written, else by what it is given."""
        if fact.type:
            found = self._types.typenames.of_type(_around_itself(place, fact), fact.type)
            if found or not fact.value:
                return found
        if not fact.value:
            return ()
        chain = self._types.chain
        found = chain(replace(place, line=max(fact.line - 1, 0)), fact.value)
        found = found or chain(replace(place, line=fact.line), fact.value)
        if traits_of(place.file.language).bare_calls:
            call = self._types.steps.call
            return each(found, lambda one: call(one) if one.sort is Sort.FUNCTION else (one,))
        return found


def _around_itself(place: Place, fact: Fact) -> Place:
    """Return where the type of a variable is looked up: outside, when both are called the same."""
    scope = place.scope
    if scope < 0 or fact.name not in fact.type:
        return place
    return replace(place, scope=place.file.outer(scope))


def _declared_module(target: Target, file: FileSymbols, symbol: Symbol) -> Values:
    """Return the module of another file that a symbol only declares, as Rust's `mod name;`."""
    if file.language != "rust" or file.children(target.index):
        return ()
    paths = tuple(modules_of(file.language).inner(target.tree, (target.path,), symbol.name))
    if not paths:
        return ()
    return (Value(Sort.MODULE, module=Module(target.tree, paths, file.language)),)
