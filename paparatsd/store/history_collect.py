"""Getting rid of history: choose, doom, purge, sweep, in short transactions a crash may cut.

A doomed commit is seen by nobody and comes back without its facts when it is named again. When
its touches are gone it stays as a parent that is not there until nothing names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paparatsd.store.database import batched
from paparatsd.store.history_facts import delete_touches, set_touched, touched_paths
from paparatsd.store.history_graph import add_counts, all_numbers, parent_numbers
from paparatsd.store.history_pasts import delete_old_rewrites, delete_pasts_of
from paparatsd.store.history_schema import ABSENT, DOOMED, WHOLE
from paparatsd.store.history_words import has_index, merge_index, unindex_commits

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from paparatsd.store.database import Database
    from paparatsd.store.history_rows import Words

REWRITES_S = 90 * 86_400.0
"""How long rewrites are kept of which neither commit is there; git keeps its reflogs as long."""
_SLICE = 2000
_COMMITS = 100
_TOUCHES = 1000
_PATHS = 500


# ------------------------------------------------------------------------------ choosing


def find_lost(
    connection: sqlite3.Connection, repo: int, reachable: Collection[int] | NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the commits that are there and not reachable."""
    kept = np.fromiter(reachable, np.int64, len(reachable))
    return np.setdiff1d(all_numbers(connection, repo), kept)


def found_again(connection: sqlite3.Connection, repo: int, lost: Collection[int]) -> list[int]:
    """Return commits that were noted as unreached and are not lost any more."""
    rows = connection.execute(
        "SELECT u.number FROM unreached u JOIN commits c ON c.number = u.number WHERE c.repo = ?",
        (repo,),
    )
    still = set(lost)
    return [row[0] for row in rows if row[0] not in still]


def note_unreached(connection: sqlite3.Connection, lost: Sequence[int], now: float) -> None:
    """Note since when commits are unreached; what is noted already stays."""
    connection.executemany(
        "INSERT OR IGNORE INTO unreached VALUES (?,?)", ((number, now) for number in lost)
    )


