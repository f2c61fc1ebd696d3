"""The texts that are embedded: where a thing stands is put before what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paparatsd.model import Chunk, ParsedFile

TEXT_VERSION = 1
"""Part of the embedder's fingerprint: other texts never share vectors with these."""
FILE_CHARS = 48_000
"""A file's own vector is about its topic; the rest of a longer file does not change it."""
PATH_PARTS = 3


def path_text(path: str) -> str:
    """Return the last parts of a path without the extension, as words."""
    folders, _, base = path.rpartition("/")
    stem = base.rpartition(".")[0] or base
    parts = [*folders.split("/"), stem] if folders else [stem]
    return " ".join(parts[-PATH_PARTS:])


def embed_text(path: str, parsed: ParsedFile, chunk: Chunk) -> str:
    """Return the text to embed for one chunk: path, qualified name, text."""
    del parsed  # part of the signature so that a later text version may look at the neighbours
    where = path_text(path)
    return f"{where} {chunk.name}\n{chunk.text}" if chunk.name else f"{where}\n{chunk.text}"


def file_text(path: str, parsed: ParsedFile) -> str:
    """Return the text to embed for a file as a whole."""
    parts, room = [path_text(path)], FILE_CHARS
    for chunk in parsed.chunks:
        if room <= 0:
            break
        parts.append(chunk.text[:room])
        room -= len(chunk.text)
    return "\n".join(parts)
