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

_ENDS = {"---": frozenset({"---", "..."}), "+++": frozenset({"+++"})}
_AUDIENCE = re.compile(r"[ \t\"']*audience[ \t\"']*[:=](?P<label>.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`rows` the block takes, 0 without one; its scalar `fields` as text, keys in lower case.

    `unread` is the label of an audience that stands in a block nobody can read, or that is no
    single value: such a document must not fall to what others may see.
    """

    rows: int = 0
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    unread: str = ""


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """Read the block that begins on the very first line; never raises."""
    mark = lines[0].rstrip() if lines else ""
    ends = _ENDS.get(mark)
    if ends is None:
        return FrontMatter()
    limit = min(len(lines), MAX_ROWS)
    end = next((row for row in range(1, limit) if lines[row].rstrip() in ends), 0)
    inside = lines[1 : end or limit]
    text = "\n".join(line.rstrip("\r") for line in inside)
    document = _load(mark, text) if end and len(text) <= MAX_CHARS else None
    if document is None:
        return FrontMatter(unread=_audience_in(inside))
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
        found = _AUDIENCE.match(line)
        if found is not None:
            return found["label"].strip() or "?"
    return ""
