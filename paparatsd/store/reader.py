"""Reading the catalog: from any thread or process, each with a connection of its own."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from paparatsd.model import VersionId
from paparatsd.store import frequencies, projects, vector_state, versions, views
from paparatsd.store.carried import read_carried
from paparatsd.store.database import connect, select_in, translated
from paparatsd.store.packs import (
    unpack_chunks,
    unpack_facts,
    unpack_symbols,
    unpack_used_names,
    unpack_uses,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.model import (
        Chunk,
        ContentId,
        Fact,
        Fingerprint,
        ProjectName,
        RepoId,
        ShardKey,
        Symbol,
        Use,
    )
    from paparatsd.store.carried import CarriedVersion
    from paparatsd.store.rows import (
        Definition,
        DocumentRow,
        FilePacks,
        Frequencies,
        ProjectRow,
        SkippedRow,
        Totals,
        VersionInfo,
        ViewEntry,
    )


class CatalogReader:
    """Answers from the last committed state; inside `snapshot()` from one and the same state."""

    def __init__(self, path: Path, connection: sqlite3.Connection | None = None) -> None:
        """Open an existing catalog read-only; raises StateUnwritable when it is not there.

        With `connection` that one is used, and it stays the caller's to close.
        """
        self._path = path
        self._borrowed = connection is not None
        if connection is None:
            with translated(path):
                connection = connect(path, read_only=True)
        self._connection = connection
        self._frequencies: dict[int, frequencies.Merged] = {}

    def close(self) -> None:
        """Close the connection."""
        if not self._borrowed:
            self._connection.close()

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[CatalogReader]:
        """Let everything asked inside come from one state. Keep it short: the log cannot shrink."""
        with translated(self._path):
            self._connection.execute("BEGIN")
            try:
                yield self
            finally:
                self._connection.execute("COMMIT")

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Give the connection, inside a transaction: several statements see one state."""
        if self._connection.in_transaction:
            with translated(self._path):
                yield self._connection
            return
        with self.snapshot():
            yield self._connection

    # ------------------------------------------------------------------ projects

    def projects(self) -> tuple[ProjectRow, ...]:
        """Return every project, by name."""
        with self._reading() as connection:
            return projects.read_projects(connection)

    def project(self, name: ProjectName) -> ProjectRow:
        """Return one project; raises UnknownProject."""
        with self._reading() as connection:
            return projects.read_project(connection, name)

    def generation(self, project_id: int) -> int:
        """Return the generation of a project; 0 before the first one."""
        with self._reading() as connection:
            return projects.read_generation(connection, project_id)

    def totals(self, project_id: int) -> Totals:
        """Return files, chunks, languages and skipped files by reason of a project."""
        with self._reading() as connection:
            return projects.read_totals(connection, project_id)

    # ------------------------------------------------------------------ views

    def view(self, project_id: int) -> dict[str, ViewEntry]:
        """Return what a project shows, by path."""
        with self._reading() as connection:
            return views.read_view(connection, project_id)

    def view_versions(self, project_id: int) -> tuple[list[str], NDArray[np.int64]]:
        """Return the paths of a view in order and, parallel to them, their versions."""
        with self._reading() as connection:
            return views.read_view_versions(connection, project_id)

    def documents(self, project_id: int) -> list[DocumentRow]:
        """Return the documents among what a project shows, by path."""
        with self._reading() as connection:
            return views.read_documents(connection, project_id)

    def refused_labels(self, project_id: int) -> list[tuple[str, str]]:
        """Return path and label of documents whose audience is none and counts as internal."""
        with self._reading() as connection:
            return views.read_refused_labels(connection, project_id)

    def skipped(self, project_id: int) -> dict[str, SkippedRow]:
        """Return what a project skips, by path."""
        with self._reading() as connection:
            return views.read_skipped(connection, project_id)

    def view_at(self, project_id: int, paths: Iterable[str]) -> dict[str, ViewEntry]:
        """Return what a project shows at and below these paths."""
        with self._reading() as connection:
            return views.read_view_at(connection, project_id, paths)

    def skipped_at(self, project_id: int, paths: Iterable[str]) -> dict[str, SkippedRow]:
        """Return what a project skips at and below these paths."""
        with self._reading() as connection:
            return views.read_skipped_at(connection, project_id, paths)

    def frequencies(self, project_id: int) -> Frequencies:
        """Return the document frequencies of a view; kept, and added to as generations come."""
        with self._reading() as connection:
            known = self._frequencies.get(project_id)
            merged = frequencies.read_frequencies(connection, project_id, known)
        self._frequencies[project_id] = merged
        return merged.frequencies

    def forget(self, project_id: int) -> None:
        """Drop what is kept in memory of a project that is gone."""
        self._frequencies.pop(project_id, None)

    # ------------------------------------------------------------------ versions

    def infos(self, ids: Iterable[VersionId]) -> dict[VersionId, VersionInfo]:
        """Return path, language, size and the like of versions."""
        with self._reading() as connection:
            return versions.read_infos(connection, ids)

    def records(self, ids: Iterable[VersionId]) -> dict[VersionId, bytes]:
        """Return the ranking records of versions; those that are not there are left out."""
        sql = "SELECT version, record FROM records WHERE version IN ({})"
        with self._reading() as connection:
            return {VersionId(row[0]): row[1] for row in select_in(connection, sql, ids)}

    def chunks_of(self, version: VersionId) -> tuple[Chunk, ...]:
        """Return the chunks of a version with their texts; empty when it is not there."""
        pack = self._pack("SELECT pack FROM chunk_packs WHERE version = ?", version)
        return unpack_chunks(pack) if pack is not None else ()

    def symbols_of(self, version: VersionId) -> tuple[Symbol, ...]:
        """Return the definitions in a version; empty when it is not there."""
        pack = self._pack("SELECT symbols FROM symbol_packs WHERE version = ?", version)
        return unpack_symbols(pack) if pack is not None else ()

    def uses_of(self, version: VersionId) -> tuple[Use, ...]:
        """Return the uses in a version; empty when it is not there."""
        pack = self._pack("SELECT uses FROM symbol_packs WHERE version = ?", version)
        return unpack_uses(pack) if pack is not None else ()

    def facts_of(self, version: VersionId) -> tuple[Fact, ...]:
        """Return what a version says about names; empty when it is not there."""
        pack = self._pack("SELECT facts FROM symbol_packs WHERE version = ?", version)
        return unpack_facts(pack) if pack is not None else ()

    def packs_of(self, ids: Iterable[VersionId]) -> Iterator[tuple[VersionId, FilePacks]]:
        """Yield the language and the packs of symbols, uses and facts of those that are there."""
        with self._reading() as connection:
            yield from versions.read_packs(connection, ids)

    def carried(self, ids: Iterable[VersionId]) -> list[CarriedVersion]:
        """Return versions as they are stored, for another catalog; those gone are left out."""
        with self._reading() as connection:
            return read_carried(connection, ids)

    def labelled(self, kind: str, names: Iterable[str]) -> dict[str, list[VersionId]]:
        """Return for each name the versions that have a fact of this kind about it.

        Only of the kinds in `packed.LABELS`.
        """
        with self._reading() as connection:
            return versions.read_labelled(connection, kind, names)

    def labels(self, kind: str, ids: Iterable[VersionId]) -> dict[str, list[VersionId]]:
        """Return by name which of these versions have a fact of this kind about it."""
        with self._reading() as connection:
            return versions.read_labels(connection, kind, ids)

    def used_names(
        self, version: VersionId, kinds_left_out: Collection[str]
    ) -> tuple[list[int], list[str]]:
        """Return lines and names of the uses in a version, by line, but for some kinds of use."""
        pack = self._pack("SELECT uses FROM symbol_packs WHERE version = ?", version)
        return unpack_used_names(pack, kinds_left_out) if pack is not None else ([], [])

    def _pack(self, sql: str, version: VersionId) -> bytes | None:
        with self._reading() as connection:
            row = connection.execute(sql, (version,)).fetchone()
        return None if row is None else row[0]

    def contents_at(
        self, shard: ShardKey, fingerprint: Fingerprint, paths: Iterable[str]
    ) -> dict[str, set[ContentId]]:
        """Return by path the contents whose versions have acknowledged points in the shard."""
        with self._reading() as connection:
            return versions.read_contents(connection, shard, fingerprint, paths)

    def symbols_named(self, names: Iterable[str]) -> dict[str, list[Definition]]:
        """Return for each asked name where it is defined, whatever view shows it.

        Names meet by their last part without regard to case; the answer has the exact spelling.
        """
        with self._reading() as connection:
            return versions.read_definitions(connection, names)

    def definers(self, repos: Iterable[RepoId], folded: Iterable[str]) -> NDArray[np.int64]:
        """Return the versions in these repositories that define one of these names.

        `folded`: last parts of names, case-folded (`names.fold_name`).
        """
        with self._reading() as connection:
            return versions.read_definers(connection, repos, folded)

    def users_of(self, names: Iterable[str]) -> dict[str, dict[VersionId, int]]:
        """Return for each exact name the versions that use it and how often."""
        with self._reading() as connection:
            return versions.read_users(connection, names)

    def defined_names(self, project_id: int) -> list[str]:
        """Return every name that a project defines, ascending."""
        with self._reading() as connection:
            return versions.read_defined_names(connection, project_id)

    def name_counts(
        self, project_id: int, kinds: Sequence[str]
    ) -> tuple[dict[str, int], dict[str, int]]:
        """Return for the names that a project defines how often, and how many files use them."""
        with self._reading() as connection:
            return versions.read_name_counts(connection, project_id, kinds)

    # ------------------------------------------------------------------ vector shards

    def shards(self) -> tuple[ShardKey, ...]:
        """Return every shard that has, or may have, points."""
        with self._reading() as connection:
            return vector_state.read_shards(connection)

    def expected_points(self, shard: ShardKey) -> dict[VersionId, int]:
        """Return how many points each version must have in a shard; without any are left out."""
        with self._reading() as connection:
            return vector_state.read_expected_points(connection, shard)

    def lexical_only(self, shard: ShardKey) -> list[VersionId]:
        """Return the versions in a shard whose chunks have no vectors yet."""
        with self._reading() as connection:
            return vector_state.read_lexical_only(connection, shard)

    def shard_versions(self, shard: ShardKey) -> NDArray[np.int64]:
        """Return all versions that have, or may have, points in a shard, ascending."""
        with self._reading() as connection:
            return vector_state.read_shard_versions(connection, shard)
