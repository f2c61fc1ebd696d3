"""A parsed file as the catalog keeps it, made where the file was parsed.

Packing takes as long as writing, and thousands of small objects take longer to travel between
processes than both; so a worker packs, and the daemon only moves bytes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.model import ParsedFile
from paparatsd.store.names import storable
from paparatsd.store.packs import pack_chunks, pack_symbols, pack_uses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.model import ContentId, Fingerprint, RepoId, VersionId
    from paparatsd.store.rows import VersionRow

Defined = tuple[str, str, int, int, int, int, int]
"""Of one definition: name, kind, first line, last line, chunk, container, exported."""


@dataclass(frozen=True, slots=True)
class PackedFile:
    """All that the catalog keeps of one parsed file. `used` counts the uses of each name."""

    language: str
    lines: int
    degraded: str
    kinds: tuple[str, ...]
    chunks: bytes
    symbols: bytes
    uses: bytes
    defined: tuple[Defined, ...]
    used: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PackedVersion:
    """A file version, ready to be written in a short transaction."""

    id: VersionId
    repo: RepoId
    path: str
    content: ContentId
    fingerprint: Fingerprint
    size: int
    record: bytes
    file: PackedFile


def pack_file(parsed: ParsedFile) -> PackedFile:
    """Pack what was parsed; `kinds` has the kind of each chunk."""
    return PackedFile(
        language=parsed.language,
        lines=parsed.lines,
        degraded=storable(parsed.degraded),
        kinds=tuple(chunk.kind for chunk in parsed.chunks),
        chunks=pack_chunks(parsed.chunks),
        symbols=pack_symbols(parsed.symbols),
        uses=pack_uses(parsed.uses),
        defined=tuple(
            (
                storable(symbol.name),
                symbol.kind,
                symbol.start_line,
                symbol.end_line,
                symbol.chunk,
                int(symbol.container),
                int(symbol.exported),
            )
            for symbol in parsed.symbols
        ),
        used=dict(Counter(storable(use.name) for use in parsed.uses)),
    )


def pack_version(row: VersionRow) -> PackedVersion:
    """Do the part of writing a version that needs no database."""
    parsed = ParsedFile(
        row.language, row.chunks, row.symbols, row.uses, (), row.lines, row.degraded
    )
    return PackedVersion(
        id=row.id,
        repo=row.repo,
        path=row.path,
        content=row.content,
        fingerprint=row.fingerprint,
        size=row.size,
        record=row.record,
        file=pack_file(parsed),
    )
