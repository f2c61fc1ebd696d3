"""What a member is used upon: what the text before it can be, and what that has of a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.expressions import reduce_expression
from paparatsd.chunks.names import MAX_RECEIVER_CHARS
from paparatsd.graph.source import Target
from paparatsd.graph.traits import traits_of
from paparatsd.graph.values import Sort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.types import Types
    from paparatsd.graph.values import Place, Value

_HEAD = re.compile(r"[^\W\d]\w*")
_CAST = re.compile(
    r"(?:[^()]|\([^()]*\))+?\s+as[!?]?\s+(?P<after>[\w.:$]+(?:<[\w., ]+>)?(?:\[\])?)"
    r"|\((?P<before>[\w.:$]+(?:<[\w., ]+>)?(?:\[\])?\s?\*?)\)\s*[\w@$].*"
)
"""`value as Type` and `(Type) value`."""


class Receivers:
    """Reads them in one project."""

    def __init__(self, types: Types) -> None:
        self._types = types

    def read(self, place: Place, text: str) -> tuple[str, Sequence[Value]]:
        """Return the chain that a receiver is, "" for none, and what it can be."""
        if len(text) >= MAX_RECEIVER_CHARS:
            return "", ()
        while text.startswith("(") and _closes_at_end(text):
            text = text[1:-1].strip()
        cast = _CAST.fullmatch(text)
        if cast is not None:
            return "", self._types.typenames.of_type(place, cast["after"] or cast["before"])
        chain = reduce_expression(text)
        if not chain and ("\\" in text or text in _own_words(place.file)):
            chain = text
        return chain, self._types.chain(place, chain) if chain else ()

    def foreign(self, place: Place, receiver: str) -> str:
        """Return the package that a receiver is from for sure, though nothing binds it; or ""."""
        head = _HEAD.match(receiver) if len(receiver) < MAX_RECEIVER_CHARS else None
        if head is None or self._types.meanings.name(place, head[0]) is not None:
            return ""
        traits, name = traits_of(place.file.language), head[0]
        if name in traits.foreign:
            return name
        is_path = receiver.startswith("::", head.end()) or (
            name[0].isupper() and traits.bound_types
        )
        if is_path and not self._types.chain(place, name):
            return name
        wildcards = self._types.imports.wildcards(place.tree, place.file)
        named = [one for one in wildcards if name in (one.name, one.target)]
        outside = all(
            self._types.imports.leads(place.tree, place.file, one) is None for one in named
        )
        return name if named and outside else ""

    def targets_in(self, value: Value, name: str) -> tuple[Sequence[Target], str]:
        """Return the definitions of a member of something, or the package it is from."""
        if value.sort is Sort.MODULE and value.module is not None:
            found = self._types.imports.member(value.module, name)
            if found.chains:
                values = plain(self._types.meanings.values_of(found))
                return [one.target for one in values if one.target is not None], ""
            whole = [Target(one.tree, path, -1) for one in found.modules for path in one.paths[:1]]
            return found.targets or whole, found.external
        if value.target is None:
            return (), ""
        members = self._types.members
        if value.sort is Sort.FUNCTION:
            found_own = members.own(value.target, name)
            if found_own:
                return found_own, ""
            # A function that is not called is a property, or gives what it is asked for later.
            results = [
                one for one in self._types.steps.result(value) if one.sort is not Sort.FUNCTION
            ]
            for result in results:
                inner, external = self.targets_in(result, name)
                if inner or external:
                    return inner, external
            return (), ""
        targets = members.find(value.target, name, inherited=value.inherited)
        if targets:
            return targets, ""
        held = plain(self._types.steps.member(value, name))
        if held and held[0].sort in (Sort.FUNCTION, Sort.TYPE):
            return [one.target for one in held if one.target is not None], ""
        return (), "?" if members.lineage(value.target).outside else ""


def plain(values: Sequence[Value]) -> list[Value]:
    """Leave out objects: what is called or named is a function, a type, a module, an outsider."""
    return [one for one in values if one.sort is not Sort.OBJECT]


def _closes_at_end(text: str) -> bool:
    """Say whether the bracket that a text begins with is closed by its last character."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            return at == len(text) - 1
    return False


def _own_words(file: FileSymbols) -> frozenset[str]:
    traits = traits_of(file.language)
    return traits.own | traits.parent | traits.own_type
