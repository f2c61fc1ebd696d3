"""Rows of repositories and of commits' places in the graph: ids, numbers, parents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paparatsd.model import CommitId, RepoId
from paparatsd.store.database import select_in
from paparatsd.store.history_rows import GraphRows, HistoryCounts, ScanState
from paparatsd.store.history_schema import ABSENT, KNOWN, PARTIAL, WHOLE
from paparatsd.store.varints import pack_numbers, unpack_numbers

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.store.history_rows import Skeleton

_MAX_ID_DIGITS = 64


# ------------------------------------------------------------------------------ repositories


def find_repo(connection: sqlite3.Connection, repo: RepoId) -> int | None:
    """Return the number of a repository, or None when nothing is kept of it."""
    row = connection.execute("SELECT number FROM repositories WHERE id = ?", (repo,)).fetchone()
    return None if row is None else int(row[0])


def read_repos(connection: sqlite3.Connection) -> list[RepoId]:
    """Return every repository of which something is kept."""
    rows = connection.execute("SELECT id FROM repositories WHERE id IS NOT NULL ORDER BY number")
    return [RepoId(row[0]) for row in rows]


def ensure_repo(connection: sqlite3.Connection, repo: RepoId) -> int:
    """Return the number of a repository, which gets one when it has none."""
    known = find_repo(connection, repo)
    if known is not None:
        return known
    cursor = connection.execute(
        """INSERT INTO repositories(id, heads, shallow, wording, ignored, commits, facts, touches)
           VALUES (?, '[]', '', '', '', 0, 0, 0)""",
        (repo,),
    )
    return int(cursor.lastrowid or 0)


def read_scan(connection: sqlite3.Connection, repo: int) -> ScanState:
    """Return how far a repository was read."""
    heads, *others = connection.execute(
        "SELECT heads, shallow, wording, ignored FROM repositories WHERE number = ?", (repo,)
    ).fetchone()
    return ScanState(tuple(map(CommitId, json.loads(heads))), *others)


def write_scan(connection: sqlite3.Connection, repo: int, state: ScanState) -> None:
    """Note how far a repository was read."""
    connection.execute(
        """UPDATE repositories SET heads = ?, shallow = ?, wording = ?, ignored = ?
           WHERE number = ?""",
        (json.dumps(state.heads), state.shallow, state.wording, state.ignored, repo),
    )


def read_counts(connection: sqlite3.Connection, repo: int) -> HistoryCounts:
    """Return how much there is of a repository."""
    row = connection.execute(
        "SELECT commits, facts, touches FROM repositories WHERE number = ?", (repo,)
    ).fetchone()
    return HistoryCounts(*row)


def add_counts(
    connection: sqlite3.Connection, repo: int, commits: int = 0, facts: int = 0, touches: int = 0
) -> None:
    """Add to the counters of a repository."""
    connection.execute(
        """UPDATE repositories SET commits = commits + ?, facts = facts + ?, touches = touches + ?
           WHERE number = ?""",
        (commits, facts, touches, repo),
    )


# ------------------------------------------------------------------------------ ids and numbers


def find_numbers(
    connection: sqlite3.Connection, repo: int, ids: Iterable[CommitId]
) -> dict[CommitId, int]:
    """Return the numbers of those commits that are there, on whatever level of knowledge."""
    sql = f"SELECT id, number FROM commits WHERE repo = ? AND state >= {KNOWN} AND id IN ({{}})"
    rows = select_in(connection, sql, map(bytes.fromhex, ids), repo)
    return {CommitId(ident.hex()): number for ident, number in rows}


def find_ids(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, CommitId]:
    """Return the ids of those numbers that are in use, also of parents that are not there."""
    rows = select_in(connection, "SELECT number, id FROM commits WHERE number IN ({})", numbers)
    return {number: CommitId(ident.hex()) for number, ident in rows}


def resolve(connection: sqlite3.Connection, repo: int, prefix: str, limit: int) -> list[CommitId]:
    """Return up to `limit` ids of commits that are there and begin so, ascending."""
    digits = prefix.lower()
    if not digits or len(digits) > _MAX_ID_DIGITS or set(digits) - set("0123456789abcdef"):
        return []
    low, high = (bytes.fromhex(digits.ljust(_MAX_ID_DIGITS, filler)) for filler in "0f")
    # A 20-byte id comes before its own extension by zeros, so the lower bound is cut to size.
    low = low[: len(digits) // 2 + len(digits) % 2]
    rows = connection.execute(
        f"""SELECT id FROM commits WHERE repo = ? AND id BETWEEN ? AND ? AND state >= {KNOWN}
            ORDER BY id LIMIT ?""",
        (repo, low, high, limit),
    )
    return [CommitId(row[0].hex()) for row in rows]


# ------------------------------------------------------------------------------ the graph


def add_skeletons(
    connection: sqlite3.Connection, repo: int, skeletons: Sequence[Skeleton]
) -> dict[CommitId, int]:
    """Write commits with their parents; return the numbers of all that are named.

    What is there already stays; one on its way out comes back, and one that has other parents now
    gets those, both without their facts.
    """
    own = {one.id: one for one in skeletons}
    parents = dict.fromkeys(parent for one in skeletons for parent in one.parents)
    named = [*own, *(parent for parent in parents if parent not in own)]
    known = _places(connection, repo, named)
    fresh = [ident for ident in named if ident not in known]
    first = _next_number(connection)
    numbers = {ident: place.number for ident, place in known.items()}
    numbers.update(zip(fresh, range(first, first + len(fresh)), strict=True))
    rows = []
    for ident in fresh:
        place: tuple[int, bytes | None, int, int] = (0, None, ABSENT, 0)
        if ident in own:
            place = (*_parents(own[ident], numbers), KNOWN, own[ident].committed)
        rows.append((numbers[ident], repo, bytes.fromhex(ident), *place))
    connection.executemany(
        """INSERT INTO commits(number, repo, id, parent, others, state, committed)
           VALUES (?,?,?,?,?,?,?)""",
        rows,
    )
    _update(connection, repo, own, known, numbers)
    connection.executemany(
        "DELETE FROM unreached WHERE number = ?", ((numbers[ident],) for ident in own)
    )
    add_counts(connection, repo, commits=sum(ident in own for ident in fresh))
    return numbers


def _update(
    connection: sqlite3.Connection,
    repo: int,
    own: Mapping[CommitId, Skeleton],
    known: Mapping[CommitId, _Place],
    numbers: Mapping[CommitId, int],
) -> None:
    """Give commits their parents that had none or others: facts against those are read again."""
    changed = [
        (one, known[ident].state)
        for ident, one in own.items()
        if ident in known and known[ident].differs(*_parents(one, numbers))
    ]
    connection.executemany(
        """UPDATE commits SET parent = ?, others = ?, committed = ifnull(nullif(?, 0), committed),
           state = CASE WHEN state IN (?, ?) THEN ? ELSE ? END WHERE number = ?""",
        (
            (*_parents(one, numbers), one.committed, ABSENT, KNOWN, KNOWN, PARTIAL, numbers[one.id])
            for one, _ in changed
        ),
    )
    back = sum(state < KNOWN for _, state in changed)
    add_counts(connection, repo, back, -sum(state == WHOLE for _, state in changed))


class _Place(NamedTuple):
    """What is stored of a commit's place."""

    number: int
    state: int
    parent: int
    others: bytes | None

    def differs(self, parent: int, others: bytes | None) -> bool:
        """Whether the commit is not there, or has other parents now (history was deepened)."""
        return self.state < KNOWN or (self.parent, self.others) != (parent, others)


