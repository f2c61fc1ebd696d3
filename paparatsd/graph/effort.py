"""How much is done for one expression: it may lead round and round, or to very much."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from paparatsd.graph.values import Values

MAX_DEPTH = 40
"""Bindings, results and types followed from one expression, one out of the other."""
MAX_STEPS = 400
"""Names looked up for one expression."""
MAX_NESTED = 8
"""Looks at bases within looks at bases that start afresh."""

Given = ParamSpec("Given")


class Effort:
    """Counts what is done. `cut`: how often something was left out since it was too much."""

    def __init__(self) -> None:
        self.cut = 0
        self._depth = 0
        self._steps = 0
        self._nested = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing is being worked out: what was found last was asked for alone."""
        return self._depth == 0

    def enter(self) -> bool:
        """Go one deeper, to be left again; False when too much led here, and nothing is entered."""
        if self._depth >= MAX_DEPTH:
            self.cut += 1
            return False
        if self._depth == 0:
            self._steps = 0
        self._depth += 1
        return True

    def leave(self) -> None:
        """Come back from where `enter` led."""
        self._depth -= 1

    def deeper(
        self, step: Callable[Given, Values], *args: Given.args, **named: Given.kwargs
    ) -> Values:
        """Take a step unless too many led here: things may give themselves."""
        if not self.enter():
            return ()
        try:
            return step(*args, **named)
        finally:
            self.leave()

    def spend(self) -> bool:
        """Count a name that is looked up; False when there were too many."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            self.cut += 1
            return False
        return True

    def afresh(self, look: Callable[[], Values]) -> Values:
        """Look something up that is kept: it must not depend on how deep in what it came up."""
        depth, steps, nested = self._depth, self._steps, self._nested
        self._nested += 1
        if nested < MAX_NESTED:
            self._depth, self._steps = 1, 0
        try:
            return look()
        finally:
            self._depth, self._steps, self._nested = depth, steps, nested
