"""The form that OpenAI's embeddings have, and with them most servers one can run.

https://platform.openai.com/docs/api-reference/embeddings; spoken by llama-server, Ollama (under
/v1), vLLM, Text Embeddings Inference, Infinity, LM Studio and others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paparatsd.embeddings.replies import matrix_of, rows_by_index, tokens_of
from paparatsd.embeddings.wire import Answer, Limits, Use
from paparatsd.endpoints.posting import with_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIZES = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072}
"""Models that make vectors of the size asked for; by default of this size."""
FIXED_SIZES = {"text-embedding-ada-002": 1536}
LIMITS = Limits(texts=32, chars=64_000, requests=2, most_texts=2_048)


@dataclass(frozen=True, slots=True)
class OpenAiWire:
    """Requests for one model; `dimension` is sent along when it is not 0."""

    model: str
    dimension: int = 0
    # Numbers written out are ten times as long to parse, and parsing blocks the event loop.
    # The form is a wish: both are understood, and a server that refuses it is asked again.
    encoding: str = "base64"
    provider: str = "openai"
    variant: str = ""
    limits: Limits = LIMITS

    @classmethod
    def of(cls, model: str, dimension: int, *, ask_dimension: bool) -> OpenAiWire:
        """Return the form for a model; other models than OpenAI's are asked for a size on wish.

        Most servers refuse a request that names a size.
        """
        asked = dimension if ask_dimension or model in SIZES else 0
        return cls(model, asked)

    @property
    def native_dimension(self) -> int:
        """The size of the vectors of OpenAI's own models."""
        return (SIZES | FIXED_SIZES).get(self.model, 0)

    def url(self, base: str) -> str:
        """Return the address; `base` may end before or after /v1 or /embeddings."""
        # Some services have a version of their own in the path (/v4, /openai, /api/v3).
        return with_path(base, "/embeddings", "/v1/embeddings")

    def body(self, texts: Sequence[str], use: Use) -> Mapping[str, Any]:
        """Return the request."""
        body: dict[str, Any] = {"model": self.model, "input": list(texts)}
        if self.dimension:
            body["dimensions"] = self.dimension
        if self.encoding:
            body["encoding_format"] = self.encoding
        return body

    def read(self, reply: Any, count: int) -> Answer:  # noqa: ANN401 - a stranger's
        """Return the vectors, in the order of their indexes."""
        rows = rows_by_index(reply, count, "<f4")
        return Answer(matrix_of(rows), tokens_of(reply, "usage", "total_tokens"))

    def simpler(self) -> OpenAiWire | None:
        """Return the form that asks for plain numbers."""
        return replace(self, encoding="") if self.encoding else None

    def missing_model(self) -> str:
        """Return what to look at."""
        return f"check embedder.url and embedder.model ({self.model!r})"
