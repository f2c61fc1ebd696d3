"""Rows of repositories and projects, and the counters kept of each project."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

from paparatsd.errors import Conflict, UnknownProject
from paparatsd.model import (
    CommitId,
    GroupName,
    Head,
    ProjectEntry,
    ProjectName,
    RepoId,
    Skip,
)
from paparatsd.store.ids import random_repo_id
from paparatsd.store.rows import ProjectRow, Totals

if TYPE_CHECKING:
    from collections.abc import Mapping

_COLUMNS = """p.id, p.name, p.root, p.grp, p.hooks, p.exclude, r.id, p.generation, p.branch, p.head,
    p.files, p.chunks, p.bytes, p.skipped, p.checked_at
    FROM projects p JOIN repositories r ON r.no = p.repo"""


def ensure_repo(connection: sqlite3.Connection, root: str, lineage: RepoId | None) -> RepoId:
    """Return the repository of a checkout: its lineage, else the random id kept for its root."""
    if lineage is not None:
        connection.execute("INSERT OR IGNORE INTO repositories(id) VALUES (?)", (lineage,))
        return lineage
    row = connection.execute("SELECT id FROM repositories WHERE root = ?", (root,)).fetchone()
    if row is not None:
        return RepoId(row[0])
    repo = random_repo_id()
    connection.execute("INSERT INTO repositories(id, root) VALUES (?, ?)", (repo, root))
    return repo


def repo_number(connection: sqlite3.Connection, repo: RepoId) -> int:
    """Return the row number of a repository, which must be known."""
    row = connection.execute("SELECT no FROM repositories WHERE id = ?", (repo,)).fetchone()
    if row is None:
        raise Conflict(f"repository {repo} is not in the catalog; add the project again")
    return int(row[0])


def insert_project(connection: sqlite3.Connection, entry: ProjectEntry, repo: RepoId) -> int:
    """Add a project and return its id; raises Conflict when the name is taken."""
    try:
        cursor = connection.execute(
            "INSERT INTO projects(name, root, grp, hooks, exclude, repo) VALUES (?,?,?,?,?,?)",
            (*_fields(entry), repo_number(connection, repo)),
        )
    except sqlite3.IntegrityError as error:
        raise Conflict(f"a project named {entry.name!r} exists already; choose another") from error
    return int(cursor.lastrowid or 0)


def update_project(
    connection: sqlite3.Connection, project_id: int, entry: ProjectEntry, repo: RepoId
) -> None:
    """Replace what was registered; the view, the generation and the counters stay."""
    try:
        connection.execute(
            "UPDATE projects SET name=?, root=?, grp=?, hooks=?, exclude=?, repo=? WHERE id=?",
            (*_fields(entry), repo_number(connection, repo), project_id),
        )
    except sqlite3.IntegrityError as error:
        raise Conflict(f"a project named {entry.name!r} exists already; choose another") from error


def _fields(entry: ProjectEntry) -> tuple[str, str, str, int, str]:
    return (
        entry.name,
        entry.path,
        entry.group,
        int(entry.hooks),
        json.dumps(list(entry.exclude), ensure_ascii=False),
    )


def read_projects(connection: sqlite3.Connection) -> tuple[ProjectRow, ...]:
    """Return every project, by name."""
    return tuple(map(_project, connection.execute(f"SELECT {_COLUMNS} ORDER BY p.name")))


def read_project(connection: sqlite3.Connection, name: ProjectName) -> ProjectRow:
    """Return one project; raises UnknownProject."""
    row = connection.execute(f"SELECT {_COLUMNS} WHERE p.name = ?", (name,)).fetchone()
    if row is None:
        raise UnknownProject(f"no project named {name!r}; `paparats list` shows what there is")
    return _project(row)


def read_generation(connection: sqlite3.Connection, project_id: int) -> int:
    """Return the generation of a project; 0 before the first one and when it is gone."""
    row = connection.execute(
        "SELECT generation FROM projects WHERE id = ?", (project_id,)
    ).fetchone()
    return int(row[0]) if row is not None else 0


def _project(row: tuple[object, ...]) -> ProjectRow:
    (ident, name, root, group, hooks, exclude, repo, generation, branch, head, *counts) = row
    files, chunks, size, skipped, checked_at = counts
    return ProjectRow(
        id=int(str(ident)),
        entry=ProjectEntry(
            name=ProjectName(str(name)),
            path=str(root),
            group=GroupName(str(group)),
            hooks=bool(hooks),
            exclude=tuple(json.loads(str(exclude))),
        ),
        repo=RepoId(str(repo)),
        generation=int(str(generation)),
        head=Head(
            branch=None if branch is None else str(branch),
            commit=None if head is None else CommitId(str(head)),
        ),
        files=int(str(files)),
        chunks=int(str(chunks)),
        bytes=int(str(size)),
        skipped=int(str(skipped)),
        checked_at=checked_at if isinstance(checked_at, float) else None,
    )


def set_head(connection: sqlite3.Connection, project_id: int, head: Head) -> None:
    """Note where the checkout stands."""
    connection.execute(
        "UPDATE projects SET branch = ?, head = ? WHERE id = ?",
        (head.branch, head.commit, project_id),
    )


def add_counts(
    connection: sqlite3.Connection, project_id: int, what: str, deltas: Mapping[str, int]
) -> None:
    """Add to the counters `what` (language or skip) of a project; zero counters go."""
    rows = [(project_id, what, key, n) for key, n in deltas.items() if n]
    connection.executemany(
        "INSERT INTO counts VALUES (?,?,?,?) "
        "ON CONFLICT(project, what, key) DO UPDATE SET n = n + excluded.n",
        rows,
    )
    if any(n < 0 for *_, n in rows):
        connection.execute("DELETE FROM counts WHERE project = ? AND n = 0", (project_id,))


def read_totals(connection: sqlite3.Connection, project_id: int) -> Totals:
    """Return the counters of a project."""
    row = connection.execute(
        "SELECT files, chunks, bytes FROM projects WHERE id = ?", (project_id,)
    ).fetchone()
    counters: dict[str, dict[str, int]] = {"language": {}, "skip": {}}
    for what, key, n in connection.execute(
        "SELECT what, key, n FROM counts WHERE project = ? ORDER BY n DESC, key", (project_id,)
    ):
        counters[what][key] = n
    files, chunks, size = row or (0, 0, 0)
    skipped = {Skip(key): n for key, n in counters["skip"].items()}
    return Totals(files, chunks, size, counters["language"], skipped)
