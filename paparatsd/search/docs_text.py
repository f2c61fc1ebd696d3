"""The text of a document, or of a part of it, put together from its chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.model import Chunk

FRONT_MATTER = "block"
"""The kind of the chunk that front matter is."""
NOTEBOOK = "notebook"


def sections(chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return what there is to read of a document, without its front matter."""
    return tuple(chunk for chunk in chunks if chunk.kind != FRONT_MATTER)


def joined(chunks: Sequence[Chunk], language: str) -> str:
    """Return the text of chunks in their order, without what several of them show.

    Blank lines between them are as in the file.
    """
    if language == NOTEBOOK:
        return _cells(chunks)
    text, last = "", 0
    piece = False
    for chunk in chunks:
        one_line = chunk.start_line == chunk.end_line
        if one_line and piece and chunk.start_line == last:
            text += chunk.text  # a line that was too long for one chunk
        elif chunk.start_line > last:
            blank = chunk.start_line - last if text else 0
            text += "\n" * blank + chunk.text
        elif chunk.end_line > last:
            rest = chunk.text.split("\n")[last - chunk.start_line + 1 :]
            text += "\n" + "\n".join(rest)
        last, piece = max(last, chunk.end_line), one_line
    return text


def _cells(chunks: Sequence[Chunk]) -> str:
    """Return the text of cells, one below the other.

    Their lines are those of the file around them and say little: all may be the same.
    """
    return "\n\n".join(chunk.text for chunk in chunks)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text from `offset` on; `next_offset` is None when it is the last."""

    content: str
    offset: int
    next_offset: int | None
    total: int


def piece_of(text: str, offset: int, max_chars: int) -> Piece:
    """Return at most `max_chars` characters of a text, up to the end of a line where one is."""
    end = offset + max_chars
    if end < len(text):
        cut = text.rfind("\n", offset, end) + 1
        end = cut if cut > offset else end
    content = text[offset:end]
    return Piece(content, offset, end if end < len(text) else None, len(text))
