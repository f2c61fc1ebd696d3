"""Grammars and their queries: loaded once per process, immutable afterwards.

A query file names what it finds by its captures (see `queries/README.md`). One pattern plays
one part, so the part is worked out per pattern here and not per match later.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Query
from tree_sitter_language_pack import get_language

from paparatsd.chunks.languages import LANGUAGES

if TYPE_CHECKING:
    from tree_sitter import Language as TreeSitterLanguage

_INHERITS = re.compile(r"^; inherits: *([\w, ]+)$", re.MULTILINE)
_PART = re.compile(
    r"@(?P<part>def|use|fact|comment|docstring|attribute)(?:\.(?P<kind>[a-z]+))?\b(?!_)"
)


class Part(Enum):
    """What a pattern of a query file finds."""

    DEFINITION = "def"
    USE = "use"
    FACT = "fact"
    COMMENT = "comment"
    DOCSTRING = "docstring"
    ATTRIBUTE = "attribute"
    NOTHING = ""


class Pattern(NamedTuple):
    """The part a pattern plays, the kind it gives and the capture that carries it."""

    part: Part
    kind: str
    capture: str


@dataclass(frozen=True, slots=True)
class Grammar:
    """A parser's language and the compiled query over it (None when there is no query file)."""

    name: str
    language: TreeSitterLanguage
    query: Query | None
    patterns: tuple[Pattern, ...]


def query_text(language: str) -> str:
    """Return a language's query with what it inherits appended; "" when it has none."""
    source = resources.files("paparatsd.chunks") / "queries" / f"{language}.scm"
    if not source.is_file():
        return ""
    own = source.read_text("utf-8")
    parents = [p.strip() for found in _INHERITS.findall(own) for p in found.split(",")]
    return "\n".join([own, *map(query_text, parents)])


@cache
def load_grammar(language: str) -> Grammar:
    """Load the grammar and compile the query of a language of the table.

    Cached: compiling takes milliseconds, and the result never changes within a process.
    Raises LookupError for a language without grammar and QueryError for a broken query.
    """
    row = LANGUAGES[language]
    grammar = get_language(row.grammar)
    text = query_text(language)
    query = Query(grammar, text) if text else None
    return Grammar(language, grammar, query, () if query is None else _patterns(query, text))


def _patterns(query: Query, text: str) -> tuple[Pattern, ...]:
    source = text.encode()
    found = []
    for index in range(query.pattern_count):
        start, end = query.start_byte_for_pattern(index), query.end_byte_for_pattern(index)
        match = _PART.search(source[start:end].decode())
        if match is None:
            found.append(Pattern(Part.NOTHING, "", ""))
        else:
            found.append(Pattern(Part(match["part"]), match["kind"] or "", match[0][1:]))
    return tuple(found)
