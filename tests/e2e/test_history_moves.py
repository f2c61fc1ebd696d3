"""Each thing that git does to history, one by one: what the daemon says of it afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.harness import history_oracle
from tests.harness.daemon import running_daemon
from tests.harness.fake_embedder import FakeEmbedder
from tests.harness.repos import Repo, many_modules

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.daemon import Daemon

DIG = 'def dig(depth):\n    """Dig a burrow."""\n    return depth\n'
SETTLED = ("ready", "limited", "none")


def is_settled_at(name: str, head: str | None) -> Any:
    """Return a condition: the project shows a head, and its history is that of it."""

    def satisfied(status: dict[str, Any]) -> bool:
        (one,) = (one for one in status["projects"] if one["name"] == name)
        history = one["history"]
        return (
            one["head"] == head
            and one["state"] == "ready"
            and history is not None
            and history["state"] in SETTLED
            and history["pending"] == 0
        )

    return satisfied


async def ids_of(daemon: Daemon, address: str) -> list[str]:
    """Return the ids of the commits of a place, newest first."""
    return [one["commit"]["id"] for one in (await daemon.log(address))["commits"]]


async def history_of(daemon: Daemon, name: str) -> dict[str, Any]:
    """Return how far a project's history is."""
    found: dict[str, Any] = (await daemon.project(name))["history"]
    return found


async def found_by(daemon: Daemon, query: str, **changed: str) -> set[str]:
    """Return the paths of what is found with a history filter."""
    return set(await daemon.paths(query, limit=50, **changed))


# ------------------------------------------------------------------------------ hooks and refs


@pytest.mark.parametrize("hooks", [True, False])
async def test_a_commit_an_amend_and_a_reset_are_followed_by_themselves(
    daemon: Daemon, repo: Repo, *, hooks: bool
) -> None:
    repo.write("burrow.py", DIG)
    first = repo.commit("Dig")
    name = await daemon.add(repo.root, hooks=hooks)
    await daemon.wait_until(is_settled_at(name, first))
    place = f"{name}:burrow.py#dig"
    assert await ids_of(daemon, place) == [first]

    repo.write("burrow.py", DIG.replace("depth\n", "depth + 1\n"))
    second = repo.commit("Dig deeper")
    await daemon.wait_until(is_settled_at(name, second))
    assert await ids_of(daemon, place) == [second, first]

    amended = repo.commit("Dig deeper, as was asked", amend=True)
    assert amended != second
    await daemon.wait_until(is_settled_at(name, amended))
    assert await ids_of(daemon, place) == [amended, first]

    repo.git("reset", "--hard", "--quiet", first)
    await daemon.wait_until(is_settled_at(name, first))
    assert await ids_of(daemon, place) == [first]


async def test_a_ref_that_is_moved_by_a_script_or_a_fetch_is_noticed(
    daemon: Daemon, repo: Repo, tmp_path: Path
) -> None:
    repo.write("burrow.py", DIG)
    first = repo.commit("Dig")
    clone = repo.clone(tmp_path / "clone")
    repo.write("burrow.py", DIG.replace("depth\n", "depth + 1\n"))
    second = repo.commit("Dig deeper")
    name = await daemon.add(clone.root, name="clone")
    await daemon.wait_until(is_settled_at(name, first))

    clone.git("fetch", "--quiet")
    clone.git("reset", "--hard", "--quiet", "origin/main")
    await daemon.wait_until(is_settled_at(name, second))
    assert await ids_of(daemon, f"{name}:burrow.py#dig") == [second, first]

    clone.git("update-ref", "refs/heads/main", first)
    await daemon.wait_until(is_settled_at(name, first))
    log = await daemon.log(f"{name}:burrow.py#dig")
    assert [one["commit"]["id"] for one in log["commits"]] == [first]
    assert log["uncommitted"] == 1


