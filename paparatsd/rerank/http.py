"""The reranker behind an endpoint: one deadline, requests no larger than it takes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import anyio

from paparatsd.endpoints.pace import Pace
from paparatsd.endpoints.posting import Letter, Poster, Sent
from paparatsd.endpoints.refusals import InputRefused, LeftAlone, Speech
from paparatsd.endpoints.retrying import Patience, Retrying
from paparatsd.rerank.scores import RerankerSpec
from paparatsd.rerank.wire import wire_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.clock import Clock
    from paparatsd.rerank.wire import RerankWire, Scores
    from paparatsd.settings import RerankSettings

WAITS_S = (0.2,)
"""One further try of what may pass: somebody waits for the answer."""
REQUESTS = 4
FIXED_REPLY_BYTES = 1 << 20
REPLY_BYTES_PER_TEXT = 64 << 10
"""Some servers send the texts back, whatever they are asked."""
SHORTEST_CHARS = 400
"""Texts that are too long are cut in halves until they are this short."""


SPEECH = Speech(subject="the rerank endpoint", section="rerank")


class HttpReranker:
    """Scores texts by an endpoint. Close it with `close`."""

    def __init__(
        self, settings: RerankSettings, *, clock: Clock, jitter: random.Random | None = None
    ) -> None:
        """Take settings in which the provider's own are filled in."""
        self.spec = RerankerSpec(settings.provider, settings.model)
        self._wire: RerankWire = wire_of(settings.provider, settings.model)
        self._accepted = False
        self._most_texts = self._wire.most_texts
        self._most_chars = settings.max_chars
        url = self._wire.url(settings.url)
        self._poster = Poster(url, settings.api_key, SPEECH, connections=REQUESTS)
        self._pace = Pace(clock, settings.min_interval_s)
        self._retrying = Retrying(
            self._pace,
            SPEECH,
            self._poster.shown,
            clock=clock,
            jitter=jitter or random.Random(),  # noqa: S311 - spreads load, guards nothing
        )
        self._limiter = anyio.CapacityLimiter(REQUESTS)

    @property
    def sent(self) -> Sent:
        """What was sent since the start."""
        return self._poster.sent

    async def close(self) -> None:
        """Close the connections."""
        await self._poster.close()

    async def scores(
        self, query: str, texts: Sequence[str], deadline_s: float
    ) -> tuple[float, ...]:
        """Return the scores of texts in their order, on the scale of the model.

        Raises Unavailable (LeftAlone, Rejected, TooSlow among them) and BadReply.
        """
        wait_s = self._pace.wait_s()
        if wait_s >= deadline_s:
            raise LeftAlone(
                f"the rerank endpoint {self._poster.shown} is left alone for another {wait_s:.0f} s"
            )
        patience = Patience(deadline_s, WAITS_S)
        with self._retrying.within(deadline_s):
            async with self._limiter:
                values: list[float] = []
                while len(values) < len(texts):
                    following = texts[len(values) : len(values) + self._most_texts]
                    values += await self._some(query, following, patience)
                return tuple(values)

    async def _some(
        self, query: str, texts: Sequence[str], patience: Patience
    ) -> tuple[float, ...]:
        """Score texts: fewer at a time, or shorter ones, when these are refused."""
        while True:
            cut = [text[: self._most_chars] for text in texts]
            try:
                answer = await self._retrying.ask(lambda: self._post(query, cut), patience)  # noqa: B023 - awaited here
            except InputRefused as error:
                if error.too_many and len(texts) > 1:
                    self._most_texts = (len(texts) + 1) // 2
                    first, rest = texts[: self._most_texts], texts[self._most_texts :]
                    values = await self._some(query, first, patience)
                    return (*values, *await self._some(query, rest, patience))
                longest = max(map(len, cut))
                if longest <= SHORTEST_CHARS:
                    raise
                self._most_chars = max(SHORTEST_CHARS, longest // 2)
            else:
                self._poster.count_tokens(answer.tokens)
                return answer.values

    async def _post(self, query: str, texts: Sequence[str]) -> Scores:
        try:
            answer = await self._post_as(self._wire, query, texts)
        except InputRefused:
            other = None if self._accepted else self._wire.simpler()
            if other is None:
                raise
            answer = await self._post_as(other, query, texts)
            self._wire = other
        self._accepted = True
        return answer

    async def _post_as(self, wire: RerankWire, query: str, texts: Sequence[str]) -> Scores:
        letter = Letter(
            body=wire.body(query, texts),
            texts=len(texts),
            chars=len(query) + sum(map(len, texts)),
            max_bytes=FIXED_REPLY_BYTES + REPLY_BYTES_PER_TEXT * len(texts),
            missing_model=wire.missing_model(),
        )
        return await self._poster.post(letter, lambda reply: wire.read(reply, len(texts)))
