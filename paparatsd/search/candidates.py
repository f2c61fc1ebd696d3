"""Candidate versions as files of the searched projects, each once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paparatsd.search.arena import Records
    from paparatsd.search.recall import Pinned
    from paparatsd.search.views import ProjectView

    Owners = dict[int, tuple[int, ...]]


class FileRow(NamedTuple):
    """A candidate file: the first view of the scope that shows it, and its row there."""

    view: int
    row: int
    path: str
    version: int


@dataclass(frozen=True, slots=True, eq=False)
class Files(Sequence[FileRow]):
    """The candidate files of a question: parallel arrays, of which single rows are read on demand.

    Of some hundred files most are only computed with.
    """

    shown: tuple[ProjectView, ...]
    views: NDArray[np.int64]
    rows: NDArray[np.int64]
    versions: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self.rows)

    @overload
    def __getitem__(self, at: int) -> FileRow: ...
    @overload
    def __getitem__(self, at: slice) -> list[FileRow]: ...
    def __getitem__(self, at: int | slice) -> FileRow | list[FileRow]:
        """Return one file, or some."""
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        view, row = int(self.views[at]), int(self.rows[at])
        return FileRow(view, row, self.shown[view].paths[row], int(self.versions[at]))

    def take(self, places: Sequence[int]) -> Files:
        """Return some of the files."""
        return Files(self.shown, self.views[places], self.rows[places], self.versions[places])


def shown_files(pinned: Pinned, versions: NDArray[np.int64]) -> tuple[Files, Owners]:
    """Return the candidate files that the filters allow, and which views show each version.

    A version that no pinned view shows (it was written after the plan was made) is left out. Of one
    view the second is empty.
    """
    found: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for view, allowed in zip(pinned.views, pinned.allowed.rows, strict=True):
        rows = view.rows_of(versions)
        places = (rows >= 0).nonzero()[0]
        places = places[allowed[rows[places]]]
        found.append((places, rows[places]))
    if len(found) == 1:
        ((places, rows),) = found
        return Files(pinned.views, np.zeros_like(rows), rows, versions[places]), {}
    counts = [len(places) for places, _ in found]
    views = np.arange(len(found)).repeat(counts)
    every = np.concatenate([places for places, _ in found])
    rows = np.concatenate([rows for _, rows in found])
    owners: Owners = {}
    for version, number in zip(versions[every].tolist(), views.tolist(), strict=True):
        owners[version] = (*owners.get(version, ()), number)
    first = np.sort(np.unique(every, return_index=True)[1])  # in the order of the views
    return Files(pinned.views, views[first], rows[first], versions[every[first]]), owners


def group_copies(
    order: Iterable[int], files: Files, records: Records, owners: Owners
) -> dict[int, tuple[int, ...]]:
    """Return the files in order, identical ones (path and content) once, with the other views.

    Clones and worktrees show the same file many times: that is one answer.
    """
    if not owners or (
        len(set(files.views.tolist())) <= 1 and set(map(len, owners.values())) == {1}
    ):
        return dict.fromkeys(order, ())
    first: dict[tuple[str, bytes], int] = {}
    views: dict[int, set[int]] = {}
    for at in order:
        file = files[at]
        leader = first.setdefault((file.path, records.digest(at)), at)
        views.setdefault(leader, set()).update(owners[file.version])
    return {at: tuple(sorted(seen - {int(files.views[at])})) for at, seen in views.items()}
