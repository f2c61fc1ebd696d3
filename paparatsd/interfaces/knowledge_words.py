"""Documents, terms and cards in words, from the shapes of `knowledge_shapes.py`.

For agents and for the command line. What strangers wrote (titles, terms, cards, contents) is
cleaned of control characters here, kept on its line where it is a label, and indented where it has
several lines, so that it cannot pass for what we say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paparatsd.interfaces.history_words import change_line, counted, day_of
from paparatsd.interfaces.knowledge_phrases import (
    AGENT,
    Voice,
    age_of,
    breadcrumb_of,
    indented,
    inline,
    is_stale,
    listed_names,
    old_as,
    place_of,
)
from paparatsd.knowledge.folding import name_key
from paparatsd.plain_text import clean_text, one_line
from paparatsd.search.render import fenced

if TYPE_CHECKING:
    from collections.abc import Mapping

    Shape = Mapping[str, Any]

VERIFY = "Similar is not the same: verify a meaning before you rely on it."
GLOSSARY = "Glossary on these words (context, not the answer):"
COMPARE = (
    "The first one is not always the right one: compare headings and dates before you rely on it."
)
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

# --------------------------------------------------------------------------- documents


def document_lines(hit: Shape, number: int, now: float, voice: Voice = AGENT) -> list[str]:
    """Return what is said of a hit above its content: heading, place, link, doubts."""
    where = f"{hit['project']}:{one_line(hit['path'])}:{hit['start_line']}-{hit['end_line']}"
    lines = [
        f"## {number}. {breadcrumb_of(hit)} · score {hit['score']:.3f}",
        f"{where} · address: {one_line(hit['address'])}",
    ]
    if hit["link"]:
        lines.append(f"source: {inline(hit['link'], 500)}")
    excerpt = hit["excerpt"]
    if excerpt["total"] > excerpt["last"] - excerpt["first"] + 1:
        shown = (
            f"section {excerpt['first']}"
            if excerpt["first"] == excerpt["last"]
            else f"sections {excerpt['first']}-{excerpt['last']}"
        )
        whole = voice.call("get_document")
        lines.append(f"excerpt: {shown} of {excerpt['total']}; {whole} has the rest")
    lines += stale_lines_of(hit, now)
    if hit["also_in"]:
        lines.append("identical in: " + ", ".join(hit["also_in"]))
    if hit.get("last_change") is not None:
        lines.append(inline(change_line(hit["last_change"]), 260))
    return lines


def document_block(hit: Shape, number: int, now: float, voice: Voice = AGENT) -> str:
    """Return a hit with its content in a fence."""
    content = fenced(clean_text(hit["content"]), "markdown")
    return "\n".join(["", *document_lines(hit, number, now, voice), content])


def stale_lines_of(document: Shape, now: float) -> list[str]:
    """Say of a document that was not touched for more than a year how old it is."""
    age = old_as(document["modified"], now)
    return [f"not updated for {age}: it may be out of date"] if age else []


def document_head(shape: Shape, now: float) -> list[str]:
    """Return what is said of a document above its text."""
    document = shape["document"]
    lines = [f"{inline(document['title'])} · {document['project']}:{one_line(document['path'])}"]
    if document["link"]:
        lines.append(f"source: {inline(document['link'], 500)}")
    if document["modified_at"]:
        said = {"document": " as it says itself", "commit": " by its last commit"}
        dated = said.get(document["dated_by"], "")
        lines.append(f"last modified {day_of(document['modified_at'])}{dated}")
    return [*lines, *stale_lines_of(document, now)]


def nothing_in_documents(query: str, voice: Voice | None = AGENT) -> str:
    """Say that no document answers a question; to one of us also what that means."""
    said = f"Nothing found about {inline(query)!r} in the documents."
    if voice is None:
        return said
    return (
        f"{said} That no document says it does not mean that it is not so: documents lag behind. "
        f"{voice.call('search_code')} knows what the code does."
    )


def no_document(project: str, path: str, voice: Voice = AGENT) -> str:
    """Say that there is no such document, or none that may be seen: the same, on purpose."""
    return (
        f"Nothing found: no document {inline(path)!r} in {inline(project)!r}. It may have been "
        f"moved or removed; {voice.call('search_docs')} finds where it is now."
    )


def piece_line(shape: Shape) -> str:
    """Say which piece of a document this is, and how to go on; "" when it is the whole."""
    end = shape["next_offset"]
    if end is None and shape["offset"] == 0:
        return ""
    if shape["offset"] >= shape["total_chars"]:
        return (
            f"it has {shape['total_chars']} characters: nothing is left from {shape['offset']} on"
        )
    last = shape["total_chars"] if end is None else end
    said = f"characters {shape['offset']}-{last} of {shape['total_chars']}"
    return f"{said}; this is its end" if end is None else f"{said}; continue with offset={end}"


# --------------------------------------------------------------------------- the glossary


def term_block(hit: Shape, *, found: bool = True) -> str:
    """Return a term: how it was found, what it means, its aliases, where it holds, its id."""
    how = ("exact" if hit["exact"] else f"similar {hit['score']:.2f}") if found else ""
    name = f"- {inline(hit['term'])}{f' ({how})' if how else ''}: "
    also = f" Also: {listed_names(hit['aliases'])}." if hit["aliases"] else ""
    return f"{name}{indented(hit['definition'])}{also} · {place_of(hit)} · id {hit['id']}"


def no_term_line(query: str, voice: Voice = AGENT) -> str:
    """Say that the glossary does not know something, and what that means."""
    return (
        f"The glossary has nothing on {inline(query)!r}. It is incomplete, so this says nothing of "
        "the word: look for it in documents and code, or ask the user. Do not make a meaning up; "
        f"{voice.call('term_record')} keeps one that is confirmed."
    )


def no_terms_line(voice: Voice = AGENT) -> str:
    """Say that a list of terms is empty."""
    return f"No terms are recorded here yet; {voice.call('term_record')} writes one."


def term_outcome(recorded: Shape, term: str, where: str, voice: Voice = AGENT) -> str:
    """Say what became of a term, and what to do when it was not written."""
    name, number = inline(term), recorded["id"]
    if recorded["outcome"] == "created":
        return f"Recorded {name!r} in {where}. id {number}"
    if recorded["outcome"] == "updated":
        return f"Updated {name!r} in {where}: it says this now instead of what it said. id {number}"
    there = inline(recorded["label"])
    if name_key(there) == name_key(name):
        return f"Not recorded: {name!r} is there already, written {there!r}, id {number}."
    near = f"{there!r} says {_near(recorded)}, id {number}"
    return (
        f"Not recorded: {near}. Read it with {voice.call('term_search', query=there)}. If it is "
        f"the same thing, record {there!r} again with {name!r} among its aliases; if it is not, "
        "say in the definition what sets them apart and record it again."
    )


# --------------------------------------------------------------------------- cards

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


def audit_block(card: Shape, now: float, voice: Voice = AGENT) -> str:
    """Return a card that names what is not as it was, and what to do about it."""
    return f"{card_row(card, now)}\n  - next: {next_call(card, voice)}"


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


def no_cards_line(voice: Voice = AGENT) -> str:
    """Say that a list of cards is empty."""
    return (
        "No such cards are recorded. Memory is sparse: this does not mean that nothing was "
        f"decided. {voice.call('arch_suggest_components')} names places to begin with."
    )


def card_outcome(recorded: Shape, kind: str, label: str, where: str, voice: Voice = AGENT) -> str:
    """Say what became of a card, and what to do when it was not written."""
    name, number = inline(label), recorded["id"]
    if recorded["outcome"] == "created":
        return f"Recorded {kind} {name!r} in {where}. id {number}"
    near = f"{inline(recorded['label'])!r} says {_near(recorded)}, id {number}"
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


def _near(recorded: Shape) -> str:
    similarity = recorded["similarity"]
    degree = "" if similarity is None else f" (similarity {similarity:.2f})"
    same = recorded["outcome"] in ("duplicate", "updated")
    return f"the same{degree}" if same else f"nearly the same{degree}"


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


def deleted_lines(shape: Shape, noun: str, listing: str, voice: Voice = AGENT) -> list[str]:
    """Say which notes are gone, and which ids name none; `listing` is the tool that shows ids."""
    lines = [f"Deleted {noun} {one}." for one in shape["deleted"]]
    lines += [f"No {noun} here has the id {inline(one)!r}." for one in shape["missing"]]
    if shape["missing"]:
        lines.append(f"{voice.call(listing)} shows the ids there are.")
    return lines
