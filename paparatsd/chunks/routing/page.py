"""A file that is read for routes: where what stands in it, and the facts that are found."""

from __future__ import annotations

import string
from bisect import bisect_right
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING

from paparatsd.chunks.arguments import read_call
from paparatsd.chunks.routing.urls import ANY, METHODS, join_paths, read_address, route_path
from paparatsd.model import Fact, Use

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paparatsd.chunks.arguments import Call
    from paparatsd.chunks.tree import Deadline
    from paparatsd.model import ParsedFile

MAX_FACTS = 2_000
"""Of one file."""
MAX_LOOKED = 2_000
"""Places of one file that are looked at; those beyond are left out."""
MAX_READ_CHARS = 500_000
"""Characters of calls that are read for one file, those read twice counted twice."""
MAX_VALUE_CHARS = 200
MAX_PREFIXES = 200
MAX_NESTED = 30
"""Prefixes around one place."""
MAX_NAME_CHARS = 100
MAX_HEAD_LINES = 12
"""Lines of annotations that a class may begin with."""
MAX_HEAD_CHARS = 20_000
_NAME_OF = itemgetter(Use._fields.index("name"))
_WORD = f"{string.ascii_letters}{string.digits}_"
_VALUES = frozenset({"variable", "constant", "field", "property"})


class PageFull(Exception):
    """There is more in a file than anybody would read."""


class Page:
    """The text of one file with its symbols. Found facts are kept in `facts`.

    `looked` and `read_chars` count the work: places looked at, and characters of calls read.
    After the deadline, or when too much was read, whatever comes next raises PageFull.
    """

    def __init__(
        self, path: str, text: str, parsed: ParsedFile, deadline: Deadline | None = None
    ) -> None:
        self.path = path
        self.text = text
        self.symbols = parsed.symbols
        self._comments = parsed.comments
        self._uses = parsed.uses
        self._names: frozenset[str] | None = None
        self._commented: dict[int, str] | None = None
        self._deadline = deadline
        self.looked = 0
        self.read_chars = 0
        self._homes: list[int] | None = None
        self._lines: list[str] | None = None
        self._starts: list[int] | None = None
        self._facts: dict[tuple[str, str, int, str], Fact] = {}

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All routes and requests that were found."""
        return tuple(self._facts.values())

    def uses(self, *names: str) -> bool:
        """Say whether any of these names is used in the file."""
        if self._names is None:
            self._names = frozenset(map(_NAME_OF, self._uses))
        return not self._names.isdisjoint(names)

    # ------------------------------------------------------------------ places

    def before(self, at: int, marks: str = ".") -> str:
        """Return the names, joined by these marks, that end before a character."""
        text = self.text
        window = text[max(at - MAX_NAME_CHARS, 0) : at]
        first = at - len(window) + len(window.rstrip(_WORD + marks))
        while first > 0 and at - first < MAX_NAME_CHARS:
            char = text[first - 1]
            if not (char.isalnum() or char == "_" or char in marks):
                break
            first -= 1
        return text[first:at]

    def line(self, at: int) -> int:
        """Return the line of a character."""
        if self._starts is None:
            lines = self._split()
            self._starts = list(accumulate([len(line) + 1 for line in lines[:-1]], initial=0))
        return bisect_right(self._starts, at)

    def look(self) -> None:
        """Count a place that is looked at; raises PageFull."""
        self.looked += 1
        late = self._deadline is not None and self._deadline.passed()
        if self.looked > MAX_LOOKED or late:
            raise PageFull

    def is_comment(self, at: int) -> bool:
        """Say whether a character is in a comment or a doc string; raises PageFull."""
        self.look()
        if self._commented is None:
            self._commented = {
                line: text
                for first, last, text in self._comments
                for line in range(first, last + 1)
            }
        text = self._commented.get(self.line(at))
        return text is not None and self.text[at : at + 16].partition("\n")[0].strip() in text

    def around(self, at: int) -> int:
        """Return the innermost symbol around a character, what leads up to it included, or -1."""
        if self._homes is None:
            homes = [-1] * (self.text.count("\n") + 2)
            for index, symbol in enumerate(self.symbols):
                if symbol.kind not in _VALUES:
                    first = min(symbol.lead_line or symbol.start_line, symbol.start_line)
                    last = min(symbol.end_line, len(homes) - 1)
                    homes[first : last + 1] = [index] * (last + 1 - first)
            self._homes = homes
        return self._homes[self.line(at)]

    def head(self, index: int) -> str:
        """Return the first lines of a symbol with some that lead up to it."""
        symbol = self.symbols[index]
        first = min(symbol.lead_line or symbol.start_line, symbol.start_line)
        lines = self._split()[max(first - 1, 0) : symbol.start_line + MAX_HEAD_LINES]
        return "\n".join(lines)[:MAX_HEAD_CHARS]

    def _split(self) -> list[str]:
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines

    def enclosing(self, index: int) -> Iterator[int]:
        """Yield the symbols around one, the innermost first."""
        while index >= 0:
            index = self.symbols[index].parent
            if index >= 0:
                yield index

    def call(self, at: int, text: str | None = None) -> Call:
        """Read the call whose bracket is at `at`, of the page or of a part; raises PageFull."""
        if self.read_chars > MAX_READ_CHARS:
            raise PageFull
        call = read_call(self.text if text is None else text, at)
        self.read_chars += call.end - at
        return call

    # ------------------------------------------------------------------ findings

    def route(
        self, method: str, path: str, at: int, handler: str = "", *, scope: int | None = None
    ) -> None:
        """Note a route; `handler` is the name of what answers it, "" for the symbol around."""
        method = method.upper()
        method = method if method in METHODS else ANY
        name = f"{method} {join_paths(route_path(path))}"
        if len(handler) > MAX_VALUE_CHARS or len(name) > MAX_VALUE_CHARS:
            return
        scope = self.around(at) if scope is None else scope
        self._add(Fact("route", name, self.line(at), scope, "", handler))

    def request(self, method: str, argument: str, at: int, *, joined: str = "+") -> None:
        """Note a request, when the argument says where to."""
        found = read_address(argument, joined)
        if found is None:
            return
        method = method.upper()
        name = f"{method if method in METHODS else ANY} {found[1]}"
        if len(found[0]) <= MAX_VALUE_CHARS:
            self._add(Fact("request", name, self.line(at), self.around(at), found[0]))

    def _add(self, fact: Fact) -> None:
        if len(self._facts) >= MAX_FACTS:
            raise PageFull
        self._facts.setdefault((fact.kind, fact.name, fact.line, fact.value), fact)


class Prefixes:
    """Parts of a text in which paths begin with a prefix: mounts, groups, nested routers."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, int, str]] = []

    def add(self, start: int, end: int, prefix: str) -> None:
        """Note that paths between two characters begin with a prefix."""
        if len(self._parts) < MAX_PREFIXES:
            self._parts.append((start, end, prefix))

    def at(self, at: int) -> str:
        """Return the prefixes around a character, the outermost first."""
        around = sorted([one for one in self._parts if one[0] <= at < one[1]])[:MAX_NESTED]
        return join_paths(*(one[2] for one in around)) if around else ""
