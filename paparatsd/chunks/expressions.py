"""Expressions and types reduced to what tells which definition they mean.

An expression becomes a chain of names and calls: `await new Client(url).session("a")` becomes
"Client().session()". What is no chain (literals, arithmetic, conditions) becomes "".
"""

from __future__ import annotations

import re

MAX_CHARS = 160
"""Longer chains and types are given up: they say nothing that anybody would resolve."""

_SPACE = re.compile(r"\s+")
_LEADING = re.compile(r"^(?:(?:await|new|return|yield|try[?!]?|mut|ref|move)(?!\w)|[&*]+)\s*")
_OPEN = "([{"
_BRACKET = re.compile(r"[\[\](){}]")
_PLAIN = re.compile(
    r"([^\W\d]\w*(?:\.[^\W\d]\w*)*)(\([^()\[\]{}\"'`]*(?:\"[^\"\\]*\"|'[^'\\]*')?[^()\[\]{}\"'`]*\))?"
)
"""Most chains are a dotted name, called or not, and need no closer look."""
_CHAIN = re.compile(
    r"[@$]{0,2}[^\W\d][\w$]*[?!]?(?:\(\)|\[\])*(?:(?:\.|::|->|\?\.|!!?\.)#?[^\W\d][\w$]*[?!]?(?:\(\)|\[\])*)*[!?]*"
)
_LOOSE = re.compile(r"\s*(\.|::|->|\(\)|\[\])\s*")
_STRING = re.compile(r"(?P<quote>[\"'`])(?:\\.|(?!(?P=quote))[^\\])*(?P=quote)", re.DOTALL)
_BODY = re.compile(r"(?:async\s+)?(?:function\b[\s*\w]*\([^{]*\{|class\b[^(]*\{)")
"""A function or class where a value stands; without its insides it would look like a call."""
_OR = re.compile(r"\s*(?:\|\||\?\?|\bor\b)\s*")
_EMPTY = frozenset({"()", "[]", '"', "0", "None", "null", "undefined", "nil"})
_INFERRED = frozenset({"auto", "var", "let", "val", "decltype(auto)"})
"""What stands for a type that is left to the compiler."""
_LITERALS = frozenset({"None", "True", "False", "null", "nil", "undefined", "true", "false"})


def reduce_expression(text: str) -> str:
    """Return the chain that an expression is, arguments left out; "" when it is none.

    >>> reduce_expression("await new Client(url, {a: 1}).session('x')")
    'Client().session()'
    >>> reduce_expression("given or Client()")
    'Client()'
    >>> reduce_expression("a + b")
    ''
    """
    text = text.strip()
    plain = _PLAIN.fullmatch(text)
    if plain is not None and len(plain[1]) < MAX_CHARS:
        return "" if text in _LITERALS else f"{plain[1]}()" if plain[2] else plain[1]
    while (found := _LEADING.match(text)) is not None:
        text = text[found.end() :]
    if not text or not (text[0].isidentifier() or text[0] in "@$") or _BODY.match(text):
        return ""
    outline = _without_arguments(text[: 8 * MAX_CHARS])
    if outline is None or len(outline) > MAX_CHARS:
        return ""
    if " " not in outline and "|" not in outline and "??" not in outline:
        return _spelled(outline) if _CHAIN.fullmatch(outline) is not None else ""
    # Of `given or Default()` the last tells most: what was given is of its kind.
    *others, chain = _OR.split(outline)
    if others and chain in _EMPTY:
        chain = others.pop()
    if chain in _LITERALS or not all(map(_CHAIN.fullmatch, [*others, chain])):
        return ""
    return _spelled(chain)


def _spelled(chain: str) -> str:
    if "?" in chain or "!" in chain:
        return chain.replace("?.", ".").replace("!!.", ".").replace("!.", ".").rstrip("!?")
    return chain


def _without_arguments(text: str) -> str | None:
    """Drop spaces and what stands in brackets; None when brackets are not closed.

    What is built with braces (`Client{url: u}`) is written like a call.
    """
    if '"' in text or "'" in text or "`" in text:
        text = _STRING.sub('"', text)
    out: list[str] = []
    depth = kept = 0
    for found in _BRACKET.finditer(text):
        char = found[0]
        if char in _OPEN:
            if depth == 0:
                out += (text[kept : found.start()], "[]" if char == "[" else "()")
            depth += 1
        else:
            depth -= 1
            kept = found.end()
        if depth < 0:
            return None
    if depth:
        return None
    out.append(text[kept:])
    outline = _without_type_arguments("".join(out)).strip()
    if _SPACE.search(outline) is None:
        return outline
    return _LOOSE.sub(r"\1", outline)


def _without_type_arguments(text: str) -> str:
    """Drop `<...>` between a name and a call."""
    before = None if "<" in text else text
    while before != text:
        before = text
        text = re.sub(r"(?<=\w)(?:::)?<[\w\s.,:?&*'\[\]|]*>(?=\(|::|\.|$)", "", text)
    return text


def reduce_type(text: str) -> str:
    """Return a type as written in one line, without its leading colon or arrow; "" if too long.

    >>> reduce_type(": Promise< User >")
    'Promise< User >'
    """
    text = (_SPACE.sub(" ", text) if "\n" in text or "  " in text else text).strip()
    text = text.removeprefix("->").removeprefix(":").strip()
    return text if len(text) <= MAX_CHARS and text not in _INFERRED else ""
