"""Tools that look over whole projects: unused_definitions and hubs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.errors import UnknownProject
from paparatsd.interfaces import graph_requests as requests
from paparatsd.interfaces import graph_shapes as shapes
from paparatsd.interfaces import graph_words as words
from paparatsd.interfaces.mcp.graph_page import (
    ENDS,
    graph_tool,
    listed,
    not_there,
    scope_of,
    start_page,
    told,
)
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, token_budget
from paparatsd.interfaces.mcp.schemas import (
    COUNT,
    NULLABLE_COUNT,
    TEXTS,
    object_of,
    whole,
)
from paparatsd.interfaces.mcp.searching import PATH

if TYPE_CHECKING:
    from paparatsd.graph_model import SurveyAnswer, SurveyRequest
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.graph_phrases import Section
    from paparatsd.interfaces.mcp.reply import ToolsApi

_TAKES = {
    "kinds": {**TEXTS, "description": "Only these: function, method, class, ..."},
    "path": PATH,
    "limit": whole("How many", 1, requests.MAX_SURVEYED, 50),
    "offset": whole("Skip so many", 0, requests.MAX_OFFSET, 0),
}
_GIVES = {
    "found": listed(
        object_of({"symbol": ENDS, "users": COUNT, "reasons": TEXTS}, ("symbol", "users"))
    ),
    "total": COUNT,
    "next_offset": NULLABLE_COUNT,
}
_UNUSED_DEFINITIONS = graph_tool(
    "unused_definitions",
    "Unused definitions",
    "List definitions that nothing indexed seems to use, the surest first, each with the doubts "
    "about it (exported, decorated, overrides, ...).",
    _TAKES,
    _GIVES,
    (),
)
_HUBS = graph_tool(
    "hubs",
    "Hubs and entry points",
    "List what most files are built on, and where programs begin: main functions and routes. A "
    "first look at an unknown project.",
    _TAKES,
    _GIVES,
    (),
)


async def _unused_definitions(service: ToolsApi, arguments: Arguments) -> ToolReply:
    request, max_tokens = _asked(arguments)
    try:
        answer = await service.graph.unused(request)
    except UnknownProject as error:
        return await _not_surveyed(service, error)
    shape = shapes.survey_json(answer)
    title = f"Definitions that nothing seems to use: {answer.total}"
    return _page(answer, shape, title, max_tokens, request, words.unused_sections(shape))


async def _hubs(service: ToolsApi, arguments: Arguments) -> ToolReply:
    request, max_tokens = _asked(arguments)
    try:
        answer = await service.graph.hubs(request)
    except UnknownProject as error:
        return await _not_surveyed(service, error)
    shape = shapes.survey_json(answer)
    title = f"Hubs and entry points: {answer.total}"
    return _page(answer, shape, title, max_tokens, request, words.hub_sections(shape))


def _asked(arguments: Arguments) -> tuple[SurveyRequest, int]:
    request = requests.survey_request(arguments, scope_of(arguments))
    max_tokens = token_budget(arguments)
    arguments.finish()
    return request, max_tokens


async def _not_surveyed(service: ToolsApi, error: UnknownProject) -> ToolReply:
    return await not_there(service, error, {"found": [], "total": 0, "next_offset": None})


def _page(
    answer: SurveyAnswer,
    shape: dict[str, Any],
    title: str,
    max_tokens: int,
    request: SurveyRequest,
    sections: list[Section],
) -> ToolReply:
    page = start_page(title, max_tokens, answer.notes, answer.freshness)

    def continued(shape: dict[str, Any]) -> str:
        end = request.offset + len(shape["found"])
        left = shape["total"] - end
        shape["next_offset"] = end if left > 0 else None
        return f"{left} more: offset={end}" if left > 0 else ""

    return told(shape, page, sections, continued)


UNUSED_DEFINITIONS = Tool(_UNUSED_DEFINITIONS, _unused_definitions)
HUBS = Tool(_HUBS, _hubs)