def forget_unreached(connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
    """Forget that commits were unreached."""
    connection.executemany(
        "DELETE FROM unreached WHERE number = ?", ((number,) for number in numbers)
    )


def doom_unreached(connection: sqlite3.Connection, repo: int, before: float) -> int:
    """Doom some commits that are unreached since `before`; 0 when there are none left."""
    rows = connection.execute(
        """SELECT c.number, c.state FROM unreached u JOIN commits c ON c.number = u.number
           WHERE c.repo = ? AND u.since <= ? LIMIT ?""",
        (repo, before, _SLICE),
    ).fetchall()
    connection.executemany(
        "UPDATE commits SET state = ? WHERE number = ?", ((DOOMED, row[0]) for row in rows)
    )
    forget_unreached(connection, [row[0] for row in rows])
    add_counts(
        connection, repo, commits=-len(rows), facts=-sum(state == WHOLE for _, state in rows)
    )
    return len(rows)


# ------------------------------------------------------------------------------ purging


def is_due(connection: sqlite3.Connection) -> bool:
    """Whether commits or repositories are on their way out."""
    row = connection.execute(
        f"""SELECT EXISTS (SELECT 1 FROM commits WHERE state = {DOOMED})
            OR EXISTS (SELECT 1 FROM repositories WHERE id IS NULL)"""
    ).fetchone()
    return bool(row[0])


def is_sweeping(connection: sqlite3.Connection) -> bool:
    """Whether traces of something deleted are still to be swept up."""
    return connection.execute("SELECT 1 FROM sweeping").fetchone() is not None


def note_sweeping(connection: sqlite3.Connection) -> None:
    """Note that there is something to sweep up."""
    connection.execute("INSERT OR IGNORE INTO sweeping VALUES (1)")


def purge_some(connection: sqlite3.Connection, words: Words) -> None:
    """Delete a piece of what is doomed."""
    note_sweeping(connection)
    row = connection.execute("SELECT number FROM repositories WHERE id IS NULL").fetchone()
    if row is not None:
        _purge_repo(connection, words, row[0])
        return
    rows = connection.execute(
        f"SELECT number, repo FROM commits WHERE state = {DOOMED} LIMIT {_COMMITS}"
    ).fetchall()
    repo = rows[0][1]
    numbers = [number for number, of in rows if of == repo]
    _unindex(connection, words, numbers)
    packs = touched_paths(connection, numbers)
    budget = _TOUCHES
    for number in numbers:
        paths = packs.get(number, ())
        delete_touches(connection, repo, number, paths[:budget])
        if len(paths) > budget:
            set_touched(connection, number, paths[budget:])
            return
        budget -= len(paths)
        _delete_facts(connection, [number])
        connection.execute(
            """UPDATE commits SET state = ?, parent = 0, others = NULL, author = NULL,
               committer = NULL WHERE number = ?""",
            (ABSENT, number),
        )


def _unindex(connection: sqlite3.Connection, words: Words, numbers: Sequence[int]) -> None:
    if has_index(connection):
        unindex_commits(connection, words, numbers)


def _delete_facts(connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
    for sql in (
        "DELETE FROM messages WHERE number = ?",
        "DELETE FROM tickets WHERE number = ?",
        "DELETE FROM pasts WHERE base = ?",
        "DELETE FROM unreached WHERE number = ?",
    ):
        connection.executemany(sql, ((number,) for number in numbers))


def _purge_repo(connection: sqlite3.Connection, words: Words, repo: int) -> None:
    """Delete a piece of a repository: commits first, their words are made of what they name."""
    rows = connection.execute(
        "SELECT number FROM commits WHERE repo = ? LIMIT ?", (repo, _COMMITS)
    ).fetchall()
    if rows:
        numbers = [row[0] for row in rows]
        _unindex(connection, words, numbers)
        _delete_facts(connection, numbers)
        connection.executemany("DELETE FROM commits WHERE number = ?", rows)
        return
    if _purge_paths(connection, repo):
        return
    if delete_pasts_of(connection, repo, _PATHS):
        return
    for table in ("tickets", "rewrites", "persons"):
        connection.execute(f"DELETE FROM {table} WHERE repo = ?", (repo,))
    connection.execute("DELETE FROM repositories WHERE number = ?", (repo,))


def _purge_paths(connection: sqlite3.Connection, repo: int) -> bool:
    """Delete some paths of a repository with their touches; False when there are none."""
    paths = connection.execute(
        "SELECT number FROM paths WHERE repo = ? LIMIT ?", (repo, _PATHS)
    ).fetchall()
    budget = _TOUCHES
    for path in paths:
        # The touches up to the budget-th: DELETE has no LIMIT everywhere.
        last = connection.execute(
            "SELECT number FROM touches WHERE path = ? ORDER BY number LIMIT 1 OFFSET ?",
            (*path, budget),
        ).fetchone()
        end = 1 << 62 if last is None else last[0]
        sql = "DELETE FROM touches WHERE path = ? AND number <= ?"
        budget -= connection.execute(sql, (*path, end)).rowcount
        if last is not None:
            break
        connection.execute("DELETE FROM paths WHERE number = ?", path)
        if budget <= 0:
            break
    return bool(paths)


# ------------------------------------------------------------------------------ sweeping


def sweep(database: Database, now: float) -> Iterator[None]:
    """Delete what nothing names any more, a piece a step; then nothing of it is in the file.

    To be dropped and begun again when something else is deleted meanwhile.
    """
    connection = database.connection
    for (repo,) in connection.execute("SELECT number FROM repositories").fetchall():
        yield from _sweep_absent(database, repo)
        yield from _sweep_paths(database, repo)
        with database.transaction("sweep_persons"):
            connection.execute(
                """DELETE FROM persons WHERE repo = ?
                   AND NOT EXISTS (SELECT 1 FROM commits WHERE author = persons.number)
                   AND NOT EXISTS (SELECT 1 FROM commits WHERE committer = persons.number)""",
                (repo,),
            )
            delete_old_rewrites(connection, repo, now - REWRITES_S)
        yield
    begin = more = has_index(connection)
    while more:
        with database.transaction("merge_words"):
            more = merge_index(connection, begin=begin)
        begin = False
        yield
    while database.shrink():
        yield
    with database.transaction("sweep_done"):
        connection.execute("DELETE FROM sweeping")


def _sweep_absent(database: Database, repo: int) -> Iterator[None]:
    connection = database.connection
    absent = connection.execute(
        f"SELECT number FROM commits WHERE repo = ? AND state = {ABSENT}", (repo,)
    ).fetchall()
    if not absent:
        return
    rows = connection.execute(
        f"SELECT parent, others FROM commits WHERE +repo = ? AND state <> {ABSENT}", (repo,)
    )
    named = {number for row in rows for number in parent_numbers(*row)}
    for batch in batched((row[0] for row in absent if row[0] not in named), _SLICE):
        with database.transaction("sweep_commits"):
            connection.executemany("DELETE FROM commits WHERE number = ?", ((n,) for n in batch))
        yield


def _sweep_paths(database: Database, repo: int) -> Iterator[None]:
    connection = database.connection
    after = 0
    while True:
        rows = connection.execute(
            "SELECT number FROM paths WHERE number > ? AND repo = ? ORDER BY number LIMIT ?",
            (after, repo, _SLICE),
        ).fetchall()
        if not rows:
            return
        after = rows[-1][0]
        with database.transaction("sweep_paths"):
            connection.executemany(
                """DELETE FROM paths WHERE number = ?1
                   AND NOT EXISTS (SELECT 1 FROM touches WHERE path = ?1)
                   AND NOT EXISTS (SELECT 1 FROM touches WHERE old_path = ?1)""",
                rows,
            )
        yield
