"""What it takes to speak to one kind of embedding service: addresses, bodies, replies, limits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.embeddings.embedder import FloatMatrix


class Use(Enum):
    """What a text is embedded for; some services are told."""

    DOCUMENT = "document"
    QUERY = "query"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a request holds, unless set otherwise, and how many are under way at a time.

    `most_texts` is what the service takes at most, whatever is set.
    """

    texts: int
    chars: int
    requests: int
    most_texts: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service answered: float32 [texts, dimension], not checked, and the tokens it counted.

    What was no number (null) is NaN; `tokens` is 0 when the service does not say.
    """

    vectors: FloatMatrix
    tokens: int = 0


class Wire(Protocol):
    """The form of requests and replies of one kind of service, for one model."""

    @property
    def provider(self) -> str:
        """The name of this kind, as in `embedder.provider`."""
        ...

    @property
    def limits(self) -> Limits:
        """How much it takes."""
        ...

    @property
    def native_dimension(self) -> int:
        """The size of the model's vectors where that is known, else 0."""
        ...

    @property
    def variant(self) -> str:
        """What besides model and size decides about the numbers; part of the fingerprint."""
        ...

    def url(self, base: str) -> str:
        """Return the address to post to; `base` is what the person set."""
        ...

    def body(self, texts: Sequence[str], use: Use) -> Mapping[str, Any]:
        """Return the request as a JSON object."""
        ...

    def read(self, reply: Any, count: int) -> Answer:  # noqa: ANN401 - whatever a stranger sent
        """Return the vectors of `count` texts in their order.

        Raises ValueError, TypeError, KeyError or AttributeError when they are not there.
        """
        ...

    def simpler(self) -> Wire | None:
        """Return a form that asks for less, for a service that refuses this one at first."""
        ...

    def missing_model(self) -> str:
        """Return what to do when the service does not know the model."""
        ...
