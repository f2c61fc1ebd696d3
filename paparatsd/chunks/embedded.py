"""Pages with scripts inside (Vue, Svelte): the script is parsed at its own lines."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.chunks.lines import split_rows
from paparatsd.chunks.structure import read_structure
from paparatsd.chunks.textmap import index_at, map_text

if TYPE_CHECKING:
    from paparatsd.chunks.limits import ChunkLimits
    from paparatsd.chunks.structure import Structure
    from paparatsd.chunks.textmap import Span, TextMap
    from paparatsd.chunks.tree import Deadline

PAGES = frozenset({"vue", "svelte"})

_TAG = re.compile(r"<(?P<tag>script|style|template)\b(?P<attributes>[^>]{0,1000})>", re.IGNORECASE)
_LANG = re.compile(r"\blang\s*=\s*[\"']?(?P<lang>\w+)")
_SCRIPTS = {"ts": "typescript", "typescript": "typescript", "tsx": "tsx", "jsx": "jsx"}
_NOT_NEWLINE = re.compile(r"[^\n]")


def read_page(language: str, source: TextMap, limits: ChunkLimits, deadline: Deadline) -> Structure:
    """Read a page: symbols and uses of its scripts; template and style as plain blocks.

    Raises what `read_structure` raises.
    """
    scripts, script_language = _scripts(source.text)
    masked = _mask(source.text, scripts)
    rows = [_rows(source, start, end) for start, end in scripts]
    read = read_structure(script_language, map_text(masked), limits, deadline, regions=rows)
    others = _rest(source, rows, limits)
    return replace(read, spans=sorted([*read.spans, *others], key=lambda span: span.start))


def _scripts(text: str) -> tuple[list[tuple[int, int]], str]:
    """Find the contents of the top-level scripts as character ranges, and their language."""
    found: list[tuple[int, int]] = []
    language = "javascript"
    lowered = text.lower() if len(text.lower()) == len(text) else text
    position = 0
    while (tag := _TAG.search(text, position)) is not None:
        position = tag.end()
        if tag["tag"].lower() != "script" or tag["attributes"].endswith("/"):
            continue
        end = lowered.find("</script", position)
        end = len(text) if end < 0 else end
        found.append((position, end))
        position = end
        lang = _LANG.search(tag["attributes"])
        if lang is not None:
            language = _SCRIPTS.get(lang["lang"].lower(), language)
    return found, language


def _mask(text: str, keep: list[tuple[int, int]]) -> str:
    """Blank out everything but the ranges to keep, so that lines and columns stay."""
    parts = []
    position = 0
    for start, end in keep:
        parts.append(_NOT_NEWLINE.sub(" ", text[position:start]))
        parts.append(text[start:end])
        position = end
    parts.append(_NOT_NEWLINE.sub(" ", text[position:]))
    return "".join(parts)


def _rows(source: TextMap, start: int, end: int) -> tuple[int, int]:
    return index_at(source.starts, start), index_at(source.starts, end)


def _rest(source: TextMap, taken: list[tuple[int, int]], limits: ChunkLimits) -> list[Span]:
    spans: list[Span] = []
    row = 0
    for first, last in [*taken, (len(source.lines), len(source.lines))]:
        if first > row:
            spans.extend(split_rows(source, row, first - 1, limits))
        row = max(row, last + 1)
    return spans
