"""What travels between the daemon and the store child."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.model import PointBatch, SparseVector, VersionId

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paparatsd.model import ShardKey

FRAME_POINTS = 64
"""Points a frame: the engine takes about 5 ms for them, the longest a query has to wait."""
FRAME_VERSIONS = 100
"""Versions a delete frame, for the same reason."""


@dataclass(frozen=True, slots=True)
class PointFrame:
    """A few points as flat arrays: those pickle ten times faster than objects.

    Terms of point i are `ids[offsets[i]:offsets[i + 1]]`, their values likewise.
    """

    versions: NDArray[np.int64]
    ordinals: NDArray[np.int64]
    kinds: tuple[str, ...]
    languages: tuple[str, ...]
    offsets: NDArray[np.int64]
    ids: NDArray[np.uint32]
    values: NDArray[np.float32]
    dense: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True)
class TidyJob:
    """One part worth tidying: copy `source` to `target`, optimize the copy, swap it in.

    `writes` tells whether the part was written to in the meantime.
    """

    key: ShardKey
    directory: str
    writes: int
    source: str
    target: str


def split_points(points: PointBatch) -> Iterator[PointFrame]:
    """Cut a batch into frames."""
    for start in range(0, len(points.versions), FRAME_POINTS):
        end = start + FRAME_POINTS
        sparse = points.sparse[start:end]
        lengths = [len(vector.ids) for vector in sparse]
        yield PointFrame(
            versions=np.array(points.versions[start:end], dtype=np.int64),
            ordinals=np.array(points.ordinals[start:end], dtype=np.int64),
            kinds=points.kinds[start:end],
            languages=points.languages[start:end],
            offsets=np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))),
            ids=np.concatenate([vector.ids for vector in sparse]).astype(np.uint32),
            values=np.concatenate([vector.values for vector in sparse]).astype(np.float32),
            dense=None if points.dense is None else points.dense[start:end].astype(np.float32),
        )


def join_points(frame: PointFrame) -> PointBatch:
    """Return a frame as a batch."""
    bounds = list(zip(frame.offsets[:-1].tolist(), frame.offsets[1:].tolist(), strict=True))
    return PointBatch(
        versions=tuple(VersionId(version) for version in frame.versions.tolist()),
        ordinals=tuple(frame.ordinals.tolist()),
        kinds=frame.kinds,
        languages=frame.languages,
        sparse=tuple(SparseVector(frame.ids[a:b], frame.values[a:b]) for a, b in bounds),
        dense=frame.dense,
    )
