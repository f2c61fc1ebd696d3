"""History in every kind of repository: what there is, where it ends, and never a trace."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.test_history_moves import DIG, history_of, ids_of, is_settled_at
from tests.harness import history_oracle
from tests.harness.repos import Repo, many_modules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.harness.daemon import Daemon

DEEPER = DIG.replace("depth\n", "depth + 1\n")


@pytest.fixture(autouse=True)
async def no_traces(daemon: Daemon) -> AsyncIterator[None]:
    """Fail where the daemon has logged a defect."""
    yield
    assert "Traceback" not in daemon.log_text()


@pytest.fixture
def dug(repo: Repo) -> Repo:
    """Return a repository with two commits to a function."""
    repo.write("burrow.py", DIG)
    repo.commit("Dig")
    repo.write("burrow.py", DEEPER)
    repo.commit("Dig deeper")
    return repo


def commits(repo: Repo) -> list[str]:
    """Return all commits of the head, newest first."""
    return repo.git("rev-list", "HEAD").split()


async def test_a_plain_folder_has_no_history_and_says_so(daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "burrow.py").write_text(DIG)
    name = await daemon.add(tmp_path / "plain")
    await daemon.settle(name, history=True)

    log = await daemon.log(f"{name}:burrow.py#dig")

    assert (await history_of(daemon, name))["state"] == "none"
    assert log["commits"] == []
    assert log["notes"] == [f"{name} has no history: not a git repository."]
    assert (await daemon.search("dig a burrow", history=True))[0]["path"] == "burrow.py"
    assert await daemon.search("dig a burrow", author="Ada") == []


async def test_an_unborn_branch_has_no_history_until_its_first_commit(
    daemon: Daemon, repo: Repo
) -> None:
    repo.write("burrow.py", DIG)
    name = await daemon.add(repo.root)
    await daemon.settle(name, history=True)
    assert (await history_of(daemon, name))["state"] == "none"
    assert (await daemon.log(f"{name}:burrow.py#dig"))["uncommitted"] == 3

    head = repo.commit("Dig")
    await daemon.wait_until(is_settled_at(name, head))

    assert (await history_of(daemon, name))["state"] == "ready"
    assert await ids_of(daemon, f"{name}:burrow.py#dig") == [head]


async def test_a_detached_head_has_the_history_that_it_reaches(daemon: Daemon, dug: Repo) -> None:
    second, first = commits(dug)
    name = await daemon.add(dug.root)
    await daemon.settle(name, history=True)
    dug.git("checkout", "--quiet", "--detach", first)
    await daemon.settle(name, history=True)
    assert await ids_of(daemon, f"{name}:burrow.py#dig") == [first]
    assert (await daemon.project(name))["branch"] is None
    dug.switch("main")
    await daemon.settle(name, history=True)
    assert await ids_of(daemon, f"{name}:burrow.py#dig") == [second, first]


async def test_a_sha256_repository_has_its_history(daemon: Daemon, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "long", {"burrow.py": DIG}, object_format="sha256")
    repo.write("burrow.py", DEEPER)
    repo.commit("Dig deeper")
    name = await daemon.add(repo.root)
    await daemon.settle(name, history=True)
    assert await ids_of(daemon, f"{name}:burrow.py#dig") == commits(repo)
    await history_oracle.assert_right(daemon, name, tmp_path / "scratch.sqlite3")


async def test_a_part_of_a_repository_has_the_history_of_its_own_files(
    daemon: Daemon, dug: Repo
) -> None:
    dug.write("part/inner.py", "def inner(): ...\n")
    inner = dug.commit("Inner")
    dug.git("mv", "burrow.py", "part/burrow.py")
    moved = dug.commit("Move into the part")
    name = await daemon.add(dug.root / "part", name="part")
    await daemon.settle(name, history=True)

    assert await ids_of(daemon, "part:inner.py#inner") == [inner]
    assert await ids_of(daemon, "part:burrow.py#dig") == commits(dug)[2:]
    found = await daemon.call("POST", "/v1/commits", {"paths": ["burrow.py"]})
    assert [one["commit"]["id"] for one in found["commits"]] == [moved]
    assert (await daemon.search("dig a burrow", history=True))[0]["last_change"]["commits"] == 2


async def test_a_shallow_clone_says_that_history_ends_until_it_is_deepened(
    daemon: Daemon, dug: Repo, tmp_path: Path
) -> None:
    dug.write("burrow.py", DEEPER.replace("burrow", "deep burrow"))
    third = dug.commit("Say how deep")
    clone = dug.clone(tmp_path / "clone", "--depth=1")
    name = await daemon.add(clone.root, name="clone")
    await daemon.settle(name, history=True)
    place = "clone:burrow.py#dig"

    log = await daemon.log(place)
    assert (await history_of(daemon, name))["state"] == "limited"
    assert not log["complete"]
    assert any("shallow" in note for note in log["notes"])
    assert [one["commit"]["id"] for one in log["commits"]] in ([], [third])
    await history_oracle.assert_right(daemon, name, tmp_path / "scratch.sqlite3")

    clone.git("fetch", "--quiet", "--deepen=1")
    await daemon.settle(name, history=True)
    assert await ids_of(daemon, place) == [third]
    await history_oracle.assert_right(daemon, name, tmp_path / "scratch.sqlite3")

    clone.git("fetch", "--quiet", "--unshallow")
    await daemon.settle(name, history=True)
    log = await daemon.log(place)
    assert [one["commit"]["id"] for one in log["commits"]] == commits(dug)
    assert log["complete"]
    assert (await history_of(daemon, name))["state"] == "ready"
    await history_oracle.assert_right(daemon, name, tmp_path / "scratch.sqlite3")


async def test_a_partial_clone_is_read_without_the_network(
    daemon: Daemon, dug: Repo, tmp_path: Path
) -> None:
    dug.git("config", "uploadpack.allowFilter", "true")
    clone = dug.clone(tmp_path / "clone", "--filter=blob:none")
    name = await daemon.add(clone.root, name="clone")
    await daemon.settle(name, history=True)
    before = clone.git("count-objects", "-v")

    log = await daemon.log("clone:burrow.py#dig")

    assert [one["commit"]["id"] for one in log["commits"]][:1] == commits(dug)[:1]
    assert (await history_of(daemon, name))["state"] in ("ready", "limited")
    assert clone.git("count-objects", "-v") == before


async def test_a_missing_commit_ends_history_and_its_return_brings_it_back(
    daemon: Daemon, dug: Repo
) -> None:
    second, first = commits(dug)
    dug.write("other.py", "def other(): ...\n")
    third = dug.commit("Other")
    lost = dug.root / ".git" / "objects" / first[:2] / first[2:]
    kept = lost.read_bytes()
    lost.unlink()
    name = await daemon.add(dug.root)
    await daemon.settle(name, history=True)

    history = await history_of(daemon, name)
    log = await daemon.log(f"{name}:burrow.py#dig")
    assert history["state"] in ("limited", "broken"), history
    assert history["reason"]
    assert not log["complete"]
    assert first not in repr(log["commits"])
    assert await ids_of(daemon, f"{name}:other.py#other") == [third]

    lost.write_bytes(kept)
    await daemon.wait_until(is_ready(name))
    assert await ids_of(daemon, f"{name}:burrow.py#dig") == [second, first]


def is_ready(name: str) -> Callable[[dict[str, Any]], bool]:
    """Return a condition: all history is there."""

    def satisfied(status: dict[str, Any]) -> bool:
        (one,) = (one for one in status["projects"] if one["name"] == name)
        return bool(one["history"]) and one["history"]["state"] == "ready"

    return satisfied


async def test_a_missing_file_content_is_said_and_harms_nothing_else(
    daemon: Daemon, dug: Repo
) -> None:
    blob = dug.git("rev-parse", "HEAD~1:burrow.py").strip()
    dug.write("other.py", "def other(): ...\n")
    third = dug.commit("Other")
    (dug.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    name = await daemon.add(dug.root)
    await daemon.settle(name, history=True)

    log = await daemon.log(f"{name}:burrow.py#dig")
    assert log["commits"]
    assert await ids_of(daemon, f"{name}:other.py#other") == [third]
    history = await history_of(daemon, name)
    assert history["state"] == "limited", history
    assert blob[:7] in history["reason"] or history["reason"]


async def test_a_replaced_commit_is_read_as_git_shows_it(
    daemon: Daemon, dug: Repo, tmp_path: Path
) -> None:
    second, first = commits(dug)
    dug.git("replace", "--graft", second)  # history begins at the second commit
    name = await daemon.add(dug.root)
    await daemon.settle(name, history=True)
    assert await ids_of(daemon, f"{name}:burrow.py#dig") == [second]
    await history_oracle.assert_right(daemon, name, tmp_path / "scratch.sqlite3")

    dug.git("replace", "-d", second)
    await daemon.settle(name, history=True)
    assert await ids_of(daemon, f"{name}:burrow.py#dig") == [second, first]


async def test_a_submodule_has_a_history_of_its_own(
    daemon: Daemon, dug: Repo, tmp_path: Path
) -> None:
    outer = Repo.create(tmp_path / "outer", {"outer.py": "def outer(): ...\n"})
    outer.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(dug.root), "sub"
    )
    outer.commit("Take along the burrow")
    await daemon.add(outer.root, name="outer")
    await daemon.add(outer.root / "sub", name="sub")
    await daemon.settle(history=True)
    assert await ids_of(daemon, "sub:burrow.py#dig") == commits(dug)
    assert await ids_of(daemon, "outer:outer.py#outer") == commits(outer)[-1:]
    for name in ("outer", "sub"):
        await history_oracle.assert_right(daemon, name, tmp_path / "scratch.sqlite3")


async def test_a_checkout_with_other_line_ends_has_nothing_uncommitted(
    daemon: Daemon, dug: Repo, tmp_path: Path
) -> None:
    clone = dug.clone(tmp_path / "clone", "--config=core.autocrlf=true")
    assert b"\r\n" in (clone.root / "burrow.py").read_bytes()
    name = await daemon.add(clone.root, name="clone")
    await daemon.settle(name, history=True)
    log = await daemon.log("clone:burrow.py#dig")
    assert log["uncommitted"] == 0
    assert [one["commit"]["id"] for one in log["commits"]] == commits(dug)

    text = (clone.root / "burrow.py").read_bytes()
    (clone.root / "burrow.py").write_bytes(text.replace(b"depth + 1", b"depth + 2"))
    await daemon.settle(name, history=True)
    assert (await daemon.log("clone:burrow.py#dig"))["uncommitted"] == 1


async def test_content_that_lies_elsewhere_has_the_commits_of_its_pointer(
    daemon: Daemon, repo: Repo
) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n"
    repo.write("big.py", pointer.format("a" * 64))
    first = repo.commit("Track")
    repo.write("big.py", pointer.format("b" * 64))
    second = repo.commit("Track another")
    repo.write("big.py", DIG)  # what a smudge filter writes
    name = await daemon.add(repo.root)
    await daemon.settle(name, history=True)

    log = await daemon.log(f"{name}:big.py#dig")

    assert [one["commit"]["id"] for one in log["commits"]] == [second, first]
    assert log["uncommitted"] == 0
    hits = await daemon.search("dig a burrow", history=True)
    assert hits[0]["last_change"]["commit"]["id"] == second


# ------------------------------------------------------------------------------ own files of git


async def test_a_change_of_the_mailmap_shows_at_the_next_answer(daemon: Daemon, dug: Repo) -> None:
    name = await daemon.add(dug.root)
    await daemon.settle(name, history=True)
    place = f"{name}:burrow.py#dig"

    async def author() -> str:
        found: str = (await daemon.log(place))["commits"][0]["commit"]["author"]["name"]
        return found

    assert await author() == "Ada Author"
    dug.write(".mailmap", "Ada Lovelace <ada@example.org>\n")
    assert await author() == "Ada Lovelace"
    hits = await daemon.search("dig a burrow", history=True, author="lovelace")
    assert hits[0]["last_change"]["commit"]["author"]["name"] == "Ada Lovelace"
    dug.write(".mailmap", "Countess <ada@example.org>\n")
    assert await author() == "Countess"
    dug.remove(".mailmap")
    assert await author() == "Ada Author"


async def test_ignored_commits_are_passed_over_and_the_list_is_followed(
    daemon: Daemon, dug: Repo
) -> None:
    second, first = commits(dug)
    name = await daemon.add(dug.root)
    await daemon.settle(name, history=True)
    place = f"{name}:burrow.py#dig"

    async def owners() -> dict[str, int]:
        log = await daemon.log(place)
        return {c["commit"]["id"]: c["lines"] for c in log["commits"] if c["lines"]}

    assert await owners() == {second: 1, first: 2}
    dug.write(".git-blame-ignore-revs", f"# reformatted\n{second}\n")
    await daemon.settle(name, history=True)
    assert await owners() == {first: 3}
    dug.write(".git-blame-ignore-revs", "nonsense\n")
    await daemon.settle(name, history=True)
    assert await owners() == {second: 1, first: 2}


# ------------------------------------------------------------------------------ the history file


@pytest.mark.parametrize("damage", ["deleted", "garbage", "torn"])
async def test_a_lost_or_damaged_history_file_is_built_again(
    daemon: Daemon, dug: Repo, damage: str
) -> None:
    name = await daemon.add(dug.root)
    await daemon.settle(name, history=True)
    await daemon.stop()
    path = daemon.state / "history.sqlite3"
    data = path.read_bytes()
    if damage == "deleted":
        path.unlink()
    elif damage == "garbage":
        path.write_bytes(b"not a database" * 1000)
    else:
        path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))

    await daemon.start()
    await daemon.settle(name, history=True)

    assert (await history_of(daemon, name))["state"] == "ready"
    assert await ids_of(daemon, f"{name}:burrow.py#dig") == commits(dug)


async def test_a_history_file_of_a_newer_version_is_refused_in_words_and_search_goes_on(
    daemon: Daemon, dug: Repo
) -> None:
    name = await daemon.add(dug.root)
    await daemon.settle(name, history=True)
    await daemon.stop()
    path = daemon.state / "history.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9999")
        connection.commit()
    before = path.read_bytes()

    await daemon.start()
    await daemon.settle(name, history=True)

    history = await history_of(daemon, name)
    assert history["state"] == "broken"
    assert "schema 9999" in history["reason"]
    answer = await daemon.answer("dig a burrow", history=True)
    assert answer["results"][0]["path"] == "burrow.py"
    assert any("schema 9999" in note for note in answer["notes"])
    assert path.read_bytes() == before


def history_process(daemon: Daemon) -> int:
    """Return the number of the process that keeps history."""
    children = Path(f"/proc/{daemon.pid}/task/{daemon.pid}/children").read_text().split()
    (found,) = (
        int(pid)
        for pid in children
        if b"paparatsd.history.child" in Path(f"/proc/{pid}/cmdline").read_bytes()
    )
    return found


@pytest.mark.parametrize("victim", ["history", "daemon"])
async def test_killed_in_the_middle_of_a_first_scan_it_resumes(
    daemon: Daemon, repo: Repo, tmp_path: Path, victim: str
) -> None:
    repo.write_all(many_modules(4))
    repo.commit("start")
    stream = [
        f"commit refs/heads/main\ncommitter Ada <ada@example.org> {1_700_001_000 + n} +0000\n"
        f"data 9\nstep {n:04}\n{'' if n else 'from refs/heads/main^0' + chr(10)}"
        f"M 644 inline counted/file_{n % 40}.py\ndata <<E\ndef f_{n}(): ...\nE\n\n"
        for n in range(3_000)
    ]
    repo.git("fast-import", "--quiet", stdin="".join(stream))
    repo.git("reset", "--hard", "--quiet")
    name = await daemon.add(repo.root)

    def is_under_way(status: dict[str, list[dict[str, dict[str, int]]]]) -> bool:
        history = status["projects"][0]["history"]
        return bool(history) and 0 < history["commits"] < 3_000

    await daemon.wait_until(is_under_way)
    if victim == "daemon":
        daemon.kill()
        await daemon.start()
    else:
        os.kill(history_process(daemon), signal.SIGKILL)
    await daemon.settle(name, history=True)

    assert (await history_of(daemon, name))["commits"] == 3_001
    await history_oracle.assert_right(daemon, name, tmp_path / "scratch.sqlite3")
