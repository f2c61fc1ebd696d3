"""What an embedder is, and the check of what it returns."""

from __future__ import annotations

import hashlib
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


class BadRows(BadReply):
    """Some vectors of a reply cannot be stored; `vectors` has length-1 rows but for `bad` ones."""

    def __init__(self, message: str, vectors: FloatMatrix, bad: tuple[int, ...]) -> None:
        super().__init__(message)
        self.vectors = vectors
        self.bad = bad


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


def hashed_direction(word: str, dimension: int) -> FloatVector:
    """Return float32 [dimension] of length 1, made of a word's hash: unrelated to all others."""
    digest = hashlib.shake_128(word.encode(errors="replace")).digest((dimension + 7) // 8)
    bits = np.unpackbits(np.frombuffer(digest, np.uint8), count=dimension)
    signs: FloatVector = (bits * np.float32(2) - 1) / np.sqrt(np.float32(dimension))
    return signs


def check_vectors(vectors: FloatMatrix, *, count: int, dimension: int) -> FloatMatrix:
    """Return the vectors scaled to length 1.

    Raises BadReply when their number or size is wrong, BadRows when single ones cannot be stored.
    """
    if vectors.shape[0] != count:
        raise BadReply(f"the embedder returned {vectors.shape[0]} vectors for {count} texts")
    if vectors.shape[1] != dimension or not dimension:
        raise BadReply(
            f"the embedder returned vectors of dimension {vectors.shape[1]}, expected dimension "
            f"{dimension}; is it another model now? check embedder.model and embedder.dimension"
        )
    finite = np.isfinite(vectors).all(axis=1)
    # The length of a float32 row can overflow or vanish although every number in it is finite.
    with np.errstate(invalid="ignore"):
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
        good = finite & (lengths >= 1e-12)
        unit: FloatMatrix = np.zeros_like(vectors, dtype=np.float32)
        unit[good] = (vectors[good] / lengths[good, None]).astype(np.float32)
    if good.all():
        return unit
    what = "zeros" if finite.all() else "NaN or infinity"
    bad = tuple(np.flatnonzero(~good).tolist())
    raise BadRows(f"the embedder returned a vector of {what}", unit, bad)
