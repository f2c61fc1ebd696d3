"""What turns notes into vectors, as the daemon sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


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
