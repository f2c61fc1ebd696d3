"""What the tools of the `coding` toolset do. No SDK here: plain arguments in, a reply out."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import anyio
import structlog

from paparatsd import __version__
from paparatsd.errors import BadQuery, PaparatsError, UnknownAddress, UnknownProject
from paparatsd.interfaces import shapes
from paparatsd.interfaces.arguments import Arguments
from paparatsd.interfaces.hints import unknown_kinds, unknown_languages
from paparatsd.interfaces.mcp import schemas
from paparatsd.model import GroupName, ProjectName, SearchRequest
from paparatsd.search.render import clean_text, render_answer, render_chunk
from paparatsd.search.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from paparatsd.interfaces.api import ServiceApi
    from paparatsd.model import ProjectStatus, SearchAnswer

log = structlog.get_logger()

DEADLINE_S = 60.0
PROGRESS_EVERY_S = 1.0
_HIT_MEMBERS = tuple(
    schemas.SEARCH_CODE.output_schema["properties"]["results"]["items"]["properties"]
)
_ANSWER_MEMBERS = tuple(schemas.SEARCH_CODE.output_schema["properties"])
_PROJECT_MEMBERS = tuple(
    schemas.LIST_PROJECTS.output_schema["properties"]["projects"]["items"]["properties"]
)


@dataclass(frozen=True, slots=True)
class ToolReply:
    """Text for the model, the same as data, and whether it is a failure."""

    text: str
    structured: dict[str, Any] | None
    is_error: bool = False


def _failure(text: str) -> ToolReply:
    return ToolReply(text, None, is_error=True)


class CodingTools:
    """The five tools over one service."""

    def __init__(self, service: ServiceApi, progress_every_s: float = PROGRESS_EVERY_S) -> None:
        self._service = service
        self._progress_every_s = progress_every_s
        self._calls: dict[str, Callable[[Arguments], Awaitable[ToolReply]]] = {
            "search_code": self._search_code,
            "get_chunk": self._get_chunk,
            "list_projects": self._list_projects,
            "health_check": self._health_check,
            "delete_project": self._delete_project,
        }

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        report: Callable[[float, str], Awaitable[None]],
    ) -> ToolReply:
        """Run one of the tools of `schemas.CODING`; every failure is a reply a model can act on.

        `report` is told now and then that the call is still running.
        """
        call = self._calls[name]
        try:
            with anyio.fail_after(DEADLINE_S):
                return await _reporting(
                    lambda: call(Arguments(arguments)), report, self._progress_every_s
                )
        except BadQuery as error:
            return _failure(f"{name} was not run: {error}.")
        except PaparatsError as error:
            return _failure(_advice(name, arguments, error))
        except TimeoutError:
            return _failure(f"{name} was given up after {DEADLINE_S:g} s. Try a narrower question.")
        except Exception:  # the border: the model learns nothing internal, the log everything
            log.exception("tool_crashed", tool=name)
            return _failure(
                f"{name} failed for an internal reason; the daemon's log has the details. "
                "health_check says whether the index works."
            )

    # ------------------------------------------------------------------ reading

    async def _search_code(self, arguments: Arguments) -> ToolReply:
        limit = arguments.number("limit", default=5, low=1, high=schemas.MAX_RESULTS)
        offset = arguments.number("offset", default=0, low=0, high=schemas.MAX_OFFSET)
        max_tokens = _token_budget(arguments)
        project = arguments.optional_text("project")
        group = arguments.optional_text("group")
        request = SearchRequest(
            query=arguments.text("query", max_chars=4_000),
            limit=limit + offset,
            projects=() if project in (None, "all") else (ProjectName(str(project)),),
            groups=() if group is None else (GroupName(group),),
            paths=arguments.texts("path"),
            languages=arguments.texts("language"),
            kinds=arguments.texts("kind"),
            fresh=arguments.flag("fresh", default=False),
            related=arguments.flag("related", default=False),
            explain=arguments.flag("explain", default=False),
        )
        arguments.finish()
        try:
            answer = await self._service.search(request)
        except UnknownProject as error:
            return await self._nothing(request.query, str(error))
        if not answer.hits:
            answer = replace(answer, notes=(*answer.notes, *await self._misspelt(request)))
        return _found(answer, max_tokens, offset, explain=request.explain)

    async def _nothing(self, query: str, reason: str) -> ToolReply:
        names = [str(project.name) for project in await self._service.list_projects(None)]
        text = f"Nothing was searched: {reason}."
        if not names or not all(name in reason for name in names):
            text += f" Indexed projects: {', '.join(names) or 'none yet'}."
        empty: dict[str, Any] = {"results": [], "freshness": [], "next_offset": None}
        said = {"query": query, "notes": [text], "tokens": estimate_tokens(text)}
        return ToolReply(text, {**said, **empty})

    async def _misspelt(self, request: SearchRequest) -> list[str]:
        """Return what to say of filters that could let nothing through."""
        languages: list[str] = []
        if request.languages:
            for project in await self._service.list_projects(None):
                in_projects = not request.projects or project.name in request.projects
                if in_projects and (not request.groups or project.group in request.groups):
                    languages += project.languages
        told = (
            unknown_languages(request.languages, languages),
            unknown_kinds(request.kinds),
        )
        return [f"{note[0].upper()}{note[1:]}." for note in told if note]

    async def _get_chunk(self, arguments: Arguments) -> ToolReply:
        address = arguments.text("address", max_chars=8_192)
        radius = arguments.number("radius_lines", default=0, low=0, high=schemas.MAX_RADIUS_LINES)
        max_tokens = _token_budget(arguments)
        arguments.finish()
        try:
            view = await self._service.show(address, radius)
        except (UnknownAddress, UnknownProject) as error:
            text = (
                f"Nothing found: {error}. The code may have been renamed or removed since the "
                "address was given; search_code finds where it is now."
            )
            missing: dict[str, Any] = {
                "found": False,
                "target": None,
                "neighbours": [],
                "freshness": None,
                "tokens": estimate_tokens(text),
            }
            return ToolReply(text, {"address": address, **missing})
        rendered = render_chunk(view, max_tokens)
        target, *neighbours = rendered.hits
        neighbours.sort(key=lambda hit: hit.start_line)
        shape = shapes.view_json(replace(view, target=target, neighbours=tuple(neighbours)))
        structured = {
            "found": True,
            "address": target.address,
            "target": _hit(shape["target"]),
            "neighbours": [_hit(hit) for hit in shape["neighbours"]],
            "freshness": shape["freshness"],
            "tokens": estimate_tokens(rendered.text),
        }
        return ToolReply(rendered.text, structured)

    async def _list_projects(self, arguments: Arguments) -> ToolReply:
        group = arguments.optional_text("group")
        arguments.finish()
        projects = await self._service.list_projects(GroupName(group) if group else None)
        listed = [_only(shapes.project_json(project), _PROJECT_MEMBERS) for project in projects]
        return ToolReply(_project_tables(projects), {"projects": listed})

    async def _health_check(self, arguments: Arguments) -> ToolReply:
        arguments.finish()
        state = {"version": __version__, **await self._service.health()}
        return ToolReply(json.dumps(state, indent=2), state)

    # ------------------------------------------------------------------ deleting

    async def _delete_project(self, arguments: Arguments) -> ToolReply:
        name = arguments.text("project", max_chars=200)
        group = arguments.optional_text("group")
        arguments.finish()
        listed = await self._service.list_projects(None)
        project = next((one for one in listed if one.name == name), None)
        if project is None:
            return _nothing_to_delete(name)
        if group is not None and group != project.group:
            return _failure(
                f"delete_project was not run: {name} is in group {project.group}, not {group}."
            )
        try:
            await self._service.remove_project(project.name)
        except UnknownProject:
            return _nothing_to_delete(name)
        text = f"{name} is deleted from the index. Its files on disk are untouched."
        return ToolReply(text, {"project": name, "deleted": True})


def _found(answer: SearchAnswer, max_tokens: int, offset: int, *, explain: bool) -> ToolReply:
    """Return an answer as text within its budget, and the same hits as data."""
    rendered = render_answer(answer, max_tokens, offset, explain=explain)
    shown = replace(answer, hits=rendered.hits)
    shape = shapes.answer_json(shown, rendered.next_offset, explain=explain)
    shape["results"] = [_hit(hit) for hit in shape["results"]]
    shape["tokens"] = estimate_tokens(rendered.text)
    return ToolReply(rendered.text, _only(shape, _ANSWER_MEMBERS))


def _nothing_to_delete(name: str) -> ToolReply:
    text = f"There is no project {name!r}; nothing was deleted."
    return ToolReply(text, {"project": name, "deleted": False})


def _token_budget(arguments: Arguments) -> int:
    return arguments.number(
        "max_tokens",
        default=schemas.DEFAULT_TOKENS,
        low=schemas.MIN_TOKENS,
        high=schemas.MAX_TOKENS,
    )


def _only(members: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: members[name] for name in names if name in members}


def _hit(shape: Mapping[str, Any]) -> dict[str, Any]:
    """Return a hit for a model: without control characters."""
    return {**_only(shape, _HIT_MEMBERS), "text": clean_text(shape["text"])}


def _advice(name: str, arguments: Mapping[str, Any], error: PaparatsError) -> str:
    query = str(arguments.get("query", ""))[:200]
    about = f" for {query!r}" if query else ""
    group = arguments.get("group")
    scope = f" in group {str(group)[:100]}" if group else " in all groups"
    return (
        f"{name} failed{about}{scope}: {error}.\n"
        "What may help:\n"
        "- health_check and list_projects say whether the project is indexed;\n"
        "- a shorter, simpler query;\n"
        "- one project or group instead of all."
    )


def _project_tables(projects: tuple[ProjectStatus, ...]) -> str:
    if not projects:
        return "No project is indexed. A person adds one with `paparats add PATH`."
    groups: dict[str, list[ProjectStatus]] = {}
    for project in projects:
        groups.setdefault(project.group, []).append(project)
    return "\n\n".join(_group_table(name, members) for name, members in sorted(groups.items()))


def _group_table(name: str, projects: list[ProjectStatus]) -> str:
    rows = [f"## {name} ({sum(project.chunks for project in projects)} chunks)", ""]
    rows += ["| Project | State | Files | Chunks | Languages |", "| --- | --- | --- | --- | --- |"]
    for project in projects:
        by_files = sorted(project.languages.items(), key=lambda item: (-item[1], item[0]))
        languages = ", ".join(language for language, _ in by_files[:8])
        state = project.state.value + (f", {project.pending} pending" if project.pending else "")
        rows.append(
            f"| {project.name} | {state} | {project.files} | {project.chunks} | {languages} |"
        )
    return "\n".join(rows)


async def _reporting(
    work: Callable[[], Awaitable[ToolReply]],
    report: Callable[[float, str], Awaitable[None]],
    every_s: float,
) -> ToolReply:
    """Await the work, saying now and then that it is still under way; the value is seconds."""
    failure: Exception | None = None
    reply: ToolReply | None = None
    async with anyio.create_task_group() as tasks:

        async def tick() -> None:
            elapsed = 0.0
            while True:
                await report(elapsed, "searching" if elapsed == 0 else "still working")
                await anyio.sleep(every_s)
                elapsed += every_s

        tasks.start_soon(tick)
        try:
            reply = await work()
        except Exception as error:  # noqa: BLE001 - raised again below, outside the group
            failure = error
        tasks.cancel_scope.cancel()
    if reply is None:
        raise failure if failure is not None else RuntimeError("no reply")
    return reply
