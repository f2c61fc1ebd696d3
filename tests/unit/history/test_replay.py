"""The replay on histories written by hand: roles, births, ends, limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.commits import Change, ChunkPast, Hunk, Involvement, Role, Touch
from paparatsd.history.dag import UNKNOWN, CommitRow, Dag
from paparatsd.history.replay import (
    STATES_PER_STEP,
    FileNow,
    replay,
    replay_by_steps,
)
from paparatsd.history.trail import last_touch
from tests.integration.history_reader import MemoryFacts

if TYPE_CHECKING:
    from collections.abc import Iterable

AUTHOR, CARRIER, RESOLUTION = Role.AUTHOR, Role.CARRIER, Role.RESOLUTION
PATH = "a.py"
TEN_LINES = Touch(PATH, 0, Change.ADD, "b", (Hunk(0, 0, 1, 10),))


def change(*hunks: tuple[int, int, int, int], parent: int = 0, same_in: int | None = None) -> Touch:
    return Touch(PATH, parent, Change.MODIFY, "b", tuple(Hunk(*h) for h in hunks), same_in=same_in)


def line(parents: Iterable[tuple[int, ...]]) -> Dag:
    return Dag(CommitRow(n, given, 1000 + n) for n, given in enumerate(parents))


def facts(*touches: tuple[int, Touch]) -> MemoryFacts:
    return MemoryFacts(touches)


def test_a_range_has_who_changed_it_and_who_began_it() -> None:
    dag = line([(), (0,), (1,), (2,)])
    known = facts((0, TEN_LINES), (1, change((3, 1, 3, 2))), (3, change((9, 1, 9, 1))))

    above, below, whole = replay(known, dag, FileNow(3, PATH, 11), [(1, 5), (6, 11), (1, 99)])

    assert above == ChunkPast(
        1, 5, (Involvement(1, AUTHOR, 2), Involvement(0, AUTHOR, 3, born=True))
    )
    assert below == ChunkPast(
        6, 11, (Involvement(3, AUTHOR, 1), Involvement(0, AUTHOR, 5, born=True))
    )
    assert [(c.commit, c.lines) for c in whole.commits] == [(3, 1), (1, 2), (0, 8)]
    assert last_touch(known, dag, 3, PATH) == 3
    assert last_touch(known, dag, 2, PATH) == 1


def test_what_was_overwritten_is_named_without_lines() -> None:
    dag = line([(), (0,), (1,), (2,)])
    known = facts((0, TEN_LINES), (1, change((4, 1, 4, 1))), (2, change((4, 1, 4, 1))),
                  (3, change((6, 2, 5, 0))))  # fmt: skip

    (past,) = replay(known, dag, FileNow(3, PATH, 8), [(4, 7)])

    assert [(c.commit, c.lines) for c in past.commits] == [(3, 0), (2, 1), (1, 0), (0, 3)]


def test_a_range_added_later_ends_where_it_was_added() -> None:
    dag = line([(), (0,), (1,)])
    known = facts((0, TEN_LINES), (1, change((5, 0, 6, 4))), (2, change((1, 1, 1, 1))))

    (past,) = replay(known, dag, FileNow(2, PATH, 14), [(6, 9)])

    assert past == ChunkPast(6, 9, (Involvement(1, AUTHOR, 4, born=True),))


def test_a_renamed_file_keeps_its_past_also_where_names_are_swapped() -> None:
    dag = line([(), (0,), (1,)])
    other = replace(TEN_LINES, path="b.py")
    known = facts(
        (0, TEN_LINES),
        (1, other),
        (2, Touch("a.py", 0, Change.RENAME, "b", (), "b.py")),
        (2, Touch("b.py", 0, Change.RENAME, "b", (Hunk(1, 1, 1, 1),), "a.py")),
    )

    (a,) = replay(known, dag, FileNow(2, "a.py", 10), [(1, 10)])
    (b,) = replay(known, dag, FileNow(2, "b.py", 10), [(1, 10)])

    assert [(c.commit, c.lines) for c in a.commits] == [(1, 10)]
    assert [(c.commit, c.lines) for c in b.commits] == [(2, 1), (0, 9)]


def test_a_merge_carries_what_came_from_the_branch_and_writes_nothing() -> None:
    dag = line([(), (0,), (0,), (2, 1)])
    known = facts((0, TEN_LINES), (1, change((3, 1, 3, 1))), (3, change((3, 1, 3, 1), same_in=1)))

    inside, beside = replay(known, dag, FileNow(3, PATH, 10), [(2, 4), (6, 8)])

    assert [(c.commit, c.role, c.lines) for c in inside.commits] == [
        (3, CARRIER, 0), (1, AUTHOR, 1), (0, AUTHOR, 2),
    ]  # fmt: skip
    assert [c.commit for c in beside.commits] == [0]
    assert last_touch(known, dag, 3, PATH) == 3


def test_a_merge_of_two_changed_sides_resolves_only_what_neither_has() -> None:
    dag = line([(), (0,), (0,), (1, 2)])
    known = facts(
        (0, TEN_LINES),
        (1, change((2, 1, 2, 1))),
        (2, change((8, 1, 8, 1))),
        (3, change((5, 1, 5, 1), (8, 1, 8, 1))),
        (3, change((2, 1, 2, 1), (5, 1, 5, 1), parent=1)),
    )

    first, middle, last, whole = replay(
        known, dag, FileNow(3, PATH, 10), [(1, 3), (4, 6), (7, 9), (1, 10)]
    )

    assert [(c.commit, c.role, c.lines) for c in first.commits] == [
        (1, AUTHOR, 1), (0, AUTHOR, 2),
    ]  # fmt: skip
    assert [(c.commit, c.role, c.lines) for c in middle.commits] == [
        (3, RESOLUTION, 1), (0, AUTHOR, 2),
    ]  # fmt: skip
    assert [(c.commit, c.role, c.lines) for c in last.commits] == [
        (3, CARRIER, 0), (2, AUTHOR, 1), (0, AUTHOR, 2),
    ]  # fmt: skip
    assert [(c.commit, c.role) for c in whole.commits] == [
        (3, RESOLUTION), (2, AUTHOR), (1, AUTHOR), (0, AUTHOR),
    ]  # fmt: skip
    assert sum(c.lines for c in whole.commits) == 10


def test_what_a_range_was_on_both_sides_of_a_merge_is_looked_for_below_them() -> None:
    dag = line([(), (0,), (1,), (2,), (2,), (3, 4)])
    known = facts(
        (0, TEN_LINES),
        (1, change((9, 1, 9, 1))),
        (2, change((1, 1, 1, 1))),
        (3, change((10, 1, 10, 1))),
        (4, change((10, 1, 10, 1))),
        (5, change((5, 5, 5, 5))),
        (5, change((1, 5, 1, 5), parent=1)),
    )

    (past,) = replay(known, dag, FileNow(5, PATH, 10), [(5, 5)])

    assert [(c.commit, c.role) for c in past.commits] == [
        (5, RESOLUTION), (2, AUTHOR), (1, AUTHOR), (0, AUTHOR),
    ]  # fmt: skip


def test_facts_may_come_in_any_order() -> None:
    dag = line([(), (0,), (1,), (2,)])
    touches = [(0, TEN_LINES), *((n, change((n, 1, n, 1))) for n in (1, 2, 3))]

    for given in (touches, touches[::-1]):
        (past,) = replay(facts(*given), dag, FileNow(3, PATH, 10), [(1, 10)])
        assert [c.commit for c in past.commits] == [3, 2, 1, 0]
        assert last_touch(facts(*given), dag, 2, PATH) == 2


def test_a_merge_without_a_touch_leads_along_its_first_parent() -> None:
    dag = line([(), (0,), (0,), (2, 1)])
    known = facts((0, TEN_LINES), (1, change((3, 1, 3, 1))))

    (past,) = replay(known, dag, FileNow(3, PATH, 10), [(1, 10)])

    assert [c.commit for c in past.commits] == [0]
    assert last_touch(known, dag, 3, PATH) == 0


def test_history_that_is_cut_off_credits_nobody_for_what_lies_below() -> None:
    dag = Dag([CommitRow(1, (0,), 10), CommitRow(2, (1,), 20)])
    known = facts((2, change((3, 1, 3, 1))))

    touched, beside = replay(known, dag, FileNow(2, PATH, 10), [(2, 4), (6, 8)])

    assert touched == ChunkPast(2, 4, (Involvement(2, AUTHOR, 1),), complete=False)
    assert beside == ChunkPast(6, 8, (), complete=False)


def test_a_range_that_began_above_the_cut_is_complete() -> None:
    dag = Dag([CommitRow(1, (0,), 10), CommitRow(2, (1,), 20)])
    known = facts((2, change((2, 0, 3, 3))))

    (past,) = replay(known, dag, FileNow(2, PATH, 13), [(3, 5)])

    assert past == ChunkPast(3, 5, (Involvement(2, AUTHOR, 3, born=True),))


def test_the_commit_at_the_cut_seems_to_add_all_and_is_not_credited() -> None:
    dag = Dag([CommitRow(1, (UNKNOWN,))])

    (past,) = replay(facts((1, TEN_LINES)), dag, FileNow(1, PATH, 10), [(1, 10)])

    assert past == ChunkPast(1, 10, (), complete=False)


def test_where_lines_were_not_compared_the_path_is_followed() -> None:
    dag = line([(), (0,), (1,)])
    blind = Touch(PATH, 0, Change.MODIFY, "b", whole=True)
    known = facts((0, TEN_LINES), (1, blind), (2, change((3, 1, 3, 1))))

    (past,) = replay(known, dag, FileNow(2, PATH, 10), [(2, 4)])

    assert [(c.commit, c.lines, c.born) for c in past.commits] == [
        (2, 1, False), (1, 0, False), (0, 0, False),
    ]  # fmt: skip
    assert not past.complete


def test_the_newest_commits_are_kept_up_to_the_limit() -> None:
    dag = line([(), (0,), (1,), (2,)])
    known = facts((0, TEN_LINES), *((n, change((5, 1, 5, 1))) for n in (1, 2, 3)))

    cut, whole = (
        replay(known, dag, FileNow(3, PATH, 10), [(4, 6)], limit=limit)[0] for limit in (3, 4)
    )

    # Whose lines are still there is kept whatever the limit.
    assert [(c.commit, c.lines) for c in cut.commits] == [(3, 1), (2, 0), (1, 0), (0, 2)]
    assert not cut.complete
    assert [c.commit for c in whole.commits] == [3, 2, 1, 0]
    assert whole.complete


def test_a_long_past_is_told_in_steps() -> None:
    dag = line([(), *((n,) for n in range(99))])
    known = facts((0, TEN_LINES), *((n, change((5, 1, 5, 1))) for n in range(1, 100)))
    now = FileNow(99, PATH, 10)
    steps = replay_by_steps(known, dag, now, [(1, 10)])
    pauses = 0

    try:
        while True:
            next(steps)
            pauses += 1
    except StopIteration as end:
        past = end.value

    assert 100 / STATES_PER_STEP - 1 < pauses < 100 / STATES_PER_STEP + 1
    assert past == replay(known, dag, now, [(1, 10)])
    assert len(past[0].commits) == 100


def test_ignored_commits_pass_lines_on_and_keep_what_they_added() -> None:
    dag = line([(), (0,), (1,)])
    known = facts(
        (0, TEN_LINES), (1, change((3, 2, 3, 2))), (2, change((3, 1, 3, 2), (8, 0, 10, 1)))
    )

    (past,) = replay(known, dag, FileNow(2, PATH, 12), [(1, 12)], ignored={2})

    assert [(c.commit, c.lines) for c in past.commits] == [(2, 1), (1, 3), (0, 8)]
    (above,) = replay(known, dag, FileNow(2, PATH, 12), [(2, 4)], ignored={2})
    assert [(c.commit, c.lines) for c in above.commits] == [(1, 2), (0, 1)]


def test_uncommitted_lines_are_counted_and_the_rest_goes_on() -> None:
    dag = line([(), (0,)])
    known = facts((0, TEN_LINES), (1, change((5, 1, 5, 1))))
    now = FileNow(1, PATH, 13, (Hunk(3, 0, 4, 3),))

    mixed, fresh, below = replay(known, dag, now, [(2, 8), (4, 6), (8, 13)])

    assert mixed == ChunkPast(
        2, 8, (Involvement(1, AUTHOR, 1), Involvement(0, AUTHOR, 3, born=True)), 3
    )
    assert fresh == ChunkPast(4, 6, (), 3)
    assert [(c.commit, c.lines) for c in below.commits] == [(1, 1), (0, 5)]


def test_a_file_in_no_commit_has_no_past() -> None:
    dag = line([()])

    (past,) = replay(facts(), dag, FileNow(0, PATH, 4, (Hunk(0, 0, 1, 4),)), [(1, 4)])

    assert past == ChunkPast(1, 4, (), 4)
    assert last_touch(facts(), dag, 0, PATH) is None


def test_branches_are_listed_by_the_clock_and_never_a_parent_before_its_child() -> None:
    dag = Dag([CommitRow(0, (), 50), CommitRow(1, (0,), 300), CommitRow(2, (0,), 100),
               CommitRow(3, (1,), 200), CommitRow(4, (2, 3), 400)])  # fmt: skip
    known = facts(
        (0, TEN_LINES), (1, change((2, 1, 2, 1))), (3, change((4, 1, 4, 1))),
        (2, change((8, 1, 8, 1))),
        (4, change((2, 1, 2, 1), (4, 1, 4, 1))), (4, change((8, 1, 8, 1), parent=1)),
    )  # fmt: skip

    (past,) = replay(known, dag, FileNow(4, PATH, 10), [(1, 10)])

    assert [c.commit for c in past.commits] == [4, 3, 1, 2, 0]
