"""The form of Ollama's own embeddings: https://docs.ollama.com/api/embed.

Other than the one it has under /v1, it says how long the model stays loaded and lets the server
shorten what is longer than the model reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paparatsd.embeddings.replies import matrix_of, tokens_of
from paparatsd.embeddings.wire import Answer, Limits, Use
from paparatsd.endpoints.posting import with_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIZES = {
    "all-minilm": 384,
    "bge-m3": 1024,
    "embeddinggemma": 768,
    "mxbai-embed-large": 1024,
    "nomic-embed-text": 768,
    "qwen3-embedding": 4096,
    "qwen3-embedding:0.6b": 1024,
    "qwen3-embedding:4b": 2560,
    "qwen3-embedding:8b": 4096,
    "snowflake-arctic-embed2": 1024,
}
"""Sizes of the vectors of models in Ollama's library, so that a start need not ask for them."""
LIMITS = Limits(texts=32, chars=64_000, requests=1, most_texts=512)
"""A server on this machine works on one batch at a time anyway."""


@dataclass(frozen=True, slots=True)
class OllamaWire:
    """Requests for one model; `dimension` is sent along when it is not 0.

    `keep_alive` is a span as Ollama writes it ("10m"), a number of seconds, or "" for the
    server's own.
    """

    model: str
    dimension: int = 0
    keep_alive: str = "10m"
    provider: str = "ollama"
    variant: str = ""
    limits: Limits = LIMITS

    @property
    def native_dimension(self) -> int:
        """The size of the vectors of well-known models."""
        return SIZES.get(self.model.removesuffix(":latest"), 0)

    def url(self, base: str) -> str:
        """Return the address; `base` is the server's, with or without /v1, /api or /api/embed."""
        trimmed = base.rstrip("/").removesuffix("/v1").removesuffix("/api")
        return with_path(trimmed, "/api/embed", "/api/embed")

    def body(self, texts: Sequence[str], use: Use) -> Mapping[str, Any]:
        """Return the request."""
        # The server knows where the model's context ends; we could only guess.
        body: dict[str, Any] = {"model": self.model, "input": list(texts), "truncate": True}
        if self.dimension:
            body["dimensions"] = self.dimension
        if self.keep_alive:
            # A bare number is seconds and must be one; as text it would lack a unit.
            digits = self.keep_alive.removeprefix("-").isdigit()
            body["keep_alive"] = int(self.keep_alive) if digits else self.keep_alive
        return body

    def read(self, reply: Any, count: int) -> Answer:  # noqa: ANN401 - a stranger's
        """Return the vectors, which come as plain rows."""
        rows = reply.get("embeddings") if isinstance(reply, dict) else None
        if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
            raise ValueError("no list of vectors")
        if len(rows) != count:
            raise ValueError(f"{len(rows)} vectors for {count} texts")
        return Answer(matrix_of(rows), tokens_of(reply, "prompt_eval_count"))

    def simpler(self) -> None:
        """Return that there is no simpler form."""

    def missing_model(self) -> str:
        """Return the command that gets the model."""
        return f"run: ollama pull {self.model}"