async def test_a_commit_of_one_file_maps_nothing_else_anew(daemon: Daemon, repo: Repo) -> None:
    repo.write_all(many_modules(30))
    repo.commit("start")
    name = await daemon.add(repo.root, hooks=True)
    await daemon.settle(name, history=True)
    await daemon.stop()
    before = history_oracle.kept_pasts(daemon.state)
    await daemon.start()

    repo.write("package/part_0/module_3.py", "def other(): ...\n")
    head = repo.commit("Change one")
    await daemon.wait_until(is_settled_at(name, head))
    await daemon.settle(name, history=True)
    await daemon.stop()

    after = history_oracle.kept_pasts(daemon.state)
    assert len(before) == 30
    assert before <= after
    assert len(after - before) <= 2  # the file before it was committed, and after


async def test_after_a_rebase_of_many_commits_the_history_of_chunks_is_the_new_one(
    daemon: Daemon, repo: Repo, tmp_path: Path
) -> None:
    repo.write_all(many_modules(6))
    repo.commit("start")
    repo.branch("topic")
    for number in range(40):
        path = f"package/part_0/module_{number % 5}.py"
        repo.write(path, repo.read(path).replace("argument += 0", f"argument += {number}00", 1))
        repo.write(f"topic/file_{number % 7}.py", f"def topic_{number}():\n    return {number}\n")
        repo.commit(f"Topic {number}")
    repo.switch("main")
    repo.write("package/part_0/module_5.py", "def main_side(): ...\n")
    repo.commit("Main side")
    repo.switch("topic")
    name = await daemon.add(repo.root, hooks=True)
    await daemon.settle(name, history=True)
    old = {one[0] for one in await history_oracle.commits_of(daemon, name)}
    assert len(old) == 41

    repo.git("rebase", "--quiet", "main")
    await daemon.wait_until(is_settled_at(name, repo.head()))

    listed = [one[0] for one in await history_oracle.commits_of(daemon, name)]
    assert listed == repo.git("rev-list", "--topo-order", "HEAD").split()
    assert len(set(listed) & old) == 1
    await history_oracle.assert_right(daemon, name, tmp_path / "scratch.sqlite3")


async def test_what_was_amended_away_is_in_no_answer(daemon: Daemon, repo: Repo) -> None:
    repo.write("burrow.py", DIG)
    repo.commit("Dig")
    name = await daemon.add(repo.root, hooks=True)
    await daemon.settle(name, history=True)
    repo.write("burrow.py", DIG.replace("depth\n", "depth + 1\n"))
    leaked = repo.commit("Use the password xyzzy4711\n\nFixes LEAK-4711")
    await daemon.settle(name, history=True)
    found = await daemon.call("POST", "/v1/commits", {"query": "password xyzzy4711"})
    assert found["commits"][0]["commit"]["id"] == leaked

    clean = repo.commit("Use the vault", amend=True)
    await daemon.settle(name, history=True)

    found = await daemon.call("POST", "/v1/commits", {"query": "password xyzzy4711"})
    listed = await daemon.call("POST", "/v1/commits", {})
    log = await daemon.log(f"{name}:burrow.py#dig")
    hits = await daemon.search("dig a burrow", history=True)
    explained = await daemon.call("POST", "/v1/explain", {"query": "dig a burrow"})
    for answer in (found, listed, log, hits, explained):
        assert "4711" not in repr(answer).replace("password xyzzy4711'", "")
        assert leaked not in repr(answer)
    assert log["commits"][0]["commit"]["id"] == clean
    assert await found_by(daemon, "dig a burrow", ticket="LEAK-4711") == set()


# ------------------------------------------------------------------------------ branches, trees


