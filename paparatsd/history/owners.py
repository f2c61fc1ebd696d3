"""Who to ask about some code, from the commits whose lines are in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.history_model import Owner

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paparatsd.commits import Person
    from paparatsd.history_model import CommitNote

MAX_OWNERS = 5


def owners_of(shares: Iterable[tuple[CommitNote, int]]) -> tuple[Owner, ...]:
    """Return whose lines are there now, then who has changed most, from (commit, its lines)."""
    lines: dict[str, int] = {}
    own: dict[str, list[tuple[Person, CommitNote]]] = {}
    for note, count in shares:
        for person in (note.author, *note.co_authors):
            # One address in two spellings is one person, whatever the mailmap lacks.
            key = (person.email or person.name).casefold()
            lines[key] = lines.get(key, 0) + count
            own.setdefault(key, []).append((person, note))
    owners = [
        Owner(
            person=notes[0][0],
            lines=lines[key],
            commits=len(notes),
            last=max((note.committed for _, note in notes), key=lambda moment: moment.seconds),
        )
        for key, notes in own.items()
    ]
    owners.sort(key=lambda one: (-one.lines, -one.commits, -one.last.seconds))
    return tuple(owners[:MAX_OWNERS])
