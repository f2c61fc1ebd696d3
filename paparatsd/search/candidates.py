"""Candidate versions as files of the searched projects, each once."""

from __future__ import annotations

from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.search.features import FileRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paparatsd.search.arena import Records
    from paparatsd.search.recall import Pinned


def shown_files(
    pinned: Pinned, versions: NDArray[np.int64]
) -> tuple[list[FileRow], dict[int, tuple[int, ...]]]:
    """Return the candidate files that the filters allow, and which views show each version.

    A version that no pinned view shows (it was written after the plan was made) is left out.
    """
    if len(pinned.views) == 1:
        return _of_one_view(pinned, versions)
    files: dict[int, FileRow] = {}
    owners: dict[int, tuple[int, ...]] = {}
    for number, (view, allowed) in enumerate(zip(pinned.views, pinned.allowed.rows, strict=True)):
        rows = view.rows_of(versions)
        shown = np.flatnonzero(rows >= 0)
        shown = shown[allowed[rows[shown]]]
        for version, row in zip(versions[shown].tolist(), rows[shown].tolist(), strict=True):
            if version not in files:
                files[version] = FileRow(number, row, view.paths[row], version)
            owners[version] = (*owners.get(version, ()), number)
    return list(files.values()), owners


def _of_one_view(
    pinned: Pinned, versions: NDArray[np.int64]
) -> tuple[list[FileRow], dict[int, tuple[int, ...]]]:
    view, allowed = pinned.views[0], pinned.allowed.rows[0]
    rows = view.rows_of(versions)
    shown = ((rows >= 0) & allowed[rows]).nonzero()[0]
    paths, numbers = view.paths, versions[shown].tolist()
    places = rows[shown].tolist()
    # `FileRow(...)` runs Python code for each; this fills the tuples alone.
    fill = partial(tuple.__new__, FileRow)
    files = list(map(fill, zip(repeat(0), places, map(paths.__getitem__, places), numbers)))
    return files, dict.fromkeys(numbers, (0,))


def group_copies(
    order: Iterable[int],
    files: Sequence[FileRow],
    records: Records,
    owners: dict[int, tuple[int, ...]],
) -> dict[int, tuple[int, ...]]:
    """Return the files in order, identical ones (path and content) once, with the other views.

    Clones and worktrees show the same file many times: that is one answer.
    """
    if not files or (files[0].view == files[-1].view and _are_of_one_view(files, owners)):
        return dict.fromkeys(order, ())
    first: dict[tuple[str, bytes], int] = {}
    views: dict[int, set[int]] = {}
    for at in order:
        key = (files[at].path, records.digest(at))
        leader = first.setdefault(key, at)
        views.setdefault(leader, set()).update(owners[files[at].version])
    return {at: tuple(sorted(seen - {files[at].view})) for at, seen in views.items()}


def _are_of_one_view(files: Sequence[FileRow], owners: dict[int, tuple[int, ...]]) -> bool:
    return len({one.view for one in files}) == 1 and set(map(len, owners.values())) == {1}
