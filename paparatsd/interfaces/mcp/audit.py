"""The tool arch_check: which cards name code that is not as it was."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paparatsd import knowledge_limits as limits
from paparatsd.errors import UnknownProject
from paparatsd.interfaces import card_words as words
from paparatsd.interfaces import knowledge_requests as requests
from paparatsd.interfaces.knowledge_shapes import card_hit_json
from paparatsd.interfaces.mcp.knowledge_page import (
    CARD,
    LABEL,
    Shape,
    fill,
    reach_of,
    reply_of,
    tell,
)
from paparatsd.interfaces.mcp.memory import KINDS
from paparatsd.interfaces.mcp.page import Page
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, cleaned, not_asked, token_budget
from paparatsd.interfaces.mcp.schemas import (
    COUNT,
    ESTIMATE,
    MAX_TOKENS_INPUT,
    NULLABLE_COUNT,
    TEXT,
    TEXTS,
    WHERE,
    ToolSpec,
    object_of,
    whole,
)

if TYPE_CHECKING:
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.knowledge_model import CardsRequest

MAX_CHECKED = 2_000
"""Cards that one audit looks at, the oldest ones."""
_FINDING = {**CARD, "properties": {**CARD["properties"], "next": TEXT}}
_FINDING["required"] = [*CARD["required"], "next"]
_COUNTS = {"looked_at": COUNT, "total": COUNT, "unanchored": COUNT, "unclear": COUNT}
_ARCH_CHECK = ToolSpec(
    name="arch_check",
    title="Audit architecture cards",
    description=(
        "Say which cards name files or symbols that changed, moved or are gone since the card was "
        "written, oldest first, and what to call next for each. Changes nothing."
    ),
    input_schema=object_of(
        {
            **WHERE,
            "kinds": KINDS,
            "limit": whole(
                "How many cards", 1, limits.MAX_CARDS_LISTED, limits.DEFAULT_CARDS_LISTED
            ),
            "offset": whole("Skip so many, to continue an audit", 0, MAX_CHECKED, 0),
            "max_tokens": MAX_TOKENS_INPUT,
        },
        closed=True,
    ),
    output_schema=object_of(
        {
            "cards": {"type": "array", "items": _FINDING},
            **_COUNTS,
            "next_offset": NULLABLE_COUNT,
            "notes": TEXTS,
            "tokens": ESTIMATE,
        },
        ("cards", *_COUNTS, "next_offset", "notes", "tokens"),
    ),
)


async def _arch_check(service: ToolsApi, arguments: Arguments) -> ToolReply:
    max_tokens = token_budget(arguments)
    offset = arguments.number("offset", default=0, low=0, high=MAX_CHECKED)
    request = requests.audit_request(arguments, reach_of(arguments))
    arguments.finish()
    try:
        cards, notes = await _checked(service, request)
    except UnknownProject as error:
        nothing: dict[str, Any] = {"cards": [], **dict.fromkeys(_COUNTS, 0), "next_offset": None}
        return await not_asked(service, error, nothing)
    return _audited(cards, notes, offset, request, max_tokens)


async def _checked(
    service: ToolsApi, request: CardsRequest
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the cards that hold, as checked now, and what is to be said of the list."""
    cards: list[dict[str, Any]] = []
    notes: dict[str, None] = {}
    page = replace(request, limit=limits.MAX_CARDS_LISTED)
    while True:
        answer = await service.memory.list(page)
        cards += map(card_hit_json, answer.cards)
        notes.update(dict.fromkeys(answer.notes))
        if not answer.next_cursor or not answer.cards:
            break
        if len(cards) >= MAX_CHECKED:
            notes[f"Only the {len(cards)} oldest cards were looked at; narrow by project."] = None
            break
        page = replace(page, cursor=answer.next_cursor)
    return cards, list(notes)


def _audited(
    cards: list[dict[str, Any]],
    notes: list[str],
    offset: int,
    request: CardsRequest,
    max_tokens: int,
) -> ToolReply:
    now = time.time()
    every = [{**one, "next": words.next_call(one)} for one in cards if words.is_not_as_it_was(one)]
    every.sort(key=lambda one: one["updated"])  # a list goes by when cards were first written
    shape: Shape = cleaned(
        {
            "cards": every[offset : offset + request.limit],
            "looked_at": len(cards),
            "total": len(every),
            "unanchored": sum(not one["checks"] for one in cards),
            "unclear": sum(any(c["state"] == "unclear" for c in one["checks"]) for one in cards),
            "notes": notes,
        }
    )
    page = Page(max_tokens, "Audit of the memory", LABEL)
    page.say(notes)
    if cards:
        page.say(words.audit_lines(shape))
    else:
        tell(page, words.no_cards_line(chosen=requests.is_narrowed(request)))
    shown = fill(page, shape["cards"], lambda one, _place: words.audit_block(one, now))
    end = offset + len(shown)
    goes_on = bool(shown) and end < len(every)
    tail = f"{len(every) - end} more; continue with offset={end}" if goes_on else ""
    data = {**shape, "cards": shown, "next_offset": end if goes_on else None}
    return reply_of(data, page.text(tail))


ARCH_CHECK = Tool(_ARCH_CHECK, _arch_check)
