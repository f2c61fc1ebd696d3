"""What an embedder is, and the check of what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paparatsd.errors import BadReply, EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.model import EmbedderSpec

FloatMatrix: TypeAlias = NDArray[np.float32]
"""float32 [n, dimension]."""
FloatVector: TypeAlias = NDArray[np.float32]
"""float32 [dimension]."""


class EmbedderRefused(EmbedderUnavailable):
    """The endpoint refuses what is configured (key, model, address); trying again is no use."""

    code = "embedder_refused"


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of documents: `vectors` has one row of length 1 per text.

    `failed` lists the positions of texts that the embedder refuses for their content; their rows
    are zero and must not be stored.
    """

    vectors: FloatMatrix
    failed: tuple[int, ...] = ()


class Embedder(Protocol):
    """Turns texts into vectors of one fixed size."""

    @property
    def spec(self) -> EmbedderSpec:
        """Name of this way of embedding; its dimension and fingerprint are known."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Embed texts to be found. Raises EmbedderUnavailable, EmbedderRefused, BadReply."""
        ...

    async def embed_query(self, text: str) -> FloatVector:
        """Embed one question. Raises EmbedderUnavailable, EmbedderRefused, BadReply."""
        ...


def check_vectors(vectors: FloatMatrix, *, count: int, dimension: int) -> FloatMatrix:
    """Return the vectors scaled to length 1; raises BadReply if they cannot be stored."""
    if vectors.shape != (count, dimension):
        raise BadReply(
            f"the embedder returned vectors of shape {vectors.shape}, "
            f"expected {count} of dimension {dimension}"
        )
    if not np.isfinite(vectors).all():
        raise BadReply("the embedder returned a vector with NaN or infinity")
    # The length of a float32 row can overflow or vanish although every number in it is finite.
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if (lengths < 1e-12).any():
        raise BadReply("the embedder returned a vector of zeros")
    unit: FloatMatrix = (vectors / lengths).astype(np.float32)
    return unit
