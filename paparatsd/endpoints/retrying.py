"""Asking an endpoint until it answers: the one layer that tries again, with waits and deadlines.

What may pass (no connection, 408, 425, 429, 5xx) is tried again after growing waits, half of each
random; what will not is told at once. What an endpoint asks for in Retry-After holds all requests.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import anyio
import structlog

from paparatsd.endpoints.refusals import TryLater

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from paparatsd.clock import Clock
    from paparatsd.endpoints.pace import Pace
    from paparatsd.endpoints.refusals import Speech

    T = TypeVar("T")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a try may take, and the waits before further ones.

    `urgent`: somebody waits, the interval between requests does not hold.
    """

    deadline_s: float
    waits_s: Sequence[float] = ()
    urgent: bool = False


class Retrying:
    """Tries the requests to one endpoint, whose name as in a message is `shown`."""

    def __init__(
        self, pace: Pace, speech: Speech, shown: str, *, clock: Clock, jitter: random.Random
    ) -> None:
        self._pace = pace
        self._speech = speech
        self._name = f"{speech.subject} {shown}"
        self._clock = clock
        self._jitter = jitter

    async def ask(
        self, post: Callable[[], Awaitable[T]], patience: Patience, *told: type[TryLater]
    ) -> T:
        """Ask, again after each of the waits; failures of the classes `told` are told at once."""
        for planned_s in patience.waits_s:
            try:
                return await self._once(post, patience)
            except told:
                raise
            except TryLater as error:
                wait_s = self._wait_s(error, planned_s)
                if wait_s >= patience.deadline_s:
                    raise
                log.info(
                    "request_retried",
                    to=self._speech.section,
                    reason=str(error),
                    wait_s=round(wait_s, 2),
                )
                await self._clock.sleep(wait_s)
        return await self._once(post, patience)

    def _wait_s(self, error: TryLater, planned_s: float) -> float:
        """Return how long to wait before the next try; others wait too if need be."""
        # Half of the wait is random, so that a crowd does not return at once.
        wait_s = planned_s * self._jitter.uniform(0.5, 1.0)
        if error.crowded:
            self._pace.postpone(wait_s)
        return max(wait_s, error.after_s or 0.0)

    async def _once(self, post: Callable[[], Awaitable[T]], patience: Patience) -> T:
        if not await self._pace.turn(patience.deadline_s, urgent=patience.urgent):
            raise self._speech.alone(
                f"{self._name} asked to be left alone for another {self._pace.held_s():.0f} s"
            )
        try:
            with self.within(patience.deadline_s):
                return await post()
        except TryLater as error:
            if error.after_s:
                self._pace.hold(error.after_s)
            raise

    @contextlib.contextmanager
    def within(self, deadline_s: float) -> Iterator[None]:
        """Raise the speech's TooSlow when what is inside takes longer."""
        try:
            with anyio.fail_after(deadline_s):
                yield
        except TimeoutError:
            raise self._speech.too_slow(
                f"{self._name} did not answer within {deadline_s:.3g} s"
            ) from None
