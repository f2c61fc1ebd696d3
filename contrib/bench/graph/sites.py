"""Call sites of functions, ours beside the reference's, and how well they agree."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from contrib.bench.graph.references import Function, Reference, Tool

CERTAINTIES = ("exact", "inferred", "ambiguous")

Place = tuple[str, int]
"""Path and line, from 1."""


@dataclass(frozen=True, slots=True)
class Call:
    """One of our call sites: how sure we are, the name written there, whether through a base."""

    certainty: str
    name: str
    through: bool


class Verdict(StrEnum):
    """What the reference says of one of our call sites.

    RIGHT: it means the function there too. WRONG: it means something else. UNKNOWN: it cannot tell
    what is meant there, as with a receiver of unknown type.
    """

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Compared:
    """One function: our call sites with verdicts, and all that the reference has.

    `answered` is False when we could not tell what stands at the function's name.
    """

    function: Function
    ours: Mapping[Place, Call]
    verdicts: Mapping[Place, Verdict]
    theirs: frozenset[Place]
    answered: bool

    def judged(self, verdict: Verdict) -> list[Place]:
        """Return our places with this verdict, ascending."""
        return sorted(one for one, said in self.verdicts.items() if said is verdict)

    def missed(self) -> list[Place]:
        """Return the places that only the reference has, ascending."""
        return sorted(self.theirs - self.ours.keys())


@dataclass(slots=True)
class Agreement:
    """Sums over functions; `verdicts` counts (certainty, verdict).

    `withheld` counts what the reference finds in files that we do not read.
    """

    closed: frozenset[str] = frozenset()

    functions: int = 0
    unanswered: int = 0
    theirs: int = 0
    withheld: int = 0
    found: int = 0
    verdicts: Counter[tuple[str, Verdict]] = field(default_factory=Counter)
    recalls: list[float] = field(default_factory=list)

    def add(self, one: Compared) -> None:
        """Count a function."""
        shared = len(one.theirs & one.ours.keys())
        self.functions += 1
        self.unanswered += not one.answered
        self.theirs += len(one.theirs)
        self.found += shared
        self.withheld += sum(path in self.closed for path, _ in one.theirs)
        self.verdicts.update((one.ours[at].certainty, said) for at, said in one.verdicts.items())
        if one.theirs:
            self.recalls.append(share(shared, len(one.theirs)))

    def count(self, verdict: Verdict, *certainties: str) -> int:
        """Return how many of our places have this verdict; of these certainties, or of all."""
        return sum(self.verdicts[how, verdict] for how in certainties or CERTAINTIES)

    def precision(self, *certainties: str) -> float:
        """Return the share that is right of our places about which the reference can tell."""
        right = self.count(Verdict.RIGHT, *certainties)
        return share(right, right + self.count(Verdict.WRONG, *certainties))

    def recall(self) -> float:
        """Return the share of the reference's places that we have too."""
        return share(self.found, self.theirs)

    def recall_of_read(self) -> float:
        """Return the same of places in files that we read."""
        return share(self.found, self.theirs - self.withheld)


def share(part: int, whole: int) -> float:
    """Return part of whole; 1 when there is nothing to be wrong about."""
    return part / whole if whole else 1.0


def compare(
    tool: Tool,
    calls_of: Callable[[Function], Mapping[Place, Call] | None],
    lines: Lines,
    most: int,
    seed: int,
) -> Iterator[Compared]:
    """Yield `most` functions, drawn at random, that at least one of the two finds called.

    `calls_of` says our places; None when we do not know the function.
    """
    files = frozenset(tool.files())
    functions = sorted(tool.functions(), key=lambda one: (one.path, one.line, one.column))
    random.Random(seed).shuffle(functions)  # noqa: S311 - a sample that can be drawn again
    found = 0
    for function in functions:
        if found == most:
            return
        if is_implicit(function):
            continue
        references = tool.references(function)
        theirs = calls_among((one for one in references if one.strict), lines)
        possible = calls_among(references, lines)
        known = calls_of(function)
        ours = {place: call for place, call in (known or {}).items() if place[0] in files}
        if ours or theirs:
            found += 1
            verdicts = {
                place: Verdict.RIGHT
                if place in theirs or (call.certainty != "exact" and place in possible)
                else judge(tool, function, place, call, lines)
                for place, call in ours.items()
            }
            yield Compared(function, ours, verdicts, theirs, known is not None)


def judge(tool: Tool, function: Function, place: Place, call: Call, lines: Lines) -> Verdict:
    """Ask the reference what a call means that it did not list.

    A call that we say may come through a base is right when it means a method of that name.
    """
    column = lines.call_column(*place, call.name)
    meant = tool.definitions(*place, column)
    if (function.path, function.line) in meant:
        return Verdict.RIGHT
    if not meant:
        return Verdict.UNKNOWN
    named = re.compile(rf"\b{re.escape(function.name)}\b")
    if call.through and any(path and named.search(lines.at(path, row)) for path, row in meant):
        return Verdict.RIGHT
    return Verdict.WRONG


def is_implicit(function: Function) -> bool:
    """Say whether a function is mostly called without its name: Python's special methods."""
    return function.name.startswith("__") and function.name.endswith("__")


def calls_among(references: Iterable[Reference], lines: Lines) -> frozenset[Place]:
    """Return the references that call what they refer to."""
    return frozenset(
        (one.path, one.line) for one in references if lines.calls(one.path, one.line, one.name)
    )


class Lines:
    """The lines of the files of one directory."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._kept: dict[str, Sequence[str]] = {}

    def at(self, path: str, line: int) -> str:
        """Return a line, "" when there is none."""
        if path not in self._kept:
            file = self._root / path
            text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
            self._kept[path] = text.split("\n")
        lines = self._kept[path]
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def calls(self, path: str, line: int, name: str) -> bool:
        """Say whether a line calls something of this name, by its text: both sides alike.

        Type arguments may stand between the name and the bracket; a definition is no call.
        """
        return bool(name) and self.call_column(path, line, name) > 0

    def call_column(self, path: str, line: int, name: str) -> int:
        """Return where in a line a name is called, from 1; 0 when it is not."""
        found = _call_of(name).search(self.at(path, line))
        return 0 if found is None else found.start() + 1


def _call_of(name: str) -> re.Pattern[str]:
    types = r"(?:<[^;=()]*>|\?\.|!|::<[^;=()]*>)?"
    return re.compile(rf"(?<!def )(?<!function )(?<![\w$]){re.escape(name)}\s*{types}\(")
