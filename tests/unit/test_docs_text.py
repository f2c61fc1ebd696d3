"""The text of a document from its chunks: nothing twice, nothing lost, pages at line ends."""

from __future__ import annotations

import pytest

from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.parse import parse_file
from paparatsd.search.docs_text import joined, piece_of, sections

GUIDE = """# Guide

An introduction.


## Install

Run the installer.

```
# not a heading
install --all
```

### On Windows

Something else.

## Use

{long}
"""


@pytest.mark.parametrize("target", [128, 400, 1_600])
def test_chunks_put_together_are_the_document(target: int) -> None:
    text = GUIDE.format(long="\n\n".join(f"Paragraph {n} " + "word " * 20 for n in range(30)))
    parsed = parse_file("guide.md", text, ChunkLimits(target, target * 2))
    assert len(parsed.chunks) > 1
    assert joined(sections(parsed.chunks), "markdown") == text.rstrip("\n")


def test_windows_that_overlap_are_shown_once() -> None:
    text = "\n".join(f"line {n} of a log that goes on" for n in range(200))
    parsed = parse_file("notes.xyz", text, ChunkLimits(600, 1_200))
    starts = [chunk.start_line for chunk in parsed.chunks]
    ends = [chunk.end_line for chunk in parsed.chunks]
    assert any(start <= end for start, end in zip(starts[1:], ends, strict=False))
    assert joined(parsed.chunks, parsed.language) == text


def test_a_line_too_long_for_a_chunk_is_whole_again() -> None:
    text = "# Title\n\n" + "word " * 2_000 + "end\n\nafter"
    parsed = parse_file("long.md", text, ChunkLimits(400, 800))
    assert len(parsed.chunks) > 3
    assert joined(parsed.chunks, "markdown") == text


def test_front_matter_is_no_section() -> None:
    text = "---\ntitle: A guide\n---\n\n# Guide\n\nText.\n"
    parsed = parse_file("guide.md", text, ChunkLimits())
    shown = sections(parsed.chunks)
    assert joined(shown, "markdown") == "# Guide\n\nText."


def test_cells_of_a_notebook_stay_apart_also_when_all_are_on_one_line() -> None:
    prose = "Turnover is the sum of all orders of a day, without refunds. " * 4
    cells = [
        f'{{"cell_type": "markdown", "source": "# Turnover\\n\\n{prose}"}}',
        '{"cell_type": "code", "source": "total = orders.sum()", "outputs": []}',
    ]
    parsed = parse_file("a.ipynb", f'{{"cells": [{", ".join(cells)}]}}', ChunkLimits())
    text = joined(sections(parsed.chunks), parsed.language)
    assert text == f"# Turnover\n\n{prose}\n\ntotal = orders.sum()"


def test_pieces_end_at_line_ends_and_make_up_the_whole() -> None:
    text = "\n".join(f"line {n}" for n in range(50))
    offset, pieces = 0, []
    while True:
        piece = piece_of(text, offset, 40)
        assert piece.total == len(text)
        assert len(piece.content) <= 40
        pieces.append(piece.content)
        if piece.next_offset is None:
            break
        assert piece.content.endswith("\n")
        assert piece.next_offset > offset
        offset = piece.next_offset
    assert "".join(pieces) == text


def test_a_line_longer_than_a_piece_is_cut_where_it_must_be() -> None:
    piece = piece_of("x" * 100, 10, 30)
    assert (piece.content, piece.next_offset) == ("x" * 30, 40)


def test_beyond_the_end_there_is_nothing_and_no_next_piece() -> None:
    assert piece_of("abc", 3, 10).content == ""
    assert piece_of("abc", 99, 10).next_offset is None
