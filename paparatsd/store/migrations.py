"""Numbered steps from one schema to the next: each one transaction, all behind one backup."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from paparatsd.store.schema import APPLICATION_ID, DOCUMENTS, GRAPH, INITIAL, MODELS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Migration:
    """The statements that lead from schema `number - 1` to schema `number`."""

    number: int
    statements: tuple[str, ...]


MIGRATIONS = (
    Migration(1, INITIAL),
    Migration(2, GRAPH),
    Migration(3, DOCUMENTS),
    Migration(4, MODELS),
)


@dataclass(frozen=True, slots=True)
class FileKind:
    """What tells one kind of our SQLite files from others.

    `name` is what messages and log events call it, `application_id` what SQLite keeps in its
    header, `migrations` lead to its newest schema, `rebuilt` says what follows when a person
    moves the file away ("to build a new index"). A `primary` file can be made from nothing else:
    a damaged one is left where it is, and `damaged` says what to do about it.
    """

    name: str
    application_id: int
    migrations: tuple[Migration, ...]
    rebuilt: str
    primary: bool = False
    damaged: str = "it is rebuilt at the next start"

    def event(self, what: str) -> str:
        """Return the name of a log event about a file of this kind."""
        return f"{self.name}_{what}"


CATALOG = FileKind("catalog", APPLICATION_ID, MIGRATIONS, "to build a new index")


def backup_path(path: Path, version: int) -> Path:
    """Return where the state of schema `version` is kept before it is migrated."""
    return path.with_name(f"{path.name}.schema-{version}.backup")


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the schema number of an open file; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    migrations: Sequence[Migration],
    on_step: Callable[[str], None],
    kind: FileKind = CATALOG,
) -> None:
    """Bring the file to the newest schema.

    Each step is one transaction, so a crash leaves the schema before it or after it. The state
    before the first step is kept in a file beside it. The caller has refused newer ones.
    """
    current = schema_version(connection)
    newest = migrations[-1].number
    if 0 < current < newest:
        on_step("backup:begin")
        _back_up(connection, backup_path(path, current))
        on_step("backup:done")
    for migration in migrations:
        if migration.number > current:
            _apply(connection, migration, on_step, kind.application_id)
    if 0 < current < newest:
        log.info(kind.event("migrated"), path=str(path), old=current, new=newest)


def _back_up(connection: sqlite3.Connection, target: Path) -> None:
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(partial)) as copy:
        connection.backup(copy)
    partial.chmod(0o600)
    partial.replace(target)


def _apply(
    connection: sqlite3.Connection,
    migration: Migration,
    on_step: Callable[[str], None],
    application_id: int,
) -> None:
    name = f"migrate-{migration.number}"
    on_step(f"{name}:begin")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in migration.statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {application_id}")
        connection.execute(f"PRAGMA user_version = {migration.number}")
        on_step(f"{name}:commit")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    on_step(f"{name}:done")
