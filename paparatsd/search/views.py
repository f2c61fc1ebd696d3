"""What the searched projects show, as arrays: versions, paths, languages, word frequencies.

Everything here is pinned at a generation and never changes; a new generation is a new value.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from paparatsd.chunks.record import read_record, term_counts
from paparatsd.search.paths import PathIndex
from paparatsd.store.rows import Frequencies

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import Chunk, RepoId, ShardKey, Use
    from paparatsd.search.scope import Scope


NOT_CODE = frozenset(
    {"text", "markdown", "rst", "asciidoc", "org", "notebook", "csv"}
    | {"html", "css", "scss", "json", "yaml", "toml", "xml", "ini", "properties"}
    | {"make", "cmake", "dockerfile"}
)
"""Prose, data and settings: they are no part of what a project is written in."""
MAX_VIEWS = 64
"""Generations kept in memory: one per project, and the few that running searches still use."""


@dataclass(frozen=True, slots=True)
class ShownFile:
    """One row of a view."""

    path: str
    version: int
    language: str


class Reader(Protocol):
    """What the search process reads of the catalog (read-only, one consistent state per call)."""

    def view(self, project_id: int) -> tuple[int, Sequence[ShownFile], Frequencies]:
        """Return the project's generation, what it shows, and that view's word frequencies."""
        ...

    def shard_versions(self, shard: ShardKey) -> NDArray[np.int64]:
        """Return all versions that have points in the shard, in any order."""
        ...

    def records(self, versions: Iterable[int]) -> Mapping[int, bytes]:
        """Return the ranking records of these versions; unknown ones are left out."""
        ...

    def definers(self, repos: Sequence[RepoId], folded: Sequence[str]) -> NDArray[np.int64]:
        """Return versions that define a name whose last part, in lower case, is one of these."""
        ...

    def chunks_of(self, version: int) -> tuple[Chunk, ...]:
        """Return the version's chunks with their texts."""
        ...

    def uses_of(self, version: int) -> tuple[Use, ...]:
        """Return the names the version uses."""
        ...

    def used_names(
        self, version: int, kinds_left_out: Collection[str]
    ) -> tuple[list[int], list[str]]:
        """Return lines and names of the uses in a version, by line, but for some kinds of use."""
        ...


