"""Stand-ins for servers with OpenAI's embeddings, which differ in what they refuse and how.

After OpenAI's API reference and the documentation and sources of llama-server, vLLM, Text
Embeddings Inference and Ollama's /v1. A word counts as a token.

    server.decide = VLLM.answer
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.harness.fake_embedder import Reply, text_vector

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.harness.fake_embedder import Request

DIMENSION = 8


@dataclass(frozen=True, slots=True)
class OpenAiServer:
    """One kind of server: its limits, and how it writes each error (None: it has no such limit).

    Errors are functions of what there was, for the message. `sizes`: how it takes `dimensions`.
    """

    context_tokens: int
    too_long: Callable[[int], Reply]
    unknown_model: Callable[[str], Reply] | None = None
    most_texts: int = 1 << 30
    too_many: Callable[[int], Reply] | None = None
    sizes: Callable[[str], Reply] | None = None
    base64: bool = True
    unit_rows: bool = True
    key: str = ""
    model: str = "fake"

    def answer(self, request: Request) -> Reply:
        """Answer a request as such a server would."""
        if request.path != "/v1/embeddings":
            return openai_error(404, "Unknown request URL", "invalid_request_error", None)
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return openai_error(
                401, "Incorrect API key provided.", "invalid_request_error", "invalid_api_key"
            )
        body = request.body
        texts: list[str] = body["input"]
        if self.unknown_model is not None and body["model"] != self.model:
            return self.unknown_model(body["model"])
        if self.too_many is not None and len(texts) > self.most_texts:
            return self.too_many(len(texts))
        if self.sizes is not None and "dimensions" in body:
            return self.sizes(body["model"])
        longest = max(len(text.split()) for text in texts)
        if longest > self.context_tokens:
            return self.too_long(longest)
        return self._embeddings(body)

    def _embeddings(self, body: Mapping[str, Any]) -> Reply:
        data = []
        for index, text in enumerate(body["input"]):
            row = text_vector(text, DIMENSION)[: body.get("dimensions", DIMENSION)]
            length = np.linalg.norm(row) if self.unit_rows else 0.25
            row = (row / length).astype("<f4")
            embedding: Any = row.tolist()
            if self.base64 and body.get("encoding_format") == "base64":
                embedding = base64.b64encode(row.tobytes()).decode()
            data.append({"object": "embedding", "index": index, "embedding": embedding})
        tokens = sum(len(text.split()) for text in body["input"])
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        reply = {"object": "list", "data": data, "model": body["model"], "usage": usage}
        return Reply(body=json.dumps(reply).encode())


def openai_error(status: int, message: str, kind: str, code: str | int | None) -> Reply:
    """Return an error as OpenAI and llama-server write it."""
    error = {"message": message, "type": kind, "param": None, "code": code}
    return Reply(status, {}, json.dumps({"error": error}).encode())


def flat_error(status: int, message: str, kind: str) -> Reply:
    """Return an error as vLLM and Text Embeddings Inference write it."""
    error = {"object": "error", "message": message, "type": kind, "param": None, "code": status}
    return Reply(status, {}, json.dumps(error).encode())


OPENAI = OpenAiServer(
    context_tokens=100,
    too_long=lambda count: openai_error(
        400,
        f"This model's maximum context length is 100 tokens, however you requested {count} tokens.",
        "invalid_request_error",
        None,
    ),
    unknown_model=lambda name: openai_error(
        404, f"The model `{name}` does not exist", "invalid_request_error", "model_not_found"
    ),
    most_texts=2_048,
    too_many=lambda count: openai_error(
        400, f"'input' has {count} items, at most 2048", "invalid_request_error", None
    ),
    key="sk-1",
    model="text-embedding-3-small",
)
LLAMA_SERVER = OpenAiServer(
    context_tokens=100,
    # Not 400: the physical batch is a matter of the server's options. As build 11549 writes it.
    too_long=lambda count: openai_error(
        500,
        f"input ({count} tokens) is too large to process. increase the physical batch size "
        "(current batch size: 100)",
        "server_error",
        500,
    ),
)
VLLM = OpenAiServer(
    context_tokens=100,
    too_long=lambda count: flat_error(
        400,
        f"You passed {count} input tokens and requested 0 output tokens. However, the model's "
        "context length is only 100 tokens.",
        "BadRequestError",
    ),
    unknown_model=lambda name: flat_error(
        404, f"The model `{name}` does not exist.", "NotFoundError"
    ),
    sizes=lambda name: flat_error(
        400, f'Model "{name}" does not support matryoshka representation', "BadRequestError"
    ),
)
TEI = OpenAiServer(
    context_tokens=100,
    too_long=lambda count: flat_error(
        413, f"`inputs` must have less than 100 tokens. Given: {count}", "Validation"
    ),
    most_texts=4,
    too_many=lambda count: flat_error(
        422, f"batch size {count} > maximum allowed batch size 4", "Validation"
    ),
)
OLLAMA_V1 = OpenAiServer(
    context_tokens=100,
    too_long=lambda _: openai_error(
        400, "the input length exceeds the context length", "api_error", None
    ),
    unknown_model=lambda name: openai_error(
        404, f'model "{name}" not found, try pulling it first', "not_found_error", None
    ),
    base64=False,
)
LLAMA_CPP_PYTHON = OpenAiServer(
    context_tokens=1 << 30,  # it cuts what is too long, without a word
    too_long=lambda _: Reply(500),
    base64=False,
    unit_rows=False,
)
SERVERS = {
    "openai": OPENAI,
    "llama-server": LLAMA_SERVER,
    "vllm": VLLM,
    "tei": TEI,
    "ollama-v1": OLLAMA_V1,
    "llama-cpp-python": LLAMA_CPP_PYTHON,
}
