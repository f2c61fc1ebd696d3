"""The vectors of what a question means, and what makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.model import EmbedderSpec


class Encoder(Protocol):
    """The built-in embedding model, as far as search needs it."""

    @property
    def spec(self) -> EmbedderSpec:
        """What names the model."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per text, as documents have them."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per text."""
        ...


class QueryVectors(NamedTuple):
    """The vectors of what a question means.

    static: by the built-in model; dense: the one that stores are asked with; begun: they are.
    """

    meaning: str = ""
    static: NDArray[np.float32] | None = None
    dense: NDArray[np.float32] | None = None
    begun: bool = False


NO_VECTORS = QueryVectors()
