"""What expressions can be: chains of names and calls followed through bindings and results."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.graph.extensions import Extensions, bound_of, extends_types, gives_itself
from paparatsd.graph.files import TYPES, VALUES
from paparatsd.graph.fixtures import fixture_of
from paparatsd.graph.imports import Found, Imports, Module
from paparatsd.graph.members import MAX_OPENED, Bases, Members
from paparatsd.graph.modules.table import modules_of
from paparatsd.graph.parts import Parts
from paparatsd.graph.scopes import bindings, type_around
from paparatsd.graph.source import Target
from paparatsd.graph.traits import traits_of
from paparatsd.graph.typetexts import read_type
from paparatsd.graph.typewords import CLASSES, CONTAINERS, ELEMENT, GENERATORS, SAME, WRAPPERS
from paparatsd.graph.values import Place, Sort, Value, outside
from paparatsd.model import Use

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.scopes import Binding
    from paparatsd.graph.typetexts import Named
    from paparatsd.model import Fact, Symbol

Values = tuple[Value, ...]
Step = Callable[[Value], Values]

MAX_DEPTH = 40
"""Bindings, results and types followed from one expression, one out of the other."""
MAX_STEPS = 400
"""Names looked up for one expression."""
MAX_NESTED = 8
"""Looks at bases within looks at bases that start afresh."""
MAX_RESULTS = 4
"""Return statements of a function that are looked at."""
MAX_ALTERNATIVES = 6
"""Things that an expression can be."""
_MAX_KEPT = 50_000

_TOKEN = re.compile(r"\(\)|\[\]|(?:\.|::|->|\\)?[@$]{0,2}#?[\w$]+[?!]?")
_SEPARATOR = re.compile(r"^(?:\.|::|->|\\)")
_BRACKETS = frozenset({"()", "[]"})


class Types:
    """Evaluates expressions of one project's files."""

    def __init__(self, imports: Imports) -> None:
        self.imports = imports
        self.parts = Parts(imports)
        self.members = Members(self.bases_named, self.parts.those_of)
        self.extensions = Extensions(self.members, self._extended_type)
        self._kept: dict[tuple[int, str, int, int, str], Values] = {}
        self._visiting: set[tuple[int, str, int, int, str]] = set()
        self._lent: dict[tuple[int, str, int], Values] = {}
        self._depth = 0
        self._steps = 0
        self._nested = 0
        self._cut = 0

    # ------------------------------------------------------------------ chains

    def chain(self, place: Place, text: str) -> Values:
        """Return what a chain ("self.repo.find()") can be in a place; nothing when unknown."""
        key = (place.tree.project_id, place.file.path, place.scope, place.line, text)
        if place.own is None and (known := self._kept.get(key)) is not None:
            return known
        if key in self._visiting or self._depth >= MAX_DEPTH:
            self._cut += 1
            return ()
        if self._depth == 0:
            self._steps = 0
        cut = self._cut
        self._visiting.add(key)
        self._depth += 1
        try:
            found = self._chain(place, text)
        finally:
            self._depth -= 1
            self._visiting.discard(key)
        # What was cut short on the way, by a circle or by depth, may be more when asked for alone.
        if place.own is None and (self._depth == 0 or self._cut == cut):
            if len(self._kept) > _MAX_KEPT:
                self._kept.clear()
            self._kept[key] = found
        return found

    def _chain(self, place: Place, text: str) -> Values:
        tokens = _TOKEN.findall(text)
        if not tokens or "".join(tokens) != text:
            return ()
        values, rest = self._start(place, tokens)
        at = 0
        while at < len(rest) and values:
            called = rest[at] not in _BRACKETS and rest[at + 1 : at + 2] == ["()"]
            values = self._each(values, self._step(rest[at], called=called))
            at += 2 if called else 1
        return values

    def _step(self, part: str, *, called: bool) -> Step:
        if part == "()":
            return self.call
        if part == "[]":
            return _element
        name = _SEPARATOR.sub("", part)
        if called:
            return lambda one: self._called(one, name)
        return lambda one: self.member(one, name)

    def _called(self, value: Value, name: str) -> Values:
        """Return what calling a member gives: of wrappers and lists what is inside them."""
        found = self.member(value, name)
        if value.sort is Sort.LIST or (found == (value,) and value.sort is Sort.OBJECT):
            return (
                found
                if found[:1] != () and found[0].sort is not Sort.FUNCTION
                else self._each(found, self.call)
            )
        if found == (replace(value, sort=Sort.OBJECT),):  # it was made
            return found
        return self._each(found, self.call)

    def _each(self, values: Values, step: Step) -> Values:
        found: dict[Value, None] = {}
        for one in values:
            found.update(dict.fromkeys(step(one)))
        return tuple(found)[:MAX_ALTERNATIVES]

    def _start(self, place: Place, tokens: list[str]) -> tuple[Values, list[str]]:
        """Return what the first name is, and what of the chain is left."""
        traits = traits_of(place.file.language)
        first = tokens[0]
        called = "".join(tokens[:2]) if tokens[1:2] == ["()"] else ""
        if called and called in traits.parent:
            return self._inherited(place), tokens[2:]
        if called and called in traits.own_type:
            return self._own_type(place), tokens[2:]
        if first in traits.parent:
            return self._inherited(place), tokens[1:]
        if first in traits.own:
            return self._self(place), tokens[1:]
        if first in traits.own_type:
            return self._own_type(place), tokens[1:]
        if first.startswith("@"):
            return self._each(self._self(place), lambda one: self.member(one, first[1:])), tokens[
                1:
            ]
        found = self.name(place, first, called=bool(called))
        if found is None and traits.full_names and (traits.nesting or len(tokens) > 1):
            return self._full_name(place, tokens)
        return found or (), tokens[1:]

    def _full_name(self, place: Place, tokens: list[str]) -> tuple[Values, list[str]]:
        """Find the longest beginning of a chain that names a module or something in one."""
        names = 0
        while names < len(tokens) and tokens[names] not in _BRACKETS:
            names += 1
        for length in range(names, 0, -1):
            path = "".join(tokens[:length])
            last = _SEPARATOR.sub("", tokens[length - 1])
            use = Use(last, "import", place.line, "*", path)
            if self.imports.leads(place.tree, place.file, use) is not None:
                found = self.imports.follow(place.tree, place.file, use)
                values = self.values_of(found)
                if values:
                    return values, tokens[length:]
        return (), tokens[1:]

    def _self(self, place: Place) -> Values:
        if place.own is not None:
            own = place.own
            return (replace(own, sort=Sort.OBJECT) if own.sort is Sort.TYPE else own,)
        around = type_around(place.file, place.scope)
        if around < 0:
            return self.lent(place)
        return (Value(Sort.OBJECT, Target(place.tree, place.file.path, around)),)

    def around(self, place: Place) -> Values:
        """Return the objects whose members need no receiver here, the innermost type's first."""
        around = type_around(place.file, place.scope)
        own = (Value(Sort.OBJECT, Target(place.tree, place.file.path, around)),)
        return (own if around >= 0 else ()) + self.lent(place)

    def lent(self, place: Place) -> Values:
        """Return what has members that are named here alone, though it is not written around.

        That is the type of another file whose method is defined here, or what a function extends.
        """
        traits = traits_of(place.file.language)
        if place.scope < 0 or not (traits.lends_this or (traits.apart and traits.implicit_this)):
            return ()
        key = (place.tree.project_id, place.file.path, place.scope)
        known = self._lent.get(key)
        if known is None:
            if len(self._lent) > _MAX_KEPT:
                self._lent.clear()
            self._lent[key] = ()
            known = self._lent[key] = (
                self._extended(place) if traits.lends_this else self._owner(place)
            )
        return known

    def _extended(self, place: Place) -> Values:
        scope = place.scope
        while scope >= 0:
            fact = place.file.binds(scope, "this", place.line)
            if fact is not None:
                return self._extended_type(replace(place, scope=scope, line=fact.line), fact.type)
            scope = place.file.outer(scope)
        return ()

    def _owner(self, place: Place) -> Values:
        """Return the type of another file that a function's qualified name begins with."""
        file, scope = place.file, place.scope
        while (outer := file.outer(scope)) >= 0 and file.symbols[outer].kind != "module":
            scope = outer
        owner = file.symbols[scope].qualified.rpartition(".")[0]
        if not owner or type_around(file, scope) >= 0:
            return ()
        name = owner.rpartition(".")[2]
        found = [
            one for one in place.tree.defining([name])[name][:MAX_OPENED] if _is_type(one, owner)
        ]
        here = Target(place.tree, file.path, scope)
        near = self.parts.included(here, found) if len(found) > 1 else found
        return tuple(Value(Sort.OBJECT, one) for one in near[:1])

    def _own_type(self, place: Place) -> Values:
        return tuple(replace(one, sort=Sort.TYPE) for one in self._self(place) if one.target)

    def _inherited(self, place: Place) -> Values:
        around = type_around(place.file, place.scope)
        if around < 0:
            return ()
        target = Target(place.tree, place.file.path, around)
        return (Value(Sort.OBJECT, target, inherited=True),)

    # ------------------------------------------------------------------ names

    def name(self, place: Place, name: str, *, called: bool = False) -> Values | None:
        """Return what a bare name is: () when it is bound to who knows what, None when unbound."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            self._cut += 1
            return ()
        lent = False
        for binding in bindings(place.file, place.scope, place.line, name, called=called):
            if binding.scope < 0 and not lent:
                lent = True
                if found := self._of_lent(place, name):
                    return found
            bound = self._bound(place, binding, name)
            if bound is not None:
                return bound
        found = () if lent else self._of_lent(place, name)
        if found:
            return found
        implicit = self.imports.implicit(place.tree, place.file, name)
        if implicit:
            return self._of_targets(implicit)
        passed = self.imports.passed_on(place.tree, place.file, name)
        return self.values_of(passed) if passed else None

    def _of_lent(self, place: Place, name: str) -> Values:
        return self._each(self.lent(place), lambda one: self._bare_member(one, name))

    def _bare_member(self, own: Value, name: str) -> Values:
        """Return what a name is inside a type whose members need no receiver."""
        if own.target is not None:
            meant = self.members.bare(own.target, name)
            if len(meant) == 1 and _is_type(meant[0], name):
                return (Value(Sort.TYPE, meant[0]),)
        found = self.member(own, name)
        return () if found and found[0].sort is Sort.OUTSIDE else found

    def _bound(self, place: Place, binding: Binding, name: str) -> Values | None:
        if binding.owner >= 0:
            own = Value(Sort.OBJECT, Target(place.tree, place.file.path, binding.owner))
            return self._bare_member(own, name) or None
        if binding.fact is not None:
            # What the name was before is meant on the right side of `x = x.next()`.
            line = min(place.line, binding.fact.line)
            if not binding.fact.type and not binding.fact.value:
                fixture = fixture_of(place, binding.scope, name)
                return () if fixture is None else self.result(Value(Sort.FUNCTION, fixture))
            return self._of_fact(replace(place, scope=binding.scope, line=line), binding.fact)
        if binding.symbols:
            targets = [Target(place.tree, place.file.path, at) for at in binding.symbols]
            return self._of_targets(targets)
        found: Values = ()
        for use in binding.imports:
            led = self.imports.follow(place.tree, place.file, use)
            found += self.values_of(led)
        ours = tuple(one for one in found if one.sort is not Sort.OUTSIDE)
        return ours or found

    def values_of(self, found: Found) -> Values:
        """Return what an import or a module's member is as a value."""
        if found.external:
            return (outside(found.external),)
        values = [Value(Sort.MODULE, module=one) for one in found.modules]
        values += self._of_targets(found.targets)
        for tree, path, chain in found.chains:
            file = tree.file(path)
            if file is not None:
                values += self.chain(Place(tree, file, -1, 1 << 30), chain)
        return tuple(values)

    def _of_targets(self, targets: Iterable[Target], own: Value | None = None) -> Values:
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
            found = self._of_fact(replace(place, line=fact.line), fact)
            if found:
                return found
        return (Value(Sort.OBJECT, target),) if file.owns(symbol.qualified) else ()

    def _aliased(self, target: Target, file: FileSymbols, symbol: Symbol) -> Values:
        _, equals, text = symbol.signature.partition("=")
        if not equals or "{" in text:
            return ()
        place = Place(target.tree, file, file.outer(target.index), symbol.start_line)
        found = self.of_type(place, text.strip().rstrip(";"))
        return tuple(
            replace(one, sort=Sort.TYPE) if one.sort is Sort.OBJECT else one
            for one in found
            if one.target is None or one.target.key != target.key
        )

    def _of_fact(self, place: Place, fact: Fact) -> Values:
        if fact.type:
            found = self.of_type(_around_itself(place, fact), fact.type)
            if found or not fact.value:
                return found
        if not fact.value:
            return ()
        found = self.chain(replace(place, line=max(fact.line - 1, 0)), fact.value) or self.chain(
            replace(place, line=fact.line), fact.value
        )
        if traits_of(place.file.language).bare_calls:
            return self._each(
                found, lambda one: self.call(one) if one.sort is Sort.FUNCTION else (one,)
            )
        return found

    # ------------------------------------------------------------------ types as written

    def of_type(self, place: Place, text: str) -> Values:
        """Return what a variable of a declared type is: objects, lists, or things from outside."""
        if self._depth >= MAX_DEPTH:
            self._cut += 1
            return ()
        self._depth += 1
        try:
            found: dict[Value, None] = {}
            for named in read_type(text):
                found.update(dict.fromkeys(self._of_named(place, named)))
        finally:
            self._depth -= 1
        ours = tuple(one for one in found if one.sort is not Sort.OUTSIDE)
        return (ours or tuple(found))[:MAX_ALTERNATIVES]

    def _of_named(self, place: Place, named: Named) -> Values:
        found = self._of_plain(place, named)
        return (Value(Sort.LIST, elements=found),) if named.listed else found

    def _of_plain(self, place: Place, named: Named) -> Values:
        traits = traits_of(place.file.language)
        if named.name in traits.own_type or named.name in traits.own:
            return self._self(place)
        types = self._types_named(place, named.name)
        ours = tuple(one for one in types if one.sort is not Sort.OUTSIDE)
        if ours or not named.arguments:
            return tuple(replace(one, sort=Sort.OBJECT) for one in ours) or types
        last = named.last
        if last in CLASSES:
            return tuple(
                replace(one, sort=Sort.TYPE) if one.sort is Sort.OBJECT else one
                for one in self._of_argument(place, named.arguments[0])
            )
        if last in CONTAINERS:
            held = named.arguments[0 if last in GENERATORS else -1]
            return (Value(Sort.LIST, elements=self._of_argument(place, held)),)
        if last in WRAPPERS:
            return self._of_argument(place, named.arguments[0])
        if last == "Union":
            parts = (self._of_argument(place, one) for one in named.arguments)
            return tuple(one for part in parts for one in part if one.sort is not Sort.OUTSIDE)
        if last == "Coroutine":
            return self._of_argument(place, named.arguments[-1])
        return types

    def _of_argument(self, place: Place, types: Sequence[Named]) -> Values:
        return tuple(one for named in types for one in self._of_named(place, named))

    def _types_named(self, place: Place, name: str) -> Values:
        """Return the types that a name in a type's place means; one from outside when unknown."""
        found = self.chain(place, name.replace("\\", "."))
        if not found and (bound := bound_of(place, name)):
            return tuple(
                replace(one, sort=Sort.TYPE) if one.sort is Sort.OBJECT else one
                for one in self.of_type(place, bound)
            )
        last = _last(name) if extends_types(place.file.language) else ""
        types = tuple(
            replace(one, text=last) if one.sort is Sort.OUTSIDE else one
            for one in found
            if one.sort in (Sort.TYPE, Sort.OUTSIDE) or _is_bound(one, name)
        )
        return types or (() if found else (outside("", last),))

    def bases_named(self, place: Place, use: Use) -> Bases:
        """Return the types that an `inherit` use names."""
        text = f"{use.receiver}.{use.name}" if use.receiver else use.name
        found = self._afresh(lambda: self._types_named(place, text))
        types = tuple(one.target for one in found if one.sort is Sort.TYPE and one.target)
        return Bases(types, outside=not types)

    def _afresh(self, look: Callable[[], Values]) -> Values:
        """Look something up that is kept: it must not depend on how deep in what it came up."""
        depth, steps = self._depth, self._steps
        nested = self._nested
        self._nested += 1
        if nested < MAX_NESTED:
            self._depth, self._steps = 1, 0
        try:
            return look()
        finally:
            self._depth, self._steps, self._nested = depth, steps, nested

    # ------------------------------------------------------------------ steps of a chain

    def call(self, value: Value) -> Values:
        """Return what calling something gives."""
        return self._deeper(lambda: self._call(value))

    def _deeper(self, step: Callable[[], Values]) -> Values:
        """Take a step unless too many led here: things may give themselves."""
        if self._depth >= MAX_DEPTH:
            self._cut += 1
            return ()
        if self._depth == 0:
            self._steps = 0
        self._depth += 1
        try:
            return step()
        finally:
            self._depth -= 1

    def _call(self, value: Value) -> Values:
        if value.sort is Sort.TYPE and value.target is not None:
            return (Value(Sort.OBJECT, value.target),)
        if value.sort is Sort.FUNCTION:
            return self.result(value)
        if value.sort is Sort.OBJECT and value.target is not None:
            file = value.target.tree.file(value.target.path)
            name = traits_of(file.language).called if file is not None else ""
            found = self.member(value, name) if name else ()
            return self._each(found, self.call)
        if value.sort is Sort.MODULE:
            return ()
        return (value,)

    def result(self, value: Value) -> Values:
        """Return what a function gives: as declared, else what it returns."""
        return self._deeper(lambda: self._result(value))

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
            return self.of_type(place, declared)
        found: dict[Value, None] = {}
        for chain in file.yields(target.index)[:MAX_RESULTS]:
            found.update(dict.fromkeys(self.chain(place, chain)))
        if not found and file.owns(symbol.qualified) and _has_outer_members(file, target.index):
            return (Value(Sort.OBJECT, target),)
        return tuple(found)[:MAX_ALTERNATIVES]

    def member(self, value: Value, name: str) -> Values:
        """Return what a member of something is; nothing when that is not known."""
        return self._deeper(lambda: self._member(value, name))

    def _member(self, value: Value, name: str) -> Values:
        self._steps += 1
        if self._steps > MAX_STEPS:
            self._cut += 1
            return ()
        if value.sort is Sort.MODULE and value.module is not None:
            return self.values_of(self.imports.member(value.module, name))
        if value.sort is Sort.OUTSIDE:
            return self._extending(value, name) or (replace(value, text=""),)
        if value.sort is Sort.LIST:
            found = self._extending(value, name)
            return found or (_element(value) if name in ELEMENT else (value,))
        if value.target is None:
            return ()
        if value.sort is Sort.FUNCTION:
            found = self._of_targets(self.members.own(value.target, name))
            return found or self._each(self.result(value), lambda one: self.member(one, name))
        return self._member_of_type(value, value.target, name)

    def _member_of_type(self, value: Value, target: Target, name: str) -> Values:
        own = replace(value, inherited=False)
        lineage = self.members.lineage(target)
        for one in lineage.types[1 if value.inherited else 0 :]:
            targets = self.members.own(one, name)
            found = self._of_targets(targets, own)
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

    def _extended_type(self, place: Place, text: str) -> Values:
        """Return what a function extends; the type's name is not looked up inside of it."""
        outer = replace(place, scope=place.file.outer(place.scope))
        return self._afresh(lambda: self.of_type(outer, text))

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
        return self.extensions.find(self.imports.tree, value, name, family)

    def _field(self, target: Target, name: str) -> Values:
        facts = self.members.fields(target, name)
        typed = [(place, fact) for place, fact in facts if fact.type]
        found: dict[Value, None] = {}
        for place, fact in typed or facts:
            found.update(dict.fromkeys(self._of_fact(place, fact)))
        return tuple(found)[:MAX_ALTERNATIVES]


