"""An embedder of notes for tests: texts with the same words are near, and it fails when told to."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.errors import EmbedderUnavailable
from paparatsd.knowledge.folding import fold
from tests.harness.fake_embedder import text_vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

DIMENSION = 64
WORD = re.compile(r"[^\W_]+")


class WordEmbedder:
    """Sums a random vector per word. Models of different names have nothing in common."""

    def __init__(self, name: str = "one", refused: str = "") -> None:
        """Texts that contain `refused` are refused for their content."""
        self.fingerprint = name
        self.refused = refused
        self.down = False
        self.silent = False
        self.waited_for = 0
        self.embedded: Counter[str] = Counter()
        self.told = asyncio.Event()

    async def documents(self, texts: Sequence[str]) -> list[NDArray[np.float32] | None]:
        """Return a vector of each text."""
        await self._silence()
        refused = [bool(self.refused) and self.refused in text for text in texts]
        rows = [None if no else self._row(text) for text, no in zip(texts, refused, strict=True)]
        self.embedded.update(texts)
        self.told.set()
        return rows

    async def query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, as of any text."""
        await self._silence()
        return self._row(text)

    async def _silence(self) -> None:
        if self.silent:
            self.waited_for += 1
            await asyncio.Event().wait()

    def _row(self, text: str) -> NDArray[np.float32]:
        if self.down:
            raise EmbedderUnavailable("the embedder does not answer")
        words = sorted(set(WORD.findall(fold(text)))) or [""]
        total = np.sum([text_vector(f"{self.fingerprint} {one}", DIMENSION) for one in words], 0)
        unit: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
        return unit
