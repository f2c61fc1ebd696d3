"""History in words, from the shapes of `history_shapes.py`: for the command line and for agents.

Nothing here is cleaned of control characters: who prints it does that, as for everything else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_TICKETS = 6
MAX_NAMED = 3
_TRAILER = re.compile(r"[A-Za-z][A-Za-z0-9-]*: ?\S.*")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ID = r"[A-Z][A-Z0-9]*-\d+|[\w./-]*[#!]\d+|https?://\S+"
_EMPTY = re.compile(
    r"|#+ .*|[-=_*~]{3,}|[-*] \[[ xX]\].*"
    rf"|(?:[-*] )?[\[(]?(?:{_ID})[\])]?(?:[,;]? +[\[(]?(?:{_ID})[\])]?)*[.,]?"
)
"""A line that says nothing."""


def day_of(instant: str) -> str:
    """Return the date of an ISO 8601 instant, in the zone it was written in."""
    return instant[: len("2026-03-01")]


def name_of(person: Mapping[str, Any]) -> str:
    """Return what to call a person: the name, else the address."""
    return str(person["name"] or person["email"] or "somebody without a name")


def full_name(person: Mapping[str, Any]) -> str:
    """Return name and address."""
    if person["name"] and person["email"]:
        return f"{person['name']} <{person['email']}>"
    return name_of(person)


def ticket_keys(tickets: Sequence[Mapping[str, Any]]) -> str:
    """Return the keys of tickets, each once, in brackets: `[PAY-12, #7]`; "" without any."""
    keys = list(dict.fromkeys(str(ticket["key"]) for ticket in tickets))
    if not keys:
        return ""
    more = [f"{len(keys) - MAX_TICKETS} more"] if len(keys) > MAX_TICKETS else []
    return f"[{', '.join([*keys[:MAX_TICKETS], *more])}]"


def commit_line(commit: Mapping[str, Any], *, with_day: bool = True) -> str:
    """Return a commit in one line: day, id, author, subject, tickets."""
    parts = [
        day_of(commit["committed"]) if with_day else "",
        commit["short"],
        f"{name_of(commit['author'])}:",
        commit["subject"] or "(no message)",
        unnamed_tickets(commit),
        remarks_on(commit),
    ]
    return " ".join(filter(None, parts))


def unnamed_tickets(commit: Mapping[str, Any]) -> str:
    """Return the tickets of a commit that its subject does not show already."""
    return ticket_keys(
        [one for one in commit["tickets"] if not _has(commit["subject"], one["key"])]
    )


def _has(subject: str, key: str) -> bool:
    """Say whether a key stands in a subject, not only at the beginning of a longer number."""
    before, found, after = subject.partition(key)
    return bool(found) and not after[:1].isdigit() and not before[-1:].isalnum()


def remarks_on(commit: Mapping[str, Any], *, merge: bool = True) -> str:
    """Return in parentheses what else is to know: co-authors, another day, a merge.

    That it is a merge is left out where the subject says it, and without `merge`.
    """
    remarks = []
    others = [name_of(one) for one in commit["co_authors"]]
    if others:
        more = f" and {len(others) - MAX_NAMED} more" if len(others) > MAX_NAMED else ""
        remarks.append(f"with {', '.join(others[:MAX_NAMED])}{more}")
    written = day_of(commit["authored"])
    if written != day_of(commit["committed"]):
        remarks.append(f"written {written}")
    if commit["merge"] and merge and not commit["subject"].startswith("Merge "):
        remarks.append("merge")
    return f"({', '.join(remarks)})" if remarks else ""


def gist_of(body: str) -> str:
    """Return the first paragraph of a message's body that says something, on one line.

    Trailers say nothing, nor do headings, comments, boxes to be ticked, and mere ids or addresses.
    """
    for paragraph in _COMMENT.sub("", body).replace("\r", "").split("\n\n"):
        lines = [line.strip() for line in paragraph.split("\n")]
        if all(_TRAILER.fullmatch(line) for line in lines):
            continue
        said = " ".join(line for line in lines if not _EMPTY.fullmatch(line))
        if said:
            return said
    return ""


def change_line(change: Mapping[str, Any]) -> str:
    """Return the one line of history of a hit; the subject ends it, so that it may be cut."""
    commit = change["commit"]
    if commit is None:
        lines = change["uncommitted"]
        if change["pending"]:
            return "last change: not known yet, history is still being read"
        return f"last change: uncommitted ({counted(lines, 'line')})" if lines else "no history"
    parts = [
        f"last changed {day_of(commit['committed'])} by {name_of(commit['author'])}",
        ticket_keys(commit["tickets"]),
        f"({', '.join(_more_of(change))}):",
        commit["subject"] or "(no message)",
    ]
    return " ".join(filter(None, parts))


def _more_of(change: Mapping[str, Any]) -> list[str]:
    more = [change["commit"]["short"]]
    if change["commits"] > 1:
        more.append(f"{change['commits']:,} commits")
    if change["uncommitted"]:
        more.append(counted(change["uncommitted"], "uncommitted line"))
    if change["pending"]:
        more.append("history is still being read")
    return more


def part_of(entry: Mapping[str, Any]) -> str:
    """Return what a commit is to a chunk, in words: its role and its lines."""
    if entry["role"] == "carrier":
        said = "merged it in"
    elif entry["role"] == "resolution":
        said = f"resolved a merge, {_lines_left(entry['lines'])}"
    else:
        said = _lines_left(entry["lines"])
    return f"{said}; begins here" if entry["born"] else said


def _lines_left(lines: int) -> str:
    return f"{counted(lines, 'line')} of today" if lines else "no line of today"


def owner_line(owner: Mapping[str, Any]) -> str:
    """Return a person who knows a place, and why."""
    return (
        f"{full_name(owner['person'])}: {counted(owner['lines'], 'line')}, "
        f"{counted(owner['commits'], 'commit')}, last {day_of(owner['last'])}"
    )


def labels_line(shape: Mapping[str, Any]) -> str:
    """Return what a project calls the part a place is in; "" where it says nothing.

    >>> labels_line({"service": "billing", "bounded_context": None, "tags": ["core", "tax"]})
    'service billing; tags core, tax'
    """
    parts = [
        f"service {shape['service']}" if shape.get("service") else "",
        f"context {shape['bounded_context']}" if shape.get("bounded_context") else "",
        f"tags {', '.join(shape['tags'])}" if shape.get("tags") else "",
    ]
    return "; ".join(filter(None, parts))


def log_remarks(log: Mapping[str, Any], left: int | None = None) -> list[str]:
    """Return what limits a history: uncommitted lines, its end, what is not read yet.

    `left`: how many commits are still to come, where that is known.
    """
    remarks = []
    if log["uncommitted"]:
        remarks.append(f"{counted(log['uncommitted'], 'line')} not committed yet")
    if not log["complete"]:
        remarks.append("history ends here: shallow clone or missing objects; older commits exist")
    if log["pending"]:
        count = f": {counted(left, 'commit')} to go" if left else ""
        remarks.append(f"history is still being read{count}")
    return [*remarks, *log["notes"]]


def status_words(history: Mapping[str, Any] | None) -> str:
    """Return how far the history of a project is: "ready", "1,204 commits to go", "-"."""
    if not history or history["state"] == "none":
        return "-"
    state, pending = history["state"], history["pending"]
    if state == "scanning":
        return f"{counted(pending, 'commit')} to go" if pending else "being read"
    if state == "mapping":
        return f"{counted(pending, 'file')} to go" if pending else "being mapped"
    return str(state)


def counted(number: int, noun: str) -> str:
    """Return "1 commit", "1,204 commits"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def by_day(
    timeline: Sequence[Mapping[str, Any]],
) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Group commits by the day they came in, newest day first; the order inside a day stays.

    A day is that of the commit's own zone, as it is shown: instants alone would name days twice.
    """
    days: dict[str, list[Mapping[str, Any]]] = {}
    for entry in timeline:
        days.setdefault(day_of(entry["commit"]["committed"]), []).append(entry)
    return sorted(days.items(), key=lambda item: item[0], reverse=True)
