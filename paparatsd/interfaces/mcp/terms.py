"""Tools about the glossary: term_search, term_list, term_record, term_delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd import knowledge_limits as limits
from paparatsd.errors import UnknownProject
from paparatsd.interfaces import knowledge_requests as requests
from paparatsd.interfaces import knowledge_shapes as shapes
from paparatsd.interfaces import knowledge_words as words
from paparatsd.interfaces.knowledge_phrases import deleted_lines, missing_lines
from paparatsd.interfaces.mcp.knowledge_page import (
    DELETED,
    GROUP,
    IDS,
    LABEL,
    PROJECT,
    RECORDED,
    TERM,
    TOTAL,
    Shape,
    fill,
    reach_of,
    reply_of,
    settled,
    tell,
    texts,
    where_of,
    written,
)
from paparatsd.interfaces.mcp.page import Page
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, cleaned, not_asked, token_budget
from paparatsd.interfaces.mcp.schemas import (
    ESTIMATE,
    MAX_TOKENS_INPUT,
    NULLABLE_COUNT,
    TEXT,
    TEXTS,
    WHERE,
    Schema,
    ToolSpec,
    fraction,
    object_of,
    string,
    whole,
)
from paparatsd.knowledge_model import Reach

if TYPE_CHECKING:
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi

_TERMS: Schema = {"type": "array", "items": TERM}
_TERM_SEARCH = ToolSpec(
    name="term_search",
    title="Look a word up",
    description=(
        "Say what a word, an abbreviation or a code name means here: by its name or an alias "
        "(exact), else what is like it (similar: verify it). Look unknown words up before you "
        "search for them."
    ),
    input_schema=object_of(
        {
            "query": string("The word", minLength=1, maxLength=limits.MAX_QUESTION_CHARS),
            **WHERE,
            "limit": whole("How many terms", 1, limits.MAX_TERMS_FOUND, limits.DEFAULT_TERMS_FOUND),
            "min_score": fraction("Likeness at least, of terms that are only similar"),
            "max_tokens": MAX_TOKENS_INPUT,
        },
        ("query",),
        closed=True,
    ),
    output_schema=object_of(
        {"query": TEXT, "terms": _TERMS, "total": TOTAL, "notes": TEXTS, "tokens": ESTIMATE},
        ("query", "terms", "total", "notes", "tokens"),
    ),
)
_TERM_LIST = ToolSpec(
    name="term_list",
    title="List the glossary",
    description="List the terms of the glossary by name, with their ids; or those of given ids.",
    input_schema=object_of(
        {
            **WHERE,
            "ids": IDS,
            "limit": whole(
                "How many terms of each group",
                1,
                limits.MAX_TERMS_LISTED,
                limits.DEFAULT_TERMS_LISTED,
            ),
            "offset": whole(
                "Skip so many, to continue a list", 0, limits.MAX_TERMS_LISTED * 100, 0
            ),
            "max_tokens": MAX_TOKENS_INPUT,
        },
        closed=True,
    ),
    output_schema=object_of(
        {
            "terms": _TERMS,
            "total": TOTAL,
            "next_offset": NULLABLE_COUNT,
            "notes": TEXTS,
            "missing": TEXTS,
            "tokens": ESTIMATE,
        },
        ("terms", "total", "next_offset", "notes", "missing", "tokens"),
    ),
)
_TERM_RECORD = ToolSpec(
    name="term_record",
    title="Record a term",
    description=(
        "Write down what a word means here, in one or two sentences, once the user or a document "
        "has confirmed it. To record a term again corrects it."
    ),
    input_schema=object_of(
        {
            "group": GROUP,
            "project": PROJECT,
            "term": string("The word", minLength=1, maxLength=limits.MAX_TERM_CHARS),
            "definition": string(
                "What it means, in one or two sentences",
                minLength=1,
                maxLength=limits.MAX_DEFINITION_CHARS,
            ),
            "aliases": texts("Other words for the same: abbreviations, spellings"),
        },
        ("term", "definition"),
        closed=True,
    ),
    output_schema=RECORDED,
    effect="add",
)
_TERM_DELETE = ToolSpec(
    name="term_delete",
    title="Delete a term",
    description="Delete a term by its id, which term_list shows. To correct it, record it again.",
    input_schema=object_of(
        {
            "group": string("Only in this group"),
            "id": string("The id of the term", minLength=1),
        },
        ("id",),
        closed=True,
    ),
    output_schema=DELETED,
    effect="delete",
)


async def _term_search(service: ToolsApi, arguments: Arguments) -> ToolReply:
    max_tokens = token_budget(arguments)
    request = requests.terms_request(arguments, reach_of(arguments))
    arguments.finish()
    try:
        answer = await service.glossary.search(request)
    except UnknownProject as error:
        return await not_asked(service, error, {"query": request.query, "terms": [], "total": 0})
    shape: Shape = cleaned(shapes.terms_json(answer))
    page = Page(max_tokens, f"Glossary on {request.query!r}", LABEL)
    page.say(shape["notes"])
    every = shape["terms"]
    shape["terms"] = fill(page, every, lambda one, _place: words.term_block(one))
    if not every:
        tell(page, words.no_term_line(request.query))
    elif not all(one["exact"] for one in every):
        page.line(words.VERIFY)
    return reply_of({"query": request.query, **shape}, page.text())


async def _term_list(service: ToolsApi, arguments: Arguments) -> ToolReply:
    max_tokens = token_budget(arguments)
    reach = reach_of(arguments)
    limit, ids = requests.terms_limit(arguments), requests.ids_of(arguments)
    offset = arguments.number("offset", default=0, low=0, high=limits.MAX_TERMS_LISTED * 100)
    arguments.finish()
    try:
        answer = await service.glossary.list(reach, limit, ids)
    except UnknownProject as error:
        empty = {"terms": [], "total": 0, "next_offset": None, "missing": list(ids)}
        return await not_asked(service, error, empty)
    shape: Shape = cleaned(shapes.listed_terms_json(answer))
    page = Page(max_tokens, f"Glossary, {answer.total} terms", LABEL)
    page.say(shape["notes"])
    page.say(missing_lines(shape, "term", "term_list"))
    every = shape["terms"]
    rest = every[offset:]
    terms = fill(page, rest, lambda one, _place: words.term_block(one, found=False))
    end = offset + len(terms)
    goes_on = 0 < len(terms) < len(rest)
    if not every and not ids:
        tell(page, words.no_terms_line())
    elif every and not rest:
        tell(page, f"No terms from offset {offset} on; there are {len(every)}.")
    tail = ""
    if goes_on:
        tail = f"{answer.total - end} more; continue with offset={end}"
    elif terms and answer.total > end:
        tail = f"{answer.total - end} more; ask with a larger limit, or with term_search"
    data = {**shape, "terms": terms, "next_offset": end if goes_on else None}
    return reply_of(data, page.text(tail))


async def _term_record(service: ToolsApi, arguments: Arguments) -> ToolReply:
    draft = requests.term_draft(arguments)
    arguments.finish()
    draft = await settled(service, draft)
    answer = await written(service.glossary.record(draft, Reach()))
    shape: Shape = cleaned(shapes.recorded_json(answer))
    said = words.term_outcome(shape, draft.term, where_of(draft))
    return reply_of(shape, "\n".join([said, *shape["notes"]]))


async def _term_delete(service: ToolsApi, arguments: Arguments) -> ToolReply:
    reach = reach_of(arguments)
    number = arguments.text("id", max_chars=limits.MAX_LABEL_CHARS)
    arguments.finish()
    answer = await written(service.glossary.delete((number,), reach))
    shape: Shape = cleaned(shapes.deleted_json(answer))
    return reply_of(shape, "\n".join(deleted_lines(shape, "term", "term_list")))


TERM_SEARCH = Tool(_TERM_SEARCH, _term_search)
TERM_LIST = Tool(_TERM_LIST, _term_list)
TERM_RECORD = Tool(_TERM_RECORD, _term_record)
TERM_DELETE = Tool(_TERM_DELETE, _term_delete)
