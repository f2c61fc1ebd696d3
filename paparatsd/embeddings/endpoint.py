"""One request to an embedding endpoint: size cap, and what each kind of reply means."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import httpx

from paparatsd.embeddings.embedder import EmbedderRefused
from paparatsd.embeddings.replies import error_code, retry_after_s, says_model, says_too_long
from paparatsd.errors import BadReply, EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.embeddings.wire import Answer, Use, Wire

FIXED_REPLY_BYTES = 1 << 20
REPLY_BYTES_PER_TEXT = 256 << 10
"""Enough for about ten thousand numbers written out in full."""
INPUT_REFUSED = frozenset({400, 413, 422})
"""The request may be wrong because of one text in it, so a smaller one may succeed."""
WORTH_RETRYING = frozenset({408, 425, 429})
TEXT_FAILED = frozenset({424, 500})
"""The server may have failed on one text in the request."""
NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Codes by which a 429 means that waiting is no use."""


class TryLater(EmbedderUnavailable):
    """A failure that may pass; `after_s` is how long the endpoint asked us to wait.

    `crowded`: there were too many requests.
    """

    def __init__(
        self, message: str, after_s: float | None = None, *, crowded: bool = False
    ) -> None:
        super().__init__(message)
        self.after_s = after_s
        self.crowded = crowded


class ServerFailed(TryLater):
    """The server failed at this request, perhaps at one of its texts."""


class InputRefused(EmbedderRefused):
    """The endpoint refuses these texts, or their number."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What was sent to an endpoint so far; `tokens` as it counts them, 0 if it does not."""

    requests: int = 0
    texts: int = 0
    chars: int = 0
    tokens: int = 0

    def and_also(self, other: Sent) -> Sent:
        """Return the sum."""
        return Sent(
            self.requests + other.requests,
            self.texts + other.texts,
            self.chars + other.chars,
            self.tokens + other.tokens,
        )


def shown_url(url: str) -> str:
    """Return a URL as it may stand in a message: without user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


class Endpoint:
    """Posts texts and returns what came back, as numbers. No retry, no deadline of its own."""

    def __init__(self, base: str, wire: Wire, api_key: str | None, *, connections: int) -> None:
        self._url = wire.url(base)
        self._wire = wire
        self._accepted = False
        self.sent = Sent()
        self.shown = shown_url(self._url)
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if api_key:
            headers["Authorization"] = f"Bearer {api_key}"
        # No proxy or .netrc of the environment, and no redirect: code goes to the configured
        # host and nowhere else. The caller's deadline bounds the whole call, so there is none
        # per read that dripping bytes could reset.
        self._client = httpx.AsyncClient(
            headers=headers,
            timeout=None,  # noqa: S113 - see above
            trust_env=False,
            follow_redirects=False,
            limits=httpx.Limits(max_connections=connections),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

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
        max_bytes = FIXED_REPLY_BYTES + REPLY_BYTES_PER_TEXT * len(texts)
        going = Sent(requests=1, texts=len(texts), chars=sum(map(len, texts)))
        before = self.sent
        # Counted ahead: a request that is cut off has been sent all the same.
        self.sent = self.sent.and_also(going)
        try:
            async with self._client.stream("POST", self._url, json=wire.body(texts, use)) as reply:
                data = await self._read(reply, max_bytes)
        except httpx.TransportError as error:
            if isinstance(error, httpx.ConnectError):
                self.sent = _without(self.sent, going)
            raise TryLater(
                f"the embedding endpoint {self.shown} does not answer ({_reason(error)}); "
                "is it running, and is embedder.url right?"
            ) from error
        except (httpx.InvalidURL, ValueError) as error:
            self.sent = before
            raise EmbedderRefused(
                f"the embedding endpoint {self.shown} cannot be asked: {type(error).__name__}; "
                "check embedder.url and embedder.api_key"
            ) from error
        if reply.status_code != httpx.codes.OK:
            raise self._refusal(reply.status_code, reply.headers, data)
        answer = self._parse(data, len(texts), wire)
        self.sent = self.sent.and_also(Sent(tokens=answer.tokens))
        return answer

    async def _read(self, reply: httpx.Response, max_bytes: int) -> bytes:
        encoding = reply.headers.get("content-encoding", "identity")
        if encoding != "identity":
            # A few compressed kilobytes may stand for gigabytes; we said that we take none.
            raise BadReply(f"the embedding endpoint {self.shown} sent a compressed reply")
        data = bytearray()
        async for block in reply.aiter_raw():
            data += block
            if len(data) > max_bytes:
                raise BadReply(
                    f"the embedding endpoint {self.shown} sent more than {max_bytes} bytes"
                )
        return bytes(data)

    def _refusal(
        self, status: int, headers: Mapping[str, str], data: bytes
    ) -> EmbedderUnavailable | BadReply:
        code = error_code(data)
        said = (
            f"the embedding endpoint {self.shown} answered {status}{f' ({code})' if code else ''}"
        )
        if status in INPUT_REFUSED or (status in TEXT_FAILED and says_too_long(data)):
            return InputRefused(f"{said}; {self._wire.missing_model()}")
        fatal = self._fatal(status, code, data)
        if fatal:
            return EmbedderRefused(f"{said}; {fatal}")
        after_s = retry_after_s(headers)
        if status in TEXT_FAILED:
            return ServerFailed(said, after_s)
        if status in WORTH_RETRYING or status >= 500:
            return TryLater(said, after_s, crowded=status == 429)
        if 200 <= status < 300:
            return BadReply(f"{said} instead of 200")
        return EmbedderRefused(f"{said}; check embedder.url")

    def _fatal(self, status: int, code: str, data: bytes) -> str:
        """Return what to do about a reply that no waiting changes; "" for all others."""
        if status == 402 or (status == 429 and code in NO_CREDIT):
            return "the account behind embedder.api_key has no credit left or no means of payment"
        if status in {401, 403}:
            return "check embedder.api_key and what the account behind it may do"
        if status == 404:
            if says_model(data):
                return self._wire.missing_model()
            return "check embedder.url and embedder.model"
        if 300 <= status < 400:
            return "redirects are not followed, set embedder.url directly"
        return ""

    def _parse(self, data: bytes, count: int, wire: Wire) -> Answer:
        try:
            return wire.read(json.loads(data), count)
        except RecursionError:
            reason = "nested too deeply"
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            reason = "not JSON" if isinstance(error, json.JSONDecodeError) else str(error)[:100]
        raise BadReply(f"the embedding endpoint {self.shown} sent an unusable reply: {reason}")


def _without(total: Sent, part: Sent) -> Sent:
    negative = Sent(-part.requests, -part.texts, -part.chars, -part.tokens)
    return total.and_also(negative)


def _reason(error: httpx.TransportError) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()
    return words.removesuffix(" error")
