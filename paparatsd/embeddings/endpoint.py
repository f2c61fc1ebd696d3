"""One request to an embedding endpoint: address, size cap, and what each kind of reply means."""

from __future__ import annotations

import base64
import binascii
import email.utils
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import httpx
import numpy as np

from paparatsd.embeddings.embedder import EmbedderRefused
from paparatsd.errors import BadReply, EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.embeddings.embedder import FloatMatrix

FIXED_REPLY_BYTES = 1 << 20
REPLY_BYTES_PER_TEXT = 256 << 10
"""Enough for about ten thousand numbers written out in full."""
INPUT_REFUSED = frozenset({400, 413, 422})
"""The request may be wrong because of one text in it, so a smaller one may succeed."""
WORTH_RETRYING = frozenset({408, 425, 429})
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")


class TryLater(EmbedderUnavailable):
    """A failure that may pass; `after_s` is how long the endpoint asked us to wait."""

    def __init__(self, message: str, after_s: float | None = None) -> None:
        super().__init__(message)
        self.after_s = after_s


class InputRefused(EmbedderRefused):
    """The endpoint refuses these texts, or their number."""


def embeddings_url(base: str) -> str:
    """Return the address to post to; `base` may end before or after /v1 or /embeddings."""
    parts = urlsplit(base)
    path = parts.path.rstrip("/")
    if not path.endswith("/embeddings"):
        # Some services have a version of their own in the path (/v4, /openai, /api/v3).
        path += "/embeddings" if path else "/v1/embeddings"
    return urlunsplit(parts._replace(path=path, fragment=""))


def shown_url(url: str) -> str:
    """Return a URL as it may stand in a message: without user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


class Endpoint:
    """Posts texts and returns what came back, as numbers. No retry, no deadline of its own."""

    def __init__(self, url: str, model: str, api_key: str | None, *, connections: int) -> None:
        self._url = embeddings_url(url)
        self._model = model
        # Numbers written out are ten times as long to parse, and parsing blocks the event loop.
        # The form is a wish: both are understood, and a server that refuses it is asked again.
        self._encoding: dict[str, str] = {"encoding_format": "base64"}
        self._encoding_accepted = False
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

    async def post(self, texts: Sequence[str]) -> FloatMatrix:
        """Return the vectors of texts, one row each, in order, not checked any further.

        Raises TryLater, InputRefused, EmbedderRefused, BadReply.
        """
        try:
            matrix = await self._post(texts, self._encoding)
        except InputRefused:
            if self._encoding_accepted:
                raise
            matrix = await self._post(texts, {})
            self._encoding = {}
        self._encoding_accepted = True
        return matrix

    async def _post(self, texts: Sequence[str], encoding: Mapping[str, str]) -> FloatMatrix:
        body = {"model": self._model, "input": list(texts), **encoding}
        max_bytes = FIXED_REPLY_BYTES + REPLY_BYTES_PER_TEXT * len(texts)
        try:
            async with self._client.stream("POST", self._url, json=body) as reply:
                data = await self._read(reply, max_bytes)
        except httpx.TransportError as error:
            raise TryLater(
                f"the embedding endpoint {self.shown} does not answer ({_reason(error)}); "
                "is it running, and is embedder.url right?"
            ) from error
        except (httpx.InvalidURL, ValueError) as error:
            raise EmbedderRefused(
                f"the embedding endpoint {self.shown} cannot be asked: {type(error).__name__}; "
                "check embedder.url and embedder.api_key"
            ) from error
        if reply.status_code != httpx.codes.OK:
            raise self._refusal(reply.status_code, reply.headers, data)
        return self._parse(data, len(texts))

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
        said = f"the embedding endpoint {self.shown} answered {status}{_error_code(data)}"
        if status in WORTH_RETRYING or status >= 500:
            return TryLater(said, _retry_after_s(headers.get("retry-after", ""), headers))
        if status in INPUT_REFUSED:
            return InputRefused(f"{said}; check embedder.model ({self._model!r})")
        if status in {401, 402, 403}:
            return EmbedderRefused(f"{said}; check embedder.api_key and the account behind it")
        if status == 404:
            return EmbedderRefused(
                f"{said}; check embedder.url and embedder.model ({self._model!r})"
            )
        if 300 <= status < 400:
            return EmbedderRefused(f"{said}; redirects are not followed, set embedder.url directly")
        if 200 <= status < 300:
            return BadReply(f"{said} instead of 200")
        return EmbedderRefused(f"{said}; check embedder.url")

    def _parse(self, data: bytes, count: int) -> FloatMatrix:
        try:
            rows = _rows(json.loads(data), count)
            with np.errstate(over="ignore"):
                numbers = np.array(rows)
                if numbers.ndim != 2 or numbers.dtype.kind not in "fiu":
                    raise ValueError("vectors that are not equally long rows of numbers")  # noqa: TRY301 - one message for all
                matrix: FloatMatrix = numbers.astype(np.float32)
                return matrix
        except RecursionError:
            reason = "nested too deeply"
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            reason = "not JSON" if isinstance(error, json.JSONDecodeError) else str(error)[:100]
        raise BadReply(f"the embedding endpoint {self.shown} sent an unusable reply: {reason}")


def _rows(reply: Any, count: int) -> list[Any]:  # noqa: ANN401 - whatever a stranger sent
    """Return the embeddings ordered by their index; raises ValueError when one is missing."""
    items = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ValueError("no list of vectors")
    if len(items) != count:
        raise ValueError(f"{len(items)} vectors for {count} texts")
    by_index = {item.get("index", position): item for position, item in enumerate(items)}
    if set(by_index) != set(range(count)):
        raise ValueError("indexes that do not match the texts")
    return [_row(by_index[position].get("embedding")) for position in range(count)]


def _row(embedding: Any) -> Any:  # noqa: ANN401 - whatever a stranger sent
    """Undo the base64 form that some servers prefer; everything else is left to the check."""
    if not isinstance(embedding, str):
        return embedding
    try:
        return np.frombuffer(base64.b64decode(embedding, validate=True), "<f4")
    except (binascii.Error, ValueError):
        raise ValueError("a vector that is neither numbers nor base64") from None


def _error_code(data: bytes) -> str:
    """Return the short code of an error reply; never its text, which may repeat ours."""
    try:
        error = json.loads(data)["error"]
        code = error.get("code") or error.get("type")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
    return f" ({code})" if isinstance(code, str) and _CODE.fullmatch(code) else ""


def _retry_after_s(value: str, headers: Mapping[str, str]) -> float | None:
    """Read Retry-After: seconds, or a date, which is compared with the server's own clock."""
    try:
        return max(0.0, min(float(value), 86_400.0))
    except ValueError:
        pass
    try:
        until = email.utils.parsedate_to_datetime(value)
        now = email.utils.parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None


def _reason(error: httpx.TransportError) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()
    return words.removesuffix(" error")