async def test_a_switch_and_back_embeds_nothing_and_history_is_right_on_both(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write_all(many_modules(10))
    repo.commit("start")
    repo.branch("other")
    for number in range(6):
        path = f"package/part_0/module_{number}.py"
        repo.write(path, repo.read(path).replace("argument += 1 ", "argument += 7 "))
        repo.commit(f"Other {number}")
    repo.switch("main")
    async with FakeEmbedder.serving(16) as server:
        options = {
            "PAPARATS_EMBEDDER_PROVIDER": "openai",
            "PAPARATS_EMBEDDER_URL": server.url,
            "PAPARATS_EMBEDDER_MODEL": "fake",
            "PAPARATS_EMBEDDER_DIMENSION": "16",
        }
        async with running_daemon(options) as daemon:
            name = await daemon.add(repo.root, hooks=True)
            await daemon.settle(name, history=True)
            scratch = tmp_path / "scratch.sqlite3"
            on_main = await history_oracle.assert_right(daemon, name, scratch)
            repo.switch("other")
            await daemon.settle(name, history=True)
            on_other = await history_oracle.assert_right(daemon, name, scratch)
            asked, kept = len(server.texts), history_oracle.kept_pasts(daemon.state)

            repo.switch("main")
            await daemon.settle(name, history=True)
            assert await history_oracle.assert_right(daemon, name, scratch) == on_main
            repo.switch("other")
            await daemon.settle(name, history=True)
            assert await history_oracle.assert_right(daemon, name, scratch) == on_other

            assert on_main != on_other
            assert len(server.texts) == asked
            assert history_oracle.kept_pasts(daemon.state) == kept


async def test_two_work_trees_never_leak_into_each_other(
    daemon: Daemon, repo: Repo, tmp_path: Path
) -> None:
    repo.write("burrow.py", DIG)
    repo.write("shared.py", "def shared(): ...\n")
    start = repo.commit("start")
    tree = repo.worktree(tmp_path / "tree", "side")
    tree.write("burrow.py", DIG.replace("depth\n", "depth * 2\n"))
    tree.write("only.py", "def only_in_the_tree(): ...\n")
    tree.git("add", "--all")
    tree.git(
        "-c", "user.name=x", "commit", "-qm", "Side SIDE-77", "--author=Zoe <zoe@side.example>"
    )
    side = tree.head()
    repo.write("burrow.py", DIG.replace("depth\n", "depth + 1\n"))
    main = repo.commit("Main side MAIN-88")
    await daemon.add(repo.root, name="main", hooks=True)
    await daemon.add(tree.root, name="side")
    await daemon.settle(history=True)

    assert await ids_of(daemon, "main:burrow.py#dig") == [main, start]
    assert await ids_of(daemon, "side:burrow.py#dig") == [side, start]
    listed = {
        n: [o[0] for o in await history_oracle.commits_of(daemon, n)] for n in ("main", "side")
    }
    assert listed == {"main": [main, start], "side": [side, start]}
    asked = {"projects": ["main"]}
    for changed in ({"author": "zoe"}, {"ticket": "SIDE-77"}):
        assert await daemon.search("dig a burrow", **asked, **changed) == []
        body = {"query": "side", **asked, **changed}
        assert (await daemon.call("POST", "/v1/commits", body))["commits"] == []
        hits = await daemon.search("dig a burrow", **changed)
        assert {hit["project"] for hit in hits} == {"side"}
    hits = await daemon.search("dig a burrow", history=True, **asked)
    assert hits[0]["last_change"]["commit"]["id"] == main
    explained = await daemon.call("POST", "/v1/explain", {"query": "dig a burrow", **asked})
    assert {one["commit"]["id"] for one in explained["timeline"]} == {main, start}


async def test_a_removed_project_leaves_nothing_of_its_history_on_disk(
    daemon: Daemon, repo: Repo, tmp_path: Path
) -> None:
    repo.write("burrow.py", DIG)
    repo.commit("Dig with xylocanary\n\nbody zebracanary ABC-4711")
    repo.git("config", "user.name", "x")
    other = Repo.create(tmp_path / "other", {"b.py": "def b(): ...\n"})
    gone = await daemon.add(repo.root, name="gone")
    kept = await daemon.add(other.root, name="kept")
    await daemon.settle(history=True)
    assert any(b"xylocanary" in path.read_bytes() for path in daemon.state.glob("history*"))

    await daemon.remove(gone)
    await daemon.settle(kept, history=True)
    await daemon.stop()

    left = [
        (path.name, word)
        for path in daemon.home.rglob("*")
        if path.is_file()
        for word in (b"xylocanary", b"zebracanary", b"ABC-4711", b"burrow.py")
        if word in path.read_bytes() and path.name != "daemon.log"
    ]
    assert left == []
