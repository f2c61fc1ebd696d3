"""The features of the candidate files: each a number per file, comparable between questions.

Maxima are over the candidates. Sums of idf always carry the term's own weight, and are divided by
the question's sum ("share"), so that a long question does not score higher than a short one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paparatsd.chunks.record import VECTOR_TEXTS
from paparatsd.chunks.terms import term_id
from paparatsd.search.matching import (
    Definitions,
    TermHits,
    collect_definitions,
    find_terms,
    member_mask,
    ranges,
)
from paparatsd.search.priors import Prior, path_priors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.chunks.record import RankRecord
    from paparatsd.search.query import Query
    from paparatsd.search.recall import Pinned
    from paparatsd.search.views import Corpus

    Floats = NDArray[np.float64]

_TINY = 1e-6
_WEIGHTS = (0.25, 0.5, 0.6, 0.8, 1.0)
_NAME_WORTH = (_WEIGHTS, (0.6, 0.75, 0.85, 0.95, 1.0))
"""By the weight of a definition: what its name's likeness to a single identifier counts."""
_TOPIC_WORTH = (_WEIGHTS, (0.1, 0.25, 0.4, 0.6, 1.0))
"""By the weight of a definition: what being called exactly like an ordinary word counts."""
OTHER_CASE = 0.9


class FileRow(NamedTuple):
    """A candidate file: the first view of the scope that shows it, and its row there."""

    view: int
    row: int
    path: str
    version: int


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """Features of F files: name -> [F].

    worth [terms]: the weight of each of the question's terms times its idf, 0 for unknown ones.
    `chunk_scores` counts the chunks of all files through.
    """

    values: dict[str, Floats]
    worth: Floats
    hits: TermHits
    chunk_scores: Floats
    definitions: Definitions
    likeness: NameLikeness


@dataclass(frozen=True, slots=True)
class NameLikeness:
    """Definitions (their numbers in the table) whose name is like the question, and how much."""

    definitions: NDArray[np.int64]
    values: Floats


def compute_features(
    pinned: Pinned, files: Sequence[FileRow], records: Sequence[RankRecord]
) -> FeatureTable:
    """Compute all features of the candidate files."""
    query = pinned.query
    ids = np.array([term.id for term in query.terms], np.uint32)
    weights = np.array([term.weight for term in query.terms], np.float64)
    positions = np.array([term.position for term in query.terms], np.float64)
    worth = np.where(pinned.known, weights * pinned.idf, 0.0)
    hits = find_terms(records, ids)
    definitions = collect_definitions(records, hits.definitions)
    chunk_scores = hits.chunk_scores(worth)
    values = _lexical(hits, chunk_scores, worth, positions)
    values |= _stem_features(pinned, files, weights * pinned.idf, positions)
    likeness = name_likeness(definitions, ids, worth, pinned.corpus, weighted=query.single)
    values["defcos"] = np.zeros(len(files), np.float64)
    np.maximum.at(values["defcos"], definitions.files_of(likeness.definitions), likeness.values)
    values["def_exact"] = exact_definitions(definitions, query)
    values |= _priors(pinned, files)
    values |= _dense(pinned.static, records)
    return FeatureTable(values, worth, hits, chunk_scores, definitions, likeness)


def _lexical(
    hits: TermHits, chunk_scores: Floats, worth: Floats, positions: Floats
) -> dict[str, Floats]:
    total = float(worth.sum()) + _TINY
    best = hits.best_of_files(chunk_scores)
    whole = worth @ hits.whole
    early = worth * positions
    early_best = hits.best_of_files(hits.chunk_scores(early))
    return {
        "bm25f_rel": best / max(_TINY, float(best.max(initial=0.0))),
        "bm25f_share": best / total,
        "fbm25f_rel": whole / max(_TINY, float(whole.max(initial=0.0))),
        "fbm25f_share": whole / total,
        "pw_bm": early_best / (float(early.sum()) + _TINY),
    }


def _stem_features(
    pinned: Pinned, files: Sequence[FileRow], worth: Floats, positions: Floats
) -> dict[str, Floats]:
    """Compare the file names with the question, with and without regard to word order."""
    hits = np.zeros((len(worth), len(files)), np.float64)
    back = np.zeros(len(files), np.float64)
    for number, stems in enumerate(pinned.stems):
        mine = np.array([at for at, file in enumerate(files) if file.view == number], np.int64)
        if len(stems.rows) == 0 or len(mine) == 0:
            continue
        rows = np.array([files[at].row for at in mine.tolist()], np.int64)
        found = np.minimum(np.searchsorted(stems.rows, rows), len(stems.rows) - 1)
        there = stems.rows[found] == rows
        hits[:, mine[there]] = stems.hits[:, found[there]]
        back[mine[there]] = stems.back[found[there]]
    early = worth * positions
    forth = worth @ hits / (float(worth.sum()) + _TINY)
    forth_early = early @ hits / (float(early.sum()) + _TINY)
    return {"stem_cos": np.sqrt(forth * back), "pw_stem_cos": np.sqrt(forth_early * back)}


