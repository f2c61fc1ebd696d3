"""Tools that show code: search_code and get_chunk."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from paparatsd.errors import UnknownAddress, UnknownProject
from paparatsd.interfaces import shapes
from paparatsd.interfaces.arguments import changed_filter
from paparatsd.interfaces.hints import unknown_kinds, unknown_languages
from paparatsd.interfaces.history_shapes import last_change_json
from paparatsd.interfaces.history_words import change_line
from paparatsd.interfaces.mcp.page import shortened
from paparatsd.interfaces.mcp.reply import (
    Tool,
    ToolReply,
    cleaned,
    not_asked,
    only,
    token_budget,
)
from paparatsd.interfaces.mcp.schemas import (
    ESTIMATE,
    FOUND,
    FRESHNESS,
    HIT,
    MAX_QUESTION_CHARS,
    MAX_TOKENS_INPUT,
    NULLABLE_COUNT,
    TEXT,
    TEXTS,
    ToolSpec,
    flag,
    object_of,
    question,
    string,
    whole,
)
from paparatsd.model import GroupName, ProjectName
from paparatsd.plain_text import clean_text
from paparatsd.search.render import render_answer, render_chunk
from paparatsd.search_model import SearchRequest
from paparatsd.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.search_model import Hit, SearchAnswer

MAX_RESULTS = 20
MAX_OFFSET = 80
MAX_RADIUS_LINES = 200

LIMIT = whole("How many results", 1, MAX_RESULTS, 5)
OFFSET = whole("Skip so many results, to continue an answer", 0, MAX_OFFSET, 0)
PATH = string("Only paths that match this glob, for example src/**/*.py")

_SEARCH_CODE = ToolSpec(
    name="search_code",
    title="Search code",
    description=(
        "Find code by meaning or by name in the indexed projects. Takes a plain-language question "
        '("where are retries limited"), an identifier, or a piece of code. Returns the best '
        "chunks with path, lines, address and confidence. Call this first for any question about "
        "code."
    ),
    input_schema=question(
        "query",
        "What to look for",
        LIMIT,
        path=PATH,
        language=string("Only this language, for example python"),
        kind=string("Only this kind of chunk: function, class, method, section, ..."),
        fresh=flag("Check the index against the disk first"),
        offset=OFFSET,
        related=flag("Also name callers, callees, the enclosing class and tests of results"),
        history=flag("Also say when each result changed last, by whom, for which ticket"),
        explain=flag("Also show how each result's score and confidence came about"),
    ),
    output_schema=object_of(
        {
            "query": TEXT,
            "results": {"type": "array", "items": FOUND},
            "freshness": {"type": "array", "items": FRESHNESS},
            "notes": TEXTS,
            "next_offset": NULLABLE_COUNT,
            "tokens": ESTIMATE,
            "meanings": {"type": "object", "additionalProperties": TEXT},
        },
        ("query", "results", "freshness", "notes", "next_offset", "tokens"),
    ),
)

_GET_CHUNK = ToolSpec(
    name="get_chunk",
    title="Read a chunk",
    description=(
        "Read one chunk of code by the address a search result gave "
        "(project:path#Qualified.name), or by place (project:path:line, project:path:start-end), "
        "with the chunks around it when radius_lines is over 0."
    ),
    input_schema=object_of(
        {
            "address": string("The address of the chunk", minLength=1, maxLength=8192),
            "radius_lines": whole("Also show chunks within so many lines", 0, MAX_RADIUS_LINES, 0),
            "max_tokens": MAX_TOKENS_INPUT,
        },
        ("address",),
        closed=True,
    ),
    output_schema=object_of(
        {
            "found": {"type": "boolean"},
            "address": TEXT,
            "target": {"anyOf": [HIT, {"type": "null"}]},
            "neighbours": {"type": "array", "items": HIT},
            "freshness": {"anyOf": [FRESHNESS, {"type": "null"}]},
            "tokens": ESTIMATE,
        },
        ("found", "address", "target", "neighbours", "freshness", "tokens"),
    ),
)

_HIT_MEMBERS = tuple(FOUND["properties"])
_ANSWER_MEMBERS = tuple(_SEARCH_CODE.output_schema["properties"])


async def _search_code(service: ToolsApi, arguments: Arguments) -> ToolReply:
    query, limit, offset, max_tokens = window(arguments)
    request = SearchRequest(
        query=query,
        limit=limit + offset,
        projects=projects_of(arguments),
        groups=groups_of(arguments),
        paths=arguments.texts("path"),
        languages=arguments.texts("language"),
        kinds=arguments.texts("kind"),
        fresh=arguments.flag("fresh", default=False),
        related=arguments.flag("related", default=False),
        explain=arguments.flag("explain", default=False),
        changed=changed_filter(arguments),
        history=arguments.flag("history", default=False),
    )
    arguments.finish()
    try:
        answer = await service.search(request)
    except UnknownProject as error:
        return await not_asked(service, error, nothing_found(request.query))
    if not answer.hits:
        answer = replace(answer, notes=(*answer.notes, *await _misspelt(service, request)))
    return found(answer, max_tokens, offset, explain=request.explain)


class Window(NamedTuple):
    """A question, and which of its results are to be shown in how many tokens."""

    query: str
    limit: int
    offset: int
    max_tokens: int


def window(arguments: Arguments) -> Window:
    """Take what a search asks for and how much of the answer it wants to see."""
    return Window(
        query=arguments.text("query", max_chars=MAX_QUESTION_CHARS),
        limit=arguments.number("limit", default=5, low=1, high=MAX_RESULTS),
        offset=arguments.number("offset", default=0, low=0, high=MAX_OFFSET),
        max_tokens=token_budget(arguments),
    )


def projects_of(arguments: Arguments) -> tuple[ProjectName, ...]:
    """Take `project`; empty for all."""
    project = arguments.optional_text("project")
    return () if project in (None, "all") else (ProjectName(str(project)),)


def groups_of(arguments: Arguments) -> tuple[GroupName, ...]:
    """Take `group`; empty for all."""
    group = arguments.optional_text("group")
    return () if group is None else (GroupName(group),)


def nothing_found(query: str) -> dict[str, Any]:
    """Return an answer to a search without results."""
    return {"query": query, "results": [], "freshness": [], "next_offset": None}


def found(
    answer: SearchAnswer, max_tokens: int, offset: int, *, explain: bool = False
) -> ToolReply:
    """Return an answer as text within its budget, and the same hits as data."""
    rendered = render_answer(answer, max_tokens, offset, explain=explain, more=change_lines)
    shown = replace(answer, hits=rendered.hits)
    shape = shapes.answer_json(shown, rendered.next_offset, explain=explain)
    shape["results"] = [hit_shape(hit) for hit in shape["results"]]
    shape["tokens"] = estimate_tokens(rendered.text)
    return ToolReply(rendered.text, only(shape, _ANSWER_MEMBERS))


def change_lines(hit: Hit) -> list[str]:
    """Return the line of history of a hit, if it was asked for."""
    if hit.last_change is None:
        return []
    return [shortened(change_line(last_change_json(hit.last_change)))]


def hit_shape(shape: Mapping[str, Any]) -> dict[str, Any]:
    """Return a hit for a model: without control characters."""
    members = only(shape, _HIT_MEMBERS)
    if "last_change" in members:
        members["last_change"] = cleaned(members["last_change"])
    return {**members, "text": clean_text(shape["text"])}


async def _misspelt(service: ToolsApi, request: SearchRequest) -> list[str]:
    """Return what to say of filters that could let nothing through."""
    languages: list[str] = []
    if request.languages:
        for project in await service.list_projects(None):
            in_projects = not request.projects or project.name in request.projects
            if in_projects and (not request.groups or project.group in request.groups):
                languages += project.languages
    told = (
        unknown_languages(request.languages, languages),
        unknown_kinds(request.kinds),
    )
    return [f"{note[0].upper()}{note[1:]}." for note in told if note]


async def _get_chunk(service: ToolsApi, arguments: Arguments) -> ToolReply:
    address = arguments.text("address", max_chars=8_192)
    radius = arguments.number("radius_lines", default=0, low=0, high=MAX_RADIUS_LINES)
    max_tokens = token_budget(arguments)
    arguments.finish()
    try:
        view = await service.show(address, radius)
    except (UnknownAddress, UnknownProject) as error:
        text = nothing_there(error)
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
        "target": hit_shape(shape["target"]),
        "neighbours": [hit_shape(hit) for hit in shape["neighbours"]],
        "freshness": shape["freshness"],
        "tokens": estimate_tokens(rendered.text),
    }
    return ToolReply(rendered.text, structured)


def nothing_there(error: UnknownAddress | UnknownProject) -> str:
    """Say that an address names nothing, and what to do."""
    return (
        f"Nothing found: {error}. The code may have been renamed or removed since the "
        "address was given; search_code finds where it is now."
    )


SEARCH_CODE = Tool(_SEARCH_CODE, _search_code)
GET_CHUNK = Tool(_GET_CHUNK, _get_chunk)
