"""What several shards recalled, put together."""

from __future__ import annotations

import numpy as np

from paparatsd.model import Recalled
from paparatsd.search.docs_places import merged_leg

PERMITTED = np.array([1, 2, 3, 7], np.int64)


def leg(*points: tuple[int, int, float]) -> Recalled:
    return Recalled(
        np.array([one[0] for one in points], np.int64),
        np.array([one[1] for one in points], np.int32),
        np.array([one[2] for one in points], np.float32),
    )


def test_the_best_of_all_shards_come_first_and_no_more_than_wanted() -> None:
    found = merged_leg([leg((1, 0, 0.9), (1, 1, 0.1)), None, leg((7, 3, 0.5))], 2, PERMITTED)
    assert found.versions.tolist() == [1, 7]
    assert found.ordinals.tolist() == [0, 3]


def test_what_was_left_out_is_at_most_as_near_as_the_last_one_recalled() -> None:
    assert merged_leg([leg((1, 0, 0.75), (2, 0, 0.5))], 2, PERMITTED).bound == 0.5
    assert (
        merged_leg([leg((1, 0, 0.75)), leg((2, 0, 0.5), (3, 0, 0.25))], 2, PERMITTED).bound == 0.5
    )


def test_where_everything_was_recalled_the_rest_is_unknown() -> None:
    assert merged_leg([leg((1, 0, 0.75))], 2, PERMITTED).bound is None
    assert merged_leg([None], 2, PERMITTED).bound is None


def test_what_is_not_permitted_leaves_no_trace() -> None:
    among = merged_leg([leg((9, 0, 0.9), (1, 0, 0.5)), leg((2, 0, 0.4))], 3, PERMITTED)
    alone = merged_leg([leg((1, 0, 0.5)), leg((2, 0, 0.4))], 3, PERMITTED)
    assert among.versions.tolist() == alone.versions.tolist()
    assert (among.scores.tolist(), among.bound) == (alone.scores.tolist(), alone.bound)
    assert merged_leg([leg((9, 0, 0.9), (9, 1, 0.8))], 2, PERMITTED).bound is None
