"""The tool get_chunk_meta: the history of one place, without its code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery, UnknownAddress, UnknownProject
from paparatsd.history_model import HistoryState
from paparatsd.interfaces import shapes
from paparatsd.interfaces.history_words import (
    commit_line,
    day_of,
    full_name,
    labels_line,
    log_remarks,
    owner_line,
    part_of,
    remarks_on,
    unnamed_tickets,
)
from paparatsd.interfaces.mcp.page import Page, row, shortened, table_head
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, cleaned, token_budget
from paparatsd.interfaces.mcp.schemas import (
    COMMIT,
    COUNT,
    ESTIMATE,
    FRESHNESS,
    LABELS,
    MAX_TOKENS_INPUT,
    NULLABLE_TEXT,
    OWNER,
    TEXT,
    TEXTS,
    TICKET,
    ToolSpec,
    object_of,
    string,
    whole,
)
from paparatsd.interfaces.mcp.searching import nothing_there
from paparatsd.search.render import stale_lines
from paparatsd.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.history_model import ChunkLog
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi

MAX_COMMITS = 50
MAX_BODY_CHARS = 600
MAX_OWNERS = 5
MAX_LINKS = 10

_CHUNK_COMMIT = object_of(
    {
        "commit": COMMIT,
        "role": {"type": "string", "enum": ["author", "carrier", "resolution"]},
        "lines": {"type": "integer", "description": "lines of today it was the last to change"},
        "born": {"type": "boolean", "description": "nothing of the place is older"},
    },
    ("commit", "role", "lines", "born"),
)
_SPEC = ToolSpec(
    name="get_chunk_meta",
    title="History of a place",
    description=(
        "Say who changed a place, when and why: its commits newest first, the tickets they name, "
        "whom to ask, and lines that are not committed yet. Takes an address from any other "
        "result. Shows no code."
    ),
    input_schema=object_of(
        {
            "address": string("The address of the place", minLength=1, maxLength=8192),
            "chunk_id": string("Another name for address", minLength=1, maxLength=8192),
            "commit_limit": whole("How many commits", 1, MAX_COMMITS, 10),
            "max_tokens": MAX_TOKENS_INPUT,
        },
        closed=True,
    ),
    output_schema=object_of(
        {
            "found": {"type": "boolean"},
            "address": TEXT,
            "project": TEXT,
            "branch": NULLABLE_TEXT,
            "path": TEXT,
            "start_line": COUNT,
            "end_line": COUNT,
            "symbol": NULLABLE_TEXT,
            "kind": TEXT,
            "commits": {"type": "array", "items": _CHUNK_COMMIT},
            "total": {"type": "integer", "description": "commits in all"},
            "tickets": {"type": "array", "items": TICKET},
            "owners": {"type": "array", "items": OWNER},
            "began": {"anyOf": [COMMIT, {"type": "null"}]},
            "uncommitted": {"type": "integer", "description": "lines that are in no commit"},
            "complete": {"type": "boolean", "description": "false: older commits are not here"},
            "pending": {"type": "boolean", "description": "true: commits are still being read"},
            "freshness": {"anyOf": [FRESHNESS, {"type": "null"}]},
            "notes": TEXTS,
            **LABELS,
            "tokens": ESTIMATE,
        },
        ("found", "address", "commits", "total", "tickets", "owners", "tokens"),
    ),
)


async def _get_chunk_meta(service: ToolsApi, arguments: Arguments) -> ToolReply:
    address = _address(arguments)
    limit = arguments.number("commit_limit", default=10, low=1, high=MAX_COMMITS)
    max_tokens = token_budget(arguments)
    arguments.finish()
    try:
        log = await service.chunk_log(address, limit)
    except (UnknownAddress, UnknownProject) as error:
        text = nothing_there(error)
        empty = {"commits": [], "total": 0, "tickets": [], "owners": [], "notes": []}
        missing = {"found": False, "address": address, "freshness": None, **empty}
        return ToolReply(text, {**missing, "tokens": estimate_tokens(text)})
    shape = shapes.log_json(log)
    page, shown = _page(log, shape, max_tokens, await _commits_to_go(service, log))
    text = page.text()
    data = {
        "found": True,
        **shape,
        "commits": [short_body(one) for one in shape["commits"][:shown]],
        "tokens": estimate_tokens(text),
    }
    return ToolReply(text, cleaned(data))


def _address(arguments: Arguments) -> str:
    """Take `address`, also under its other name. Raises BadQuery for none, or for two."""
    address = arguments.optional_text("address", max_chars=8_192)
    chunk_id = arguments.optional_text("chunk_id", max_chars=8_192)
    if address and chunk_id and address != chunk_id:
        raise BadQuery("address and chunk_id are two names of one argument; give one of them")
    chosen = address or chunk_id
    if chosen is None:
        raise BadQuery("address is missing; it must be a non-empty string")
    return chosen


def short_body(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry with a commit whose message is cut to what is worth reading."""
    commit = entry["commit"]
    if len(commit["body"]) <= MAX_BODY_CHARS:
        return dict(entry)
    return {**entry, "commit": {**commit, "body": commit["body"][:MAX_BODY_CHARS] + "…"}}


