"""Names and addresses as `.mailmap` wants them shown; the rules are gitmailmap(5)'s.

Where the manual says less than git does, git decides: a line's first two addresses count, what
follows them is passed over; upper and lower case are alike in ASCII only; an entry that names the
commit's name stands alone, so nothing of the entry for the address is mixed into it.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from paparatsd.commits import Person

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_MAILMAP_LINES = 100_000
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_SPACES = " \t\n\r"


class _Shown(NamedTuple):
    """What is shown in place of a name and an address; None leaves it as it is."""

    name: str | None = None
    email: str | None = None


@dataclass(frozen=True, slots=True)
class Mailmap:
    """A parsed `.mailmap`; an empty one changes nobody."""

    _by_email: Mapping[str, _Shown] = field(default_factory=dict)
    _by_person: Mapping[tuple[str, str], _Shown] = field(default_factory=dict)

    def apply(self, person: Person) -> Person:
        """Return the person as they want to be shown."""
        email = person.email.translate(_LOWER)
        shown = self._by_person.get((email, person.name.translate(_LOWER)))
        if shown is None:
            shown = self._by_email.get(email)
        if shown is None:
            return person
        return Person(
            person.name if shown.name is None else shown.name,
            person.email if shown.email is None else shown.email,
        )


def parse_mailmap(text: str) -> Mailmap:
    """Read a `.mailmap`. Lines that are no entry change nothing, as with git."""
    by_email: dict[str, _Shown] = {}
    by_person: dict[tuple[str, str], _Shown] = {}
    for line in text.split("\n", MAX_MAILMAP_LINES)[:MAX_MAILMAP_LINES]:
        if line.startswith("#"):
            continue
        first = _read_person(line, empty_email=False)
        if first is None:
            continue
        name, email, rest = first
        second = _read_person(rest, empty_email=True) if rest else None
        old_name, old_email = (None, email) if second is None else second[:2]
        new_email = None if second is None else email
        key = old_email.translate(_LOWER)
        if old_name is not None:
            by_person[key, old_name.translate(_LOWER)] = _Shown(name, new_email)
        else:
            # A later line for the same address replaces only what it has.
            known = by_email.get(key, _Shown())
            by_email[key] = _Shown(
                known.name if name is None else name,
                known.email if new_email is None else new_email,
            )
    return Mailmap(by_email, by_person)


def _read_person(text: str, *, empty_email: bool) -> tuple[str | None, str, str] | None:
    """Return (name or None, address, the rest of the line) of `Name <address> rest`."""
    before, opened, after = text.partition("<")
    email, closed, rest = after.partition(">")
    if not opened or not closed or (not email and not empty_email):
        return None
    return before.strip(_SPACES) or None, email, rest
