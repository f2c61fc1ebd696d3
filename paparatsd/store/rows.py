"""The values that go into the catalog and come out of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.model import (
        Chunk,
        ContentId,
        DocumentHead,
        Fact,
        Fingerprint,
        Head,
        ProjectEntry,
        RepoId,
        ShardKey,
        Skip,
        Stat,
        Symbol,
        Use,
        VersionId,
    )


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One file version with everything known of it; `path` is the one its id was made of."""

    id: VersionId
    repo: RepoId
    path: str
    content: ContentId
    fingerprint: Fingerprint
    language: str
    size: int
    lines: int
    chunks: tuple[Chunk, ...]
    symbols: tuple[Symbol, ...]
    uses: tuple[Use, ...]
    record: bytes
    degraded: str = ""
    facts: tuple[Fact, ...] = ()
    document: DocumentHead | None = None


@dataclass(frozen=True, slots=True)
class VersionInfo:
    """A file version without its packs. `chunks` is how many there are."""

    id: VersionId
    repo: RepoId
    path: str
    content: ContentId
    fingerprint: Fingerprint
    language: str
    size: int
    lines: int
    chunks: int
    degraded: str


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document that a project shows, with what it says of itself (`model.DocumentHead`).

    `chunks` is how many it has.
    """

    path: str
    version: VersionId
    language: str
    chunks: int
    title: str
    link: str
    modified: float | None
    audience: str
    refused: str


@dataclass(frozen=True, slots=True)
class FilePacks:
    """The packs of one version that the symbol graph reads (`packs.unpack_*` opens them)."""

    language: str
    symbols: bytes
    uses: bytes
    facts: bytes


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a name is defined: symbol number `ordinal` of a version's symbols."""

    name: str
    version: VersionId
    ordinal: int
    kind: str
    start_line: int
    end_line: int
    chunk: int
    container: bool
    exported: bool


@dataclass(frozen=True, slots=True)
class ViewEntry:
    """What a project shows at one path.

    `racy` says that the file was written so shortly before it was read that an equal stat proves
    nothing: the next look must read it again.
    """

    version: VersionId
    stat: Stat
    racy: bool = False


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """One listed file that is not indexed; `stat` lets a later scan skip reading it again."""

    path: str
    reason: Skip
    detail: str = ""
    stat: Stat | None = None


@dataclass(frozen=True, slots=True)
class TermDelta:
    """By how much each term's document frequency changes.

    `ids` uint32 [n], ascending and unique; `counts` int32 [n]: chunks gained less chunks lost;
    `chunks`: by how much the number of chunks changes.
    """

    ids: NDArray[np.uint32]
    counts: NDArray[np.int32]
    chunks: int


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Document frequencies of one view: `counts[i]` of `chunks` chunks contain term `ids[i]`."""

    ids: NDArray[np.uint32]
    counts: NDArray[np.int32]
    chunks: int


@dataclass(frozen=True, slots=True)
class ViewChange:
    """What one generation changes. A path is in at most one of `set`, `drop`, `skipped_set`.

    A path that leaves the view because it is now skipped is in `drop` and in `skipped_set`.
    """

    set: Mapping[str, ViewEntry] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    skipped_set: tuple[SkippedRow, ...] = ()
    skipped_drop: tuple[str, ...] = ()
    terms: TermDelta | None = None


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """One registered project and what is counted of it.

    `checked_at`: since when it shows all of its files; None before its first index is whole.
    """

    id: int
    entry: ProjectEntry
    repo: RepoId
    generation: int
    head: Head
    files: int
    chunks: int
    bytes: int
    skipped: int
    checked_at: float | None


@dataclass(frozen=True, slots=True)
class Totals:
    """What a project shows, kept by delta: reading it costs the same whatever the size."""

    files: int
    chunks: int
    bytes: int
    languages: Mapping[str, int]
    skipped: Mapping[Skip, int]


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """Points that must go from a shard. `seqs` is what `outbox_done` wants to hear."""

    shard: ShardKey
    versions: tuple[VersionId, ...]
    seqs: tuple[int, ...]
