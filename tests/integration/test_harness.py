"""The harness keeps its own promises: repositories, oracle and proxies, without a daemon."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import httpx
import pytest

from paparatsd.settings import IndexSettings
from tests.harness import oracle
from tests.harness.fake_embedder import FakeEmbedder, status, text_vector
from tests.harness.proxy import FaultProxy, Mode
from tests.harness.repos import GitCommandFailed, Repo, many_modules, python_module

if TYPE_CHECKING:
    from pathlib import Path


def test_equal_calls_give_equal_commits(tmp_path: Path) -> None:
    first = Repo.create(tmp_path / "a", {"x.py": "1\n"})
    second = Repo.create(tmp_path / "b", {"x.py": "1\n"})
    for repo in (first, second):
        repo.write("y.py", "2\n")
        repo.commit("Second")

    assert first.head() == second.head()
    assert first.files() == {"x.py", "y.py"}


def test_work_trees_and_clones_are_checkouts_of_their_own(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "main", {"x.py": "1\n"})
    tree = repo.worktree(tmp_path / "tree", "topic")
    clone = repo.clone(tmp_path / "clone", "--depth=1")

    assert tree.git("branch", "--show-current").strip() == "topic"
    assert clone.head() == repo.head()


def test_a_failing_git_command_says_which(repo: Repo) -> None:
    with pytest.raises(GitCommandFailed, match="checkout"):
        repo.switch("nowhere")


async def test_the_oracle_pictures_a_work_tree_and_names_each_difference(repo: Repo) -> None:
    repo.write_all({**many_modules(3), "data.bin": b"\0\1\2", ".gitignore": "ignored.py\n"})
    repo.write("ignored.py", "x = 1\n")

    picture = await oracle.from_scratch(repo.root, IndexSettings())

    assert set(picture.files) | set(picture.skipped) == repo.files()
    assert picture.skipped == {"data.bin": "binary"}
    assert picture.chunks >= 4
    path = "package/part_0/module_1.py"
    assert oracle.differences(picture, picture) == []
    less = {key: value for key, value in picture.files.items() if key != path}
    assert oracle.differences(picture, replace(picture, files=less)) == [f"missing: {path}"]
    assert oracle.differences(replace(picture, files=less), picture) == [f"left over: {path}"]
    cut = replace(picture.files[path], pieces=picture.files[path].pieces[1:])
    assert "left over []" in oracle.differences(
        picture, replace(picture, files={**picture.files, path: cut})
    )[0]  # fmt: skip
    assert oracle.differences(picture, replace(picture, frequencies={}))[0].startswith("document")


def test_generated_modules_differ_from_each_other() -> None:
    assert python_module("a") != python_module("b")
    assert len(set(many_modules(120).values())) == 120


async def test_the_fake_embedder_is_right_unless_scripted() -> None:
    async with FakeEmbedder.serving(dimension=4) as server, httpx.AsyncClient() as client:
        server.script(status(503))
        replies = [
            await client.post(f"{server.url}/v1/embeddings", json={"input": ["a"]})
            for _ in range(2)
        ]

    assert [reply.status_code for reply in replies] == [503, 200]
    assert replies[1].json()["data"][0]["embedding"] == pytest.approx(text_vector("a", 4).tolist())


@pytest.mark.parametrize("mode", [Mode.REFUSE, Mode.CUT, Mode.RESET_AFTER_REQUEST])
async def test_the_proxy_breaks_connections_on_demand(mode: Mode) -> None:
    async with (
        FakeEmbedder.serving() as server,
        FaultProxy.to("127.0.0.1", server.port) as proxy,
        httpx.AsyncClient() as client,
    ):
        proxy.set(mode, after_bytes=10)
        with pytest.raises(httpx.TransportError):
            await client.post(f"{proxy.url}/v1/embeddings", json={"input": ["a"]})
        proxy.set(Mode.PASS)
        reply = await client.post(f"{proxy.url}/v1/embeddings", json={"input": ["a"]})

    assert reply.status_code == 200
    assert len(server.requests) == {Mode.REFUSE: 1}.get(mode, 2)
