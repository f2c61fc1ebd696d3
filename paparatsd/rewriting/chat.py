"""One question to a chat endpoint with OpenAI's /v1/chat/completions, which Ollama has, too."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import anyio

from paparatsd.endpoints.pace import Pace
from paparatsd.endpoints.posting import Letter, Poster, Sent, with_path
from paparatsd.endpoints.refusals import Speech
from paparatsd.endpoints.retrying import Patience, Retrying
from paparatsd.rewriting.reading import MAX_TOKENS, content_of

if TYPE_CHECKING:
    from paparatsd.clock import Clock
    from paparatsd.settings import ExpandSettings

REQUESTS = 2
MAX_REPLY_BYTES = 256 << 10


SPEECH = Speech(subject="the chat endpoint", section="expand")


class Chat:
    """Asks one chat model. Close it with `close`."""

    def __init__(self, settings: ExpandSettings, *, clock: Clock) -> None:
        """Take settings that name the endpoint and the model."""
        self.model = settings.model
        url = with_path(settings.url, "/chat/completions", "/v1/chat/completions")
        self._poster = Poster(url, settings.api_key, SPEECH, connections=REQUESTS)
        self._retrying = Retrying(
            Pace(clock, 0.0),
            SPEECH,
            self._poster.shown,
            clock=clock,
            jitter=random.Random(),  # noqa: S311 - spreads load, guards nothing
        )
        self._limiter = anyio.CapacityLimiter(REQUESTS)

    @property
    def sent(self) -> Sent:
        """What was sent since the start."""
        return self._poster.sent

    async def close(self) -> None:
        """Close the connections."""
        await self._poster.close()

    async def reply(self, messages: list[dict[str, str]], deadline_s: float) -> str:
        """Return the text that the model replies. Raises Unavailable and BadReply."""
        letter = Letter(
            body={
                "model": self.model,
                "messages": messages,
                "temperature": 0.2,
                "max_tokens": MAX_TOKENS,
                "stream": False,
            },
            texts=1,
            chars=sum(len(one["content"]) for one in messages),
            max_bytes=MAX_REPLY_BYTES,
            missing_model=f"check expand.model ({self.model!r})",
        )
        with self._retrying.within(deadline_s):
            async with self._limiter:
                return await self._retrying.ask(
                    lambda: self._poster.post(letter, content_of),
                    Patience(deadline_s, urgent=True),
                )
