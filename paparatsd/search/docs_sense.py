"""What a model of prose thinks of the likeliest places of documents.

The built-in embedder knows code and what is written about it; of everyday words for the same thing
it knows little. A table that has learnt from a transformer what sentences have in common knows
more, and is asked about few places only, since their texts are read for each question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from paparatsd.search.docs_rank import best_of_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.search.docs_features import Told

    Floats = NDArray[np.float64]

SENSES = {
    "sense": "cosine of the question and the chunk by the model of prose",
    "sense_doc": "the most of any place of the document",
    "sense_head": "cosine of the question and the title with the headings, by the same",
    "sense_most": "the greater one of `sense` and `sense_head`",
}
DEEP = 20
"""Documents whose places are looked into."""
OF_EACH, OF_BEST, BEST = 2, 3, 8
"""Places of each of them, and of the first few."""
CHUNK_CHARS, HEAD_CHARS = 900, 300
"""What is read of a text: the model has learnt from pieces of this length."""


class Sense(Protocol):
    """A model of prose; rows have length 1."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of documents [n, dimension]."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of questions, and of other short texts, [n, dimension]."""
        ...


def likeliest(scores: Floats, documents: NDArray[np.int64], most: int = DEEP) -> NDArray[np.bool_]:
    """Return which places are worth a look: the best few of the `most` best documents."""
    kept = np.zeros(len(scores), np.bool_)
    for rank, place in enumerate(best_of_documents(scores, documents)[:most].tolist()):
        same = np.flatnonzero(documents == documents[place])
        best = same[np.argsort(-scores[same], kind="stable")]
        kept[best[: OF_BEST if rank < BEST else OF_EACH]] = True
    return kept


def without_sense(places: int) -> dict[str, Floats]:
    """Return the features where there is no model of prose."""
    return {name: np.zeros(places, np.float64) for name in SENSES}


def sense_features(
    question: str, told: Sequence[Told], documents: NDArray[np.int64], model: Sense
) -> dict[str, Floats]:
    """Compute SENSES of places; `told` and `documents` are parallel to them."""
    if not told:
        return without_sense(0)
    texts = [
        f"{one.row.title}\n{one.chunk.name or ''}\n{one.chunk.text[:CHUNK_CHARS]}" for one in told
    ]
    heads = [
        f"{one.row.title}: {(one.chunk.name or '').replace(' > ', ' - ')}"[:HEAD_CHARS]
        for one in told
    ]
    numbers = {head: at for at, head in enumerate(dict.fromkeys(heads))}
    asked = model.encode_queries([question, *numbers])
    sense = _cosines(model.encode(texts), asked[0])
    head = _cosines(asked[1:], asked[0])[[numbers[one] for one in heads]]
    _, owners = np.unique(documents, return_inverse=True)
    most = np.full(int(owners.max()) + 1, -1.0)
    np.maximum.at(most, owners, sense)
    return {
        "sense": sense,
        "sense_doc": most[owners],
        "sense_head": head,
        "sense_most": np.maximum(sense, head),
    }


def _cosines(rows: NDArray[np.float32], one: NDArray[np.float32]) -> Floats:
    """Return cosines, summed the same way whatever the threads are."""
    total: Floats = np.add.reduce(rows.astype(np.float64) * one.astype(np.float64), axis=1)
    return total
