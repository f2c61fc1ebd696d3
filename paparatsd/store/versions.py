"""Rows of file versions: written invisible, read by id, purged when nothing shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paparatsd.model import ContentId, Fingerprint, RepoId, VersionId
from paparatsd.store.database import select_in
from paparatsd.store.names import delete_unused, find_names, fold_name, storable
from paparatsd.store.packs import unpack_symbols, unpack_uses
from paparatsd.store.projects import repo_number
from paparatsd.store.rows import Definition, FilePacks, VersionInfo
from paparatsd.store.schema import UPSERTED

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import ShardKey
    from paparatsd.store.names import NameTable
    from paparatsd.store.packed import PackedVersion


def insert_versions(
    connection: sqlite3.Connection,
    names: NameTable,
    packed: Sequence[PackedVersion],
    now: float,
    project_id: int | None,
) -> list[VersionId]:
    """Write versions that are not there yet, shown by no view; return their ids.

    What is there stays, for a version is a function of its id, but its time starts anew.
    """
    there = known_versions(connection, [version.id for version in packed])
    keep_versions(connection, there, now)
    new = list({v.id: v for v in packed if v.id not in there}.values())
    _insert_rows(connection, new)
    _insert_names(connection, names, new)
    connection.executemany(
        "INSERT INTO unviewed VALUES (?,?,?)", ((v.id, now, project_id) for v in new)
    )
    return [v.id for v in new]


def _insert_rows(connection: sqlite3.Connection, new: Sequence[PackedVersion]) -> None:
    repos = {repo: repo_number(connection, repo) for repo in {v.repo for v in new}}
    prints = {print_: _fingerprint(connection, print_) for print_ in {v.fingerprint for v in new}}
    connection.executemany(
        "INSERT INTO versions VALUES (?,?,?,?,?,?,?,?,?,?)",
        (
            (
                v.id,
                repos[v.repo],
                v.path,
                v.content,
                prints[v.fingerprint],
                v.file.language,
                v.size,
                v.file.lines,
                len(v.file.kinds),
                v.file.degraded,
            )
            for v in new
        ),
    )
    connection.executemany(
        "INSERT INTO chunk_packs VALUES (?,?)", ((v.id, v.file.chunks) for v in new)
    )
    connection.executemany(
        "INSERT INTO symbol_packs(version, symbols, uses, facts) VALUES (?,?,?,?)",
        ((v.id, v.file.symbols, v.file.uses, v.file.facts) for v in new),
    )
    connection.executemany(
        "INSERT INTO labels VALUES (?,?,?)",
        ((kind, name, v.id) for v in new for kind, name in v.file.labels),
    )
    connection.executemany("INSERT INTO records VALUES (?,?)", ((v.id, v.record) for v in new))
    connection.executemany(
        """INSERT INTO documents(version, title, link, modified, audience, refused)
           VALUES (?,?,?,?,?,?)""",
        (
            (v.id, head.title, head.link, head.modified, head.audience, head.refused)
            for v in new
            if (head := v.file.document) is not None
        ),
    )


def _fingerprint(connection: sqlite3.Connection, fingerprint: Fingerprint) -> int:
    connection.execute("INSERT OR IGNORE INTO fingerprints(fingerprint) VALUES (?)", (fingerprint,))
    row = connection.execute(
        "SELECT no FROM fingerprints WHERE fingerprint = ?", (fingerprint,)
    ).fetchone()
    return int(row[0])


def _insert_names(
    connection: sqlite3.Connection, names: NameTable, new: Sequence[PackedVersion]
) -> None:
    wanted: set[str] = set()
    for version in new:
        wanted.update(version.file.used)
        wanted.update(defined[0] for defined in version.file.defined)
    ids = names.intern(connection, wanted)
    definitions = [
        (ids[name], version.id, ordinal, *rest)
        for version in new
        for ordinal, (name, *rest) in enumerate(version.file.defined)
    ]
    uses = [(ids[name], version.id, n) for version in new for name, n in version.file.used.items()]
    # In key order the rows of one name land on one page.
    connection.executemany(
        "INSERT INTO definitions VALUES (?,?,?,?,?,?,?,?,?)", sorted(definitions)
    )
    connection.executemany("INSERT INTO uses VALUES (?,?,?)", sorted(uses))


def known_versions(connection: sqlite3.Connection, ids: Iterable[VersionId]) -> set[VersionId]:
    """Return those ids that are written."""
    return {
        row[0] for row in select_in(connection, "SELECT id FROM versions WHERE id IN ({})", ids)
    }


def read_infos(
    connection: sqlite3.Connection, ids: Iterable[VersionId]
) -> dict[VersionId, VersionInfo]:
    """Return what is known of versions, without packs."""
    sql = """SELECT v.id, r.id, v.path, v.content, f.fingerprint, v.language, v.size, v.lines,
             v.chunks, v.degraded FROM versions v JOIN repositories r ON r.no = v.repo
             JOIN fingerprints f ON f.no = v.fingerprint WHERE v.id IN ({})"""
    infos = {}
    for ident, repo, path, content, fingerprint, *rest in select_in(connection, sql, ids):
        version = VersionId(ident)
        infos[version] = VersionInfo(
            version, RepoId(repo), path, ContentId(content), Fingerprint(fingerprint), *rest
        )
    return infos


def read_contents(
    connection: sqlite3.Connection,
    shard: ShardKey,
    fingerprint: Fingerprint,
    paths: Iterable[str],
) -> dict[str, set[ContentId]]:
    """Return by path the contents whose versions have acknowledged points in a shard."""
    sql = f"""SELECT v.path, v.content FROM versions v
              JOIN repositories r ON r.no = v.repo
              JOIN fingerprints f ON f.no = v.fingerprint
              JOIN shards s ON s.repo = r.id
              JOIN vector_state p ON p.shard = s.no AND p.version = v.id
              WHERE r.id = ? AND f.fingerprint = ? AND s.kind = ? AND s.fingerprint = ?
              AND s.dimension = ? AND p.state >= {UPSERTED}
              AND NOT EXISTS (SELECT 1 FROM doomed d WHERE d.version = v.id)
              AND v.path IN ({{}})"""
    known: dict[str, set[ContentId]] = {}
    parameters = (shard.repo, fingerprint, shard.kind, shard.fingerprint, shard.dimension)
    for path, content in select_in(connection, sql, paths, *parameters):
        known.setdefault(path, set()).add(ContentId(content))
    return known


def read_definitions(
    connection: sqlite3.Connection, names: Iterable[str]
) -> dict[str, list[Definition]]:
    """Return for each asked name, however it is spelled, where a name equal to it is defined.

    Names meet by their last part without regard to case; the answer names the exact spelling.
    """
    asked = {name: fold_name(name) for name in names}
    found: dict[str, list[Definition]] = {folded: [] for folded in asked.values()}
    sql = """SELECT n.folded, n.name, d.version, d.ordinal, d.kind, d.start_line, d.end_line,
             d.chunk, d.container, d.exported FROM names n JOIN definitions d ON d.name = n.id
             WHERE n.folded IN ({})"""
    for folded, name, version, *columns in select_in(connection, sql, found):
        ordinal, kind, start, end, chunk, container, exported = columns
        found[folded].append(
            Definition(
                name=name,
                version=VersionId(version),
                ordinal=ordinal,
                kind=kind,
                start_line=start,
                end_line=end,
                chunk=chunk,
                container=bool(container),
                exported=bool(exported),
            )
        )
    return {name: found[folded] for name, folded in asked.items()}


def read_definers(
    connection: sqlite3.Connection, repos: Iterable[RepoId], folded: Iterable[str]
) -> NDArray[np.int64]:
    """Return the versions in these repositories that define one of these folded names."""
    sql = """SELECT DISTINCT d.version, r.id FROM names n JOIN definitions d ON d.name = n.id
             JOIN versions v ON v.id = d.version JOIN repositories r ON r.no = v.repo
             WHERE n.folded IN ({})"""
    wanted = set(repos)
    found = {row[0] for row in select_in(connection, sql, folded) if row[1] in wanted}
    return np.array(sorted(found), dtype=np.int64)


def read_users(
    connection: sqlite3.Connection, names: Iterable[str]
) -> dict[str, dict[VersionId, int]]:
    """Return for each exact name the versions that use it and how often."""
    found: dict[str, dict[VersionId, int]] = {}
    sql = """SELECT n.name, u.version, u.n FROM names n JOIN uses u ON u.name = n.id
             WHERE n.name IN ({})"""
    for name, version, times in select_in(connection, sql, names):
        found.setdefault(name, {})[VersionId(version)] = times
    return found


def read_packs(
    connection: sqlite3.Connection, ids: Iterable[VersionId]
) -> Iterator[tuple[VersionId, FilePacks]]:
    """Yield language and packs of those versions that are there."""
    sql = """SELECT v.id, v.language, p.symbols, p.uses, p.facts
             FROM versions v JOIN symbol_packs p ON p.version = v.id WHERE v.id IN ({})"""
    for ident, *columns in select_in(connection, sql, ids):
        yield VersionId(ident), FilePacks(*columns)


def read_labelled(
    connection: sqlite3.Connection, kind: str, names: Iterable[str]
) -> dict[str, list[VersionId]]:
    """Return for each name the versions with such a label."""
    found: dict[str, list[VersionId]] = {}
    sql = "SELECT name, version FROM labels WHERE kind = ? AND name IN ({})"
    for name, version in select_in(connection, sql, names, kind):
        found.setdefault(name, []).append(VersionId(version))
    return found


def read_labels(
    connection: sqlite3.Connection, kind: str, ids: Iterable[VersionId]
) -> dict[str, list[VersionId]]:
    """Return by name which of these versions have a label of this kind."""
    wanted = {int(ident) for ident in ids}
    found: dict[str, list[VersionId]] = {}
    for name, version in connection.execute(
        "SELECT name, version FROM labels WHERE kind = ?", (kind,)
    ):
        if version in wanted:
            found.setdefault(name, []).append(VersionId(version))
    return found


def keep_versions(connection: sqlite3.Connection, ids: Iterable[VersionId], now: float) -> None:
    """Save versions from collection for a while: somebody is about to show them."""
    keys = [(now, version) for version in ids]
    connection.executemany("UPDATE unviewed SET since = ? WHERE version = ?", keys)
    connection.executemany("DELETE FROM doomed WHERE version = ?", (key[1:] for key in keys))


def purge_versions(connection: sqlite3.Connection, ids: Sequence[VersionId]) -> None:
    """Delete versions with all that hangs on them; their points go into the outbox."""
    touched: set[int] = set()
    for version in ids:
        touched |= _delete_names_of(connection, version)
    keys = [(version,) for version in ids]
    connection.executemany(
        """INSERT OR IGNORE INTO outbox(shard, version)
           SELECT s.no, ?1 FROM shards s WHERE EXISTS (
               SELECT 1 FROM vector_state WHERE shard = s.no AND version = ?1)""",
        keys,
    )
    connection.executemany(
        """DELETE FROM vector_state WHERE version = ?1 AND shard IN (SELECT no FROM shards)""",
        keys,
    )
    # Packs, records and the rows of `unviewed` and `doomed` go by cascade.
    connection.executemany("DELETE FROM versions WHERE id = ?", keys)
    delete_unused(connection, touched)


def _delete_names_of(connection: sqlite3.Connection, version: VersionId) -> set[int]:
    packs = connection.execute(
        "SELECT symbols, uses FROM symbol_packs WHERE version = ?", (version,)
    ).fetchone()
    if packs is None:
        return set()
    names = {storable(symbol.name) for symbol in unpack_symbols(packs[0])}
    names.update(storable(use.name) for use in unpack_uses(packs[1]))
    ids = set(find_names(connection, sorted(names)).values())
    keys = [(ident, version) for ident in ids]
    connection.executemany("DELETE FROM definitions WHERE name = ? AND version = ?", keys)
    connection.executemany("DELETE FROM uses WHERE name = ? AND version = ?", keys)
    return ids


def read_defined_names(connection: sqlite3.Connection, project_id: int) -> list[str]:
    """Return every name that a view defines, ascending."""
    # The names last: joined with them, SQLite tries each name with each version of the view.
    sql = """SELECT name FROM names WHERE id IN (
                 SELECT DISTINCT +d.name FROM definitions d
                 WHERE d.version IN (SELECT version FROM views WHERE project = ?))
             ORDER BY name"""
    return [row[0] for row in connection.execute(sql, (project_id,))]


def read_name_counts(
    connection: sqlite3.Connection, project_id: int, kinds: Sequence[str]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return for the names that a view defines how often, and how many of its files use them.

    Only definitions of these kinds count.
    """
    shown = "SELECT version FROM views WHERE project = ?"
    marks = ",".join("?" * len(kinds))
    defined = f"""SELECT n.name, c.times FROM names n JOIN (
                  SELECT name, COUNT(*) AS times FROM definitions
                  WHERE kind IN ({marks}) AND version IN ({shown}) GROUP BY name) c
                  ON c.name = n.id"""
    used = f"""SELECT n.name, c.times FROM names n JOIN (
               SELECT name, COUNT(*) AS times FROM uses
               WHERE version IN ({shown}) GROUP BY name) c
               ON c.name = n.id"""
    definitions = dict(connection.execute(defined, (*kinds, project_id)))
    files = (row for row in connection.execute(used, (project_id,)) if row[0] in definitions)
    return definitions, dict(files)
