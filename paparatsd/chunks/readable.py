"""Which files are documents: something a person wrote to be read, and neither data nor code.

A file in one of the prose formats is one when it has marks of the format, or reads as sentences;
plain text only when it reads as sentences.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.chunks.headings import Outline
    from paparatsd.chunks.textmap import TextMap

MAX_TEXT_CHARS = 400_000
"""Plain text beyond this is a book of data, a corpus or a log."""
SAMPLE_ROWS = 200
MIN_WORDS = 12
MIN_ROW_WORDS = 4
PROSE_SHARE = 0.5
"""The least share of a text that must stand in rows of running words."""
WORD_SHARE = 0.78
"""The least share of a row that must be letters, spaces and marks of sentences."""

_TEXT_ENDINGS = frozenset({"", "txt", "text", "rdoc", "textile", "wiki", "mediawiki", "creole"})
_TEXT_NAMES = re.compile(
    r"(?:read|news|history|changes|changelog|install|hacking|contributing|todo|design|"
    r"release[-_]?notes|upgrad|usage|faq|manual|guide|roadmap|security|support|glossary|about)",
    re.IGNORECASE,
)
"""How names begin whose ending says nothing: README.win32, NEWS.2."""
_LICENCE_NAMES = re.compile(
    r"(?:un)?licen[cs]es?(?:[-_. ].*)?|copying(?:[-_.].*)?|copyright(?:[-_.].*)?|notices?"
    r"|patents|third[-_]?party[-_]?(?:licen[cs]es|notices?).*|.*[-_.]licen[cs]e",
    re.IGNORECASE,
)
_LICENCE_START = re.compile(
    r"Permission is hereby granted, free of charge|Redistribution and use in source and binary"
    r"|GNU (?:LESSER |AFFERO |LIBRARY )?GENERAL PUBLIC LICENSE\s+Version"
    r"|Apache License\s+Version 2|Mozilla Public License Version"
)
_NOT_FOR_READING = re.compile(
    r"(?:^|/)(?:__)?(?:tests?|test[-_]?data|fixtures?|snapshots?|golden|expected|corpus|corpora"
    r"|data|datasets?|samples?|locales?|licen[cs]es|vendor|node_modules)(?:__)?/",
    re.IGNORECASE,
)
"""Folders whose plain text is there for programs."""

_TABLE = re.compile(r"[ \t]*\|.*\|[ \t]*$|[ \t]*[+|][-=+:| ]{3,}[+|][ \t]*$", re.MULTILINE)
_WEAK = (
    re.compile(r"^[ \t]{0,6}[-*+][ \t]+\S", re.MULTILINE),
    re.compile(r"^[ \t]{0,6}(?:\d{1,9}|#)[.)][ \t]+\S", re.MULTILINE),
    re.compile(r"^ {0,3}>", re.MULTILINE),
    re.compile(r"!?\[[^\]\n]*\]\([^)\n]+\)|`[^`\n]+ <[^>\n]+>`_|https?://\S+\[[^\]\n]*\]"),
    re.compile(r"^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$", re.MULTILINE),
)
"""Bullets, numbered lists, quotes, links and images, rules."""
_WORD = re.compile(r"[぀-ヿ㐀-鿿가-힯]|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"[.!?:;…。！？；][)\]\"'”’»*_`]*(?=\s|$)|[。！？；]")
_COMMENT = re.compile(r"[ \t]*(?:#|//|;|--|%|/\*|\*|REM\b|@)")


def is_document(path: str, source: TextMap, outline: Outline) -> bool:
    """Say whether a file in a prose language is something to read."""
    text = source.text
    if "\0" in text or not text.strip() or is_licence(path, text):
        return False
    if outline.headings or outline.fences or _TABLE.search(text) is not None:
        return True
    if sum(mark.search(text) is not None for mark in _WEAK) >= 2:
        return True
    return reads_as_prose(source.lines)


def is_text_document(path: str, source: TextMap) -> bool:
    """Say whether a file that has no format of its own is something to read."""
    text = source.text
    name = path.rsplit("/", 1)[-1]
    stem, dot, ending = name.rpartition(".")
    if not dot:
        stem, ending = name, ""
    named = ending.lower() in _TEXT_ENDINGS or _TEXT_NAMES.match(name) is not None
    if not named or not stem or name.startswith(".") or len(text) > MAX_TEXT_CHARS:
        return False
    if "\0" in text or _NOT_FOR_READING.search(path) is not None or is_licence(path, text):
        return False
    return reads_as_prose(source.lines)


def is_licence(path: str, text: str) -> bool:
    """Say whether a file holds the terms of a licence, which everybody has and nobody looks up."""
    stem = path.rsplit("/", 1)[-1]
    for ending in (".md", ".markdown", ".txt", ".rst", ".adoc", ".org", ".text"):
        stem = stem.removesuffix(ending)
    return _LICENCE_NAMES.fullmatch(stem) is not None or (
        _LICENCE_START.search(text[:1_500]) is not None and len(text) > 800 and "\n# " not in text
    )


def reads_as_prose(lines: Sequence[str]) -> bool:
    """Say whether most of a text is sentences, in whatever script."""
    words = ends = in_prose = size = 0
    for line in lines[:SAMPLE_ROWS]:
        row = line.strip()
        if not row:
            continue
        size += len(row)
        found = _WORD.findall(row)
        if len(found) < MIN_ROW_WORDS or _COMMENT.match(row) is not None:
            continue
        letters = sum(map(len, found)) + row.count(" ") + row.count(",") + row.count(".")
        if letters < WORD_SHARE * len(row):
            continue
        words += len(found)
        in_prose += len(row)
        ends += len(_SENTENCE_END.findall(row))
    return words >= MIN_WORDS and ends * 60 >= words and in_prose >= PROSE_SHARE * size
