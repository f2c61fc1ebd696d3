"""What import statements bind where their grammar alone does not tell it: Go and Rust."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

_VERSION = re.compile(r"v[0-9]+")
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
            before = outer.named_child(0) if outer.type == "use_wildcard" else None
        if before is not None and before.end_byte <= inner.start_byte:
            parts.append(text(before.start_byte, before.end_byte))
        inner, outer = outer, outer.parent
    return "::".join("".join(part.split()) for part in reversed(parts))
