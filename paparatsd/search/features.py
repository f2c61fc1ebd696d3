"""The features of the candidate files: each a number per file, comparable between questions.

Maxima and ranks are over the candidates. Sums of idf always carry the term's own weight, and are
divided by the question's sum ("share"), so that a long question does not score higher than a
short one. `meanings` says of each feature what it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paparatsd.chunks.record import VECTOR_TEXTS
from paparatsd.search.graph import graph_features
from paparatsd.search.lexical import word_features
from paparatsd.search.matching import collect_definitions, find_terms
from paparatsd.search.naming import name_features, name_likeness
from paparatsd.search.pointed import pointed_features
from paparatsd.search.standing import standing_features

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paparatsd.search.arena import Records
    from paparatsd.search.candidates import Files
    from paparatsd.search.matching import Definitions, TermHits
    from paparatsd.search.naming import DefinitionLikeness
    from paparatsd.search.recall import Candidates, Pinned

    Floats = NDArray[np.float64]

RANK_OFFSET = 3.0
"""A file's rank r counts 1 / (3 + r): the first few places matter, the rest hardly."""


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """Features of F files: name -> [F].

    worth [terms]: the weight of each of the question's terms times its idf, 0 for unknown ones.
    `chunk_scores` counts the chunks of all files through.
    """

    values: dict[str, Floats]
    worth: Floats
    recalled: RecalledChunks
    hits: TermHits
    chunk_scores: Floats
    definitions: Definitions
    likeness: DefinitionLikeness


class RecalledChunks(NamedTuple):
    """The chunks of the files that were recalled by meaning, parallel: file, ordinal, cosine."""

    files: NDArray[np.int64]
    ordinals: NDArray[np.int32]
    cosines: Floats


@dataclass(frozen=True, slots=True)
class Question:
    """A question as numbers: ids, weights and positions of its T terms.

    worth [T] is weight times idf, 0 for terms that stand nowhere; hoped [T] has the largest idf
    for those. early [T] and first [T] are `worth` by position, and of the first two terms alone.
    """

    ids: NDArray[np.uint32]
    worth: Floats
    hoped: Floats
    position: Floats
    first: Floats

    @property
    def early(self) -> Floats:
        """What each term is worth when the first words count most."""
        return self.worth * self.position


def compute_features(
    pinned: Pinned,
    candidates: Candidates,
    files: Files,
    records: Records,
) -> FeatureTable:
    """Compute all features of the candidate files."""
    question = as_numbers(pinned)
    hits = find_terms(records, question.ids)
    definitions = collect_definitions(records)
    chunk_scores = hits.chunk_scores(question.worth)
    likeness = name_likeness(definitions, question, pinned.corpus, weighted=pinned.query.single)
    values = word_features(question, hits, chunk_scores, records)
    values |= name_features(pinned, question, files, definitions, likeness)
    values |= _ranks(values)
    values |= graph_features(pinned, values, files, records, definitions)
    values |= standing_features(pinned, files, records)
    values |= pointed_features(pinned, files, records, definitions)
    values |= _meaning(pinned.static, records)
    recalled = _find_recalled(candidates, files)
    values |= _recalled(candidates, recalled, len(files))
    return FeatureTable(values, question.worth, recalled, hits, chunk_scores, definitions, likeness)


def as_numbers(pinned: Pinned) -> Question:
    """Turn the analysed question into arrays."""
    terms = pinned.query.terms
    weights = np.array([term.weight for term in terms], np.float64)
    hoped = weights * pinned.idf
    return Question(
        ids=np.array([term.id for term in terms], np.uint32),
        worth=np.where(pinned.known, hoped, 0.0),
        hoped=hoped,
        position=np.array([term.position for term in terms], np.float64),
        first=np.where(np.arange(len(terms)) < 2, hoped, 0.0),
    )


def places_of(values: Floats) -> Floats:
    """Return for each file how many files have a larger value."""
    ascending = np.sort(values)
    return len(values) - ascending.searchsorted(values, side="right").astype(np.float64)


def _ranks(values: dict[str, Floats]) -> dict[str, Floats]:
    return {
        "bm25f_rank": np.log1p(places_of(values["bm25f_share"])),
        "rk_defcos": 1.0 / (RANK_OFFSET + places_of(values["defcos"])),
        "rk_pw_stem_cos": 1.0 / (RANK_OFFSET + places_of(values["pw_stem_cos"])),
        "rk_fbm25f": 1.0 / (RANK_OFFSET + places_of(values["fbm25f_share"])),
    }


MEANING = {
    "d_ftext": "text",
    "d_path": "path",
    "d_stem": "stem",
    "d_names": "names",
    "d_doc": "docs",
}
"""Feature -> text of the record whose vector is compared with the question's."""
_ROWS = [VECTOR_TEXTS.index(name) for name in MEANING.values()]


def _meaning(vector: NDArray[np.float32] | None, records: Records) -> dict[str, Floats]:
    """Return the cosines of the question with what each file says, is called and defines."""
    if vector is None:
        out = np.zeros((len(records), len(VECTOR_TEXTS)), np.float64)
    else:
        out = records.cosines(vector)
    return {name: out[:, row] for name, row in zip(MEANING, _ROWS, strict=True)}


def _find_recalled(candidates: Candidates, files: Files) -> RecalledChunks:
    """Return the recalled chunks that are of one of these files."""
    dense, versions = candidates.dense, files.versions
    order = versions.argsort()
    at = np.minimum(versions[order].searchsorted(dense.versions), len(order) - 1)
    owners = order[at]
    of_these = versions[owners] == dense.versions
    return RecalledChunks(
        owners[of_these], dense.ordinals[of_these], dense.scores[of_these].astype(np.float64)
    )


def _recalled(candidates: Candidates, recalled: RecalledChunks, files: int) -> dict[str, Floats]:
    """Return how near each file's best chunk is, relative to what recall brought.

    Relative, so that it means the same whatever model made the vectors: 1 for the nearest chunk of
    all, 0 for the farthest one recalled and for what was not recalled.
    """
    if not len(candidates.dense.scores):
        nothing = np.zeros(files, np.float64)
        return {"d_chunk": nothing, "d_chunk_rank": nothing.copy()}
    floor = candidates.floor
    best = np.full(files, floor)
    np.maximum.at(best, recalled.files, recalled.cosines)
    near = (best - floor) / max(1e-6, candidates.nearest - floor)
    return {"d_chunk": near, "d_chunk_rank": 1.0 / (RANK_OFFSET + places_of(near))}
