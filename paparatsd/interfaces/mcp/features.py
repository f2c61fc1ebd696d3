"""The tool explain_feature: where something is, what happened to it, what belongs to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paparatsd.errors import UnknownProject
from paparatsd.interfaces import shapes
from paparatsd.interfaces.arguments import changed_filter
from paparatsd.interfaces.history_words import by_day, commit_line, owner_line
from paparatsd.interfaces.mcp.chunk_meta import short_body
from paparatsd.interfaces.mcp.page import Page, row, shortened, table_head
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, cleaned, not_asked, token_budget
from paparatsd.interfaces.mcp.schemas import (
    COMMIT,
    COUNT,
    ESTIMATE,
    FRESHNESS,
    MAX_QUESTION_CHARS,
    OWNER,
    PLACE,
    TEXT,
    TEXTS,
    Schema,
    ToolSpec,
    object_of,
    question,
    whole,
)
from paparatsd.interfaces.mcp.searching import groups_of, projects_of
from paparatsd.search.render import stale_lines
from paparatsd.search_model import SearchRequest
from paparatsd.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.history_model import Explanation
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.model import Freshness

COMMITS_PER_PLACE = 5
MAX_PLACES = 10
MAX_RELATED = 20
"""Related places of one hit that are written out."""

EXPLAINED: Schema = object_of(
    {
        "question": TEXT,
        "results": {"type": "array", "items": PLACE},
        "timeline": {
            "type": "array",
            "items": object_of(
                {
                    "commit": COMMIT,
                    "hits": {"type": "array", "items": COUNT, "description": "in results, from 0"},
                },
                ("commit", "hits"),
            ),
        },
        "owners": {"type": "array", "items": OWNER},
        "freshness": {"type": "array", "items": FRESHNESS},
        "notes": TEXTS,
        "tokens": ESTIMATE,
    },
    ("question", "results", "timeline", "freshness", "notes", "tokens"),
)
"""Places without their code, the commits behind them, newest first, and whom to ask."""
_SPEC = ToolSpec(
    name="explain_feature",
    title="Explain a feature",
    description=(
        "Answer how something works for people who do not read code: the places that do it, the "
        "latest commits behind them by day with authors and tickets, whom to ask about them, and "
        "what calls them or belongs to them. Shows no code."
    ),
    input_schema=question(
        "question", "The feature or behaviour in words", whole("How many places", 1, MAX_PLACES, 5)
    ),
    output_schema=EXPLAINED,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question about history asks for."""

    request: SearchRequest
    max_tokens: int


def asked(arguments: Arguments, *, default: int, high: int, related: bool) -> Asked:
    """Take the arguments that the questions about history share, and refuse all others."""
    request = SearchRequest(
        query=arguments.text("question", max_chars=MAX_QUESTION_CHARS),
        limit=arguments.number("limit", default=default, low=1, high=high),
        projects=projects_of(arguments),
        groups=groups_of(arguments),
        changed=changed_filter(arguments),
        related=related,
        history=True,
    )
    max_tokens = token_budget(arguments)
    arguments.finish()
    return Asked(request, max_tokens)


def nothing_explained(question: str) -> dict[str, Any]:
    """Return an explanation of nothing."""
    return {"question": question, "results": [], "timeline": [], "owners": [], "freshness": []}


async def _explain_feature(service: ToolsApi, arguments: Arguments) -> ToolReply:
    wanted = asked(arguments, default=5, high=MAX_PLACES, related=True)
    feature = wanted.request.query
    try:
        answer = await service.explain(wanted.request, COMMITS_PER_PLACE)
    except UnknownProject as error:
        return await not_asked(service, error, nothing_explained(feature))
    shape = shapes.explanation_json(answer)
    page = start_page(answer, f"About {feature!r}", wanted.max_tokens)
    places = page.items(
        ["", "## Where", *table_head("Place", "What", "Sure", "Last change", "Address")],
        place_rows(shape["results"]),
        share=0.45,
    )
    page.items(["", "## Whom to ask, most lines first"], owner_rows(shape))
    commits = page.items(["", "## What changed, newest day first"], day_blocks(shape), share=0.7)
    page.items(["", "## What belongs to it"], _related_lines(shape["results"]))
    return explained(shape, page, places, commits)


