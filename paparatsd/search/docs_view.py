"""The documents that projects show: who may see them, what they are called, how often words occur.

A view is pinned at a generation and never changes. Word frequencies are counted over the documents
that may be shown and nothing else: what somebody may not see must not move what he sees either.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from paparatsd.chunks.record import read_record, term_counts
from paparatsd.chunks.terms import text_ids
from paparatsd.knowledge_model import DocsKind
from paparatsd.search.audience import label_in_force
from paparatsd.search.views import MAX_VIEWS, NOT_CODE, Corpus
from paparatsd.store.rows import Frequencies

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.search.docs_asked import DocsProject, DocsScope
    from paparatsd.store.rows import DocumentRow

MAX_COUNTED = 256
"""Sets of documents (of a project and a label) whose word frequencies are kept."""


class DocsReader(Protocol):
    """What is read of the catalog."""

    def documents(self, project_id: int) -> tuple[int, Sequence[DocumentRow], Iterable[str]]:
        """Return a project's generation, its documents by path, and the languages it shows."""
        ...

    def records(self, versions: Iterable[int]) -> Mapping[int, bytes]:
        """Return the ranking records of these versions; unknown ones are left out."""
        ...


@dataclass(frozen=True, slots=True)
class DocsView:
    """The documents of a project at one generation, by path; arrays are parallel to `rows`.

    `owners` and `names` are the terms of titles and paths: row and number of each. `code`: whether
    the project shows any code.
    """

    project_id: int
    generation: int
    rows: tuple[DocumentRow, ...]
    versions: NDArray[np.int64]
    owners: NDArray[np.int64]
    names: NDArray[np.uint32]
    code: bool

    def kind(self, said: str) -> DocsKind:
        """Return what the documents are beside, where the project `said` so or "auto"."""
        if said in (DocsKind.PROSE, DocsKind.CODE):
            return DocsKind(said)
        return DocsKind.CODE if self.code else DocsKind.PROSE

    def row_of(self, path: str) -> int:
        """Return the row of a path, or -1."""
        low, high = 0, len(self.rows)
        while low < high:
            middle = (low + high) // 2
            if self.rows[middle].path < path:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self.rows) and self.rows[low].path == path else -1


@lru_cache(maxsize=1 << 16)
def _name_terms(title: str, path: str) -> tuple[int, ...]:
    stem = path.rpartition(".")[0] or path
    return tuple(dict.fromkeys(text_ids(f"{title} {stem}")))


