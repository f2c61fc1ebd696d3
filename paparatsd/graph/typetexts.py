"""Types as written, read as far as it matters which definitions they name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_NESTED = 6
"""Types inside types are read this deep."""

_MODIFIERS = re.compile(
    r"^(?:(?:const|volatile|mutable|static|readonly|final|mut|dyn|impl|struct|class|enum|union|"
    r"typename|unsigned|signed|ref|out|in|inout|params|vararg|unique|infer|keyof|typeof|some|any|"
    r"chan|borrowed|owned|async|lateinit|final|abstract|internal|export)\b(?!\s*[.:,<>|\])]|\s*$)"
    r"|'\w+\b|[&*?^@]+|<-|\.\.\.)\s*"
)
_SUFFIX = re.compile(r"\s*(?:\[\s*\d*\s*\]|[?!&*]+|\.\.\.|\b(?:const|mut)\b)\s*$")
_PATH = re.compile(r"\\?[\w$]+(?:(?:\.|::|\\)[\w$]+)*")
_GO_PREFIX = re.compile(r"^\[\s*[\d.]*\s*\]\s*(?=[\w*\[])")
_GO_MAP = re.compile(r"^map\[")
_PAIRS = {"<": ">", "[": "]", "(": ")", "{": "}"}


@dataclass(frozen=True, slots=True)
class Named:
    """A type that is named, with what its type arguments name.

    `listed`: it is written as a list of these (`Foo[]`, `[]Foo`, `[Foo]`).
    """

    name: str
    arguments: tuple[tuple[Named, ...], ...] = ()
    listed: bool = False

    @property
    def last(self) -> str:
        """The last part of the name."""
        return re.split(r"[.:\\]", self.name)[-1]


@lru_cache(maxsize=4096)
def read_type(text: str, depth: int = 0) -> tuple[Named, ...]:
    """Return the types that a text names: several when any of them may be meant.

    >>> [one.name for one in read_type("Optional[Foo] | pkg.Bar")]
    ['Optional', 'pkg.Bar']
    """
    if depth > MAX_NESTED:
        return ()
    found: list[Named] = []
    for part in _split(text.strip().strip("\"'"), "|&+"):
        found += _read_one(part, depth)
    return tuple(found)


def _read_one(text: str, depth: int) -> Iterator[Named]:
    text, listed = _bare(text)
    if text.startswith("[") and text.endswith("]"):
        # `[Foo]` and `[Key: Foo]`, `[Foo; 4]`
        inner = re.split(r"[:;](?!:)", text[1:-1])
        values = inner[0] if ";" in text else inner[-1]
        yield from (Named(one.name, one.arguments, True) for one in read_type(values, depth + 1))
        return
    path = _PATH.match(text)
    if path is None:
        if text.startswith("(") and _closing(text, 0) == len(text) - 1:
            yield from _marked(read_type(text[1:-1], depth + 1) if "," not in text else (), listed)
        return
    rest = text[path.end() :].strip()
    if rest.startswith("=>") or (rest.startswith("(") and path[0] in ("func", "fn", "Fn")):
        return
    arguments: tuple[tuple[Named, ...], ...] = ()
    if rest[:1] in ("<", "[") and rest[:1]:
        end = _closing(rest, 0)
        inside = rest[1:end] if end > 0 else ""
        arguments = tuple(read_type(one, depth + 1) for one in _split(inside, ","))
        if end > 0 and rest[end + 1 :].strip().startswith("[]"):
            listed = True
    yield Named(path[0], arguments, listed)


def _marked(types: tuple[Named, ...], listed: bool) -> Iterator[Named]:
    yield from (Named(one.name, one.arguments, listed or one.listed) for one in types)


def _bare(text: str) -> tuple[str, bool]:
    """Take off what does not say which type it is; tell whether it is a list of it."""
    text, listed = text.strip().strip("\"'"), False
    before = None
    while before != text:
        before = text
        text = _MODIFIERS.sub("", text)
        if (found := _GO_PREFIX.match(text)) is not None and not text.endswith("]"):
            text, listed = text[found.end() :], True
        if _GO_MAP.match(text) is not None:
            text, listed = text[_closing(text, 3) + 1 :], True
        if (found := _SUFFIX.search(text)) is not None and found.start() > 0:
            listed = listed or "[" in found[0]
            text = text[: found.start()]
    return text, listed


def _closing(text: str, start: int) -> int:
    """Return where the bracket at `start` is closed, -1 when it is not."""
    depth = 0
    for at in range(start, len(text)):
        char = text[at]
        if char in _PAIRS:
            depth += 1
        elif char in "])}" or (char == ">" and text[at - 1] not in "-="):
            depth -= 1
            if depth == 0:
                return at
    return -1


def _split(text: str, separators: str) -> list[str]:
    """Split at separators that stand in no brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char in _PAIRS:
            depth += 1
        elif char in "])}" or (char == ">" and at and text[at - 1] not in "-="):
            depth -= 1
        elif depth == 0 and char in separators and _separates(text, at):
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _separates(text: str, at: int) -> bool:
    """Say whether a character divides types: `&` before one is a reference."""
    return text[at] != "&" or bool(text[:at].strip() and text[at - 1 : at] == " ")
