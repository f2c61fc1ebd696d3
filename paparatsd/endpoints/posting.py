"""One request to an endpoint: size cap, what each kind of reply means, and what was sent."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import httpx

from paparatsd.endpoints.refusals import (
    error_code,
    part_that_fits,
    retry_after_s,
    says_model,
    says_too_long,
    says_too_many,
)
from paparatsd.errors import BadReply

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paparatsd.endpoints.refusals import Speech
    from paparatsd.errors import Unavailable

    T = TypeVar("T")

INPUT_REFUSED = frozenset({400, 413, 422})
"""The request may be wrong because of one text in it, so a smaller one may succeed."""
WORTH_RETRYING = frozenset({408, 425, 429})
TEXT_FAILED = frozenset({424, 500})
"""The server may have failed on one text in the request."""
NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Codes by which a 429 means that waiting is no use."""


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


@dataclass(frozen=True, slots=True)
class Letter:
    """A request: its JSON object, how many texts and characters of ours are in it.

    `max_bytes` is how long a reply may be; `missing_model` says what to do when the endpoint does
    not know the model.
    """

    body: Mapping[str, Any]
    texts: int
    chars: int
    max_bytes: int
    missing_model: str


def shown_url(url: str) -> str:
    """Return a URL as it may stand in a message: without user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def with_path(base: str, ending: str, usual: str) -> str:
    """Return `base` with `ending` behind its path, or with the path `usual` when it has none.

    A base that ends so already stays as it is.
    """
    parts = urlsplit(base)
    path = parts.path.rstrip("/")
    if not path.endswith(ending):
        path = path + ending if path else usual
    return urlunsplit(parts._replace(path=path, fragment=""))


class Poster:
    """Posts JSON to one address and reads JSON. No retry, no deadline of its own."""

    def __init__(self, url: str, api_key: str | None, speech: Speech, *, connections: int) -> None:
        self._url = url
        self._speech = speech
        self.sent = Sent()
        self.shown = shown_url(url)
        self._name = f"{speech.subject} {self.shown}"
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

    def count_tokens(self, tokens: int) -> None:
        """Add what the other side counted."""
        self.sent = self.sent.and_also(Sent(tokens=tokens))

    async def post(self, letter: Letter, read: Callable[[Any], T]) -> T:
        """Post a request and return what `read` makes of the reply.

        `read` may raise ValueError, TypeError, LookupError and AttributeError: then the
        reply is not what it should be. Raises the classes of the speech, and BadReply.
        """
        going = Sent(requests=1, texts=letter.texts, chars=letter.chars)
        before, section = self.sent, self._speech.section
        # Counted ahead: a request that is cut off has been sent all the same.
        self.sent = self.sent.and_also(going)
        try:
            async with self._client.stream("POST", self._url, json=letter.body) as reply:
                data = await self._read(reply, letter.max_bytes)
        except httpx.TransportError as error:
            if isinstance(error, httpx.ConnectError):
                self.sent = _without(self.sent, going)
            raise self._speech.later(
                f"{self._name} does not answer ({_reason(error)}); "
                f"is it running, and is {section}.url right?"
            ) from error
        except (httpx.InvalidURL, ValueError) as error:
            self.sent = before
            raise self._speech.refused(
                f"{self._name} cannot be asked: {type(error).__name__}; "
                f"check {section}.url and {section}.api_key"
            ) from error
        if reply.status_code != httpx.codes.OK:
            raise self._refusal(reply.status_code, reply.headers, data, letter.missing_model)
        return self._parse(data, read)

    async def _read(self, reply: httpx.Response, max_bytes: int) -> bytes:
        encoding = reply.headers.get("content-encoding", "identity")
        if encoding != "identity":
            # A few compressed kilobytes may stand for gigabytes; we said that we take none.
            raise BadReply(f"{self._name} sent a compressed reply")
        data = bytearray()
        async for block in reply.aiter_raw():
            data += block
            if len(data) > max_bytes:
                raise BadReply(f"{self._name} sent more than {max_bytes} bytes")
        return bytes(data)

    def _refusal(
        self, status: int, headers: Mapping[str, str], data: bytes, missing_model: str
    ) -> Unavailable | BadReply:
        speech, code = self._speech, error_code(data)
        said = f"{self._name} answered {status}{f' ({code})' if code else ''}"
        if status in INPUT_REFUSED or (status in TEXT_FAILED and says_too_long(data)):
            many, fits = says_too_many(data), part_that_fits(data)
            return speech.input(f"{said}; {missing_model}", too_many=many, fits=fits)
        fatal = self._fatal(status, code, data, missing_model)
        if fatal:
            return speech.refused(f"{said}; {fatal}")
        after_s = retry_after_s(headers)
        if status in TEXT_FAILED:
            return speech.failed(said, after_s)
        if status in WORTH_RETRYING or status >= 500:
            return speech.later(said, after_s, crowded=status == 429)
        if 200 <= status < 300:
            return BadReply(f"{said} instead of 200")
        return speech.refused(f"{said}; check {speech.section}.url")

    def _fatal(self, status: int, code: str, data: bytes, missing_model: str) -> str:
        """Return what to do about a reply that no waiting changes; "" for all others."""
        section = self._speech.section
        if status == 402 or (status == 429 and code in NO_CREDIT):
            return f"the account behind {section}.api_key has no credit left or no means of payment"
        if status in {401, 403}:
            return f"check {section}.api_key and what the account behind it may do"
        if status == 404:
            if says_model(data):
                return missing_model
            return f"check {section}.url and {section}.model"
        if status == 501:
            # As llama-server says that it was started for something else.
            return f"what is served there does not do this; check {section}.url"
        if 300 <= status < 400:
            return f"redirects are not followed, set {section}.url directly"
        return ""

    def _parse(self, data: bytes, read: Callable[[Any], T]) -> T:
        try:
            return read(json.loads(data))
        except RecursionError:
            reason = "nested too deeply"
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            reason = "not JSON" if isinstance(error, json.JSONDecodeError) else str(error)[:100]
        raise BadReply(f"{self._name} sent an unusable reply: {reason}")


def _without(total: Sent, part: Sent) -> Sent:
    negative = Sent(-part.requests, -part.texts, -part.chars, -part.tokens)
    return total.and_also(negative)


def _reason(error: httpx.TransportError) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()
    return words.removesuffix(" error")
