"""P3: whatever happens to the work tree, the index ends up equal to one built from scratch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.harness import oracle
from tests.harness.repos import Repo, many_modules, python_module

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.daemon import Daemon


@pytest.fixture
def tree(repo: Repo) -> Repo:
    """Return a repository with a commit of a few modules on main."""
    repo.write_all(many_modules(12))
    repo.write(".gitignore", "*.log\nbuild/\n")
    repo.commit("start")
    return repo


async def test_a_registered_repository_is_searchable(daemon: Daemon, tree: Repo) -> None:
    tree.write("burrow.py", 'def hibernate():\n    """Sleep through the winter."""\n')
    name = await daemon.add(tree.root)
    await daemon.wait_ready(name)

    hits = await daemon.search("sleep through the winter")

    assert hits[0]["path"] == "burrow.py"
    assert hits[0]["address"] == f"{name}:burrow.py#hibernate"
    assert (hits[0]["start_line"], hits[0]["end_line"]) == (1, 2)
    await oracle.assert_equal(daemon, name)


async def test_events_alone_bring_in_an_edit_a_delete_and_a_rename(
    daemon: Daemon, tree: Repo
) -> None:
    name = await daemon.add(tree.root)
    await daemon.wait_ready(name)

    tree.write("package/part_0/module_0.py", "def marmot_whistle():\n    return 'alarm'\n")
    tree.remove("package/part_0/module_1.py")
    tree.rename("package/part_0/module_2.py", "package/renamed.py")

    def is_settled(status: dict[str, object]) -> bool:
        return oracle_agrees(status)

    def oracle_agrees(status: dict[str, object]) -> bool:
        del status
        found = oracle.from_catalog(daemon.state / "catalog.sqlite3", name).files
        return (
            "package/renamed.py" in found
            and "package/part_0/module_1.py" not in found
            and "package/part_0/module_2.py" not in found
            and found["package/part_0/module_0.py"].pieces[0].fragment == "marmot_whistle"
        )

    await daemon.wait_until(is_settled)
    await oracle.assert_equal(daemon, name)


async def test_a_new_directory_with_a_file_at_once_is_found_by_events(
    daemon: Daemon, tree: Repo
) -> None:
    name = await daemon.add(tree.root)
    await daemon.wait_ready(name)

    for number in range(10):
        deep = f"new_{number}/a/b/c/d"
        tree.write(f"{deep}/here.py", f"def deep_{number}(): ...\n")

    def all_there(status: dict[str, object]) -> bool:
        del status
        found = oracle.from_catalog(daemon.state / "catalog.sqlite3", name).files
        return sum(path.endswith("/here.py") for path in found) == 10

    await daemon.wait_until(all_there)
    await oracle.assert_equal(daemon, name)


async def test_branch_switch_and_hard_reset_are_followed(daemon: Daemon, tree: Repo) -> None:
    tree.branch("other")
    tree.write_all(many_modules(30, "other"))
    tree.remove("package/part_0/module_3.py")
    tree.commit("other side")
    tree.switch("main")
    name = await daemon.add(tree.root)
    await daemon.wait_ready(name)
    head = (await daemon.project(name))["head"]

    tree.switch("other")
    await daemon.wait_until(lambda status: status["projects"][0]["branch"] == "other")
    await daemon.settle(name)
    await oracle.assert_equal(daemon, name)

    tree.switch("main")
    tree.write("package/part_0/module_4.py", "broken")
    tree.git("reset", "--hard", "-q")
    await daemon.settle(name)
    await oracle.assert_equal(daemon, name)
    assert (await daemon.project(name))["head"] == head


async def test_a_head_that_moves_without_hooks_is_noticed(daemon: Daemon, tree: Repo) -> None:
    first = tree.head()
    tree.write("later.py", "def later(): ...\n")
    second = tree.commit("later")
    name = await daemon.add(tree.root)
    await daemon.wait_ready(name)
    assert (await daemon.project(name))["head"] == second

    tree.git("reset", "--hard", "-q", first)

    status = await daemon.wait_until(lambda status: status["projects"][0]["head"] == first)
    assert status["projects"][0]["name"] == name
    await daemon.settle(name)
    await oracle.assert_equal(daemon, name)


async def test_an_ignore_rule_takes_effect_at_once(daemon: Daemon, tree: Repo) -> None:
    tree.write("scratch/notes.py", "def scratch_note(): ...\n")
    name = await daemon.add(tree.root)
    await daemon.wait_ready(name)
    assert "scratch/notes.py" in await daemon.paths("scratch_note")

    tree.write(".gitignore", "*.log\nbuild/\nscratch/\n")

    def is_gone(status: dict[str, object]) -> bool:
        del status
        found = oracle.from_catalog(daemon.state / "catalog.sqlite3", name).files
        return "scratch/notes.py" not in found

    await daemon.wait_until(is_gone)
    await oracle.assert_equal(daemon, name)


@pytest.mark.slow
async def test_a_burst_of_5000_files_is_indexed_whole(daemon: Daemon, repo: Repo) -> None:
    repo.write("start.py", "def start(): ...\n")
    repo.commit("start")
    name = await daemon.add(repo.root)
    await daemon.wait_ready(name)

    for number in range(5_000):
        repo.write(f"burst/{number % 50}/file_{number}.py", f"def burst_{number}(): ...\n")

    await daemon.settle(name)
    picture = await oracle.assert_equal(daemon, name)
    assert len(picture.files) == 5_001


async def test_removing_a_project_leaves_nothing_of_it(
    daemon: Daemon, tree: Repo, tmp_path: Path
) -> None:
    canary = "xylophone_canary_4711"
    tree.write("secretive.py", f"def {canary}():\n    return '{canary}'\n")
    other = Repo.create(tmp_path / "other", {"b.py": python_module("b")})
    other.commit("start")
    name = await daemon.add(tree.root, name="gone")
    kept = await daemon.add(other.root, name="kept")
    await daemon.wait_ready(name, kept)
    assert await daemon.paths(canary)

    await daemon.remove(name)
    await daemon.settle(kept)
    await daemon.stop()

    left = [
        str(path.relative_to(daemon.home))
        for path in daemon.home.rglob("*")
        if path.is_file() and canary.encode() in path.read_bytes()
    ]
    assert left == []


async def test_two_clones_share_versions_and_never_see_each_others_edits(
    daemon: Daemon, tree: Repo, tmp_path: Path
) -> None:
    clone = tree.clone(tmp_path / "clone")
    first = await daemon.add(tree.root, name="first")
    second = await daemon.add(clone.root, name="second")
    await daemon.wait_ready(first, second)
    assert (await daemon.project("first"))["repo"] == (await daemon.project("second"))["repo"]

    tree.write("only_here.py", "def quokka_smile(): ...\n")
    await daemon.settle()

    assert await daemon.paths("quokka_smile", projects=["first"]) == ["only_here.py"]
    assert "only_here.py" not in await daemon.paths("quokka_smile", projects=["second"])
    await oracle.assert_equal(daemon, "first")
    await oracle.assert_equal(daemon, "second")
    shared = await daemon.search("package_module_function", limit=1)
    assert [hit["also_in"] for hit in shared] in ([["second"]], [["first"]])
