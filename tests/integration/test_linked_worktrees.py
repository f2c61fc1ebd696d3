"""Which work trees of a repository are there to be indexed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from paparatsd.sources.worktrees import linked_worktrees

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.repos import Repo


def test_a_work_tree_counts_once_git_has_written_its_files(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.py", "x")
    repo.commit("one")
    tree = repo.worktree(tmp_path / "tree", "side")
    common = repo.root / ".git"
    # So git marks one while it checks the files out.
    lock = repo.write(".git/worktrees/tree/locked", "initializing")

    found = linked_worktrees(common)
    assert found is not None
    assert found.is_adding
    assert found.roots == frozenset()

    os.utime(lock, (0, 0))
    found = linked_worktrees(common)
    assert found is not None
    assert not found.is_adding
    assert found.roots == {tree.root.resolve()}


def test_one_that_a_person_has_locked_counts(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.py", "x")
    repo.commit("one")
    tree = repo.worktree(tmp_path / "tree", "side")
    repo.git("worktree", "lock", "--reason", "on a stick", str(tree.root))

    found = linked_worktrees(repo.root / ".git")
    assert found is not None
    assert not found.is_adding
    assert found.roots == {tree.root.resolve()}
