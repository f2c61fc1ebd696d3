"""What notes may say: checked and cleaned before it is written.

Notes come from agents, and are read by others: what is invisible or acts on a terminal is taken out
of them here, and again where they are shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.plain_text import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterable

_SPACES = re.compile(r"\s+")


def tidy(text: str) -> str:
    """Return a text without what is invisible, blank ends of lines included."""
    return "\n".join(line.rstrip() for line in clean_text(text).split("\n")).strip()


def checked_line(name: str, value: str, limit: int) -> str:
    """Return the one line that a field is to hold. Raises BadQuery, naming the field."""
    said = _SPACES.sub(" ", clean_text(value)).strip()
    return _within(name, said, limit)


def checked_block(name: str, value: str, limit: int, *, empty: bool = False) -> str:
    """Return the text that a field is to hold. Raises BadQuery; also when it is empty."""
    said = tidy(value)
    return said if empty and not said else _within(name, said, limit)


def checked_lines(name: str, values: Iterable[str], count: int, limit: int) -> tuple[str, ...]:
    """Return the lines of a list, each one once. Raises BadQuery for too many, or a bad one."""
    said = tuple(dict.fromkeys(checked_line(name, one, limit) for one in values))
    if len(said) > count:
        raise BadQuery(f"{name} has {len(said)} entries; at most {count} are kept")
    return said


def _within(name: str, said: str, limit: int) -> str:
    if not said:
        raise BadQuery(f"{name} is empty; it must say something")
    if len(said) > limit:
        raise BadQuery(f"{name} has {len(said)} characters; at most {limit} are kept: shorten it")
    return said
