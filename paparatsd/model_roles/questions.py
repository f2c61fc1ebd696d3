"""How questions are embedded while models change."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from paparatsd.errors import BadReply, EmbedderUnavailable
from paparatsd.search.asked_by import BUILT_IN, AskedBy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.clock import Clock
    from paparatsd.model_roles.embedders import OpenEmbedder

SILENT_S = 15.0
"""So long a model on its way out is not asked again after it did not answer."""
SLOW_S = 1.0


class Questions:
    """Asks embedders for the vectors of questions; one that may be gone for good, not too often."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._silent_until = 0.0

    def asked_by(self, opened: OpenEmbedder, *, leaving: bool) -> AskedBy:
        """Return how an embedder embeds questions; `leaving`: another one is to answer soon."""
        if opened.embedder is None:
            return AskedBy(
                built_in=False,
                note=(
                    f"The model that the index was made with, {opened.name}, cannot be asked any "
                    "more: these results are found by words only, not by meaning, until the new "
                    "model has all its vectors."
                ),
            )
        if opened.built_in:
            return BUILT_IN
        embedder = opened.embedder

        async def embed_document(text: str) -> NDArray[np.float32]:
            row: NDArray[np.float32] = (await embedder.embed_documents([text])).vectors[0]
            return row

        if not leaving:
            return AskedBy(
                built_in=False, embed_query=embedder.embed_query, embed_document=embed_document
            )

        async def embed(text: str) -> NDArray[np.float32]:
            return await self._ask_leaving(opened, text)

        return AskedBy(built_in=False, embed_query=embed, embed_document=embed_document)

    async def _ask_leaving(self, opened: OpenEmbedder, text: str) -> NDArray[np.float32]:
        """Ask a model that may be gone; without an answer it is left alone for a while."""
        began = self._clock.monotonic()
        if opened.embedder is None or began < self._silent_until:
            raise EmbedderUnavailable(f"{opened.name} did not answer a moment ago")
        try:
            return await opened.embedder.embed_query(text)
        except (EmbedderUnavailable, BadReply):
            self._silent_until = self._clock.monotonic() + SILENT_S
            raise
        except asyncio.CancelledError:
            if self._clock.monotonic() - began > SLOW_S:
                self._silent_until = self._clock.monotonic() + SILENT_S
            raise
