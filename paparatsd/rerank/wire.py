"""The forms in which rerankers are asked and answer.

Voyage: https://docs.voyageai.com/reference/reranker-api. Cohere: https://docs.cohere.com/reference/rerank
(version 2). The others are two families. Jina, llama-server, vLLM and Infinity take `documents` and
answer `results` with `relevance_score`; Text Embeddings Inference takes `texts` and answers a bare
list with `score`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from paparatsd.endpoints.posting import with_path
from paparatsd.rerank.scores import scores_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of texts in their order, and the tokens that the service counted (0: it does not)."""

    values: tuple[float, ...]
    tokens: int = 0


class RerankWire(Protocol):
    """The form of requests and replies of one kind of service, for one model."""

    @property
    def most_texts(self) -> int:
        """How many texts a request may hold."""
        ...

    def url(self, base: str) -> str:
        """Return the address to post to; `base` is what the person set."""
        ...

    def body(self, query: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """Return the request as a JSON object."""
        ...

    def read(self, reply: Any, count: int) -> Scores:  # noqa: ANN401 - whatever a stranger sent
        """Return the scores of `count` texts. Raises ValueError when they are not there."""
        ...

    def simpler(self) -> RerankWire | None:
        """Return another form to try with a service that refuses this one at first."""
        ...

    def missing_model(self) -> str:
        """Return what to do when the service does not know the model."""
        ...


@dataclass(frozen=True, slots=True)
class VoyageWire:
    """Voyage; what is longer than the model reads is shortened there."""

    model: str
    most_texts: int = 1_000

    def url(self, base: str) -> str:
        """Return the address; `base` may end before or after /v1 or /rerank."""
        return with_path(base, "/rerank", "/v1/rerank")

    def body(self, query: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """Return the request."""
        said = {"model": self.model, "query": query, "documents": list(texts)}
        return {**said, "return_documents": False, "truncation": True}

    def read(self, reply: Any, count: int) -> Scores:  # noqa: ANN401 - a stranger's
        """Return the scores, in the order of their indexes."""
        return Scores(
            scores_of(_member(reply, "data"), "relevance_score", count),
            _tokens(reply, "usage", "total_tokens"),
        )

    def simpler(self) -> None:
        """There is none."""
        return

    def missing_model(self) -> str:
        """Return what to look at."""
        return f"check rerank.model ({self.model!r})"


@dataclass(frozen=True, slots=True)
class CohereWire:
    """Cohere, version 2; long texts are shortened there."""

    model: str
    most_texts: int = 1_000

    def url(self, base: str) -> str:
        """Return the address; `base` may end before or after /v2 or /rerank."""
        return with_path(base, "/rerank", "/v2/rerank")

    def body(self, query: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """Return the request."""
        return {"model": self.model, "query": query, "documents": list(texts)}

    def read(self, reply: Any, count: int) -> Scores:  # noqa: ANN401 - a stranger's
        """Return the scores, in the order of their indexes."""
        return Scores(
            scores_of(_member(reply, "results"), "relevance_score", count),
            _tokens(reply, "meta", "tokens", "input_tokens"),
        )

    def simpler(self) -> None:
        """There is none."""
        return

    def missing_model(self) -> str:
        """Return what to look at."""
        return f"check rerank.model ({self.model!r})"


@dataclass(frozen=True, slots=True)
class CompatibleWire:
    """Jina, llama-server, vLLM, Infinity and what is like them.

    Where it is asked for a service of unknown kind, the other form may be tried: `or_tei`.
    """

    model: str = ""
    usual: str = "/rerank"
    or_tei: bool = False
    most_texts: int = 1_000

    def url(self, base: str) -> str:
        """Return the address; `base` may end before or after /v1 or /rerank."""
        return with_path(base, "/rerank", self.usual)

    def body(self, query: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """Return the request; a server with one model need not be told which."""
        model = {"model": self.model} if self.model else {}
        return {**model, "query": query, "documents": list(texts), "return_documents": False}

    def read(self, reply: Any, count: int) -> Scores:  # noqa: ANN401 - a stranger's
        """Return the scores of either form."""
        return read_either(reply, count)

    def simpler(self) -> TeiWire | None:
        """Return the form of Text Embeddings Inference, if that may be it."""
        return TeiWire() if self.or_tei else None

    def missing_model(self) -> str:
        """Return what to look at."""
        return f"check rerank.model ({self.model!r}), and whether it is a reranker"


@dataclass(frozen=True, slots=True)
class TeiWire:
    """Text Embeddings Inference, which serves one model and takes 32 texts unless told else."""

    most_texts: int = 32

    def url(self, base: str) -> str:
        """Return the address."""
        return with_path(base, "/rerank", "/rerank")

    def body(self, query: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """Return the request."""
        return {"query": query, "texts": list(texts), "raw_scores": False, "truncate": True}

    def read(self, reply: Any, count: int) -> Scores:  # noqa: ANN401 - a stranger's
        """Return the scores of either form."""
        return read_either(reply, count)

    def simpler(self) -> None:
        """There is none."""
        return

    def missing_model(self) -> str:
        """Return what to look at."""
        return "check rerank.provider and rerank.url, and whether a reranker is served there"


def read_either(reply: Any, count: int) -> Scores:  # noqa: ANN401 - a stranger's
    """Return the scores of a bare list with `score`, or of `results` with `relevance_score`."""
    if isinstance(reply, list):
        return Scores(scores_of(reply, "score", count))
    tokens = _tokens(reply, "usage", "total_tokens")
    return Scores(scores_of(_member(reply, "results"), "relevance_score", count), tokens)


def _member(reply: Any, name: str) -> Any:  # noqa: ANN401 - a stranger's
    return reply.get(name) if isinstance(reply, dict) else None


def _tokens(reply: Any, *path: str) -> int:  # noqa: ANN401 - a stranger's
    """Return the whole number at a path of a reply, 0 when there is none."""
    for name in path:
        reply = _member(reply, name)
    number = isinstance(reply, int) and not isinstance(reply, bool)
    return reply if number and 0 <= reply < 1 << 40 else 0


def wire_of(provider: str, model: str) -> RerankWire:
    """Return the form in which a provider is asked for a model."""
    if provider == "voyage":
        return VoyageWire(model)
    if provider == "cohere":
        return CohereWire(model)
    if provider == "tei":
        return TeiWire()
    if provider == "jina":
        return CompatibleWire(model, "/v1/rerank")
    return CompatibleWire(model, or_tei=provider == "compatible")
