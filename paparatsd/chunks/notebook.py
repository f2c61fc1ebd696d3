"""Jupyter notebooks: the sources of their cells, at their lines in the file, without outputs.

Prose is cut at its headings as a document is ("section"); code stands below them ("cell").
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from paparatsd.chunks.elision import elide_data
from paparatsd.chunks.grammar import load_grammar
from paparatsd.chunks.headings import Outline, read_outline
from paparatsd.chunks.languages import has_grammar
from paparatsd.chunks.markdown import TINY_SHARE, Trail, prose_chunks
from paparatsd.chunks.structure import Structure, TooManyErrors, read_structure
from paparatsd.chunks.textmap import encode, map_text
from paparatsd.chunks.tree import parse_tree
from paparatsd.model import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from paparatsd.chunks.limits import ChunkLimits
    from paparatsd.chunks.textmap import TextMap
    from paparatsd.chunks.tree import Deadline


@dataclass(frozen=True, slots=True)
class CellLine:
    """One line of a cell's source and the 0-based row of the file it is written in."""

    row: int
    text: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell with a source."""

    code: bool
    lines: tuple[CellLine, ...]

    @property
    def size(self) -> int:
        """Characters of its source, newlines included."""
        return sum(len(line.text) + 1 for line in self.lines)


@dataclass(frozen=True, slots=True)
class Notebook:
    """The cells of a notebook in order, and the language of its code."""

    cells: tuple[Cell, ...]
    language: str


def read_notebook(source: TextMap, deadline: Deadline) -> Notebook:
    """Find the cells of a notebook. Raises TooManyErrors when the text is not one."""
    tree = parse_tree(load_grammar("json"), encode(source.text), deadline)
    document = next((c for c in tree.root_node.children if c.type == "object"), None)
    cells = None if document is None else _member(document, "cells")
    if document is None or cells is None or tree.root_node.has_error:
        raise TooManyErrors("the file is not a notebook in JSON")
    found = [_cell(node) for node in cells.children if node.type == "object"]
    return Notebook(tuple(c for c in found if c is not None), _kernel_language(document))


def notebook_chunks(notebook: Notebook, limits: ChunkLimits) -> tuple[tuple[Chunk, ...], Outline]:
    """Make chunks of cells: small neighbours together, large cells in several pieces.

    Prose and code are apart, but for a heading or a few words right above code. Also returns the
    headings of all prose; their rows count from the cells they stand in.
    """
    writer = _Writer(limits)
    for code, run in groupby(notebook.cells, key=lambda cell: cell.code):
        if code:
            writer.write_code(list(run))
        else:
            writer.write_prose([line for cell in run for line in cell.lines])
    writer.write_code([])
    return tuple(writer.chunks), writer.outline


class _Writer:
    """Writes the chunks of one notebook in order."""

    def __init__(self, limits: ChunkLimits) -> None:
        self.chunks: list[Chunk] = []
        self.outline = Outline()
        self._limits = limits
        self._trail = Trail()
        self._lead: tuple[CellLine, ...] = ()

    def write_prose(self, lines: Sequence[CellLine]) -> None:
        """Write cells of prose; what is too short to stand alone waits for the code below it."""
        source, outline = _read_prose(lines)
        if not self.chunks:
            self.outline.matter = outline.matter
        self.outline.headings.extend(outline.headings)
        cut = _lead_row(source, outline, TINY_SHARE * self._limits.target)
        below = [heading for heading in outline.headings if heading.row >= cut]
        texts = zip(lines[cut:], source.lines[cut:], strict=False)
        self._lead = tuple(CellLine(line.row, text) for line, text in texts)
        if cut < len(source.lines):
            source, outline = _read_prose(lines[:cut])
        self._write_sections(source, outline, lines)
        for heading in below:
            self._trail.enter(heading)

    def _write_sections(self, source: TextMap, outline: Outline, lines: Sequence[CellLine]) -> None:
        for chunk in prose_chunks(source, outline, self._limits, self._trail):
            first, last = lines[chunk.start_line - 1].row + 1, lines[chunk.end_line - 1].row + 1
            placed = replace(chunk, ordinal=len(self.chunks), start_line=first, end_line=last)
            self.chunks.append(placed)

    def write_code(self, cells: Sequence[Cell]) -> None:
        """Write cells of code below the words that lead to them; both may be missing."""
        lead = (Cell(code=False, lines=self._lead),) if self._lead else ()
        self._lead = ()
        for lines in _groups((*lead, *cells), self._limits):
            text = "\n".join(line.text for line in lines)
            if text.isspace() or not text:
                continue
            first, last = lines[0].row + 1, lines[-1].row + 1
            for piece in _cut(text, self._limits.hard):
                fragment = self._trail.fragments.of_text(piece)
                name = self._trail.name
                self.chunks.append(
                    Chunk(len(self.chunks), first, last, "cell", name, fragment, piece)
                )


def _read_prose(lines: Sequence[CellLine]) -> tuple[TextMap, Outline]:
    texts = [line.text for line in lines]
    source = map_text(elide_data("\n".join(texts), texts))
    return source, read_outline("markdown", source.lines)


def _lead_row(source: TextMap, outline: Outline, size: float) -> int:
    """Return the row where the last headings begin that have less than `size` below them."""
    starts = [(heading.row, heading.body) for heading in outline.headings]
    if not starts or starts[0][0] > outline.front:
        starts.insert(0, (outline.front, outline.front))
    cut = len(source.lines)
    for row, body in reversed(starts):
        words = source.trimmed(body, cut - 1)
        size -= 0 if words is None else source.size(*words)
        if size <= 0:
            break
        cut = row
    return cut


def read_code(notebook: Notebook, limits: ChunkLimits, deadline: Deadline) -> Structure | None:
    """Read symbols and uses of the code cells, at the rows of the file; None without grammar."""
    if not has_grammar(notebook.language):
        return None
    lines = [line for cell in notebook.cells if cell.code for line in cell.lines]
    if not lines:
        return None
    # Magic commands are no code of the language; blanking them keeps the rows.
    text = "\n".join("" if line.text[:1] in {"%", "!"} else line.text for line in lines)
    read = read_structure(notebook.language, map_text(text), limits, deadline)
    rows = [line.row for line in lines]
    for definition in read.definitions:
        definition.first, definition.last = rows[definition.first], rows[definition.last]
    uses = tuple(use._replace(line=rows[use.line - 1] + 1) for use in read.uses)
    facts = tuple(fact._replace(line=rows[fact.line - 1] + 1) for fact in read.facts)
    comments = tuple((rows[a - 1] + 1, rows[b - 1] + 1, t) for a, b, t in read.comments)
    return replace(read, uses=uses, facts=facts, comments=comments)


def _groups(cells: Sequence[Cell], limits: ChunkLimits) -> Iterator[list[CellLine]]:
    group: list[CellLine] = []
    size = 0
    for before, cell in enumerate(cells, -1):
        led = before >= 0 and not cells[before].code
        if group and not led and size + cell.size > limits.target // 2:
            yield group
            group, size = [], 0
        for line in cell.lines:
            if group and size + len(line.text) + 1 > limits.target:
                yield group
                group, size = [], 0
            group.append(line)
            size += len(line.text) + 1
    if group:
        yield group


def _cut(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def _cell(node: Node) -> Cell | None:
    source = _member(node, "source")
    kind = _member(node, "cell_type")
    if source is None:
        return None
    strings = [source] if source.type == "string" else source.children
    lines: list[CellLine] = []
    for string in strings:
        if string.type != "string":
            continue
        value = _string(string)
        row = string.start_point[0]
        lines.extend(CellLine(row, line) for line in value.removesuffix("\n").split("\n"))
    return Cell(kind is not None and _string(kind) == "code", tuple(lines)) if lines else None


def _kernel_language(document: Node) -> str:
    node: Node | None = document
    for key in ("metadata", "language_info", "name"):
        node = None if node is None else _member(node, key)
    name = "python" if node is None else _string(node).lower()
    return "python" if name in {"", "ipython"} else name


def _member(node: Node, key: str) -> Node | None:
    for pair in node.children:
        if pair.type != "pair":
            continue
        name = pair.child_by_field_name("key")
        if name is not None and _string(name) == key:
            return pair.child_by_field_name("value")
    return None


def _string(node: Node) -> str:
    try:
        value = json.loads(node.text or b'""')
    except ValueError:
        return ""
    if not isinstance(value, str):
        return ""
    # JSON can spell half a character; as text it could not be stored or sent anywhere.
    return value.encode("utf-8", "replace").decode("utf-8")
