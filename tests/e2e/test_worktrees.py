"""Many work trees of one repository: what happens in one leaves the others asleep."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.test_history_moves import DIG, is_settled_at
from tests.harness.daemon import running_daemon

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo

TREES = 10


@pytest.fixture
async def watching() -> AsyncIterator[Daemon]:
    """Yield a daemon that logs each look of a session."""
    async with running_daemon({"PAPARATS_LOG_LEVEL": "debug"}) as daemon:
        yield daemon
        assert "Traceback" not in daemon.log_text()


@pytest.fixture
async def forest(watching: Daemon, repo: Repo, tmp_path: Path) -> dict[str, Repo]:
    """Return ten work trees of one repository by name, all of them indexed."""
    repo.write("burrow.py", DIG)
    repo.commit("Dig")
    trees = {f"tree{n}": repo.worktree(tmp_path / f"tree{n}", f"side{n}") for n in range(TREES)}
    for name, tree in trees.items():
        await watching.add(tree.root, name=name)
    await watching.settle(history=True)
    return trees


def looks(daemon: Daemon, since: int) -> dict[str, list[dict[str, Any]]]:
    """Return what each session has looked at since a place in the log, by project."""
    found: dict[str, list[dict[str, Any]]] = {}
    for line in daemon.log_text()[since:].splitlines():
        if line.startswith("{") and '"looked"' in line:
            entry = json.loads(line)
            found.setdefault(entry["project"], []).append(entry)
    return found


def have_looked(daemon: Daemon, since: int, names: set[str]) -> Callable[[dict[str, Any]], bool]:
    """Return a condition: each of these sessions has come to the end of a look."""
    return lambda _: names <= looks(daemon, since).keys()


async def shown(daemon: Daemon, names: set[str]) -> dict[str, tuple[int, float]]:
    """Return for each project its generation and when it was last compared with the disk."""
    projects = (await daemon.status())["projects"]
    return {
        one["name"]: (one["generation"], one["checked_at"])
        for one in projects
        if one["name"] in names
    }


async def test_a_head_that_moves_in_one_work_tree_makes_no_other_list_its_files(
    watching: Daemon, forest: dict[str, Repo]
) -> None:
    others = set(forest) - {"tree3"}
    before, since = await shown(watching, others), len(watching.log_text())

    forest["tree3"].git("commit", "--quiet", "--allow-empty", "--message", "Elsewhere")
    head = forest["tree3"].head()
    await watching.wait_until(is_settled_at("tree3", head))
    await watching.wait_until(have_looked(watching, since, others))

    assert await shown(watching, others) == before
    seen = looks(watching, since)
    assert {one["because"] for name in others for one in seen[name]} == {None}
    assert "git moved" in {one["because"] for one in seen["tree3"]}
    freshness = {one["freshness"] for one in (await watching.status())["projects"]}
    assert freshness == {"current"}


async def test_a_session_that_sleeps_wakes_when_its_own_head_moves_or_its_own_file_changes(
    watching: Daemon, forest: dict[str, Repo]
) -> None:
    for name in ("tree1", "tree2"):
        forest[name].git("commit", "--quiet", "--allow-empty", "--message", name)
        head = forest[name].head()
        await watching.wait_until(is_settled_at(name, head))
    before = await shown(watching, {"tree5"})

    forest["tree5"].write("burrow.py", DIG.replace("depth\n", "depth + 5\n"))
    await watching.wait_until(lambda status: generation(status, "tree5") > before["tree5"][0])
    hits = await watching.search("dig a burrow", projects=["tree5"])
    assert "depth + 5" in hits[0]["text"]
    hits = await watching.search("dig a burrow", projects=["tree6"])
    assert "depth + 5" not in hits[0]["text"]

    forest["tree5"].git("stash", "--quiet")
    forest["tree5"].git("reset", "--quiet", "--hard", "side1")
    await watching.wait_until(is_settled_at("tree5", forest["tree1"].head()))


def generation(status: dict[str, Any], name: str) -> int:
    """Return the generation that a project shows."""
    (found,) = (one["generation"] for one in status["projects"] if one["name"] == name)
    return int(found)
