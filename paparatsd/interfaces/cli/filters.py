"""The filters of a question: what was given, and what to say when nothing passes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

CHANGED = ("author", "since", "until", "ticket")
NAMES = {
    "project": "project", "group": "group", "path": "path", "lang": "language", "kind": "kind",
    "author": "author", "since": "since", "until": "until", "ticket": "ticket",
    "audience": "audience",
}  # fmt: skip
"""Arguments that leave something out, and what to call them."""
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")


def where_of(arguments: Namespace) -> dict[str, Any]:
    """Return where to look and for how many results, as the client takes it."""
    return {
        "projects": arguments.project,
        "groups": arguments.group,
        "paths": arguments.path,
        "limit": arguments.limit,
    }


def changed_of(arguments: Namespace) -> dict[str, str]:
    """Return the filters by what changed that were given.

    Raises BadQuery for an end that lies before the beginning, as far as both are dates; the
    daemon reads other ways of writing a time.
    """
    given = {name: value for name in CHANGED if (value := getattr(arguments, name))}
    since, until = given.get("since", ""), given.get("until", "")
    if _DAY.match(since) and _DAY.match(until) and until[:10] < since[:10]:
        raise BadQuery(
            f"--until {until} lies before --since {since}, so nothing can be between them; "
            "exchange the two"
        )
    return given


def given_filters(arguments: Namespace) -> list[str]:
    """Return the filters that were given, such as "author ann" or "path src/** or lib/**"."""
    given = []
    for name, said in NAMES.items():
        value = getattr(arguments, name, None)
        if value:
            given.append(f"{said} {value if isinstance(value, str) else ' or '.join(value)}")
    return given


def empty_lines(
    arguments: Namespace, answer: Mapping[str, Any], nouns: str, words: str
) -> list[str]:
    """Return why an answer has no `nouns`, and what to do; `words` is the question, "" for none."""
    given = given_filters(arguments)
    if not (given or answer["freshness"]):
        return [f"no {nouns}: no project was searched"]
    if given:
        about = f" for {words!r}" if words else ""
        lines = [f"no {nouns}{about} pass the filters: {', '.join(given)}; leave one out"]
    elif words:
        lines = [f"no {nouns} for {words!r}; ask in other words"]
    else:
        lines = [f"no {nouns} are known; `paparats status` says whether history is still read"]
    ticket = getattr(arguments, "ticket", None) or ""
    if ticket.isascii() and ticket.isdigit():
        lines.append(f"a ticket is asked for as commits name it: --ticket '#{ticket}'")
    return lines
