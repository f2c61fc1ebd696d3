"""What must not reach a vector store is refused at its border, with the reason."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from paparatsd.errors import BadReply
from paparatsd.model import (
    Fingerprint,
    PointBatch,
    Recalled,
    RepoId,
    ShardKey,
    SparseVector,
    VersionId,
)
from paparatsd.store.edge_frames import FRAME_POINTS, split_points
from paparatsd.store.server import collection_name
from paparatsd.store.vectors import check_matrix, check_points, check_sparse, merge_recalled

SHARD = ShardKey(RepoId("r"), "code", Fingerprint("abcdef0123456789"), 4)


def sparse(ids: list[int], values: list[float]) -> SparseVector:
    return SparseVector(np.array(ids, np.uint32), np.array(values, np.float32))


def batch(count: int) -> PointBatch:
    return PointBatch(
        versions=tuple(VersionId(n + 1) for n in range(count)),
        ordinals=tuple(range(count)),
        kinds=("function",) * count,
        languages=("python",) * count,
        sparse=tuple(sparse(list(range(n % 3)), [1.0] * (n % 3)) for n in range(count)),
        dense=np.ones((count, 4), np.float32),
    )


@pytest.mark.parametrize(
    "row",
    [
        [np.nan, 1, 1, 1],
        [np.inf, 1, 1, 1],
        [-np.inf, 1, 1, 1],
        [0, 0, 0, 0],
    ],
)
def test_a_row_that_spoils_search_is_refused(row: list[float]) -> None:
    matrix = np.array([[1, 0, 0, 0], row], np.float32)

    with pytest.raises(BadReply):
        check_matrix(matrix, count=2, dimension=4)


@pytest.mark.parametrize("shape", [(1, 4), (2, 3), (8,)])
def test_a_matrix_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(BadReply, match="expected 2 vectors of size 4"):
        check_matrix(np.ones(shape, np.float32), count=2, dimension=4)


def test_no_rows_at_all_are_fine() -> None:
    assert check_matrix(np.empty((0, 4), np.float32), count=0, dimension=4).shape == (0, 4)


@pytest.mark.parametrize(
    "vector",
    [
        sparse([1, 2], [1.0]),
        sparse([2, 1], [1.0, 1.0]),
        sparse([1, 1], [1.0, 1.0]),
        sparse([1], [np.nan]),
    ],
)
def test_a_lexical_vector_out_of_order_is_refused(vector: SparseVector) -> None:
    with pytest.raises(BadReply):
        check_sparse(vector)


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(BadReply, match="differ in length"):
        check_points(SHARD, replace(batch(3), kinds=("function",)))
    check_points(SHARD, batch(3))


def test_frames_hold_all_points_in_order() -> None:
    points = batch(FRAME_POINTS * 2 + 5)

    frames = list(split_points(points))

    assert [len(frame.versions) for frame in frames] == [FRAME_POINTS, FRAME_POINTS, 5]
    assert np.concatenate([frame.versions for frame in frames]).tolist() == list(points.versions)
    last = frames[-1]
    start, end = last.offsets[4], last.offsets[5]
    assert last.ids[start:end].tolist() == points.sparse[-1].ids.tolist()


def test_parts_merge_by_score_with_ties_in_a_fixed_order() -> None:
    one = Recalled(np.array([5, 9]), np.array([1, 0], np.int32), np.array([0.9, 0.5], np.float32))
    two = Recalled(np.array([2, 5]), np.array([0, 0], np.int32), np.array([0.9, 0.9], np.float32))

    merged = merge_recalled([one, two], 3)

    assert merged.versions.tolist() == [2, 5, 5]
    assert merged.ordinals.tolist() == [0, 0, 1]
    assert len(merge_recalled([], 3).versions) == 0


def test_collections_are_named_by_team_kind_and_fingerprint() -> None:
    assert collection_name(SHARD) == "paparats_code_abcdef01"
    assert collection_name(SHARD, "ops") == "paparats_ops_code_abcdef01"
