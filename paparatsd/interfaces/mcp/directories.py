"""Tools by which agents look after the directories that are indexed: the toolset `projects`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery, Conflict, UnknownProject
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, failure
from paparatsd.interfaces.mcp.schemas import (
    COUNT,
    NULLABLE_TEXT,
    TEXT,
    TEXTS,
    ToolSpec,
    object_of,
    string,
)
from paparatsd.interfaces.mcp.workspaces import (
    canonical,
    find_workspace,
    is_first_index,
    known_projects,
    meant_project,
    slug_of,
)
from paparatsd.model import Depth, ProjectState
from paparatsd.plain_text import one_line

if TYPE_CHECKING:
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.interfaces.mcp.schemas import Effect, Schema
    from paparatsd.status_model import ProjectStatus

MAX_PATH_CHARS = 4_096
NEVER = "never"

INDEXED = object_of(
    {
        "path": TEXT,
        "name": TEXT,
        "slug": TEXT,
        "files": COUNT,
        "chunks": COUNT,
        "last_indexed": string("ISO 8601, or never"),
        "state": string("never-indexed, indexing, idle or error"),
        "reason": TEXT,
        "pending": COUNT,
        "skipped": COUNT,
        "branch": NULLABLE_TEXT,
        "freshness": string("current, or stale when the index is behind the disk"),
    },
    ("path", "name", "slug", "files", "chunks", "last_indexed", "state"),
)
"""One registered directory."""
_FOUND = object_of(
    {
        "path": TEXT,
        "registered": {"type": "boolean"},
        "project": {"anyOf": [INDEXED, {"type": "null"}]},
        "notes": TEXTS,
    },
    ("path", "registered", "project", "notes"),
)
_PATH = string("Absolute path of the directory; its name in list_projects is taken too")


def _tool_spec(
    name: str,
    title: str,
    description: str,
    takes: Schema,
    gives: Schema = _FOUND,
    effect: Effect = "read",
) -> ToolSpec:
    needs = ("path",) if "path" in takes else ()
    return ToolSpec(name, title, description, object_of(takes, needs, closed=True), gives, effect)


_ADD_PROJECT = _tool_spec(
    "add_project",
    "Add a project",
    "Register a directory and begin to index it in the background; returns at once. Of a "
    "directory in a git repository the whole repository is registered. Adding it again says how "
    "it is. semantic_search can be asked at once; its answer says when the index is not whole.",
    {
        "path": string("Absolute path of the directory", minLength=1, maxLength=MAX_PATH_CHARS),
        "name": string("A name for it, of letters, digits, '_', '-' and '.'; unset: its last part"),
    },
    effect="add",
)
_LOOKUP_PROJECT = _tool_spec(
    "lookup_project",
    "Look a project up",
    "Say whether a directory is indexed, and as part of which project. Changes nothing.",
    {"path": _PATH},
)
_REMOVE_PROJECT = _tool_spec(
    "remove_project",
    "Remove a project",
    "Unregister a directory and delete everything the index keeps of it. Files on disk are not "
    "touched. Only when the user asks for it.",
    {"path": _PATH},
    object_of({"path": TEXT, "removed": {"type": "boolean"}}, ("path", "removed")),
    effect="delete",
)
_LIST_PROJECTS = _tool_spec(
    "list_projects",
    "List projects",
    "Say which directories are indexed, with files, chunks, time of the last index, and state.",
    {},
    object_of({"projects": {"type": "array", "items": INDEXED}}, ("projects",)),
)
_INDEX_STATUS = _tool_spec(
    "index_status",
    "Status of an index",
    "Say how the index of a directory is: state, files, chunks, what is still to come and what "
    "went wrong. Also has it compared with the disk.",
    {"path": _PATH},
)
_REINDEX_PROJECT = _tool_spec(
    "reindex_project",
    "Index a project anew",
    "Have every file of a project read and built again in the background. Seldom needed: every "
    "change is noticed by itself. What is indexed answers meanwhile.",
    {"path": _PATH},
    effect="add",
)


async def _add_project(service: ToolsApi, arguments: Arguments) -> ToolReply:
    text = arguments.text("path", max_chars=MAX_PATH_CHARS)
    name = arguments.optional_text("name", max_chars=200)
    arguments.finish()
    path = await canonical(text)
    found = await find_workspace(service, path)
    if found is not None and name in (None, found.project.name):
        return _told(path, found.project, "is registered already" + _as_part(found.folder))
    try:
        entry = await service.register(path, name=name)
    except Conflict as error:
        return failure(f"add_project was not run: {error}.")
    project = await meant_project(service, entry.path)
    if project is None:
        raise BadQuery(f"{entry.path} was registered and removed again meanwhile")
    part = _as_part(path[len(project.root) :].strip("/"))
    return _told(path, project, f"is registered{part}; it is being indexed in the background")


async def _lookup_project(service: ToolsApi, arguments: Arguments) -> ToolReply:
    text = _path(arguments)
    project = await meant_project(service, text)
    if project is not None:
        return _told(project.root, project, "is registered")
    if not text.startswith(("/", "~", "file://")):
        return await _missing(service, text)
    path = await canonical(text)
    found = await find_workspace(service, path)
    if found is None:
        return await _missing(service, path)
    return _told(path, found.project, "is indexed" + _as_part(found.folder))


async def _index_status(service: ToolsApi, arguments: Arguments) -> ToolReply:
    text = _path(arguments)
    project = await meant_project(service, text)
    if project is None:
        return await _missing(service, text)
    await service.reindex(project.name, Depth.CHANGED)
    return _told(project.root, project, "is registered")


async def _reindex_project(service: ToolsApi, arguments: Arguments) -> ToolReply:
    text = _path(arguments)
    project = await meant_project(service, text)
    if project is None:
        return await _missing(service, text)
    await service.reindex(project.name, Depth.FULL)
    return _told(project.root, project, "is indexed anew in the background")


async def _remove_project(service: ToolsApi, arguments: Arguments) -> ToolReply:
    text = _path(arguments)
    project = await meant_project(service, text)
    if project is None or not await _is_removed(service, project):
        listed = known_projects(await service.list_projects(None))
        said = f"{one_line(text)} is not registered; nothing was removed. Registered: {listed}."
        return ToolReply(said, {"path": text, "removed": False})
    said = f"{project.root} is removed from the index. Its files on disk are untouched."
    return ToolReply(said, {"path": project.root, "removed": True})


async def _is_removed(service: ToolsApi, project: ProjectStatus) -> bool:
    """Remove a project; False when somebody else did."""
    try:
        await service.remove_project(project.name)
    except UnknownProject:
        return False
    return True


async def _list_projects(service: ToolsApi, arguments: Arguments) -> ToolReply:
    arguments.finish()
    projects = await service.list_projects(None)
    lines = [_line(project) for project in projects]
    text = "\n".join(lines) or "No project is registered. add_project registers one."
    return ToolReply(text, {"projects": [indexed_json(project) for project in projects]})


def _path(arguments: Arguments) -> str:
    text = arguments.text("path", max_chars=MAX_PATH_CHARS)
    arguments.finish()
    return text


def _as_part(folder: str) -> str:
    return f" as the folder {one_line(folder)} of its repository" if folder else ""


def _told(path: str, project: ProjectStatus, said: str) -> ToolReply:
    text = f"{one_line(path)} {said}.\n{_line(project)}"
    data = {"path": path, "registered": True, "project": indexed_json(project), "notes": []}
    return ToolReply(text, data)


async def _missing(service: ToolsApi, path: str) -> ToolReply:
    listed = known_projects(await service.list_projects(None))
    text = f"{one_line(path)} is not registered. Registered: {listed}."
    return ToolReply(text, {"path": path, "registered": False, "project": None, "notes": [text]})


def _line(project: ProjectStatus) -> str:
    shape = indexed_json(project)
    facts = [
        f"{shape['path']}",
        f"name {shape['name']}",
        f"{shape['files']} files",
        f"{shape['chunks']} chunks",
        f"indexed {shape['last_indexed']}",
        shape["state"] + (f" ({one_line(project.reason)})" if project.reason else ""),
    ]
    now = project.progress
    if now is not None and project.state is ProjectState.INDEXING:
        facts.append(f"{now.files_done} of {now.files_total} files done")
    if project.skipped:
        facts.append(f"{project.skipped} files skipped")
    return " | ".join(map(one_line, facts))


def indexed_json(project: ProjectStatus) -> dict[str, Any]:
    """Return one registered directory."""
    return {
        "path": project.root,
        "name": project.name,
        "slug": slug_of(project.root),
        "files": project.files,
        "chunks": project.chunks,
        "last_indexed": _last_indexed(project),
        "state": _state(project),
        "reason": project.reason,
        "pending": project.pending,
        "skipped": project.skipped,
        "branch": project.branch,
        "freshness": project.freshness.value,
    }


def _state(project: ProjectStatus) -> str:
    if project.state is ProjectState.INDEXING:
        return "indexing"
    if project.state in (ProjectState.READY, ProjectState.DEGRADED):
        return "idle"
    return "never-indexed" if is_first_index(project) or not project.checked_at else "error"


def _last_indexed(project: ProjectStatus) -> str:
    if project.checked_at is None:
        return NEVER
    return datetime.fromtimestamp(project.checked_at, UTC).isoformat(timespec="seconds")


ADD_PROJECT = Tool(_ADD_PROJECT, _add_project)
LOOKUP_PROJECT = Tool(_LOOKUP_PROJECT, _lookup_project)
REMOVE_PROJECT = Tool(_REMOVE_PROJECT, _remove_project)
LIST_DIRECTORIES = Tool(_LIST_PROJECTS, _list_projects)
INDEX_STATUS = Tool(_INDEX_STATUS, _index_status)
REINDEX_PROJECT = Tool(_REINDEX_PROJECT, _reindex_project)
