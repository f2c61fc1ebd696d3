"""Long runs of encoded bytes in documents: replaced by how long they were, line by line.

They say nothing to a reader, and to a search they are thousands of words that occur nowhere else.
Lines stay where they are: no newline comes or goes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_RUN = 160
"""Digests and signatures are shorter; people look for those."""
MIN_LINE = 56
MIN_LINES = 4
"""So many full lines of at least so many characters: encoded bytes that were wrapped."""

_RUN = re.compile(rf"(?<![\w+/-])[A-Za-z0-9+/_-]{{{MIN_RUN},}}+={{0,2}}")
_WRAPPED = re.compile(
    rf"^(?P<indent>[ \t>]*)[A-Za-z0-9+/]{{{MIN_LINE},}}+\r?\n"
    rf"(?:[ \t>]*[A-Za-z0-9+/]{{{MIN_LINE},}}+\r?\n){{{MIN_LINES - 2},}}"
    r"[ \t>]*[A-Za-z0-9+/]+={0,2}\r?$",
    re.MULTILINE,
)
_HEX = re.compile(r"[0-9A-Fa-f]+")
_KINDS = (re.compile("[A-Z]"), re.compile("[a-z]"), re.compile("[0-9]"))


def elide_data(text: str, lines: Sequence[str]) -> str:
    """Replace runs of base64, base64url and hex digits by a placeholder that tells their length.

    `lines` are those of `text`.
    """
    long = [line for line in lines if len(line) >= MIN_LINE]
    if sum(" " not in line.strip() for line in long) >= MIN_LINES - 1:
        text = _WRAPPED.sub(_replace_lines, text)
    if any(
        len(line) >= MIN_RUN and max(map(len, line.split()), default=0) >= MIN_RUN for line in long
    ):
        text = _RUN.sub(_replace_run, text)
    return text


def _replace_run(run: re.Match[str]) -> str:
    return _placeholder(run[0])


def _replace_lines(run: re.Match[str]) -> str:
    body = "".join(run[0].replace(">", " ").split())
    shown = _placeholder(body)
    if shown is body:
        return run[0]
    return run["indent"] + shown + "\n" * run[0].count("\n")


def _placeholder(run: str) -> str:
    """Return what stands for a run; the run itself when it is a rule or a path."""
    if _HEX.fullmatch(run) and len(set(run)) > 4:
        return f"[{len(run)} hex digits left out]"
    if all(kind.search(run) for kind in _KINDS) and len(set(run)) > 16:
        return f"[{len(run)} characters of base64 left out]"
    return run
