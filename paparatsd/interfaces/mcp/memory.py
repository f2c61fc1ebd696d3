"""Tools that read the architectural memory: arch_context, arch_list, arch_suggest_components."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paparatsd import knowledge_limits as limits
from paparatsd.errors import UnknownProject
from paparatsd.interfaces import card_words as words
from paparatsd.interfaces import knowledge_requests as requests
from paparatsd.interfaces import knowledge_shapes as shapes
from paparatsd.interfaces.knowledge_phrases import missing_lines
from paparatsd.interfaces.mcp.knowledge_page import (
    CARD,
    CHECKED,
    IDS,
    LABEL,
    Shape,
    cut_to,
    fill,
    reach_of,
    reply_of,
    tell,
)
from paparatsd.interfaces.mcp.page import Page
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, cleaned, not_asked, token_budget
from paparatsd.interfaces.mcp.schemas import (
    COUNT,
    ESTIMATE,
    MAX_TOKENS_INPUT,
    NULLABLE_TEXT,
    TEXT,
    TEXTS,
    WHERE,
    Schema,
    ToolSpec,
    flag,
    fraction,
    object_of,
    string,
    whole,
)
from paparatsd.knowledge_model import CardKind
from paparatsd.tokens import byte_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.knowledge_model import CardsRequest

CURSOR_BYTES = 160
"""Kept free for the line that says where a list goes on."""
CARDS: Schema = {"type": "array", "items": CARD}
KINDS: Schema = {
    "type": "array",
    "items": {"type": "string", "enum": [one.value for one in CardKind]},
    "description": "Only these kinds of cards",
}
_ARCH_CONTEXT = ToolSpec(
    name="arch_context",
    title="Recall architecture",
    description=(
        "Say what the team's memory knows of a question, or of files (src/a.py, src/b.py): "
        "components, decisions and lessons, and whether the code they name is as it was. Call it "
        "before a change that concerns several components or brings in a new pattern."
    ),
    input_schema=object_of(
        {
            "question": string(
                "A question, or files with commas", minLength=1, maxLength=limits.MAX_QUESTION_CHARS
            ),
            **WHERE,
            "min_score": fraction("Likeness at least"),
            "limits": {
                **object_of(
                    {
                        one.value: whole(
                            "Cards of this kind",
                            0,
                            limits.MAX_OF_A_KIND,
                            limits.DEFAULT_OF_A_KIND,
                        )
                        for one in CardKind
                    },
                    closed=True,
                ),
                "description": "At most so many of a kind; 0 for none",
            },
            "checked": {**CHECKED, "default": True},
            "max_tokens": MAX_TOKENS_INPUT,
        },
        ("question",),
        closed=True,
    ),
    output_schema=object_of(
        {
            "question": TEXT,
            "cards": CARDS,
            "counts": {"type": "object", "additionalProperties": COUNT},
            "notes": TEXTS,
            "tokens": ESTIMATE,
        },
        ("question", "cards", "counts", "notes", "tokens"),
    ),
)
_ARCH_LIST = ToolSpec(
    name="arch_list",
    title="List architecture cards",
    description=(
        "List the cards of the memory with their ids, oldest first, unranked; or read those of "
        "given ids whole."
    ),
    input_schema=object_of(
        {
            **WHERE,
            "ids": IDS,
            "kinds": KINDS,
            "include_history": flag("Also cards that were superseded or hold no more"),
            "checked": CHECKED,
            "limit": whole(
                "How many cards", 1, limits.MAX_CARDS_LISTED, limits.DEFAULT_CARDS_LISTED
            ),
            "offset": {
                "type": ["string", "integer"],
                "description": "next_offset of the last answer, to continue a list",
            },
            "max_tokens": MAX_TOKENS_INPUT,
        },
        closed=True,
    ),
    output_schema=object_of(
        {
            "cards": CARDS,
            "next_offset": NULLABLE_TEXT,
            "notes": TEXTS,
            "missing": TEXTS,
            "tokens": ESTIMATE,
        },
        ("cards", "next_offset", "notes", "missing", "tokens"),
    ),
)
_SUGGESTION = object_of(
    {"project": TEXT, "path": TEXT, "symbol": TEXT, "users": COUNT, "address": TEXT},
    ("project", "path", "symbol", "users", "address"),
)
_ARCH_SUGGEST = ToolSpec(
    name="arch_suggest_components",
    title="Suggest components",
    description=(
        "Name places that much is built on, by the symbol graph, and that no component card is "
        "about yet: candidates, to be read and judged before one is recorded."
    ),
    input_schema=object_of(
        {
            **WHERE,
            "limit": whole("How many", 1, limits.MAX_SUGGESTIONS, limits.DEFAULT_SUGGESTIONS),
            "max_tokens": MAX_TOKENS_INPUT,
        },
        closed=True,
    ),
    output_schema=object_of(
        {
            "suggestions": {"type": "array", "items": _SUGGESTION},
            "notes": TEXTS,
            "tokens": ESTIMATE,
        },
        ("suggestions", "notes", "tokens"),
    ),
)


async def _arch_context(service: ToolsApi, arguments: Arguments) -> ToolReply:
    max_tokens = token_budget(arguments)
    request = requests.context_request(arguments, reach_of(arguments))
    arguments.finish()
    try:
        answer = await service.memory.context(request)
    except UnknownProject as error:
        empty = {"question": request.question, "cards": [], "counts": {}}
        return await not_asked(service, error, empty)
    shape: Shape = cleaned(shapes.context_json(answer))
    page = Page(max_tokens, f"Memory on {request.question!r}", LABEL)
    page.say(shape["notes"])
    if not shape["cards"]:
        tell(page, words.nothing_remembered(shape))
    shape["cards"] = _write_cards(page, shape)
    return reply_of(shape, page.text())


def _write_cards(page: Page, shape: Shape) -> list[Shape]:
    """Write cards by group and kind as far as there is room; return those that are written.

    The best of each kind come before the second best of any, so that no kind starves the others.
    """
    now = time.time()
    chosen: dict[int, Shape] = {}
    heads: set[tuple[str, ...]] = set()
    room = page.room
    for number in _by_turns(shape["cards"]):
        card = shape["cards"][number]
        key = (card["group"], card["kind"])
        above = {key[:1]: words.group_line(shape, key[0]), key: words.HEADS[key[1]]}
        needed = sum(byte_size(line) + 1 for head, line in above.items() if head not in heads)
        if not chosen:
            card = cut_to(card, room - needed, lambda one: words.card_block(one, now))
        needed += byte_size(words.card_block(card, now)) + 1
        if needed > room:
            break
        room -= needed
        heads.update(above)
        chosen[number] = card
    shown = [chosen[number] for number in sorted(chosen)]
    page.left += len(shape["cards"]) - len(shown)
    before: tuple[str, str] = ("", "")
    for card in shown:
        if card["group"] != before[0]:
            page.line(words.group_line(shape, card["group"]))
        if (card["group"], card["kind"]) != before:
            page.line(words.HEADS[card["kind"]])
        page.line(words.card_block(card, now))
        before = (card["group"], card["kind"])
    return shown


def _by_turns(cards: Sequence[Shape]) -> list[int]:
    """Return the numbers of cards: the first of each group and kind, then the second of each."""
    seen: Counter[tuple[str, str]] = Counter()
    turns = []
    for number, card in enumerate(cards):
        key = (card["group"], card["kind"])
        turns.append((seen[key], number))
        seen[key] += 1
    return [number for _, number in sorted(turns)]


async def _arch_list(service: ToolsApi, arguments: Arguments) -> ToolReply:
    max_tokens = token_budget(arguments)
    request = requests.cards_request(arguments, reach_of(arguments), cursor="offset")
    arguments.finish()
    try:
        if request.ids:
            return await _read(service, request, max_tokens)
        return await _listed(service, request, max_tokens)
    except UnknownProject as error:
        empty = {"cards": [], "next_offset": None, "missing": list(request.ids)}
        return await not_asked(service, error, empty)


async def _read(service: ToolsApi, request: CardsRequest, max_tokens: int) -> ToolReply:
    """Answer with whole cards, of given ids."""
    now = time.time()
    shape: Shape = cleaned(shapes.cards_json(await service.memory.list(request)))
    page = Page(max_tokens, "Cards by their ids", LABEL)
    page.say(shape["notes"])
    page.say(missing_lines(shape, "card", "arch_list"))
    shown = fill(page, shape["cards"], lambda one, _place: words.card_block(one, now))
    data = {"cards": shown, "next_offset": None, "notes": shape["notes"]}
    return reply_of({**data, "missing": shape["missing"]}, page.text())


async def _listed(service: ToolsApi, request: CardsRequest, max_tokens: int) -> ToolReply:
    now = time.time()
    while True:
        answer = await service.memory.list(request)
        shape: Shape = cleaned(shapes.cards_json(answer))
        page = Page(max_tokens, "Cards, oldest first", LABEL)
        page.say(shape["notes"])
        shown = fill(
            page,
            shape["cards"],
            lambda one, _place: words.card_row(one, now),
            room=page.room - CURSOR_BYTES,
        )
        if len(shown) in (0, len(shape["cards"])):
            break
        # Where the list goes on behind the last card that fits, only another answer knows.
        request = replace(request, limit=len(shown))
    cursor = answer.next_cursor
    if not shape["cards"]:
        none = words.no_cards_line(chosen=requests.is_narrowed(request))
        tell(page, "No cards are left." if request.cursor else none)
    text = page.text()
    if cursor and shown:
        text += f"\nThere are more; continue with offset={cursor}"
    next_offset: str | None = cursor if cursor and shown else None
    data = {"cards": shown, "next_offset": next_offset, "notes": shape["notes"], "missing": []}
    return reply_of(data, text)


async def _arch_suggest(service: ToolsApi, arguments: Arguments) -> ToolReply:
    max_tokens = token_budget(arguments)
    reach = reach_of(arguments)
    limit = requests.suggestions_limit(arguments)
    arguments.finish()
    try:
        answer = await service.memory.suggest(reach, limit)
    except UnknownProject as error:
        empty: dict[str, Any] = {"suggestions": []}
        return await not_asked(service, error, empty)
    shape: Shape = cleaned(shapes.suggestions_json(answer))
    page = Page(max_tokens, "Places that deserve a component card, most used first", LABEL)
    page.say(shape["notes"])
    if not shape["suggestions"] and not shape["notes"]:  # which say why there are none
        tell(page, words.no_suggestions_line())
    shape["suggestions"] = fill(
        page, shape["suggestions"], lambda one, _place: words.suggestion_line(one)
    )
    return reply_of(shape, page.text())


ARCH_CONTEXT = Tool(_ARCH_CONTEXT, _arch_context)
ARCH_LIST = Tool(_ARCH_LIST, _arch_list)
ARCH_SUGGEST_COMPONENTS = Tool(_ARCH_SUGGEST, _arch_suggest)
