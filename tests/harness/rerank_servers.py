"""Stand-ins for rerankers: their checks, their limits, their errors, their replies.

After the references of Voyage, Cohere (version 2) and Jina, and the documentation and sources of
llama-server, vLLM, Infinity and Text Embeddings Inference. A word counts as a token.

    server.decide = RERANKERS["voyage"]().answer
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tests.harness.fake_embedder import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.harness.fake_embedder import Request


def shared_words(query: str, text: str) -> float:
    """Return the share of the question's words that a text has: what a stand-in calls relevance."""
    words = set(query.lower().split())
    return round(len(words & set(text.lower().split())) / max(1, len(words)), 4)


@dataclass
class RerankServer:
    """What all of them have. `crowded` requests are told to wait `retry_after` seconds.

    `context_tokens` is what question and text may have together, `most_texts` what a request may.
    """

    provider: ClassVar[str] = ""
    paths: ClassVar[tuple[str, ...]] = ()
    key: str = ""
    model: str = "fake-reranker"
    crowded: int = 0
    retry_after: str = "20"
    context_tokens: int = 1 << 30
    most_texts: int = 1_000
    score: Callable[[str, str], float] = shared_words

    def answer(self, request: Request) -> Reply:
        """Answer a request as such a server would."""
        if request.path not in self.paths:
            return self.error(404, "Not Found")
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return self.error(401, "no valid key")
        if self.crowded:
            self.crowded -= 1
            headers = {"Retry-After": self.retry_after} if self.retry_after else {}
            return self.error(429, "too many requests", headers)
        wrong = self.wrong(request.body)
        return wrong or self.scored(request.body)

    def error(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
        """Return an error as it writes them."""
        return Reply(status, headers or {}, json.dumps({"detail": message}).encode())

    def wrong(self, body: Mapping[str, Any]) -> Reply | None:
        """Return what it says of a request that it does not take."""
        raise NotImplementedError

    def scored(self, body: Mapping[str, Any]) -> Reply:
        """Return its scores."""
        raise NotImplementedError

    def ranked(self, body: Mapping[str, Any], key: str = "documents") -> list[tuple[int, float]]:
        """Return (index, relevance), best first, as most of them answer."""
        pairs = [(at, self.score(body["query"], text)) for at, text in enumerate(body[key])]
        return sorted(pairs, key=lambda pair: -pair[1])

    def longest(self, body: Mapping[str, Any], key: str = "documents") -> int:
        """Return the tokens of the longest pair."""
        query = len(body["query"].split())
        return query + max(len(text.split()) for text in body[key])


@dataclass
class Voyage(RerankServer):
    """https://docs.voyageai.com/reference/reranker-api; it shortens what is too long."""

    provider: ClassVar[str] = "voyage"
    paths: ClassVar[tuple[str, ...]] = ("/v1/rerank",)
    key: str = "pa-1"
    model: str = "rerank-2.5"

    def wrong(self, body: Mapping[str, Any]) -> Reply | None:
        """Check fields, model and number."""
        known = {"query", "documents", "model", "top_k", "return_documents", "truncation"}
        if set(body) - known:
            return self.error(400, f"Argument '{min(set(body) - known)}' is not supported.")
        if body["model"] != self.model:
            return self.error(400, f"Model {body['model']} is not supported.")
        if not body["documents"] or len(body["documents"]) > self.most_texts:
            return self.error(400, f"The number of documents cannot exceed {self.most_texts}.")
        return None

    def scored(self, body: Mapping[str, Any]) -> Reply:
        """Return `data`, best first, and the tokens: the query counts for each document."""
        data = [{"relevance_score": score, "index": at} for at, score in self.ranked(body)]
        words = len(body["query"].split()) * len(data) + sum(
            len(text.split()) for text in body["documents"]
        )
        reply = {"object": "list", "data": data, "model": self.model}
        return ok({**reply, "usage": {"total_tokens": words}})


@dataclass
class Cohere(RerankServer):
    """https://docs.cohere.com/reference/rerank, version 2; it shortens what is too long."""

    provider: ClassVar[str] = "cohere"
    paths: ClassVar[tuple[str, ...]] = ("/v2/rerank",)
    key: str = "co-1"
    model: str = "rerank-v3.5"

    def error(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
        """Return an error with its identity, as Cohere does."""
        return Reply(status, headers or {}, json.dumps({"id": "1", "message": message}).encode())

    def wrong(self, body: Mapping[str, Any]) -> Reply | None:
        """Check fields, model and number."""
        known = {"query", "documents", "model", "top_n", "max_tokens_per_doc", "priority"}
        if set(body) - known:
            return self.error(400, f"unknown field: parameter '{min(set(body) - known)}'")
        if body["model"] != self.model:
            return self.error(404, f"model '{body['model']}' not found")
        if not body["documents"] or len(body["documents"]) > self.most_texts:
            return self.error(400, "invalid request: list of documents must not be empty or long")
        return None

    def scored(self, body: Mapping[str, Any]) -> Reply:
        """Return `results`, best first, and what is billed."""
        results = [{"index": at, "relevance_score": score} for at, score in self.ranked(body)]
        meta = {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}}
        return ok({"id": "1", "results": results, "meta": meta})


@dataclass
class Jina(RerankServer):
    """https://api.jina.ai/redoc: validation by pydantic, texts sent back unless told not to."""

    provider: ClassVar[str] = "jina"
    paths: ClassVar[tuple[str, ...]] = ("/v1/rerank",)
    key: str = "jina-1"
    model: str = "jina-reranker-v2-base-multilingual"

    def wrong(self, body: Mapping[str, Any]) -> Reply | None:
        """Check model and number."""
        if body.get("model") != self.model:
            return self.error(422, f"model {body.get('model')} is not allowed")
        if not body["documents"] or len(body["documents"]) > self.most_texts:
            return self.error(422, "too many documents")
        return None

    def scored(self, body: Mapping[str, Any]) -> Reply:
        """Return `results`, with the texts unless `return_documents` is false."""
        results = []
        for at, score in self.ranked(body):
            text = {"document": {"text": body["documents"][at]}}
            more = text if body.get("return_documents", True) else {}
            results.append({"index": at, "relevance_score": score, **more})
        return ok({"model": self.model, "usage": {"total_tokens": 9}, "results": results})


@dataclass
class Llama(RerankServer):
    """llama-server --reranking: scores are logits, a pair that is too long is an error 500."""

    provider: ClassVar[str] = "llama"
    paths: ClassVar[tuple[str, ...]] = ("/rerank", "/reranking", "/v1/rerank", "/v1/reranking")
    enabled: bool = True

    def error(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
        """Return an error in OpenAI's form."""
        error = {"code": status, "message": message, "type": "server_error"}
        return Reply(status, headers or {}, json.dumps({"error": error}).encode())

    def wrong(self, body: Mapping[str, Any]) -> Reply | None:
        """Check that it serves a reranker, the documents and their length."""
        if not self.enabled:
            return self.error(501, "This server does not support reranking. Start it with ...")
        if not body.get("documents"):
            return self.error(400, '"documents" must be a non-empty string array')
        if self.longest(body) > self.context_tokens:
            return self.error(
                500, "input is too large to process. increase the physical batch size"
            )
        return None

    def scored(self, body: Mapping[str, Any]) -> Reply:
        """Return `results` with logits."""
        results = [
            {"index": at, "relevance_score": round(8 * score - 6, 4)}
            for at, score in self.ranked(body)
        ]
        usage = {"prompt_tokens": 7, "total_tokens": 7}
        return ok({"model": "m", "object": "list", "usage": usage, "results": results})


@dataclass
class Vllm(RerankServer):
    """vLLM serving a score model: it names what is too long, and sends texts back."""

    provider: ClassVar[str] = "vllm"
    paths: ClassVar[tuple[str, ...]] = ("/rerank", "/v1/rerank", "/v2/rerank")

    def wrong(self, body: Mapping[str, Any]) -> Reply | None:
        """Check model and length."""
        if body.get("model") != self.model:
            text = f"The model `{body.get('model')}` does not exist."
            error = {"message": text, "type": "NotFoundError", "code": 404}
            return Reply(404, {}, json.dumps({"error": error}).encode())
        if self.longest(body) > self.context_tokens:
            text = f"This model's maximum context length is {self.context_tokens} tokens."
            error = {"message": text, "type": "BadRequestError", "code": 400}
            return Reply(400, {}, json.dumps({"error": error}).encode())
        return None

    def scored(self, body: Mapping[str, Any]) -> Reply:
        """Return `results` with their texts."""
        results = [
            {"index": at, "document": {"text": body["documents"][at]}, "relevance_score": score}
            for at, score in self.ranked(body)
        ]
        usage = {"total_tokens": 11}
        return ok({"id": "rerank-1", "model": self.model, "usage": usage, "results": results})


@dataclass
class Infinity(RerankServer):
    """Infinity: as Cohere's first version."""

    provider: ClassVar[str] = "infinity"
    paths: ClassVar[tuple[str, ...]] = ("/rerank",)

    def wrong(self, body: Mapping[str, Any]) -> Reply | None:
        """Check the model, and that there is a document."""
        if body.get("model", self.model) != self.model:
            error = {"message": f"Invalid model: {body['model']}", "type": None, "code": 400}
            return Reply(400, {}, json.dumps({"error": error}).encode())
        if not body["documents"]:
            return self.error(422, "List should have at least 1 item")
        return None

    def scored(self, body: Mapping[str, Any]) -> Reply:
        """Return `results` with `document` null."""
        results = [
            {"relevance_score": score, "index": at, "document": None}
            for at, score in self.ranked(body)
        ]
        more = {"usage": {"prompt_tokens": 5, "total_tokens": 5}, "id": "infinity-1", "created": 1}
        return ok({"object": "rerank", "results": results, "model": self.model, **more})


@dataclass
class Tei(RerankServer):
    """Text Embeddings Inference: `texts`, a bare list, few texts, an error of its own per kind."""

    provider: ClassVar[str] = "tei"
    paths: ClassVar[tuple[str, ...]] = ("/rerank",)
    most_texts: int = 32

    def error(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
        """Return an error with its kind."""
        kinds = {413: "Validation", 422: "Tokenizer", 424: "Backend", 429: "Overloaded"}
        said = {"error": message, "error_type": kinds.get(status, "Unknown")}
        return Reply(status, headers or {}, json.dumps(said).encode())

    def wrong(self, body: Mapping[str, Any]) -> Reply | None:
        """Check the form, the number and the length."""
        if "texts" not in body:
            text = "Failed to deserialize the JSON body into the target type: missing field `texts`"
            return Reply(422, {"Content-Type": "text/plain"}, text.encode())
        count = len(body["texts"])
        if count > self.most_texts:
            return self.error(
                413, f"batch size {count} > maximum allowed batch size {self.most_texts}"
            )
        if not body.get("truncate") and self.longest(body, "texts") > self.context_tokens:
            return self.error(
                413, f"Input validation error: `inputs` must have less than {self.context_tokens}"
            )
        return None

    def scored(self, body: Mapping[str, Any]) -> Reply:
        """Return a bare list, best first."""
        return ok([{"index": at, "score": score} for at, score in self.ranked(body, "texts")])


RERANKERS: Mapping[str, type[RerankServer]] = {
    kind.provider: kind for kind in (Voyage, Cohere, Jina, Llama, Vllm, Infinity, Tei)
}


def ok(document: Any) -> Reply:
    """Return a reply with a document."""
    return Reply(body=json.dumps(document).encode())


def results(pairs: Sequence[tuple[Any, Any]]) -> Reply:
    """Return `results` with exactly these indexes and scores; NaN as Python writes it."""
    return ok({"results": [{"index": at, "relevance_score": score} for at, score in pairs]})


NONSENSE: Mapping[str, Reply] = {
    "too few scores": results([(0, 0.5)]),
    "two scores of one text": results([(0, 0.5), (0, 0.4)]),
    "the score of a text that was not sent": results([(0, 0.5), (2, 0.4)]),
    "a negative index": results([(0, 0.5), (-1, 0.4)]),
    "an index that is none": results([(0, 0.5), ("1", 0.4)]),
    "an index that is true": results([(0, 0.5), (True, 0.4)]),
    "NaN": results([(0, 0.5), (1, math.nan)]),
    "infinity": results([(0, 0.5), (1, math.inf)]),
    "null": results([(0, 0.5), (1, None)]),
    "a word": results([(0, 0.5), (1, "high")]),
    "no list": ok({"results": {"0": 0.5}}),
    "something else": ok({"data": "?"}),
    "no JSON": Reply(body=b"<html>"),
    "nothing": Reply(body=b""),
    "too many brackets": Reply(body=b"[" * 100_000),
    "compressed": Reply(headers={"Content-Encoding": "gzip"}, body=b"\x1f\x8b"),
    "far too much": Reply(body=b" " * (4 << 20)),
    "204": Reply(204),
}
"""Replies to two texts of which nothing can be made."""
