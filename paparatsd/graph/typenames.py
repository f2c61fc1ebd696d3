"""What types written as text mean: which of ours they name, and what such a variable is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.graph.extensions import bound_of, extends_types
from paparatsd.graph.members import Bases
from paparatsd.graph.traits import traits_of
from paparatsd.graph.typetexts import read_type
from paparatsd.graph.typewords import CLASSES, CONTAINERS, GENERATORS, WRAPPERS
from paparatsd.graph.values import MAX_ALTERNATIVES, Sort, Value, as_types, outside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph.types import Types
    from paparatsd.graph.typetexts import Named
    from paparatsd.graph.values import Place, Values
    from paparatsd.model import Use


class TypeNames:
    """Says it for the files of one project."""

    def __init__(self, types: Types) -> None:
        self._types = types

    def of_type(self, place: Place, text: str) -> Values:
        """Return what a variable of a declared type is: objects, lists, or things from outside."""
        effort = self._types.effort
        if not effort.enter():
            return ()
        try:
            found: dict[Value, None] = {}
            for named in read_type(text):
                found.update(dict.fromkeys(self._of_named(place, named)))
        finally:
            effort.leave()
        ours = tuple(one for one in found if one.sort is not Sort.OUTSIDE)
        return (ours or tuple(found))[:MAX_ALTERNATIVES]

    def _of_named(self, place: Place, named: Named) -> Values:
        found = self._of_plain(place, named)
        return (Value(Sort.LIST, elements=found),) if named.listed else found

    def _of_plain(self, place: Place, named: Named) -> Values:
        traits = traits_of(place.file.language)
        if named.name in traits.own_type or named.name in traits.own:
            return self._types.surroundings.own(place)
        types = self._named(place, named.name)
        ours = tuple(one for one in types if one.sort is not Sort.OUTSIDE)
        if ours or not named.arguments:
            return tuple(replace(one, sort=Sort.OBJECT) for one in ours) or types
        last = named.last
        if last in CLASSES:
            return as_types(self._of_argument(place, named.arguments[0]))
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

    def _named(self, place: Place, name: str) -> Values:
        """Return the types that a name in a type's place means; one from outside when unknown."""
        found = self._types.chain(place, name.replace("\\", "."))
        if not found and (bound := bound_of(place, name)):
            return as_types(self.of_type(place, bound))
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
        found = self._types.effort.afresh(lambda: self._named(place, text))
        types = tuple(one.target for one in found if one.sort is Sort.TYPE and one.target)
        return Bases(types, outside=not types)

    def extended(self, place: Place, text: str) -> Values:
        """Return what a function extends; the type's name is not looked up inside of it."""
        outer = replace(place, scope=place.file.outer(place.scope))
        return self._types.effort.afresh(lambda: self.of_type(outer, text))


def _last(name: str) -> str:
    return re.split(r"[.:\\]", name)[-1]


def _is_bound(value: Value, name: str) -> bool:
    """Say whether an object stands for a type parameter: it is what the parameter must be."""
    return value.sort is Sort.OBJECT and name.isidentifier() and name[:1].isupper()
