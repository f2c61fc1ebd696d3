"""A question to documents, read: what its terms are worth, its vectors, what to ask the stores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.terms import is_cjk
from paparatsd.model import RecallRequest
from paparatsd.search.docs_priors import asks_for_changes
from paparatsd.search.docs_text import FRONT_MATTER
from paparatsd.search.expand import expand
from paparatsd.search.query import analyse, cleaned
from paparatsd.search.recall import lexical_vector
from paparatsd.search.translate import is_foreign

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import ShardKey, VersionFilter
    from paparatsd.search.docs_asked import DocsAsked
    from paparatsd.search.docs_view import Shown
    from paparatsd.search.query import Query, QueryTerm
    from paparatsd.search.views import Corpus

    Floats = NDArray[np.float64]
    IsWord = Callable[[str], bool]
    Encode = Callable[[str], NDArray[np.float32] | None]

RECALL_LIMIT = 160
"""Chunks per leg. What the leg by meaning leaves out is known to be farther than its last one."""
BEST_NAMES = 24
"""Documents that are looked at because of what they are called, whatever recall says."""
HITS = frozenset({"section", "window"})
"""Kinds of chunks that may be hits: front matter and code cells are none of them."""
OWN_LANGUAGE = 0.35
"""A foreign question of which this share is known is one in the documents' own language: of pairs
of characters many span two words, and stand nowhere.
"""
UNKNOWN_PAIR = 0.3
"""Worth of a pair of characters that stands nowhere."""
FEW_CHUNKS, AT_LEAST = 30, 10
"""In so many chunks, less the second, a word that stands nowhere counts half: of projects of three
to forty documents, drawn out of those of the development set, this let through most of the answers
that were refused, and no absent topic more.
"""
LATIN = 0.5
"""With fewer Latin letters than this share of all, our model knows few words of a text."""


@dataclass(frozen=True, slots=True)
class DocsQuestion:
    """A question, its T terms as numbers, and where its answer may be.

    ids, worth, hoped [T]: each term's number, its weight times idf where it stands anywhere (else
    0), and what it would be worth if it stood somewhere. static: vector by the built-in model,
    None when there is none. unembedded: versions that have no vectors yet.
    """

    asked: DocsAsked
    shown: tuple[Shown, ...]
    corpus: Corpus
    ids: NDArray[np.uint32]
    worth: Floats
    hoped: Floats
    static: NDArray[np.float32] | None
    requests: tuple[RecallRequest, ...]
    named: NDArray[np.int64]
    foreign: bool
    changes: bool
    unembedded: NDArray[np.int64]
    notes: tuple[str, ...] = ()


def read_docs_question(
    asked: DocsAsked,
    shown: tuple[Shown, ...],
    corpus: Corpus,
    shards: Sequence[tuple[ShardKey, VersionFilter]],
    unembedded: NDArray[np.int64],
    encode: Encode,
    is_word: IsWord | None = None,
) -> DocsQuestion:
    """Read a question. `shards`: which there are to ask, and for what. Raises BadQuery.

    `is_word`: whether a word in lower case is a real one. A real word that stands nowhere is left
    as it is, unlike in a question about code: it says that the documents are about other things.
    """
    names = [one.project.scope.name for one in shown]
    own_name = names[0] if len(names) == 1 else None
    query, text, notes = _understood(asked.query, corpus, own_name, is_word)
    ids = np.array([term.id for term in query.terms], np.uint32)
    weights = np.array([term.weight for term in query.terms], np.float64)
    frequency = corpus.frequency(ids)
    known = frequency > 0
    idf = np.where(known, corpus.idf_of(frequency), np.log1p(corpus.chunks))
    static = encode(text)
    # Of other scripts than the Latin one our own model knows few words.
    own = static if _is_latin(text) else None
    dense = own if asked.built_in else asked.vector
    sparse = lexical_vector(query, corpus, np.where(known, idf, 0.0))
    requests = tuple(
        RecallRequest(
            shard=shard,
            filter=chosen,
            dense=dense if dense is not None and len(dense) == shard.dimension else None,
            sparse=sparse,
            limit=RECALL_LIMIT,
            kinds=HITS | {FRONT_MATTER},
        )
        for shard, chosen in shards
    )
    worth = np.where(known, weights * idf, 0.0)
    return DocsQuestion(
        asked=asked,
        shown=shown,
        corpus=corpus,
        ids=ids,
        worth=worth,
        hoped=_hopes(query.terms, known, corpus.chunks) * weights * idf,
        static=static,
        requests=requests if dense is not None or sparse is not None else (),
        named=_best_named(shown, ids, worth),
        foreign=is_foreign(asked.query),
        changes=asks_for_changes(asked.query),
        unembedded=unembedded,
        notes=notes,
    )


def _understood(
    text: str, corpus: Corpus, own_name: str | None, is_word: IsWord | None
) -> tuple[Query, str, tuple[str, ...]]:
    """Return a question, what to embed of it, and how it was read where that is not plain."""
    query = analyse(text, own_name)
    if is_foreign(query.text):
        known = corpus.frequency(np.array([term.id for term in query.terms], np.uint32)) > 0
        words = known | np.array([not _is_run(term.text) for term in query.terms])
        if known.sum() >= OWN_LANGUAGE * words.sum():
            return query, cleaned(text), ()
    expanded = expand(query, corpus.frequency, own_name, is_word)
    # What is meant is the whole question, unless it had to be put in other words.
    meant = cleaned(text) if expanded.query is query else expanded.query.meaning
    return expanded.query, meant, expanded.notes


def _is_run(term: str) -> bool:
    """Say whether a term is a whole run of characters without spaces, of which pairs are terms."""
    return len(term) > 2 and any(map(is_cjk, term))


def _hopes(terms: Sequence[QueryTerm], known: NDArray[np.bool_], chunks: int) -> Floats:
    """Return how much of each term's worth could be hoped for.

    In few chunks most words of a language stand nowhere, whatever they are about.
    """
    telling = (chunks + AT_LEAST) / (chunks + AT_LEAST + FEW_CHUNKS)
    hopes = np.where(known, 1.0, telling)
    for at, term in enumerate(terms):
        if not known[at] and any(map(is_cjk, term.text)):
            hopes[at] *= 0.0 if _is_run(term.text) else UNKNOWN_PAIR
    return hopes


def _is_latin(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    latin = sum(character < "\u0250" for character in letters)
    return not letters or latin >= LATIN * len(letters)


def _best_named(
    shown: Sequence[Shown], ids: NDArray[np.uint32], worth: Floats
) -> NDArray[np.int64]:
    """Return the versions whose titles and paths have most of the question's words."""
    versions: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    scores: list[Floats] = [np.zeros(0, np.float64)]
    for one in shown:
        view = one.view
        total = np.zeros(len(view.rows), np.float64)
        for number, value in zip(ids.tolist(), worth.tolist(), strict=True):
            if value > 0:
                total[np.unique(view.owners[view.names == number])] += value
        rows = np.flatnonzero((total > 0) & one.mask)
        versions.append(view.versions[rows])
        scores.append(total[rows])
    every, score = np.concatenate(versions), np.concatenate(scores)
    return np.unique(every[np.lexsort((every, -score))[:BEST_NAMES]])
