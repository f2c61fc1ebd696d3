"""Which embedder made the vectors that answer, what another one has still to make, and the swap.

A *role* is what vectors are for: "code" answers searches of everything, "text" those of documents
where they have a model of their own. All shards of a role are of one model, so that one vector of
a question fits all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.model import Fingerprint, RepoId, ShardKey, VersionId
from paparatsd.store.collect import GRACE_S
from paparatsd.store.database import translated
from paparatsd.store.schema import FLUSHED, UPSERTED
from paparatsd.store.vector_state import find_shard, intend, read_shards
from paparatsd.store.versions import known_versions

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from paparatsd.clock import Clock
    from paparatsd.store.database import Database

FORGET_AT_ONCE = 5_000
"""Rows a transaction deletes of a shard that is given up."""
DOCUMENTS_KIND = "text"
"""Shards of this kind hold documents alone."""

_SHOWN = """SELECT w.version AS id FROM views w JOIN projects p ON p.id = w.project
    WHERE p.repo = :repo
    UNION
    SELECT u.version FROM unviewed u JOIN versions v ON v.id = u.version
    WHERE v.repo = :repo AND u.since >= :young AND v.fingerprint = :current"""
_DOCUMENTS = """SELECT d.version AS id FROM documents d JOIN versions v ON v.id = d.version
    WHERE v.repo = :repo AND NOT EXISTS (SELECT 1 FROM doomed g WHERE g.version = d.version)
    AND (v.fingerprint = :current OR EXISTS (SELECT 1 FROM views WHERE version = d.version))"""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model as it is kept: `settings` and `spec` are JSON, without anything secret."""

    role: str
    kind: str
    fingerprint: Fingerprint
    dimension: int
    settings: str
    spec: str

    def shard(self, repo: RepoId) -> ShardKey:
        """Return the shard of a repository."""
        return ShardKey(repo, self.kind, self.fingerprint, self.dimension)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a shard must hold before it can answer.

    `missing` are versions without dense vectors in it; `outdated` those among them that another
    way of reading files made, which are about to be replaced. `total` counts all, there or not.
    """

    total: int
    missing: tuple[VersionId, ...] = ()
    outdated: tuple[VersionId, ...] = ()


class ModelTable:
    """The part of the catalog about models; belongs to the catalog's thread."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def row(self, role: str) -> ModelRow | None:
        """Return the model that answers in a role; None when none was noted."""
        with translated(self._database.path):
            found = self._database.connection.execute(
                "SELECT role, kind, fingerprint, dimension, settings, spec FROM models"
                " WHERE role = ?",
                (role,),
            ).fetchone()
        return None if found is None else ModelRow(*found)

    def note(self, row: ModelRow) -> None:
        """Note which model answers in a role."""
        with self._database.transaction("note_model") as connection:
            _write(connection, row)

    def forget(self, role: str) -> None:
        """Note that no model answers in a role."""
        with self._database.transaction("forget_model") as connection:
            connection.execute("DELETE FROM models WHERE role = ?", (role,))

    def builds(self) -> dict[RepoId, int]:
        """Return of each repository with projects how often it was built anew on demand."""
        with translated(self._database.path):
            rows = self._database.connection.execute(
                """SELECT id, build FROM repositories
                   WHERE no IN (SELECT repo FROM projects) ORDER BY no"""
            )
            return {RepoId(repo): build for repo, build in rows}

    def begin_build(self, repo: RepoId) -> int:
        """Have all of a repository built anew; returns the number of the build."""
        with self._database.transaction("begin_build") as connection:
            connection.execute("UPDATE repositories SET build = build + 1 WHERE id = ?", (repo,))
            row = connection.execute(
                "SELECT build FROM repositories WHERE id = ?", (repo,)
            ).fetchone()
        return 0 if row is None else int(row[0])

    def wanted(self, shard: ShardKey, current: Fingerprint) -> Wanted:
        """Return what a shard of its kind must hold; `current`: how files are read now."""
        with translated(self._database.path):
            return _wanted(self._database.connection, shard, current, self._young())

    def intend(self, shard: ShardKey, versions: Sequence[VersionId]) -> set[VersionId]:
        """Note that points of versions are about to be written, and return which are still there.

        Points of the others would belong to nobody.
        """
        with self._database.transaction("intend") as connection:
            there = known_versions(connection, versions)
            intend(connection, shard, there)
        return there

    def note_filled(self, shard: ShardKey, versions: Sequence[VersionId]) -> None:
        """Note that the store acknowledged all vectors of versions; purged ones stay purged."""
        with self._database.transaction("note_filled") as connection:
            number = find_shard(connection, shard)
            connection.executemany(
                f"""UPDATE vector_state SET state = {UPSERTED}, dense = 1
                    WHERE shard = ? AND version = ?""",
                ((number, version) for version in versions),
            )

    def swap(self, row: ModelRow, current: Mapping[RepoId, Fingerprint]) -> bool:
        """Let another model answer if all that is shown has its vectors, on the disk.

        Looks and notes in one transaction, so that nothing can come in between. `current` has the
        fingerprint of each repository; one that is not among them is not ready.
        """
        with self._database.transaction("swap_model") as connection:
            repos = connection.execute(
                "SELECT id FROM repositories WHERE no IN (SELECT repo FROM projects)"
            ).fetchall()
            for (repo,) in repos:
                fingerprint = current.get(RepoId(repo))
                if fingerprint is None or not _is_ready(
                    connection, row.shard(RepoId(repo)), fingerprint, self._young()
                ):
                    return False
            _write(connection, row)
        return True

    def give_up(self, shard: ShardKey) -> bool:
        """Forget some of what a shard holds; False when nothing is left and it can be dropped."""
        with self._database.transaction("give_up_shard") as connection:
            number = find_shard(connection, shard)
            return (
                connection.execute(
                    """DELETE FROM vector_state WHERE shard = ?1 AND version IN (
                       SELECT version FROM vector_state WHERE shard = ?1 LIMIT ?2)""",
                    (number, FORGET_AT_ONCE),
                ).rowcount
                > 0
            )

    def others(self, kind: str, kept: Sequence[Fingerprint]) -> tuple[ShardKey, ...]:
        """Return the shards of a kind that are of none of these models."""
        with translated(self._database.path):
            shards = read_shards(self._database.connection)
        return tuple(one for one in shards if one.kind == kind and one.fingerprint not in kept)

    def doom_outdated(self, current: Mapping[RepoId, Fingerprint]) -> None:
        """Doom what no view shows and another way of reading files made: nobody recognises it."""
        with self._database.transaction("doom_outdated") as connection:
            connection.executemany(
                """INSERT OR IGNORE INTO doomed
                   SELECT u.version FROM unviewed u JOIN versions v ON v.id = u.version
                   JOIN repositories r ON r.no = v.repo
                   JOIN fingerprints f ON f.no = v.fingerprint
                   WHERE r.id = ? AND f.fingerprint <> ? AND u.since < ?""",
                ((repo, one, self._young()) for repo, one in current.items()),
            )

    def outdated(self, versions: Sequence[VersionId], current: Fingerprint) -> set[VersionId]:
        """Return those of these versions that another way of reading files made."""
        with translated(self._database.path):
            rows = self._database.connection.execute(
                """SELECT v.id FROM versions v JOIN fingerprints f ON f.no = v.fingerprint
                   WHERE f.fingerprint <> ? AND v.id IN (SELECT value FROM json_each(?))""",
                (current, f"[{','.join(map(str, versions))}]"),
            )
            return {VersionId(row[0]) for row in rows}

    def _young(self) -> float:
        """Return since when a version must be shown by nobody for not being about to be shown."""
        return self._clock.now() - GRACE_S


