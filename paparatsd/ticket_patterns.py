"""Ticket patterns of `.paparats.yml`: regular expressions that cannot run away.

Python's `re` has no deadline, so what is slow by its form is refused when the file is read. A
pattern backtracks over many paths when one repeat lies in another, or when two open repeats may
share the same characters with nothing between them that only one way fits. Without both, a search
costs at most the square of the line, and lines are cut to `MAX_LINE_CHARS`.

The parse tree is that of the standard library (`re._parser`, the form `re.compile` itself uses).
"""

from __future__ import annotations

import re
from re import _parser as parser  # type: ignore[attr-defined]  # undocumented, but there is no other
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_PATTERNS = 10
MAX_PATTERN_CHARS = 200
MAX_LINE_CHARS = 500
"""What of one line of a message a pattern is shown."""
MAX_TIMES = 20
"""How often something may be repeated exactly: all of it is gone through at each place."""
MAX_WAYS = 32
"""How many ways optional parts and alternatives may be taken together."""

_FOREIGN = "é"
_PROBES = frozenset(map(chr, range(128))) | {_FOREIGN}
"""Sets of characters are compared by these: ASCII, and one that stands for all others."""
_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
_SCOPED_CASE = re.compile(r"\(\?[a-zL]*i")
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
_SINGLES = frozenset({"LITERAL", "NOT_LITERAL", "IN", "ANY"})

_Chars = frozenset[str]


class BadPatternError(ValueError):
    """A pattern that cannot be used; the message says what is wrong with it."""


def compile_pattern(text: str) -> re.Pattern[str]:
    """Compile one ticket pattern; raises BadPatternError if it is wrong or could be slow."""
    if len(text) > MAX_PATTERN_CHARS:
        raise BadPatternError(f"it has over {MAX_PATTERN_CHARS} characters")
    try:
        pattern = re.compile(text)
        tree = parser.parse(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPatternError(f"it is no regular expression: {error}") from None
    if tree.getwidth()[0] == 0:
        raise BadPatternError("it matches the empty text")
    _Check(ignores_case=bool(pattern.flags & re.IGNORECASE or _SCOPED_CASE.search(text))).run(tree)
    return pattern


class _Check:
    """Walks a parse tree and raises BadPatternError at the first form that could be slow.

    `open` below are the character sets of the open repeats that may still give characters to
    what follows: a required item that a repeat cannot take ends it.
    """

    def __init__(self, *, ignores_case: bool) -> None:
        self._ignores_case = ignores_case
        self._ways = 1

    def run(self, tree: Iterable[Any]) -> None:
        """Check a whole pattern."""
        self._sequence(tree, frozenset())

    def _sequence(self, items: Iterable[Any], live: frozenset[_Chars]) -> frozenset[_Chars]:
        for code, argument in items:
            live = self._item(str(code), argument, live)
        return live

    def _item(self, code: str, argument: Any, live: frozenset[_Chars]) -> frozenset[_Chars]:  # noqa: ANN401 - by code
        if code in _SINGLES:
            return _ended(live, self._single(code, argument))
        if code == "AT":
            return live
        if code in _REPEATS:
            return self._repeat(argument, live)
        if code == "SUBPATTERN":
            return self._sequence(argument[3], live)
        if code == "ATOMIC_GROUP":
            return self._sequence(argument, live)
        if code == "BRANCH":
            self._choose(len(argument[1]))
            return frozenset().union(*(self._sequence(one, live) for one in argument[1]))
        if code in ("ASSERT", "ASSERT_NOT"):
            # It is tried again wherever an open repeat before it may end.
            self._sequence(argument[1], live)
            return live
        raise BadPatternError("it refers back to what it has matched, which can be slow")

    def _repeat(self, argument: Any, live: frozenset[_Chars]) -> frozenset[_Chars]:  # noqa: ANN401 - by code
        low, high, body = argument
        if int(high) <= 1:
            self._choose(2 if low == 0 else 1)
            return live | self._sequence(body, live)
        taken = self._body(body)
        if low == high:
            if int(low) > MAX_TIMES:
                raise BadPatternError(
                    f"it repeats something {low} times, which can be slow; at most {MAX_TIMES}"
                )
            return _ended(live, taken)
        if any(chars & taken for chars in live):
            raise BadPatternError(
                "two repeats in it can take the same characters, which can be slow; put something "
                "between them that the first cannot take"
            )
        return (_ended(live, taken) if low else live) | {taken}

    def _choose(self, ways: int) -> None:
        self._ways *= ways
        if self._ways > MAX_WAYS:
            raise BadPatternError(
                f"its optional parts and alternatives can be taken in over {MAX_WAYS} ways"
            )

    def _body(self, body: Iterable[Any]) -> _Chars:
        """Return all characters that what is repeated can take; nothing in it may vary."""
        taken: _Chars = frozenset()
        for code, argument in body:
            name = str(code)
            if name in _SINGLES:
                taken |= self._single(name, argument)
            elif name == "SUBPATTERN":
                taken |= self._body(argument[3])
            elif name in _REPEATS and argument[0] == argument[1]:
                taken |= self._body(argument[2])
            elif name in _REPEATS:
                raise BadPatternError("a repeat in it lies in another repeat, which can be slow")
            elif name == "BRANCH":
                raise BadPatternError(
                    "it repeats a choice of alternatives, which can be slow; of single characters "
                    "write [ab] in place of (a|b)"
                )
            elif name != "AT":
                raise BadPatternError("it repeats a look around or a reference, which can be slow")
        return taken

    def _single(self, code: str, argument: Any) -> _Chars:  # noqa: ANN401 - by code
        if code == "ANY":
            return _PROBES
        found = _members(argument) if code == "IN" else frozenset({_probe(argument)})
        if self._ignores_case:
            found |= {char.swapcase() for char in found}
        if code == "NOT_LITERAL" or (code == "IN" and str(argument[0][0]) == "NEGATE"):
            return _PROBES - found | {_FOREIGN}
        return found


def _ended(live: frozenset[_Chars], required: _Chars) -> frozenset[_Chars]:
    """Keep the repeats that can take what is required next."""
    return frozenset(chars for chars in live if chars & required)


def _probe(code: int) -> str:
    return chr(code) if code < 128 else _FOREIGN


def _members(items: Iterable[Any]) -> _Chars:
    """Return what a class in brackets lists, whether or not it is negated."""
    found: set[str] = set()
    for code, argument in items:
        name = str(code)
        if name == "LITERAL":
            found.add(_probe(argument))
        elif name == "RANGE":
            low, high = argument
            found.update(map(_probe, {*range(low, min(high, 127) + 1), high}))
        elif name == "CATEGORY":
            category = re.compile(_CATEGORIES[str(argument)])
            found.update(char for char in _PROBES if category.match(char))
            found.add(_FOREIGN)
    return frozenset(found)
