"""Rows of views: which file version a project shows at each path, and what it skips."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.errors import Conflict
from paparatsd.model import Skip, Stat, VersionId
from paparatsd.store.database import select_in
from paparatsd.store.names import storable
from paparatsd.store.projects import add_counts
from paparatsd.store.rows import DocumentRow, SkippedRow, ViewEntry

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from paparatsd.store.rows import ViewChange

_INODES = 1 << 64


def _signed(inode: int) -> int:
    # Some file systems use all 64 bits of an inode number; SQLite's integers have a sign.
    return inode - _INODES if inode >= _INODES >> 1 else inode


def _stat_fields(stat: Stat) -> tuple[int, int, int, int]:
    return stat.size, stat.mtime_ns, stat.ctime_ns, _signed(stat.inode)


def _stat(size: int, mtime_ns: int, ctime_ns: int, inode: int) -> Stat:
    return Stat(size, mtime_ns, ctime_ns, inode % _INODES)


def read_view(connection: sqlite3.Connection, project_id: int) -> dict[str, ViewEntry]:
    """Return what a project shows, by path."""
    rows = connection.execute(
        "SELECT path, version, racy, size, mtime_ns, ctime_ns, inode FROM views WHERE project = ?",
        (project_id,),
    )
    return {
        path: ViewEntry(VersionId(version), _stat(*stat), bool(racy))
        for path, version, racy, *stat in rows
    }


def read_view_versions(
    connection: sqlite3.Connection, project_id: int
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the paths of a view in order and, parallel to them, their versions."""
    rows = connection.execute(
        "SELECT path, version FROM views WHERE project = ?", (project_id,)
    ).fetchall()
    versions = np.fromiter((row[1] for row in rows), dtype=np.int64, count=len(rows))
    return [row[0] for row in rows], versions


def read_documents(connection: sqlite3.Connection, project_id: int) -> list[DocumentRow]:
    """Return the documents among what a project shows, by path."""
    rows = connection.execute(
        """SELECT s.path, v.id, v.language, v.chunks, d.title, d.link, d.modified,
           d.audience, d.refused FROM views s CROSS JOIN documents d ON d.version = s.version
           JOIN versions v ON v.id = d.version WHERE s.project = ? ORDER BY s.path""",
        (project_id,),
    )
    return [DocumentRow(path, VersionId(version), *rest) for path, version, *rest in rows]


def read_refused_labels(connection: sqlite3.Connection, project_id: int) -> list[tuple[str, str]]:
    """Return path and label of the documents a project shows whose audience had to be refused."""
    return connection.execute(
        """SELECT s.path, d.refused FROM documents d CROSS JOIN views s ON s.version = d.version
           WHERE d.refused <> '' AND s.project = ? ORDER BY s.path""",
        (project_id,),
    ).fetchall()


def read_skipped(connection: sqlite3.Connection, project_id: int) -> dict[str, SkippedRow]:
    """Return what a project skips, by path."""
    rows = connection.execute(
        """SELECT path, reason, detail, size, mtime_ns, ctime_ns, inode
           FROM skipped WHERE project = ?""",
        (project_id,),
    )
    return {
        path: SkippedRow(path, Skip(reason), detail, None if stat[0] is None else _stat(*stat))
        for path, reason, detail, *stat in rows
    }


def read_view_at(
    connection: sqlite3.Connection, project_id: int, paths: Iterable[str]
) -> dict[str, ViewEntry]:
    """Return what a project shows at these paths and, where they are directories, below them."""
    rows = _rows_at(
        connection,
        "SELECT path, version, racy, size, mtime_ns, ctime_ns, inode FROM views",
        project_id,
        paths,
    )
    return {
        path: ViewEntry(VersionId(version), _stat(*stat), bool(racy))
        for path, version, racy, *stat in rows
    }


def read_skipped_at(
    connection: sqlite3.Connection, project_id: int, paths: Iterable[str]
) -> dict[str, SkippedRow]:
    """Return what a project skips at these paths and, where they are directories, below them."""
    rows = _rows_at(
        connection,
        "SELECT path, reason, detail, size, mtime_ns, ctime_ns, inode FROM skipped",
        project_id,
        paths,
    )
    return {
        path: SkippedRow(path, Skip(reason), detail, None if stat[0] is None else _stat(*stat))
        for path, reason, detail, *stat in rows
    }


def _rows_at(
    connection: sqlite3.Connection, select: str, project_id: int, paths: Iterable[str]
) -> Iterator[tuple[Any, ...]]:
    for path in paths:
        if path in {"", "."}:
            yield from connection.execute(f"{select} WHERE project = ?", (project_id,))
            continue
        yield from connection.execute(
            f"{select} WHERE project = ? AND path = ?", (project_id, path)
        )
        # "0" is the character after "/": the range holds exactly what starts with `path/`.
        yield from connection.execute(
            f"{select} WHERE project = ? AND path > ? AND path < ?",
            (project_id, f"{path}/", f"{path}0"),
        )


def touch_entries(
    connection: sqlite3.Connection, project_id: int, entries: Mapping[str, ViewEntry]
) -> None:
    """Note new stats of files whose content is what the view shows already."""
    connection.executemany(
        """UPDATE views SET size=?, mtime_ns=?, ctime_ns=?, inode=?, racy=?
           WHERE project=? AND path=? AND version=?""",
        (
            (*_stat_fields(entry.stat), int(entry.racy), project_id, path, entry.version)
            for path, entry in entries.items()
        ),
    )


