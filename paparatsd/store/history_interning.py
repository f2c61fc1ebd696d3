"""Paths and persons of a repository, interned: each is one row, commits name its number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.store.database import select_in
from paparatsd.store.names import storable

if TYPE_CHECKING:
    import sqlite3

    from paparatsd.commits import Person

_MAX_PATHS = 50_000
_MAX_PERSONS = 10_000


def path_bytes(path: str) -> bytes:
    """Return a path as git has it: what is no text comes as lone surrogates."""
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return path.encode("utf-8", "replace")


class Interned:
    """Numbers of paths and persons, with those of the last writes in memory. For the writer."""

    def __init__(self) -> None:
        self._paths: dict[tuple[int, str], int] = {}
        self._persons: dict[tuple[int, Person], int] = {}

    def paths(self, connection: sqlite3.Connection, repo: int, paths: set[str]) -> dict[str, int]:
        """Return the number of each path; new ones get a row."""
        unknown = {path: path_bytes(path) for path in paths if (repo, path) not in self._paths}
        if len(self._paths) + len(unknown) > _MAX_PATHS:
            self._paths.clear()
            unknown = {path: path_bytes(path) for path in paths}
        found = _intern_paths(connection, repo, set(unknown.values()))
        self._paths.update({(repo, path): found[name] for path, name in unknown.items()})
        return {path: self._paths[repo, path] for path in paths}

    def persons(
        self, connection: sqlite3.Connection, repo: int, persons: set[Person]
    ) -> dict[Person, int]:
        """Return the number of each person; new ones get a row."""
        if len(self._persons) + len(persons) > _MAX_PERSONS:
            self._persons.clear()
        for person in persons:
            if (repo, person) not in self._persons:
                self._persons[repo, person] = _intern_person(connection, repo, person)
        return {person: self._persons[repo, person] for person in persons}

    def forget(self) -> None:
        """Drop what is in memory: after a rollback or a deletion it may name no row."""
        self._paths.clear()
        self._persons.clear()


def _intern_paths(connection: sqlite3.Connection, repo: int, names: set[bytes]) -> dict[bytes, int]:
    if not names:
        return {}
    sql = "SELECT path, number FROM paths WHERE repo = ? AND path IN ({})"
    found = dict(select_in(connection, sql, names, repo))
    # Only what is new is inserted: a refused repetition would use up a number.
    new = sorted(names - found.keys())
    connection.executemany("INSERT INTO paths(repo, path) VALUES (?,?)", ((repo, n) for n in new))
    found.update(select_in(connection, sql, new, repo))
    return found


def _intern_person(connection: sqlite3.Connection, repo: int, person: Person) -> int:
    values = (repo, storable(person.name), storable(person.email))
    row = connection.execute(
        "SELECT number FROM persons WHERE repo = ? AND name = ? AND email = ?", values
    ).fetchone()
    if row is not None:
        return int(row[0])
    cursor = connection.execute("INSERT INTO persons(repo, name, email) VALUES (?,?,?)", values)
    return int(cursor.lastrowid or 0)
