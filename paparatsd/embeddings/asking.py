"""How an embedding endpoint is asked: documents patiently, questions within a short deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.embeddings.endpoint import SPEECH, ServerFailed, TooSlow
from paparatsd.embeddings.wire import Use
from paparatsd.endpoints.retrying import Patience, Retrying

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from paparatsd.clock import Clock
    from paparatsd.embeddings.endpoint import Endpoint
    from paparatsd.embeddings.wire import Answer
    from paparatsd.endpoints.pace import Pace

__all__ = ["Asking", "TooSlow"]

DOCUMENT_WAITS_S = (1.0, 4.0, 16.0, 30.0)
"""Waits before further tries; the last one again when there are more tries than waits."""
QUERY_WAITS_S = (0.2,)
"""Somebody waits for the answer to a question."""
QUERY_DEADLINE_S = 3.0
"""Later than this a search is better answered without a vector."""


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
        self._timeout_s = timeout_s
        self._retries = retries
        self._retrying = Retrying(pace, SPEECH, endpoint.shown, clock=clock, jitter=jitter)

    async def documents(self, texts: Sequence[str]) -> Answer:
        """Return the vectors of documents, not checked.

        Raises EmbedderUnavailable (TryLater, ServerFailed, InputRefused, EmbedderRefused among
        them) and BadReply.
        """
        patience = Patience(self._timeout_s, self._document_waits_s())
        return await self._retrying.ask(lambda: self._document(texts), patience)

    async def suspects(self, texts: Sequence[str]) -> Answer:
        """Like `documents`, of which one may be the server's ruin: what it fails at is told."""
        patience = Patience(self._timeout_s, self._document_waits_s())
        return await self._retrying.ask(lambda: self._document(texts), patience, ServerFailed)

    async def once(self, text: str) -> Answer:
        """Return the vector of a document or fail, without a further try. Raises as `documents`."""
        return await self._retrying.ask(lambda: self._document([text]), Patience(self._timeout_s))

    async def query(self, text: str) -> Answer:
        """Return the vector of a question within QUERY_DEADLINE_S. Raises as `documents`."""
        patience = Patience(min(QUERY_DEADLINE_S, self._timeout_s), QUERY_WAITS_S, urgent=True)
        with self._retrying.within(patience.deadline_s):
            return await self._retrying.ask(
                lambda: self._endpoint.post([text], Use.QUERY), patience
            )

    async def _document(self, texts: Sequence[str]) -> Answer:
        return await self._endpoint.post(texts, Use.DOCUMENT)

    def _document_waits_s(self) -> Sequence[float]:
        more = self._retries - len(DOCUMENT_WAITS_S)
        return (*DOCUMENT_WAITS_S[: self._retries], *[DOCUMENT_WAITS_S[-1]] * more)
