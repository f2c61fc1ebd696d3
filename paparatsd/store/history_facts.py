"""Rows of facts: what each commit says, by whom, what it touched, which tickets it names.

A commit that touched more than a transaction should write is PARTIAL in between: nobody is shown
its touches, and when its facts come again what is there of them goes first.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from paparatsd.commits import Change, Commit, Moment, Person
from paparatsd.errors import Conflict
from paparatsd.model import CommitId
from paparatsd.store.database import batched, select_in
from paparatsd.store.history_graph import add_counts, find_ids, parent_numbers
from paparatsd.store.history_rows import StoredCommit, StoredPerson, StoredTouch, TicketLink
from paparatsd.store.history_schema import DOOMED, KNOWN, PARTIAL, WHOLE
from paparatsd.store.hunk_pack import pack_hunks
from paparatsd.store.names import storable
from paparatsd.store.varints import damaged, pack_ascending, unpack_ascending

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from paparatsd.commits import Touch
    from paparatsd.store.history_interning import Interned

_CHANGES = (Change.ADD, Change.MODIFY, Change.DELETE, Change.RENAME, Change.COPY)
_CHANGE_CODES = {change: code for code, change in enumerate(_CHANGES)}
_LONG_BODY = 160
"""Bytes from which a body is worth compressing."""
_LEVEL = 6


# ------------------------------------------------------------------------------ writing


def states_of(
    connection: sqlite3.Connection, repo: int, ids: Iterable[CommitId]
) -> dict[CommitId, tuple[int, int]]:
    """Return number and state of commits; raises Conflict when a skeleton is missing."""
    wanted = {bytes.fromhex(ident): ident for ident in ids}
    sql = f"""SELECT id, number, state FROM commits
              WHERE repo = ? AND state >= {KNOWN} AND id IN ({{}})"""
    found = {wanted[i]: (n, state) for i, n, state in select_in(connection, sql, wanted, repo)}
    if len(found) < len(wanted):
        raise Conflict(f"{len(wanted) - len(found)} commits are not known; add skeletons first")
    return found


def write_commits(
    connection: sqlite3.Connection,
    interned: Interned,
    repo: int,
    commits: Sequence[tuple[int, Commit, Iterable[int]]],
    *,
    whole: bool,
) -> None:
    """Write what commits say: of each its number, itself, the numbers of the paths it touches.

    `whole` says that the touches are written in the same transaction.
    """
    everybody = {person for _, one, _ in commits for person in (one.author, one.committer)}
    people = interned.persons(connection, repo, everybody)
    connection.executemany(
        """UPDATE commits SET state = ?, boundary = ?, author = ?, committer = ?, authored = ?,
           authored_zone = ?, committed = ?, committed_zone = ? WHERE number = ?""",
        (
            (
                WHOLE if whole else PARTIAL,
                int(commit.boundary),
                people[commit.author],
                people[commit.committer],
                *commit.authored,
                *commit.committed,
                number,
            )
            for number, commit, _ in commits
        ),
    )
    connection.executemany(
        "INSERT OR REPLACE INTO messages VALUES (?,?,?,?)",
        (
            (
                number,
                storable(commit.subject),
                _pack_body(commit.body),
                pack_ascending(sorted(touched)),
            )
            for number, commit, touched in commits
        ),
    )


def write_touches(
    connection: sqlite3.Connection,
    interned: Interned,
    repo: int,
    touches: Sequence[tuple[int, Touch]],
) -> None:
    """Write touches, each with its commit's number."""
    names = {touch.path for _, touch in touches}
    names |= {touch.old_path for _, touch in touches if touch.old_path is not None}
    paths = interned.paths(connection, repo, names)
    rows = [
        (
            paths[touch.path],
            number,
            touch.parent,
            _CHANGE_CODES[touch.change],
            int(touch.whole),
            None if touch.old_path is None else paths[touch.old_path],
            touch.same_in,
            bytes.fromhex(touch.blob),
            pack_hunks(touch.hunks),
        )
        for number, touch in touches
    ]
    # In the order of the table, so that each page is visited once.
    rows.sort(key=lambda row: row[:3])
    before = connection.total_changes
    connection.executemany("INSERT OR IGNORE INTO touches VALUES (?,?,?,?,?,?,?,?,?)", rows)
    add_counts(connection, repo, touches=connection.total_changes - before)


def end_facts(connection: sqlite3.Connection, repo: int, numbers: Sequence[int]) -> None:
    """Say that all facts of these commits are there."""
    connection.executemany(
        "UPDATE commits SET state = ? WHERE number = ?", ((WHOLE, number) for number in numbers)
    )
    add_counts(connection, repo, facts=len(numbers))


