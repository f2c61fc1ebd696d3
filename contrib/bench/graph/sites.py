"""Call sites of functions, ours beside the reference's, and how well they agree."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from contrib.bench.graph.references import Function, Reference, Tool

CERTAINTIES = ("exact", "inferred", "ambiguous")

Place = tuple[str, int]
"""Path and line, from 1."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One function: our call sites by certainty, and the reference's.

    `answered` is False when we could not tell what stands at the function's name.
    """

    function: Function
    ours: Mapping[Place, str]
    theirs: frozenset[Place]
    answered: bool = True

    def wrong(self, certainty: str = "") -> list[Place]:
        """Return the places that only we have, ascending; of one certainty, or of all."""
        return sorted(
            one
            for one, known in self.ours.items()
            if one not in self.theirs and certainty in ("", known)
        )

    def missed(self) -> list[Place]:
        """Return the places that only the reference has, ascending."""
        return sorted(self.theirs - self.ours.keys())


@dataclass(slots=True)
class Agreement:
    """Sums over functions."""

    functions: int = 0
    unanswered: int = 0
    theirs: int = 0
    found: int = 0
    ours: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    by_function: list[tuple[float, float]] = field(default_factory=list)

    def add(self, one: Compared) -> None:
        """Count a function."""
        self.functions += 1
        self.unanswered += not one.answered
        self.theirs += len(one.theirs)
        shared = one.theirs & one.ours.keys()
        self.found += len(shared)
        self.ours.update(one.ours.values())
        self.right.update(one.ours[place] for place in shared)
        precise = share(len(shared), len(one.ours))
        self.by_function.append((precise, share(len(shared), len(one.theirs))))

    def precision(self, *certainties: str) -> float:
        """Return the share of our places that the reference has too."""
        wanted = certainties or CERTAINTIES
        return share(sum(self.right[one] for one in wanted), sum(self.ours[one] for one in wanted))

    def recall(self) -> float:
        """Return the share of the reference's places that we have too."""
        return share(self.found, self.theirs)


def share(part: int, whole: int) -> float:
    """Return part of whole; 1 when there is nothing to be wrong about."""
    return part / whole if whole else 1.0


def compare(
    tool: Tool,
    calls_of: Callable[[Function], Mapping[Place, str] | None],
    lines: Lines,
    most: int,
    seed: int,
) -> Iterator[Compared]:
    """Yield `most` functions, drawn at random, that at least one of the two finds called.

    `calls_of` says our places; None when we do not know the function.
    """
    files = frozenset(tool.files())
    functions = sorted(tool.functions(), key=lambda one: (one.path, one.line, one.column))
    random.Random(seed).shuffle(functions)
    found = 0
    for function in functions:
        if found == most:
            return
        if is_implicit(function):
            continue
        theirs = calls_among(tool.references(function), lines)
        known = calls_of(function)
        ours = {place: how for place, how in (known or {}).items() if place[0] in files}
        if ours or theirs:
            found += 1
            yield Compared(function, ours, theirs, known is not None)


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
        return bool(name) and _call_of(name).search(self.at(path, line)) is not None


def _call_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!def )(?<!function )(?<![\w$]){re.escape(name)}\s*(?:<[^;=()]*>|\?\.|!|::<[^;=()]*>)?\(")
