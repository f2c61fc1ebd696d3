"""Whatever people do with git: the history of every chunk is that of a repository read anew."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.harness import history_oracle, oracle
from tests.harness.daemon import running_daemon
from tests.harness.git_walk import GitWalk

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.daemon import Daemon

SEEDS = int(os.environ.get("PAPARATS_TEST_SEEDS", "4"))
FIRST_SEED = int(os.environ.get("PAPARATS_TEST_FIRST_SEED", "0"))
ROUNDS = int(os.environ.get("PAPARATS_TEST_ROUNDS", "6"))
STEPS = 5


async def follow_worktrees(daemon: Daemon, walk: GitWalk) -> None:
    """Register the linked work trees that are new, forget those that are gone."""
    known = {one["name"] for one in (await daemon.status())["projects"]}
    there = {tree.name: tree for tree in walk.worktrees}
    for name in known - there.keys() - {"main"}:
        await daemon.remove(name)
    for name in there.keys() - known:
        await daemon.add(there[name], name=name)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + SEEDS))
async def test_history_after_random_steps_is_that_of_a_repository_read_anew(
    seed: int, tmp_path: Path
) -> None:
    walk = GitWalk(tmp_path / "main", seed)
    async with running_daemon() as daemon:
        await daemon.add(walk.root, name="main", hooks=seed % 2 == 0)
        for _ in range(ROUNDS):
            for _ in range(STEPS):
                walk.step()
            await follow_worktrees(daemon, walk)
            await daemon.settle(history=True)
            try:
                for name in ("main", *(tree.name for tree in walk.worktrees)):
                    await oracle.assert_equal(daemon, name)
                    await history_oracle.assert_right(daemon, name, tmp_path / "scratch.sqlite3")
            except AssertionError as error:
                steps = "\n".join(walk.steps)
                raise AssertionError(f"{error}\nafter\n{steps}\n{daemon.log_tail()}") from None
        assert "Traceback" not in daemon.log_text()
