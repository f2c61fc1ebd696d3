"""The features of places of documents: a number per place, comparable between questions.

Sums of idf are shares of the question's: `*_cov` is how much of the question something has,
`*_back` how much of something the question has. `MEANINGS` says of each feature what it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.fields import file_stem
from paparatsd.chunks.record import VECTOR_TEXTS
from paparatsd.chunks.terms import STOP, stem, term_id, text_ids
from paparatsd.search.docs_places import RANK_OFFSET
from paparatsd.search.docs_priors import DocPrior, doc_prior
from paparatsd.search.docs_sense import SENSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.model import Chunk
    from paparatsd.search.docs_places import Places
    from paparatsd.search.docs_question import DocsQuestion
    from paparatsd.store.rows import DocumentRow

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

MEANINGS = {
    "cos": "cosine of the question and the chunk, or the most it can be; 0 where none is known",
    "near": "the same from 0 (the farthest chunk recalled) to 1 (the nearest)",
    "rrf_meaning": "61 / (61 + rank by meaning), ranks from 0",
    "rrf_words": "61 / (61 + rank by words)",
    "bm": "share of the question's words, saturated by how often they stand in the chunk",
    "chunk_cov": "share of the question's words in the chunk or its path",
    "cov": "share of the question's words in the chunk, its headings, the title or the path",
    "all_cov": "the same, where words that stand in no document count as not covered",
    "known": "share of the question's words that stand in any document at all",
    "leaf_cov": "share of the question's words in the chunk's own heading",
    "leaf_back": "share of that heading's words in the question",
    "heads_cov": "share of the question's words in any heading above the chunk",
    "title_cov": "share of the question's words in the document's title",
    "title_back": "share of the title's words in the question",
    "stem_cov": "share of the question's words in the name of the file",
    "stem_back": "share of the name's words in the question",
    "doc_words": "share of the question's words, saturated by how often they stand in the document",
    "doc_dense": "the same by how many of them there are to each of its chunks, one at most",
    "doc_cos": "cosine of the question and the document as a whole",
    "path_cos": "cosine of the question and the path of the document",
    "doc_near": "mean of `near` over the three nearest places of the document",
    "doc_bm": "mean of `bm` over the three best places of the document by words",
    "short": "1 for an empty chunk, 0 from 300 characters on",
    "first": "whether it is the first chunk of its document",
    "lead": "how much the first chunk's document has the question for its title",
    "changes": "a list of changes, where none is asked for",
    "locale": "a translation, where the question is English",
    "legal": "a licence and the like",
    "test": "among tests or their data",
    "vendored": "somebody else's, taken along",
    "example": "an example",
    **SENSES,
}
LONG_ENOUGH = 300
BEST_OF_DOCUMENT = 3
TINY = 1e-9
_STOP_IDS = frozenset(term_id(stem(word)) for word in STOP)


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of a place beside numbers: its document and its chunk."""

    row: DocumentRow
    chunk: Chunk


@lru_cache(maxsize=1 << 15)
def _ids(text: str) -> tuple[int, ...]:
    """Return the distinct terms of a title, a heading or a name, without stop words."""
    found = tuple(dict.fromkeys(text_ids(text)))
    return tuple(one for one in found if one not in _STOP_IDS) or found


def headings(chunk: Chunk) -> tuple[str, ...]:
    """Return the headings above a chunk, from the outermost to its own."""
    return tuple(one for one in (chunk.name or "").split(" > ") if one)


def docs_features(
    question: DocsQuestion, places: Places, told: Sequence[Told]
) -> dict[str, Floats]:
    """Compute all features of places; `told` is parallel to them."""
    total = float(question.worth.sum()) + TINY
    hoped = float(question.hoped.sum()) + TINY
    inside = _inside(places, len(question.ids))
    names = _Names(question)
    rows = [one.row for one in told]
    heads = [headings(one.chunk) for one in told]
    leaf = names.table([one[-1] if one else "" for one in heads])
    above = names.table([" > ".join(one) for one in heads])
    title = names.table([row.title for row in rows])
    file = names.table([file_stem(row.path) for row in rows])
    path = names.table([row.path.rpartition(".")[0] or row.path for row in rows])
    anywhere = inside | above.mask | title.mask | path.mask
    worth = question.worth
    bm = places.hits.chunk_scores(worth)[places.chunks] / total
    near = _near(places)
    values = {
        "cos": np.nan_to_num(places.cosines),
        "near": near,
        "rrf_meaning": RANK_OFFSET / (RANK_OFFSET + places.by_meaning),
        "rrf_words": RANK_OFFSET / (RANK_OFFSET + places.by_words),
        "bm": bm,
        "chunk_cov": inside @ worth / total,
        "cov": anywhere @ worth / total,
        "all_cov": anywhere @ worth / hoped,
        "known": np.full(len(places), total / hoped),
        "leaf_cov": leaf.mask @ worth / total,
        "leaf_back": leaf.back,
        "heads_cov": above.mask @ worth / total,
        "title_cov": title.mask @ worth / total,
        "title_back": title.back,
        "stem_cov": file.mask @ worth / total,
        "stem_back": file.back,
        "doc_near": _best_means(near, places.documents),
        "doc_bm": _best_means(bm, places.documents),
    }
    values |= _of_documents(question, places, rows) | _standing(question, places, told)
    values["lead"] = values["first"] * values["title_cov"] * values["title_back"]
    return values