def name_likeness(
    definitions: Definitions,
    ids: NDArray[np.uint32],
    worth: Floats,
    corpus: Corpus,
    *,
    weighted: bool,
) -> NameLikeness:
    """Compare the defined names with the question.

    idf of the shared parts / sqrt(idf of the name's parts * idf of the question). `weighted`: a
    class counts more than a method of the same likeness, and that more than a field.
    """
    shared = np.flatnonzero(member_mask(definitions.terms, ids))
    if len(shared) == 0:
        return NameLikeness(np.zeros(0, np.int64), np.zeros(0, np.float64))
    owners = np.searchsorted(definitions.offsets, shared, side="right") - 1
    names, inverse = np.unique(owners, return_inverse=True)
    order = np.argsort(ids, kind="stable")
    term = order[np.searchsorted(ids[order], definitions.terms[shared])]
    common = np.bincount(inverse, weights=worth[term], minlength=len(names))
    lengths = definitions.offsets[names + 1] - definitions.offsets[names]
    places = ranges(definitions.offsets[names], lengths)
    parts, part_of = np.unique(definitions.terms[places], return_inverse=True)
    part_idf = corpus.idf(parts)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    length = np.add.reduceat(part_idf[part_of], starts)
    cosine = common / np.sqrt(np.maximum(length * (float(worth.sum()) + _TINY), _TINY))
    if weighted:
        cosine = cosine * np.interp(definitions.weights[names], *_NAME_WORTH)
    return NameLikeness(names, cosine)


def exact_definitions(definitions: Definitions, query: Query) -> Floats:
    """Return, per file, whether it defines a name of the question, case-exact (0 or 1).

    One ordinary word is a topic rather than a name: it counts by what it names, and a class may
    well be written with a capital.
    """
    out = np.zeros(len(definitions.starts) - 1, np.float64)
    if not query.names:
        return out
    wanted = np.array([term_id(name) for name in query.names], np.uint32)
    same = np.flatnonzero(member_mask(definitions.hashes, wanted))
    if not query.plain:
        out[definitions.files_of(same)] = 1.0
        return out
    alike = np.flatnonzero(member_mask(definitions.folded, wanted))
    for found, share in ((alike, OTHER_CASE), (same, 1.0)):
        worth = share * np.interp(definitions.weights[found], *_TOPIC_WORTH)
        np.maximum.at(out, definitions.files_of(found), worth)
    return out


def _priors(pinned: Pinned, files: Sequence[FileRow]) -> dict[str, Floats]:
    """Return what the paths say; what the question asks for by word is not held against a file."""
    flags = np.array([path_priors(file.path) for file in files], np.int64)
    about = pinned.query.about
    copies = int(Prior.VENDORED if "variant" in about else Prior.VENDORED | Prior.PLATFORM)
    outdated = np.zeros(len(files), np.float64)
    if "variant" not in about:
        old = [view.index.outdated for view in pinned.views]
        if any(old):
            outdated = np.array([file.row in old[file.view] for file in files], np.float64)

    def column(prior: int, topic: str) -> Floats:
        if topic in about:
            return np.zeros(len(files), np.float64)
        return np.asarray(flags & prior != 0, np.float64)

    return {
        "p_test": column(Prior.TEST, "test"),
        "p_docs": column(Prior.DOCS, "docs"),
        "p_example": column(Prior.EXAMPLE, "example"),
        "p_variant": np.maximum(column(copies, ""), outdated),
    }


DENSE = {"d_ftext": "text", "d_path": "path", "d_stem": "stem", "d_names": "names", "d_doc": "docs"}
"""Feature -> text of the record whose vector is compared with the question."""
_ROWS = [VECTOR_TEXTS.index(name) for name in DENSE.values()]


def _dense(vector: NDArray[np.float32] | None, records: Sequence[RankRecord]) -> dict[str, Floats]:
    """Return the cosines of the question with what each file says, is called and defines."""
    out = np.zeros((len(records), len(VECTOR_TEXTS)), np.float64)
    if vector is not None:
        rows = [record.vectors for record in records]
        places = [row is not None and row.shape[1] == len(vector) for row in rows]
        known = [row for row, usable in zip(rows, places, strict=True) if usable]
        if known:
            out[places] = (np.concatenate(known) @ vector).reshape(-1, len(VECTOR_TEXTS))
    return {name: out[:, row] for name, row in zip(DENSE, _ROWS, strict=True)}
