"""Trailers at the end of a commit message, as `git interpret-trailers --parse` finds them.

The rules are those of git-interpret-trailers(1) and of what git does where the manual is silent:
trailers are the last paragraph, never the first one; all its lines are trailers, or a quarter of
them is and one was written by git itself. A line that begins with a space continues the one above.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from paparatsd.commits import Person

MAX_TRAILERS = 500
_SPACES = " \t\n\r"
_TRAILER = re.compile(r"([A-Za-z0-9-]+)[ \t]*:(.*)", re.DOTALL)
_GITS_OWN = ("Signed-off-by: ", "(cherry picked from commit ")
_FOLD = re.compile(r"\n[ \t\n\r]*")
_PERSON = re.compile(r"\s*([^<>\n]*?)\s*<([^<>\n]*)>")
_CO_AUTHOR = frozenset({"co-authored-by"})


class Trailer(NamedTuple):
    """One `Key: value`; the value is on one line."""

    key: str
    value: str


def find_trailers(message: str) -> tuple[Trailer, ...]:
    """Return the trailers of a whole message (subject, blank line, body) in their order."""
    lines = _without_tail(message.split("\n"))
    return tuple(_read_block(lines[_block_start(lines) :]))[:MAX_TRAILERS]


def co_authors(message: str, author: Person) -> tuple[Person, ...]:
    """Return who wrote along, each once, without the author.

    People are told apart by their address, or by their name where they have none.
    """
    seen = {_identity(author)}
    found = []
    for trailer in find_trailers(message):
        if trailer.key.lower() in _CO_AUTHOR:
            person = read_person(trailer.value)
            if person != Person("", "") and _identity(person) not in seen:
                seen.add(_identity(person))
                found.append(person)
    return tuple(found)


def read_person(text: str) -> Person:
    """Read `Name <address>`; without brackets all of it is a name, or an address if it has a @."""
    match = _PERSON.match(text)
    if match:
        return Person(match[1], match[2].strip())
    text = text.strip()
    return Person("", text) if "@" in text and " " not in text else Person(text, "")


def _identity(person: Person) -> str:
    return (person.email or person.name).casefold()


def _without_tail(lines: list[str]) -> list[str]:
    """Take off comments, blank lines and a list of conflicts at the end of a message."""
    end = None
    in_conflicts = False
    for number, line in enumerate(lines):
        # Git looks for the word with the end of its line.
        heads_conflicts = line == "Conflicts:" and number + 1 < len(lines)
        if heads_conflicts or line == "" or line.startswith("#"):
            end = number if end is None else end
            in_conflicts = in_conflicts or heads_conflicts
        elif not (in_conflicts and line.startswith("\t")):
            end, in_conflicts = None, False
    return lines if end is None else lines[:end]


def _block_start(lines: list[str]) -> int:
    """Return where the trailers begin; the number of lines if there are none."""
    title_end = next(
        (at for at, line in enumerate(lines) if not line.startswith("#") and _is_blank(line)),
        len(lines),
    )
    trailers = others = continued = 0
    gits_own = False
    only_blank = True
    for at in range(len(lines) - 1, title_end - 1, -1):
        line = lines[at]
        if line.startswith("#"):
            others, continued = others + continued, 0
        elif _is_blank(line):
            if only_blank:
                continue
            others += continued
            enough = trailers * 3 >= others if gits_own else bool(trailers) and not others
            return at + 1 if enough else len(lines)
        elif line.startswith(_GITS_OWN) or _TRAILER.match(line):
            gits_own = gits_own or line.startswith(_GITS_OWN)
            trailers, continued = trailers + 1, 0
        elif line[0] in _SPACES:
            continued += 1
        else:
            others, continued = others + continued + 1, 0
        only_blank = only_blank and _is_blank(line)
    return len(lines)


def _is_blank(line: str) -> bool:
    return not line.strip(_SPACES)


def _read_block(lines: list[str]) -> list[Trailer]:
    folded: list[str] = []
    # What follows a line that is no trailer is no continuation of one.
    in_trailer = False
    for line in lines:
        if in_trailer and line[:1] in (*_SPACES, ""):
            folded[-1] += "\n" + line
        else:
            in_trailer = bool(_TRAILER.match(line))
            folded.append(line)
    matches = [_TRAILER.fullmatch(text) for text in folded]
    return [
        Trailer(match[1], _FOLD.sub(" ", match[2].strip(_SPACES)).strip(_SPACES))
        for match in matches
        if match
    ]
