"""What the catalog knows of the vector shards: which version's points are where, and how safe.

A version is noted as intended before its points are written, so that no point exists that the
catalog does not know of, whenever the process ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paparatsd.model import Fingerprint, RepoId, ShardKey, VersionId
from paparatsd.store.database import select_in
from paparatsd.store.rows import OutboxEntry
from paparatsd.store.schema import FLUSHED, INTENDED, UPSERTED

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


def find_shard(connection: sqlite3.Connection, shard: ShardKey) -> int | None:
    """Return the row number of a shard, or None."""
    row = connection.execute(
        "SELECT no FROM shards WHERE repo=? AND kind=? AND fingerprint=? AND dimension=?",
        _key(shard),
    ).fetchone()
    return None if row is None else int(row[0])


def ensure_shard(connection: sqlite3.Connection, shard: ShardKey) -> int:
    """Return the row number of a shard, which is made known."""
    connection.execute(
        "INSERT OR IGNORE INTO shards(repo, kind, fingerprint, dimension) VALUES (?,?,?,?)",
        _key(shard),
    )
    number = find_shard(connection, shard)
    if number is None:
        raise AssertionError("a row that was just written is not there")
    return number


def _key(shard: ShardKey) -> tuple[str, str, str, int]:
    return shard.repo, shard.kind, shard.fingerprint, shard.dimension


def _shard(repo: str, kind: str, fingerprint: str, dimension: int) -> ShardKey:
    return ShardKey(RepoId(repo), kind, Fingerprint(fingerprint), dimension)


def read_shards(connection: sqlite3.Connection) -> tuple[ShardKey, ...]:
    """Return every shard that has, or may have, points."""
    rows = connection.execute("SELECT repo, kind, fingerprint, dimension FROM shards ORDER BY no")
    return tuple(_shard(*row) for row in rows)


def intend(connection: sqlite3.Connection, shard: ShardKey, versions: Iterable[VersionId]) -> None:
    """Note that points of these versions are about to be written; pending deletes are void."""
    number = ensure_shard(connection, shard)
    keys = [(number, version) for version in versions]
    connection.executemany("DELETE FROM outbox WHERE shard = ? AND version = ?", keys)
    connection.executemany(f"INSERT OR IGNORE INTO vector_state VALUES (?, ?, {INTENDED}, 0)", keys)


def mark_upserted(
    connection: sqlite3.Connection,
    shard: ShardKey,
    versions: Iterable[VersionId],
    *,
    dense: bool,
) -> None:
    """Note that the store acknowledged these versions, with dense vectors or without."""
    number = ensure_shard(connection, shard)
    connection.executemany(
        f"""INSERT INTO vector_state VALUES (?, ?, {UPSERTED}, ?)
            ON CONFLICT(shard, version)
            DO UPDATE SET state = {UPSERTED}, dense = max(dense, excluded.dense)""",
        ((number, version, int(dense)) for version in versions),
    )


def mark_flushed(
    connection: sqlite3.Connection, shard: ShardKey, versions: Sequence[VersionId] | None
) -> None:
    """Note that the store wrote these (None: all acknowledged) versions to the disk."""
    number = find_shard(connection, shard)
    if number is None:
        return
    if versions is None:
        connection.execute(
            f"UPDATE vector_state SET state={FLUSHED} WHERE shard=? AND state={UPSERTED}",
            (number,),
        )
        return
    connection.executemany(
        f"UPDATE vector_state SET state={FLUSHED} WHERE shard=? AND version=? AND state={UPSERTED}",
        ((number, version) for version in versions),
    )


def forget_vectors(
    connection: sqlite3.Connection, shard: ShardKey, versions: Sequence[VersionId] | None
) -> None:
    """Note that points are not there (None: none is), so that they are written again."""
    number = find_shard(connection, shard)
    if number is None:
        return
    set_clause = f"UPDATE vector_state SET state = {INTENDED}, dense = 0 WHERE shard = ?"
    if versions is None:
        connection.execute(set_clause, (number,))
        return
    connection.executemany(
        f"{set_clause} AND version = ?", ((number, version) for version in versions)
    )


def read_unflushed(connection: sqlite3.Connection, shard: ShardKey) -> list[VersionId]:
    """Return versions whose points a power cut may have taken, or that were never written."""
    return _versions(connection, shard, "state < 2")


def read_flushable(connection: sqlite3.Connection, shard: ShardKey) -> list[VersionId]:
    """Return versions whose points are acknowledged, but not yet known to be on the disk."""
    return _versions(connection, shard, f"state < 2 AND state = {UPSERTED}")


def read_lexical_only(connection: sqlite3.Connection, shard: ShardKey) -> list[VersionId]:
    """Return versions that have no dense vectors yet."""
    return _versions(connection, shard, "dense = 0")


def _versions(connection: sqlite3.Connection, shard: ShardKey, where: str) -> list[VersionId]:
    number = find_shard(connection, shard)
    rows = connection.execute(
        f"SELECT version FROM vector_state WHERE shard = ? AND {where}", (number,)
    )
    return [VersionId(row[0]) for row in rows]


def read_acknowledged(
    connection: sqlite3.Connection, shard: ShardKey, versions: Iterable[VersionId]
) -> set[VersionId]:
    """Return those versions whose points the store has acknowledged."""
    number = find_shard(connection, shard)
    sql = f"""SELECT version FROM vector_state
              WHERE shard = ? AND state >= {UPSERTED} AND version IN ({{}})"""
    return {VersionId(row[0]) for row in select_in(connection, sql, versions, number)}


def read_expected_points(connection: sqlite3.Connection, shard: ShardKey) -> dict[VersionId, int]:
    """Return, for each version with acknowledged points, how many points it has."""
    number = find_shard(connection, shard)
    rows = connection.execute(
        f"""SELECT v.id, v.chunks FROM vector_state s JOIN versions v ON v.id = s.version
            WHERE s.shard = ? AND s.state >= {UPSERTED} AND v.chunks > 0""",
        (number,),
    )
    return {VersionId(ident): chunks for ident, chunks in rows}


def read_shard_versions(connection: sqlite3.Connection, shard: ShardKey) -> NDArray[np.int64]:
    """Return all versions that have, or may have, points in a shard, ascending."""
    number = find_shard(connection, shard)
    rows = connection.execute(
        "SELECT version FROM vector_state WHERE shard = ? ORDER BY version", (number,)
    ).fetchall()
    return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))


def read_outbox(connection: sqlite3.Connection, limit: int) -> list[OutboxEntry]:
    """Return pending deletes, oldest first, one entry a shard, of at most `limit` versions."""
    rows = connection.execute(
        """SELECT s.repo, s.kind, s.fingerprint, s.dimension, o.seq, o.version
           FROM (SELECT * FROM outbox ORDER BY seq LIMIT ?) o JOIN shards s ON s.no = o.shard
           ORDER BY o.seq""",
        (limit,),
    )
    entries: dict[ShardKey, list[tuple[int, int]]] = {}
    for *key, seq, version in rows:
        entries.setdefault(_shard(*key), []).append((seq, version))
    return [
        OutboxEntry(
            shard,
            tuple(VersionId(version) for _, version in pairs),
            tuple(seq for seq, _ in pairs),
        )
        for shard, pairs in entries.items()
    ]


def read_empty_shards(connection: sqlite3.Connection) -> tuple[ShardKey, ...]:
    """Return shards that hold nothing but points to be deleted: they can go as a whole."""
    rows = connection.execute(
        """SELECT repo, kind, fingerprint, dimension FROM shards s
           WHERE NOT EXISTS (SELECT 1 FROM vector_state WHERE shard = s.no)"""
    )
    return tuple(_shard(*row) for row in rows)


def forget_shard(connection: sqlite3.Connection, shard: ShardKey) -> None:
    """Remove a dropped shard, unless points were intended for it again in the meantime."""
    number = find_shard(connection, shard)
    used = connection.execute(
        "SELECT 1 FROM vector_state WHERE shard = ? LIMIT 1", (number,)
    ).fetchone()
    if used is None:
        connection.execute("DELETE FROM outbox WHERE shard = ?", (number,))
        connection.execute("DELETE FROM shards WHERE no = ?", (number,))
