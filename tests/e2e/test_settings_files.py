"""Files that people edit: what is broken keeps what held before, and says so until repaired."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness import oracle
from tests.harness.daemon import Refusal

if TYPE_CHECKING:
    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo

ONLY_SRC = "indexing: {paths: [src]}\n"
BROKEN = "indexing: {paths: [src]\n"


@pytest.fixture
def tree(repo: Repo) -> Repo:
    """Return a repository in which only src/ is to be indexed."""
    repo.write("src/cart.py", "def total(): ...\n")
    repo.write("private/salary.py", "def salary(): ...\n")
    repo.write(".paparats.yml", ONLY_SRC)
    repo.commit("start")
    return repo


def project_of(status: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in status["projects"] if one["name"] == name)


async def indexed(daemon: Daemon, name: str) -> set[str]:
    """Return the indexed files among the two that tell."""
    await daemon.settle(name)
    skipped = set(await daemon.skipped(name))
    files = (await daemon.project(name))["files"]
    return {"src/cart.py", "private/salary.py"} - skipped if files else set()


async def test_a_broken_repository_file_keeps_what_it_said_before(
    daemon: Daemon, tree: Repo
) -> None:
    name = await daemon.add(tree.root)
    await daemon.wait_ready(name)
    assert await indexed(daemon, name) == {"src/cart.py"}

    tree.write(".paparats.yml", BROKEN)
    await daemon.wait_until(lambda status: project_of(status, name)["state"] == "degraded")
    assert await indexed(daemon, name) == {"src/cart.py"}
    [problem] = (await daemon.status())["problems"]
    assert ".paparats.yml" in problem
    assert "until it is repaired the settings before it hold" in problem

    tree.write(".paparats.yml", "indexing: {paths: [private]}\n")
    await daemon.wait_until(lambda status: not status["problems"])
    await daemon.settle(name)
    assert await indexed(daemon, name) == {"private/salary.py"}


async def test_a_file_that_was_broken_over_a_restart_leaves_the_view_as_it_was(
    daemon: Daemon, tree: Repo
) -> None:
    name = await daemon.add(tree.root)
    await daemon.wait_ready(name)
    before = (await daemon.project(name))["files"]
    await daemon.stop()
    tree.write(".paparats.yml", BROKEN)
    tree.write("src/later.py", "def later(): ...\n")
    await daemon.start()

    status = await daemon.wait_until(lambda now: project_of(now, name)["state"] == "error")
    assert "nothing is indexed" in status["problems"][0]
    await daemon.settle(name)
    assert (await daemon.project(name))["files"] == before
    assert "src/cart.py" in await daemon.paths("total")
    assert (await daemon.answer("total"))["freshness"][0]["state"] == "stale"

    tree.write(".paparats.yml", ONLY_SRC)
    await daemon.wait_ready(name)
    assert (await daemon.project(name))["files"] == before + 1
    assert await indexed(daemon, name) == {"src/cart.py"}


async def test_an_unknown_key_is_a_problem_of_a_project_that_is_ready(
    daemon: Daemon, tree: Repo
) -> None:
    tree.write(".paparats.yml", "indexing: {path: [src]}\n")
    name = await daemon.add(tree.root)
    await daemon.wait_ready(name)
    [problem] = (await daemon.status())["problems"]
    assert problem.startswith(f"{name}: ")
    assert "'indexing.path' is unknown" in problem

    tree.write(".paparats.yml", "")
    await daemon.wait_until(lambda status: not status["problems"])
    await daemon.wait_ready(name)


async def test_a_label_that_is_none_is_a_problem_until_the_document_is_repaired(
    daemon: Daemon, tree: Repo
) -> None:
    tree.write("src/guide.md", "---\naudience: for all!\n---\n\nHow to use it in a day.\n")
    name = await daemon.add(tree.root)
    await daemon.wait_ready(name)
    [problem] = (await daemon.status())["problems"]
    assert problem.startswith(f"{name}: src/guide.md: 'for all!' is no audience")

    tree.write("src/guide.md", "---\naudience: all\n---\n\nHow to use it in a day.\n")
    await daemon.wait_until(lambda status: not status["problems"])
    await oracle.assert_equal(daemon, name)


async def test_a_group_follows_the_repository_file_and_its_deletion(
    daemon: Daemon, tree: Repo
) -> None:
    name = await daemon.add(tree.root)
    await daemon.wait_ready(name)
    assert (await daemon.project(name))["group"] == "default"

    tree.write(".paparats.yml", "group: backend\n")
    await daemon.wait_until(lambda status: project_of(status, name)["group"] == "backend")
    await daemon.settle(name)
    assert "src/cart.py" in await daemon.paths("total", groups=["backend"])

    tree.write(".paparats.yml", "group: [\n")
    await daemon.wait_until(lambda status: bool(status["problems"]))
    assert (await daemon.project(name))["group"] == "backend"

    tree.remove(".paparats.yml")
    await daemon.wait_until(lambda status: project_of(status, name)["group"] == "default")


async def test_a_group_given_in_the_project_list_wins_over_the_repository_file(
    daemon: Daemon, tree: Repo
) -> None:
    name = await daemon.add(tree.root, group="ours")
    await daemon.wait_ready(name)
    tree.write(".paparats.yml", "group: backend\nindexing: {paths: [private]}\n")
    await daemon.settle(name)
    assert await indexed(daemon, name) == {"private/salary.py"}
    assert (await daemon.project(name))["group"] == "ours"


async def test_a_broken_settings_file_is_a_problem_until_it_is_repaired(daemon: Daemon) -> None:
    file = daemon.home / "config" / "config.toml"
    file.write_text("[search]\ncache_entries = 'many'\n")
    daemon.signal(signal.SIGHUP)
    status = await daemon.wait_until(lambda now: bool(now["problems"]))
    assert "search.cache_entries: 'many' cannot be used" in status["problems"][0]
    assert "the settings before it hold" in status["problems"][0]

    file.write_text("[search]\ndeadline_s = 5\n")
    daemon.signal(signal.SIGHUP)
    await daemon.wait_until(lambda now: not now["problems"])


async def test_a_system_directory_is_refused(daemon: Daemon) -> None:
    for path in ("/etc", "/proc", "/usr", "/etc/ssh"):
        with pytest.raises(Refusal) as caught:
            await daemon.call("POST", "/v1/projects", {"path": path})
        assert caught.value.status == 400
        assert "cannot be a project" in caught.value.message


async def test_a_reload_names_what_it_cannot_apply_and_applies_the_rest(
    daemon: Daemon, tree: Repo
) -> None:
    name = await daemon.add(tree.root)
    await daemon.wait_ready(name)

    config = daemon.home / "config" / "config.toml"
    config.write_text("[search]\nmeaning = false\nfresh_deadline_s = 3.5\n")
    first = await daemon.call("POST", "/v1/reload")
    second = await daemon.call("POST", "/v1/reload")

    assert first["changes"] == ["search: changed", "search.meaning: takes effect after a restart"]
    assert second["changes"] == ["search.meaning: takes effect after a restart"]
    told = "settings were changed that hold from the next start of the daemon on: search.meaning"
    assert told in (await daemon.call("GET", "/v1/status"))["problems"]

    config.unlink()
    await daemon.call("POST", "/v1/reload")
    assert told not in (await daemon.call("GET", "/v1/status"))["problems"]
