"""Expressions and types reduced to what tells which definition they mean.

An expression becomes a chain of names and calls: `await new Client(url).session("a")` becomes
"Client().session()". What is no chain (literals, arithmetic, conditions) becomes "".
"""

from __future__ import annotations

import re

MAX_CHARS = 160
"""Longer chains and types are given up: they say nothing that anybody would resolve."""

_SPACE = re.compile(r"\s+")
_LEADING = re.compile(r"^(?:(?:await|new|return|yield|try|mut|ref|move|typeof)\b|[&*!]+)\s*")
_OPEN, _CLOSE = "([{", ")]}"
_CHAIN = re.compile(
    r"[@$]{0,2}[^\W\d]\w*[?!]?(?:\(\)|\[\])*(?:(?:\.|::|->|\?\.|!!\.)[^\W\d]\w*[?!]?(?:\(\)|\[\])*)*[!?]*"
)
_STRING = re.compile(r"(?P<quote>[\"'`])(?:\\.|(?!(?P=quote))[^\\])*(?P=quote)", re.DOTALL)


def reduce_expression(text: str) -> str:
    """Return the chain that an expression is, arguments left out; "" when it is none.

    >>> reduce_expression("await new Client(url, {a: 1}).session('x')")
    'Client().session()'
    >>> reduce_expression("a + b")
    ''
    """
    text = text.strip()
    while (found := _LEADING.match(text)) is not None:
        text = text[found.end() :]
    outline = _without_arguments(text[: 8 * MAX_CHARS])
    if outline is None or len(outline) > MAX_CHARS or _CHAIN.fullmatch(outline) is None:
        return ""
    return outline.replace("?.", ".").replace("!!.", ".").rstrip("!?")


def _without_arguments(text: str) -> str | None:
    """Drop spaces and what stands in brackets; None when brackets are not closed.

    What is built with braces (`Client{url: u}`) is written like a call.
    """
    text = _STRING.sub('"', text)
    out: list[str] = []
    depth = 0
    for char in text:
        if char in _OPEN:
            if depth == 0:
                out.append("[]" if char == "[" else "()")
            depth += 1
        elif char in _CLOSE:
            depth -= 1
        elif depth == 0:
            out.append(char)
        if depth < 0:
            return None
    if depth:
        return None
    outline = _without_type_arguments("".join(out))
    return re.sub(r"\s*(\.|::|->|\(\)|\[\])\s*", r"\1", outline).strip()


def _without_type_arguments(text: str) -> str:
    """Drop `<...>` between a name and a call."""
    before = None
    while before != text:
        before = text
        text = re.sub(r"(?<=\w)(?:::)?<[\w\s.,:?&*'\[\]|]*>(?=\(|::|\.|$)", "", text)
    return text


def reduce_type(text: str) -> str:
    """Return a type as written in one line, without its leading colon or arrow; "" if too long.

    >>> reduce_type(": Promise< User >")
    'Promise< User >'
    """
    text = _SPACE.sub(" ", text).strip()
    text = text.removeprefix("->").removeprefix(":").strip()
    return text if len(text) <= MAX_CHARS else ""
