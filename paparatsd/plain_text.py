"""Text that strangers wrote, made fit to be shown: nothing invisible in it, nothing that acts."""

from __future__ import annotations

import re

INVISIBLE = (
    r"\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
"""Direction marks, joiners, line separators, tags and selectors, as in a set of an expression.

In the last two ranges whole sentences can be hidden that a person does not see and a model reads.
"""
_CONTROL = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]"
    rf"|[\x00-\x08\x0b-\x1f\x7f-\x9f{INVISIBLE}\ud800-\udfff]"
)
_LINE_BREAKS = re.compile(r"\r\n?")
_ASCII_CONTROL = bytes(one for one in (*range(32), 127) if one not in b"\t\n")


def clean_piece(text: str) -> str:
    """Remove control characters, direction marks and terminal escapes; keep tabs and all lines.

    Pieces of a text, cleaned one by one, still make up the whole.
    """
    # Nearly all text has nothing to remove, which for bytes is seen many times faster.
    if text.isascii() and len(text.encode().translate(None, _ASCII_CONTROL)) == len(text):
        return text
    return _CONTROL.sub("", _LINE_BREAKS.sub("\n", text))


def clean_text(text: str) -> str:
    """Return a text cleaned as a piece is, without empty lines at its end."""
    return clean_piece(text).rstrip("\n")


def one_line(text: str) -> str:
    """Return text that stays on its line and cannot end a fence or start a terminal escape."""
    return clean_text(text).replace("\n", " ").replace("\t", " ").replace("```", "'''")
