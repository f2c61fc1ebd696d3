"""Where a project is: git is let finish, but not waited for for ever."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from paparatsd.clock import SystemClock
from paparatsd.place import GIT_RESTS_S, STALE_LOCK_S, ProjectPlace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.harness.repos import Repo


class CountingClock(SystemClock):
    """A clock on which only sleeping takes time; `after_naps` is called at each nap."""

    def __init__(self, at_nap: Callable[[int], None] = lambda naps: None) -> None:
        self.steady = 0.0
        self.naps = 0
        self._at_nap = at_nap

    def monotonic(self) -> float:
        return self.steady

    async def sleep(self, seconds: float) -> None:
        self.steady += seconds
        self.naps += 1
        self._at_nap(self.naps)


@pytest.fixture
async def place(repo: Repo) -> ProjectPlace:
    """Return the place of a repository that was looked at."""
    repo.write("a.py", "x")
    repo.commit("one")
    found = ProjectPlace(repo.root)
    await found.refresh()
    return found


@pytest.fixture
def lock(repo: Repo) -> Path:
    """Return where git keeps its lock while it writes the index."""
    return repo.root / ".git" / "index.lock"


async def test_nobody_waits_for_a_git_that_rests(place: ProjectPlace) -> None:
    clock = CountingClock()
    await place.until_git_rests(clock)
    assert clock.naps == 0


async def test_a_git_that_writes_its_index_is_let_finish(place: ProjectPlace, lock: Path) -> None:
    lock.touch()
    clock = CountingClock(lambda naps: lock.unlink() if naps == 3 else None)
    await place.until_git_rests(clock)
    assert not lock.exists()
    assert clock.naps == 4  # and a moment more, in which the head moves


async def test_a_git_that_takes_its_time_is_not_waited_for(place: ProjectPlace, lock: Path) -> None:
    lock.touch()
    clock = CountingClock()
    await place.until_git_rests(clock)
    assert GIT_RESTS_S < clock.steady < GIT_RESTS_S + 0.1


async def test_a_lock_that_was_left_behind_is_none(place: ProjectPlace, lock: Path) -> None:
    lock.touch()
    long_ago = lock.stat().st_mtime - STALE_LOCK_S - 1
    os.utime(lock, (long_ago, long_ago))
    clock = CountingClock()
    await place.until_git_rests(clock)
    assert clock.naps == 0


async def test_what_is_shown_is_told_by_contents_whatever_others_of_the_repository_do(
    place: ProjectPlace, repo: Repo, tmp_path: Path
) -> None:
    place.note_shown(await place.signature())
    assert await place.is_as_shown()

    tree = repo.worktree(tmp_path / "tree", "side")
    tree.write("b.py", "y")
    tree.commit("elsewhere")
    repo.git("branch", "another")
    repo.git("pack-refs", "--all")
    assert await place.is_as_shown()

    for move in (
        ("commit", "--quiet", "--allow-empty", "-m", "here"),
        ("checkout", "--quiet", "another"),
        ("rm", "--quiet", "--cached", "a.py"),
        ("config", "core.ignoreCase", "true"),
    ):
        repo.git(*move)
        assert not await place.is_as_shown(), move
        place.note_shown(await place.signature())
        assert await place.is_as_shown()
    place.note_shown(None)
    assert not await place.is_as_shown()
