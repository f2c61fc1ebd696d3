"""What heads reach, compared with sets computed the plain way."""

from __future__ import annotations

import random

import pytest

from paparatsd.history.dag import CommitRow, Dag
from paparatsd.history.reachable import reachable_from, reached_apart


def random_graph(rng: random.Random, count: int) -> list[tuple[int, ...]]:
    return [
        tuple(sorted(rng.sample(range(number), min(number, rng.choice([1, 1, 1, 2, 3])))))
        for number in range(count)
    ]


@pytest.mark.parametrize("seed", range(30))
def test_what_only_one_side_reaches_is_found_whatever_the_graph(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - a fixed sequence
    parents = random_graph(rng, 40)
    # Clocks that are wrong now and then.
    rows = [CommitRow(n, given, rng.choice([n, 0, 99])) for n, given in enumerate(parents)]
    dag = Dag(rows)
    for _ in range(20):
        heads, without = rng.sample(range(40), rng.choice([1, 2])), rng.randrange(40)
        reached = {one for head in heads for one in reachable_from(dag, head).tolist()}
        expected = reached - set(reachable_from(dag, without).tolist())

        assert reached_apart(dag, heads, without, 1_000) == expected
        if len(expected) > 2:
            assert reached_apart(dag, heads, without, 2) == set()


def test_a_parent_that_is_not_there_ends_the_walk() -> None:
    dag = Dag([CommitRow(5, (4,), 1), CommitRow(6, (5,), 2)])
    assert reachable_from(dag, 6).tolist() == [5, 6]
    assert reachable_from(dag, 4).tolist() == []
    assert reached_apart(dag, [6], 5, 10) == {6}
