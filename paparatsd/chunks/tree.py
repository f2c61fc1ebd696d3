"""Parsing under a deadline, and how much of a tree is nonsense."""

from __future__ import annotations

import re
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from tree_sitter import Parser

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from paparatsd.chunks.grammar import Grammar

READ_BYTES = 2_048
"""Small, because the engine also reads a piece for each node whose text a predicate looks at
(and bytes, because views crash the interpreter there)."""
MAX_ERROR_SHARE = 0.3
_EXPORT_MACRO = re.compile(
    rb"\b(?:class[ \t]+([A-Z][A-Z0-9]*_[A-Z0-9_]*(?:\([^()\n]*\))?)"
    rb"|struct[ \t]+([A-Z0-9_]*(?:API|EXPORT|PUBLIC|VISIBLE|ALIGN|DLL)[A-Z0-9_]*(?:\([^()\n]*\))?))"
    rb"(?=\s+\w+\s*(?:final\s*)?(?:\{|:[^:]))"
)
"""A macro between the keyword and the name of a type; `struct POINT_T p{1}` is a variable."""


class DeadlinePassed(Exception):
    """The time for one file is used up; the caller falls back to windows."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the performance counter, asked by the loops that could run long."""

    at: float

    def passed(self) -> bool:
        """Say whether the time is used up."""
        return perf_counter() > self.at

    def check(self) -> None:
        """Raise DeadlinePassed when the time is used up."""
        if self.passed():
            raise DeadlinePassed


def deadline_in(seconds: float) -> Deadline:
    """Make the deadline that many seconds from now."""
    return Deadline(perf_counter() + seconds)


def parse_tree(grammar: Grammar, data: bytes, deadline: Deadline) -> Tree:
    """Parse UTF-8 bytes; raises DeadlinePassed when that takes too long.

    The text is handed over by a callback because only then does the parser call back for the
    deadline, and let other threads run meanwhile.
    """
    parser = Parser(grammar.language)
    deadline.check()
    try:
        return parser.parse(
            lambda offset, _point: data[offset : offset + READ_BYTES],
            progress_callback=lambda _offset, _error: deadline.passed(),
        )
    except ValueError as error:
        raise DeadlinePassed from error


def without_export_macros(data: bytes) -> bytes:
    """Blank the macro in `class API_MACRO Name {`, which would be taken for the class's name.

    All stays where it is; with the macro the grammar sees a function called `Name`.
    """
    return _EXPORT_MACRO.sub(_blank, data)


def _blank(found: re.Match[bytes]) -> bytes:
    macro = found[1] or found[2]
    return found[0][: -len(macro)] + b" " * len(macro)


def error_share(tree: Tree, size: int, deadline: Deadline) -> float:
    """Return the share of bytes inside errors and outside any sound piece below them."""
    root = tree.root_node
    if not root.has_error or size == 0:
        return 0.0
    lost = 0
    pending: list[Node] = [root]
    while pending:
        node = pending.pop()
        deadline.check()
        broken = [child for child in node.children if child.has_error]
        if node.type == "ERROR":
            lost += node.end_byte - node.start_byte - _sound_bytes(node, broken)
        pending.extend(broken)
    return lost / size


def _sound_bytes(node: Node, broken: list[Node]) -> int:
    sound = sum(c.end_byte - c.start_byte for c in node.children if _is_sound(c))
    return sound + sum(c.end_byte - c.start_byte for c in broken)


def _is_sound(node: Node) -> bool:
    return node.is_named and not node.has_error and (node.child_count > 0 or "comment" in node.type)
