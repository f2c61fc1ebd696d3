"""Pieces of what is said of documents, terms and cards: ages, labels, places, what to call."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paparatsd.plain_text import clean_text, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Shape = Mapping[str, Any]

DAY_S = 86_400.0
MONTH_DAYS = 30.4375
STALE_CARD_DAYS = 90
STALE_DOCUMENT_DAYS = 365
MAX_LABEL_CHARS = 200
_COMMANDS = {
    "search_code": "paparats search",
    "search_docs": "paparats docs",
    "get_document": "paparats doc",
    "get_chunk": "paparats show",
    "outline": "paparats outline",
    "term_search": "paparats term search",
    "term_list": "paparats term list",
    "term_record": "paparats term record",
    "term_delete": "paparats term delete",
    "arch_context": "paparats arch context",
    "arch_list": "paparats arch list",
    "arch_record_component": "paparats arch record component",
    "arch_record_decision": "paparats arch record decision",
    "arch_record_lesson": "paparats arch record lesson",
    "arch_suggest_components": "paparats arch suggest",
    "arch_delete": "paparats arch delete",
}
_POSITIONAL = frozenset({"address", "ids", "name", "query", "question"})


@dataclass(frozen=True, slots=True)
class Voice:
    """How to name what can be called: tools to agents, commands to people."""

    commands: bool = False

    def call(self, tool: str, **given: str) -> str:
        """Return a call of a tool with these arguments, in words.

        >>> AGENT.call("arch_delete", ids="42")
        'arch_delete with ids=42'
        >>> PERSON.call("arch_record_decision", supersedes="42")
        'paparats arch record decision --supersedes 42'
        >>> PERSON.call("arch_record_component", name="Cash desk", project="shop")
        "paparats arch record component 'Cash desk' --project shop"
        """
        if not self.commands:
            said = ", ".join(f"{name}={value}" for name, value in given.items())
            return f"{tool} with {said}" if said else tool
        words = [
            shlex.quote(value)
            if name in _POSITIONAL
            else f"{self.option(name)} {shlex.quote(value)}"
            for name, value in given.items()
        ]
        return " ".join([_COMMANDS[tool], *words])

    def option(self, name: str) -> str:
        """Return how an argument is called: min_score, or --min-score for a person."""
        return f"--{name.replace('_', '-')}" if self.commands else name


AGENT = Voice()
PERSON = Voice(commands=True)


def age_of(moment: float, now: float) -> str:
    """Return how long ago something was: just now, 5m, 3h, 12d, 4mo, 2y.

    >>> [age_of(0, now) for now in (59, 300, 7_200, 30 * DAY_S, 31 * DAY_S, 800 * DAY_S)]
    ['just now', '5m', '2h', '30d', '1mo', '2y']
    """
    seconds = max(0.0, now - moment)
    days = seconds / DAY_S
    if seconds < 60:
        return "just now"
    if seconds < 3_600:
        return f"{int(seconds // 60)}m"
    if days < 1:
        return f"{int(seconds // 3_600)}h"
    if days < 31:
        return f"{int(days)}d"
    months = int(days / MONTH_DAYS)
    return f"{months}mo" if months < 12 else f"{months // 12}y"


def is_stale(moment: float, now: float) -> bool:
    """Say whether a card was written so long ago that it is but a guess."""
    return now - moment > STALE_CARD_DAYS * DAY_S


def old_as(moment: float | None, now: float) -> str:
    """Return the age of an old document, "" of one that was touched within a year or is undated.

    >>> old_as(0, 365 * DAY_S), old_as(0, 400 * DAY_S), old_as(0, 800 * DAY_S), old_as(None, 0)
    ('', '13 months', '2 years', '')
    """
    if moment is None or now - moment <= STALE_DOCUMENT_DAYS * DAY_S:
        return ""
    months = max(12, int((now - moment) / DAY_S / MONTH_DAYS))
    return f"{months} months" if months < 24 else f"{months // 12} years"


def inline(text: str, max_chars: int = MAX_LABEL_CHARS) -> str:
    """Return a label on one line, its white space collapsed, cut to so many characters."""
    line = " ".join(one_line(text).split())
    return line if len(line) <= max_chars else line[: max_chars - 1] + "…"


def indented(text: str, columns: int = 2) -> str:
    """Return a text whose lines after the first are indented, so that none begins an item.

    Nor can one begin a fence, which would take in all that follows.
    """
    first, *rest = clean_text(text).replace("```", "'''").strip().split("\n")
    return "\n".join([first, *(f"{' ' * columns}{line}".rstrip() for line in rest)])


def breadcrumb_of(hit: Shape) -> str:
    """Return the headings of a place, the document's title first."""
    return " > ".join(inline(one) for one in (hit["title"], *hit["breadcrumb"]) if one)


def place_of(note: Shape) -> str:
    """Return where a note holds: its group, and its project if it has one."""
    return f"{note['group']}/{note['project']}" if note["project"] else f"{note['group']} (group)"


def listed_names(names: Sequence[str], most: int = 12) -> str:
    """Return names in one line, at most so many of them."""
    shown = ", ".join(inline(one) for one in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def nearness_of(recorded: Shape) -> str:
    """Say how near what is there comes to what was to be written."""
    similarity = recorded["similarity"]
    degree = "" if similarity is None else f" (similarity {similarity:.2f})"
    same = recorded["outcome"] in ("duplicate", "updated")
    return f"the same{degree}" if same else f"nearly the same{degree}"


def deleted_lines(shape: Shape, noun: str, listing: str, voice: Voice = AGENT) -> list[str]:
    """Say which notes are gone, and which ids name none; `listing` is the tool that shows ids."""
    lines = [f"Deleted {noun} {one}." for one in shape["deleted"]]
    lines += [f"The decision {one}, which it superseded, holds again." for one in shape["restored"]]
    return [*lines, *missing_lines(shape, noun, listing, voice)]


def missing_lines(shape: Shape, noun: str, listing: str, voice: Voice = AGENT) -> list[str]:
    """Say which ids name no note here, and how to find those that do."""
    lines = [f"No {noun} here has the id {inline(one)!r}." for one in shape["missing"]]
    if shape["missing"]:
        lines.append(f"{voice.call(listing)} shows the ids there are.")
    return lines
