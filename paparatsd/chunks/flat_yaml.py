"""The YAML that nearly every document has at its top: `key: value` lines and plain lists.

A parser takes a millisecond for such a block, which is longer than all else that is done to a
short document. What is read here is read alike by the parser, but for numbers: they stay as they
are written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LINE_CHARS = 300
"""Bounds the time that the expressions below can take."""

_QUOTED = r'"[^"\\]*"|' + r"'[^']*'"
_PLAIN = r"(?:[^\W_]|/)(?:[^:#]|:(?=\S)|(?<=\S)#)*?"
_ELEMENT = rf"(?:(?:[^\W_]|/)[^\[\]{{}}\"'#:,]*?|{_QUOTED})"
_PAIR = re.compile(
    rf"(?P<key>[A-Za-z_][\w-]*):(?: +(?:(?P<plain>{_PLAIN})|(?P<quoted>{_QUOTED})"
    rf"|(?P<list>\[ *(?:{_ELEMENT}(?: *, *{_ELEMENT})*)? *\])))? *"
)
_ITEM = re.compile(rf"- +(?:{_PLAIN}|{_QUOTED}) *")
_NOT_TEXT = frozenset({"true", "false", "null"})


def read_flat_yaml(lines: Sequence[str]) -> dict[str, object] | None:
    """Read a block of such lines; None for whatever needs a parser.

    What a key holds below itself, in lists or in keys of its own, comes back as an empty list.
    """
    document: dict[str, object] = {}
    above: str | None = None
    indent = 0
    for line in lines:
        if not line or line.isspace() or line.startswith("#"):
            continue
        if len(line) > MAX_LINE_CHARS or not line.isprintable():
            return None
        inner = line.lstrip(" ")
        if len(inner) < len(line) or inner.startswith("- "):
            depth = len(line) - len(inner)
            if above is None or not (_ITEM.fullmatch(inner) or _PAIR.fullmatch(inner)):
                return None
            if document[above] is None:
                document[above], indent = [], depth
            if depth < indent:
                return None
            continue
        pair = _PAIR.fullmatch(line)
        if pair is None or pair["key"] in document or pair["key"] in _NOT_TEXT:
            return None
        key = pair["key"]
        document[key] = _value(pair)
        above = key if line.rstrip().endswith(f"{key}:") else None
    return document or None


def _value(pair: re.Match[str]) -> object:
    if pair["list"] is not None:
        return []
    if pair["quoted"] is not None:
        return pair["quoted"][1:-1]
    return None if pair["plain"] in (None, "null") else pair["plain"]
