"""The chunk that stands for each file, and what a file's score is made of.

Files are ranked first (`ranker`), then the best chunk of each is chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.terms import term_id
from paparatsd.search.matching import member_mask

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.search.arena import Records
    from paparatsd.search.candidates import FileRow
    from paparatsd.search.features import FeatureTable, RecalledChunks
    from paparatsd.search.query import Query
    from paparatsd.search.recall import Candidates
    from paparatsd.search.scope import Scope

NAME_IN_CHUNK = 1.25
"""Worth of a definition whose name is like the question, for the chunk it begins in."""
EXACT_DEFINITION, OTHER_CASE_DEFINITION, CONTAINER_BONUS = 10.0, 5.0, 1.0
ASKED_LINE = 20.0
"""More than any definition: the question says in which line."""
LONG_DEFINITION_LOG = 6.0
"""A definition of e^6 lines or more gets the full bonus of 1 for its length."""


def explain(weights: Mapping[str, float], features: FeatureTable, file: int) -> dict[str, float]:
    """Return each feature's share of the file's score, largest first, zeros left out."""
    shares = {
        name: round(weight * float(features.values[name][file]), 4)
        for name, weight in weights.items()
    }
    return dict(
        sorted(((n, s) for n, s in shares.items() if s), key=lambda item: (-abs(item[1]), item[0]))
    )


MAX_CHOICES = 12
"""Chunks of one file that are looked at for further hits."""


@dataclass(frozen=True, slots=True)
class ChunkChoice:
    """Chunks of the candidate files, counted through, by how well each stands for its file."""

    scores: NDArray[np.float64]
    starts: NDArray[np.int64]

    def of_files(self, order: Iterable[int], wanted: int) -> dict[int, list[tuple[int, float]]]:
        """Return the chunks of the first `wanted` files that have any to show."""
        chunks: dict[int, list[tuple[int, float]]] = {}
        for file in order:
            if len(chunks) == wanted:
                break
            found = self.of_file(file)
            if found:
                chunks[file] = found
        return chunks

    def of_file(self, file: int) -> list[tuple[int, float]]:
        """Return (ordinal, score) of the file's chunks, best first; unwanted kinds left out."""
        scores = self.scores[self.starts[file] : self.starts[file + 1]]
        order = (-scores).argsort(kind="stable")[:MAX_CHOICES]
        choices = zip(order.tolist(), scores[order].tolist(), strict=True)
        return [choice for choice in choices if math.isfinite(choice[1])]


def choose_chunks(
    query: Query,
    candidates: Candidates,
    files: Sequence[FileRow],
    records: Records,
    features: FeatureTable,
    wanted: NDArray[np.bool_] | None,
    lines: Mapping[int, Sequence[int]],
) -> ChunkChoice:
    """Score chunks within their files: a definition asked for first, else words plus meaning.

    wanted: the chunks that may be shown, None for all. lines: of the files (their numbers) in
    which the question points at lines, these.
    """
    lexical = features.chunk_scores
    scores = lexical / max(1e-6, float(lexical.max(initial=0.0)))
    starts = features.hits.starts
    if len(candidates.dense.scores):
        scores += _cosines(candidates.floor, features.recalled, starts)
    scores += NAME_IN_CHUNK * _names_in_chunks(features)
    scores += _definition_bonus(query, records, features)
    for file, asked in lines.items():
        ends = records.open(file).chunk_lines[:, 1]
        if len(ends):
            chunks = np.minimum(np.searchsorted(ends, asked), len(ends) - 1)
            scores[starts[file] + np.unique(chunks)] += ASKED_LINE
    if wanted is not None:
        scores = np.where(wanted, scores, -np.inf)
    return ChunkChoice(scores, starts)


def wanted_chunks(
    scope: Scope, files: Sequence[FileRow], records: Records, kinds: frozenset[str]
) -> NDArray[np.bool_] | None:
    """Return which chunks of these files, end to end, may be shown; None when all may."""
    if not kinds and not scope.limited:
        return None
    parts = []
    for at, file in enumerate(files):
        mask = np.ones(records.chunk_count(at), np.bool_)
        if kinds:
            of_kind = [kind in kinds for kind in records.open(at).kinds]
            mask &= np.array(of_kind, np.bool_)  # an empty list would be one of floats
        only = scope.projects[file.view].only
        if only is not None:
            shown = only.get(file.version, ())
            mask &= np.array([ordinal in shown for ordinal in range(len(mask))], np.bool_)
        parts.append(mask)
    return np.concatenate(parts) if parts else np.zeros(0, np.bool_)


def _cosines(
    floor: float, recalled: RecalledChunks, starts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the cosine of each chunk; what was not recalled has at most the smallest recalled."""
    out = np.full(int(starts[-1]), floor, np.float64)
    places = starts[recalled.files] + recalled.ordinals
    inside = places < starts[recalled.files + 1]
    out[places[inside]] = recalled.cosines[inside]
    return out


def _names_in_chunks(features: FeatureTable) -> NDArray[np.float64]:
    """Return for each chunk the best likeness of a name defined in it to the question."""
    starts, table, likeness = features.hits.starts, features.definitions, features.likeness
    out = np.zeros(int(starts[-1]), np.float64)
    files = table.files_of(likeness.definitions)
    places = starts[files] + table.chunks[likeness.definitions]
    inside = places < starts[files + 1]
    # Fields and constants count less; a class no more than a function.
    worth = likeness.values * np.minimum(1.0, 0.3 + table.weights[likeness.definitions])
    np.maximum.at(out, places[inside], worth[inside])
    return out


def _definition_bonus(
    query: Query, records: Records, features: FeatureTable
) -> NDArray[np.float64]:
    """Return what chunks gain that define a name of the question."""
    starts, table = features.hits.starts, features.definitions
    out = np.zeros(int(starts[-1]), np.float64)
    if not query.names:
        return out
    exact = np.array([term_id(name) for name in query.names], np.uint32)
    forms = (*(name.lower() for name in query.names), *query.spellings)
    folded = np.array([term_id(name) for name in forms], np.uint32)
    found = member_mask(table.folded, folded).nonzero()[0]
    same_case = member_mask(table.hashes[found], exact)
    for definition, file, same in zip(
        found.tolist(), table.files_of(found).tolist(), same_case.tolist(), strict=True
    ):
        record, local = records.open(file), definition - int(table.starts[file])
        chunk = int(record.def_chunks[local])
        if chunk >= record.chunks:
            continue
        first, last = record.def_lines[local].tolist()
        bonus = EXACT_DEFINITION if same else OTHER_CASE_DEFINITION
        bonus += CONTAINER_BONUS if record.def_containers[local] else 0.0
        bonus += min(1.0, float(np.log1p(last - first + 1)) / LONG_DEFINITION_LOG)
        out[starts[file] + chunk] = max(out[starts[file] + chunk], bonus)
    return out