def delete_touches(
    connection: sqlite3.Connection, repo: int, number: int, paths: Sequence[int]
) -> None:
    """Delete what a commit did to these paths."""
    before = connection.total_changes
    connection.executemany(
        "DELETE FROM touches WHERE path = ? AND number = ?", ((path, number) for path in paths)
    )
    add_counts(connection, repo, touches=before - connection.total_changes)


def set_touched(connection: sqlite3.Connection, number: int, paths: Sequence[int]) -> None:
    """Note which paths a commit still has touches of."""
    connection.execute(
        "UPDATE messages SET paths = ? WHERE number = ?", (pack_ascending(paths), number)
    )


def set_tickets(
    connection: sqlite3.Connection, repo: int, number: int, links: Iterable[TicketLink]
) -> None:
    """Replace the tickets that a commit names."""
    connection.execute("DELETE FROM tickets WHERE number = ?", (number,))
    connection.executemany(
        "INSERT OR IGNORE INTO tickets VALUES (?,?,?,?,?)",
        ((repo, storable(one.key), number, one.source, one.relation) for one in links),
    )


def _pack_body(body: str) -> str | bytes:
    text = storable(body)
    if len(text) < _LONG_BODY:
        return text
    pack = zlib.compress(text.encode(), _LEVEL)
    return pack if len(pack) < len(text) else text


def unpack_body(stored: str | bytes) -> str:
    """Return a commit's body; raises StateCorrupt."""
    if isinstance(stored, str):
        return stored
    try:
        return zlib.decompress(stored).decode()
    except (zlib.error, ValueError) as error:
        raise damaged("the message of a commit") from error


# ------------------------------------------------------------------------------ reading


def read_touches(connection: sqlite3.Connection, repo: int, path: bytes) -> list[StoredTouch]:
    """Return all touches of one path, by ascending commit number, then parent."""
    hidden = _hidden(connection, repo)
    rows = connection.execute(
        """SELECT t.number, t.parent, t.change, o.path, t.same_in, t.whole, t.blob, t.hunks
           FROM touches t LEFT JOIN paths o ON o.number = t.old_path
           WHERE t.path = (SELECT number FROM paths WHERE repo = ? AND path = ?)
           ORDER BY t.number, t.parent""",
        (repo, path),
    )
    return [_touch(row) for row in rows if row[0] not in hidden]


def read_touching(connection: sqlite3.Connection, repo: int, path: bytes) -> list[int]:
    """Return the commits that touched one path against their first parent, ascending."""
    hidden = _hidden(connection, repo)
    rows = connection.execute(
        """SELECT number FROM touches
           WHERE path = (SELECT number FROM paths WHERE repo = ? AND path = ?) AND parent = 0
           ORDER BY number""",
        (repo, path),
    )
    return [row[0] for row in rows if row[0] not in hidden]


def _hidden(connection: sqlite3.Connection, repo: int) -> set[int]:
    """Return the commits whose touches nobody is shown."""
    rows = connection.execute(
        "SELECT number FROM commits WHERE repo = ? AND state IN (?, ?)", (repo, PARTIAL, DOOMED)
    )
    return {row[0] for row in rows}


def _touch(row: Sequence[Any]) -> StoredTouch:
    number, parent, change, old_path, same_in, whole, blob, hunks = row
    old = None if old_path is None else path_text(old_path)
    return StoredTouch(number, parent, _CHANGES[change], old, same_in, bool(whole), blob, hunks)


def read_touches_of_commit(connection: sqlite3.Connection, number: int) -> tuple[Touch, ...]:
    """Return all touches of one commit, by path, then parent."""
    names = dict(_names(connection, touched_paths(connection, [number]).get(number, ())))
    rows = select_in(
        connection,
        """SELECT t.path, t.number, t.parent, t.change, o.path, t.same_in, t.whole, t.blob, t.hunks
           FROM touches t LEFT JOIN paths o ON o.number = t.old_path
           WHERE t.number = ? AND t.path IN ({})""",
        names,
        number,
    )
    touches = (_touch(row).touch(names[path]) for path, *row in rows)
    return tuple(sorted(touches, key=lambda touch: (touch.path, touch.parent)))


def read_leavers(connection: sqlite3.Connection, repo: int, path: bytes) -> list[int]:
    """Return the commits that gave what was at a path another one, against parent 0, ascending."""
    rows = connection.execute(
        f"""SELECT DISTINCT t.number FROM touches t JOIN commits c ON c.number = t.number
            WHERE t.old_path = (SELECT number FROM paths WHERE repo = ? AND path = ?)
            AND t.parent = 0 AND t.change = ? AND c.state = {WHOLE} ORDER BY t.number""",
        (repo, path, _CHANGES.index(Change.RENAME)),
    )
    return [row[0] for row in rows]


def read_left_paths(connection: sqlite3.Connection, numbers: Iterable[int]) -> set[str]:
    """Return the paths whose content these commits gave another one."""
    found: set[str] = set()
    for number, paths in touched_paths(connection, _with_facts(connection, numbers)).items():
        rows = select_in(
            connection,
            """SELECT o.path FROM touches t JOIN paths o ON o.number = t.old_path
               WHERE t.number = ? AND t.path IN ({})""",
            paths,
            number,
        )
        found |= {path_text(path) for (path,) in rows}
    return found


