"""The graph of commits: chains, order, and growth in every direction."""

from __future__ import annotations

import random
import sys

import pytest

from paparatsd.history.dag import ROOT, UNKNOWN, CommitRow, Dag


def random_rows(seed: int, count: int) -> list[CommitRow]:
    """Return a graph with merges, parents first; clocks go wrong now and then."""
    rng = random.Random(seed)  # noqa: S311 - a fixed graph
    rows: list[CommitRow] = []
    for number in range(count):
        parents = rng.sample(range(max(0, number - 6), number), min(number, rng.choice([1, 1, 2])))
        rows.append(CommitRow(number, tuple(parents), 1000 + number * 10 - rng.choice([0, 0, 500])))
    return rows


def walk(dag: Dag, number: int) -> list[int]:
    """Return the first parents of a commit by chain and position."""
    at = {(dag.chain(n), dag.position(n)): n for n in range(len(dag))}
    seen = []
    chain, position = dag.chain(number), dag.position(number)
    while True:
        seen += [at[chain, below] for below in range(position, -1, -1)]
        base = dag.base(chain)
        if base < 0:
            return seen
        chain, position = dag.chain(base), dag.position(base)


def test_a_walk_down_the_chains_meets_the_first_parents_in_order() -> None:
    rows = random_rows(1, 300)
    dag = Dag(rows)

    for number in (299, 250, 17):
        expected = [number]
        while rows[expected[-1]].parents:
            expected.append(rows[expected[-1]].parents[0])
        assert walk(dag, number) == expected


def test_the_longer_branch_goes_on_with_the_chain() -> None:
    dag = Dag([CommitRow(0, ()), CommitRow(1, (0,)), CommitRow(2, (0,)), CommitRow(3, (2,))])

    assert dag.chain(0) == dag.chain(2) == dag.chain(3) != dag.chain(1)
    assert [dag.position(n) for n in range(4)] == [0, 0, 1, 2]
    assert dag.base(dag.chain(1)) == 0
    assert dag.base(dag.chain(0)) == ROOT


def test_parents_come_back_as_they_were_given() -> None:
    rows = [CommitRow(5, ()), CommitRow(6, (5, UNKNOWN)), CommitRow(900_000, (6, 5, 7))]
    dag = Dag(rows)

    assert [dag.parents(row.number) for row in rows] == [row.parents for row in rows]
    assert [dag.parent_count(row.number) for row in rows] == [0, 2, 3]
    assert [dag.first_parent(row.number) for row in rows] == [ROOT, 5, 6]
    assert 900_000 in dag
    assert 7 not in dag
    assert UNKNOWN not in dag
    assert len(dag) == 3


@pytest.mark.parametrize("seed", range(5))
def test_children_come_after_their_parents_whatever_the_clocks_say(seed: int) -> None:
    rows = random_rows(seed, 200)
    dag = Dag(rows)

    assert all(dag.order(row.number) > dag.order(p) for row in rows for p in row.parents)
    assert all(dag.order(row.number) >= row.instant for row in rows)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_is_the_same_whichever_part_of_history_comes_first(seed: int) -> None:
    rows = random_rows(seed, 200)
    whole = Dag(rows)
    newest_first = Dag()
    for start in range(180, -1, -20):
        newest_first.extend(reversed(rows[start : start + 20]))
        assert newest_first.order(start) is not None
    one_by_one = Dag()
    for row in rows:
        one_by_one.extend([row])

    for row in rows:
        assert whole.order(row.number) == newest_first.order(row.number)
        assert whole.order(row.number) == one_by_one.order(row.number)
    assert walk(newest_first, 199) == walk(whole, 199) == walk(one_by_one, 199)


def test_a_chain_ends_where_its_parent_is_not_here_and_goes_on_when_it_comes() -> None:
    dag = Dag([CommitRow(4, (3,), 40), CommitRow(5, (4,), 50)])
    assert dag.base(dag.chain(5)) == 3
    assert 3 not in dag

    dag.extend([CommitRow(3, (), 90)])

    assert 3 in dag
    assert [dag.order(n) for n in (3, 4, 5)] == [90, 91, 92]


def test_a_commit_that_is_here_is_left_alone() -> None:
    dag = Dag([CommitRow(0, ()), CommitRow(1, (0,))])

    dag.extend([CommitRow(1, ()), CommitRow(2, (1,))])

    assert dag.parents(1) == (0,)
    assert len(dag) == 3


def test_a_circle_is_refused_and_nothing_is_added() -> None:
    dag = Dag([CommitRow(0, ())])

    with pytest.raises(ValueError, match="own ancestor"):
        dag.extend([CommitRow(1, (2,)), CommitRow(2, (1,)), CommitRow(3, (0,))])

    assert len(dag) == 1
    assert 3 not in dag


def test_a_large_graph_stays_small() -> None:
    dag = Dag(random_rows(3, 20_000))

    # What hangs on the object: the arrays, and a table of pages.
    parts = [getattr(dag, name) for name in vars(dag)]
    assert sum(sys.getsizeof(part) for part in parts) < 20_000 * 78
