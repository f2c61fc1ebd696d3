"""What a model of prose thinks of the likeliest places of documents.

The built-in embedder knows code and what is written about it; of everyday words for the same thing
it knows little. A table that has learnt from a transformer what sentences have in common knows
more, and is asked about few places only, since their texts are read for each question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from paparatsd.chunks.terms import STOP
from paparatsd.embeddings.tokenizer import words_of
from paparatsd.search.docs_rank import best_of_documents

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.search.docs_features import Told

    Floats = NDArray[np.float64]

SENSES = {
    "sense": "cosine of the question and the chunk by the model of prose",
    "sense_doc": "the most of any place of the document",
    "sense_head": "cosine of the question and the title with the headings, by the same",
    "words_sense": "how near the nearest word of the chunk is to each one asked for, on average",
    "words_sense_doc": "the same over all places of the document that are looked into",
}
DEEP = 20
"""Documents whose places are looked into."""
OF_EACH, OF_BEST, BEST = 2, 3, 8
"""Places of each of them, and of the first few."""
FEWEST, KNOWN = 2, 0.5
"""Words of a question that the model has to know, and their share."""
TINY = 1e-9
CHUNK_CHARS, HEAD_CHARS = 900, 300
"""What is read of a text: the model has learnt from pieces of this length."""


class Sense(Protocol):
    """A model of prose: a table of pieces of words; rows have length 1."""

    def knows(self, word: str) -> bool:
        """Say whether a word in lower case is a piece by itself."""
        ...

    def pieces(self, text: str) -> Counter[int]:
        """Return how often each piece stands in a text."""
        ...

    def encode_pieces(self, counts: Sequence[Counter[int]]) -> NDArray[np.float32]:
        """Return the vectors of documents [n, dimension]; zeros for no pieces."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of questions, and of other short texts, [n, dimension]."""
        ...

    def directions(
        self, pieces: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the rows of pieces [n, dimension], and how much each counts in a question [n]."""
        ...


def understood(question: str, model: Sense) -> bool:
    """Say whether the model knows enough of a question's words.

    What a word means is told by others beside it, and pieces of names mean nothing.
    """
    words = {one for one in words_of(question) if one not in STOP}
    return sum(map(model.knows, words)) >= max(FEWEST, KNOWN * len(words))


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
    counts = [model.pieces(text) for text in texts]
    sense = _cosines(model.encode_pieces(counts), asked[0])
    head = _cosines(asked[1:], asked[0])[[numbers[one] for one in heads]]
    _, owners = np.unique(documents, return_inverse=True)
    near, worths = _nearest_words(model.pieces(question), counts, model)
    return {
        "sense": sense,
        "sense_doc": _most_of(sense[:, None], owners)[owners, 0],
        "sense_head": head,
        "words_sense": near @ worths,
        "words_sense_doc": (_most_of(near, owners) @ worths)[owners],
    }


def _most_of(values: Floats, owners: NDArray[np.int64]) -> Floats:
    """Return the greatest value of each column [P, N] over the places of each document, [D, N]."""
    most = np.full((int(owners.max()) + 1, values.shape[1]), -1.0)
    np.maximum.at(most, owners, values)
    return most


def _nearest_words(
    asked: Counter[int], counts: Sequence[Counter[int]], model: Sense
) -> tuple[Floats, Floats]:
    """Return how near the nearest piece of each text is to each of the question's, and their worth.

    [P, N], and [N] that sums up to 1. Greatest similarities by word: Khattab and Zaharia 2020
    (ColBERT), of words without their surroundings.
    """
    rows, worths = model.directions(np.fromiter(asked.keys(), np.int64, len(asked)))
    worths = worths * (1 + np.log(np.fromiter(asked.values(), np.float32, len(asked))))
    every = np.fromiter(dict.fromkeys(one for count in counts for one in count), np.int64)
    near = np.zeros((len(counts), len(asked)), np.float64)
    if len(every) == 0 or len(asked) == 0:
        return near, np.zeros(len(asked), np.float64)
    known = model.directions(every)[0] @ rows.T
    places = {piece: at for at, piece in enumerate(every.tolist())}
    for at, count in enumerate(counts):
        if count:
            near[at] = known[[places[one] for one in count]].max(axis=0)
    return near, (worths / max(float(worths.sum()), TINY)).astype(np.float64)


def _cosines(rows: NDArray[np.float32], one: NDArray[np.float32]) -> Floats:
    """Return cosines, summed the same way whatever the threads are."""
    total: Floats = np.add.reduce(rows.astype(np.float64) * one.astype(np.float64), axis=1)
    return total
