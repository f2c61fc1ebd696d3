"""Tools that follow a name: find_usages, go_to_definition and call_paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.errors import UnknownAddress, UnknownProject
from paparatsd.graph_model import Direction, Relation
from paparatsd.interfaces import graph_requests as requests
from paparatsd.interfaces import graph_shapes as shapes
from paparatsd.interfaces import graph_words as words
from paparatsd.interfaces.mcp.graph_page import (
    ADDRESS,
    CERTAINTY,
    EDGE,
    ENDS,
    SYMBOL,
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
    NULLABLE_TEXT,
    TEXT,
    flag,
    object_of,
    whole,
)
from paparatsd.interfaces.mcp.searching import PATH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi

_SIDE = {
    "anyOf": [
        object_of(
            {
                "edges": listed(EDGE),
                "total": COUNT,
                "more": NULLABLE_COUNT,
                "capped": {"type": "boolean"},
            },
            ("edges", "total", "more", "capped"),
        ),
        {"type": "null"},
    ]
}
_FIND_USAGES = graph_tool(
    "find_usages",
    "Find usages",
    "Say who uses a symbol (incoming) or what it uses (outgoing): calls, references, subclasses, "
    "overrides, imports, tests, HTTP requests, with lines, also across projects. Unlike a text "
    "search it tells namesakes apart and follows aliases.",
    {
        "address": ADDRESS,
        "direction": {"type": "string", "enum": list(Direction), "default": "incoming"},
        "relations": {
            "type": "array",
            "items": {"type": "string", "enum": list(Relation)},
            "description": "Only these",
        },
        "path": PATH,
        "limit": whole("How many, per direction", 1, requests.MAX_EDGES, 20),
        "offset": whole("Skip so many", 0, requests.MAX_OFFSET, 0),
        "include_tests": flag("Also users in tests", default=True),
        "include_hubs": flag("Also ends that are used everywhere", default=True),
    },
    {
        "at": TEXT,
        "found": listed(
            object_of(
                {"symbol": SYMBOL, "incoming": _SIDE, "outgoing": _SIDE},
                ("symbol", "incoming", "outgoing"),
            )
        ),
        "meant": COUNT,
    },
    ("address",),
)
_GO_TO_DEFINITION = graph_tool(
    "go_to_definition",
    "Go to definition",
    "Say where a name is defined, or what stands at a position of a file (project:path:LINE:COLUMN,"
    " columns from 1), through imports, aliases and receiver types.",
    {"address": ADDRESS, "limit": whole("How many", 1, requests.MAX_DEFINITIONS, 10)},
    {
        "at": TEXT,
        "name": TEXT,
        "found": listed(
            object_of(
                {"symbol": SYMBOL, "certainty": CERTAINTY, "note": TEXT}, ("symbol", "certainty")
            )
        ),
        "total": COUNT,
        "external": NULLABLE_TEXT,
    },
    ("address",),
)
_CALL_PATHS = graph_tool(
    "call_paths",
    "Call paths",
    "Say how one symbol comes to call another: the shortest chains of calls.",
    {
        "source": {**ADDRESS, "description": "The caller, as address of find_usages"},
        "target": {**ADDRESS, "description": "What is reached"},
        "max_hops": whole("Calls in a chain at most", 1, requests.MAX_PATH_HOPS, 6),
    },
    {
        "source": listed(ENDS),
        "target": listed(ENDS),
        "paths": listed(
            object_of({"symbols": listed(ENDS), "edges": listed(EDGE)}, ("symbols", "edges"))
        ),
    },
    ("source", "target"),
)


async def _find_usages(service: ToolsApi, arguments: Arguments) -> ToolReply:
    request = requests.usages_request(arguments, scope_of(arguments))
    max_tokens = token_budget(arguments)
    arguments.finish()
    empty = {"at": request.at, "found": [], "meant": 0}
    try:
        answer = await service.graph.usages(request)
    except (UnknownAddress, UnknownProject) as error:
        return await not_there(service, error, empty)
    shape = shapes.usages_json(answer)
    page = start_page(f"Usages of {request.at!r}", max_tokens, answer.notes, answer.freshness)

    def continued(shape: dict[str, Any]) -> str:
        _go_on(shape, request.offset)
        if words.goes_on_elsewhere(shape):
            return "more users of some of these: ask with the address of one"
        return "; ".join(
            f"{left} more: direction={side}, offset={offset}"
            for side, offset, left in words.usages_more(shape)
        )

    return told(shape, page, words.usages_sections(shape), continued, whole="found")


def _go_on(shape: Mapping[str, Any], offset: int) -> None:
    """Say in the data of each side where it goes on, now that it may have been cut."""
    for found in shape["found"]:
        for side in (found["incoming"], found["outgoing"]):
            if side is not None:
                end = offset + len(side["edges"])
                side["more"] = end if end < side["total"] else None


async def _go_to_definition(service: ToolsApi, arguments: Arguments) -> ToolReply:
    request = requests.definition_request(arguments, scope_of(arguments))
    max_tokens = token_budget(arguments)
    arguments.finish()
    empty = {"at": request.at, "name": "", "found": [], "total": 0, "external": None}
    try:
        answer = await service.graph.definition(request)
    except (UnknownAddress, UnknownProject) as error:
        return await not_there(service, error, empty)
    shape = shapes.definition_json(answer)
    title = f"Definition of {answer.name!r}"
    page = start_page(title, max_tokens, answer.notes, answer.freshness)
    return told(shape, page, words.definition_sections(shape), whole="found")


async def _call_paths(service: ToolsApi, arguments: Arguments) -> ToolReply:
    request = requests.paths_request(arguments, scope_of(arguments))
    max_tokens = token_budget(arguments)
    arguments.finish()
    empty: dict[str, Any] = {"source": [], "target": [], "paths": []}
    try:
        answer = await service.graph.call_paths(request)
    except (UnknownAddress, UnknownProject) as error:
        return await not_there(service, error, empty)
    shape = shapes.paths_json(answer)
    page = start_page(f"Calls {words.ends_line(shape)}", max_tokens, answer.notes, answer.freshness)
    if not answer.paths:
        page.say([words.no_path_line(request.max_hops)])
    return told(shape, page, words.path_sections(shape))


FIND_USAGES = Tool(_FIND_USAGES, _find_usages)
GO_TO_DEFINITION = Tool(_GO_TO_DEFINITION, _go_to_definition)
CALL_PATHS = Tool(_CALL_PATHS, _call_paths)