def _around_itself(place: Place, fact: Fact) -> Place:
    """Return where the type of a variable is looked up: outside, when both are called the same."""
    scope = place.scope
    if scope < 0 or fact.name not in fact.type:
        return place
    return replace(place, scope=place.file.outer(scope))


def _last(name: str) -> str:
    return re.split(r"[.:\\]", name)[-1]


def _is_type(target: Target, qualified: str) -> bool:
    """Say whether a target is a type whose qualified name is this one, or ends so."""
    file = target.tree.file(target.path)
    if file is None or target.index < 0 or file.symbols[target.index].kind not in TYPES:
        return False
    return f".{file.symbols[target.index].qualified}".endswith(f".{qualified}")


def _declared_module(target: Target, file: FileSymbols, symbol: Symbol) -> Values:
    """Return the module of another file that a symbol only declares, as Rust's `mod name;`."""
    if file.language != "rust" or file.children(target.index):
        return ()
    paths = tuple(modules_of(file.language).inner(target.tree, (target.path,), symbol.name))
    if not paths:
        return ()
    return (Value(Sort.MODULE, module=Module(target.tree, paths, file.language)),)


def _element(value: Value) -> Values:
    return (
        value.elements
        if value.sort is Sort.LIST
        else ((value,) if value.sort is Sort.OUTSIDE else ())
    )


def _is_bound(value: Value, name: str) -> bool:
    """Say whether an object stands for a type parameter: it is what the parameter must be."""
    return value.sort is Sort.OBJECT and name.isidentifier() and name[:1].isupper()


def _has_outer_members(file: FileSymbols, index: int) -> bool:
    """Say whether something that a function is the owner of stands outside of it."""
    symbol = file.symbols[index]
    return any(
        one.qualified.rpartition(".")[0] == symbol.qualified and one.parent != index
        for one in file.symbols
    )
