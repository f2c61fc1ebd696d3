"""The texts that are embedded: where a thing stands is put before what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.chunks.fields import file_stem, main_doc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paparatsd.model import Chunk, ParsedFile

TEXT_VERSION = 1
"""Part of the embedder's fingerprint: other texts never share vectors with these."""
FILE_CHARS = 48_000
"""A file's own vector is about its topic; the rest of a longer file does not change it."""
PATH_PARTS = 3
NAMES, DOC_CHARS = 400, 6_000
"""A file's names and doc comments beyond these are details."""


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


def record_texts(path: str, parsed: ParsedFile) -> tuple[str, str, str, str, str]:
    """Return what is embedded of a file for ranking: text, path, stem, defined names, docs."""
    names = dict.fromkeys(symbol.name for symbol in parsed.symbols if symbol.kind != "key")
    return (
        file_text(path, parsed),
        path_text(path),
        file_stem(path),
        " ".join(list(names)[:NAMES]),
        _bounded(main_doc(text) for _, _, text in parsed.comments),
    )


def _bounded(texts: Iterable[str]) -> str:
    """Join texts until there are enough."""
    parts: list[str] = []
    room = DOC_CHARS
    for text in texts:
        if room <= 0:
            break
        parts.append(text[:room])
        room -= len(text)
    return "\n".join(part for part in parts if part.strip())