def apply_change(
    connection: sqlite3.Connection, project_id: int, change: ViewChange, now: float
) -> None:
    """Write a change of the view and of the skipped files, with their counters.

    Raises Conflict when a version to be shown is not in the catalog (it was collected since it
    was planned), or when a path would be both shown and skipped.
    """
    _check_paths(change)
    before = _shown(connection, project_id, [*change.set, *change.drop])
    _check_skipped(connection, project_id, change)
    _count_files(connection, project_id, change, before)
    _write_rows(connection, project_id, change)
    _note_unviewed(connection, project_id, change, before, now)
    _write_skipped(connection, project_id, change)


def _check_paths(change: ViewChange) -> None:
    both = change.set.keys() & set(change.drop)
    both |= change.set.keys() & {row.path for row in change.skipped_set}
    if both:
        raise Conflict(f"a change both shows and drops or skips {min(both)!r}")


def _check_skipped(connection: sqlite3.Connection, project_id: int, change: ViewChange) -> None:
    staying = {row.path for row in change.skipped_set} - set(change.drop)
    shown = _shown(connection, project_id, sorted(staying))
    if shown:
        raise Conflict(f"{min(shown)!r} cannot be skipped while the view shows it; drop it too")


def _shown(
    connection: sqlite3.Connection, project_id: int, paths: Iterable[str]
) -> dict[str, VersionId]:
    sql = "SELECT path, version FROM views WHERE project = ? AND path IN ({})"
    return dict(select_in(connection, sql, paths, project_id))


def _count_files(
    connection: sqlite3.Connection,
    project_id: int,
    change: ViewChange,
    before: Mapping[str, VersionId],
) -> None:
    after = [entry.version for entry in change.set.values()]
    sql = "SELECT id, chunks, size, language FROM versions WHERE id IN ({})"
    known = {
        ident: (chunks, size, language)
        for ident, chunks, size, language in select_in(connection, sql, {*after, *before.values()})
    }
    if missing := sum(version not in known for version in after):
        raise Conflict(f"{missing} file versions of the change are not in the catalog; plan again")
    files = chunks = size = 0
    languages: Counter[str] = Counter()
    for sign, versions in ((1, after), (-1, list(before.values()))):
        for version in versions:
            files += sign
            chunks += sign * known[version][0]
            size += sign * known[version][1]
            languages[known[version][2]] += sign
    connection.execute(
        "UPDATE projects SET files=files+?, chunks=chunks+?, bytes=bytes+? WHERE id=?",
        (files, chunks, size, project_id),
    )
    add_counts(connection, project_id, "language", languages)


def _write_rows(connection: sqlite3.Connection, project_id: int, change: ViewChange) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO views VALUES (?,?,?,?,?,?,?,?)",
        (
            (project_id, path, entry.version, *_stat_fields(entry.stat), int(entry.racy))
            for path, entry in sorted(change.set.items())
        ),
    )
    connection.executemany(
        "DELETE FROM views WHERE project = ? AND path = ?",
        ((project_id, path) for path in change.drop),
    )


def _note_unviewed(
    connection: sqlite3.Connection,
    project_id: int,
    change: ViewChange,
    before: Mapping[str, VersionId],
    now: float,
) -> None:
    shown = {entry.version for entry in change.set.values()}
    connection.executemany(
        "DELETE FROM unviewed WHERE version = ?", ((version,) for version in shown)
    )
    # A version shown again is on its way out no longer.
    connection.executemany(
        "DELETE FROM doomed WHERE version = ?", ((version,) for version in shown)
    )
    connection.executemany(
        """INSERT OR REPLACE INTO unviewed SELECT ?1, ?2, ?3
           WHERE NOT EXISTS (SELECT 1 FROM views WHERE version = ?1)""",
        ((version, now, project_id) for version in set(before.values()) - shown),
    )


def _write_skipped(connection: sqlite3.Connection, project_id: int, change: ViewChange) -> None:
    rows = {row.path: row for row in change.skipped_set}
    gone = {*change.set, *change.skipped_drop} - rows.keys()
    sql = "SELECT path, reason FROM skipped WHERE project = ? AND path IN ({})"
    before = dict(select_in(connection, sql, {*rows, *gone}, project_id))
    reasons = Counter(str(row.reason) for row in rows.values())
    reasons.subtract(before.values())
    connection.executemany(
        "DELETE FROM skipped WHERE project = ? AND path = ?",
        ((project_id, path) for path in gone if path in before),
    )
    connection.executemany(
        "INSERT OR REPLACE INTO skipped VALUES (?,?,?,?,?,?,?,?)",
        (
            (
                project_id,
                row.path,
                str(row.reason),
                storable(row.detail),
                *(_stat_fields(row.stat) if row.stat else (None,) * 4),
            )
            for row in rows.values()
        ),
    )
    connection.execute(
        "UPDATE projects SET skipped = skipped + ? WHERE id = ?",
        (sum(reasons.values()), project_id),
    )
    add_counts(connection, project_id, "skip", reasons)
