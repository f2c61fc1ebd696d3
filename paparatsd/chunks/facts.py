"""What a file says about names beyond defining and using them: bindings, types, packages."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING

from paparatsd.chunks.expressions import reduce_expression, reduce_type
from paparatsd.chunks.import_names import rust_path
from paparatsd.chunks.names import MAX_NAME_CHARS, spelled, unquote
from paparatsd.chunks.packages import package_name
from paparatsd.chunks.symbols import OWNERS, VALUES
from paparatsd.model import Fact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from paparatsd.chunks.captures import Captures, Found
    from paparatsd.chunks.symbols import Definition, Reader

MAX_FACTS = 20_000
_NO_END = 1 << 62
_MAX_BYTES = 1_200
"""Longer names, types and values are not read."""
_FIRST = frozenset(range(128, 256)) | frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_@$&*"
)
"""The bytes a chain of names may begin with, marks before it included."""
_SELF = ("self.", "this.", "cls.", "$this->", "@")
_EXPORTS = ("exports.", "module.exports")
_EXPORTED = tuple(name.encode() for name in _EXPORTS)
_CAST = re.compile(r"(?:\w+\.)?cast\(\s*([\"']?)([\w.\[\], |]+?)\1\s*,")
"""Python's `typing.cast(Type, value)`."""
_WHOLE = {"=": "default"}
"""What `export = name` gives away; it is taken like a default export."""
_DECLARED = frozenset({"java", "kotlin", "scala", "csharp", "c", "cpp", "objc"})
"""Where a declared type tells all about what is bound."""
_OWN = frozenset({"self", "cls", "_"})
_BINDING = frozenset({"bind", "local", "field", "property"})
_RESULTS = frozenset({"returns", "yields"})
_FIELDED = OWNERS | {"type"}
_WRONG = {"local": "field", "field": "local"}
"""Where a binding of a kind is not kept: a callback's parameter is no field of the class around."""


class Scopes:
    """Which definition, other than a variable, a byte of the file lies in."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._all = definitions
        self._holding = [at for at, one in enumerate(definitions) if one.kind not in VALUES]
        self._starts = [definitions[at].start_byte for at in self._holding]
        self._from = self._until = 0
        self._last = -1

    def at(self, byte: int) -> int:
        """Return the index of the innermost definition around a byte, -1 for none."""
        if self._from <= byte < self._until:
            return self._last
        last = bisect_right(self._starts, byte) - 1
        found = self._holding[last] if last >= 0 else -1
        while found >= 0 and self._all[found].end_byte <= byte:
            found = self.outer(found)
        # Up to the next definition, or to the end of this one, the answer stays.
        following = self._starts[last + 1] if last + 1 < len(self._starts) else _NO_END
        end = self._all[found].end_byte if found >= 0 else _NO_END
        self._from, self._until, self._last = byte, min(following, end), found
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


class Closures:
    """Which functions without a name stand around a byte; asked in ascending order."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._open: list[tuple[int, int]] = []

    def begin(self, start: int, end: int) -> None:
        """Note a function without a name."""
        self._drop(start)
        self._open.append((start, end))

    def hide(self, byte: int, definition: Definition) -> bool:
        """Say whether a byte of a definition belongs to a function inside it, not to itself.

        What is written as `const name = () => ...` ends with its function, which is thus its own.
        """
        self._drop(byte)
        inside = [one for one in self._open if one[0] >= definition.start_byte]
        return len(inside) > 1 or (len(inside) == 1 and not self._own(inside[0][1], definition))

    def _own(self, end: int, definition: Definition) -> bool:
        rest = self._data[end : definition.end_byte]
        return rest in {b"", b";"}

    def _drop(self, byte: int) -> None:
        while self._open and self._open[-1][1] <= byte:
            self._open.pop()


def build_facts(
    captures: Captures, reader: Reader, definitions: Sequence[Definition]
) -> tuple[Fact, ...]:
    """Make the facts in file order."""
    scopes, closures = Scopes(definitions), Closures(reader.data)
    declared: set[int] = set()
    facts: list[Fact] = []
    for (start, kind), found in sorted(captures.facts.items()):
        if kind == "closure":
            closures.begin(start, found.node.end_byte)
            continue
        if kind in _BINDING and _is_more(captures, start, reader.data):
            continue
        scope = scopes.at(start)
        if kind in _RESULTS and _is_foreign(definitions, scope, start, closures, declared, kind):
            continue
        if scope >= 0 and kind in _WRONG and _WRONG[kind] == _owns(definitions[scope]):
            continue
        fact = _fact_of(found, start, reader, scope)
        if fact is not None:
            facts.append(fact)
            if len(facts) >= MAX_FACTS:
                break
            if len(facts) % 512 == 0:
                reader.deadline.check()
    return tuple(facts)


def _is_more(captures: Captures, start: int, data: bytes) -> bool:
    """Say whether a bound name is an import, a function or a class, and thus known as such.

    Not when it is given away at once, as in `exports.go = () => 1`.
    """
    use = captures.uses.get(start)
    if use is not None and use.kind == "import":
        return True
    definition = captures.definitions.get(start)
    return (
        definition is not None
        and definition.kind not in VALUES
        and not data.startswith(_EXPORTED, start)
    )


