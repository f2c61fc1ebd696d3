"""The whole names of packages and namespaces, which languages may write in several steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from paparatsd.chunks.symbols import Reader

_NAMESPACES = frozenset({"namespace_declaration", "package_clause"})


def package_name(node: Node, name: str, reader: Reader) -> str:
    """Return a package's name with those around it, and Scala's clauses above it.

    `node` is the node of `name`. C# writes `namespace a { namespace b {`, Scala `package a` above
    `package b`: both are `a.b`.
    """
    parts = [name]
    around = node.parent
    while around is not None:
        if reader.language == "scala":
            parts += _clauses_above(around, reader)
        around = around.parent
        if around is not None and around.type in _NAMESPACES:
            parts += _named(around, reader)
    return ".".join(reversed(parts))


def _clauses_above(node: Node, reader: Reader) -> list[str]:
    """Return the packages of the clauses above a node that have no body, the nearest first."""
    found = []
    above = node.prev_named_sibling
    while above is not None:
        if above.type == "package_clause" and above.child_by_field_name("body") is None:
            found += _named(above, reader)
        above = above.prev_named_sibling
    return found


def _named(node: Node, reader: Reader) -> list[str]:
    named = node.child_by_field_name("name")
    return [] if named is None else [reader.text(named.start_byte, named.end_byte)]
