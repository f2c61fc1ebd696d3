"""Candidate versions as files of the searched projects, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paparatsd.search.features import FileRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paparatsd.chunks.record import RankRecord
    from paparatsd.search.recall import Pinned


def shown_files(
    pinned: Pinned, versions: NDArray[np.int64]
) -> tuple[list[FileRow], dict[int, tuple[int, ...]]]:
    """Return the candidate files that the filters allow, and which views show each version.

    A version that no pinned view shows (it was written after the plan was made) is left out.
    """
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


def group_copies(
    order: Iterable[int],
    files: Sequence[FileRow],
    records: Sequence[RankRecord],
    owners: dict[int, tuple[int, ...]],
) -> dict[int, tuple[int, ...]]:
    """Return the files in order, identical ones (path and content) once, with the other views.

    Clones and worktrees show the same file many times: that is one answer.
    """
    if all(len(seen) == 1 for seen in owners.values()) and len({one.view for one in files}) <= 1:
        return dict.fromkeys(order, ())
    first: dict[tuple[str, bytes], int] = {}
    views: dict[int, set[int]] = {}
    for at in order:
        key = (files[at].path, records[at].digest)
        leader = first.setdefault(key, at)
        views.setdefault(leader, set()).update(owners[files[at].version])
    return {at: tuple(sorted(seen - {files[at].view})) for at, seen in views.items()}