def build_docs_view(
    project_id: int, generation: int, rows: Sequence[DocumentRow], languages: Iterable[str]
) -> DocsView:
    """Turn the documents of a project into arrays."""
    ordered = tuple(sorted(rows, key=lambda row: row.path))
    terms = [_name_terms(row.title, row.path) for row in ordered]
    lengths = np.array([len(one) for one in terms], np.int64)
    return DocsView(
        project_id=project_id,
        generation=generation,
        rows=ordered,
        versions=np.array([row.version for row in ordered], np.int64),
        owners=np.repeat(np.arange(len(ordered)), lengths),
        names=np.array([number for one in terms for number in one], np.uint32),
        code=any(language not in NOT_CODE for language in languages),
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """The documents of one project that may be shown.

    labels [rows]: the label in force of each document; mask [rows]: which may be shown.
    """

    project: DocsProject
    view: DocsView
    labels: tuple[str, ...]
    mask: NDArray[np.bool_]

    @property
    def kind(self) -> DocsKind:
        """What the documents are beside."""
        return self.view.kind(self.project.kind)

    @property
    def versions(self) -> NDArray[np.int64]:
        """The versions that may be shown."""
        return self.view.versions[self.mask]


class DocsViews:
    """Keeps views and frequencies of documents; bounded, oldest use goes first."""

    def __init__(self, reader: DocsReader) -> None:
        self._reader = reader
        self._views: OrderedDict[int, DocsView] = OrderedDict()
        self._counted: OrderedDict[tuple[int, str], _Counted] = OrderedDict()

    def shown(self, scope: DocsScope) -> tuple[Shown, ...]:
        """Return what of each project may be shown, in the scope's order."""
        return tuple(self._shown(project, scope.labels) for project in scope.projects)

    def _shown(self, project: DocsProject, permitted: frozenset[str] | None) -> Shown:
        view = self._view(project.scope.project_id, project.scope.generation)
        labels = tuple(
            label_in_force(row.audience, row.refused, project.audience) for row in view.rows
        )
        mask = np.array(
            [permitted is None or label in permitted for label in labels], np.bool_
        ).reshape(len(labels))
        if project.scope.only is not None:
            only = np.fromiter(project.scope.only, np.int64, len(project.scope.only))
            mask &= np.isin(view.versions, only)
        return Shown(project, view, labels, mask)

    def _view(self, project_id: int, generation: int) -> DocsView:
        known = self._views.get(project_id)
        if known is None or known.generation < generation:
            seen, rows, languages = self._reader.documents(project_id)
            known = self._views[project_id] = build_docs_view(project_id, seen, rows, languages)
        self._views.move_to_end(project_id)
        while len(self._views) > MAX_VIEWS:
            self._views.popitem(last=False)
        return known

    def corpus(self, shown: Sequence[Shown]) -> Corpus:
        """Return the word frequencies of all documents that may be shown, as one collection.

        What several work trees show counts several times, which weighs no word more than another.
        """
        parts = [
            (1, self._frequencies(one, label))
            for one in shown
            for label in sorted({one.labels[row] for row in np.flatnonzero(one.mask).tolist()})
        ]
        return Corpus(tuple(parts), sum(part.chunks for _, part in parts))

    def _frequencies(self, shown: Shown, label: str) -> Frequencies:
        """Return those of one label; documents that came and went are added and taken off."""
        key = (shown.view.project_id, label)
        rows = np.flatnonzero(shown.mask).tolist()
        versions = frozenset(
            int(shown.view.versions[row]) for row in rows if shown.labels[row] == label
        )
        known = self._counted.get(key, _NOTHING_COUNTED)
        if known.versions != versions:
            known = self._counted[key] = self._recount(known, versions)
        if key in self._counted:
            self._counted.move_to_end(key)
        while len(self._counted) > MAX_COUNTED:
            self._counted.popitem(last=False)
        return known.frequencies

    def _recount(self, known: _Counted, versions: frozenset[int]) -> _Counted:
        came, went = versions - known.versions, known.versions - versions
        old = self._reader.records(sorted(went))
        if len(went) > len(versions) or len(old) < len(went):  # less work, or nothing to take off
            known, came, old = _NOTHING_COUNTED, versions, {}
        before = known.frequencies
        parts = [(before.ids, before.counts.astype(np.int64))]
        chunks = before.chunks
        for sign, records in ((1, self._reader.records(sorted(came))), (-1, old)):
            for record in records.values():
                vector = term_counts(record)
                parts.append((vector.ids, sign * vector.values.astype(np.int64)))
                chunks += sign * read_record(record).chunks
        return _Counted(versions, _summed(parts, chunks))


@dataclass(frozen=True, slots=True)
class _Counted:
    versions: frozenset[int]
    frequencies: Frequencies


_NOTHING_COUNTED = _Counted(
    frozenset(), Frequencies(np.zeros(0, np.uint32), np.zeros(0, np.int32), 0)
)


def _summed(
    parts: Sequence[tuple[NDArray[np.uint32], NDArray[np.int64]]], chunks: int
) -> Frequencies:
    terms, inverse = np.unique(np.concatenate([ids for ids, _ in parts]), return_inverse=True)
    weights = np.concatenate([counts for _, counts in parts])
    sums = np.bincount(inverse, weights=weights, minlength=len(terms)).astype(np.int32)
    kept = sums > 0
    return Frequencies(terms[kept].astype(np.uint32), sums[kept], chunks)
