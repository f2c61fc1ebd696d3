"""What a rewritten question adds to recall: words that count less, and files like made-up code.

It only widens what is looked at. Features, order and confidence are those of the question itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paparatsd.chunks.terms import STOP, term_id, word_tokens
from paparatsd.model import RecallRequest, SparseVector
from paparatsd.search.matching import distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.model import RecallReply
    from paparatsd.search.recall import Allowed
    from paparatsd.search.views import Corpus
    from paparatsd.search_model import SearchRequest

WORD_WEIGHT = 0.3
"""Worth of a word that the question does not have."""
LIKE_CODE = 20
"""Chunks taken that are most like the made-up code."""


class Further(NamedTuple):
    """Words, made-up code, and its vector unless the search process makes that itself."""

    words: tuple[str, ...] = ()
    code: str = ""
    vector: NDArray[np.float32] | None = None


NOTHING_FURTHER = Further()


def with_words(
    sparse: SparseVector | None, words: Sequence[str], corpus: Corpus
) -> SparseVector | None:
    """Return a lexical vector with words of the corpus added that it does not have."""
    texts = [text for word in words if word.lower() not in STOP for text in word_tokens(word)]
    ids = np.unique(np.array([term_id(text) for text in texts], np.uint32))
    if sparse is not None:
        ids = ids[~np.isin(ids, sparse.ids)]
    frequency = corpus.frequency(ids)
    ids, frequency = ids[frequency > 0], frequency[frequency > 0]
    if not len(ids):
        return sparse
    values = (WORD_WEIGHT * corpus.idf_of(frequency)).astype(np.float32)
    if sparse is not None:
        ids = np.concatenate([sparse.ids, ids])
        values = np.concatenate([sparse.values, values])
    order = np.argsort(ids)
    return SparseVector(ids[order], values[order])


def code_requests(
    request: SearchRequest, allowed: Allowed, vector: NDArray[np.float32] | None
) -> tuple[RecallRequest, ...]:
    """Return one request for what is like the made-up code, per shard with such vectors."""
    if vector is None:
        return ()
    kinds = frozenset(request.kinds)
    return tuple(
        RecallRequest(shard, chosen, dense=vector, sparse=None, limit=LIKE_CODE, kinds=kinds)
        for shard, chosen in allowed.shards
        if len(vector) == shard.dimension
    )


def versions_of(replies: Sequence[RecallReply]) -> NDArray[np.int64]:
    """Return the versions that are like the made-up code."""
    found = [reply.dense.versions[:LIKE_CODE] for reply in replies if reply.dense is not None]
    return distinct(np.concatenate([np.zeros(0, np.int64), *found]))
