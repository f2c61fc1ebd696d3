"""Recalls that the search process asks of the embedded store itself, and what waits for them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from paparatsd import ipc
from paparatsd.model import RecallReply

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.model import RecallRequest
    from paparatsd.search.frames import Packed
    from paparatsd.search.recall import RecallPlan
    from paparatsd.store.recall_link import RecallClient

LINK_S = 0.25
"""A store that does not answer within this is asked by the daemon instead."""
SMALL_FILTER = 1_000
"""A recall with more versions to let through is asked once and not in two parts."""


@dataclass(slots=True)
class _Waiting:
    """A plan whose recall is under way.

    `numbers` of its messages, in the order in which `answers` are put together.
    """

    plan: RecallPlan
    numbers: tuple[int, ...]
    due: float
    later: ipc.Later = field(default_factory=ipc.Later)
    answers: dict[int, list[RecallReply]] = field(default_factory=dict)


class Shortcut:
    """Recalls under way over the link, each with the reply that the daemon waits for."""

    def __init__(
        self, client: RecallClient, rank: Callable[[RecallPlan, Sequence[RecallReply]], Packed]
    ) -> None:
        self._client = client
        self._rank = rank
        self._begun: int | None = None
        self._waiting: dict[int, _Waiting] = {}

    def begin(self, requests: Sequence[RecallRequest]) -> bool:
        """Have the store begin with the part by meaning of a plan that is still being made."""
        large = any(len(request.filter.versions) > SMALL_FILTER for request in requests)
        self._begun = None if large or not requests else self._client.ask(requests)
        return self._begun is not None

    def ask(self, plan: RecallPlan) -> ipc.Later | None:
        """Ask the store; the reply comes later, None when the daemon has to ask."""
        numbers = (self._begun,) if plan.begun and self._begun is not None else ()
        rest = _by_words(plan.requests) if numbers else plan.requests
        if rest:
            number = self._client.ask(rest)
            if number is None:
                return None
            numbers = (*numbers, number)
        waiting = _Waiting(plan, numbers, time.monotonic() + LINK_S)
        self._waiting |= dict.fromkeys(numbers, waiting)
        return waiting.later

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._client.fileno()

    def take(self) -> None:
        """Rank what the store has answered."""
        for number, replies in self._client.answers():
            waiting = self._waiting.get(number)
            if waiting is None:
                continue  # too late, not asked in the end, or meant for a process before this one
            if replies is not None:
                waiting.answers[number] = replies
            if replies is None or len(waiting.answers) == len(waiting.numbers):
                self._settle(waiting, complete=replies is not None)

    def _settle(self, waiting: _Waiting, *, complete: bool) -> None:
        """Reply with the answer, or with the plan when the daemon has to ask after all."""
        for number in waiting.numbers:
            del self._waiting[number]
        plan = waiting.plan
        if not complete:
            waiting.later.settle(lambda: (plan, None))
            return
        replies = _together([waiting.answers[number] for number in waiting.numbers])
        waiting.later.settle(lambda: (None, self._rank(plan, replies)))

    def wait_s(self) -> float | None:
        """Return how long the oldest recall may still take; None when there is none."""
        oldest = next(iter(self._waiting.values()), None)
        return None if oldest is None else max(0.0, oldest.due - time.monotonic())

    def expire(self) -> None:
        """Give plans back to the daemon whose recall takes too long."""
        while (wait_s := self.wait_s()) is not None and wait_s <= 0:
            self._settle(next(iter(self._waiting.values())), complete=False)


def _by_words(requests: Sequence[RecallRequest]) -> list[RecallRequest]:
    """Return the part by words of some requests, nothing when they have none."""
    if all(request.sparse is None for request in requests):
        return []
    return [replace(request, dense=None) for request in requests]


def _together(answers: Sequence[list[RecallReply]]) -> list[RecallReply]:
    """Return one reply per request: of two parts by meaning and by words, both."""
    if len(answers) == 1:
        return answers[0]
    by_meaning, by_words = answers
    return [
        RecallReply(one.dense, other.lexical)
        for one, other in zip(by_meaning, by_words, strict=True)
    ]
