from __future__ import annotations

import numpy as np

from paparatsd.search.diversity import MAX_PER_FILE, Pick, overlap, pick_chunks


def spans(*lines: tuple[int, int]) -> np.ndarray:
    return np.array(lines)


def test_overlap_is_a_share_of_the_shorter_range() -> None:
    assert overlap((1, 10), (6, 100)) == 0.5
    assert overlap((1, 10), (11, 20)) == 0.0
    assert overlap((1, 100), (50, 50)) == 1.0


def test_each_file_gives_its_best_chunk_before_any_gives_a_second() -> None:
    chunks = {7: [(1, 0.9), (0, 0.8)], 3: [(0, 0.5)]}
    lines = {7: spans((1, 10), (11, 20)), 3: spans((1, 5))}
    assert pick_chunks([7, 3], chunks, lines, 2) == [Pick(7, 1), Pick(3, 0)]
    assert pick_chunks([7, 3], chunks, lines, 3) == [Pick(7, 1), Pick(3, 0), Pick(7, 0)]


def test_two_chunks_that_overlap_by_more_than_half_are_never_both_shown() -> None:
    chunks = {0: [(0, 1.0), (1, 0.99), (2, 0.98)]}
    lines = {0: spans((1, 40), (10, 50), (41, 80))}
    assert pick_chunks([0], chunks, lines, 5) == [Pick(0, 0), Pick(0, 2)]


def test_a_file_gives_few_chunks_however_many_are_good() -> None:
    chunks = {0: [(i, 1.0) for i in range(9)]}
    lines = {0: spans(*((10 * i, 10 * i + 9) for i in range(9)))}
    assert len(pick_chunks([0], chunks, lines, 9)) == MAX_PER_FILE


def test_poor_further_chunks_are_not_shown() -> None:
    chunks = {0: [(0, 1.0), (1, 0.1)]}
    assert pick_chunks([0], chunks, {0: spans((1, 5), (6, 9))}, 5) == [Pick(0, 0)]


def test_file_without_a_wanted_chunk_gives_none() -> None:
    assert pick_chunks(
        [0, 1], {0: [], 1: [(2, 0.4)]}, {0: spans(), 1: spans((1, 1), (2, 2), (3, 3))}, 5
    ) == [Pick(1, 2)]
