"""What codebase_search shows: hits by file, with numbers before their lines, within budgets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.plain_text import clean_piece, one_line
from paparatsd.search.render import fenced

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paparatsd.search_model import Hit

FIRST_FILES, FIRST_FILES_LINES, OTHER_FILES_LINES = 3, 120, 40
CHUNK_LINES, DATA_CLASS_LINES, RELATED_LINES = 80, 30, 20
LINE_CHARS, FILE_CHARS = 200, 8_000
ANSWER_CHARS = 90_000
"""Some 25,000 tokens: what clients take of one answer."""
NUMBER_WIDTH = 6
PER_FILE = 2
GAP = "..."

_DATA_CLASS = re.compile(
    r"@(?:Data|Entity|Table|TableName|Getter|Setter|Value|Document|dataclass)\b|\bdata class\b"
    r"|\brecord [A-Z]"
)
_CONTROL_FLOW = re.compile(r"\b(?:if|else|elif|for|while|switch|when|match|try|catch|except)\b")
_CLASSES = frozenset({"class", "struct", "record", "type", "enum"})


@dataclass(frozen=True, slots=True)
class FileHits:
    """The hits of one file, by line; `score` is that of the best."""

    path: str
    hits: tuple[Hit, ...]
    score: float


@dataclass(frozen=True, slots=True)
class RelatedCode:
    """A neighbour of the results with its code. `relation` is "caller" or "callee"."""

    relation: str
    certain: bool
    hit: Hit


def by_file(hits: Sequence[Hit], limit: int) -> tuple[FileHits, ...]:
    """Return at most `limit` hits and PER_FILE of each file, files in the order of their best."""
    files: dict[str, list[Hit]] = {}
    left = limit
    for hit in hits:
        own = files.setdefault(hit.path, []) if left else files.get(hit.path, [])
        if left and len(own) < PER_FILE:
            own.append(hit)
            left -= 1
    return tuple(
        FileHits(path, tuple(sorted(own, key=lambda hit: hit.start_line)), own[0].score)
        for path, own in files.items()
        if own
    )


def file_block(file: FileHits, ordinal: int) -> str:
    """Write the hits of one file: a heading, and its lines in a fence; `ordinal` counts from 1."""
    most = FIRST_FILES_LINES if ordinal <= FIRST_FILES else OTHER_FILES_LINES
    lines, omitted = _lines(file.hits, most)
    told = [f"[{omitted} more lines of these results are left out]"] if omitted else []
    return "\n".join([_head(file, ordinal), fenced("\n".join(lines), file.hits[0].language), *told])


def fitting_blocks(files: Sequence[FileHits]) -> list[str]:
    """Write files until ANSWER_CHARS are reached; of what comes later, the places alone."""
    blocks: list[str] = []
    room = ANSWER_CHARS
    for ordinal, file in enumerate(files, 1):
        block = file_block(file, ordinal)
        room -= len(block)
        if room < 0 and blocks:
            spans = ", ".join(f"{hit.start_line}-{hit.end_line}" for hit in file.hits)
            block = f"{_head(file, ordinal)}: lines {spans}"
        blocks.append(block)
    return blocks


def _head(file: FileHits, ordinal: int) -> str:
    best = max(file.hits, key=lambda hit: hit.score)
    head = f"## {ordinal}. {one_line(file.path)}{_symbols(file.hits)}"
    return f"{head} (score {file.score:.3f}, {best.confidence})"


def _symbols(hits: Iterable[Hit]) -> str:
    names = dict.fromkeys(one_line(hit.symbol) for hit in hits if hit.symbol)
    return f" - {', '.join(names)}" if names else ""


def related_block(one: RelatedCode) -> str:
    """Write a neighbour: what it is to the results, where, and its first lines."""
    hit = one.hit
    lines, omitted = _lines((hit,), RELATED_LINES)
    doubt = "" if one.certain else ", inferred from the name"
    name = f" {one_line(hit.symbol)}" if hit.symbol else ""
    where = f"{one_line(hit.path)}:{hit.start_line}-{hit.end_line}"
    told = [f"[{omitted} more lines]"] if omitted else []
    head = f"### {one.relation}{doubt}:{name} {where}"
    return "\n".join([head, fenced("\n".join(lines), hit.language), *told])


def _lines(hits: Sequence[Hit], most: int) -> tuple[list[str], int]:
    """Return numbered lines of hits in line order within the budgets, and how many are left out.

    A line that two hits share stands once; between hits that do not touch stands GAP.
    """
    out: list[str] = []
    every: set[int] = set()
    shown: set[int] = set()
    room = FILE_CHARS
    for hit in hits:
        budget = DATA_CLASS_LINES if is_data_class(hit) else CHUNK_LINES
        lines = dict(enumerate(hit.text.rstrip("\n").split("\n"), hit.start_line))
        fresh = sorted(lines.keys() - every)
        every |= lines.keys()
        if fresh and out and fresh[0] - 1 not in shown:
            out.append(GAP)
        for number in fresh[: min(budget, most - len(shown))]:
            line = numbered(number, lines[number])
            room -= len(line) + 1
            if room < 0:
                break
            out.append(line)
            shown.add(number)
    return _without_end_gap(out), len(every) - len(shown)


def _without_end_gap(lines: list[str]) -> list[str]:
    return lines[:-1] if lines and lines[-1] == GAP else lines


def numbered(number: int, text: str) -> str:
    r"""Return a line of a file with its number before it.

    >>> numbered(7, "return 1")
    '     7\treturn 1'
    """
    return f"{number:>{NUMBER_WIDTH}}\t{_short(text)}"


def _short(text: str) -> str:
    line = clean_piece(text).replace("\n", " ")
    if len(line) <= LINE_CHARS:
        return line
    return f"{line[:LINE_CHARS]}… [{len(line) - LINE_CHARS} more characters]"


def is_data_class(hit: Hit) -> bool:
    """Say whether a hit is a class that holds values and does nothing with them."""
    if hit.kind not in _CLASSES or not _DATA_CLASS.search(hit.text):
        return False
    return not _CONTROL_FLOW.search(hit.text)
