"""Work trees that git adds: awaited while git writes them, taken in once, let go when removed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest

from paparatsd.housekeeping import BEING_ADDED_S
from paparatsd.model import GroupName, ProjectEntry, ProjectName
from paparatsd.sources import repo as places
from paparatsd.worktrees import WorktreeFollower

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.roster import Roster
    from paparatsd.sources.repo import Checkout
    from tests.harness.repos import Repo


@dataclass
class Session:
    """A session of which only its place counts."""

    entry: ProjectEntry
    root: Path
    checkout: Checkout | None
    warmed: int = 0

    @property
    def name(self) -> ProjectName:
        return self.entry.name

    def expect_files(self) -> None:
        self.warmed += 1


@dataclass
class Sessions:
    """The sessions of a daemon, as a follower sees and changes them."""

    all: list[Session] = field(default_factory=list)

    def sessions(self) -> tuple[Session, ...]:
        return tuple(self.all)

    async def add(self, root: Path, name: str, beside: ProjectEntry) -> None:
        entry = ProjectEntry(
            ProjectName(name), str(root), GroupName("default"), worktree_of=beside.name
        )
        self.all.append(Session(entry, root, await places.locate(root)))

    async def remove(self, entry: ProjectEntry) -> None:
        self.all = [one for one in self.all if one.entry != entry]

    def names(self) -> list[str]:
        return [one.name for one in self.all]


@pytest.fixture
async def known(repo: Repo) -> Sessions:
    """Return sessions of one repository."""
    repo.write("a.py", "x")
    repo.commit("one")
    entry = ProjectEntry(ProjectName("main"), str(repo.root), GroupName("default"))
    return Sessions([Session(entry, repo.root, await places.locate(repo.root))])


def follower(known: Sessions, mode: str = "add") -> WorktreeFollower:
    return WorktreeFollower(cast("Roster", known), mode, known.add, known.remove)


async def test_a_work_tree_that_git_still_writes_is_awaited_and_then_taken_in_once(
    known: Sessions, repo: Repo, tmp_path: Path
) -> None:
    follow = follower(known).follow
    repo.worktree(tmp_path / "tree", "side")
    # So git marks one while it checks the files out.
    lock = repo.write(".git/worktrees/tree/locked", "initializing")

    assert await follow()  # worth looking again, and soon
    assert BEING_ADDED_S < 0.2
    assert known.names() == ["main"]
    assert known.all[0].warmed == 1

    lock.unlink()
    assert not await follow()
    assert known.names() == ["main", "main-tree"]
    assert not await follow()
    assert known.names() == ["main", "main-tree"]


async def test_who_only_offers_work_trees_waits_for_none(
    known: Sessions, repo: Repo, tmp_path: Path
) -> None:
    offering = follower(known, "offer")
    tree = repo.worktree(tmp_path / "tree", "side")
    lock = repo.write(".git/worktrees/tree/locked", "initializing")
    assert not await offering.follow()
    assert offering.offers == ()
    lock.unlink()
    assert not await offering.follow()
    assert known.names() == ["main"]
    assert f"paparats add {tree.root.resolve()}" in "".join(offering.offers)


async def test_one_that_is_removed_with_git_is_let_go_and_one_on_a_lost_disk_is_kept(
    known: Sessions, repo: Repo, tmp_path: Path
) -> None:
    follow = follower(known).follow
    for name in ("gone", "away"):
        repo.worktree(tmp_path / name, name)
    await follow()
    assert known.names() == ["main", "main-away", "main-gone"]

    repo.git("worktree", "remove", "--force", str(tmp_path / "gone"))
    repo.git("worktree", "lock", str(tmp_path / "away"))
    (tmp_path / "away").rename(tmp_path / "unplugged")
    await follow()
    assert known.names() == ["main", "main-away"]

    repo.git("worktree", "unlock", str(tmp_path / "away"))
    await follow()
    assert known.names() == ["main"]


async def test_one_that_is_moved_with_git_is_followed_to_where_it_is(
    known: Sessions, repo: Repo, tmp_path: Path
) -> None:
    follow = follower(known).follow
    repo.worktree(tmp_path / "tree", "side")
    await follow()
    repo.git("worktree", "move", str(tmp_path / "tree"), str(tmp_path / "elsewhere"))
    await follow()
    assert [one.root for one in known.all[1:]] == [(tmp_path / "elsewhere").resolve()]
