"""Tools about the index itself: list_projects, health_check, delete_project."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from paparatsd import __version__
from paparatsd.errors import UnknownProject
from paparatsd.interfaces import shapes
from paparatsd.interfaces.history_shapes import status_json
from paparatsd.interfaces.history_words import status_words
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, failure, only
from paparatsd.interfaces.mcp.schemas import (
    COUNT,
    PROJECT,
    TEXT,
    TEXTS,
    ToolSpec,
    object_of,
    string,
)
from paparatsd.model import GroupName

if TYPE_CHECKING:
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.status_model import ProjectStatus

_LIST_PROJECTS = ToolSpec(
    name="list_projects",
    title="List projects",
    description=(
        "Say which projects are indexed, by group, with state, number of files and chunks, and "
        "languages."
    ),
    input_schema=object_of({"group": string("Only this group")}, closed=True),
    output_schema=object_of({"projects": {"type": "array", "items": PROJECT}}, ("projects",)),
)

_HEALTH_CHECK = ToolSpec(
    name="health_check",
    title="Check the index",
    description="Say whether the index works, and how many chunks each group has.",
    input_schema=object_of({}, closed=True),
    output_schema=object_of(
        {
            "status": TEXT,
            "version": TEXT,
            "groups": {"type": "object", "additionalProperties": COUNT},
            "problems": TEXTS,
        },
        ("status", "version", "groups"),
    ),
)

_DELETE_PROJECT = ToolSpec(
    name="delete_project",
    title="Delete a project from the index",
    description=(
        "Unregister a project and delete everything the index keeps of it. Files on disk are not "
        "touched. Only when the user asks for it."
    ),
    input_schema=object_of(
        {
            "project": string("The project's name", minLength=1, maxLength=200),
            "group": string("Its group; refused when it is in another one"),
        },
        ("project",),
        closed=True,
    ),
    output_schema=object_of(
        {"project": TEXT, "deleted": {"type": "boolean"}}, ("project", "deleted")
    ),
    effect="delete",
)

_PROJECT_MEMBERS = tuple(PROJECT["properties"])


async def _list_projects(service: ToolsApi, arguments: Arguments) -> ToolReply:
    group = arguments.optional_text("group")
    arguments.finish()
    projects = await service.list_projects(GroupName(group) if group else None)
    listed = [only(shapes.project_json(project), _PROJECT_MEMBERS) for project in projects]
    return ToolReply(_project_tables(projects), {"projects": listed})


async def _health_check(service: ToolsApi, arguments: Arguments) -> ToolReply:
    arguments.finish()
    state = {"version": __version__, **await service.health()}
    return ToolReply(json.dumps(state, indent=2), state)


async def _delete_project(service: ToolsApi, arguments: Arguments) -> ToolReply:
    name = arguments.text("project", max_chars=200)
    group = arguments.optional_text("group")
    arguments.finish()
    listed = await service.list_projects(None)
    project = next((one for one in listed if one.name == name), None)
    if project is None:
        return _nothing_to_delete(name)
    if group is not None and group != project.group:
        return failure(
            f"delete_project was not run: {name} is in group {project.group}, not {group}."
        )
    try:
        await service.remove_project(project.name)
    except UnknownProject:
        return _nothing_to_delete(name)
    text = f"{name} is deleted from the index. Its files on disk are untouched."
    return ToolReply(text, {"project": name, "deleted": True})


def _nothing_to_delete(name: str) -> ToolReply:
    text = f"There is no project {name!r}; nothing was deleted."
    return ToolReply(text, {"project": name, "deleted": False})


def _project_tables(projects: tuple[ProjectStatus, ...]) -> str:
    if not projects:
        return "No project is indexed. A person adds one with `paparats add PATH`."
    groups: dict[str, list[ProjectStatus]] = {}
    for project in projects:
        groups.setdefault(project.group, []).append(project)
    return "\n\n".join(_group_table(name, members) for name, members in sorted(groups.items()))


def _history(project: ProjectStatus) -> str:
    """Say of a history that is not whole how far it is."""
    history = status_json(project.history)
    if history is None or history["state"] in ("ready", "none"):
        return ""
    return f", history: {status_words(history)}"


def _group_table(name: str, projects: list[ProjectStatus]) -> str:
    rows = [f"## {name} ({sum(project.chunks for project in projects)} chunks)", ""]
    rows += ["| Project | State | Files | Chunks | Languages |", "| --- | --- | --- | --- | --- |"]
    for project in projects:
        by_files = sorted(project.languages.items(), key=lambda item: (-item[1], item[0]))
        languages = ", ".join(language for language, _ in by_files[:8])
        pending = f", {project.pending} pending" if project.pending else ""
        state = f"{project.state.value}{pending}{_history(project)}"
        rows.append(
            f"| {project.name} | {state} | {project.files} | {project.chunks} | {languages} |"
        )
    return "\n".join(rows)


LIST_PROJECTS = Tool(_LIST_PROJECTS, _list_projects)
HEALTH_CHECK = Tool(_HEALTH_CHECK, _health_check)
DELETE_PROJECT = Tool(_DELETE_PROJECT, _delete_project)
