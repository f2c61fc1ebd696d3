"""Adds and removes one item of a list in a YAML text a person wrote, leaving every other line.

Only lists in block form are edited. The caller reads the result again and compares, so an unusual
layout costs the comments, never an entry.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import yaml

from paparatsd.plain_yaml import dump_plain_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping


def append_item(text: str, key: str, item: Mapping[str, object]) -> str | None:
    """Return the text with `item` at the end of the list at `key`; None if it has no such list."""
    found = _block_list(text, key)
    if found is None:
        return None
    lines = text.splitlines(keepends=True)
    after = _last_line(found) + 1
    if not lines[after - 1].endswith("\n"):
        lines[after - 1] += "\n"
    indent = " " * found.start_mark.column
    lines.insert(after, textwrap.indent(dump_plain_yaml([dict(item)]), indent))
    return "".join(lines)


def remove_item(text: str, key: str, number: int) -> str | None:
    """Return the text without item `number` (from 0) of the list at `key`, or None as above."""
    found = _block_list(text, key)
    if found is None or not 0 <= number < len(found.value):
        return None
    item = found.value[number]
    lines = text.splitlines(keepends=True)
    del lines[item.start_mark.line : _last_line(item) + 1]
    return "".join(lines)


def _block_list(text: str, key: str) -> yaml.SequenceNode | None:
    try:
        document = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return None
    if not isinstance(document, yaml.MappingNode):
        return None
    for name, value in document.value:
        if name.value == key and isinstance(value, yaml.SequenceNode):
            return value if value.value and not value.flow_style else None
    return None


def _last_line(node: yaml.Node) -> int:
    """Return the line of the last thing written in a node; a block's own mark is past it."""
    while isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    mark = node.end_mark
    return max(node.start_mark.line, mark.line - (mark.column == 0))
