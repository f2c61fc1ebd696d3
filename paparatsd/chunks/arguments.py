"""Calls as they are written: their arguments as texts, read without a grammar."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_CALL_CHARS = 4_000
"""Of a longer call only what begins within these characters is read."""
MAX_ARGUMENTS = 200

_STRINGS = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
_TOKEN = re.compile(rf"{_STRINGS}|[()\[\]{{}},]", re.DOTALL)
_INSIDE = re.compile(rf"[(\[{{][^()\[\]{{}}\"'`]*[)\]}}]|{_STRINGS}|[()\[\]{{}},]", re.DOTALL)
"""Inside a call: brackets with nothing but words in them are one token, there are many of them."""
_STRING = re.compile(
    r"(?P<prefix>[A-Za-z@$]{0,3})(?P<quote>\"\"\"|[\"'`])(?P<inside>.*?)(?<!\\)(?P=quote)",
    re.DOTALL,
)
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments as written, without blanks around, and where the call ends in the text."""

    arguments: tuple[str, ...]
    end: int

    def __getitem__(self, index: int) -> str:
        """Return an argument, "" when there are fewer."""
        return self.arguments[index] if index < len(self.arguments) else ""


def read_call(text: str, at: int) -> Call:
    """Read the arguments of the bracket at `at`; one that is not closed has those read so far.

    >>> read_call('f("a, b", [1, 2], c=d(3)) + 4', 1)
    Call(arguments=('"a, b"', '[1, 2]', 'c=d(3)'), end=25)
    """
    arguments: list[str] = []
    begun = at + 1
    end = limit = min(len(text), at + MAX_CALL_CHARS)
    if text[at:begun] in _OPENING:
        tokens, depth = _INSIDE.finditer(text, begun, limit), 1
    else:
        tokens, depth = _TOKEN.finditer(text, at, limit), 0
    for token in tokens:
        mark = token[0]
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
        if depth == 0 or (mark == "," and depth == 1):
            arguments.append(text[begun : token.start()].strip())
            begun = token.end()
        if depth == 0 or len(arguments) >= MAX_ARGUMENTS:
            end = token.end()
            break
    if arguments and not arguments[-1]:
        arguments.pop()
    return Call(tuple(arguments), end)


def string_value(text: str) -> str | None:
    """Return what is inside a literal string, None when the text is none.

    >>> string_value("r'a'")
    'a'
    """
    found = _STRING.fullmatch(text.strip())
    return found["inside"] if found is not None else None


def strings_in(text: str) -> list[str]:
    """Return the insides of all literal strings in a text.

    >>> strings_in('["a", "b"]')
    ['a', 'b']
    """
    return [found["inside"] for found in _STRING.finditer(text)]