def _is_foreign(
    definitions: Sequence[Definition],
    scope: int,
    start: int,
    closures: Closures,
    declared: set[int],
    kind: str,
) -> bool:
    """Say whether a result is not the scope's own, or needless beside its declared type."""
    if scope < 0 or scope in declared or closures.hide(start, definitions[scope]):
        return True
    if kind == "returns":
        declared.add(scope)
    return False


def _owns(definition: Definition) -> str:
    """Tell what bindings written in a definition are: fields or local names."""
    return "field" if definition.kind in _FIELDED else "local"


def _fact_of(found: Found, start: int, reader: Reader, scope: int) -> Fact | None:
    node, kind, others, _ = found
    if kind == "yields":
        value = _chain(node, reader)
        return Fact("yields", "", node.start_point[0] + 1, scope, "", value) if value else None
    data = reader.data
    end = min(node.end_byte, start + _MAX_BYTES)
    if kind in _BINDING:
        name = spelled(data[start:end])
        if name in _OWN:
            return None
        line = node.start_point[0] + 1
        if len(others) == 1 and kind != "property" and name.isidentifier():
            return Fact("bind", name, line, scope) if len(name) <= MAX_NAME_CHARS else None
        return _binding(found, name, line, scope, reader)
    if kind == "returns":
        typed = _type(data[start:end])
        if not typed or typed == "_":  # left out; `self` is a type in PHP
            return None
        return Fact("returns", "", node.start_point[0] + 1, scope, typed)
    return _statement(found, reader.text(start, end), scope, reader)


def _statement(found: Found, name: str, scope: int, reader: Reader) -> Fact | None:
    """Read what is said about the file as a whole."""
    node, kind, others, _ = found
    if name in _OWN:
        return None
    typed, value, target = (_other(others, what, reader) for what in ("type", "value", "target"))
    if kind == "package":
        name = package_name(node, name, reader)
    elif kind == "export":
        name, typed, scope = _WHOLE.get(name, unquote(name)), unquote(target), -1
        value = "*" if value == "*" else reduce_expression(unquote(value))
        if reader.language == "rust":
            typed = rust_path(others.get("value", [node])[0], reader.text)
    if not _is_name(name):
        return None
    return Fact(kind, name, node.start_point[0] + 1, scope, typed, value)


def _binding(found: Found, name: str, line: int, scope: int, reader: Reader) -> Fact | None:
    typed = value = ""
    others = found.others
    if len(others) > 1:
        typed = _type_of(others["type"][0], reader.data) if "type" in others else ""
        if not (typed and reader.language in _DECLARED):
            value = _value(others, name, reader)
        if not typed and value.endswith("cast()") and reader.language == "python":
            cast = _CAST.match(_other(others, "value", reader))
            typed = cast[2] if cast is not None else ""
    if "extended" in others:
        name = "this"
    elif found.kind == "property":
        name = f"self.{name}"
    elif "." in name or name[:1] in "@$":
        if name.startswith(_EXPORTS):
            return _commonjs(name, value, line)
        name = _field_name(name)
        if name.count(".") > 1 or ("." in name and not name.startswith("self.")):
            return None
    if not _is_name(name):
        return None
    return Fact("bind", name, line, scope, typed, value)


def _value(others: dict[str, list[Node]], name: str, reader: Reader) -> str:
    if "value" in others:
        return _chain(others["value"][0], reader)
    if "each" in others:
        each = _chain(others["each"][0], reader)
        return each and f"{each}[]"
    owner = _chain(others["owner"][0], reader) if "owner" in others else ""
    return owner and f"{owner}.{name}"


def _chain(node: Node, reader: Reader) -> str:
    """Reduce an expression; most values are none and are told by their first byte or length."""
    start, end = node.start_byte, node.end_byte
    data = reader.data
    if end - start > _MAX_BYTES or data[start] not in _FIRST:
        return ""
    return _chain_of(data[start:end])


@lru_cache(maxsize=8_192)
def _chain_of(expression: bytes) -> str:
    return reduce_expression(expression.decode("utf-8", "replace"))


def _type_of(node: Node, data: bytes) -> str:
    start = node.start_byte
    return _type(data[start : min(node.end_byte, start + _MAX_BYTES)])


@lru_cache(maxsize=8_192)
def _type(text: bytes) -> str:
    return reduce_type(text.decode("utf-8", "replace"))


def _commonjs(name: str, value: str, line: int) -> Fact | None:
    """Read `exports.NAME = value` and `module.exports = value`."""
    name = name.removeprefix("module.").removeprefix("exports").removeprefix(".")
    if "." in name or (not name and not value):
        return None
    return Fact("export", name or "default", line, -1, "", value or name)


def _is_name(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME_CHARS and "\n" not in name


def _other(others: dict[str, list[Node]], capture: str, reader: Reader) -> str:
    nodes = others.get(capture)
    if nodes is None:
        return ""
    start = nodes[0].start_byte
    return reader.text(start, min(nodes[0].end_byte, start + _MAX_BYTES))


def _field_name(name: str) -> str:
    for prefix in _SELF:
        if name.startswith(prefix):
            return f"self.{name.removeprefix(prefix).lstrip('@')}"
    return name
