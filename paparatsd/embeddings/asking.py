"""Asking an endpoint until it answers: the one layer that tries again, with waits and deadlines.

What may pass (no connection, 408, 425, 429, 5xx) is tried again after growing waits, half of each
random; what will not is told at once. What an endpoint asks for in Retry-After holds all requests.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import anyio
import structlog

from paparatsd.embeddings.endpoint import ServerFailed, TryLater
from paparatsd.embeddings.wire import Use
from paparatsd.errors import EmbedderUnavailable

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    from paparatsd.clock import Clock
    from paparatsd.embeddings.endpoint import Endpoint
    from paparatsd.embeddings.pace import Pace
    from paparatsd.embeddings.wire import Answer

log = structlog.get_logger()

DOCUMENT_WAITS_S = (1.0, 4.0, 16.0, 30.0)
"""Waits before further tries; the last one again when there are more tries than waits."""
QUERY_WAITS_S = (0.2,)
"""Somebody waits for the answer to a question."""
QUERY_DEADLINE_S = 3.0
"""Later than this a search is better answered without a vector."""


class TooSlow(EmbedderUnavailable):
    """No answer within the deadline."""


class Asking:
    """Asks one endpoint. A request with documents has `timeout_s`, each; `retries` more tries."""

    def __init__(
        self,
        endpoint: Endpoint,
        pace: Pace,
        *,
        clock: Clock,
        jitter: random.Random,
        timeout_s: float,
        retries: int,
    ) -> None:
        self._endpoint = endpoint
        self._pace = pace
        self._clock = clock
        self._jitter = jitter
        self._timeout_s = timeout_s
        self._retries = retries

    async def documents(self, texts: Sequence[str]) -> Answer:
        """Return the vectors of documents, not checked.

        Raises EmbedderUnavailable (TryLater, ServerFailed, InputRefused, EmbedderRefused among
        them) and BadReply.
        """
        return await self._ask(texts, Use.DOCUMENT, self._timeout_s, self._document_waits_s())

    async def suspects(self, texts: Sequence[str]) -> Answer:
        """Like `documents`, of which one may be the server's ruin: what it fails at is told."""
        waits_s = self._document_waits_s()
        return await self._ask(texts, Use.DOCUMENT, self._timeout_s, waits_s, ServerFailed)

    async def once(self, text: str) -> Answer:
        """Return the vector of a document or fail, without a further try. Raises as `documents`."""
        return await self._ask([text], Use.DOCUMENT, self._timeout_s, ())

    async def query(self, text: str) -> Answer:
        """Return the vector of a question within QUERY_DEADLINE_S. Raises as `documents`."""
        deadline_s = min(QUERY_DEADLINE_S, self._timeout_s)
        with self._within(deadline_s):
            return await self._ask([text], Use.QUERY, deadline_s, QUERY_WAITS_S)

    def _document_waits_s(self) -> Sequence[float]:
        more = self._retries - len(DOCUMENT_WAITS_S)
        return (*DOCUMENT_WAITS_S[: self._retries], *[DOCUMENT_WAITS_S[-1]] * more)

    async def _ask(
        self,
        texts: Sequence[str],
        use: Use,
        deadline_s: float,
        waits_s: Sequence[float],
        *told: type[TryLater],
    ) -> Answer:
        """Ask, again after each of the waits; failures of the classes `told` are told at once."""
        for planned_s in waits_s:
            try:
                return await self._once(texts, use, deadline_s)
            except told:
                raise
            except TryLater as error:
                wait_s = self._wait_s(error, planned_s)
                if wait_s >= deadline_s:
                    raise
                log.info("embedding_retried", reason=str(error), wait_s=round(wait_s, 2))
                await self._clock.sleep(wait_s)
        return await self._once(texts, use, deadline_s)

    def _wait_s(self, error: TryLater, planned_s: float) -> float:
        """Return how long to wait before the next try; others wait too if need be."""
        # Half of the wait is random, so that a crowd does not return at once.
        wait_s = planned_s * self._jitter.uniform(0.5, 1.0)
        if error.crowded:
            self._pace.postpone_documents(wait_s)
        return max(wait_s, error.after_s or 0.0)

    async def _once(self, texts: Sequence[str], use: Use, deadline_s: float) -> Answer:
        if not await self._pace.turn(use, deadline_s):
            raise EmbedderUnavailable(
                f"the embedding endpoint {self._endpoint.shown} asked to be left alone for "
                f"another {self._pace.held_s():.0f} s"
            )
        try:
            with self._within(deadline_s):
                return await self._endpoint.post(texts, use)
        except TryLater as error:
            if error.after_s:
                self._pace.hold(error.after_s)
            raise

    @contextlib.contextmanager
    def _within(self, deadline_s: float) -> Iterator[None]:
        try:
            with anyio.fail_after(deadline_s):
                yield
        except TimeoutError:
            raise TooSlow(
                f"the embedding endpoint {self._endpoint.shown} did not answer within "
                f"{deadline_s:g} s"
            ) from None
