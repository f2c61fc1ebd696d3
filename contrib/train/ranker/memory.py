"""A catalog and a vector store in memory over one checkout, exact, for many questions a second.

It offers what the search process reads of the catalog (`search.views.Reader` and more), and answers
recall requests by computing every score.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.record import term_counts
from paparatsd.model import (
    Fingerprint,
    Freshness,
    FreshnessState,
    GroupName,
    ProjectName,
    Recalled,
    RecallReply,
    RepoId,
    ShardKey,
)
from paparatsd.search.scope import ProjectScope, Scope
from paparatsd.search.views import ShownFile
from paparatsd.store.names import fold_name
from paparatsd.store.rows import Frequencies

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from contrib.train.ranker.trees import IndexedFile
    from paparatsd.model import Chunk, RecallRequest, SparseVector, Use, VersionId
    from paparatsd.store.rows import Definition

DIMENSION = 256


@dataclass(frozen=True)
class Points:
    """The chunks of all files: version and ordinal [n], vectors [n, d], and postings by term."""

    versions: NDArray[np.int64]
    ordinals: NDArray[np.int32]
    dense: NDArray[np.float32]
    terms: NDArray[np.uint32]
    chunks: NDArray[np.int64]
    values: NDArray[np.float32]

    def lexical(self, asked: SparseVector) -> NDArray[np.float32]:
        """Return the dot product of a sparse vector with each chunk."""
        scores = np.zeros(len(self.versions), np.float32)
        begins = np.searchsorted(self.terms, asked.ids)
        ends = np.searchsorted(self.terms, asked.ids, side="right")
        for first, last, weight in zip(begins, ends, asked.values, strict=True):
            scores[self.chunks[first:last]] += weight * self.values[first:last]
        return scores


class MemoryCatalog:
    """One project. With `without`, some of its files are as if they had never been there."""

    def __init__(self, files: Sequence[IndexedFile]) -> None:
        self._versions = {file.path: _version(file.path) for file in files}
        self._files = {self._versions[file.path]: file for file in files}
        self._counts = {version: term_counts(file.record) for version, file in self._files.items()}
        self._points = _points(self._files)
        self._definers: dict[str, set[int]] = defaultdict(set)
        for version, file in self._files.items():
            for name in file.names:
                self._definers[fold_name(name)].add(version)
        self._frequencies = _frequencies(self._counts.values(), len(self._points.versions))
        self._hidden: frozenset[int] = frozenset()
        self._shown = np.ones(len(self._points.versions), np.bool_)

    def without(self, paths: Iterable[str]) -> MemoryCatalog:
        """Return the catalog of the same project with these files taken out."""
        other = object.__new__(MemoryCatalog)
        other.__dict__.update(self.__dict__)
        other._hidden = frozenset(self._versions[path] for path in paths)
        gone = np.array(sorted(other._hidden), np.int64)
        other._shown = ~np.isin(self._points.versions, gone)
        every = self._frequencies
        counts = every.counts.copy()
        for version in other._hidden:
            lost = self._counts[version]
            counts[np.searchsorted(every.ids, lost.ids)] -= lost.values.astype(np.int32)
        other._frequencies = Frequencies(every.ids, counts, int(other._shown.sum()))
        return other

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that are shown."""
        return tuple(path for path, at in self._versions.items() if at not in self._hidden)

    def view(self, project_id: int) -> tuple[int, Sequence[ShownFile], Frequencies]:
        """Return what the project shows; see `search.views.Reader`."""
        del project_id
        rows = [
            ShownFile(file.path, version, file.language)
            for version, file in self._files.items()
            if version not in self._hidden
        ]
        return 1, rows, self._frequencies

    def shard_versions(self, shard: ShardKey) -> NDArray[np.int64]:
        """Return the versions that have points."""
        del shard
        return np.unique(self._points.versions)

    def records(self, versions: Iterable[int]) -> dict[int, bytes]:
        """Return the ranking records of these versions."""
        return {at: self._files[at].record for at in versions if at in self._files}

    def definers(self, repos: Sequence[str], folded: Sequence[str]) -> NDArray[np.int64]:
        """Return versions that define a name whose last part, in lower case, is one of these."""
        del repos
        found = {at for name in folded for at in self._definers.get(name, ())}
        return np.array(sorted(found - self._hidden), np.int64)

    def chunks_of(self, version: int) -> tuple[Chunk, ...]:
        """Refuse: texts are not kept, only features are computed here."""
        raise KeyError(version)

    def uses_of(self, version: int) -> tuple[Use, ...]:
        """Refuse: uses are not kept either."""
        raise KeyError(version)

    def used_names(
        self, version: int, kinds_left_out: Collection[str]
    ) -> tuple[list[int], list[str]]:
        """Refuse: uses are not kept either."""
        del kinds_left_out
        raise KeyError(version)

    def symbols_named(self, names: Iterable[str]) -> dict[str, list[Definition]]:
        """Return nothing: who calls what is answered without ranking, so it is not asked here."""
        return {name: [] for name in names}

    def users_of(self, names: Iterable[str]) -> dict[str, dict[VersionId, int]]:
        """Return nothing, for the same reason."""
        return {name: {} for name in names}

    def recall(self, requests: Sequence[RecallRequest]) -> list[RecallReply]:
        """Answer each request by computing every chunk's score."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: RecallRequest) -> RecallReply:
        dense = lexical = None
        if request.dense is not None:
            cosines = self._points.dense @ request.dense
            dense = self._best(cosines, np.flatnonzero(self._shown), request.limit)
        if request.sparse is not None:
            scores = self._points.lexical(request.sparse)
            lexical = self._best(scores, np.flatnonzero(self._shown & (scores > 0)), request.limit)
        return RecallReply(dense, lexical)

    def _best(self, scores: NDArray[np.float32], rows: NDArray[np.int64], limit: int) -> Recalled:
        best = rows[np.argsort(-scores[rows], kind="stable")[:limit]]
        return Recalled(self._points.versions[best], self._points.ordinals[best], scores[best])


def project_scope(name: str) -> Scope:
    """Return a scope of one project of this name."""
    repo, project = RepoId(name), ProjectName(name)
    shard = ShardKey(repo, "code", Fingerprint("in-memory"), DIMENSION)
    fresh = Freshness(project, 1, None, FreshnessState.CURRENT)
    return Scope((ProjectScope(1, project, GroupName(""), repo, shard, 1, fresh),))


def _version(path: str) -> int:
    return int.from_bytes(hashlib.blake2b(path.encode(), digest_size=7).digest(), "big") + 1


def _points(files: dict[int, IndexedFile]) -> Points:
    lengths = [len(file.sparse) for file in files.values()]
    sparse = [chunk for file in files.values() for chunk in file.sparse]
    terms = np.concatenate([np.zeros(0, np.uint32), *[chunk.ids for chunk in sparse]])
    order = np.argsort(terms, kind="stable")
    chunks = np.repeat(np.arange(len(sparse)), [len(chunk.ids) for chunk in sparse])
    dense = [file.dense for file in files.values() if len(file.dense)]
    return Points(
        versions=np.repeat(np.array(list(files), np.int64), lengths),
        ordinals=np.concatenate([np.zeros(0, np.int32), *[np.arange(n) for n in lengths]]).astype(
            np.int32
        ),
        dense=np.concatenate(dense).astype(np.float32),
        terms=terms[order],
        chunks=chunks[order],
        values=np.concatenate([np.zeros(0, np.float32), *[one.values for one in sparse]])[order],
    )


def _frequencies(counts: Iterable[SparseVector], chunks: int) -> Frequencies:
    counts = list(counts)
    ids = np.concatenate([one.ids for one in counts])
    unique, inverse = np.unique(ids, return_inverse=True)
    totals = np.bincount(inverse, weights=np.concatenate([one.values for one in counts]))
    return Frequencies(unique, totals.astype(np.int32), chunks)
