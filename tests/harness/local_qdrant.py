"""qdrant-client's local mode in the place of a server: another reading of what Qdrant does.

It has no HTTP, ignores indexes and says in errors of its own what a server says with a status; only
that is translated here.
"""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import httpx
from qdrant_client import AsyncQdrantClient
from qdrant_client.http.exceptions import UnexpectedResponse

if TYPE_CHECKING:
    from collections.abc import Callable


class LocalQdrant:
    """An AsyncQdrantClient in memory whose failures look like a server's."""

    def __init__(self) -> None:
        self._client = AsyncQdrantClient(":memory:")

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return a method of the client that raises what a server's client would."""
        method = getattr(self._client, name)

        async def call(*arguments: Any, **options: Any) -> Any:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # it tells what local mode does not do
                    return await method(*arguments, **options)
            except ValueError as error:
                text = str(error)
                if "already exists" in text:
                    raise _response(409, text) from error
                if "not found" in text:
                    raise _response(404, text) from error
                raise _response(400, text) from error

        return call

    async def create_payload_index(self, *_: Any, **__: Any) -> None:
        """Do nothing: local mode looks at every point, and warns that it does."""

    async def close(self) -> None:
        """Keep what is there: the tests connect again to the same."""


def _response(status: int, reason: str) -> UnexpectedResponse:
    content = json.dumps({"status": {"error": reason}}).encode()
    return UnexpectedResponse(status, reason, content, httpx.Headers())