def _inside(places: Places, terms: int) -> Mask:
    """Return which of the question's terms stand in each place ([P, T])."""
    hits = places.hits
    mask = np.zeros((len(places), terms), np.bool_)
    if len(places) == 0:
        return mask
    at = np.minimum(places.chunks.searchsorted(hits.chunks), len(places) - 1)
    there = places.chunks[at] == hits.chunks
    mask[at[there], hits.terms[there]] = True
    return mask


@dataclass(frozen=True, slots=True)
class _Matched:
    """mask [P, T]: which of the question's terms a text has; back [P]: the share of its own."""

    mask: Mask
    back: Floats


class _Names:
    """Compares short texts with the question."""

    def __init__(self, question: DocsQuestion) -> None:
        self._places = {number: at for at, number in enumerate(question.ids.tolist())}
        self._corpus = question.corpus

    def table(self, texts: Sequence[str]) -> _Matched:
        """Compare texts, of which many are the same."""
        numbers = {text: at for at, text in enumerate(dict.fromkeys(texts))}
        mask = np.zeros((len(numbers), len(self._places)), np.bool_)
        back = np.zeros(len(numbers), np.float64)
        worths = self._worths({number for text in numbers for number in _ids(text)})
        for text, at in numbers.items():
            ids = _ids(text)
            shared = [number for number in ids if number in self._places]
            if shared:
                mask[at, [self._places[number] for number in shared]] = True
                back[at] = sum(worths[one] for one in shared) / sum(worths[one] for one in ids)
        rows = np.array([numbers[text] for text in texts], np.int64)
        return _Matched(mask[rows], back[rows])

    def _worths(self, ids: set[int]) -> dict[int, float]:
        numbers = np.array(sorted(ids), np.uint32)
        return dict(zip(numbers.tolist(), self._corpus.idf(numbers).tolist(), strict=True))


def _near(places: Places) -> Floats:
    if np.isnan(places.nearest):
        return np.zeros(len(places), np.float64)
    span = max(1e-6, places.nearest - places.farthest)
    near: Floats = np.clip(np.nan_to_num((places.cosines - places.farthest) / span), 0.0, 1.0)
    return near


def _best_means(values: Floats, documents: NDArray[np.int64]) -> Floats:
    """Return for each place the mean over the best places of its document."""
    out = np.zeros(len(values), np.float64)
    for document in np.unique(documents).tolist():
        at = np.flatnonzero(documents == document)
        best = np.sort(values[at])[-BEST_OF_DOCUMENT:]
        out[at] = best.sum() / BEST_OF_DOCUMENT
    return out


def _of_documents(
    question: DocsQuestion, places: Places, rows: Sequence[DocumentRow]
) -> dict[str, Floats]:
    total = float(question.worth.sum()) + TINY
    whole = places.hits.whole[:, places.documents]
    chunks = np.array([max(1, row.chunks) for row in rows], np.float64)
    dense = np.minimum(1.0, places.hits.counts[:, places.documents] / chunks)
    cosines = np.zeros((len(places.records), len(VECTOR_TEXTS)), np.float64)
    if question.static is not None:
        cosines = places.records.cosines(question.static)
    return {
        "doc_words": question.worth @ whole / total,
        "doc_dense": question.worth @ dense / total,
        "doc_cos": cosines[places.documents, VECTOR_TEXTS.index("text")],
        "path_cos": cosines[places.documents, VECTOR_TEXTS.index("path")],
    }


def _standing(question: DocsQuestion, places: Places, told: Sequence[Told]) -> dict[str, Floats]:
    """Return what speaks for or against a place whatever is asked."""
    priors = np.array([doc_prior(one.row.path) for one in told], np.int64)
    lengths = np.array([len(one.chunk.text) for one in told], np.float64)

    def marked(prior: DocPrior, *, counts: bool = True) -> Floats:
        mask: Floats = ((priors & prior) != 0).astype(np.float64) * counts
        return mask

    return {
        "short": np.clip(1.0 - lengths / LONG_ENOUGH, 0.0, 1.0),
        "first": (places.ordinals == 0).astype(np.float64),
        "changes": marked(DocPrior.CHANGES, counts=not question.changes),
        "locale": marked(DocPrior.LOCALE, counts=not question.foreign),
        "legal": marked(DocPrior.LEGAL),
        "test": marked(DocPrior.TEST),
        "vendored": marked(DocPrior.VENDORED),
        "example": marked(DocPrior.EXAMPLE),
    }
