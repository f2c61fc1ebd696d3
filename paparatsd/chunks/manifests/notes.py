"""What a manifest says, as facts with the lines that they stand in; and careful readers of data."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from paparatsd.model import Fact

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_FACTS = 2_000
MAX_VALUE_CHARS = 300
"""Longer names and values are no names of packages or paths that anybody would write."""

_STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_STRING_OR_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])')


class Notes:
    """Facts of one manifest, in the order they are found; doubles and odd values are left out."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._facts: dict[tuple[str, str, str, str], Fact] = {}

    def add(self, kind: str, name: object, *, of: str = "", value: object = "") -> None:
        """Add a fact about a name if it is one; `of` is the ecosystem."""
        if not (isinstance(name, str) and isinstance(value, str)):
            return
        name, value = name.strip(), value.strip()
        if not name or len(name) > MAX_VALUE_CHARS or len(value) > MAX_VALUE_CHARS:
            return
        if "\n" in name or "\n" in value or len(self._facts) >= MAX_FACTS:
            return
        key = (kind, name, of, value)
        if key not in self._facts:
            self._facts[key] = Fact(kind, name, self._line_of(name), -1, of, value)

    def provides(self, name: object, ecosystem: str) -> None:
        """Say that the manifest's folder is this package."""
        self.add("provides", name, of=ecosystem)

    def depends(self, names: Iterable[object], ecosystem: str) -> None:
        """Say that it needs these packages."""
        for name in names:
            self.add("depends", name, of=ecosystem)

    def maps(self, name: object, value: object) -> None:
        """Say that imports of a name mean this path, seen from the manifest's folder."""
        self.add("maps", name, value=value)

    def facts(self) -> tuple[Fact, ...]:
        """Return all of them by line."""
        return tuple(sorted(self._facts.values(), key=lambda fact: fact.line))

    def _line_of(self, name: str) -> int:
        at = self._text.find(name)
        return 1 if at < 0 else self._text.count("\n", 0, at) + 1


def read_json(text: str) -> object:
    """Return what a text of JSON says; comments and commas at ends are let pass.

    Raises ValueError or RecursionError for what is no JSON.
    """
    try:
        return json.loads(text)
    except ValueError:
        bare = _STRING_OR_COMMENT.sub(lambda one: one[0] if one[0][0] == '"' else " ", text)
        return json.loads(_STRING_OR_COMMA.sub(lambda one: one[0] if one[0] != "," else "", bare))


def read_xml(text: str) -> ElementTree.Element | None:
    """Return the root of a text of XML without namespaces; None for one that declares entities.

    Raises ParseError.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        return None
    root = ElementTree.fromstring(text.lstrip("\ufeff"))  # noqa: S314 - no entities, see above
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    return root


def table(value: object, *keys: str) -> dict[str, Any]:
    """Return the table at the end of a path of keys; an empty one where there is none.

    >>> table({"a": {"b": {"c": 1}}}, "a", "b")
    {'c': 1}
    """
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def texts(value: object) -> list[str]:
    """Return the strings of a list; none of what is no list.

    >>> texts(["a", 1, "b"])
    ['a', 'b']
    """
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
