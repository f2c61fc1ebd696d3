"""What turns notes into vectors, as the daemon sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.embeddings.embedder import Embedder


class NoteEmbedder(Protocol):
    """One way of embedding; its vectors have length 1.

    Calls raise EmbedderUnavailable (and Unavailable in general) or BadReply.
    """

    @property
    def fingerprint(self) -> str:
        """What names this way; vectors of different ones are never compared."""
        ...

    async def documents(self, texts: Sequence[str]) -> Sequence[NDArray[np.float32] | None]:
        """Return the vector of each text; None for one that the embedder refuses."""
        ...

    async def query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        ...


class EndpointEmbedder:
    """Has notes embedded by a configured endpoint."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def fingerprint(self) -> str:
        """What names the endpoint's model and how it is asked."""
        return self._embedder.spec.fingerprint

    async def documents(self, texts: Sequence[str]) -> Sequence[NDArray[np.float32] | None]:
        """Return the vector of each text; None for one that the endpoint refuses."""
        answer = await self._embedder.embed_documents(texts)
        failed = set(answer.failed)
        return [None if at in failed else row for at, row in enumerate(answer.vectors)]

    async def query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        return await self._embedder.embed_query(text)
