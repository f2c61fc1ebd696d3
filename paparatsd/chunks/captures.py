"""Run a query over a tree and sort what it matched by the part it plays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import QueryCursor

from paparatsd.chunks.grammar import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from paparatsd.chunks.grammar import Grammar, Pattern
    from paparatsd.chunks.tree import Deadline

MATCH_LIMIT = 4_096
"""Matches the cursor may have in flight; beyond it the engine drops the oldest ones."""
MAX_DEPTH = 500
"""Nothing is looked for deeper: in a chain of 100,000 calls the matches in flight, and with them
the time, would grow with the square of its length."""
SLICE_BYTES = 131_072
"""Bytes queried between two looks at the clock."""


class FoundDefinition(NamedTuple):
    """A definition's node with the nodes that say more about it.

    `end` is the node it really ends with, when that is a later sibling.
    """

    node: Node
    kind: str
    name: Node
    scope: Node | None
    body: Node | None
    end: Node
    pattern: int


class Found(NamedTuple):
    """A used name's node, or one that says something about names, with all nodes of its match.

    Made for every match, thus a bare tuple; the rest is looked up when it is asked for.
    """

    node: Node
    kind: str
    others: dict[str, list[Node]]
    pattern: int

    def other(self, capture: str) -> Node | None:
        """Return the first node of another capture of the match."""
        nodes = self.others.get(capture)
        return nodes[0] if nodes else None

    @property
    def binds(self) -> str:
        """What an import binds: "*" is the module itself, "default" its default export.

        "every" is all of the module's names.
        """
        others = self.others
        if "whole" in others:
            return "*"
        return "default" if "default" in others else "every" if "every" in others else ""


def _no_texts() -> dict[Part, dict[int, Node]]:
    return {Part.COMMENT: {}, Part.DOCSTRING: {}, Part.ATTRIBUTE: {}}


@dataclass(slots=True)
class Captures:
    """All that one query found. Definitions and uses are keyed by the first byte of the name.

    Facts are keyed by their first byte and kind.
    """

    definitions: dict[int, FoundDefinition] = field(default_factory=dict)
    uses: dict[int, Found] = field(default_factory=dict)
    facts: dict[tuple[int, str], Found] = field(default_factory=dict)
    texts: dict[Part, dict[int, Node]] = field(default_factory=_no_texts)

    def nodes(self, part: Part) -> list[Node]:
        """Return the comments, doc strings or attributes, in file order."""
        return [node for _, node in sorted(self.texts[part].items())]


def run_query(grammar: Grammar, root: Node, deadline: Deadline) -> Captures:
    """Collect what the grammar's query finds below `root`.

    Where several patterns find one name, the first in the file of queries wins. Raises
    DeadlinePassed.
    """
    found = Captures()
    if grammar.query is None:
        return found
    cursor = QueryCursor(grammar.query, match_limit=MATCH_LIMIT)
    cursor.set_max_start_depth(MAX_DEPTH)
    # In slices, because the cursor's own progress callback crashes the interpreter (0.26.1).
    # What spans two slices is found twice; captures are keyed by place, so that is harmless.
    for start in range(0, max(root.end_byte, 1), SLICE_BYTES):
        deadline.check()
        cursor.set_byte_range(start, start + SLICE_BYTES)
        _sort_matches(found, grammar.patterns, cursor.matches(root))
    return found


def _sort_matches(
    found: Captures,
    patterns: Sequence[Pattern],
    matches: Sequence[tuple[int, dict[str, list[Node]]]],
) -> None:
    uses, facts = found.uses, found.facts
    use_part, fact_part, definition_part = Part.USE, Part.FACT, Part.DEFINITION
    make = tuple.__new__  # a third of the time of calling `Found`, and there are thousands
    for index, nodes in matches:
        part, kind, capture = patterns[index]
        if part is use_part:
            for node in nodes[capture]:
                start = node.start_byte
                known = uses.get(start)
                if known is None or index < known[3]:
                    uses[start] = make(Found, (node, kind, nodes, index))
        elif part is fact_part:
            for node in nodes[capture]:
                key = (node.start_byte, kind)
                known = facts.get(key)
                if known is None or index < known[3]:
                    facts[key] = make(Found, (node, kind, nodes, index))
        elif part is definition_part:
            _add_definition(found, index, patterns[index], nodes)
        elif part is not Part.NOTHING:
            found.texts[part].update({node.start_byte: node for node in nodes[capture]})


def _add_definition(
    found: Captures, index: int, pattern: Pattern, nodes: dict[str, list[Node]]
) -> None:
    node = nodes[pattern.capture][0]
    end = nodes.get("end", (node,))[-1]
    scope, body = nodes.get("scope"), nodes.get("body")
    for name in nodes.get("name", ()):
        start = name.start_byte
        known = found.definitions.get(start)
        if known is not None and (
            known.pattern < index or (known.pattern == index and known.end.end_byte >= end.end_byte)
        ):
            continue
        found.definitions[start] = FoundDefinition(
            node,
            pattern.kind,
            name,
            scope[0] if scope else None,
            body[0] if body else None,
            end,
            index,
        )
