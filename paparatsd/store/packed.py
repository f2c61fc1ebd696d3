"""A parsed file as the catalog keeps it, made where the file was parsed.

Packing takes as long as writing, and thousands of small objects take longer to travel between
processes than both; so a worker packs, and the daemon only moves bytes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.model import DocumentHead, ParsedFile
from paparatsd.store.names import storable
from paparatsd.store.packs import pack_chunks, pack_facts, pack_symbols, pack_uses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.model import ContentId, Fact, Fingerprint, RepoId, Use, VersionId
    from paparatsd.store.rows import VersionRow

Defined = tuple[str, str, int, int, int, int, int]
"""Of one definition: name, kind, first line, last line, chunk, container, exported."""


LABELS = frozenset({"package", "opens", "route", "request", "provides", "depends"})
"""Kinds of facts that are looked for by name across files."""


@dataclass(frozen=True, slots=True)
class PackedFile:
    """All that the catalog keeps of one parsed file.

    `used` counts the uses of each name, `labels` has kind and name of the facts to be looked for.
    """

    language: str
    lines: int
    degraded: str
    kinds: tuple[str, ...]
    chunks: bytes
    symbols: bytes
    uses: bytes
    defined: tuple[Defined, ...]
    used: Mapping[str, int]
    facts: bytes = b""
    labels: tuple[tuple[str, str], ...] = ()
    document: DocumentHead | None = None


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
        used=_counted(parsed.uses),
        facts=pack_facts(parsed.facts),
        labels=tuple(sorted(_labels(parsed.facts))),
        document=None if parsed.document is None else _storable_head(parsed.document),
    )


def _storable_head(head: DocumentHead) -> DocumentHead:
    return DocumentHead(
        title=storable(head.title),
        link=storable(head.link),
        modified=head.modified,
        audience=storable(head.audience),
        refused=storable(head.refused),
    )


def _counted(uses: Sequence[Use]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name, times in Counter(use.name for use in uses).items():
        stored = storable(name)
        counts[stored] = counts.get(stored, 0) + times
    return counts


def _labels(facts: Sequence[Fact]) -> set[tuple[str, str]]:
    return {(fact.kind, storable(fact.name)) for fact in facts if fact.kind in LABELS}


def pack_version(row: VersionRow) -> PackedVersion:
    """Do the part of writing a version that needs no database."""
    parsed = ParsedFile(
        language=row.language,
        chunks=row.chunks,
        symbols=row.symbols,
        uses=row.uses,
        lines=row.lines,
        degraded=row.degraded,
        facts=row.facts,
        document=row.document,
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
