"""Tools that write the architectural memory: arch_record_*, and arch_delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd import knowledge_limits as limits
from paparatsd.errors import BadQuery
from paparatsd.interfaces import card_words as words
from paparatsd.interfaces import knowledge_requests as requests
from paparatsd.interfaces import knowledge_shapes as shapes
from paparatsd.interfaces.knowledge_phrases import deleted_lines
from paparatsd.interfaces.mcp.knowledge_page import (
    DELETED,
    GROUP,
    PROJECT,
    RECORDED,
    Shape,
    reach_of,
    reply_of,
    settled,
    texts,
    where_of,
    written,
)
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, cleaned
from paparatsd.interfaces.mcp.schemas import Schema, ToolSpec, object_of, string
from paparatsd.knowledge_model import (
    KIND_OF,
    CardScope,
    Reach,
    Severity,
    label_of,
)

if TYPE_CHECKING:
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.interfaces.mcp.schemas import Effect
    from paparatsd.knowledge_model import CardDraft


def _label(description: str) -> Schema:
    return string(description, minLength=1, maxLength=limits.MAX_LABEL_CHARS)


def _prose(description: str) -> Schema:
    return string(description, minLength=1, maxLength=limits.MAX_TEXT_CHARS)


_NAMES: Schema = {
    "files": texts("Paths it is about; they are checked against the code"),
    "anchors": texts("Symbols it is about: src/cart.py#Cart.total, or a name; checked likewise"),
}
_SCOPE: Schema = {
    "type": "string",
    "enum": [one.value for one in CardScope],
    "default": CardScope.GLOBAL.value,
    "description": "How far it reaches",
}


def _recording(
    what: str, description: str, takes: Schema, needs: tuple[str, ...], effect: Effect
) -> ToolSpec:
    return ToolSpec(
        name=f"arch_record_{what}",
        title=f"Record a {what}",
        description=description,
        input_schema=object_of(
            {"group": GROUP, "project": PROJECT, **takes, **_NAMES}, needs, closed=True
        ),
        output_schema=RECORDED,
        effect=effect,
    )


_COMPONENT = _recording(
    "component",
    "Write down a part of the system that a newcomer has to know. To record one of the same name "
    "in its project again replaces it, and keeps its id.",
    {
        "project": string("The project it is part of", minLength=1),
        "name": _label("What the team calls it"),
        "summary": _prose(
            "Markdown of four parts: Does, Owns, Does not, Touched when (what makes one edit it)"
        ),
        "neighbours": texts("Components it works with, by name"),
    },
    ("project", "name", "summary"),
    "add",
)
_DECISION = _recording(
    "decision",
    "Write down a choice that could have been made otherwise, and why. Refused when another "
    "decision says the same or nearly; with supersedes it takes the place of an older one.",
    {
        "title": _label("The choice in one line"),
        "context": _prose("What made a choice necessary"),
        "decision": _prose("What was chosen"),
        "consequences": _prose("What follows from it, the bad included; only what is known"),
        "alternatives_rejected": string("What else was considered, and why not", default=""),
        "scope": _SCOPE,
        "supersedes": {
            "type": ["string", "null"],
            "description": "The id of the decision that holds no more because of this one",
        },
    },
    ("title", "context", "decision", "consequences"),
    "append",
)
_LESSON = _recording(
    "lesson",
    "Write down a rule about the code that was learned: from a correction by the user, a wrong "
    "assumption, an unusual way that was accepted. To record it again confirms it.",
    {
        "rule": string("The rule", minLength=1, maxLength=limits.MAX_RULE_CHARS),
        "why": _prose("Why it holds"),
        "when": _prose("When to think of it"),
        "scope": _SCOPE,
        "severity": {
            "type": "string",
            "enum": [one.value for one in Severity],
            "default": Severity.INFO.value,
            "description": "How bad it is to forget it",
        },
        "evidence": {
            "type": ["string", "null"],
            "description": "Where it was learned: a commit, a ticket, a quote",
        },
    },
    ("rule", "why", "when"),
    "add",
)
_ARCH_DELETE = ToolSpec(
    name="arch_delete",
    title="Delete cards",
    description=(
        "Delete cards by their ids, for good. To correct a component record it again; a decision "
        "that was replaced is superseded, not deleted; what a deleted one superseded holds again. "
        "Only when the user agrees."
    ),
    input_schema=object_of(
        {
            "group": string("Only in this group"),
            "ids": {**texts("Ids of cards, from arch_list or arch_context"), "minItems": 1},
        },
        ("ids",),
        closed=True,
    ),
    output_schema=DELETED,
    effect="delete",
)


async def _record_component(service: ToolsApi, arguments: Arguments) -> ToolReply:
    draft = requests.component_draft(arguments)
    arguments.finish()
    return await _recorded(service, draft)


async def _record_decision(service: ToolsApi, arguments: Arguments) -> ToolReply:
    draft = requests.decision_draft(arguments)
    arguments.finish()
    return await _recorded(service, draft)


async def _record_lesson(service: ToolsApi, arguments: Arguments) -> ToolReply:
    draft = requests.lesson_draft(arguments)
    arguments.finish()
    return await _recorded(service, draft)


async def _recorded(service: ToolsApi, draft: CardDraft) -> ToolReply:
    draft = await settled(service, draft)
    answer = await written(service.memory.record(draft, Reach()))
    shape: Shape = cleaned(shapes.recorded_json(answer))
    kind = KIND_OF[type(draft.body)].value
    said = words.card_outcome(shape, kind, label_of(draft.body), where_of(draft))
    return reply_of(shape, "\n".join([said, *shape["notes"]]))


async def _arch_delete(service: ToolsApi, arguments: Arguments) -> ToolReply:
    reach = reach_of(arguments)
    ids = arguments.texts("ids")
    arguments.finish()
    if not ids:
        raise BadQuery("ids is missing; arch_list shows the ids of cards")
    answer = await written(service.memory.delete(ids, reach))
    shape: Shape = cleaned(shapes.deleted_json(answer))
    return reply_of(shape, "\n".join(deleted_lines(shape, "card", "arch_list")))


ARCH_RECORD_COMPONENT = Tool(_COMPONENT, _record_component)
ARCH_RECORD_DECISION = Tool(_DECISION, _record_decision)
ARCH_RECORD_LESSON = Tool(_LESSON, _record_lesson)
ARCH_DELETE = Tool(_ARCH_DELETE, _arch_delete)
