"""Comments and attributes: what they are attached to and what they say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paparatsd.chunks.textmap import index_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node

    from paparatsd.chunks.textmap import TextMap

MAX_DOC_CHARS = 2_000
MAX_DOC_COMMENTS = 400
"""Line comments walked up from a definition; the first ones say what it is."""
_MAX_CLOSING = 200
MAX_COMMENT_CHARS = 8_000

_LICENCE = re.compile(
    r"copyright|licen[cs]ed? under|spdx-license|all rights reserved|permission is hereby granted"
    r"|\(c\) *\d{4}",
    re.IGNORECASE,
)
_LINE_START = re.compile(
    r"[ \t]*(?:/\*+!?|\*+/|\*+(?=\s|$)|//[/!]*|##*'?|--+\s?\||--+|;+|%+|!+>?)?[ \t]*"
)
_OPENING = re.compile(
    r"(?:[rRuUbBfF]{0,2}(?:\"\"\"|''')|\{-\s?\|?|<!--|\(\*+|/\*+!?|--\[=*\[|#=|=begin\b|<#|[\"'])"
)
_CLOSING = re.compile(r"(?:\"\"\"|'''|-\}|-->|\*+\)|\*+/|\]=*\]|=#|=end|#>|[\"'])\s*$")

_DOC_CALL = re.compile(r"^\s*@\w*doc\s+(?:~[A-Za-z])?")
_TAGS = re.compile(r"</?(?:summary|remarks|para|returns|value|code|c|inheritdoc)\s*/?>")


@dataclass(frozen=True, slots=True)
class Leads:
    """Whole-line comments and attributes, by their last row.

    `first` maps the last row of each to its first row, `comments` does so for comments alone.
    `tops` maps it to the first row of all that is attached above, so that asking is one step.
    """

    source: TextMap
    first: dict[int, int]
    comments: dict[int, int]
    tops: dict[int, int] = field(default_factory=dict)

    def lead(self, row: int) -> int:
        """Return the row where what belongs to `row` begins.

        Comments and attributes directly above count, also comments one blank line away.
        """
        above = self.tops.get(row - 1)
        if above is None and row > 1 and row - 2 in self.comments and self.source.is_blank(row - 1):
            above = self.tops[row - 2]
        return row if above is None else above

    def doc_rows(self, row: int) -> list[tuple[int, int]]:
        """List the comments (first and last row) that document what begins at `row`, in order."""
        found: list[tuple[int, int]] = []
        while row > 0 and len(found) < MAX_DOC_COMMENTS:
            last = row - 1
            if last in self.comments:
                row = self.comments[last]
                found.append((row, last))
            elif last in self.first and not found:
                row = self.first[last]
            else:
                break
        return found[::-1]


def node_rows(node: Node) -> tuple[int, int]:
    """Return a node's first and last row; a final newline inside the node does not count."""
    first = node.start_point[0]
    last, column = node.end_point
    return first, last - 1 if column == 0 and last > first else last


def find_leads(source: TextMap, comments: Iterable[Node], attributes: Iterable[Node]) -> Leads:
    """Note the comments and attributes that have their lines for themselves."""
    documented = _whole_lines(source, comments)
    leads = Leads(source, {**_whole_lines(source, attributes), **documented}, documented)
    for last, first in sorted(leads.first.items()):
        leads.tops[last] = leads.lead(first)
    return leads


def _whole_lines(source: TextMap, nodes: Iterable[Node]) -> dict[int, int]:
    rows: dict[int, int] = {}
    for node in nodes:
        first, last = node_rows(node)
        if last >= len(source.lines):
            continue
        before = source.lines[first][: node.start_point[1]]
        # Columns are bytes; they only have to be right when all before them is white space.
        if before.strip() not in {"", "template"}:
            continue
        end_row, column = node.end_point
        if end_row == last and source.lines[last].encode("utf-8", "replace")[column:].strip():
            continue
        rows[last] = min(first, rows.get(last, first))
    return rows


def comment_rows(
    source: TextMap, data: bytes, nodes: Iterable[Node]
) -> tuple[tuple[int, int, str], ...]:
    """Give comments and doc strings as (first line, last line, text), in file order."""
    found = set()
    for node in nodes:
        first, last = node_rows(node)
        text = data[node.start_byte : node.end_byte].decode("utf-8", "replace")
        found.add((first + 1, min(last, len(source.lines) - 1) + 1, text[:MAX_COMMENT_CHARS]))
    return tuple(sorted(found))


def clean_doc(text: str) -> str:
    """Take the comment marks off a comment or doc string."""
    text = text[: 4 * MAX_DOC_CHARS]
    if "@" in text:
        text = _DOC_CALL.sub("", text)
    if "<" in text:
        text = _TAGS.sub("", text)
    text = _without_delimiters(_without_delimiters(text.strip()).strip())
    return "\n".join(map(_without_mark, text.split("\n"))).strip()[:MAX_DOC_CHARS]


def _without_delimiters(text: str) -> str:
    found = _OPENING.match(text)
    text = text if found is None else text[found.end() :]
    # Looked for at the end only: a search from the start takes ten times as long.
    tail = max(len(text) - _MAX_CLOSING, 0)
    found = _CLOSING.search(text, tail)
    return text if found is None else text[: found.start()]


def _without_mark(line: str) -> str:
    found = _LINE_START.match(line)
    return (line if found is None else line[found.end() :]).rstrip(" \t\r")


def is_licence(text: str) -> bool:
    """Say whether a comment is a licence or copyright notice."""
    return _LICENCE.search(text[:4_000]) is not None


def doc_above(leads: Leads, row: int) -> str:
    """Return the cleaned comment directly above `row`, "" when there is none."""
    rows = leads.doc_rows(row)[:60]
    if not rows:
        return ""
    text = "\n".join(leads.source.text_of(first, last) for first, last in rows)
    if rows[0][0] < 3 and is_licence(text):
        return ""
    cleaned = [clean_doc(leads.source.text_of(first, last)) for first, last in rows]
    return "\n".join(part for part in cleaned if part)[:MAX_DOC_CHARS]


def docs_inside(docstrings: Sequence[Node], starts: list[int], ends: list[int]) -> dict[int, Node]:
    """Give each definition (by index; parallel, ascending byte ranges) its first doc string."""
    found: dict[int, Node] = {}
    for node in sorted(docstrings, key=lambda n: n.start_byte):
        start = node.start_byte
        owner = index_at(starts, start) if starts else -1
        # Ranges nest: the innermost one that covers it is the first met on the way back.
        for index in range(owner, max(owner - 60, -1), -1):
            if starts[index] <= start < ends[index]:
                found.setdefault(index, node)
                break
    return found
