"""Answers about the symbol graph for agents: sections within a budget, and the same as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.errors import UnknownProject
from paparatsd.graph_model import GraphScope, Relation
from paparatsd.interfaces.graph_phrases import first_line, legend
from paparatsd.interfaces.mcp.page import Page, shortened
from paparatsd.interfaces.mcp.reply import ToolReply, cleaned, not_asked
from paparatsd.interfaces.mcp.schemas import (
    COUNT,
    ESTIMATE,
    FRESHNESS,
    MAX_TOKENS_INPUT,
    TEXT,
    TEXTS,
    WHERE,
    Schema,
    ToolSpec,
    flag,
    object_of,
    string,
)
from paparatsd.interfaces.mcp.searching import groups_of, projects_of
from paparatsd.search.render import stale_lines
from paparatsd.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from paparatsd.errors import UnknownAddress
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.graph_phrases import Item, Section
    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.model import Freshness

CERTAINTY: Schema = {"type": "string", "enum": ["exact", "inferred", "ambiguous"]}
LINES: Schema = {"type": "array", "items": COUNT}
SYMBOL = object_of(
    {
        "project": TEXT,
        "path": TEXT,
        "start_line": COUNT,
        "end_line": COUNT,
        "address": TEXT,
        "kind": TEXT,
        "name": TEXT,
        "language": TEXT,
        "signature": TEXT,
        "doc": TEXT,
        "exported": {"type": "boolean"},
        "test": {"type": "boolean"},
        "hub": {"type": "boolean"},
    },
    ("address", "kind", "name"),
)
"""A definition that is asked about."""
ENDS = object_of({"address": TEXT, "kind": TEXT, "name": TEXT}, ("address", "kind", "name"))
"""Any other definition; its lines, and whether it is a test or a hub, are there too."""
EDGE = object_of(
    {
        "relation": {"type": "string", "enum": [one.value for one in Relation]},
        "certainty": CERTAINTY,
        "symbol": ENDS,
        "lines": LINES,
        "written": TEXT,
        "cross": {"type": "boolean", "description": "between two projects"},
        "note": TEXT,
    },
    ("relation", "certainty", "symbol", "lines"),
)
"""One use, with the symbol at its other end."""
ADDRESS = string(
    "project:path#Name, project:path:LINE, project:path:LINE:COLUMN, or a name as Session.send",
    minLength=1,
    maxLength=8192,
)
FRESH = flag("Check the index against the disk first")
_SELDOM = ("project", "path", "language", "signature", "doc", "exported")


def listed(items: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def graph_tool(
    name: str, title: str, description: str, takes: Schema, gives: Schema, needs: tuple[str, ...]
) -> ToolSpec:
    """Return a tool about the graph; where to look and what limits the answer is added."""
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        input_schema=object_of(
            {**takes, **WHERE, "fresh": FRESH, "max_tokens": MAX_TOKENS_INPUT}, needs, closed=True
        ),
        output_schema=object_of(
            {**gives, "freshness": listed(FRESHNESS), "notes": TEXTS, "tokens": ESTIMATE},
            (*gives, "freshness", "notes", "tokens"),
        ),
    )


def scope_of(arguments: Arguments) -> GraphScope:
    """Take where to look."""
    return GraphScope(
        projects=projects_of(arguments),
        groups=groups_of(arguments),
        paths=arguments.texts("path"),
        fresh=arguments.flag("fresh", default=False),
    )


def told(
    shape: dict[str, Any],
    page: Page,
    sections: Sequence[Section],
    continued: Callable[[dict[str, Any]], str] = lambda _shape: "",
    *,
    whole: str = "",
) -> ToolReply:
    """Write the sections that fit, cut the data to what is written, and say how to go on.

    `continued` sets in the data that is left where to go on, and says so; "" at the end. `whole`
    as in `reply_of`.
    """
    page.say(legend(shape))
    weights = [section.weight for section in sections]
    for number, section in enumerate(sections):
        share = section.weight / sum(weights[number:])
        if not section.items:
            page.say(section.head)
            continue
        head = [shortened(line) for line in section.head]
        items = [_lines_of(item) for item in section.items]
        _cut(shape, section.part, page.items(head, items, share=share))
    return reply_of(shape, page.text(continued(shape)), whole)


def _lines_of(item: Item) -> list[str]:
    """Return the lines of an item; in one piece with the first what is to stand above it."""
    first, *rest = map(shortened, item.lines)
    return [f"in {shortened(item.file)}:\n{first}" if item.file else first, *rest]


def _cut(shape: Any, part: Sequence[str | int], shown: int) -> None:  # noqa: ANN401 - a JSON value
    *way, last = part
    for key in way:
        shape = shape[key]
    shape[last] = shape[last][:shown]


def start_page(
    title: str, max_tokens: int, notes: Iterable[str], freshness: Sequence[Freshness]
) -> Page:
    """Return a page with what is to be known first."""
    page = Page(max_tokens, title)
    page.say([*notes, *stale_lines(freshness)])
    return page


def reply_of(shape: Mapping[str, Any], text: str, whole: str = "") -> ToolReply:
    """Return a text with its data; only symbols asked about, in the list `whole`, are told whole.

    Of the others stays what names and places them.
    """
    data: dict[str, Any] = {"tokens": estimate_tokens(text)}
    for name, value in shape.items():
        if name != whole:
            data[name] = _short(value)
            continue
        data[name] = [
            {**_short(one), "symbol": {**one["symbol"], "doc": first_line(one["symbol"]["doc"])}}
            for one in value
        ]
    return ToolReply(text, cleaned(data))


def _short(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    if isinstance(value, dict):
        return {
            name: _short(one)
            for name, one in value.items()
            if not ("address" in value and "hub" in value and name in _SELDOM)
        }
    return [_short(one) for one in value] if isinstance(value, list) else value


async def not_there(
    service: ToolsApi, error: UnknownAddress | UnknownProject, empty: Mapping[str, Any]
) -> ToolReply:
    """Answer that what was asked about is not there, with what the error knows of it."""
    if isinstance(error, UnknownProject):
        return await not_asked(service, error, {**empty, "freshness": []})
    text = f"Nothing found: {str(error).rstrip('.')}."
    return ToolReply(
        text,
        {**empty, "freshness": [], "notes": [text], "tokens": estimate_tokens(text)},
    )
