"""The form of Voyage's embeddings: https://docs.voyageai.com/reference/embeddings-api.

The service is told what a text is for and puts its own prompt before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paparatsd.embeddings.replies import matrix_of, rows_by_index, tokens_of
from paparatsd.embeddings.wire import Answer, Limits, Use
from paparatsd.endpoints.posting import with_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIZES = {
    "voyage-code-3": 1024,
    "voyage-3-large": 1024,
    "voyage-3.5": 1024,
    "voyage-3.5-lite": 1024,
    "voyage-3": 1024,
    "voyage-3-lite": 512,
    "voyage-code-2": 1536,
    "voyage-finance-2": 1024,
    "voyage-law-2": 1024,
}
"""Sizes of the vectors when none is asked for."""
LIMITS = Limits(texts=128, chars=200_000, requests=3, most_texts=1_000)
"""A request may hold 1,000 texts and, for most models, 120,000 tokens; code has three or more
characters a token, and what is still too much is halved."""


@dataclass(frozen=True, slots=True)
class VoyageWire:
    """Requests for one model; `dimension` is asked for when it is not 0.

    `dtype` is float, or int8 for numbers that the service has rounded to one byte each.
    """

    model: str
    dimension: int = 0
    dtype: str = "float"
    encoding: str = "base64"
    provider: str = "voyage"
    limits: Limits = LIMITS

    @classmethod
    def of(cls, model: str, dimension: int, dtype: str) -> VoyageWire:
        """Return the form for a model; a size is only asked for when it is not the usual one."""
        return cls(model, 0 if dimension == SIZES.get(model) else dimension, dtype)

    @property
    def native_dimension(self) -> int:
        """The size of the model's vectors when none is asked for."""
        return SIZES.get(self.model, 0)

    @property
    def variant(self) -> str:
        """The rounding, if any."""
        return "" if self.dtype == "float" else self.dtype

    def url(self, base: str) -> str:
        """Return the address; `base` may end before or after /v1 or /embeddings."""
        return with_path(base, "/embeddings", "/v1/embeddings")

    def body(self, texts: Sequence[str], use: Use) -> Mapping[str, Any]:
        """Return the request; what is longer than the model reads is shortened by the service."""
        body: dict[str, Any] = {
            "model": self.model,
            "input": list(texts),
            "input_type": use.value,
            "truncation": True,
        }
        if self.dimension:
            body["output_dimension"] = self.dimension
        if self.dtype != "float":
            body["output_dtype"] = self.dtype
        if self.encoding:
            body["encoding_format"] = self.encoding
        return body

    def read(self, reply: Any, count: int) -> Answer:  # noqa: ANN401 - a stranger's
        """Return the vectors, in the order of their indexes."""
        rows = rows_by_index(reply, count, "<f4" if self.dtype == "float" else "i1")
        return Answer(matrix_of(rows), tokens_of(reply, "usage", "total_tokens"))

    def simpler(self) -> VoyageWire | None:
        """Return the form that asks for plain numbers, as things between us and it may need."""
        return replace(self, encoding="") if self.encoding else None

    def missing_model(self) -> str:
        """Return what to look at."""
        return f"check embedder.model ({self.model!r})"
