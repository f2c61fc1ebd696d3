"""The block of fields at the top of a document: YAML between `---`, or TOML between `+++`.

Whatever cannot be read as such is prose, never an error: a document may begin with a rule.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from paparatsd.chunks.flat_yaml import read_flat_yaml
from paparatsd.plain_yaml import PlainYamlError, load_plain_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_ROWS = 300
MAX_CHARS = 16_000
MAX_VALUES = 1_000
MAX_FIELD_CHARS = 2_000
MAX_LABEL_CHARS = 50

_ENDS = {"---": frozenset({"---", "..."}), "+++": frozenset({"+++"})}
_AUDIENCE = re.compile(
    r"(?:^|[{,])[ \t\"']*audience[ \t\"']*[:=](?P<label>.*)|^[ \t]*\?[ \t\"']*audience[ \t\"']*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`rows` the block takes, 0 without one; its scalar `fields` as text, keys in lower case.

    `unread` is the label of an audience that stands in a block nobody can read, in one that is not
    at the very top, or that is no single value: such a document must not fall to what others may
    see.
    """

    rows: int = 0
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    unread: str = ""


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """Read the block that begins on the very first line; never raises."""
    mark = lines[0].rstrip() if lines else ""
    if mark not in _ENDS:
        return FrontMatter(unread=_said_of(_audience_below(lines), "not at the very top"))
    end = _end_of(mark, lines, 0)
    inside = lines[1 : end or MAX_ROWS]
    text = "\n".join(line.rstrip("\r") for line in inside) if end < MAX_ROWS else ""
    document = _load(mark, text) if 0 < end < MAX_ROWS and len(text) <= MAX_CHARS else None
    if document is None:
        return FrontMatter(unread=_said_of(_audience_in(inside), "among what cannot be read"))
    fields: dict[str, str] = {}
    unread = ""
    for name, value in document.items():
        key = name.strip().lower().replace("-", "_")
        words = _words(value)
        if key == "audience" and (words is None or fields.get(key, words) != words):
            unread = unread or str(value)
        if words:
            fields.setdefault(key, words)
    return FrontMatter(end + 1, fields, unread)


def _said_of(label: str, where: str) -> str:
    """Return a label with where it stands instead of in front matter; "" for none."""
    return f"{label[:MAX_LABEL_CHARS]} ({where})" if label else ""


def _end_of(mark: str, lines: Sequence[str], begin: int) -> int:
    """Return the row that ends the block which begins at a row, 0 for none."""
    ends = _ENDS[mark]
    rows = range(begin + 1, len(lines))
    return next((row for row in rows if lines[row].rstrip() in ends), 0)


def _audience_below(lines: Sequence[str]) -> str:
    """Return the audience that a block names which has only blanks and comments above it.

    Some programs take such a block for front matter, and its author did.
    """
    hidden = False
    for row, line in enumerate(lines[:MAX_ROWS]):
        words = line.strip().removeprefix("\ufeff")
        hidden = hidden or words.startswith("<!--")
        if hidden or not words:
            hidden = hidden and "-->" not in words
            continue
        end = _end_of(words, [one.strip() for one in lines], row) if words in _ENDS else 0
        return _audience_in(lines[row + 1 : end]) if end else ""
    return ""


def _load(mark: str, text: str) -> Mapping[str, Any] | None:
    try:
        if mark == "+++":
            return tomllib.loads(text)
        document = read_flat_yaml(text.split("\n"))
        if document is None:
            document = load_plain_yaml(text, max_nodes=MAX_VALUES)
    except (PlainYamlError, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _words(value: object) -> str | None:
    """Return a scalar as one line of text, "" for nothing, None for what is no scalar."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, str):
        return " ".join(value[:MAX_FIELD_CHARS].split())
    return str(value) if isinstance(value, int | float) else None


def _audience_in(lines: Sequence[str]) -> str:
    """Return the label of a line that names an audience in a block nobody can read."""
    for line in lines:
        if not line or line.isspace():
            continue
        found = _AUDIENCE.search(line[:MAX_FIELD_CHARS])
        if found is not None:
            return (found["label"] or "").strip() or "?"
    return ""
