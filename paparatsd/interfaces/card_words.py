"""Cards of the memory in words, from the shapes of `knowledge_shapes.py`.

As in `knowledge_words`, what strangers wrote is cleaned here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paparatsd.interfaces.history_words import counted
from paparatsd.interfaces.knowledge_phrases import (
    AGENT,
    Voice,
    age_of,
    indented,
    inline,
    is_stale,
    listed_names,
    nearness_of,
    place_of,
)
from paparatsd.plain_text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    Shape = Mapping[str, Any]

MAX_NAMED = 12
PROSE = {
    "component": (("", "summary"),),
    "decision": (
        ("decided", "decision"),
        ("because", "context"),
        ("so", "consequences"),
        ("rejected", "alternatives_rejected"),
    ),
    "lesson": (("why", "why"), ("when", "when"), ("seen in", "evidence")),
}
"""What of a card is told below its label, and how it is introduced."""
NOT_AS_IT_WAS = ("changed", "moved", "missing")
"""States of an anchor that call for a look at its card."""
_PLACE = re.compile(r"#|:\d+(-\d+)?$")
"""What tells the address of a symbol or of lines from that of a whole file."""
HEADS = {"component": "### Components", "decision": "### Decisions", "lesson": "### Lessons"}


def group_line(shape: Shape, group: str) -> str:
    """Return the heading of a group: its name, and how many cards it has in all."""
    return f"## {group} ({counted(shape['counts'].get(group, 0), 'card')} in all)"


def card_block(card: Shape, now: float) -> str:
    """Return a card with all it says, indented below its bullet."""
    lines = [f"- {_mark(card, now)}{inline(card['label'], 600)} · {_about(card, now)}"]
    if card["files"]:
        lines.append(f"  files: {listed_names(card['files'], MAX_NAMED)}")
    for said, member in PROSE[card["kind"]]:
        if card.get(member):
            lines.append(_paragraph(said, card[member]))
    if card.get("neighbours"):
        lines.append(f"  neighbours: {listed_names(card['neighbours'], MAX_NAMED)}")
    if card.get("supersedes"):
        lines.append(f"  supersedes: {inline(card['supersedes'])}")
    return "\n".join([*lines, *check_lines(card)])


def _about(card: Shape, now: float) -> str:
    """Return where a card belongs, its age, how it was found, its id."""
    parts = [place_of(card)]
    if card["kind"] == "lesson":
        parts.insert(0, card["severity"])
        if card["confirmations"]:
            parts.append(f"confirmed {counted(card['confirmations'], 'time')}")
    if card["status"] != "accepted":
        parts.append(_status(card))
    parts.append(age_of(card["updated"], now))
    if card["score"]:
        parts.append(f"score {card['score']:.2f}")
    return " · ".join([*parts, f"id {card['id']}"])


def _status(card: Shape) -> str:
    """Return whether a card holds, and what took its place."""
    newer = card.get("superseded_by")
    return f"{card['status']} by {newer}" if newer else str(card["status"])


def _mark(card: Shape, now: float) -> str:
    return "[stale] " if is_stale(card["updated"], now) else ""


def _paragraph(said: str, text: str) -> str:
    if not said:
        return f"  {indented(text, 2)}"
    bullet = f"  - {said}: "
    return f"{bullet}{indented(text, 4)}"


def card_row(card: Shape, now: float) -> str:
    """Return a card in one line of a list, and below it what became of what it names."""
    where = f"project={card['project']}" if card["project"] else "whole group"
    row = (
        f"- {_mark(card, now)}{card['kind']} · {inline(card['label'])} · {card['group']}, {where} "
        f"· {_status(card)} · {age_of(card['updated'], now)} · id {card['id']}"
    )
    return "\n".join([row, *check_lines(card)])


def check_lines(card: Shape) -> list[str]:
    """Return a line for each anchor that is not as it was, and one that counts the others."""
    checks = card["checks"]
    lines = [_check_line(one) for one in checks if one["state"] in NOT_AS_IT_WAS]
    if len(lines) > MAX_NAMED:
        lines[MAX_NAMED:] = [f"  - {len(lines) - MAX_NAMED} more that are not as they were"]
    rest = [
        f"{number} {state}"
        for state in ("unchanged", "unclear")
        if (number := sum(one["state"] == state for one in checks))
    ]
    if rest:
        lines.append(f"  - anchors: {', '.join(rest)}")
    return lines


def _check_line(check: Shape) -> str:
    where = one_line(check["address"])
    now_at = f" now at {where}" if check["state"] == "moved" and where else ""
    detail = f": {inline(check['detail'], 300)}" if check["detail"] else ""
    return f"  - {check['state'].upper()} {inline(check['at'])}{now_at}{detail}"


def is_not_as_it_was(card: Shape) -> bool:
    """Say whether something that a card names changed, moved or is gone."""
    return any(one["state"] in NOT_AS_IT_WAS for one in card["checks"])


def next_call(card: Shape, voice: Voice = AGENT) -> str:
    """Say what to do about a card that may hold no more: what to read, then what to call."""
    look = _reading(card, voice)
    gone = voice.call("arch_delete", ids=card["id"])
    place = {"group": card["group"]} | ({"project": card["project"]} if card["project"] else {})
    if card["kind"] == "component":
        again = voice.call("arch_record_component", name=inline(card["label"]), **place)
        return f"{look}; then {again} with what is true now, or {gone} if the component is gone"
    if card["kind"] == "decision":
        again = voice.call("arch_record_decision", supersedes=card["id"], **place)
        return f"{look}; then {again} if another choice holds now, or {gone} if none is needed"
    again = voice.call("arch_record_lesson", **place)
    return f"{look}; then {again} with the same rule if it still holds, or {gone} if not"


def audit_block(card: Shape, now: float) -> str:
    """Return a card that names what is not as it was, and what an agent is to do about it."""
    return f"{card_row(card, now)}\n  - next: {next_call(card)}"


def audit_lines(shape: Shape) -> list[str]:
    """Say how many cards were looked at, and what cannot be said of some."""
    looked_at = f"{counted(shape['looked_at'], 'card')} looked at"
    lines = [f"{looked_at}, none names what changed, moved or is gone."]
    if shape["total"]:
        lines = [
            f"{looked_at}, {shape['total']} to be reviewed: what is named there changed, moved or "
            "is gone. Whether a card still holds, only reading tells; ask the user before you act."
        ]
    if shape["unanchored"]:
        unanchored = counted(shape["unanchored"], "card")
        lines.append(f"Could not be checked, without files and anchors: {unanchored}.")
    if shape["unclear"]:
        lines.append(f"Could not be checked wholly now: {counted(shape['unclear'], 'card')}.")
    return lines


def _reading(card: Shape, voice: Voice) -> str:
    """Say how to read the code that a card names: best a symbol that is not as it was."""
    there = [one for one in card["checks"] if one["address"]]
    there.sort(key=lambda one: (one["state"] not in NOT_AS_IT_WAS, "#" not in one["address"]))
    if not there:
        return "look for it in the code"
    address = one_line(there[0]["address"])
    names_a_place = _PLACE.search(address) is not None
    return voice.call("get_chunk" if names_a_place else "outline", address=address)


def nothing_remembered(shape: Shape, voice: Voice = AGENT) -> str:
    """Say whether memory has cards that are not near, or none at all, and what to do."""
    groups = [
        f"{counted(number, 'card')} in {name}" for name, number in shape["counts"].items() if number
    ]
    if groups:
        lower = voice.option("min_score")
        return (
            f"No card is near enough to this question (of {', '.join(groups)}). Ask in other "
            f"words or name files, lower {lower}, or see all with {voice.call('arch_list')}. "
            "Memory is sparse: a miss does not mean that nothing was decided."
        )
    return (
        "Memory is empty here: nobody has recorded anything, which says nothing of the code. "
        f"{voice.call('arch_suggest_components')} names places to begin with and "
        f"{voice.call('arch_record_component')} records them."
    )


def no_cards_line(voice: Voice = AGENT, *, chosen: bool = False) -> str:
    """Say that a list of cards is empty; `chosen`: only some of all there are were asked for."""
    said = "No such cards are recorded." if chosen else "No cards are recorded yet."
    return (
        f"{said} Memory is sparse: this does not mean that nothing was decided. "
        f"{voice.call('arch_suggest_components')} names places to begin with."
    )


def card_outcome(recorded: Shape, kind: str, label: str, where: str, voice: Voice = AGENT) -> str:
    """Say what became of a card, and what to do when it was not written."""
    name, number = inline(label), recorded["id"]
    if recorded["outcome"] == "created":
        return f"Recorded {kind} {name!r} in {where}. id {number}"
    near = f"{inline(recorded['label'])!r} says {nearness_of(recorded)}, id {number}"
    if recorded["outcome"] == "updated":
        if kind == "lesson":
            return f"Known already, and confirmed by this: {near}. Nothing else was written."
        return f"Updated {kind} {name!r} in {where}; its id stays. id {number}"
    read = voice.call("arch_context", question=inline(recorded["label"]))
    if kind == "decision":
        replace = voice.call("arch_record_decision", supersedes=number)
        advice = (
            f"Read it with {read}. If yours takes its place, {replace}; if it says the same, leave "
            "it; if both hold, say in yours what sets them apart and record it again."
        )
    else:
        advice = (
            f"Read it with {read}. If it says the same, leave it; if not, say in yours what sets "
            "them apart and record it again. If they contradict each other, ask the user."
        )
    return f"Not recorded: {near}. {advice}"


def suggestion_line(suggestion: Shape) -> str:
    """Return a place that deserves a card."""
    what = inline(suggestion["symbol"]) or one_line(suggestion["path"])
    where = f"{suggestion['project']}:{one_line(suggestion['path'])}"
    users = counted(suggestion["users"], "user")
    return f"- {what} · {where} · {users} · address: {one_line(suggestion['address'])}"


def no_suggestions_line() -> str:
    """Say that nothing is suggested."""
    return (
        "Nothing to suggest: what much is built on has a component card already, or the symbol "
        "graph of these projects is not there yet."
    )
