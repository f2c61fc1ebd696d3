"""A stand-in for Voyage's embeddings: its checks, its limits, its errors, its replies.

After https://docs.voyageai.com/reference/embeddings-api. A word counts as a token.

    service = VoyageService(key="k")
    server.decide = service.answer
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.harness.fake_embedder import Reply, text_vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tests.harness.fake_embedder import Request

MODELS = {"voyage-code-3": (1024, (256, 512, 1024, 2048)), "voyage-code-2": (1536, (1536,))}
"""By name: the size of vectors, and the sizes that may be asked for."""
FIELDS = frozenset({
    "input", "model", "input_type", "truncation", "output_dimension", "output_dtype",
    "encoding_format",
})  # fmt: skip
MOST_TEXTS = 1_000


@dataclass
class VoyageService:
    """`crowded` requests are told to wait `retry_after` seconds; without `credit` none is served.

    `batch_tokens` is what a request may hold, `context_tokens` what a text may.
    """

    key: str
    credit: bool = True
    crowded: int = 0
    retry_after: str = "20"
    batch_tokens: int = 120_000
    context_tokens: int = 32_000

    def answer(self, request: Request) -> Reply:
        """Answer a request as the service would."""
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return detail(401, "Provided API key is invalid.")
        if not self.credit:
            return detail(402, "You have run out of credits; add a payment method.")
        if self.crowded:
            self.crowded -= 1
            headers = {"Retry-After": self.retry_after} if self.retry_after else {}
            return detail(429, "You have exceeded your rate limit of 3 RPM.", headers)
        if request.path != "/v1/embeddings":
            return detail(404, "Not Found")
        body = request.body
        wrong = self._wrong(body)
        return detail(400, wrong) if wrong else self._embeddings(body)

    def _wrong(self, body: Mapping[str, Any]) -> str:
        unknown = set(body) - FIELDS
        if unknown:
            return f"Argument '{min(unknown)}' is not supported by our API."
        if body.get("model") not in MODELS:
            return f"Model {body.get('model')} is not supported."
        if body.get("output_dimension", MODELS[body["model"]][0]) not in MODELS[body["model"]][1]:
            return f"Value '{body['output_dimension']}' is not supported for output_dimension."
        if body.get("output_dtype", "float") not in {"float", "int8"}:
            return "The output_dtype is not supported."
        if body.get("input_type") not in {None, "query", "document"}:
            return "The input_type is not supported."
        return self._too_much(body)

    def _too_much(self, body: Mapping[str, Any]) -> str:
        texts = body["input"]
        if not texts or not all(texts):
            return "Input cannot contain empty strings or empty lists."
        if len(texts) > MOST_TEXTS:
            return f"The batch size limit is {MOST_TEXTS}. Your batch size is {len(texts)}."
        tokens = [len(text.split()) for text in texts]
        if not body.get("truncation", True) and max(tokens) > self.context_tokens:
            return "An input is longer than the context length of the model."
        if sum(min(count, self.context_tokens) for count in tokens) > self.batch_tokens:
            return f"The max allowed tokens per submitted batch is {self.batch_tokens}."
        return ""

    def _embeddings(self, body: Mapping[str, Any]) -> Reply:
        data = []
        for index, text in enumerate(body["input"]):
            size = body.get("output_dimension", MODELS[body["model"]][0])
            row = expected_row(text, body.get("input_type"), size, body.get("output_dtype"))
            embedding: Any = row.tolist()
            if body.get("encoding_format") == "base64":
                embedding = base64.b64encode(row.tobytes()).decode()
            data.append({"object": "embedding", "embedding": embedding, "index": index})
        # The order of the list says nothing, the index does.
        reply = {
            "object": "list",
            "data": data[::-1],
            "model": body["model"],
            "usage": {"total_tokens": sum(len(text.split()) for text in body["input"])},
        }
        return Reply(body=json.dumps(reply).encode())


def expected_row(
    text: str, input_type: str | None, dimension: int, dtype: str | None = None
) -> NDArray[Any]:
    """Return the numbers of a text: float32 of length 1, or int8."""
    row = text_vector(f"{input_type} {text}", dimension)
    if dtype == "int8":
        scaled: NDArray[Any] = np.round(row / np.abs(row).max() * 127).astype(np.int8)
        return scaled
    return row


def detail(status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
    """Return an error as the service writes it."""
    return Reply(status, headers or {}, json.dumps({"detail": message}).encode())
