"""One SQLite file: open it with doubt, write to it in named transactions, map its errors."""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import time
from typing import TYPE_CHECKING, Any

import structlog

from paparatsd.errors import Busy, SchemaTooNew, StateCorrupt, StateUnwritable
from paparatsd.store.migrations import CATALOG, migrate, schema_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from paparatsd.store.migrations import FileKind, Migration

log = structlog.get_logger()

_HEADER = b"SQLite format 3\x00"
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_UNWRITABLE = {
    sqlite3.SQLITE_FULL: "free some disk space",
    sqlite3.SQLITE_IOERR: "check the disk and its free space",
    sqlite3.SQLITE_READONLY: "make the state directory writable",
    sqlite3.SQLITE_CANTOPEN: "check that the state directory is there and yours",
}
"""What to do about each reason why a file cannot be written."""
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_SHRINK_PAGES = 1000
_BATCH = 900  # host parameters a statement; every SQLite allows 999


def translate(error: sqlite3.DatabaseError, path: Path, kind: FileKind = CATALOG) -> Exception:
    """Turn an SQLite error into the class of ours that somebody handles, if there is one."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _CORRUPT:
        return StateCorrupt(f"{path} is damaged ({error}); {kind.damaged}")
    if code in _UNWRITABLE:
        name = getattr(error, "sqlite_errorname", "")
        return StateUnwritable(f"cannot write {path}: {error} ({name}); {_UNWRITABLE[code]}")
    if code in _BUSY:
        return Busy(f"{path} is locked by another process")
    return error


@contextlib.contextmanager
def translated(path: Path, kind: FileKind = CATALOG) -> Iterator[None]:
    """Raise the classes of `translate` for whatever SQLite raises inside."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        ours = translate(error, path, kind)
        if ours is error:
            raise
        raise ours from error


def select_in(
    connection: sqlite3.Connection, sql: str, values: Iterable[object], *before: object
) -> Iterator[tuple[Any, ...]]:
    """Run `sql` once per batch of values, its `{}` replaced by their placeholders.

    `before` are bound to placeholders in front of the values.
    """
    for batch in batched(values):
        marks = ",".join("?" * len(batch))
        yield from connection.execute(sql.format(marks), (*before, *batch))


def batched(values: Iterable[object], size: int = _BATCH) -> Iterator[list[Any]]:
    """Cut values into lists of at most `size`."""
    iterator = iter(values)
    while batch := list(itertools.islice(iterator, size)):
        yield batch


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open a connection with our pragmas; it may move between threads but not be shared.

    Statements are not wrapped in implicit transactions.
    """
    mode = "ro" if read_only else "rwc"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    for pragma in ("busy_timeout = 5000", "temp_store = MEMORY", "cache_size = -16000"):
        connection.execute(f"PRAGMA {pragma}")
    if read_only:
        connection.execute("PRAGMA query_only = ON")
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    # auto_vacuum only takes effect before the first table.
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    for pragma in (
        "synchronous = NORMAL",
        "foreign_keys = ON",
        "secure_delete = ON",
        "wal_autocheckpoint = 2000",
        "journal_size_limit = 16777216",
    ):
        connection.execute(f"PRAGMA {pragma}")


class Database:
    """The one writing connection to the file at `path`.

    `moved_aside` names where a damaged predecessor of the file is now, if there was one.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        on_step: Callable[[str], None],
        moved_aside: Path | None,
        kind: FileKind = CATALOG,
    ) -> None:
        self.path = path
        self.connection = connection
        self.moved_aside = moved_aside
        self._kind = kind
        self._on_step = on_step

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        on_step: Callable[[str], None] = lambda step: None,
        migrations: Sequence[Migration] | None = None,
        kind: FileKind = CATALOG,
    ) -> Database:
        """Open or create the file, check it after an unclean stop, migrate it.

        A damaged or foreign file is moved aside under a dated name and a fresh one made, unless
        its kind is primary: then StateCorrupt is raised. Raises SchemaTooNew before anything is
        touched. `migrations` stand in for those of the kind.
        """
        steps = kind.migrations if migrations is None else migrations
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        moved = None
        try:
            _refuse_newer(path, steps[-1].number, kind)
            connection = _open_checked(path, steps, on_step, kind)
        except StateCorrupt as error:
            if kind.primary:
                raise
            moved = move_aside(path)
            event = kind.event("moved_aside")
            log.warning(event, path=str(path), to=str(moved), reason=str(error))
            connection = _open_checked(path, steps, on_step, kind)
        _stamp(path).unlink(missing_ok=True)
        return cls(path, connection, on_step, moved, kind)

    @contextlib.contextmanager
    def transaction(self, step: str) -> Iterator[sqlite3.Connection]:
        """Do all that happens inside or nothing; `on_step` hears before, at commit and after."""
        self._on_step(f"{step}:begin")
        with translated(self.path, self._kind):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self._on_step(f"{step}:commit")
                self.connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    if self.connection.in_transaction:
                        self.connection.execute("ROLLBACK")
                raise
        self._on_step(f"{step}:done")

    def shrink(self) -> bool:
        """Give some free pages back to the disk; False when there are none."""
        with translated(self.path):
            if not self.connection.execute("PRAGMA freelist_count").fetchone()[0]:
                return False
            # It frees one page a step, and `execute` takes a single step when there are no columns.
            self.connection.executescript(f"PRAGMA incremental_vacuum({_SHRINK_PAGES})")
        return True

    def empty_log(self) -> bool:
        """Move the log into the file and cut it to nothing; False when a reader is in the way."""
        with translated(self.path):
            busy, _, _ = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    def close(self) -> None:
        """Close, and leave a stamp that says the file was closed in order."""
        try:
            with contextlib.suppress(sqlite3.Error):
                self.connection.execute("PRAGMA optimize")
            self.connection.close()
        except sqlite3.Error as error:
            event = self._kind.event("close_failed")
            log.warning(event, path=str(self.path), reason=str(error))
            return
        with contextlib.suppress(OSError):
            _stamp(self.path).write_text(_identity(self.path))


