"""Getting rid of versions: choose, doom, purge in short transactions that a crash may cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.model import VersionId
from paparatsd.store.versions import purge_versions

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

GRACE_S = 900.0
"""Versions younger than this may belong to a generation under way; only age collects them."""


def doom_project(connection: sqlite3.Connection, project_id: int, now: float) -> None:
    """Delete a project and doom everything that no other project shows.

    Versions of its repository that no view shows are doomed too, unless another project of the
    repository wrote or showed them last.
    """
    connection.execute(
        """INSERT OR REPLACE INTO unviewed
           SELECT DISTINCT v.version, ?2, ?1 FROM views v WHERE v.project = ?1
           AND NOT EXISTS (
               SELECT 1 FROM views o WHERE o.version = v.version AND o.project <> ?1)""",
        (project_id, now),
    )
    connection.execute(
        """INSERT OR IGNORE INTO doomed
           SELECT u.version FROM unviewed u JOIN versions v ON v.id = u.version
           WHERE u.project = ?1 OR (
               v.repo = (SELECT repo FROM projects WHERE id = ?1)
               AND NOT EXISTS (SELECT 1 FROM projects p WHERE p.repo = v.repo AND p.id <> ?1))""",
        (project_id,),
    )
    # Views, skipped files, counters and frequencies go by cascade.
    connection.execute("DELETE FROM projects WHERE id = ?", (project_id,))


def doom_versions(connection: sqlite3.Connection, ids: Iterable[VersionId]) -> None:
    """Doom those of these versions that no view shows."""
    connection.executemany(
        """INSERT OR IGNORE INTO doomed SELECT id FROM versions v WHERE v.id = ?
           AND NOT EXISTS (SELECT 1 FROM views WHERE version = v.id)""",
        ((ident,) for ident in ids),
    )


def doom_old(connection: sqlite3.Connection, now: float, keep_s: float, max_versions: int) -> None:
    """Doom versions that no view shows for longer than `keep_s`, and the oldest above the limit."""
    connection.execute(
        "INSERT OR IGNORE INTO doomed SELECT version FROM unviewed WHERE since < ?",
        (now - keep_s,),
    )
    connection.execute(
        """INSERT OR IGNORE INTO doomed
           SELECT version FROM (
               SELECT version, since FROM unviewed ORDER BY since DESC LIMIT -1 OFFSET ?)
           WHERE since < ?""",
        (max_versions, now - min(keep_s, GRACE_S)),
    )


def purge_doomed(connection: sqlite3.Connection, limit: int) -> int:
    """Purge up to `limit` doomed versions and return how many there were."""
    rows = connection.execute("SELECT version FROM doomed LIMIT ?", (limit,)).fetchall()
    doomed = [VersionId(row[0]) for row in rows]
    shown = {
        row[0]
        for version in doomed
        for row in connection.execute(
            "SELECT version FROM views WHERE version = ? LIMIT 1", (version,)
        )
    }
    connection.executemany("DELETE FROM doomed WHERE version = ?", ((v,) for v in shown))
    purge_versions(connection, [version for version in doomed if version not in shown])
    return len(doomed)


def drop_unused_rows(connection: sqlite3.Connection) -> None:
    """Delete repositories and fingerprints that nothing refers to."""
    connection.execute(
        """DELETE FROM repositories WHERE no NOT IN (SELECT repo FROM projects)
           AND no NOT IN (SELECT repo FROM versions)"""
    )
    connection.execute(
        "DELETE FROM fingerprints WHERE no NOT IN (SELECT fingerprint FROM versions)"
    )
