"""What a parsed file offers as questions: its docs' first sentences and the names it defines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contrib.train.questions.sentences import first_sentence, is_askable, without_name
from paparatsd.chunks.comments import clean_doc, is_licence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paparatsd.model import ParsedFile, Symbol

MAX_HEAD_LINE = 60
MIN_SYMBOL_LINES = 4
MIN_FUNCTION_LINES = 5
_TYPES = frozenset({"class", "struct", "interface", "trait", "enum", "module", "type"})
_FUNCTIONS = frozenset({"function", "method", "macro"})
_TEST_NAME = re.compile(r"(?:^|[._:])[Tt]est|(?:Test|Tests|Spec|Mock|Fake|Stub)$")
_OPENING = re.compile(
    r"^\s*(?:$|//|#(?!\s*(?:include|if\b|define\s+\w+[ (]))|--|;|%|<\?php|[\"']use strict"
    r"|declare\b|namespace\b|package\b|module\b|\{-#"
    r"|@file:|pub mod\b|library\b)"
)
_DECLARES_FILE = re.compile(
    r"^(?:package|module|import|from|use|using|namespace|library|export|#include"
    r"|#ifndef \w+_H\w*|#pragma once"
    r"|local|require|return|set|const \w+ = (?:require|@import)|var \w+ = require|declare|defmodule"
    r"|mod|pub mod|[\"']use strict)\b"
)
_LAST = re.compile(r"[.:#/\\]+")


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate: kind is container, function, head or symbol.

    `text` is the question before it is worded. `raw` is the sentence to delete, in the lines
    `first` to `last` (1-based); "" for a name. `name` is the symbol meant, "" for a head.
    """

    kind: str
    path: str
    text: str
    name: str
    span: tuple[int, int] | None
    raw: str = ""
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Defined:
    """A name a file defines: what says which files answer the question for it."""

    name: str
    qualified: str
    kind: str
    path: str
    span: tuple[int, int]


def last_part(name: str) -> str:
    """Return a qualified name's last part: "Base" of `Sinatra::Base`."""
    return _LAST.split(name)[-1]


def documented(path: str, parsed: ParsedFile) -> Iterator[Found]:
    """Offer the first sentence of each documented type and function."""
    for symbol in parsed.symbols:
        kind = _doc_kind(symbol)
        if not kind or not symbol.doc or _TEST_NAME.search(symbol.qualified):
            continue
        sentence = first_sentence(symbol.doc)
        if sentence is None:
            continue
        text = without_name(sentence.plain, last_part(symbol.name))
        if not is_askable(text):
            continue
        first = max(symbol.lead_line or symbol.start_line, 1)
        last = min(symbol.end_line, symbol.start_line + 40)
        span = (symbol.start_line, symbol.end_line)
        yield Found(kind, path, text, symbol.qualified, span, sentence.raw, first, last)


def _doc_kind(symbol: Symbol) -> str:
    if symbol.container and symbol.kind in _TYPES:
        return "container"
    lines = symbol.end_line - symbol.start_line + 1
    if symbol.kind in _FUNCTIONS and lines >= MIN_FUNCTION_LINES:
        return "function"
    return ""


def head(path: str, parsed: ParsedFile, lines: Sequence[str]) -> Found | None:
    """Offer the first sentence of the comment that says what the whole file is."""
    taken = {s.lead_line for s in parsed.symbols if s.doc and s.kind in _TYPES | _FUNCTIONS}
    inner = min((s.start_line for s in parsed.symbols if s.container), default=1 << 30)
    for first, last, text in _blocks(parsed.comments):
        if first > MAX_HEAD_LINE or first > inner:
            return None
        if is_licence(text) or text.startswith("#!") or not re.search(r"[a-z]{3}", text):
            continue
        if taken & set(range(first, last + 1)) or not _stands_alone(lines, first, last):
            return None
        sentence = first_sentence(clean_doc(text))
        if sentence is None:
            return None
        name = re.split(r"[.]", path.rsplit("/", 1)[-1])[0]
        plain = re.sub(r"^Package \w+ ", "", sentence.plain)
        plain = without_name(plain, name)
        if not is_askable(plain):
            return None
        return Found("head", path, plain, "", None, sentence.raw, first, last)
    return None


def _stands_alone(lines: Sequence[str], first: int, last: int) -> bool:
    """Say whether only opening lines precede a comment, and no code clings to it from below."""
    inside_comment = False
    for line in lines[: first - 1]:
        if inside_comment or line.lstrip().startswith(("/*", "{-", "--[[", "<!--")):
            inside_comment = not re.search(r"\*/|-\}|\]\]|-->", line)
        elif not _OPENING.match(line):
            return False
    after = lines[last].strip() if last < len(lines) else ""
    return (
        not after
        or lines[first - 1].lstrip()[:3] in {'"""', "'''"}
        or bool(_DECLARES_FILE.match(after))
    )


def _blocks(comments: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    first = last = 0
    parts: list[str] = []
    for start, end, text in comments:
        if text.startswith("#!"):
            continue
        if parts and start <= last + 1:
            parts.append(text.rstrip("\n"))
            last = max(last, end)
            continue
        if parts:
            yield first, last, "\n".join(parts)
        first, last, parts = start, end, [text.rstrip("\n")]
    if parts:
        yield first, last, "\n".join(parts)


def defined(path: str, parsed: ParsedFile) -> Iterator[Defined]:
    """List the types and functions a file defines, with enough body to be looked for."""
    for symbol in parsed.symbols:
        span = (symbol.start_line, symbol.end_line)
        if symbol.kind in _TYPES | _FUNCTIONS:
            yield Defined(last_part(symbol.name), symbol.qualified, symbol.kind, path, span)


def is_worth_asking(item: Defined) -> bool:
    """Say whether somebody would look a name up: long enough, no test, more than a few lines."""
    return (
        len(item.name) >= 4
        and re.fullmatch(r"[A-Za-z_]\w*[?!]?", item.name) is not None
        and not item.name.startswith("__")
        and item.span[1] - item.span[0] + 1 >= MIN_SYMBOL_LINES
        and not _TEST_NAME.search(item.qualified)
    )


def is_type(item: Defined) -> bool:
    """Say whether a definition is a type or module rather than a function."""
    return item.kind in _TYPES