def _write(connection: sqlite3.Connection, row: ModelRow) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO models VALUES (?,?,?,?,?,?)",
        (row.role, row.kind, row.fingerprint, row.dimension, row.settings, row.spec),
    )


def _rows(
    connection: sqlite3.Connection, shard: ShardKey, current: Fingerprint, young: float, worth: int
) -> sqlite3.Cursor:
    """Select (version, is outdated, is there); there is what has at least this state, and all."""
    chosen = _DOCUMENTS if shard.kind == DOCUMENTS_KIND else _SHOWN
    sql = f"""SELECT v.id, v.fingerprint IS NOT :current,
              s.version IS NOT NULL AND s.state >= {worth} AND s.dense = 1
              FROM ({chosen}) c JOIN versions v ON v.id = c.id
              LEFT JOIN vector_state s ON s.shard = :shard AND s.version = v.id"""
    return connection.execute(
        sql,
        {
            "repo": _number(connection, "SELECT no FROM repositories WHERE id = ?", shard.repo),
            "current": _number(
                connection, "SELECT no FROM fingerprints WHERE fingerprint = ?", current
            ),
            "shard": find_shard(connection, shard),
            "young": young,
        },
    )


def _wanted(
    connection: sqlite3.Connection, shard: ShardKey, current: Fingerprint, young: float
) -> Wanted:
    rows = _rows(connection, shard, current, young, UPSERTED).fetchall()
    missing = [(VersionId(version), outdated) for version, outdated, there in rows if not there]
    return Wanted(
        total=len(rows),
        missing=tuple(version for version, outdated in missing if not outdated),
        outdated=tuple(version for version, outdated in missing if outdated),
    )


def _is_ready(
    connection: sqlite3.Connection, shard: ShardKey, current: Fingerprint, young: float
) -> bool:
    return all(there for _, _, there in _rows(connection, shard, current, young, FLUSHED))


def _number(connection: sqlite3.Connection, sql: str, value: str) -> int | None:
    row = connection.execute(sql, (value,)).fetchone()
    return None if row is None else int(row[0])
