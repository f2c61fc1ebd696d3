"""Text to chunks, symbols and uses: the entry point of this package. Pure, and never raises."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from paparatsd.chunks.document import read_head
from paparatsd.chunks.elision import elide_data
from paparatsd.chunks.embedded import PAGES, read_page
from paparatsd.chunks.fingerprint import chunker_fingerprint
from paparatsd.chunks.fragments import Fragments, name_chunks
from paparatsd.chunks.headings import read_outline
from paparatsd.chunks.languages import UNKNOWN, has_grammar, language_of
from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.lines import windows
from paparatsd.chunks.manifests.table import manifest_facts
from paparatsd.chunks.markdown import prose_chunks
from paparatsd.chunks.notebook import notebook_chunks, read_code, read_notebook
from paparatsd.chunks.readable import is_document, is_text_document
from paparatsd.chunks.routes import find_routes
from paparatsd.chunks.structure import TooManyErrors, read_structure
from paparatsd.chunks.textmap import index_at, map_text
from paparatsd.chunks.tree import DeadlinePassed, deadline_in
from paparatsd.model import Chunk, ParsedFile, Symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.chunks.structure import Structure
    from paparatsd.chunks.symbols import Definition
    from paparatsd.chunks.textmap import Span, TextMap
    from paparatsd.chunks.tree import Deadline

__all__ = ["ChunkLimits", "chunker_fingerprint", "parse_file"]

log = structlog.get_logger()

MAX_DATA_CHARS = 400_000
"""Larger data files are cut into windows: their keys say little and their trees are huge."""

_PROSE = frozenset({"markdown", "rst", "asciidoc", "org"})
_DATA = frozenset({"json", "yaml", "toml", "xml", "ini", "properties"})
_CPP_HEADER = re.compile(
    r"^[ \t]*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected)\s*:)"
    r"|\w::[\w~]|\bconstexpr\b|#include\s*<\w+>",
    re.MULTILINE,
)
_OBJC_HEADER = re.compile(r"^[ \t]*(?:@interface|@protocol|@class|#import)\b", re.MULTILINE)
_OBJC = re.compile(r"^[ \t]*(?:@\w+|#import|#include|//|/\*)", re.MULTILINE)


def parse_file(path: str, text: str, limits: ChunkLimits, *, structure: bool = True) -> ParsedFile:
    """Cut a file into chunks and read its symbols.

    With `structure` False, or when the text has no usable structure, the chunks are overlapping
    windows; `degraded` then says why.
    """
    parsed = _read(path, text, limits, structure=structure)
    routes = find_routes(path, text, parsed, deadline_in(limits.deadline_s))
    more = (*manifest_facts(path, text), *routes)
    if not more:
        return parsed
    facts = sorted((*parsed.facts, *more), key=lambda fact: fact.line)
    return replace(parsed, facts=tuple(facts))


def _read(path: str, text: str, limits: ChunkLimits, *, structure: bool) -> ParsedFile:
    source = map_text(text)
    language = _language(path, source)
    if not structure:
        return _windows_only(language, source, limits, "structure is switched off for this file")
    deadline = deadline_in(limits.deadline_s)
    try:
        return _parse(path, language, source, limits, deadline)
    except DeadlinePassed:
        reason = f"structure took longer than {limits.deadline_s:g} s"
    except TooManyErrors as problem:
        reason = str(problem)
    except Exception as error:  # noqa: BLE001 - the border: one odd file must not stop an index run
        log.warning("structure_failed", path=path, language=language, error=repr(error)[:200])
        reason = f"structure could not be read ({type(error).__name__})"
    return _windows_only(language, source, limits, reason)


def _parse(
    path: str, language: str, source: TextMap, limits: ChunkLimits, deadline: Deadline
) -> ParsedFile:
    if language in _PROSE or (language == UNKNOWN and is_text_document(path, source)):
        return _parse_prose(path, language, source, limits)
    if language == "notebook":
        return _parse_notebook(path, source, limits, deadline)
    if language in PAGES:
        return _assemble(language, source, read_page(language, source, limits, deadline))
    if not has_grammar(language):
        return _windows_only(language, source, limits, "")
    if language in _DATA and len(source.text) > MAX_DATA_CHARS:
        reason = f"data file of more than {MAX_DATA_CHARS} characters"
        return _windows_only(language, source, limits, reason)
    return _assemble(language, source, read_structure(language, source, limits, deadline))


def _assemble(language: str, source: TextMap, read: Structure) -> ParsedFile:
    chunks, homes = name_chunks(source, read.spans, read.definitions, read.chars)
    symbols = () if language in _DATA else _symbols(read.definitions, homes)
    return ParsedFile(
        language=language,
        chunks=chunks,
        symbols=symbols,
        uses=read.uses,
        comments=read.comments,
        lines=_count_lines(source),
        facts=() if language in _DATA else read.facts,
    )


def _parse_prose(path: str, language: str, source: TextMap, limits: ChunkLimits) -> ParsedFile:
    elided = elide_data(source.text, source.lines)
    if elided != source.text:
        source = map_text(elided)
    outline = read_outline(language, source.lines)
    is_read = language == UNKNOWN or is_document(path, source, outline)
    return ParsedFile(
        language=language,
        chunks=prose_chunks(source, outline, limits),
        symbols=(),
        uses=(),
        lines=_count_lines(source),
        document=read_head(path, language, source.lines, outline) if is_read else None,
    )


def _parse_notebook(
    path: str, source: TextMap, limits: ChunkLimits, deadline: Deadline
) -> ParsedFile:
    notebook = read_notebook(source, deadline)
    chunks, outline = notebook_chunks(notebook, limits)
    is_read = any(chunk.kind == "section" for chunk in chunks)
    head = read_head(path, "notebook", (), outline) if is_read else None
    parsed = ParsedFile("notebook", chunks, (), (), lines=_count_lines(source), document=head)
    try:
        code = read_code(notebook, limits, deadline)
    except TooManyErrors as problem:
        return replace(parsed, degraded=str(problem))
    if code is None or not chunks:
        return parsed
    starts = [chunk.start_line - 1 for chunk in chunks]
    homes = [index_at(starts, definition.first) for definition in code.definitions]
    symbols = _symbols(code.definitions, homes)
    return replace(
        parsed, symbols=symbols, uses=code.uses, comments=code.comments, facts=code.facts
    )


def _symbols(definitions: Sequence[Definition], homes: Sequence[int]) -> tuple[Symbol, ...]:
    return tuple(
        Symbol(
            name=d.name,
            qualified=d.qualified,
            kind=d.kind,
            start_line=d.first + 1,
            end_line=d.last + 1,
            signature=d.signature,
            doc=d.doc,
            parent=d.parent,
            chunk=home,
            container=d.container,
            exported=d.exported,
            lead_line=d.lead + 1,
        )
        for d, home in zip(definitions, homes, strict=True)
    )


def _windows_only(language: str, source: TextMap, limits: ChunkLimits, reason: str) -> ParsedFile:
    spans = windows(source, 0, len(source.lines) - 1, limits)
    return ParsedFile(
        language=language,
        chunks=_window_chunks(source, spans),
        symbols=(),
        uses=(),
        lines=_count_lines(source),
        degraded=reason,
    )


def _window_chunks(source: TextMap, spans: Sequence[Span]) -> tuple[Chunk, ...]:
    fragments = Fragments()
    chunks: list[Chunk] = []
    for ordinal, span in enumerate(source.without_blank_ends(spans)):
        text = source.text[span.start : span.end]
        fragment = fragments.of_text(text)
        chunks.append(Chunk(ordinal, span.first + 1, span.last + 1, "window", None, fragment, text))
    return tuple(chunks)


def _count_lines(source: TextMap) -> int:
    """Count lines as an editor does: a final newline ends the last line, it begins none."""
    return len(source.lines) - (source.lines[-1] == "")


def _language(path: str, source: TextMap) -> str:
    language = language_of(path, source.lines[0])
    name = path.lower()
    if language == "c" and name.endswith(".h"):
        head = source.text[:200_000]
        if _OBJC_HEADER.search(head) is not None:
            return "objc"
        return "cpp" if _CPP_HEADER.search(head) is not None else "c"
    if language == "objc" and name.endswith(".m") and _OBJC.search(source.text[:20_000]) is None:
        return "matlab"
    return language
