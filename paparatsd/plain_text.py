"""Text that strangers wrote, made fit to be shown: nothing invisible in it, nothing that acts."""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_LINE_BREAKS = re.compile(r"\r\n?")


def clean_piece(text: str) -> str:
    """Remove control characters, direction marks and terminal escapes; keep tabs and all lines.

    Pieces of a text, cleaned one by one, still make up the whole.
    """
    return _CONTROL.sub("", _LINE_BREAKS.sub("\n", text))


def clean_text(text: str) -> str:
    """Return a text cleaned as a piece is, without empty lines at its end."""
    return clean_piece(text).rstrip("\n")


def one_line(text: str) -> str:
    """Return text that stays on its line and cannot end a fence or start a terminal escape."""
    return clean_text(text).replace("\n", " ").replace("\t", " ").replace("```", "'''")