async def _commits_to_go(service: ToolsApi, log: ChunkLog) -> int:
    """Return how many commits of the project are still to be read; 0 when nobody knows."""
    if not log.pending:
        return 0
    for project in await service.list_projects(None):
        history = project.history
        if project.name == log.project and history is not None:
            return history.pending if history.state is HistoryState.SCANNING else 0
    return 0


def _page(log: ChunkLog, shape: Mapping[str, Any], max_tokens: int, left: int) -> tuple[Page, int]:
    """Return the page and how many commits are on it."""
    what = f"{log.kind} {log.symbol}" if log.symbol else log.kind
    page = Page(max_tokens, f"{log.project}:{log.path}:{log.start_line}-{log.end_line} · {what}")
    page.say([*stale_lines((log.freshness,)), *log_remarks(shape, left)])
    if log.branch:
        page.say([f"branch: {log.branch}"])
    page.say(filter(None, [labels_line(shape)]))
    if not log.commits:
        page.say(["No commit of it is known."])
    page.say(_tickets(shape["tickets"]))
    head = ["", f"commits, newest first ({log.total} in all):"]
    head += table_head("Date", "Commit", "Author", "What", "Part in it")
    shown = page.items(head, [[_commit_row(one)] for one in shape["commits"]], share=0.8)
    page.left += max(0, log.total - len(log.commits))
    if log.began is not None and not any(one.born for one in log.commits[:shown]):
        page.items((), [[shortened(f"began with {commit_line(shape['began'])}")]])
    owners = [[shortened(f"- {owner_line(one)}")] for one in shape["owners"][:MAX_OWNERS]]
    page.items(["", "whom to ask, most lines first:"], owners)
    links = [[shortened(f"- {one['key']}: {one['url']}")] for one in shape["tickets"] if one["url"]]
    page.items(["", "tickets on the web:"], links[:MAX_LINKS])
    return page, shown


def _tickets(tickets: Sequence[Mapping[str, Any]]) -> list[str]:
    if not tickets:
        return ["tickets: none"]
    named = ", ".join(f"{one['key']} ({one['source']})" for one in tickets[:20])
    return [f"tickets: {named}" + (", ..." if len(tickets) > 20 else "")]


def _commit_row(entry: Mapping[str, Any]) -> str:
    commit = entry["commit"]
    subject = commit["subject"] or "(no message)"
    what = " ".join(filter(None, (subject, unnamed_tickets(commit), remarks_on(commit))))
    return row(
        day_of(commit["committed"]),
        commit["short"],
        full_name(commit["author"]),
        what,
        part_of(entry),
    )


GET_CHUNK_META = Tool(_SPEC, _get_chunk_meta)
