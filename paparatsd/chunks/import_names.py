"""What names mean where the grammar alone does not tell it: imports of Go and Rust, and macros."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

_VERSION = re.compile(r"v[0-9]+")
_MAX_BEFORE = 200
_OPENING, _CLOSING = frozenset({b"(", b"[", b"{"}), frozenset({b")", b"]", b"}"})
_CHAIN, _DOTS = frozenset({b"_", b".", b":", b"?"}), frozenset({b".", b":"})
_VERSION_ENDING = re.compile(r"\.v[0-9]+$")


def go_package(path: str) -> str:
    """Return the name by which the package of an import path is called, when nothing else tells.

    >>> go_package("github.com/caddyserver/caddy/v2"), go_package("gopkg.in/yaml.v3")
    ('caddy', 'yaml')
    """
    parts = path.split("/")
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    return _VERSION_ENDING.sub("", parts[-1]).removeprefix("go-").removesuffix("-go")


def rust_path(node: Node, text: Callable[[int, int], str]) -> str:
    """Return the path before a name in a `use` declaration, with that of the lists around it.

    `node` is the name, the asterisk or the `self` in `use a::{b::{c, d::*}, self}`.
    """
    parts: list[str] = []
    inner, outer = node, node.parent
    while outer is not None and outer.type != "use_declaration":
        if outer.type in {"scoped_use_list", "scoped_identifier"}:
            before = outer.child_by_field_name("path")
        else:
            # `{a, *}`: an asterisk in a list has no path of its own.
            wildcard = outer.type == "use_wildcard" and outer.named_child_count > 0
            before = outer.named_child(0) if wildcard else None
        if before is not None and before.end_byte <= inner.start_byte:
            parts.append(text(before.start_byte, before.end_byte))
        inner, outer = outer, outer.parent
    return "::".join("".join(part.split()) for part in reversed(parts))


def token_receiver(data: bytes, start: int) -> str:
    """Return what stands before the dot or `::` before a name in the unparsed tokens of a macro.

    >>> token_receiver(b"assert!(x == self.all(1)?.len())", 26)
    'self.all(1)?'
    """
    at, depth = start, 0
    while at > max(start - _MAX_BEFORE, 0):
        char = data[at - 1 : at]
        if char in _CLOSING:
            depth += 1
        elif char in _OPENING:
            depth -= 1
        elif depth == 0 and not _is_of_chain(char, data[at : at + 1]):
            break
        if depth < 0:
            break
        at -= 1
    return data[at:start].decode("utf-8", "replace").strip().rstrip(".:").strip()


def _is_of_chain(char: bytes, after: bytes) -> bool:
    named = char.isalnum() or char in _CHAIN or char >= b"\x80"
    return named or (char.isspace() and after in _DOTS)
