"""What stands around a place: its own object, and what has members that need no receiver there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.graph.files import TYPES
from paparatsd.graph.members import MAX_OPENED
from paparatsd.graph.scopes import type_around
from paparatsd.graph.source import Target
from paparatsd.graph.traits import traits_of
from paparatsd.graph.values import Sort, Value, each

if TYPE_CHECKING:
    from paparatsd.graph.types import Types
    from paparatsd.graph.values import Place, Values

_MAX_KEPT = 50_000


class Surroundings:
    """Says it for the files of one project."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._lent: dict[tuple[int, str, int], Values] = {}

    def own(self, place: Place) -> Values:
        """Return what `self` is."""
        if place.own is not None:
            own = place.own
            return (replace(own, sort=Sort.OBJECT) if own.sort is Sort.TYPE else own,)
        around = type_around(place.file, place.scope)
        if around < 0:
            return self.lent(place)
        return (Value(Sort.OBJECT, Target(place.tree, place.file.path, around)),)

    def own_type(self, place: Place) -> Values:
        """Return the type of what `self` is."""
        return tuple(replace(one, sort=Sort.TYPE) for one in self.own(place) if one.target)

    def inherited(self, place: Place) -> Values:
        """Return what `super` is: the object with nothing but what it inherits."""
        around = type_around(place.file, place.scope)
        if around < 0:
            return ()
        target = Target(place.tree, place.file.path, around)
        return (Value(Sort.OBJECT, target, inherited=True),)

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

    def of_lent(self, place: Place, name: str) -> Values:
        """Return what a bare name is in what lends its members here."""
        return each(self.lent(place), lambda one: self.bare(one, name))

    def bare(self, own: Value, name: str) -> Values:
        """Return what a name is inside a type whose members need no receiver."""
        if own.target is not None:
            meant = self._types.members.bare(own.target, name)
            if len(meant) == 1 and _is_type(meant[0], name):
                return (Value(Sort.TYPE, meant[0]),)
        found = self._types.steps.member(own, name)
        return () if found and found[0].sort is Sort.OUTSIDE else found

    def _extended(self, place: Place) -> Values:
        scope = place.scope
        while scope >= 0:
            fact = place.file.binds(scope, "this", place.line)
            if fact is not None:
                inside = replace(place, scope=scope, line=fact.line)
                return self._types.typenames.extended(inside, fact.type)
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
        near = self._types.parts.included(here, found) if len(found) > 1 else found
        return tuple(Value(Sort.OBJECT, one) for one in near[:1])


def _is_type(target: Target, qualified: str) -> bool:
    """Say whether a target is a type whose qualified name is this one, or ends so."""
    file = target.tree.file(target.path)
    if file is None or target.index < 0 or file.symbols[target.index].kind not in TYPES:
        return False
    return f".{file.symbols[target.index].qualified}".endswith(f".{qualified}")
