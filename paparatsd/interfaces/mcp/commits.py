"""The tool search_commits: commits by what they say and what they changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.errors import UnknownProject
from paparatsd.history_model import CommitRequest
from paparatsd.interfaces import shapes
from paparatsd.interfaces.arguments import changed_filter
from paparatsd.interfaces.history_words import commit_line, gist_of
from paparatsd.interfaces.mcp.chunk_meta import short_body
from paparatsd.interfaces.mcp.features import branch_line
from paparatsd.interfaces.mcp.page import Page, shortened
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, cleaned, not_asked, token_budget
from paparatsd.interfaces.mcp.schemas import (
    CHANGED,
    COMMIT,
    COUNT,
    ESTIMATE,
    FRESHNESS,
    MAX_TOKENS_INPUT,
    NULLABLE_TEXT,
    TEXT,
    TEXTS,
    WHERE,
    ToolSpec,
    flag,
    object_of,
    string,
    whole,
)
from paparatsd.interfaces.mcp.searching import groups_of, projects_of
from paparatsd.search.render import stale_lines
from paparatsd.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.history_model import CommitsAnswer
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi

MAX_COMMITS = 50
MAX_LISTED = 8
"""Files, and places, of one commit that are written out."""

_FILE = object_of(
    {
        "path": TEXT,
        "change": {"type": "string", "enum": ["add", "modify", "delete", "rename", "copy"]},
        "old_path": NULLABLE_TEXT,
    },
    ("path", "change"),
)
_TOUCHED = object_of(
    {
        "project": TEXT,
        "path": TEXT,
        "start_line": COUNT,
        "end_line": COUNT,
        "address": string("pass it to get_chunk_meta or get_chunk"),
        "symbol": NULLABLE_TEXT,
        "kind": TEXT,
    },
    ("project", "path", "start_line", "end_line", "address"),
)
_FOUND = object_of(
    {
        "commit": COMMIT,
        "score": {"type": "number"},
        "files": {"type": "array", "items": _FILE},
        "files_total": COUNT,
        "places": {"type": "array", "items": _TOUCHED},
        "places_total": COUNT,
    },
    ("commit", "files", "files_total", "places", "places_total"),
)
_SPEC = ToolSpec(
    name="search_commits",
    title="Search commits",
    description=(
        "Find commits by a plain-language question over what they say and what they changed "
        '("when was retry added to the client"), or list the newest of a person, a ticket or a '
        "time when query is left out. Each comes with its files and with the places it touched "
        "as they are now."
    ),
    input_schema=object_of(
        {
            "query": string("What the commit did; leave it out to list by time", maxLength=4000),
            **WHERE,
            **CHANGED,
            "path": string("Only commits that changed paths matching this glob"),
            "merges": flag("Also list merges"),
            "limit": whole("How many commits", 1, MAX_COMMITS, 10),
            "max_tokens": MAX_TOKENS_INPUT,
        },
        closed=True,
    ),
    output_schema=object_of(
        {
            "query": TEXT,
            "commits": {"type": "array", "items": _FOUND},
            "total": {"type": "integer", "description": "commits that pass the filters"},
            "freshness": {"type": "array", "items": FRESHNESS},
            "notes": TEXTS,
            "tokens": ESTIMATE,
        },
        ("query", "commits", "total", "freshness", "notes", "tokens"),
    ),
)


async def _search_commits(service: ToolsApi, arguments: Arguments) -> ToolReply:
    max_tokens = token_budget(arguments)
    request = CommitRequest(
        query=arguments.optional_text("query", max_chars=4_000) or "",
        changed=changed_filter(arguments),
        projects=projects_of(arguments),
        groups=groups_of(arguments),
        paths=arguments.texts("path"),
        limit=arguments.number("limit", default=10, low=1, high=MAX_COMMITS),
        merges=arguments.flag("merges", default=False),
    )
    arguments.finish()
    try:
        answer = await service.find_commits(request)
    except UnknownProject as error:
        empty = {"query": request.query, "commits": [], "total": 0, "freshness": []}
        return await not_asked(service, error, empty)
    shape = shapes.commits_json(answer)
    page, shown = _page(answer, shape, max_tokens)
    text = page.text()
    shape["commits"] = [short_body(one) for one in shape["commits"][:shown]]
    return ToolReply(text, cleaned({**shape, "tokens": estimate_tokens(text)}))


def _page(answer: CommitsAnswer, shape: Mapping[str, Any], max_tokens: int) -> tuple[Page, int]:
    """Return the page and how many commits are on it."""
    about = f"Commits for {answer.query!r}" if answer.query else "Commits, newest first"
    page = Page(max_tokens, f"{about}: {len(answer.commits)} of {answer.total}")
    page.say([*answer.notes, *stale_lines(answer.freshness), *branch_line(answer.freshness)])
    if not answer.commits:
        projects = ", ".join(one.project for one in answer.freshness) or "no project"
        page.say([f"No commit found in {projects}. Try other words or fewer filters."])
    blocks = [_block(number, one) for number, one in enumerate(shape["commits"], start=1)]
    return page, page.items((), blocks)


def _block(number: int, found: Mapping[str, Any]) -> list[str]:
    commit = found["commit"]
    lines = [shortened(f"{number}. {commit['project']} {commit_line(commit)}")]
    gist = gist_of(commit["body"])
    lines += [shortened(f"   says: {gist}")] if gist else []
    places = [_place(one) for one in found["places"][:MAX_LISTED]]
    lines += [shortened(f"   touches now: {one}") for one in places]
    if found["places_total"] > len(places):
        lines.append(f"   and {found['places_total'] - len(places)} more places")
    if not places:
        lines.append("   nothing of it is left in the code of today")
    files = [_file(one) for one in found["files"][:MAX_LISTED]]
    more = found["files_total"] - len(files)
    said = ", ".join([*files, *([f"{more} more"] if more > 0 else [])])
    return [*lines, shortened(f"   files: {said}")] if said else lines


def _place(place: Mapping[str, Any]) -> str:
    return f"{place['kind']} {place['address']}"


def _file(file: Mapping[str, Any]) -> str:
    if file["old_path"]:
        return f"{file['change']} {file['old_path']} -> {file['path']}"
    return f"{file['change']} {file['path']}"


SEARCH_COMMITS = Tool(_SPEC, _search_commits)
