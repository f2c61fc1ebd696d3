"""Places of documents that may answer a question: the chunks that were recalled, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.search.docs_question import HITS
from paparatsd.search.matching import find_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.model import Recalled, RecallReply
    from paparatsd.search.arena import Records
    from paparatsd.search.docs_question import DocsQuestion
    from paparatsd.search.matching import TermHits
    from paparatsd.search.shelf import Shelf

    Floats = NDArray[np.float64]

RANK_OFFSET = 61.0
"""The k of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009), for ranks from 0."""
FAR = np.inf
"""The rank of what a leg did not recall."""


@dataclass(frozen=True, slots=True)
class Leg:
    """What one leg recalled of all shards, best first.

    `bound`: what was left out scores at most this, None where nothing was left out for being far.
    """

    versions: NDArray[np.int64]
    ordinals: NDArray[np.int64]
    scores: Floats
    bound: float | None


@dataclass(frozen=True, slots=True)
class Places:
    """P places in D documents.

    documents [P]: number of the document; ordinals [P]: of the chunk; chunks [P]: the same, counted
    through as in `hits`. cosines [P]: how near it is by meaning, NaN where that is not known, and
    the greatest it can be where only that is known. by_meaning, by_words [P]: rank in either leg
    (from 0, infinite where it was not recalled). nearest and farthest cosine recalled, NaN without.
    """

    records: Records
    hits: TermHits
    documents: NDArray[np.int64]
    ordinals: NDArray[np.int64]
    chunks: NDArray[np.int64]
    cosines: Floats
    by_meaning: Floats
    by_words: Floats
    nearest: float
    farthest: float

    def __len__(self) -> int:
        """Return the number of places."""
        return len(self.documents)

    def only(self, kept: NDArray[np.bool_]) -> Places:
        """Return some of the places."""
        return replace(
            self,
            documents=self.documents[kept],
            ordinals=self.ordinals[kept],
            chunks=self.chunks[kept],
            cosines=self.cosines[kept],
            by_meaning=self.by_meaning[kept],
            by_words=self.by_words[kept],
        )


def merged_leg(replies: Sequence[Recalled | None], limit: int, permitted: NDArray[np.int64]) -> Leg:
    """Put the legs of the shards together: the best `limit` of permitted versions, best first.

    A store may know a version by now that it did not have when it was told what to leave out.
    """
    present = [one for one in replies if one is not None]
    if not present:
        nothing = np.zeros(0, np.int64)
        return Leg(nothing, nothing, np.zeros(0, np.float64), None)
    cut = any(len(one.scores) >= limit for one in present)
    versions = np.concatenate([one.versions for one in present]).astype(np.int64)
    kept = np.isin(versions, permitted)
    versions = versions[kept]
    ordinals = np.concatenate([one.ordinals for one in present]).astype(np.int64)[kept]
    scores = np.concatenate([one.scores for one in present]).astype(np.float64)[kept]
    order = np.lexsort((ordinals, versions, -scores))[:limit]
    cut = len(order) > 0 and (cut or len(scores) > limit)
    bound = float(scores[order[-1]]) if cut else None
    return Leg(versions[order], ordinals[order], scores[order], bound)


def gather_places(
    question: DocsQuestion, replies: Sequence[RecallReply], limit: int, shelf: Shelf
) -> Places:
    """Lay out what was recalled, and the best chunk of each document of a fitting name."""
    permitted = np.concatenate([np.zeros(0, np.int64), *[one.versions for one in question.shown]])
    meaning = merged_leg([reply.dense for reply in replies], limit, permitted)
    by_words = merged_leg([reply.lexical for reply in replies], limit, permitted)
    wanted = np.unique(np.concatenate([meaning.versions, by_words.versions, question.named]))
    places, records = shelf.lay(wanted.tolist())
    versions = wanted[places]
    hits = find_terms(records, question.ids)
    near = _chunks_of(meaning, versions, records)
    told = _chunks_of(by_words, versions, records)
    extra = _best_of_named(question, versions, records, hits)
    chunks = np.unique(np.concatenate([near[near >= 0], told[told >= 0], extra]))
    documents = records.chunks.searchsorted(chunks, side="right") - 1
    unknown = np.nan if meaning.bound is None else meaning.bound
    cosines = np.full(len(chunks), unknown)
    blind = np.isin(versions, np.concatenate([question.unembedded, *_blind(replies)]))
    cosines[blind[documents]] = np.nan
    cosines[chunks.searchsorted(near[near >= 0])] = meaning.scores[near >= 0]
    some = len(meaning.scores) > 0
    return Places(
        records=records,
        hits=hits,
        documents=documents,
        ordinals=chunks - records.chunks[documents],
        chunks=chunks,
        cosines=cosines,
        by_meaning=_ranks(near, chunks),
        by_words=_ranks(told, chunks),
        nearest=float(meaning.scores[0]) if some else np.nan,
        farthest=float(meaning.scores[-1]) if some else np.nan,
    )


def shortlist(question: DocsQuestion, places: Places, most: int) -> Places:
    """Return the places of the `most` likeliest documents, and of those called like the question.

    Whatever else is to be known of a place costs reading its document, which is not worth it for
    what neither leg thinks much of. Documents are ordered by reciprocal ranks.
    """
    count = len(places.records)
    if count <= most:
        return places
    ranks = RANK_OFFSET / (RANK_OFFSET + places.by_meaning)
    ranks += RANK_OFFSET / (RANK_OFFSET + places.by_words)
    best = np.zeros(count, np.float64)
    np.maximum.at(best, places.documents, ranks)
    kept = np.isin(np.array(places.records.versions, np.int64), question.named)
    kept[np.lexsort((np.arange(count), -best))[:most]] = True
    return places.only(kept[places.documents])


def _blind(replies: Sequence[RecallReply]) -> list[NDArray[np.int64]]:
    """Return the versions in shards that could not be asked by meaning."""
    return [
        reply.lexical.versions
        for reply in replies
        if reply.dense is None and reply.lexical is not None
    ]


def _chunks_of(leg: Leg, versions: NDArray[np.int64], records: Records) -> NDArray[np.int64]:
    """Return the recalled chunks counted through, -1 for those that are gone."""
    if len(versions) == 0:
        return np.full(len(leg.versions), -1, np.int64)
    at = np.minimum(versions.searchsorted(leg.versions), len(versions) - 1)
    found = records.chunks[at] + leg.ordinals
    there = (versions[at] == leg.versions) & (found < records.chunks[at + 1])
    return np.where(there, found, -1)


def _ranks(recalled: NDArray[np.int64], chunks: NDArray[np.int64]) -> Floats:
    ranks = np.full(len(chunks), FAR)
    there = recalled >= 0
    ranks[chunks.searchsorted(recalled[there])] = np.flatnonzero(there)
    return ranks


def _best_of_named(
    question: DocsQuestion, versions: NDArray[np.int64], records: Records, hits: TermHits
) -> NDArray[np.int64]:
    """Return of each document that is called like the question the chunk with most of its words.

    A document's beginning stands for it when no chunk is better.
    """
    scores = hits.chunk_scores(question.worth)
    best = []
    for document in np.flatnonzero(np.isin(versions, question.named)).tolist():
        first, end = int(records.chunks[document]), int(records.chunks[document + 1])
        kinds = records.open(document).kinds
        fit = [at for at in range(first, end) if kinds[at - first] in HITS]
        if fit:
            best.append(max(fit, key=lambda at: (round(float(scores[at]), 9), -at)))
    return np.array(best, np.int64)
