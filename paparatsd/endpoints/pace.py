"""When the next request may go: what an endpoint asked for, shared by all requests to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paparatsd.clock import Clock


class Pace:
    """Lets requests through one by one. For one event loop."""

    def __init__(self, clock: Clock, interval_s: float) -> None:
        """Keep at least `interval_s` between the beginnings of requests that are not urgent."""
        self._clock = clock
        self._interval_s = interval_s
        self._held_until = float("-inf")
        self._next_from = float("-inf")

    def hold(self, seconds: float) -> None:
        """Let nothing through for so long: the endpoint asked for it."""
        self._held_until = max(self._held_until, self._clock.monotonic() + seconds)

    def postpone(self, seconds: float) -> None:
        """Let only what is urgent through for so long."""
        self._next_from = max(self._next_from, self._clock.monotonic() + seconds)

    def held_s(self) -> float:
        """Return how long nothing goes through, 0 when something does."""
        return max(0.0, self._held_until - self._clock.monotonic())

    def wait_s(self) -> float:
        """Return how long a request that is not urgent has to wait now."""
        return max(0.0, self.held_s(), self._next_from - self._clock.monotonic())

    async def turn(self, limit_s: float, *, urgent: bool) -> bool:
        """Wait until a request may go; False, at once, when it is held for `limit_s` or longer.

        What is urgent does not wait for the interval, somebody waits for its answer; the others
        then leave room for it.
        """
        while (held := self.held_s()) < limit_s:
            now = self._clock.monotonic()
            wait_s = held if urgent else max(held, self._next_from - now)
            if wait_s <= 0:
                self._next_from = max(now, self._next_from) + self._interval_s
                return True
            await self._clock.sleep(wait_s)
        return False
