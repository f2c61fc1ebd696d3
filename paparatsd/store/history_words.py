"""Full-text search over commits: subject, body and the paths they changed.

The index is FTS5 without content: it holds words only, and what a commit's words were is made
again from its rows when it is deleted. Where SQLite comes without FTS5, the rows are read.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from paparatsd.store.database import select_in
from paparatsd.store.history_facts import path_text, touched_paths, unpack_body
from paparatsd.store.history_schema import WHOLE
from paparatsd.store.varints import unpack_ascending

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from paparatsd.store.history_rows import Words

_MAX_PATHS = 60
"""Paths of a commit that are indexed: one that touches more is about none of them."""
_MAX_BODY = 20_000
_MAX_TERMS = 32
_WEIGHTS = (4.0, 1.5, 1.0)
"""What a word is worth in the subject, in the body and in a path."""
_MERGE_PAGES = 64

Texts = tuple[str, str, str]


def has_index(connection: sqlite3.Connection) -> bool:
    """Whether this SQLite can keep a full-text index."""
    used = connection.execute("SELECT sqlite_compileoption_used('ENABLE_FTS5')").fetchone()
    return bool(used[0])


def lacks_index(connection: sqlite3.Connection, words: Words) -> bool:
    """Whether there could be an index and is none whose words were made like this."""
    row = connection.execute("SELECT version FROM words").fetchone()
    return has_index(connection) and (row is None or row[0] != words.version)


def make_index(connection: sqlite3.Connection, words: Words) -> None:
    """Make the index anew; all commits lack it then."""
    connection.execute("DROP TABLE IF EXISTS search")
    connection.execute(
        """CREATE VIRTUAL TABLE search USING fts5(
           subject, body, paths, content = '', tokenize = "unicode61 tokenchars '_'")"""
    )
    connection.execute("UPDATE commits SET searchable = 0 WHERE searchable = 1")
    connection.execute("DELETE FROM words")
    connection.execute("INSERT INTO words VALUES (?)", (words.version,))


def index_commits(connection: sqlite3.Connection, words: Words, numbers: Sequence[int]) -> None:
    """Put commits into the index."""
    connection.executemany(
        "INSERT INTO search(rowid, subject, body, paths) VALUES (?,?,?,?)",
        ((number, *texts) for number, texts in _texts(connection, words, numbers)),
    )
    connection.executemany(
        "UPDATE commits SET searchable = 1 WHERE number = ?", ((number,) for number in numbers)
    )


def unindex_commits(connection: sqlite3.Connection, words: Words, numbers: Sequence[int]) -> None:
    """Take commits out of the index, as far as they are in it; before their rows change."""
    sql = "SELECT number FROM commits WHERE searchable = 1 AND number IN ({})"
    indexed = [row[0] for row in select_in(connection, sql, numbers)]
    connection.executemany(
        "INSERT INTO search(search, rowid, subject, body, paths) VALUES ('delete',?,?,?,?)",
        ((number, *texts) for number, texts in _texts(connection, words, indexed)),
    )
    connection.executemany(
        "UPDATE commits SET searchable = 0 WHERE number = ?", ((number,) for number in indexed)
    )


def unindexed(connection: sqlite3.Connection, limit: int) -> list[int]:
    """Return commits with facts that are not in the index, the newest first."""
    rows = connection.execute(
        f"""SELECT number FROM commits WHERE state = {WHOLE} AND searchable = 0
            ORDER BY number DESC LIMIT ?""",
        (limit,),
    )
    return [row[0] for row in rows]


def merge_index(connection: sqlite3.Connection, *, begin: bool) -> bool:
    """Do a piece of merging the index into one, which drops deleted words; False at the end."""
    before = connection.total_changes
    connection.execute(
        "INSERT INTO search(search, rank) VALUES ('merge', ?)",
        (-_MERGE_PAGES if begin else _MERGE_PAGES,),
    )
    # As documented: fewer than two changes mean that there was nothing to merge.
    return connection.total_changes - before >= 2


def search_index(
    connection: sqlite3.Connection,
    words: Words,
    repo: int,
    text: str,
    limit: int,
    among: Collection[int] | None,
) -> list[tuple[int, float]]:
    """Return the commits that match best, with their BM25 scores (larger is better)."""
    terms = _terms(words, text)
    if not terms:
        return []
    rows = connection.execute(
        f"""SELECT s.rowid, -bm25(search, {", ".join(map(str, _WEIGHTS))}) AS score
            FROM search s JOIN commits c ON c.number = s.rowid
            WHERE search MATCH ? AND c.repo = ? AND c.state = {WHOLE}
            ORDER BY score DESC, c.committed DESC""",
        (" OR ".join('"' + term.replace('"', '""') + '"' for term in terms), repo),
    )
    return _best(rows, limit, among)


def _best(
    rows: Iterable[tuple[int, float]], limit: int, among: Collection[int] | None
) -> list[tuple[int, float]]:
    out: list[tuple[int, float]] = []
    for number, score in rows:
        if len(out) >= limit:
            break
        if among is None or number in among:
            out.append((number, score))
    return out


def _terms(words: Words, text: str) -> list[str]:
    terms = dict.fromkeys(words.split(text))
    # A question of such words alone still means them.
    return [term for term in terms if term not in words.stop][:_MAX_TERMS] or list(terms)[
        :_MAX_TERMS
    ]


@lru_cache(maxsize=1 << 14)
def _path_words(words: Words, path: bytes) -> str:
    return " ".join(words.split(path_text(path)))


def _texts(
    connection: sqlite3.Connection, words: Words, numbers: Sequence[int]
) -> Iterator[tuple[int, Texts]]:
    packs = touched_paths(connection, numbers)
    wanted = {path for paths in packs.values() for path in paths[:_MAX_PATHS]}
    sql = "SELECT number, path FROM paths WHERE number IN ({})"
    names = {
        number: _path_words(words, path) for number, path in select_in(connection, sql, wanted)
    }
    sql = "SELECT number, subject, body FROM messages WHERE number IN ({})"
    for number, subject, body in list(select_in(connection, sql, numbers)):
        paths = [names[path] for path in packs[number][:_MAX_PATHS] if path in names]
        yield (
            number,
            (
                " ".join(words.split(subject)),
                " ".join(words.split(unpack_body(body)[:_MAX_BODY])),
                " ".join(dict.fromkeys(" ".join(paths).split(" "))),
            ),
        )


# ------------------------------------------------------------------------------ without FTS5


def search_rows(
    connection: sqlite3.Connection,
    words: Words,
    repo: int,
    text: str,
    limit: int,
    among: Collection[int] | None,
) -> list[tuple[int, float]]:
    """Do what `search_index` does by reading all rows.

    A score sums, over the terms found, how rare the term is times the weight of the best place
    where it stands.
    """
    terms = {term: _begin(term) for term in _terms(words, text)}
    if not terms:
        return []
    by_path = {term: _paths_with(connection, words, repo, term) for term in terms}
    rows = connection.execute(
        f"""SELECT c.number, m.subject, m.body, m.paths
            FROM commits c JOIN messages m ON m.number = c.number
            WHERE c.repo = ? AND c.state = {WHOLE} ORDER BY c.committed DESC""",
        (repo,),
    )
    found: list[tuple[int, dict[str, float]]] = []
    total = 0
    for number, subject, body, pack in rows:
        total += 1
        paths = unpack_ascending(pack)[:_MAX_PATHS] if any(by_path.values()) else []
        weights = {term: _WEIGHTS[2] for term in terms if not by_path[term].isdisjoint(paths)}
        for at, place in ((1, unpack_body(body)[:_MAX_BODY]), (0, subject)):
            weights.update(dict.fromkeys(_found(words, terms, place), _WEIGHTS[at]))
        if weights:
            found.append((number, weights))
    often = Counter(term for _, weights in found for term in weights)
    rare = {term: math.log1p(total / (1 + often[term])) for term in terms}
    scored = [
        (number, sum(rare[term] * weight for term, weight in weights.items()))
        for number, weights in found
    ]
    scored.sort(key=lambda one: -one[1])  # stable: equal ones stay newest first
    return _best(scored, limit, among)


def _begin(term: str) -> str:
    """Return how every word begins that is of this term: a stem may change the last letter."""
    return term[:-1] if len(term) > 3 else term


def _found(words: Words, terms: Mapping[str, str], text: str) -> set[str]:
    lower = text.lower()
    # Splitting takes most of the time, so only what may hold a term is split.
    if not any(begin in lower for begin in terms.values()):
        return set()
    return terms.keys() & set(words.split(text))


def _paths_with(connection: sqlite3.Connection, words: Words, repo: int, term: str) -> set[int]:
    rows = connection.execute(
        "SELECT number, path FROM paths WHERE repo = ? AND instr(lower(CAST(path AS TEXT)), ?)",
        (repo, _begin(term)),
    )
    return {number for number, path in rows if term in _path_words(words, path).split(" ")}