@dataclass(frozen=True, slots=True)
class ProjectView:
    """One project at one generation: parallel arrays ordered by path.

    `ordered` is `versions[order]`, ascending; `languages` holds codes into `language_names`, and
    `language_shares` [names] each one's share of the code files (0 for prose and data).
    """

    project_id: int
    generation: int
    paths: tuple[str, ...]
    versions: NDArray[np.int64]
    order: NDArray[np.int64]
    ordered: NDArray[np.int64]
    languages: NDArray[np.int16]
    language_names: tuple[str, ...]
    language_shares: NDArray[np.float64]
    index: PathIndex

    def rows_of(self, versions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the row of each version, -1 where the view does not show it."""
        if len(self.versions) == 0:
            return np.full(len(versions), -1, np.int64)
        at = np.minimum(np.searchsorted(self.ordered, versions), len(self.ordered) - 1)
        return np.where(self.ordered[at] == versions, self.order[at], -1)

    def row_of_path(self, path: str) -> int:
        """Return the row of a path, or -1."""
        at = bisect_left(self.paths, path)
        return at if at < len(self.paths) and self.paths[at] == path else -1


def build_view(
    project_id: int, generation: int, files: Sequence[ShownFile], previous: ProjectView | None
) -> ProjectView:
    """Turn the rows of a view into arrays; an edit keeps the path index of the view before."""
    files = sorted(files, key=lambda file: file.path)
    paths = tuple(file.path for file in files)
    versions = np.array([file.version for file in files], np.int64)
    names = tuple(sorted({file.language for file in files}))
    codes = {name: code for code, name in enumerate(names)}
    order = np.argsort(versions, kind="stable")
    numbers = np.array([codes[file.language] for file in files], np.int16)
    same = previous is not None and previous.paths == paths
    return ProjectView(
        project_id=project_id,
        generation=generation,
        paths=paths,
        versions=versions,
        order=order,
        ordered=versions[order],
        languages=numbers,
        language_names=names,
        language_shares=_shares(numbers, names),
        index=previous.index if same and previous is not None else PathIndex(paths),
    )


def _shares(languages: NDArray[np.int16], names: Sequence[str]) -> NDArray[np.float64]:
    counts = np.bincount(languages, minlength=len(names)).astype(np.float64)
    counts[[name in NOT_CODE for name in names]] = 0.0
    return counts / max(1.0, float(counts.sum()))


@dataclass(frozen=True, slots=True)
class Corpus:
    """All searched views as one collection, each version counted once.

    Frequencies are sums over `parts` (sign, frequencies): the projects' own, and what corrects
    for versions that several of them show. `popularity` is filled as files become candidates:
    version -> how often the names that it defines are used.
    """

    parts: tuple[tuple[int, Frequencies], ...]
    chunks: int
    popularity: dict[int, float] = field(default_factory=dict, compare=False)

    def frequency(self, ids: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return in how many chunks each term stands."""
        total = np.zeros(len(ids), np.float64)
        order = ids.argsort()  # neighbours are looked up in the same part of memory
        wanted = ids[order]
        for sign, part in self.parts:
            if len(part.ids) == 0:
                continue
            at = np.minimum(part.ids.searchsorted(wanted), len(part.ids) - 1)
            total += (part.ids[at] == wanted) * (sign * part.counts[at])
        out = np.empty_like(total)
        out[order] = np.minimum(np.maximum(total, 0.0), self.chunks)
        return out

    def idf(self, ids: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return ln(1 + (N - n + 0.5) / (n + 0.5)) over the chunks of the union."""
        return self.idf_of(self.frequency(ids))

    def idf_of(self, frequency: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the idf of terms that stand in so many chunks."""
        return np.log1p((self.chunks - frequency + 0.5) / (frequency + 0.5))


class Views:
    """Keeps views, frequencies and corpora by generation; bounded, oldest use goes first."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._views: OrderedDict[int, tuple[ProjectView, Frequencies]] = OrderedDict()
        self._corpora: OrderedDict[tuple[tuple[int, int], ...], Corpus] = OrderedDict()

    def view(self, project_id: int, generation: int) -> ProjectView:
        """Return the project's view at this generation or at a later one that replaced it."""
        return self._load(project_id, generation)[0]

    def _load(self, project_id: int, generation: int) -> tuple[ProjectView, Frequencies]:
        known = self._views.get(project_id)
        if known is not None and known[0].generation >= generation:
            self._views.move_to_end(project_id)
            return known
        seen, files, frequencies = self._reader.view(project_id)
        view = build_view(project_id, seen, files, known[0] if known else None)
        entry = (view, frequencies)
        self._views[project_id] = entry
        self._views.move_to_end(project_id)
        while len(self._views) > MAX_VIEWS:
            self._views.popitem(last=False)
        return entry

    def corpus(self, scope: Scope) -> tuple[tuple[ProjectView, ...], Corpus]:
        """Return the views of a scope, in its order, and their union."""
        loaded = [self._load(one.project_id, one.generation) for one in scope.projects]
        views = tuple(view for view, _ in loaded)
        key = tuple((view.project_id, view.generation) for view in views)
        corpus = self._corpora.get(key)
        if corpus is None:
            corpus = self._unite(scope, loaded)
            self._corpora[key] = corpus
            while len(self._corpora) > MAX_VIEWS:
                self._corpora.popitem(last=False)
        return views, corpus

    def _unite(self, scope: Scope, loaded: Sequence[tuple[ProjectView, Frequencies]]) -> Corpus:
        """Add the views up; where two show the same versions, count the smaller difference."""
        parts: list[tuple[int, Frequencies]] = []
        seen: dict[str, NDArray[np.int64]] = {}
        for project, (view, frequencies) in zip(scope.projects, loaded, strict=True):
            before = seen.get(project.repo, np.zeros(0, np.int64))
            twice = np.isin(view.versions, before)
            shared, new = view.versions[twice], view.versions[~twice]
            if len(shared) == 0:
                parts.append((1, frequencies))
            elif len(new) <= len(shared):
                parts.append((1, self._counted(new)))
            else:
                parts += [(1, frequencies), (-1, self._counted(shared))]
            seen[project.repo] = np.concatenate([before, new])
        return Corpus(tuple(parts), max(0, sum(sign * part.chunks for sign, part in parts)))

    def _counted(self, versions: NDArray[np.int64]) -> Frequencies:
        """Count the words of these versions from their records."""
        records = self._reader.records(versions.tolist())
        vectors = [term_counts(data) for data in records.values()]
        chunks = sum(read_record(data).chunks for data in records.values())
        ids = np.concatenate([np.zeros(0, np.uint32), *[vector.ids for vector in vectors]])
        counts = np.concatenate([np.zeros(0), *[vector.values for vector in vectors]])
        terms, inverse = np.unique(ids, return_inverse=True)
        sums = np.bincount(inverse, weights=counts, minlength=len(terms)).astype(np.int32)
        return Frequencies(terms, sums, chunks)
