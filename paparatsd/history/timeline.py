"""Which commits are part of which chunks of one project's view, as columns of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.commits import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.commits import ChunkPast

    Place = tuple[int, int]


MAX_ASIDE = 4_000
"""File versions that stay in memory though the view does not show them: those of other branches."""


@dataclass(frozen=True, slots=True)
class _File:
    """What is known of one file version: `commits` and `chunks` are parallel columns.

    `fresh` are the chunks that have uncommitted lines.
    """

    commits: NDArray[np.int64]
    chunks: NDArray[np.int32]
    fresh: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Columns:
    """All files end to end: which version each row is of (by its place in `versions`)."""

    versions: NDArray[np.int64]
    commits: NDArray[np.int64]
    chunks: NDArray[np.int32]
    owners: NDArray[np.int32]
    fresh_chunks: NDArray[np.int32]
    fresh_owners: NDArray[np.int32]


class Timeline:
    """Filled file by file, asked as a whole. A merge that only carried commits is no part of it."""

    def __init__(self) -> None:
        self._files: dict[int, _File] = {}
        self._bases: dict[int, int] = {}
        self._aside: dict[int, tuple[int, _File]] = {}
        self._columns: _Columns | None = None

    def __len__(self) -> int:
        """Return the number of file versions."""
        return len(self._files)

    def base(self, version: int) -> int | None:
        """Return as seen from which commit a version is here; None when it is not."""
        return self._bases.get(version)

    def put(self, version: int, base: int, pasts: Sequence[ChunkPast]) -> None:
        """Add or replace what came of the chunks of a version, in their order."""
        rows = [
            (one.commit, chunk)
            for chunk, past in enumerate(pasts)
            for one in past.commits
            if one.role is not Role.CARRIER
        ]
        fresh = [chunk for chunk, past in enumerate(pasts) if past.uncommitted]
        table = np.array(rows, np.int64).reshape(-1, 2)
        self._files[version] = _File(
            table[:, 0].copy(), table[:, 1].astype(np.int32), np.array(fresh, np.int32)
        )
        self._bases[version] = base
        self._columns = None

    def adopt(self, version: int, other: Timeline) -> None:
        """Add or replace a version as another timeline has it; both share its columns."""
        self._files[version] = other._files[version]
        self._bases[version] = other._bases[version]
        self._columns = None

    def keep(self, versions: Iterable[int]) -> None:
        """Put aside what the view does not show any more; most likely it comes back."""
        gone = self._files.keys() - set(versions)
        for version in gone:
            self._aside[version] = (self._bases.pop(version), self._files.pop(version))
        while len(self._aside) > MAX_ASIDE:
            del self._aside[next(iter(self._aside))]
        if gone:
            self._columns = None

    def bring_back(self, version: int, base: int) -> bool:
        """Take a version that was put aside, if it was seen from this base."""
        if self._aside.get(version, (None,))[0] != base:
            return False
        self._bases[version], self._files[version] = self._aside.pop(version)
        self._columns = None
        return True

    def chunks_of(
        self, commits: NDArray[np.int64] | None, *, fresh: bool
    ) -> dict[int, frozenset[int]]:
        """Return the chunks that any of these commits is part of, by version.

        None stands for all commits. With `fresh` also those with uncommitted lines.
        """
        columns = self._all()
        chosen = slice(None) if commits is None else np.isin(columns.commits, commits)
        owners, chunks = columns.owners[chosen], columns.chunks[chosen]
        if fresh:
            owners = np.concatenate([owners, columns.fresh_owners])
            chunks = np.concatenate([chunks, columns.fresh_chunks])
        keys = np.unique(owners.astype(np.int64) << 32 | chunks)
        found: dict[int, list[int]] = {}
        for owner, chunk in zip((keys >> 32).tolist(), (keys & 0xFFFFFFFF).tolist(), strict=True):
            found.setdefault(int(columns.versions[owner]), []).append(chunk)
        return {version: frozenset(numbers) for version, numbers in found.items()}

    def touched_by(self, commits: Sequence[int]) -> Mapping[int, list[Place]]:
        """Return for each commit the (version, chunk) that it is part of, in no order."""
        columns = self._all()
        rows = np.flatnonzero(np.isin(columns.commits, np.array(commits, np.int64)))
        found: dict[int, list[Place]] = {commit: [] for commit in commits}
        for row in rows.tolist():
            place = int(columns.versions[columns.owners[row]]), int(columns.chunks[row])
            found[int(columns.commits[row])].append(place)
        return found

    def _all(self) -> _Columns:
        if self._columns is None:
            self._columns = _joined(self._files)
        return self._columns


def _joined(files: Mapping[int, _File]) -> _Columns:
    parts = list(files.values())
    numbers = np.arange(len(parts), dtype=np.int32)
    none = [np.zeros(0, np.int32)]
    return _Columns(
        versions=np.fromiter(files, np.int64, len(files)),
        commits=np.concatenate([*(one.commits for one in parts), np.zeros(0, np.int64)]),
        chunks=np.concatenate([*(one.chunks for one in parts), *none]),
        owners=np.repeat(numbers, [len(one.commits) for one in parts]),
        fresh_chunks=np.concatenate([*(one.fresh for one in parts), *none]),
        fresh_owners=np.repeat(numbers, [len(one.fresh) for one in parts]),
    )
