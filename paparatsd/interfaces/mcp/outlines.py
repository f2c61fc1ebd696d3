"""The tool outline: what is in a file or a directory, without its code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.errors import UnknownAddress, UnknownProject
from paparatsd.interfaces import graph_requests as requests
from paparatsd.interfaces import graph_shapes as shapes
from paparatsd.interfaces import graph_words as words
from paparatsd.interfaces.mcp.graph_page import (
    graph_tool,
    listed,
    not_there,
    reply_of,
    scope_of,
    start_page,
)
from paparatsd.interfaces.mcp.page import shortened
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, only, token_budget
from paparatsd.interfaces.mcp.schemas import (
    COUNT,
    NULLABLE_COUNT,
    TEXT,
    TEXTS,
    flag,
    object_of,
    string,
    whole,
)

if TYPE_CHECKING:
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.page import Page
    from paparatsd.interfaces.mcp.reply import ToolsApi

HEAD_TOKENS = 180
"""What stands above the outline itself: title, folders, how to go on."""
MIN_TOKENS = 100
_TOLD = ("kind", "name", "start_line", "end_line", "signature")
"""What is told of a symbol; its address is the path and the name."""

MAX_BARE_BYTES = 2_000
_SPEC = graph_tool(
    "outline",
    "Outline",
    "List the symbols of a file, or of every file below a directory, with lines and signatures "
    "but without code: a cheap look before get_chunk.",
    {
        "address": string("project:path of a file or directory, or the project's name"),
        "depth": whole("How deep nested symbols are shown", 1, requests.MAX_DEPTH, 3),
        "include_private": flag("Also what is not exported", default=True),
        "offset": whole("Skip so many files", 0, requests.MAX_OFFSET, 0),
    },
    {
        "project": TEXT,
        "path": TEXT,
        "files": listed(
            object_of(
                {
                    "path": TEXT,
                    "language": TEXT,
                    "lines": COUNT,
                    "entries": listed(
                        object_of(
                            {
                                "depth": COUNT,
                                "kind": TEXT,
                                "name": TEXT,
                                "start_line": COUNT,
                                "end_line": COUNT,
                                "signature": TEXT,
                            }
                        )
                    ),
                    "hidden": COUNT,
                    "imports": TEXTS,
                },
                ("path", "entries", "hidden"),
            )
        ),
        "folders": {"type": "object", "additionalProperties": COUNT},
        "total_files": COUNT,
        "next_offset": NULLABLE_COUNT,
    },
    ("address",),
)


async def _outline(service: ToolsApi, arguments: Arguments) -> ToolReply:
    max_tokens = token_budget(arguments)
    place = arguments.text("address", max_chars=requests.MAX_ADDRESS_CHARS)
    request = requests.outline_request(
        arguments, scope_of(arguments), max(MIN_TOKENS, max_tokens - HEAD_TOKENS), place
    )
    arguments.finish()
    empty: dict[str, Any] = {"project": "", "path": place, "files": [], "folders": {}}
    empty |= {"total_files": 0, "next_offset": None}
    try:
        answer = await service.graph.outline(request)
    except (UnknownAddress, UnknownProject) as error:
        return await not_there(service, error, empty)
    shape = shapes.outline_json(answer)
    title = f"Outline of {words.outline_title(shape)}"
    page = start_page(title, max_tokens, answer.notes, answer.freshness)
    if line := words.folders_line(shape):
        page.say([line])
    shape["files"] = _written(page, shape["files"])
    end = request.offset + len(shape["files"])
    shape["next_offset"] = end if end < shape["total_files"] else None
    left = shape["total_files"] - end
    tail = f"{left} more files: offset={end}" if left > 0 else ""
    return reply_of(shape, page.text(tail))


def _written(page: Page, files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write the files that fit; the last one may be cut, but not before its first symbol."""
    shown: list[dict[str, Any]] = []
    for run in words.outline_runs(files):
        file, *more = run
        if more:
            if not page.line(shortened(words.bare_line(run), MAX_BARE_BYTES)):
                break
            shown += map(dict, run)
            continue
        head, remarks, lines = words.outline_lines(file)
        if not page.line(shortened(head)):
            break
        page.say(remarks)
        written = 0
        for line in lines:
            indent = line[: len(line) - len(line.lstrip())]
            if not page.line(indent + shortened(line.lstrip())):
                break
            written += 1
        entries = [
            {"depth": one["depth"], **only(one["symbol"], _TOLD)}
            for one in file["entries"][:written]
        ]
        hidden = file["hidden"] + len(lines) - written
        if hidden:
            page.line(words.hidden_line(hidden))
        shown.append({**file, "entries": entries, "hidden": hidden})
        if written < len(lines):
            break
    return shown


OUTLINE = Tool(_SPEC, _outline)
