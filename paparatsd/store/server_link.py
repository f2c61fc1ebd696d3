"""The wire to a Qdrant server: connect, ask, try again, and say what went wrong.

qdrant-client is imported when the connection is made: it takes most of a second and nobody else
needs it.
"""

from __future__ import annotations

import asyncio
import importlib
import random
import ssl
import warnings
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from paparatsd.errors import BadReply, BadSettings, VectorStoreUnavailable
from paparatsd.store.address import qdrant_url

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paparatsd.clock import Clock
    from paparatsd.settings import StoreSettings

ATTEMPTS = 3
MAX_WAIT_S = 2.0
START_S = 5.0
"""A start waits no longer for a server that hangs; the daemon goes on and asks again later."""

ADVICE = {
    401: "; check store.qdrant_api_key",
    403: "; the key may read only: set store.qdrant_api_key to one that may write, or let this "
    "daemon only search (index.enabled = false)",
}
"""What to do about a refusal, beside the server's own words."""


class CollectionMissing(Exception):
    """The collection is not there; Qdrant itself said so, not a proxy in front of it."""


class QdrantLink:
    """A connection to one server. `client` and `models` are those of qdrant-client.

    `problem` says that the server could not be reached when it was last asked, else "".
    """

    def __init__(
        self,
        settings: StoreSettings,
        clock: Clock,
        make_client: Callable[[], Any] | None = None,
    ) -> None:
        """`make_client` takes the place of the HTTP client of qdrant-client."""
        self._settings = settings
        self._url = qdrant_url(settings.qdrant_url)
        self._clock = clock
        self._make_client = make_client or self._http_client
        self._refused: Any = None
        self._broken: Any = None
        self._exhausted: Any = None
        self.client: Any = None
        self.models: Any = None
        self.problem = ""

    async def open(self) -> None:
        """Import the client and look for the server; one that is away may come later.

        Raises VectorStoreUnavailable when it is there and refuses us, BadSettings for
        certificates that cannot be read.
        """
        await asyncio.to_thread(self._connect)
        what = "list collections"
        try:
            async with asyncio.timeout(START_S):
                await self.ask(what, self.client.get_collections)
        except TimeoutError:
            self.problem = f"{self.describe()} fails to {what}: no answer within {START_S:g} s"
        except VectorStoreUnavailable:
            if not self.problem:
                raise

    def _connect(self) -> None:
        self.models = importlib.import_module("qdrant_client.models")
        exceptions = importlib.import_module("qdrant_client.http.exceptions")
        common = importlib.import_module("qdrant_client.common.client_exceptions")
        self._refused = exceptions.UnexpectedResponse
        self._broken = exceptions.ResponseHandlingException
        self._exhausted = common.ResourceExhaustedResponse
        self.client = self._make_client()

    def _http_client(self) -> Any:  # noqa: ANN401 - the client is imported late
        tls = {"verify": _trusted(self._settings)} if self._url.startswith("https:") else {}
        with warnings.catch_warnings():
            # It warns of a key over plain http; `status` says so, and logs are for what changes.
            warnings.simplefilter("ignore")
            return importlib.import_module("qdrant_client").AsyncQdrantClient(
                url=self._url,
                api_key=self._settings.qdrant_api_key,
                timeout=max(1, round(self._settings.timeout_s)),
                check_compatibility=False,
                **tls,
            )

    async def close(self) -> None:
        """Close the connections."""
        if self.client is not None:
            await self.client.close()

    def describe(self) -> str:
        """Say which server this is, without what may be secret in its URL."""
        parts = urlsplit(self._url)
        return f"server {parts.scheme}://{parts.netloc}"

    async def ask(
        self,
        what: str,
        call: Callable[[], Awaitable[Any]],
        allowed: Callable[[int, str], bool] = lambda status, reason: False,
    ) -> Any:  # noqa: ANN401 - whatever the call returns, None where `allowed` says so
        """Ask the server; the one place that tries again, with jitter, what may pass.

        `allowed` says of a status and a reason that they are as good as done. Raises
        CollectionMissing, BadReply, or VectorStoreUnavailable with the server's reason.
        """
        reason = ""
        for attempt in range(1, ATTEMPTS + 1):
            wait_s = random.uniform(0.05, 0.25) * attempt  # noqa: S311 - jitter
            try:
                async with asyncio.timeout(self._settings.timeout_s):
                    answer = await call()
                self.problem = ""
                return answer  # noqa: TRY300 - the end of the good path
            except self._refused as error:
                self.problem = ""
                if allowed(error.status_code or 0, _server_reason(error)):
                    return None
                reason = self._judge(what, error)
            except self._exhausted as error:
                reason, wait_s = f"too many requests: {error}", float(error.retry_after_s)
            except self._broken as error:
                reason = _transport_reason(what, error)
            except TimeoutError:
                reason = f"no answer within {self._settings.timeout_s:g} s"
            if attempt < ATTEMPTS:
                await self._clock.sleep(min(wait_s, MAX_WAIT_S))
        self.problem = f"{self.describe()} fails to {what}: {reason}"
        raise VectorStoreUnavailable(self.problem)

    def _judge(self, what: str, error: Any) -> str:  # noqa: ANN401 - imported late
        """Return why it is worth trying again, or raise what no repetition will change."""
        status, reason = error.status_code or 0, _server_reason(error)
        if status == 404 and "ollection" in reason:
            raise CollectionMissing from error
        if status >= 500 or status in (408, 409, 429):
            return f"{status} {reason}"
        raise VectorStoreUnavailable(
            f"{self.describe()} refuses to {what}: {status} {reason}{ADVICE.get(status, '')}"
        ) from error


def _trusted(settings: StoreSettings) -> ssl.SSLContext | bool:
    """Return what proves that the server is the one we mean."""
    if not settings.verify:
        return False
    if not settings.ca_file:
        return True
    try:
        return ssl.create_default_context(cafile=settings.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise BadSettings(
            f"store.ca_file: {settings.ca_file} cannot be used ({error}); "
            "it must hold certificates in PEM form"
        ) from None


def _server_reason(error: Any) -> str:  # noqa: ANN401 - imported late
    """Return the server's own words, else the status line."""
    try:
        status = error.structured()["status"]
        return str(status["error"] if isinstance(status, dict) else status)[:300]
    except (ValueError, KeyError, TypeError):
        return str(error.reason_phrase)[:300]


def _transport_reason(what: str, error: Any) -> str:  # noqa: ANN401 - imported late
    """Return the transport's reason, or raise BadReply for an answer that makes no sense."""
    source = getattr(error, "source", error)
    if isinstance(source, ValueError):
        raise BadReply(
            f"the vector store's answer to {what!r} makes no sense; is it a Qdrant?"
        ) from error
    return f"{type(source).__name__} {source}".strip()
