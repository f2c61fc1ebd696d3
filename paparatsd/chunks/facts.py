"""What a file says about names beyond defining and using them: bindings, types, packages."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from paparatsd.chunks.expressions import reduce_expression, reduce_type
from paparatsd.chunks.names import MAX_NAME_CHARS, unquote
from paparatsd.chunks.symbols import VALUES
from paparatsd.model import Fact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from paparatsd.chunks.captures import Captures, FoundFact
    from paparatsd.chunks.symbols import Definition, Reader

MAX_FACTS = 20_000
_SELF = ("self.", "this.", "$this->", "@")
_INFERRED = frozenset({"var", "val", "auto"})
"""What stands where a type would, and says that it is the value's."""
_DECLARED = frozenset({"java", "kotlin", "scala", "csharp"})
"""Where a declared type tells all about what is bound."""
_NAMESPACES = frozenset({"namespace_declaration", "package_clause"})


class Scopes:
    """Which definition, other than a variable, a byte of the file lies in."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._all = definitions
        self._holding = [at for at, one in enumerate(definitions) if one.kind not in VALUES]
        self._starts = [definitions[at].start_byte for at in self._holding]

    def at(self, byte: int) -> int:
        """Return the index of the innermost definition around a byte, -1 for none."""
        last = bisect_right(self._starts, byte) - 1
        found = self._holding[last] if last >= 0 else -1
        while found >= 0 and self._all[found].end_byte <= byte:
            found = self.outer(found)
        return found

    def outer(self, index: int) -> int:
        """Return the next definition around one that holds others, -1 for none."""
        found = self._all[index].parent
        while found >= 0 and self._all[found].kind in VALUES:
            found = self._all[found].parent
        return found


class Bound:
    """Which names are parameters or local variables at a byte of the file."""

    def __init__(self, facts: Sequence[Fact], definitions: Sequence[Definition]) -> None:
        self._scopes = Scopes(definitions)
        self._names = {
            (fact.scope, fact.name)
            for fact in facts
            if fact.kind == "bind" and fact.scope >= 0 and not definitions[fact.scope].container
        }

    def around(self, byte: int, name: str) -> bool:
        """Say whether a function around the byte binds the name."""
        scope = self._scopes.at(byte) if self._names else -1
        while scope >= 0:
            if (scope, name) in self._names:
                return True
            scope = self._scopes.outer(scope)
        return False


def build_facts(
    captures: Captures, reader: Reader, definitions: Sequence[Definition]
) -> tuple[Fact, ...]:
    """Make the facts in file order."""
    scopes = Scopes(definitions)
    facts: list[Fact] = []
    for (start, _), found in sorted(captures.facts.items()):
        fact = _fact_of(found, reader, scopes.at(start))
        if fact is not None:
            facts.append(fact)
            if len(facts) >= MAX_FACTS:
                break
            if len(facts) % 512 == 0:
                reader.deadline.check()
    return tuple(facts)


def _fact_of(found: FoundFact, reader: Reader, scope: int) -> Fact | None:
    line = found.node.start_point[0] + 1
    name = _text(found.node, reader)
    if found.kind == "returns":
        return Fact("returns", "", line, scope, type=reduce_type(name)) if scope >= 0 else None
    if found.kind == "yields":
        value = reduce_expression(name)
        return Fact("yields", "", line, scope, value=value) if scope >= 0 and value else None
    typed = value = ""
    if found.kind == "bind":
        name = _bound_name(found, name)
        typed = reduce_type(_other(found, "type", reader))
        typed = "" if typed in _INFERRED else typed
        if not (typed and reader.language in _DECLARED):
            value = reduce_expression(_other(found, "value", reader))
    elif found.kind == "package":
        name = _package_name(found.node, name, reader)
    elif found.kind == "export":
        name, value = unquote(name), _other(found, "value", reader)
        typed = unquote(_other(found, "target", reader))
    if not name or len(name) > MAX_NAME_CHARS or "\n" in name:
        return None
    return Fact(found.kind, name, line, scope, typed, value)


def _text(node: Node, reader: Reader) -> str:
    return reader.text(node.start_byte, min(node.end_byte, node.start_byte + 2_000))


def _other(found: FoundFact, capture: str, reader: Reader) -> str:
    nodes = found.others.get(capture)
    return "" if nodes is None else _text(nodes[0], reader)


def _bound_name(found: FoundFact, name: str) -> str:
    if "extended" in found.others:
        return "this"
    return f"self.{name}" if "field" in found.others else _field_name(name)


def _package_name(node: Node, name: str, reader: Reader) -> str:
    """Return the whole name of a package: with those around it, and Scala's clauses above it."""
    parts = [name]
    around = node.parent
    while around is not None:
        if reader.language == "scala":
            parts += _clauses_above(around, reader)
        around = around.parent
        if around is not None and around.type in _NAMESPACES:
            named = around.child_by_field_name("name")
            parts += [] if named is None else [_text(named, reader)]
    return ".".join(reversed(parts))


def _clauses_above(node: Node, reader: Reader) -> list[str]:
    """Return the packages of the clauses above a node that have no body, the nearest first."""
    found = []
    above = node.prev_named_sibling
    while above is not None:
        if above.type == "package_clause" and above.child_by_field_name("body") is None:
            named = above.child_by_field_name("name")
            found += [] if named is None else [_text(named, reader)]
        above = above.prev_named_sibling
    return found


def _field_name(name: str) -> str:
    for prefix in _SELF:
        if name.startswith(prefix):
            return f"self.{name.removeprefix(prefix).lstrip('@')}"
    return name
