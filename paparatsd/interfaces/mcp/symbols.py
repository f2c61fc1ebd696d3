"""Tools of the toolset `projects` about names: find_symbol, find_references, outline, skeleton.

They ask the symbol graph as the tools for coding agents do, by name and path instead of address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.chunks.address import format_path
from paparatsd.errors import UnknownAddress, UnknownProject
from paparatsd.graph_model import DefinitionRequest, GraphScope, Relation
from paparatsd.interfaces import graph_requests as requests
from paparatsd.interfaces import graph_shapes
from paparatsd.interfaces.arguments import Arguments
from paparatsd.interfaces.mcp.graph_page import SYMBOL, reply_of, start_page
from paparatsd.interfaces.mcp.outlines import OUTLINE
from paparatsd.interfaces.mcp.page import shortened
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, only
from paparatsd.interfaces.mcp.schemas import (
    COUNT,
    ESTIMATE,
    FRESHNESS,
    MAX_TOKENS_INPUT,
    TEXT,
    TEXTS,
    Schema,
    ToolSpec,
    object_of,
    string,
    whole,
)
from paparatsd.interfaces.mcp.semantic import PROJECT, file_in_project, project_or_all
from paparatsd.interfaces.mcp.usages import FIND_USAGES
from paparatsd.interfaces.shapes import ending_json
from paparatsd.search_model import SearchRequest

if TYPE_CHECKING:
    from paparatsd.graph_model import SymbolRef
    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.model import Freshness, ProjectName
    from paparatsd.search_model import Hit

MAX_NAME_CHARS = 1_000
MAX_SYMBOLS = 25
MAX_NEAR = 40
"""Hits of a search that are looked at for names like the one asked for."""
PAGE_TOKENS = 4_000

RELATIONSHIPS = {
    "calls": (Relation.CALLS, Relation.TESTS, Relation.REQUESTS),
    "inherits": (Relation.INHERITS, Relation.OVERRIDES),
    "includes": (Relation.IMPORTS,),
    "references": (Relation.REFERENCES,),
}
"""Relations as this toolset names them."""

_NAME = string("A name as Session.send, pkg::Type or get_user", minLength=1, maxLength=1000)
_PLACED = {
    key: one
    for key, one in SYMBOL["properties"].items()
    if key in ("project", "path", "start_line", "end_line", "kind", "name", "signature", "language")
}
_FIND_SYMBOL = ToolSpec(
    name="find_symbol",
    title="Find a symbol",
    description=(
        "Say where a name is defined, with its signature: exactly this name in any spelling, else "
        "names that contain it."
    ),
    input_schema=object_of(
        {
            "name": _NAME,
            "project": PROJECT,
            "symbol_type": string("Only this kind: function, method, class, struct, enum, ..."),
        },
        ("name",),
        closed=True,
    ),
    output_schema=object_of(
        {
            "name": TEXT,
            "exact": {"type": "boolean"},
            "found": {"type": "array", "items": object_of(_PLACED, ("path", "kind", "name"))},
            "total": COUNT,
            "freshness": {"type": "array", "items": FRESHNESS},
            "notes": TEXTS,
            "tokens": ESTIMATE,
        },
        ("name", "exact", "found", "total", "freshness", "notes", "tokens"),
    ),
)
_FIND_REFERENCES = ToolSpec(
    name="find_references",
    title="Find references",
    description=(
        "Say who uses a symbol, with lines. An unmarked use is known from the source, ? is "
        "inferred from the name, ?? is one of several."
    ),
    input_schema=object_of(
        {
            "name": _NAME,
            "project": PROJECT,
            "relationship": {
                "type": "string",
                "enum": list(RELATIONSHIPS),
                "description": "Only uses of this kind; unset: all",
            },
            "limit": whole("How many", 1, requests.MAX_EDGES, 25),
            "max_tokens": MAX_TOKENS_INPUT,
        },
        ("name",),
        closed=True,
    ),
    output_schema=FIND_USAGES.spec.output_schema,
)


def _outline_spec(name: str, title: str, description: str, takes: Schema, needs: str) -> ToolSpec:
    more = {"max_tokens": MAX_TOKENS_INPUT}
    schema = object_of({**takes, **more}, (needs,), closed=True)
    return ToolSpec(name, title, description, schema, OUTLINE.spec.output_schema)


_OUTLINE = _outline_spec(
    "outline",
    "Outline a file",
    "List the declarations of one file with lines and signatures, without code.",
    {
        "file": string("Path of the file, absolute or relative to the project", minLength=1),
        "project": string("Path or name of its project; not needed for an absolute file"),
    },
    "file",
)
_SKELETON = _outline_spec(
    "skeleton",
    "Map a project",
    "Show how a project, or what lies below one of its folders, is built: files by folder with "
    "their top-level declarations.",
    {
        "project": string("Path or name of the project", minLength=1),
        "path_prefix": string("Only below this folder"),
        "depth": whole("How deep nested declarations are shown", 1, requests.MAX_DEPTH, 1),
        "offset": whole("Skip so many files, to continue an answer", 0, requests.MAX_OFFSET, 0),
    },
    "project",
)


async def _find_symbol(service: ToolsApi, arguments: Arguments) -> ToolReply:
    name = arguments.text("name", max_chars=MAX_NAME_CHARS)
    named = arguments.optional_text("project", max_chars=4_096)
    kinds = arguments.texts("symbol_type")
    arguments.finish()
    project = await project_or_all(service, named)
    names = (project.name,) if project is not None else ()
    wanted = frozenset(kind.lower() for kind in kinds)
    request = DefinitionRequest(name, GraphScope(projects=names), requests.MAX_DEFINITIONS)
    try:
        answer = await service.graph.definition(request)
    except (UnknownAddress, UnknownProject) as error:
        said = str(error)
        said = said if said.endswith((".", "?")) else f"{said}."
        return await _named_alike(service, name, names, wanted, said)
    found = [one.symbol for one in answer.found if not wanted or one.symbol.kind in wanted]
    if not found:
        said = f"{name!r} is defined, but as no {' or '.join(sorted(wanted))}."
        return await _named_alike(service, name, names, wanted, said)
    shown = [_symbol(one) for one in found[:MAX_SYMBOLS]]
    total = len(found) if wanted else answer.total
    return _symbols(name, shown, total, answer.notes, answer.freshness, exact=True)


async def _named_alike(
    service: ToolsApi,
    name: str,
    projects: tuple[ProjectName, ...],
    kinds: frozenset[str],
    missing: str,
) -> ToolReply:
    """Answer with definitions whose names contain what was asked for."""
    request = SearchRequest(name, MAX_NEAR, projects=projects, kinds=tuple(sorted(kinds)))
    answer = await service.search(request)
    part = name.rpartition(".")[2].lower()
    found = [_hit(one) for one in answer.hits if one.symbol and part in one.symbol.lower()]
    note = f"Nothing is called {name!r}; these names contain it." if found else missing
    shown = found[:MAX_SYMBOLS]
    return _symbols(name, shown, len(found), (note,), answer.freshness, exact=False)


def _symbols(
    name: str,
    shown: list[dict[str, Any]],
    total: int,
    notes: tuple[str, ...],
    freshness: tuple[Freshness, ...],
    *,
    exact: bool,
) -> ToolReply:
    what = "definition" if exact else "name"
    count = f"{total} {what}{'' if total == 1 else 's'}"
    page = start_page(
        f"{count} {'of' if exact else 'like'} {name!r}", PAGE_TOKENS, notes, freshness
    )
    lines = [[shortened(_symbol_line(one))] for one in shown]
    written = page.items([], lines)
    shape = {
        "name": name,
        "exact": exact,
        "found": shown[:written],
        "total": total,
        **ending_json(freshness, notes),
    }
    return reply_of(shape, page.text())


def _symbol(symbol: SymbolRef) -> dict[str, Any]:
    return only(graph_shapes.symbol_json(symbol), tuple(_PLACED))


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "project": hit.project,
        "path": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.symbol_end or hit.end_line,
        "kind": hit.kind,
        "name": hit.symbol,
        "language": hit.language,
        "signature": "",
    }


def _symbol_line(one: dict[str, Any]) -> str:
    where = f"{one['project']}:{one['path']}:{one['start_line']}-{one['end_line']}"
    signature = f" | {one['signature']}" if one["signature"] else ""
    return f"{where} {one['kind']} {one['name']}{signature}"


async def _find_references(service: ToolsApi, arguments: Arguments) -> ToolReply:
    name = arguments.text("name", max_chars=MAX_NAME_CHARS)
    named = arguments.optional_text("project", max_chars=4_096)
    relationship = arguments.choice("relationship", tuple(RELATIONSHIPS), default="")
    limit = arguments.number("limit", default=25, low=1, high=requests.MAX_EDGES)
    asked: dict[str, Any] = {"address": name, "limit": limit, **_budget(arguments)}
    arguments.finish()
    project = await project_or_all(service, named)
    if project is not None:
        asked["project"] = project.name
    if relationship:
        asked["relations"] = [one.value for one in RELATIONSHIPS[relationship]]
    return await FIND_USAGES.run(service, Arguments(asked))


async def _outline(service: ToolsApi, arguments: Arguments) -> ToolReply:
    file = arguments.text("file", max_chars=4_096)
    named = arguments.optional_text("project", max_chars=4_096)
    budget = _budget(arguments)
    arguments.finish()
    project, path = await file_in_project(service, file, named)
    address = format_path(project.name, path)
    asked = {"address": address, "project": project.name, **budget}
    return await OUTLINE.run(service, Arguments(asked))


async def _skeleton(service: ToolsApi, arguments: Arguments) -> ToolReply:
    named = arguments.text("project", max_chars=4_096)
    prefix = (arguments.optional_text("path_prefix", max_chars=4_096) or "").strip("/")
    depth = arguments.number("depth", default=1, low=1, high=requests.MAX_DEPTH)
    offset = arguments.number("offset", default=0, low=0, high=requests.MAX_OFFSET)
    budget = _budget(arguments)
    arguments.finish()
    project = await project_or_all(service, named)
    place = {"address": prefix}
    if project is not None:
        place = {"address": format_path(project.name, prefix), "project": project.name}
    asked = {**place, "depth": depth, "offset": offset, **budget}
    return await OUTLINE.run(service, Arguments(asked))


def _budget(arguments: Arguments) -> dict[str, Any]:
    """Take `max_tokens`, to be passed on: who is asked then reads it."""
    value = arguments.number("max_tokens", default=0, low=0, high=1 << 30)
    return {"max_tokens": value} if value else {}


FIND_SYMBOL = Tool(_FIND_SYMBOL, _find_symbol)
FIND_REFERENCES = Tool(_FIND_REFERENCES, _find_references)
FILE_OUTLINE = Tool(_OUTLINE, _outline)
SKELETON = Tool(_SKELETON, _skeleton)
