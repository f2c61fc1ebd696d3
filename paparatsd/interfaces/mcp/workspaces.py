"""Directories as agents name them: which project one belongs to, waiting for its first index."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import anyio

from paparatsd.errors import BadQuery
from paparatsd.model import ProjectState
from paparatsd.user_paths import expanded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.interfaces.mcp.reply import Report, ToolsApi, Waiting
    from paparatsd.model import ProjectName
    from paparatsd.status_model import ProjectStatus

FIRST_POLL_S, LAST_POLL_S = 0.05, 0.5
BEGUN, INDEXED, WHOLE = 10.0, 60.0, 100.0
"""Of 100: where an index begins, where it is done, where the answer is there."""
STEP = 5.0
"""Progress of an index is told in steps of at least so much."""
DISK_S = 5.0
SLUG_CHARS = 8
STUCK = (ProjectState.ERROR, ProjectState.MISSING, ProjectState.PAUSED)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A project and the folder in it that was named, "" for its root."""

    project: ProjectStatus
    folder: str


def slug_of(root: str) -> str:
    """Return how a root is called in short: the first digits of the SHA-256 of its path."""
    return sha256(root.encode()).hexdigest()[:SLUG_CHARS]


async def canonical(text: str) -> str:
    """Return the path without links that a text means; raises BadQuery for a relative one."""
    path = unquote(text.removeprefix("file://")) if text.startswith("file://") else text
    if not path.startswith(("/", "~")):
        raise BadQuery(f"{text!r} is no absolute path; give the directory from / on")
    return await _on_disk(path)


async def _on_disk(path: str) -> str:
    with anyio.move_on_after(DISK_S):
        return await anyio.to_thread.run_sync(_real_path, path, abandon_on_cancel=True)
    raise BadQuery(f"{path} does not answer; is it on a mount that is away?")


def _real_path(path: str) -> str:
    return os.path.realpath(expanded(path))


async def find_workspace(service: ToolsApi, path: str) -> Workspace | None:
    """Return the registered project that a canonical path lies in, the innermost one.

    None also when the path lies in a repository of its own inside the project: what is in there
    is none of the project's.
    """
    holding = [one for one in await service.list_projects(None) if _holds(one.root, path)]
    if not holding:
        return None
    project = max(holding, key=lambda one: len(one.root))
    folder = path[len(project.root) :].strip("/")
    has_own: bool = await anyio.to_thread.run_sync(_has_repository, project.root, folder)
    return None if has_own else Workspace(project, folder)


def _holds(root: str, path: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _has_repository(root: str, folder: str) -> bool:
    place = Path(root)
    for part in filter(None, folder.split("/")):
        place /= part
        if (place / ".git").exists():
            return True
    return False


async def open_workspace(service: ToolsApi, text: str, waiting: Waiting) -> tuple[Workspace, str]:
    """Return the workspace of a directory, registered if it was not, and what is to be said of it.

    Waits for its first index while there is patience. Raises BadQuery when the directory is not
    there or may not be registered.
    """
    await waiting.report(0.0, "looking for the directory", WHOLE)
    path = await canonical(text)
    found, added = await find_workspace(service, path), ""
    if found is None:
        entry = await service.register(path)
        found = await find_workspace(service, path)
        if found is None:
            raise BadQuery(f"{path} was registered as {entry.name} but is gone again")
        added = f"{found.project.root} was not indexed: it is now, as project {entry.name}."
    elif found.folder and not await anyio.to_thread.run_sync(Path(path).is_dir):
        raise BadQuery(f"{path} is not a directory; give one, and a path_filter for files in it")
    unfinished = await _until_indexed(service, found.project, waiting)
    return found, " ".join(filter(None, (added, unfinished)))


async def project_named(service: ToolsApi, name: ProjectName) -> ProjectStatus:
    """Return the status of a project; raises BadQuery when it was removed meanwhile."""
    for project in await service.list_projects(None):
        if project.name == name:
            return project
    raise BadQuery(f"the project {name} was removed meanwhile")


async def meant_project(service: ToolsApi, text: str) -> ProjectStatus | None:
    """Return the project that a path, a slug or a name means, in this order."""
    projects = await service.list_projects(None)
    if text.startswith(("/", "~", "file://")):
        path = await canonical(text)
        return next((one for one in projects if one.root == path), None)
    for project in projects:
        if slug_of(project.root) == text:
            return project
    return next((one for one in projects if one.name == text), None)


def known_projects(projects: Sequence[ProjectStatus]) -> str:
    """Return the projects by name and path, for a message."""
    listed = ", ".join(f"{one.name} ({one.root})" for one in projects[:20])
    return listed + (f" and {len(projects) - 20} more" if len(projects) > 20 else "") or "none yet"


def is_first_index(project: ProjectStatus) -> bool:
    """Say whether a project was never compared with the disk as a whole."""
    return project.checked_at is None and project.state is ProjectState.INDEXING


async def _until_indexed(service: ToolsApi, project: ProjectStatus, waiting: Waiting) -> str:
    """Wait for the first index of a project; returns why it is not whole, "" when it is."""
    told, pause_s = 0.0, FIRST_POLL_S
    with anyio.move_on_after(waiting.patience_s):
        while is_first_index(project):
            told = await _tell(project, told, waiting.report)
            await anyio.sleep(pause_s)
            pause_s = min(LAST_POLL_S, pause_s * 1.5)
            project = await project_named(service, project.name)
    if project.state in STUCK:
        return f"Its index is not whole: {project.reason or project.state.value}."
    if not is_first_index(project):
        return ""
    return f"It is still being indexed ({_done(project)}): results may be missing; ask again later."


async def _tell(project: ProjectStatus, told: float, report: Report) -> float:
    """Tell how far an index is, when that is news; returns what was told last."""
    now, share = project.progress, 0.0
    if now is not None and now.files_total:
        share = min(1.0, now.files_done / now.files_total)
    value = round(BEGUN + (INDEXED - 1.0 - BEGUN) * share, 1)  # the end is told by who goes on
    if told and value < told + STEP:
        return told
    await report(value, f"indexing {project.name}: {_done(project)}", WHOLE)
    return value


def _done(project: ProjectStatus) -> str:
    now = project.progress
    if now is None:
        return "listing files"
    left = f", about {now.eta_s:.0f} s left" if now.eta_s else ""
    return f"{now.files_done} of {now.files_total} files, {now.chunks_done} chunks{left}"
