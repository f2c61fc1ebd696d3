"""Names of symbols, interned: each distinct name is one row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.store.database import select_in

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

_SEPARATORS = re.compile(r"::|[.#/\\:$]")
_MAX_CACHED = 200_000


def fold_name(name: str) -> str:
    """Return the last part of a name in the form in which people's spellings meet.

    >>> fold_name("Session::refreshToken")
    'refreshtoken'
    """
    parts = [part for part in _SEPARATORS.split(name) if part]
    return (parts[-1] if parts else name).casefold()


def storable(text: str) -> str:
    """Return the text as SQLite can store it: lone surrogates become question marks."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode()


class NameTable:
    """Ids of names, with those of the last writes kept in memory. For the writer only."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def intern(self, connection: sqlite3.Connection, names: set[str]) -> dict[str, int]:
        """Return the id of each name; new names get a row."""
        unknown = sorted(name for name in names if name not in self._ids)
        connection.executemany(
            "INSERT OR IGNORE INTO names(name, folded) VALUES (?, ?)",
            ((name, fold_name(name)) for name in unknown),
        )
        if len(self._ids) + len(unknown) > _MAX_CACHED:
            self._ids.clear()
            unknown = sorted(names)
        self._ids.update(find_names(connection, unknown))
        return {name: self._ids[name] for name in names}

    def forget(self) -> None:
        """Drop what is in memory: after a rollback it may name rows that do not exist."""
        self._ids.clear()


def find_names(connection: sqlite3.Connection, names: Iterable[str]) -> dict[str, int]:
    """Return the ids of those names that have one."""
    return dict(select_in(connection, "SELECT name, id FROM names WHERE name IN ({})", names))


def delete_unused(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Delete those names that no version defines or uses any more."""
    connection.executemany(
        """DELETE FROM names WHERE id = ?1
           AND NOT EXISTS (SELECT 1 FROM definitions WHERE name = ?1)
           AND NOT EXISTS (SELECT 1 FROM uses WHERE name = ?1)""",
        ((ident,) for ident in ids),
    )
