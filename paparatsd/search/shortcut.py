"""Recalls that the search process asks of the embedded store itself, and what waits for them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from paparatsd import ipc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.model import RecallReply
    from paparatsd.search.frames import Packed
    from paparatsd.search.recall import RecallPlan
    from paparatsd.store.recall_link import RecallClient

LINK_S = 0.25
"""A store that does not answer within this is asked by the daemon instead."""


class Shortcut:
    """Recalls under way over the link, each with the reply that the daemon waits for."""

    def __init__(
        self, client: RecallClient, rank: Callable[[RecallPlan, Sequence[RecallReply]], Packed]
    ) -> None:
        self._client = client
        self._rank = rank
        self._waiting: dict[int, tuple[RecallPlan, ipc.Later, float]] = {}

    def ask(self, plan: RecallPlan) -> ipc.Later | None:
        """Ask the store; the reply comes later, None when the daemon has to ask."""
        number = self._client.ask(plan.requests)
        if number is None:
            return None
        later = ipc.Later()
        self._waiting[number] = (plan, later, time.monotonic() + LINK_S)
        return later

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._client.fileno()

    def take(self) -> None:
        """Rank what the store has answered."""
        for number, replies in self._client.answers():
            plan, later, _ = self._waiting.pop(number, (None, None, 0.0))
            if plan is None or later is None:
                continue  # too late, or meant for a process before this one
            self._settle(plan, later, replies)

    def _settle(
        self, plan: RecallPlan, later: ipc.Later, replies: Sequence[RecallReply] | None
    ) -> None:
        later.settle(lambda: (plan, None) if replies is None else (None, self._rank(plan, replies)))

    def wait_s(self) -> float | None:
        """Return how long the oldest recall may still take; None when there is none."""
        due = next(iter(self._waiting.values()), None)
        return None if due is None else max(0.0, due[2] - time.monotonic())

    def expire(self) -> None:
        """Give plans back to the daemon whose recall takes too long."""
        if not self._waiting:
            return
        now = time.monotonic()
        late = [number for number, (_, _, due) in self._waiting.items() if due <= now]
        for number in late:
            plan, later, _ = self._waiting.pop(number)
            self._settle(plan, later, None)
