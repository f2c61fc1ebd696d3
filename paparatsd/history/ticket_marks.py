"""Numbers that stand for tickets: `#12`, `!12`, `GH-12`, `owner/repo#12`, and `Bug: 12`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paparatsd.history.ticket_words import (
    COLOUR_WORDS,
    COUNTED,
    FROM_TO,
    RANKED,
    RUNS,
    TICKET_WORDS,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


class NumberMark(NamedTuple):
    """A number with its mark ("#12", "!12"), the repository's path before it or "", its place."""

    start: int
    end: int
    number: str
    path: str


_END = r"(?![\w#]|[.-][0-9])"
_PATHED = re.compile(
    r"(?<![\w./@~:-])(~?[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(?:/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}){1,5})"
    rf"([#!])([1-9][0-9]{{0,6}}){_END}"
)
_BARE = re.compile(rf"([#!])([1-9][0-9]{{0,6}}){_END}")
_GH = re.compile(rf"(?<![\w./@-])(?:GH|gh|Gh)-([1-9][0-9]{{0,6}}){_END}")
_TRAILER = re.compile(
    r"(?im)(?<=\n)(?:(?:closes-|partial-|related-)?bugs?|bug-id|issues?|issue-id|tickets?|closes"
    r"|fixes|resolves|refs?)[ \t]?:[ \t]{0,8}((?:[1-9][0-9]{0,5}[ \t]?,?[ \t]?){1,20})$"
)
_NUMBER = re.compile(r"[0-9]+")
_FRAME = re.compile(
    r"\s*#[0-9]+\s+(?:0x|/|in\s|<signal|\{main\}|[\w:.<>~]+ ?\([^)\n]{0,200}\) (?:at|from) )"
)
_WORD = re.compile(r"[A-Za-z'’]+|->|=>|→|=|:")
_FILE = re.compile(
    r"\.(?:md|rst|txt|html?|c|h|cc|cpp|hpp|java|json|ya?ml|xml|s?css|svg|png|toml|lock)\Z", re.I
)
_OPENERS = frozenset(" \t\n([{,;:\"'*_|>+~–—…")
_GLUED = re.compile(r"(?<![\w./@-])([\w.-]{1,100})\Z")
_MERGE_WORDS = frozenset({"mr", "see", "request", "merge", "in"})


def number_marks(text: str, names: frozenset[str] = frozenset()) -> Iterator[NumberMark]:
    """Yield the numbers that are tickets, in no particular order; some may overlap.

    `names` are those of the repository and of its owner, in lower case: `name#12` is its number.
    """
    pathed = [match for match in _PATHED.finditer(text) if not _FILE.search(match[1])]
    for match in pathed:
        yield NumberMark(*match.span(), match[2] + match[3], match[1])
    for match in _GH.finditer(text):
        yield NumberMark(*match.span(), f"#{match[1]}", "")
    for match in _TRAILER.finditer(text):
        for number in _NUMBER.finditer(text, *match.span(1)):
            yield NumberMark(*number.span(), f"#{number.group()}", "")
    start = 0
    for line in text.split("\n"):
        if ("#" in line or "!" in line) and not _FRAME.match(line):
            yield from _bare(line, start, names)
        start += len(line) + 1


def _bare(line: str, offset: int, names: frozenset[str]) -> Iterator[NumberMark]:
    words = {word.lower() for word in _WORD.findall(line)}
    coloured = bool(words & COLOUR_WORDS)
    for match in _BARE.finditer(line):
        before = _word_before(line, match.start())
        start = _opening(line, match.start(), before, names)
        if start is None:
            continue
        if match[1] == "!":
            accepted = int(match[2]) > 1 or before in _MERGE_WORDS
        else:
            accepted = not _counts(line, match, before) and not _is_colour(
                line, match, before, coloured=coloured
            )
        if accepted:
            yield NumberMark(offset + start, offset + match.end(), match.group(), "")


def _word_before(line: str, at: int) -> str:
    found = _WORD.findall(line, max(0, at - 40), at)
    return found[-1].lower() if found else ""


def _opening(line: str, at: int, before: str, names: frozenset[str]) -> int | None:
    """Return where a reference begins whose mark stands at `at`; None if none can begin there."""
    if at == 0:
        return at
    char = line[at - 1]
    glued = _GLUED.search(line, max(0, at - 101), at) if char.isalnum() or char == "-" else None
    if glued:
        # `gh-#12`, the repository's own name, `PR#12` and `fixes#12`; but `C#12` is a language.
        word = glued[1].lower()
        if line[at] == "#" and (word in names or word == "gh-"):
            return glued.start(1)
        return at if line[at] == "#" and before == word and word in TICKET_WORDS else None
    if char == "/" and line[at - 2 : at - 1].isdigit():
        return at
    # `](#12)` leads to a place on the same page.
    return at if char in _OPENERS and line[max(0, at - 2) : at] != "](" else None


def _counts(line: str, match: re.Match[str], before: str) -> bool:
    """Say whether the number only counts or ranks: "attempt #3", "the #1 cause"."""
    if not line[: match.start()].endswith((" ", "\t")):
        return False
    number = int(match[2])
    return (
        (number < 100 and before in COUNTED) or before in RUNS or (number == 1 and before in RANKED)
    )


def _is_colour(line: str, match: re.Match[str], before: str, *, coloured: bool) -> bool:
    """Say whether it is a colour of digits only; six digits are, unless something introduces it."""
    digits = len(match[2])
    if digits in (3, 4):
        return coloured and (before in FROM_TO or before in COLOUR_WORDS)
    if digits != 6:
        return False
    if coloured:
        return before not in TICKET_WORDS - {"of"}
    if before in TICKET_WORDS or not line[: match.start()].strip():
        return False
    return not (line[match.start() - 1] == "(" and line[match.end() : match.end() + 1] == ")")
