"""Tools about what a change does: impact_analysis and changed_symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.errors import UnknownAddress, UnknownProject
from paparatsd.graph_model import ChangeKind
from paparatsd.interfaces import graph_requests as requests
from paparatsd.interfaces import graph_shapes as shapes
from paparatsd.interfaces import graph_words as words
from paparatsd.interfaces.mcp.graph_page import (
    ADDRESS,
    EDGE,
    ENDS,
    LINES,
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
    NULLABLE_TEXT,
    TEXT,
    Schema,
    object_of,
    string,
    whole,
)
from paparatsd.interfaces.mcp.searching import PATH

if TYPE_CHECKING:
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi

_LAST_CHANGE: Schema = {
    "type": ["object", "null"],
    "description": "commit, commits, uncommitted, pending: as search_code tells with history",
}
_AFFECTED = object_of(
    {
        "hop": COUNT,
        "via": string("address of what it uses"),
        **{name: one for name, one in EDGE["properties"].items() if name != "note"},
    },
    ("hop", "relation", "certainty", "symbol", "via", "lines"),
)
_IMPACT_ANALYSIS = graph_tool(
    "impact_analysis",
    "Impact analysis",
    "Say what breaks if something changes: users, users of users, grouped by project and folder, "
    "the tests that reach it, and who changed it last. Takes addresses or names, or a question "
    "that finds them.",
    {
        "address": {
            "anyOf": [ADDRESS, {"type": "array", "items": {"type": "string"}}],
            "description": "What changes, as address of find_usages; or a list",
        },
        "question": string("Instead of address: words that find it", maxLength=4000),
        "limit": whole("Places a question finds", 1, requests.MAX_SEEDS, 5),
        "max_hops": whole("How far users of users are followed", 1, requests.MAX_IMPACT_HOPS, 2),
    },
    {
        "seeds": listed(
            object_of(
                {"symbol": SYMBOL, "last_change": _LAST_CHANGE},
                ("symbol", "last_change"),
            )
        ),
        "affected": listed(_AFFECTED),
        "tests": listed({"type": "object", "description": "as affected"}),
        "services": listed(
            object_of(
                {"project": TEXT, "folder": TEXT, "symbols": COUNT, "service": NULLABLE_TEXT},
                ("project", "folder", "symbols"),
            )
        ),
        "total": COUNT,
        "capped": {"type": "boolean"},
    },
    (),
)
_CHANGED_SYMBOLS = graph_tool(
    "changed_symbols",
    "Changed symbols",
    "Say which symbols a change adds, modifies, removes or renames, who uses them and which tests "
    "are likely to tell: before a commit, or in a review.",
    {
        "against": string(
            '"working" (work tree against HEAD), "staged", a commit, or a range A..B',
            default="working",
        ),
        "path": PATH,
        "limit": whole("How many symbols", 1, requests.MAX_CHANGED, 50),
        "callers": whole("Users of each", 0, requests.MAX_CALLERS, 5),
    },
    {
        "against": TEXT,
        "symbols": listed(
            object_of(
                {
                    "change": {"type": "string", "enum": list(ChangeKind)},
                    "symbol": SYMBOL,
                    "before": NULLABLE_TEXT,
                    "lines": LINES,
                    "callers": listed({"type": "object", "description": "edges of find_usages"}),
                    "callers_total": COUNT,
                    "tests": listed(ENDS),
                },
                ("change", "symbol", "lines", "callers", "callers_total", "tests"),
            )
        ),
        "files": COUNT,
        "total": COUNT,
    },
    (),
)


async def _impact_analysis(service: ToolsApi, arguments: Arguments) -> ToolReply:
    request = requests.impact_request(arguments, scope_of(arguments))
    max_tokens = token_budget(arguments)
    arguments.finish()
    empty: dict[str, Any] = {"seeds": [], "affected": [], "tests": [], "services": []}
    empty |= {"total": 0, "capped": False}
    try:
        answer = await service.graph.impact(request)
    except (UnknownAddress, UnknownProject) as error:
        return await not_there(service, error, empty)
    shape = shapes.impact_json(answer)
    about = request.question or ", ".join(request.at)
    title = f"Impact of {about!r}, {request.max_hops} hops"
    notes = (words.impact_line(shape), *answer.notes)
    page = start_page(title, max_tokens, notes, answer.freshness)
    sections = [one for one in words.impact_sections(shape) if one.items]
    return told(shape, page, sections, whole="seeds")


async def _changed_symbols(service: ToolsApi, arguments: Arguments) -> ToolReply:
    request = requests.changed_request(arguments, scope_of(arguments))
    max_tokens = token_budget(arguments)
    arguments.finish()
    try:
        answer = await service.graph.changed(request)
    except UnknownProject as error:
        empty = {"against": "", "symbols": [], "files": 0, "total": 0}
        return await not_there(service, error, empty)
    shape = shapes.changed_json(answer)
    title = f"Changed symbols, {words.changed_line(shape)}"
    page = start_page(title, max_tokens, answer.notes, answer.freshness)
    page.left += answer.total - len(answer.symbols)
    return told(shape, page, words.changed_sections(shape), whole="symbols")


IMPACT_ANALYSIS = Tool(_IMPACT_ANALYSIS, _impact_analysis)
CHANGED_SYMBOLS = Tool(_CHANGED_SYMBOLS, _changed_symbols)
