"""What expressions can be: chains of names and calls followed through bindings and results."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.graph.effort import Effort
from paparatsd.graph.extensions import Extensions
from paparatsd.graph.meanings import Meanings
from paparatsd.graph.members import Members
from paparatsd.graph.parts import Parts
from paparatsd.graph.steps import Steps
from paparatsd.graph.surroundings import Surroundings
from paparatsd.graph.traits import traits_of
from paparatsd.graph.typenames import TypeNames
from paparatsd.graph.values import Sort, each, element
from paparatsd.model import Use

if TYPE_CHECKING:
    from paparatsd.graph.imports import Imports
    from paparatsd.graph.values import Place, Step, Value, Values

_MAX_KEPT = 50_000

_TOKEN = re.compile(r"\(\)|\[\]|(?:\.|::|->|\\)?[@$]{0,2}#?[\w$]+[?!]?")
_SEPARATOR = re.compile(r"^(?:\.|::|->|\\)")
_BRACKETS = frozenset({"()", "[]"})


class Types:
    """Evaluates expressions of one project's files.

    What a name is depends on types, these on names, and both on what calls give: whatever answers
    one of these questions asks the others, through this one.
    """

    def __init__(self, imports: Imports) -> None:
        self.imports = imports
        self.effort = Effort()
        self.parts = Parts(imports)
        self.typenames = TypeNames(self)
        self.members = Members(self.typenames.bases_named, self.parts.those_of)
        self.extensions = Extensions(self.members, self.typenames.extended)
        self.surroundings = Surroundings(self)
        self.meanings = Meanings(self)
        self.steps = Steps(self)
        self._kept: dict[tuple[int, str, int, int, str], Values] = {}
        self._visiting: set[tuple[int, str, int, int, str]] = set()

    def chain(self, place: Place, text: str) -> Values:
        """Return what a chain ("self.repo.find()") can be in a place; nothing when unknown."""
        key = (place.tree.project_id, place.file.path, place.scope, place.line, text)
        if place.own is None and (known := self._kept.get(key)) is not None:
            return known
        effort = self.effort
        if key in self._visiting:
            effort.cut += 1
            return ()
        if not effort.enter():
            return ()
        cut = effort.cut
        self._visiting.add(key)
        try:
            found = self._chain(place, text)
        finally:
            effort.leave()
            self._visiting.discard(key)
        # What was cut short on the way, by a circle or by depth, may be more when asked for alone.
        if place.own is None and (effort.is_whole or effort.cut == cut):
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
            values = each(values, self._step(rest[at], called=called))
            at += 2 if called else 1
        return values

    def _step(self, part: str, *, called: bool) -> Step:
        if part == "()":
            return self.steps.call
        if part == "[]":
            return element
        name = _SEPARATOR.sub("", part)
        if called:
            return lambda one: self._called(one, name)
        return lambda one: self.steps.member(one, name)

    def _called(self, value: Value, name: str) -> Values:
        """Return what calling a member gives: of wrappers and lists what is inside them."""
        found = self.steps.member(value, name)
        if value.sort is Sort.LIST or (found == (value,) and value.sort is Sort.OBJECT):
            return (
                found
                if found[:1] != () and found[0].sort is not Sort.FUNCTION
                else each(found, self.steps.call)
            )
        if found == (replace(value, sort=Sort.OBJECT),):  # it was made
            return found
        return each(found, self.steps.call)

    def _start(self, place: Place, tokens: list[str]) -> tuple[Values, list[str]]:
        """Return what the first name is, and what of the chain is left."""
        traits = traits_of(place.file.language)
        first = tokens[0]
        called = "".join(tokens[:2]) if tokens[1:2] == ["()"] else ""
        if called and called in traits.parent:
            return self.surroundings.inherited(place), tokens[2:]
        if called and called in traits.own_type:
            return self.surroundings.own_type(place), tokens[2:]
        if first in traits.parent:
            return self.surroundings.inherited(place), tokens[1:]
        if first in traits.own:
            return self.surroundings.own(place), tokens[1:]
        if first in traits.own_type:
            return self.surroundings.own_type(place), tokens[1:]
        if first.startswith("@"):
            own = self.surroundings.own(place)
            return each(own, lambda one: self.steps.member(one, first[1:])), tokens[1:]
        found = self.meanings.name(place, first, called=bool(called))
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
                values = self.meanings.values_of(found)
                if values:
                    return values, tokens[length:]
        return (), tokens[1:]
