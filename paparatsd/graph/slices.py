"""Questions that take long are worked on in slices: what is quick to answer goes in between.

An operation that is a generator yields wherever it can be interrupted, and returns its answer.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from paparatsd.errors import ChildDied

T = TypeVar("T")
Steps = Generator[None, None, T]

SLICE_S = 0.15
"""How long others wait for a question that is under way."""
MAX_OPEN = 32
"""Questions under way; when there are more, the oldest is given up (nobody may want it now)."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Stands for an answer that is not there yet; `ticket` asks for the next slice."""

    ticket: int


def finished(steps: Steps[T]) -> T:
    """Return the answer of an operation, worked on without a break."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: T = end.value
            return answer


class Stopwatch:
    """Counts the time in which an operation itself was at work, not what went in between."""

    def __init__(self, most_s: float) -> None:
        self._left = most_s
        self._since: float | None = None

    def __enter__(self) -> None:
        """Begin a piece of work."""
        self._since = time.monotonic()

    def __exit__(self, *_: object) -> None:
        """End a piece of work."""
        if self._since is not None:
            self._left -= time.monotonic() - self._since

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return self._left <= 0


class Slicer:
    """Keeps the questions that are under way."""

    def __init__(self) -> None:
        self._open: dict[int, Steps[Any]] = {}
        self._tickets = itertools.count(1)

    def begin(self, steps: Steps[Any]) -> Any:  # noqa: ANN401 - each operation has an answer of its own
        """Work on a question for one slice; returns its answer, or what stands for it."""
        ticket = next(self._tickets)
        self._open[ticket] = steps
        while len(self._open) > MAX_OPEN:
            self._open.pop(next(iter(self._open))).close()
        return self.go_on(ticket)

    def go_on(self, ticket: int) -> Any:  # noqa: ANN401 - see `begin`
        """Work on a question for another slice. Raises ChildDied when it was given up."""
        steps = self._open.pop(ticket, None)
        if steps is None:
            raise ChildDied("the graph process gave up a question for newer ones")
        until = time.monotonic() + SLICE_S
        while time.monotonic() < until:
            try:
                next(steps)
            except StopIteration as end:
                return end.value
        self._open[ticket] = steps
        return Unfinished(ticket)
