"""The documents that projects show: who may see them, what they are called, how often words occur.

A view is pinned at a generation and never changes. Word frequencies are counted over the documents
that may be shown and nothing else: what somebody may not see must not move what he sees either.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from paparatsd.chunks.terms import text_ids
from paparatsd.docs_model import DocsKind
from paparatsd.naming import UNLABELLED
from paparatsd.search.audience import label_in_force
from paparatsd.search.docs_counts import NOTHING, count, nearer
from paparatsd.search.views import MAX_VIEWS, NOT_CODE, Corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.search.docs_asked import DocsProject, DocsScope
    from paparatsd.search.docs_counts import Counted
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

    labels [rows]: the label that stands in each document, as a number of `label_names` ("": none).
    `owners` and `names` are the terms of titles and paths: row and number of each. `code`: whether
    the project shows any code.
    """

    project_id: int
    generation: int
    rows: tuple[DocumentRow, ...]
    versions: NDArray[np.int64]
    labels: NDArray[np.int64]
    label_names: tuple[str, ...]
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
        at = bisect_left(self.rows, path, key=lambda row: row.path)
        return at if at < len(self.rows) and self.rows[at].path == path else -1

    def labelled(self, label: int) -> frozenset[int]:
        """Return the versions with one of the labels."""
        return frozenset(self.versions[self.labels == label].tolist())


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
    # What was to be a label and is none must not show a document to more people than were meant.
    written = [UNLABELLED if row.refused else row.audience for row in ordered]
    labels = {name: number for number, name in enumerate(sorted(set(written)))}
    return DocsView(
        project_id=project_id,
        generation=generation,
        rows=ordered,
        versions=np.array([row.version for row in ordered], np.int64),
        labels=np.array([labels[name] for name in written], np.int64),
        label_names=tuple(labels),
        owners=np.repeat(np.arange(len(ordered)), lengths),
        names=np.array([number for one in terms for number in one], np.uint32),
        code=any(language not in NOT_CODE for language in languages),
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """The documents of one project that may be shown.

    labels: the label in force for each of the view's `label_names`; permitted: the numbers of those
    that may be shown; mask [rows]: which documents may.
    """

    project: DocsProject
    view: DocsView
    labels: tuple[str, ...]
    permitted: tuple[int, ...]
    mask: NDArray[np.bool_]

    @property
    def kind(self) -> DocsKind:
        """What the documents are beside."""
        return self.view.kind(self.project.kind)

    @property
    def versions(self) -> NDArray[np.int64]:
        """The versions that may be shown."""
        return self.view.versions[self.mask]

    def label(self, row: int) -> str:
        """Return the label in force of a document."""
        return self.labels[int(self.view.labels[row])]


class DocsViews:
    """Keeps views and frequencies of documents; bounded, oldest use goes first."""

    def __init__(self, reader: DocsReader) -> None:
        self._reader = reader
        self._views: OrderedDict[int, DocsView] = OrderedDict()
        self._counted: OrderedDict[tuple[int, str], Counted] = OrderedDict()

    def shown(self, scope: DocsScope) -> tuple[Shown, ...]:
        """Return what of each project may be shown, in the scope's order."""
        return tuple(self._shown(project, scope.labels) for project in scope.projects)

    def _shown(self, project: DocsProject, permitted: frozenset[str] | None) -> Shown:
        view = self.view(project.scope.project_id, project.scope.generation)
        labels = tuple(label_in_force(name, project.audience) for name in view.label_names)
        numbers = tuple(
            number for number, label in enumerate(labels) if permitted is None or label in permitted
        )
        return Shown(project, view, labels, numbers, np.isin(view.labels, numbers))

    def view(self, project_id: int, generation: int) -> DocsView:
        """Return a project's documents at this generation or at a later one that replaced it."""
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
        parts = []
        for one in shown:
            for label in one.permitted:
                key = one.view.project_id, one.view.label_names[label]
                wanted = one.view.labelled(label)
                counted = count(self._counted.get(key, NOTHING), wanted, self._reader)
                self._keep(key, counted)
                parts.append((1, counted.frequencies))
        return Corpus(tuple(parts), sum(part.chunks for _, part in parts))

    def _keep(self, key: tuple[int, str], counted: Counted) -> None:
        self._counted[key] = counted
        self._counted.move_to_end(key)
        while len(self._counted) > MAX_COUNTED:
            self._counted.popitem(last=False)

    def count_ahead(self, project_id: int, generation: int) -> bool:
        """Count a few more documents of a project; say whether there are more."""
        view = self.view(project_id, generation)
        for label, name in enumerate(view.label_names):
            known, wanted = self._counted.get((project_id, name), NOTHING), view.labelled(label)
            if known.versions != wanted:
                self._keep((project_id, name), nearer(known, wanted, self._reader))
                return True
        return False
