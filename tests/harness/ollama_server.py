"""A stand-in for an Ollama server's /api/embed: its checks, its errors, its replies.

After https://docs.ollama.com/api/embed. A model reads `context` characters, standing for tokens.

    service = OllamaServer({"fake": OllamaModel(8, context=100)})
    server.decide = service.answer
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.harness.fake_embedder import Reply, text_vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.harness.fake_embedder import Request

GO_DURATION = re.compile(r"-?(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h))+")
POISON = "\N{SKULL AND CROSSBONES}"
"""A text with it makes numbers that JSON does not have."""


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """A model that was pulled."""

    dimension: int
    context: int = 10_000
    embeds: bool = True


@dataclass
class OllamaServer:
    """Which models there are, how many requests wait, how long the model stays."""

    models: Mapping[str, OllamaModel]
    busy: int = 0
    """So many requests find the queue full."""
    kept: list[str | int] = field(default_factory=list)
    """What was said with each request about keeping the model."""

    def answer(self, request: Request) -> Reply:
        """Answer a request as the server would."""
        if request.path != "/api/embed":
            return Reply(404, {"Content-Type": "text/plain"}, b"404 page not found")
        body = request.body
        refusal = self._refusal(body)
        if refusal is not None:
            return refusal
        self.kept.append(body.get("keep_alive", "5m"))
        name = body["model"]
        model = self.models[name if name in self.models else f"{name}:latest"]
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if any(POISON in text for text in texts):
            return error(500, "failed to encode response: json: unsupported value: NaN")
        if not body.get("truncate", True) and any(len(text) > model.context for text in texts):
            return error(400, "the input length exceeds the context length")
        size = body.get("dimensions") or model.dimension
        rows = [text_vector(text[: model.context], model.dimension)[:size] for text in texts]
        rows = [row / np.linalg.norm(row) for row in rows]
        reply = {
            "model": name,
            "embeddings": [row.tolist() for row in rows],
            "total_duration": 14_143_917,
            "load_duration": 1_019_500,
            "prompt_eval_count": sum(len(text.split()) for text in texts),
        }
        return Reply(body=json.dumps(reply).encode())

    def _refusal(self, body: Mapping[str, Any]) -> Reply | None:
        if self.busy:
            self.busy -= 1
            return error(503, "server busy, please try again.  maximum pending requests exceeded")
        kept = body.get("keep_alive", "5m")
        if isinstance(kept, str) and not GO_DURATION.fullmatch(kept):
            return error(400, f'time: missing unit in duration "{kept}"')
        texts = body.get("input")
        whole = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
        if not (whole or isinstance(texts, str)):
            return error(400, "invalid input type")
        name = body.get("model", "")
        model = self.models.get(name) or self.models.get(f"{name}:latest")
        if model is None:
            return error(404, f'model "{name}" not found, try pulling it first')
        if not model.embeds:
            return error(400, f'"{name}" does not support embeddings')
        return None


def error(status: int, message: str) -> Reply:
    """Return an error as the server writes it."""
    return Reply(status, {}, json.dumps({"error": message}).encode())