def _stamp(path: Path) -> Path:
    return path.with_name(path.name + ".clean")


def _identity(path: Path) -> str:
    stat = path.stat()
    return f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"


def _closed_in_order(path: Path) -> bool:
    try:
        return _stamp(path).read_text() == _identity(path)
    except (OSError, ValueError):
        return False


def _refuse_newer(path: Path, newest: int, kind: FileKind) -> None:
    """Raise SchemaTooNew, or StateCorrupt for what is no SQLite file, without writing a byte."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StateUnwritable(f"cannot open {path}: {error.strerror}") from error
    if not header:
        return
    if not header.startswith(_HEADER) or len(header) < 100:
        raise _unusable(path, f"is not a {kind.name}", kind)
    version = int.from_bytes(header[60:64], "big")
    application = int.from_bytes(header[68:72], "big")
    if application != kind.application_id or path.with_name(path.name + "-wal").exists():
        # Made just before a crash, changed in the log only, or somebody else's.
        version = _inspect(path, kind)
    if version > newest:
        raise SchemaTooNew(
            f"{path} has schema {version}, this version of paparatsd knows {newest}: "
            f"upgrade paparatsd, or move the file away {kind.rebuilt}"
        )


def _inspect(path: Path, kind: FileKind) -> int:
    """Return the schema number as a reader sees it; raises StateCorrupt for a foreign file."""
    # A rollback journal is left when a crash met the very first write: only a writer can undo it.
    interrupted = path.with_name(path.name + "-journal").exists()
    with (
        _doubted(path, kind),
        contextlib.closing(connect(path, read_only=not interrupted)) as connection,
    ):
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        version = schema_version(connection)
    if tables and application != kind.application_id:
        raise _unusable(path, "is a database of another program", kind)
    return version


def _unusable(path: Path, what: str, kind: FileKind) -> StateCorrupt:
    """Return the error for a file that cannot be opened as it is."""
    follows = kind.damaged if kind.primary else "a new one is made"
    return StateCorrupt(f"{path} {what}; {follows}")


@contextlib.contextmanager
def _doubted(path: Path, kind: FileKind) -> Iterator[None]:
    """While a file is being checked, what makes no sense means that it is damaged."""
    try:
        yield
    except UnicodeDecodeError as error:  # SQLite quotes the damage in its message
        raise _unusable(path, "is damaged beyond words", kind) from error
    except sqlite3.DatabaseError as error:
        ours = translate(error, path, kind)
        if ours is error or isinstance(ours, StateCorrupt):
            raise _unusable(path, f"is damaged: {error}", kind) from error
        raise ours from error


def _open_checked(
    path: Path, migrations: Sequence[Migration], on_step: Callable[[str], None], kind: FileKind
) -> sqlite3.Connection:
    existed = path.exists() and path.stat().st_size > 0
    trusted = existed and _closed_in_order(path)
    if not existed:
        path.touch(mode=0o600)
    with _doubted(path, kind):
        connection = connect(path, read_only=False)
    try:
        with _doubted(path, kind):
            if existed and not trusted:
                _check(connection, path, kind)  # before anything is written
            _prepare(connection)
        with translated(path, kind):
            migrate(connection, path, migrations, on_step, kind)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, path: Path, kind: FileKind) -> None:
    started = time.monotonic()
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    took_ms = round((time.monotonic() - started) * 1e3)
    log.info(kind.event("checked"), verdict=verdict, took_ms=took_ms)
    if verdict != "ok":
        told = " ".join(verdict.split())  # it comes in several lines
        raise _unusable(path, f"is damaged: {told}", kind)


def move_aside(path: Path) -> Path:
    """Rename the file, its log and its index so that nothing opens them again."""
    base = f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    target = path.with_name(base)
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{base}-{number}")
    for suffix in ("-wal", "-shm", ""):
        source = path.with_name(path.name + suffix)
        if source.exists():
            source.replace(target.with_name(target.name + suffix))
    _stamp(path).unlink(missing_ok=True)
    return target


def copies(path: Path) -> list[Path]:
    """List backups and damaged predecessors beside the file: they too hold what it held."""
    names = (f"{path.name}.damaged-*", f"{path.name}.schema-*.backup*")
    return [copy for name in names for copy in path.parent.glob(name)]