def _places(
    connection: sqlite3.Connection, repo: int, ids: Iterable[CommitId]
) -> dict[CommitId, _Place]:
    sql = "SELECT id, number, state, parent, others FROM commits WHERE repo = ? AND id IN ({})"
    rows = select_in(connection, sql, map(bytes.fromhex, ids), repo)
    return {CommitId(ident.hex()): _Place(*place) for ident, *place in rows}


def _next_number(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'commits'").fetchone()
    return 1 if row is None else int(row[0]) + 1


def _parents(skeleton: Skeleton, numbers: Mapping[CommitId, int]) -> tuple[int, bytes | None]:
    first, *others = [numbers[parent] for parent in skeleton.parents] or [0]
    return first, pack_numbers(others) if others else None


def parent_numbers(parent: int, others: bytes | None) -> tuple[int, ...]:
    """Return the parents of a commit, in git's order, from its two columns."""
    if others is None:
        return (parent,) if parent else ()
    return (parent, *unpack_numbers(others, "the parents of a commit"))


def read_graph(connection: sqlite3.Connection, repo: int) -> GraphRows:
    """Return all commits of a repository that are there, with their parents."""
    # The `+` keeps SQLite from an index: all of the table in order is what is wanted.
    where = f"FROM commits WHERE +repo = ? AND state >= {KNOWN}"
    # One long text a column: reading rows and making their integers takes three times as long.
    columns = connection.execute(
        f"""SELECT group_concat(number), group_concat(parent), group_concat(committed),
            group_concat(state = {WHOLE}) {where}""",
        (repo,),
    ).fetchone()
    if columns[0] is None:
        return empty_graph()
    numbers, parent, committed, whole = (
        np.fromstring(column, dtype=np.int64, sep=",") for column in columns
    )
    if (np.diff(numbers) < 0).any():  # nothing promises the order, though a scan has it
        order = np.argsort(numbers)
        numbers, parent, committed, whole = (c[order] for c in (numbers, parent, committed, whole))
    rows = connection.execute(f"SELECT number, others {where} AND others IS NOT NULL", (repo,))
    merges = {int(n): unpack_numbers(pack, "the parents of a commit") for n, pack in rows}
    places = np.searchsorted(numbers, np.fromiter(merges, np.int64, len(merges))).tolist()
    counts = (parent > 0).astype(np.int64)
    for at, others in zip(places, merges.values(), strict=True):
        counts[at] += len(others)
    offsets = np.concatenate(([0], np.cumsum(counts)))
    parents = np.zeros(int(offsets[-1]), np.int64)
    parents[offsets[:-1][parent > 0]] = parent[parent > 0]
    for at, others in zip(places, merges.values(), strict=True):
        parents[offsets[at] + 1 : offsets[at + 1]] = others
    return GraphRows(numbers, offsets, parents, committed, whole.astype(np.bool_))


def empty_graph() -> GraphRows:
    """Return the graph of a repository without commits."""
    none = np.empty(0, np.int64)
    return GraphRows(none, np.zeros(1, np.int64), none, none, np.empty(0, np.bool_))


def missing_facts(connection: sqlite3.Connection, repo: int, limit: int) -> list[CommitId]:
    """Return commits whose facts are not there, the newest first."""
    rows = connection.execute(
        f"""SELECT id FROM commits WHERE repo = ? AND state IN ({KNOWN}, {PARTIAL})
            ORDER BY committed DESC, number DESC LIMIT ?""",
        (repo, limit),
    )
    return [CommitId(row[0].hex()) for row in rows]


def committed_between(
    connection: sqlite3.Connection, repo: int, since: int | None, until: int | None, limit: int
) -> list[int]:
    """Return numbers of commits of a time range (seconds, both inclusive), the newest first."""
    rows = connection.execute(
        f"""SELECT number FROM commits WHERE repo = ? AND state = {WHOLE}
            AND committed BETWEEN ? AND ? ORDER BY committed DESC, number DESC LIMIT ?""",
        (repo, -(1 << 62) if since is None else since, 1 << 62 if until is None else until, limit),
    )
    return [row[0] for row in rows]


def all_numbers(connection: sqlite3.Connection, repo: int) -> NDArray[np.int64]:
    """Return the numbers of all commits that are there, ascending."""
    rows = connection.execute(
        f"SELECT number FROM commits WHERE repo = ? AND state >= {KNOWN}", (repo,)
    ).fetchall()
    return np.sort(np.array(rows, np.int64).reshape(-1))
