"""One request to an embedding endpoint, and the classes of its failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.embeddings.embedder import EmbedderRefused
from paparatsd.endpoints import refusals
from paparatsd.endpoints.posting import Letter, Poster, Sent, shown_url
from paparatsd.endpoints.refusals import Speech
from paparatsd.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.embeddings.wire import Answer, Use, Wire

__all__ = ["Endpoint", "InputRefused", "Sent", "ServerFailed", "TooSlow", "TryLater", "shown_url"]

FIXED_REPLY_BYTES = 1 << 20
REPLY_BYTES_PER_TEXT = 256 << 10
"""Enough for about ten thousand numbers written out in full."""


class TooSlow(EmbedderUnavailable):
    """No answer within the deadline."""


class TryLater(refusals.TryLater, EmbedderUnavailable):
    """A failure that may pass."""


class ServerFailed(TryLater, refusals.ServerFailed):
    """The server failed at this request, perhaps at one of its texts."""


class InputRefused(refusals.InputRefused, EmbedderRefused):
    """The endpoint refuses these texts, or their number."""


SPEECH = Speech(
    subject="the embedding endpoint",
    section="embedder",
    alone=EmbedderUnavailable,
    too_slow=TooSlow,
    later=TryLater,
    failed=ServerFailed,
    input=InputRefused,
    refused=EmbedderRefused,
)


class Endpoint:
    """Posts texts and returns what came back, as numbers. No retry, no deadline of its own."""

    def __init__(self, base: str, wire: Wire, api_key: str | None, *, connections: int) -> None:
        self._wire = wire
        self._accepted = False
        self._poster = Poster(wire.url(base), api_key, SPEECH, connections=connections)

    @property
    def shown(self) -> str:
        """The address as it may stand in a message."""
        return self._poster.shown

    @property
    def sent(self) -> Sent:
        """What was sent so far."""
        return self._poster.sent

    async def close(self) -> None:
        """Close the connections."""
        await self._poster.close()

    async def post(self, texts: Sequence[str], use: Use) -> Answer:
        """Return the vectors of texts, one row each, in order, not checked any further.

        Raises TryLater, ServerFailed, InputRefused, EmbedderRefused, BadReply.
        """
        try:
            answer = await self._post(texts, use, self._wire)
        except InputRefused:
            simpler = None if self._accepted else self._wire.simpler()
            if simpler is None:
                raise
            answer = await self._post(texts, use, simpler)
            self._wire = simpler
        self._accepted = True
        return answer

    async def _post(self, texts: Sequence[str], use: Use, wire: Wire) -> Answer:
        letter = Letter(
            body=wire.body(texts, use),
            texts=len(texts),
            chars=sum(map(len, texts)),
            max_bytes=FIXED_REPLY_BYTES + REPLY_BYTES_PER_TEXT * len(texts),
            missing_model=wire.missing_model(),
        )
        answer = await self._poster.post(letter, lambda reply: wire.read(reply, len(texts)))
        self._poster.count_tokens(answer.tokens)
        return answer
