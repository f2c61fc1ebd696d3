"""How well the words of the candidate files are those of the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.fields import BODY, DOC, ENC, MDOC, SIG, SYM
from paparatsd.search.arena import BODY_LENGTH
from paparatsd.search.matching import best_of_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paparatsd.search.arena import Records
    from paparatsd.search.features import Question
    from paparatsd.search.matching import TermHits

    Floats = NDArray[np.float64]

TINY = 1e-6
TOP_CHUNKS = 200
_COVERED = {
    "cov_all": (1 << BODY) | (1 << SYM) | (1 << SIG) | (1 << DOC) | (1 << MDOC) | (1 << ENC),
    "cov_doc": (1 << DOC) | (1 << MDOC),
    "cov_sym": 1 << SYM,
    "cov_sig": 1 << SIG,
}
"""Feature -> fields of which at least one must hold a term for it to count."""


def word_features(
    question: Question,
    hits: TermHits,
    chunk_scores: Floats,
    records: Records,
) -> dict[str, Floats]:
    """Return BM25F of the best chunk and of the whole file, coverage by field, density."""
    worth, early = question.worth, question.early
    total, early_total = float(worth.sum()) + TINY, float(early.sum()) + TINY
    best = hits.best_of_files(chunk_scores)
    whole = worth @ hits.whole
    early_best = hits.best_of_files(hits.chunk_scores(early))
    covered = np.bincount(hits.chunks, weights=worth[hits.terms], minlength=int(hits.starts[-1]))
    values = {
        "bm25f_rel": best / max(TINY, float(best.max(initial=0.0))),
        "bm25f_share": best / total,
        "fbm25f_rel": whole / max(TINY, float(whole.max(initial=0.0))),
        "fbm25f_share": whole / total,
        "pw_bm": early_best / early_total,
        "cov_chunk": best_of_groups(covered.astype(np.float64), hits.starts) / total,
        "mean_score": _means(chunk_scores, hits.starts) / total,
        "top_sum": _top_sums(chunk_scores, hits.starts),
    }
    for name, fields in _COVERED.items():
        values[name] = worth @ ((hits.places & fields) != 0) / total
    values["pw_cov_doc"] = early @ ((hits.places & _COVERED["cov_doc"]) != 0) / early_total
    lengths = records.numbers[:, BODY_LENGTH]
    values["tf_density"] = np.log1p(1_000.0 * hits.counts.sum(axis=0) / np.maximum(lengths, 20.0))
    return values


def _means(scores: Floats, starts: NDArray[np.int64]) -> Floats:
    """Return the mean score of each file's chunks."""
    sums = np.zeros(len(scores) + 1, np.float64)
    scores.cumsum(out=sums[1:])
    lengths = starts[1:] - starts[:-1]
    means: Floats = (sums[starts[1:]] - sums[starts[:-1]]) / np.maximum(lengths, 1)
    return means


def _top_sums(scores: Floats, starts: NDArray[np.int64]) -> Floats:
    """Return the sum of each file's scores among the best chunks of all, relative to the largest.

    Several good chunks speak for a file's subject, where one may be a passing mention.
    """
    if len(scores) > TOP_CHUNKS:
        best = np.argpartition(-scores, TOP_CHUNKS)[:TOP_CHUNKS]
    else:
        best = np.arange(len(scores))
    files = starts.searchsorted(best, side="right") - 1
    sums = np.bincount(files, weights=scores[best], minlength=len(starts) - 1).astype(np.float64)
    relative: Floats = sums / max(TINY, float(sums.max(initial=0.0)))
    return relative
