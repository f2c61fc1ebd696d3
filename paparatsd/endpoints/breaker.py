"""A switch before something that has failed: while it is open, nobody waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paparatsd.clock import Clock

FIRST_S, LONGEST_S = 15.0, 300.0
"""How long to leave something alone that failed once; and at most, after failing over and over."""


class Breaker:
    """Opens at a failure, for longer each time, and closes at a success. For one event loop."""

    def __init__(self, clock: Clock, first_s: float = FIRST_S) -> None:
        """`first_s`: how long it stays open after a first failure."""
        self._clock = clock
        self._first_s = first_s
        self._due_at: float | None = None
        self._pause_s = 0.0
        self.reason = ""

    @property
    def is_open(self) -> bool:
        """Whether the last thing known is a failure; its sentence is `reason`."""
        return self._due_at is not None

    def left_s(self) -> float:
        """Return for how long nothing should be tried."""
        return 0.0 if self._due_at is None else max(0.0, self._due_at - self._clock.monotonic())

    def failed(self, reason: str, *, for_good: bool = False, after_s: float = 0.0) -> None:
        """Open, at least for `after_s`; `for_good`: only a person can mend it."""
        longer = LONGEST_S if for_good else max(self._first_s, 2 * self._pause_s)
        self._pause_s = min(max(LONGEST_S, self._first_s), longer)
        self._due_at = self._clock.monotonic() + max(self._pause_s, after_s)
        self.reason = reason

    def succeeded(self) -> None:
        """Close."""
        self._due_at, self._pause_s, self.reason = None, 0.0, ""