def start_page(answer: Explanation, title: str, max_tokens: int) -> Page:
    """Return a page with what is to be said before the results."""
    page = Page(max_tokens, title)
    page.say([*answer.notes, *stale_lines(answer.freshness), *branch_line(answer.freshness)])
    if not answer.hits:
        projects = ", ".join(one.project for one in answer.freshness) or "no project"
        page.say([f"Nothing found in {projects}. Try other words or fewer filters."])
    elif not answer.timeline:
        page.say(["No commit is known behind these places: see their project's history."])
    return page


def branch_line(freshness: Sequence[Freshness]) -> list[str]:
    """Say on which branch each project is: the history is that of what is checked out."""
    named = [f"{one.project} {one.branch}" for one in freshness if one.branch]
    return [f"branches: {', '.join(named)}"] if named else []


def place_rows(results: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return a row of the table for each place."""
    return [[_place_row(hit)] for hit in results]


def _place_row(hit: Mapping[str, Any]) -> str:
    what = f"{hit['kind']} {hit['symbol']}" if hit["symbol"] else hit["kind"]
    where = f"{hit['project']}:{hit['path']}:{hit['start_line']}-{hit['end_line']}"
    sure = f"{hit['confidence']} {min(hit['score'], 0.99):.0%}"
    return row(where, what, sure, _last_change(hit.get("last_change")), hit["address"])


def _last_change(change: Mapping[str, Any] | None) -> str:
    if change is None:
        return "-"
    if change["commit"] is None:
        return "not known yet" if change["pending"] else "uncommitted"
    commit = change["commit"]
    return f"{commit['committed'][:10]} {commit['author']['name'] or commit['author']['email']}"


def day_blocks(shape: Mapping[str, Any]) -> list[list[str]]:
    """Return the commits by day, newest day first, each with the places it is part of."""
    blocks = []
    for day, entries in by_day(shape["timeline"]):
        for number, entry in enumerate(entries):
            commit = entry["commit"]
            line = shortened(f"- {commit['project']} {commit_line(commit, with_day=False)}")
            # In one piece with the first commit: no day stands there without one.
            begin = line if number else f"### {day}\n{line}"
            where = ", ".join(shape["results"][hit]["address"] for hit in entry["hits"])
            blocks.append([begin, *([shortened(f"  in {where}")] if where else [])])
    return blocks


def owner_rows(shape: Mapping[str, Any]) -> list[list[str]]:
    """Return a line for each person who knows the places."""
    return [[shortened(f"- {owner_line(one)}")] for one in shape["owners"]]


def _related_lines(results: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return what is related to the hits by symbol, each place once."""
    lines: dict[str, list[str]] = {}
    for hit in results:
        name = hit["symbol"] or hit["address"]
        for one in hit.get("related", ())[:MAX_RELATED]:
            doubt = "" if one["certainty"] == "exact" else " (inferred)"
            relation = one["relation"].replace("_", " ")
            line = f"- {name} {relation} {one['kind']} {one['address']}{doubt}"
            lines.setdefault(line, [shortened(line)])
    return list(lines.values())


def explained(shape: Mapping[str, Any], page: Page, places: int, commits: int) -> ToolReply:
    """Return the page, and as data the places and commits that are on it."""
    text = page.text()
    shown = timeline_of(shape)[:commits]
    data = {
        **shape,
        "results": shape["results"][:places],
        "timeline": [
            short_body({**one, "hits": [hit for hit in one["hits"] if hit < places]})
            for one in shown
        ],
        "tokens": estimate_tokens(text),
    }
    return ToolReply(text, cleaned(data))


def timeline_of(shape: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the commits in the order of the days, as they are written."""
    return [entry for _, entries in by_day(shape["timeline"]) for entry in entries]


EXPLAIN_FEATURE = Tool(_SPEC, _explain_feature)
