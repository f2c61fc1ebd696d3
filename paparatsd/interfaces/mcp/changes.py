"""Tools about changes: search_changes and recent_changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.errors import UnknownProject
from paparatsd.interfaces import shapes
from paparatsd.interfaces.arguments import changed_filter
from paparatsd.interfaces.mcp.features import (
    EXPLAINED,
    asked,
    day_blocks,
    explained,
    nothing_explained,
    owner_rows,
    place_rows,
    start_page,
)
from paparatsd.interfaces.mcp.page import table_head
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, not_asked
from paparatsd.interfaces.mcp.schemas import ToolSpec, question, whole
from paparatsd.interfaces.mcp.searching import (
    LIMIT,
    MAX_RESULTS,
    OFFSET,
    PATH,
    SEARCH_CODE,
    found,
    groups_of,
    nothing_found,
    projects_of,
    window,
)
from paparatsd.search_model import SearchRequest

if TYPE_CHECKING:
    from paparatsd.history_model import ChangedFilter
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi

COMMITS_PER_PLACE = 10

_SEARCH_CHANGES = ToolSpec(
    name="search_changes",
    title="Search what changed",
    description=(
        "Find places in the code that were changed since a day, by a person or for a ticket, by a "
        "question in words. Each says when it was last changed, by whom and for which ticket. "
        'since takes a day, an instant or words such as "7 days ago".'
    ),
    input_schema=question("query", "What to look for", LIMIT, path=PATH, offset=OFFSET),
    output_schema=SEARCH_CODE.spec.output_schema,
)
_RECENT_CHANGES = ToolSpec(
    name="recent_changes",
    title="Recent changes around something",
    description=(
        "Say what changed around a subject, when and by whom: commits by day, newest first, with "
        "authors, tickets and the places they are part of, then those places and whom to ask about "
        "them. Shows no code."
    ),
    input_schema=question(
        "question", "The subject in words", whole("How many places to look at", 1, MAX_RESULTS, 10)
    ),
    output_schema=EXPLAINED,
)


async def _search_changes(service: ToolsApi, arguments: Arguments) -> ToolReply:
    query, limit, offset, max_tokens = window(arguments)
    request = SearchRequest(
        query=query,
        limit=limit + offset,
        projects=projects_of(arguments),
        groups=groups_of(arguments),
        paths=arguments.texts("path"),
        changed=changed_filter(arguments),
        history=True,
    )
    arguments.finish()
    try:
        answer = await service.search(request)
    except UnknownProject as error:
        return await not_asked(service, error, nothing_found(request.query))
    notes = (*_filter_notes(request.changed), *answer.notes)
    return found(replace(answer, notes=notes), max_tokens, offset)


def _filter_notes(changed: ChangedFilter | None) -> list[str]:
    """Say what was left out by the filter: an answer must not pass for the whole."""
    if changed is None:
        return []
    named = (
        ("by", changed.author),
        ("since", changed.since),
        ("until", changed.until),
        ("for ticket", changed.ticket),
    )
    return ["Only what was changed " + ", ".join(f"{word} {text}" for word, text in named if text)]


async def _recent_changes(service: ToolsApi, arguments: Arguments) -> ToolReply:
    wanted = asked(arguments, default=10, high=MAX_RESULTS, related=False)
    subject = wanted.request.query
    try:
        answer = await service.explain(wanted.request, COMMITS_PER_PLACE)
    except UnknownProject as error:
        return await not_asked(service, error, nothing_explained(subject))
    shape = shapes.explanation_json(answer)
    page = start_page(answer, f"Changes around {subject!r}", wanted.max_tokens)
    page.say(_filter_notes(wanted.request.changed))
    commits = page.items(["", "## By day, newest first"], day_blocks(shape), share=0.7)
    places = page.items(
        ["", "## Places", *table_head("Place", "What", "Sure", "Last change", "Address")],
        place_rows(shape["results"]),
    )
    page.items(["", "## Whom to ask, most lines first"], owner_rows(shape))
    return explained(shape, page, places, commits)


SEARCH_CHANGES = Tool(_SEARCH_CHANGES, _search_changes)
RECENT_CHANGES = Tool(_RECENT_CHANGES, _recent_changes)
