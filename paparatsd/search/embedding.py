"""Embedding by the built-in model, which the search process has in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd import ipc
from paparatsd.errors import BadReply, ChildDied
from paparatsd.supervise import RemoteError, local_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.supervise import Child

EMBED_S = 30.0


class SearchEmbedder:
    """Has texts embedded by the search process. Raises Unavailable and BadReply."""

    def __init__(self, child: Child, fingerprint: str) -> None:
        """`fingerprint` of the model that the process is to have."""
        self._child = child
        self.fingerprint = fingerprint

    async def documents(self, texts: Sequence[str]) -> Sequence[NDArray[np.float32]]:
        """Return the vector of each text, of length 1."""
        return list(await self._embed(texts, query=False, urgency=ipc.NORMAL))

    async def query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, of length 1."""
        row: NDArray[np.float32] = (await self._embed([text], query=True, urgency=ipc.URGENT))[0]
        return row

    async def _embed(
        self, texts: Sequence[str], *, query: bool, urgency: int
    ) -> NDArray[np.float32]:
        argument = (list(texts), query)
        try:
            rows, fingerprint = await self._child.call(
                "embed", argument, timeout_s=EMBED_S, urgency=urgency
            )
        except RemoteError as error:
            raise local_error(error, self._child.name) from error
        except ChildDied:  # it is started again by the next call
            rows, fingerprint = await self._child.call(
                "embed", argument, timeout_s=EMBED_S, urgency=urgency
            )
        if fingerprint != self.fingerprint:
            raise BadReply("the search process has another embedding model: restart paparatsd")
        found: NDArray[np.float32] = rows
        return found
