"""A stored version read back with all that its points are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import structlog

from paparatsd.chunks.embedtext import embed_text
from paparatsd.chunks.record import read_record
from paparatsd.errors import StateCorrupt
from paparatsd.model import ParsedFile, SparseVector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.model import Chunk, VersionId
    from paparatsd.store.reader import CatalogReader
    from paparatsd.store.rows import VersionInfo

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One version; `sparse` has one lexical vector a chunk."""

    info: VersionInfo
    chunks: tuple[Chunk, ...]
    sparse: tuple[SparseVector, ...]

    def texts(self) -> list[str]:
        """Return the text to embed for each chunk."""
        parsed = ParsedFile(self.info.language, self.chunks, (), ())
        return [embed_text(self.info.path, parsed, chunk) for chunk in self.chunks]


def read_stored(read: CatalogReader, versions: Sequence[VersionId]) -> list[StoredFile]:
    """Read versions back; those that are gone or cannot be read are left out."""
    infos, records = read.infos(versions), read.records(versions)
    files = []
    for version in versions:
        if version not in infos or version not in records:
            continue
        try:
            sparse = lexical_of(records[version])
        except StateCorrupt as error:
            log.warning("record_unreadable", path=infos[version].path, reason=str(error))
            continue
        files.append(StoredFile(infos[version], read.chunks_of(version), sparse))
    return files


def lexical_of(record: bytes) -> tuple[SparseVector, ...]:
    """Return the lexical vector of each chunk, from the postings of a ranking record."""
    opened = read_record(record)
    terms = np.repeat(opened.terms, opened.term_table["chunks"].astype(np.int64))
    postings = opened.postings
    vectors = []
    for chunk in range(opened.chunks):
        here = postings["chunk"] == chunk
        vectors.append(SparseVector(terms[here], postings["value"][here].astype(np.float32)))
    return tuple(vectors)
