"""Rows of the cache of pasts and of rewrites: what can be computed or heard again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.model import CommitId, VersionId
from paparatsd.store.database import batched, select_in

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from paparatsd.store.history_rows import Rewrite

PastKey = tuple[VersionId, int]
"""A file version, and the number of the last commit that touched its path (0: none did)."""

_MAX_CHAIN = 1000


def put_pasts(
    connection: sqlite3.Connection,
    repo: int,
    packs: Iterable[tuple[PastKey, bytes]],
    now: float,
) -> None:
    """Write packs; what is there already under a key is replaced."""
    connection.executemany(
        """INSERT OR REPLACE INTO pasts(repo, version, base, used, size, pack)
           VALUES (?,?,?,?,?,?)""",
        ((repo, *key, now, len(pack), pack) for key, pack in packs),
    )


def read_pasts(
    connection: sqlite3.Connection, keys: Iterable[PastKey]
) -> dict[PastKey, tuple[float, bytes]]:
    """Return when each was used last, and its pack."""
    wanted = set(keys)
    sql = "SELECT version, base, used, pack FROM pasts WHERE version IN ({})"
    return {
        (VersionId(version), base): (used, pack)
        for version, base, used, pack in select_in(connection, sql, {key[0] for key in wanted})
        if (version, base) in wanted
    }


def note_used(connection: sqlite3.Connection, keys: Iterable[PastKey], now: float) -> None:
    """Note that pasts were asked for."""
    connection.executemany(
        "UPDATE pasts SET used = ? WHERE version = ? AND base = ?", ((now, *key) for key in keys)
    )


def delete_pasts(connection: sqlite3.Connection, versions: Iterable[VersionId]) -> None:
    """Delete all pasts of these versions."""
    for batch in batched(versions):
        connection.executemany("DELETE FROM pasts WHERE version = ?", ((v,) for v in batch))


def delete_pasts_of(connection: sqlite3.Connection, repo: int, limit: int) -> int:
    """Delete up to `limit` pasts of a repository and return how many there were."""
    sql = "DELETE FROM pasts WHERE number IN (SELECT number FROM pasts WHERE repo = ? LIMIT ?)"
    return connection.execute(sql, (repo, limit)).rowcount


def delete_old_pasts(
    connection: sqlite3.Connection, before: float, max_bytes: int, limit: int
) -> int:
    """Delete up to `limit` pasts not used since `before`, or the oldest above the size."""
    (size,) = connection.execute("SELECT ifnull(sum(size), 0) FROM pasts").fetchone()
    rows = connection.execute(
        "SELECT number, used, size FROM pasts ORDER BY used, size LIMIT ?", (limit,)
    )
    gone = []
    for number, used, bytes_ in rows:
        if used >= before and size <= max_bytes:
            break
        gone.append(number)
        size -= bytes_
    connection.executemany("DELETE FROM pasts WHERE number = ?", ((number,) for number in gone))
    return len(gone)


# ------------------------------------------------------------------------------ rewrites


def add_rewrites(connection: sqlite3.Connection, repo: int, rewrites: Sequence[Rewrite]) -> None:
    """Note what took the place of what; the latest word on a pair stays."""
    connection.executemany(
        "INSERT OR REPLACE INTO rewrites VALUES (?,?,?,?,?)",
        (
            (repo, bytes.fromhex(one.old), bytes.fromhex(one.new), one.kind, one.at)
            for one in rewrites
            if one.old != one.new
        ),
    )


def follow(
    connection: sqlite3.Connection, repo: int, ids: Iterable[CommitId]
) -> dict[CommitId, CommitId]:
    """Return what stands for each commit now: the end of its chain of rewrites.

    Of several successors the latest counts. A chain that comes back to itself (amend, reset,
    amend) ends where it would repeat.
    """
    return {ident: _end(connection, repo, ident) for ident in ids}


def _end(connection: sqlite3.Connection, repo: int, ident: CommitId) -> CommitId:
    at = bytes.fromhex(ident)
    seen = {at}
    since = float("-inf")
    for _ in range(_MAX_CHAIN):
        # Only what came later continues a chain: so A -> B -> A ends at A, not at B again.
        row = connection.execute(
            """SELECT new, at FROM rewrites WHERE repo = ? AND old = ? AND at >= ?
               ORDER BY at DESC LIMIT 1""",
            (repo, at, since),
        ).fetchone()
        if row is None or row[0] in seen:
            return CommitId((at if row is None else row[0]).hex())
        at, since = row
        seen.add(at)
    return CommitId(at.hex())


def delete_old_rewrites(connection: sqlite3.Connection, repo: int, before: float) -> None:
    """Delete rewrites older than `before` of commits that are both not there any more."""
    connection.execute(
        """DELETE FROM rewrites WHERE repo = ?1 AND at < ?2
           AND NOT EXISTS (SELECT 1 FROM commits WHERE repo = ?1 AND id = old AND state > 0)
           AND NOT EXISTS (SELECT 1 FROM commits WHERE repo = ?1 AND id = new AND state > 0)""",
        (repo, before),
    )
