"""The notes file: what people and agents wrote down, with the vectors of it. Primary data.

It is the only file of ours that cannot be made again, so it is never replaced, every write is on
the disk before it is acknowledged, and copies of it are kept (`notes_copies`). All methods are
synchronous and belong to one thread.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.errors import Conflict, StateCorrupt, StateUnwritable
from paparatsd.store.database import Database, batched, select_in, translate
from paparatsd.store.notes_copies import copies_of, keep_copy
from paparatsd.store.notes_schema import NOTES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from paparatsd.store.migrations import Migration

    Vector = NDArray[np.float32]

_COLUMNS = "id, kind, grp, project, label, status, created, updated, payload, text"


@dataclass(frozen=True, slots=True)
class Note:
    """One note. `payload` is what its kind needs, JSON-ready; `text` is what is embedded.

    `kind` is "term", "component", "decision" or "lesson"; `label` the line by which a person knows
    it; `project` None for one of the whole group; moments are epoch seconds.
    """

    id: str
    kind: str
    group: str
    project: str | None
    label: str
    status: str
    created: float
    updated: float
    payload: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Rows:
    """Vectors of one embedder: by note, each with the text that it is the vector of."""

    fingerprint: str
    vectors: Mapping[str, tuple[str, Vector]]


class NotesFile:
    """The one connection to `notes.sqlite3`.

    Every method may raise StateCorrupt; those that write StateUnwritable, nothing written.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection = database.connection
        self._identity = _identity(database.path)
        self.path = database.path

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        on_step: Callable[[str], None] = lambda step: None,
        migrations: Sequence[Migration] | None = None,
    ) -> NotesFile:
        """Open or create the file, readable for us alone.

        Raises StateCorrupt for a damaged one and SchemaTooNew for one of a newer version, both
        left as they are, and StateUnwritable.
        """
        try:
            _refuse_lost(path)
            if path.exists():
                path.chmod(0o600)  # before its log is there, which takes the mode over
            database = Database.open(path, on_step=on_step, migrations=migrations, kind=NOTES)
        except OSError as error:
            raise StateUnwritable(f"cannot open {path}: {error.strerror}") from error
        # A note that was acknowledged survives a power cut; the index need not.
        database.connection.execute("PRAGMA synchronous = FULL")
        return cls(database)

    def close(self) -> None:
        """Close in order, so that the next start need not check the file."""
        self._database.close()

    # ------------------------------------------------------------------ notes

    def put(
        self,
        notes: Sequence[Note],
        deleted: Sequence[str] = (),
        expected: Mapping[str, float] | None = None,
        rows: Rows | None = None,
    ) -> None:
        """Write notes, delete others and store vectors, all or nothing.

        `expected`: the moment of the last change that each of these notes must still have, else
        Conflict. Vectors of a text that changes go with it.
        """
        self._check_place()
        with self._database.transaction("put_notes") as connection:
            _check_expected(connection, expected or {})
            connection.executemany("DELETE FROM notes WHERE id = ?", [(one,) for one in deleted])
            connection.executemany(
                "DELETE FROM vectors WHERE note = ? AND EXISTS "
                "(SELECT 1 FROM notes WHERE id = ? AND text <> ?)",
                [(one.id, one.id, one.text) for one in notes],
            )
            connection.executemany(
                f"INSERT INTO notes({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?) "
                "ON CONFLICT(id) DO UPDATE SET kind = excluded.kind, grp = excluded.grp, "
                "project = excluded.project, label = excluded.label, status = excluded.status, "
                "created = excluded.created, updated = excluded.updated, "
                "payload = excluded.payload, text = excluded.text",
                map(_to_row, notes),
            )
            if rows is not None:
                _put_vectors(connection, rows)

    def get(self, ids: Iterable[str]) -> list[Note]:
        """Return those of the notes that are there, in the order of the ids."""
        wanted = list(dict.fromkeys(ids))
        with self._read():
            found = {
                row[0]: _to_note(row)
                for row in select_in(
                    self._connection, f"SELECT {_COLUMNS} FROM notes WHERE id IN ({{}})", wanted
                )
            }
        return [found[one] for one in wanted if one in found]

    def all_of(self, group: str | None = None, kinds: Collection[str] = ()) -> list[Note]:
        """Return the notes of a group (None: of all), of some kinds (empty: all), oldest first."""
        with self._read():
            rows = self._connection.execute(
                f"SELECT {_COLUMNS} FROM notes WHERE ?1 IS NULL OR grp = ?1 ORDER BY created, id",
                (group,),
            )
            return [_to_note(row) for row in rows if not kinds or row[1] in kinds]

    def groups(self) -> dict[str, dict[str, int]]:
        """Return how many notes of each kind each group has."""
        counts: dict[str, dict[str, int]] = {}
        with self._read():
            rows = self._connection.execute(
                "SELECT grp, kind, count(*) FROM notes GROUP BY grp, kind ORDER BY grp, kind"
            )
            for group, kind, number in rows:
                counts.setdefault(group, {})[kind] = number
        return counts

    def projects(self) -> dict[str, frozenset[str]]:
        """Return, of each group with notes, the projects that have some."""
        found: dict[str, set[str]] = {}
        with self._read():
            for group, project in self._connection.execute(
                "SELECT DISTINCT grp, project FROM notes"
            ):
                found.setdefault(group, set()).update(() if project is None else (project,))
        return {group: frozenset(projects) for group, projects in found.items()}

    # ------------------------------------------------------------------ vectors

    def vectors(self, fingerprint: str, group: str | None = None) -> dict[str, Vector]:
        """Return the vectors by one embedder of the notes of a group (None: of all), by id."""
        with self._read():
            rows = self._connection.execute(
                "SELECT note, vector FROM vectors JOIN notes ON id = note "
                "WHERE fingerprint = ?1 AND (?2 IS NULL OR grp = ?2)",
                (fingerprint, group),
            )
            return {note: np.frombuffer(blob, "<f4") for note, blob in rows if not len(blob) % 4}

    def put_vectors(self, rows: Rows) -> None:
        """Store vectors of notes whose text is still the one that was embedded."""
        self._check_place()
        with self._database.transaction("put_vectors") as connection:
            _put_vectors(connection, rows)

    def without_vector(self, fingerprint: str) -> list[tuple[str, str]]:
        """Return (id, text) of the notes that have no vector by this embedder, newest first."""
        with self._read():
            rows = self._connection.execute(
                "SELECT id, text FROM notes WHERE NOT EXISTS "
                "(SELECT 1 FROM vectors WHERE fingerprint = ? AND note = id) ORDER BY updated DESC",
                (fingerprint,),
            )
            return list(rows)

    def drop_other_vectors(self, fingerprint: str) -> None:
        """Delete vectors by other embedders; only when this one has embedded all there is."""
        with self._read():
            others = self._connection.execute(
                "SELECT 1 FROM vectors WHERE fingerprint <> ? LIMIT 1", (fingerprint,)
            ).fetchone()
        if others:
            self._check_place()
            with self._database.transaction("drop_vectors") as connection:
                connection.execute("DELETE FROM vectors WHERE fingerprint <> ?", (fingerprint,))

    # ------------------------------------------------------------------ safety

    def keep_copy(self, now: float) -> Path | None:
        """Copy the file beside it, unless there is a copy of today; return where it is.

        An empty file is not copied: nothing pushes out the last copies of what was deleted.
        """
        with self._read():
            if not self._connection.execute("SELECT 1 FROM notes LIMIT 1").fetchone():
                return None
            return keep_copy(self._connection, self.path, now)

    @contextlib.contextmanager
    def _read(self) -> Iterator[None]:
        """Raise our own classes; what makes no sense when it is read is damage."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            ours = translate(error, self.path, NOTES)
            if ours is error:  # its message may quote what it could not read
                raise StateCorrupt(f"{self.path} is damaged; {NOTES.damaged}") from error
            raise ours from error

    def _check_place(self) -> None:
        """Refuse to write where nobody would read it again."""
        if _identity(self.path) != self._identity:
            raise StateUnwritable(
                f"{self.path} was removed or replaced while it was in use; nothing was written: "
                "restart paparatsd to use what is there now"
            )


def _refuse_lost(path: Path) -> None:
    """Raise StateCorrupt where copies say that there were notes: a new file would hide them."""
    there = path.exists()
    copies = copies_of(path)
    if copies and not (there and path.stat().st_size):
        raise StateCorrupt(
            f"{path} is {'empty' if there else 'gone'}, and copies of it are there: stop paparatsd "
            f"and put a copy of it (the newest is {copies[-1].name}) in its place, or move the "
            "copies away to begin without notes"
        )


def _identity(path: Path) -> tuple[int, int]:
    try:
        found = os.stat(path)  # noqa: PTH116 - no object of our own for what every write does
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _check_expected(connection: sqlite3.Connection, expected: Mapping[str, float]) -> None:
    found = dict(select_in(connection, "SELECT id, updated FROM notes WHERE id IN ({})", expected))
    for ident, updated in expected.items():
        if found.get(ident) != updated:
            what = "was changed" if ident in found else "was deleted"
            raise Conflict(f"note {ident} {what} meanwhile; read it again")


def _put_vectors(connection: sqlite3.Connection, rows: Rows) -> None:
    for batch in batched(rows.vectors.items()):
        connection.executemany(
            "INSERT INTO vectors(fingerprint, note, vector) "
            "SELECT ?, id, ? FROM notes WHERE id = ? AND text = ? "
            "ON CONFLICT(fingerprint, note) DO UPDATE SET vector = excluded.vector",
            [
                (rows.fingerprint, vector.astype("<f4").tobytes(), ident, text)
                for ident, (text, vector) in batch
            ],
        )


def _to_row(note: Note) -> tuple[object, ...]:
    payload = json.dumps(dict(note.payload), ensure_ascii=False, separators=(",", ":"))
    return (
        *(note.id, note.kind, note.group, note.project, note.label, note.status),
        *(float(note.created), float(note.updated), payload, note.text),
    )


def _to_note(row: tuple[Any, ...]) -> Note:
    try:
        payload = json.loads(row[8])
    except ValueError as error:
        raise StateCorrupt(f"the note {row[0]} is damaged: {error}; {NOTES.damaged}") from error
    ident, kind, group, project, label, status, created, updated = row[:8]
    return Note(ident, kind, group, project, label, status, created, updated, payload, row[9])
