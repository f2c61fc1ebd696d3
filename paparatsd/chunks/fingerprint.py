"""A digest that changes whenever the same text could be cut or read differently."""

from __future__ import annotations

from hashlib import blake2b
from importlib import metadata
from typing import TYPE_CHECKING

from paparatsd.chunks.grammar import query_text
from paparatsd.chunks.languages import LANGUAGES, TABLE_VERSION

if TYPE_CHECKING:
    from paparatsd.chunks.limits import ChunkLimits

CHUNKER_VERSION = 6
"""Grows with each change of this package's code that changes chunks, symbols, uses or facts."""

_PACKAGES = ("tree-sitter", "tree-sitter-language-pack", "tree-sitter-c-sharp", "tree-sitter-yaml")


def chunker_fingerprint(limits: ChunkLimits) -> str:
    """Return the hex digest over chunker version, queries, grammars, language table, limits."""
    digest = blake2b(digest_size=16)
    parts = [f"chunker {CHUNKER_VERSION}", f"table {TABLE_VERSION}"]
    parts.append(f"limits {limits.chunk_chars} {limits.max_chunk_chars}")
    parts.extend(f"{name} {metadata.version(name)}" for name in _PACKAGES)
    parts.extend(f"{row!r}\n{query_text(name)}" for name, row in sorted(LANGUAGES.items()))
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
