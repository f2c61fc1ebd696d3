"""The timeline of a view: what is shared, put aside and brought back."""

from __future__ import annotations

from paparatsd.commits import ChunkPast, Involvement, Role
from paparatsd.history.timeline import Timeline


def pasts(*commits: int) -> tuple[ChunkPast, ...]:
    return tuple(
        ChunkPast(1, 5, (Involvement(commit, Role.AUTHOR, 5),), uncommitted=0) for commit in commits
    )


def test_a_version_of_another_branch_comes_back_as_seen_from_the_same_commit_alone() -> None:
    timeline = Timeline()
    timeline.put(7, 3, pasts(3))
    timeline.put(8, 4, pasts(4))
    timeline.keep([8])
    assert timeline.touched_by([3]) == {3: []}
    assert not timeline.bring_back(7, 2)
    assert timeline.bring_back(7, 3)
    assert timeline.touched_by([3]) == {3: [(7, 0)]}
    assert not timeline.bring_back(7, 3)


def test_what_one_project_of_a_repository_has_another_takes_over() -> None:
    first, second = Timeline(), Timeline()
    first.put(7, 3, pasts(3, 2))
    second.adopt(7, first)
    first.keep([])
    assert len(first) == 0
    assert second.base(7) == 3
    assert second.touched_by([2]) == {2: [(7, 1)]}
