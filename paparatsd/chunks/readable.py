"""Which files are documents: something a person wrote to be read, and neither data nor code.

A file in one of the prose formats is one when it has marks of the format, or reads as sentences;
plain text only when it reads as sentences, and is called or lies as text to read does.
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
SAMPLE_ROWS = 120
MIN_ROW_WORDS = 4
ODD_SHARE = 0.15
"""The largest share of a row that is no letter, space or mark of sentences."""
WORDS_A_SENTENCE = 60
STRICT = (12, 0.5)
"""Words that a text must have at least in rows of running words, and the share of those rows."""
LENIENT = (5, 0.25)
"""The same where the name or the folder speaks for a document already."""
FORMATTED = (5, 0.0)
"""And where the format does: one sentence is enough."""
TITLED = (5, 0.02)
"""And where titles do besides."""

_TEXT_ENDINGS = frozenset({"txt", "text", "rdoc", "textile", "wiki", "mediawiki", "creole"})
_TEXT_NAMES = re.compile(
    r"(?:read[-_]?me|news|history|changes|change-?log|install|hacking|contributing|todo|design|bugs"
    r"|release[-_]?notes|upgrad|usage|faq|manual|guide|roadmap|security|support|glossary|thanks"
    r"|about)",
    re.IGNORECASE,
)
"""How texts to read are called whatever their ending: README, README.win32, NEWS.2."""
_MACHINE_NAMES = re.compile(
    r"(?:.*[-_.])?(?:requirements|constraints|robots|humans|cmakelists|outputs?|stdin|stdout|stderr"
    r"|expected|results?|word-?list|words|stop-?words|log|dictionary|input|samples?|test|meson|boilerplate)"
    r"(?:[-_.\d].*)?",
    re.IGNORECASE,
)
_TEXT_FOLDERS = re.compile(r"(?:^|/)(?:docs?|documentation|manual|guides?)/", re.IGNORECASE)
_MACHINE_FOLDERS = re.compile(
    r"(?:^|/)(?:\.[^/]+|_[^/]+|t|tests?(?:[-_.][^/]*)?|[^/]*[-_.]tests?|spec|fixtures?|testdata"
    r"|snapshots?|golden|expected|corpus|corpora|data|datasets?|samples?|locales?|licen[cs]es?"
    r"|vendor|node_modules|requirements|third[-_]party|listings)/",
    re.IGNORECASE,
)
"""Folders whose plain text is there for programs."""
_TEST_DATA = re.compile(
    r"(?:^|/)(?:testdata|test[-_]data|__tests__|__fixtures__|__snapshots__|node_modules"
    r"|(?:tests?|spec|__tests__)/(?:[^/]+/)*(?:fixtures?|snapshots?|golden|data|roots))/",
    re.IGNORECASE,
)
"""Folders whose documents are there for tests, in whatever format they are."""
_TESTS = re.compile(r"(?:^|/)(?:t|tests?|spec|__tests__)/", re.IGNORECASE)
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
_UNDERLINED = re.compile(r"^ ?\w[^\n]{2,}\n([=\-~^*#+])\1{3,}[ \t]*$", re.MULTILINE)
_VIM_HELP = re.compile(r"\*[\w.-]+\.txt\*|[^\n]*\n[^\n]*\*[\w.-]+\.txt\*")

_STRONG = re.compile(
    r"^[ \t]*\|.*\|[ \t]*$|^[ \t]*[+|][-=+:| ]{3,}[+|][ \t]*$|^\S[^\n]*(?:::|;;)[ \t]*$",
    re.MULTILINE,
)
"""Rows of tables, and terms of labelled lists."""
_WEAK = (
    re.compile(r"^[ \t]{0,6}[-*+][ \t]+\S", re.MULTILINE),
    re.compile(r"^[ \t]{0,6}(?:\d{1,9}|#)[.)][ \t]+\S", re.MULTILINE),
    re.compile(r"^ {0,3}>", re.MULTILINE),
    re.compile(
        r"\[[^\[\]\n]{0,300}\]\([^()\n]{1,500}\)|`[^`<\n]{1,200}<[^<>`\n]{1,500}>`_"
        r"|https?://[^\s\[\]]{1,500}\[[^\[\]\n]{0,300}\]"
    ),
    re.compile(r"^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$", re.MULTILINE),
)
"""Bullets, numbered lists, quotes, links and images, rules."""
_WORD = re.compile(r"[぀-ヿ㐀-鿿가-힯]|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ODD = re.compile(r"""[^\w .,:;!?'"’“”«»()`*/、。，！？；：（）「」-]|\d+""")
"""What is no letter, nor a mark of sentences."""
_SENTENCE_END = re.compile(r"[.!?…][)\]\"'”’»*_`]*(?=\s|$)|:$|[。！？；]")
_COMMENT = re.compile(r"(?:#|//|;|--|%|/\*|REM\b|@|\$ |\|)")


def is_document(path: str, source: TextMap, outline: Outline) -> bool:
    """Say whether a file in a prose language is something to read."""
    body = source.text[source.starts[min(outline.front, len(source.lines))] :]
    if "\0" in body or not body.strip() or _TEST_DATA.search(path) is not None:
        return False
    if is_licence(path, body):
        return False
    if _TESTS.search(path) is not None:
        # What is tested there is often a document itself.
        return reads_as_prose(source.lines[outline.front :], *STRICT)
    if outline.headings or outline.fences or _STRONG.search(body) is not None:
        return True
    if sum(mark.search(body) is not None for mark in _WEAK) >= 2:
        return True
    return reads_as_prose(source.lines[outline.front :], *FORMATTED)


def is_text_document(path: str, source: TextMap) -> bool:
    """Say whether a file that has no format of its own is something to read."""
    folders, _, name = path.rpartition("/")
    text = source.text
    if not _is_called_so(name, folders + "/") or not text or len(text) > MAX_TEXT_CHARS:
        return False
    if "\0" in text or is_licence(path, text):
        return False
    if _VIM_HELP.match(text[:400]) is not None:
        return True
    sure = _TEXT_NAMES.match(name) is not None or _TEXT_FOLDERS.search(path) is not None
    titled = sure and _UNDERLINED.search(text) is not None
    return reads_as_prose(source.lines, *(TITLED if titled else LENIENT if sure else STRICT))


def is_licence(path: str, text: str) -> bool:
    """Say whether a file holds the terms of a licence, which everybody has and nobody looks up."""
    stem = path.rsplit("/", 1)[-1]
    for ending in (".md", ".markdown", ".txt", ".rst", ".adoc", ".asc", ".org", ".text"):
        stem = stem.removesuffix(ending)
    if _LICENCE_NAMES.fullmatch(stem) is not None:
        return True
    return len(text) > 800 and _LICENCE_START.search(text[:600]) is not None


def reads_as_prose(lines: Sequence[str], least_words: int, least_share: float) -> bool:
    """Say whether a text is sentences, in whatever script.

    It must have that many words in rows of running words, which make up that share of all rows by
    their size; and their sentences must end somewhere.
    """
    words = ends = in_prose = size = 0
    for line in lines[:SAMPLE_ROWS]:
        row = line.strip()
        found = _WORD.findall(row)
        if not found:
            continue
        size += len(row)
        if len(found) < MIN_ROW_WORDS or _COMMENT.match(row) is not None:
            continue
        if len(_ODD.findall(row)) > ODD_SHARE * len(row):
            continue
        words += len(found)
        in_prose += len(row)
        # An item of a list often ends without a mark.
        ends += len(_SENTENCE_END.findall(row)) or row[0] in "*-+•"
    enough = words >= least_words and in_prose >= least_share * size
    return enough and ends * WORDS_A_SENTENCE >= words


def _is_called_so(name: str, folders: str) -> bool:
    """Say whether a plain text of this name, in these folders, can be for people."""
    stem, dot, ending = name.rpartition(".")
    stem, ending = (stem, ending.lower()) if dot else (name, "")
    if not stem or name.startswith(".") or _MACHINE_NAMES.fullmatch(stem) is not None:
        return False
    in_docs = _TEXT_FOLDERS.search(folders) is not None
    if _MACHINE_FOLDERS.search(folders) is not None:
        return False
    if _TEXT_NAMES.match(name) is not None:
        return ending in _TEXT_ENDINGS or not ending or ending.isalnum()
    return ending in _TEXT_ENDINGS or (not ending and (in_docs or name.isupper()))