def touched_paths(
    connection: sqlite3.Connection, numbers: Iterable[int]
) -> dict[int, tuple[int, ...]]:
    """Return the numbers of the paths that each commit touched, ascending."""
    sql = "SELECT number, paths FROM messages WHERE number IN ({})"
    return {
        number: tuple(unpack_ascending(pack, "the paths of a commit"))
        for number, pack in select_in(connection, sql, numbers)
    }


def read_changed_paths(
    connection: sqlite3.Connection, numbers: Iterable[int]
) -> dict[int, tuple[str, ...]]:
    """Return the paths that each commit touched, in order."""
    packs = touched_paths(connection, _with_facts(connection, numbers))
    names = dict(_names(connection, {path for paths in packs.values() for path in paths}))
    return {
        number: tuple(sorted(names[path] for path in paths if path in names))
        for number, paths in packs.items()
    }


def _with_facts(connection: sqlite3.Connection, numbers: Iterable[int]) -> list[int]:
    sql = f"SELECT number FROM commits WHERE state = {WHOLE} AND number IN ({{}})"
    return [row[0] for row in select_in(connection, sql, numbers)]


def _names(connection: sqlite3.Connection, paths: Iterable[int]) -> Iterator[tuple[int, str]]:
    sql = "SELECT number, path FROM paths WHERE number IN ({})"
    for number, path in select_in(connection, sql, paths):
        yield number, path_text(path)


def path_text(path: bytes) -> str:
    """Return a path as the rest of the program writes it."""
    return path.decode("utf-8", "surrogateescape")


def read_commits(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, StoredCommit]:
    """Return those of these commits whose facts are there."""
    out: dict[int, StoredCommit] = {}
    for batch in batched(numbers):
        rows = list(
            select_in(
                connection,
                f"""SELECT c.number, c.id, c.parent, c.others, c.boundary, c.author, c.committer,
                    a.name, a.email, c.authored, c.authored_zone,
                    p.name, p.email, c.committed, c.committed_zone, m.subject, m.body
                    FROM commits c JOIN messages m ON m.number = c.number
                    JOIN persons a ON a.number = c.author JOIN persons p ON p.number = c.committer
                    WHERE c.state = {WHOLE} AND c.number IN ({{}})""",
                batch,
            )
        )
        parents = {row[0]: parent_numbers(row[2], row[3]) for row in rows}
        ids = find_ids(connection, {number for some in parents.values() for number in some})
        for row in rows:
            out[row[0]] = _commit(row, tuple(ids[n] for n in parents[row[0]] if n in ids))
    return out


def _commit(row: tuple[Any, ...], parents: tuple[CommitId, ...]) -> StoredCommit:
    number, ident, _, _, boundary, author, committer, *facts = row
    author_name, author_email, authored, authored_zone, name, email, *rest = facts
    committed, committed_zone, subject, body = rest
    commit = Commit(
        id=CommitId(ident.hex()),
        parents=parents,
        author=Person(author_name, author_email),
        authored=Moment(authored, authored_zone),
        committer=Person(name, email),
        committed=Moment(committed, committed_zone),
        subject=subject,
        body=unpack_body(body),
        boundary=bool(boundary),
    )
    return StoredCommit(number, commit, author, committer)


def read_persons(connection: sqlite3.Connection, repo: int) -> list[StoredPerson]:
    """Return every name and address of a repository's commits."""
    rows = connection.execute(
        "SELECT number, name, email FROM persons WHERE repo = ? ORDER BY number", (repo,)
    )
    return [StoredPerson(number, Person(name, email)) for number, name, email in rows]


def written_by(
    connection: sqlite3.Connection, persons: Iterable[int], *, committers: bool
) -> list[int]:
    """Return numbers of commits by their authors (or committers), the newest first."""
    column = "committer" if committers else "author"
    sql = f"SELECT committed, number FROM commits WHERE state = {WHOLE} AND {column} IN ({{}})"
    return [number for _, number in sorted(select_in(connection, sql, persons), reverse=True)]


def find_tickets(
    connection: sqlite3.Connection, repo: int, key: str
) -> list[tuple[int, TicketLink]]:
    """Return the commits that name a ticket in letters of any case, the newest first."""
    rows = connection.execute(
        f"""SELECT t.number, t.key, t.source, t.relation
            FROM tickets t JOIN commits c ON c.number = t.number
            WHERE t.repo = ? AND t.key = ? AND c.state = {WHOLE}
            ORDER BY c.committed DESC, t.number DESC""",
        (repo, storable(key)),
    )
    return [(number, TicketLink(*link)) for number, *link in rows]
