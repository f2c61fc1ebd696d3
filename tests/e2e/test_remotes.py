"""Repositories elsewhere, through the daemon: cloned, searched, fetched, and what goes wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.daemon import running_daemon
from tests.harness.git_remote import GitServer, Upstream
from tests.harness.repos import python_module

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.harness.daemon import Daemon

TOKEN = "tok-3n-of-nobody"


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    made = Upstream(tmp_path)
    made.push({"src/marmot.py": python_module("marmot")}, "Marmots dig")
    return made


@pytest.fixture
async def alone() -> AsyncIterator[Daemon]:
    """Yield a daemon that only fetches when it is told to."""
    options = {"PAPARATS_REMOTES_CRON": "off", "PAPARATS_REMOTES_CRON_FAST": "off"}
    async with running_daemon(options) as daemon:
        yield daemon
        assert "Traceback" not in daemon.log_text()


async def follow(daemon: Daemon, url: str, **options: Any) -> str:
    """Follow a URL and wait until it is indexed."""
    answer = await daemon.call("POST", "/v1/projects", {"url": url, **options})
    name = str(answer["project"]["name"])
    await daemon.wait_ready(name)
    return name


async def fetch(daemon: Daemon, name: str) -> dict[str, Any]:
    """Fetch one project, have it indexed, and return what came of it."""
    answer = await daemon.call("POST", "/v1/fetch", {"project": name}, within_s=30)
    await daemon.settle(name)
    one: dict[str, Any] = answer["fetched"][0]
    return one


async def test_what_becomes_of_a_repository_elsewhere_is_followed_here(
    alone: Daemon, upstream: Upstream
) -> None:
    name = await follow(alone, upstream.url)
    assert name == "shop"
    assert await alone.paths("marmot_function_1") == ["src/marmot.py"]
    before = await alone.project(name)
    assert before["remote"]["url"] == upstream.url
    assert before["remote"]["branch"] == before["branch"] == "main"
    assert before["hooks"] == "absent"
    root = Path(before["root"])
    assert root.is_relative_to(alone.state / "remotes")
    assert not (root / ".git" / "hooks").exists()

    commit = upstream.push({"src/beaver.py": python_module("beaver")}, "Beavers build for PAY-12")
    fetched = {"project": name, "moved": True, "commit": commit, "problem": ""}
    assert await fetch(alone, name) == fetched
    assert "src/beaver.py" in await alone.paths("beaver_function_2")
    await alone.settle(history=True)
    log = await alone.log(f"{name}:src/beaver.py#beaver_function_0")
    assert [one["commit"]["subject"] for one in log["commits"]] == ["Beavers build for PAY-12"]
    assert (await fetch(alone, name))["moved"] is False

    upstream.work.write("src/marmot.py", python_module("badger"))
    amended = upstream.work.commit("Badgers dig", amend=True)
    upstream.work.git("branch", "-m", "trunk")
    upstream.work.git("push", "--quiet", "--force", "origin", "trunk")
    upstream.set_default("trunk")
    upstream.work.git("push", "--quiet", "origin", ":main")
    assert (await fetch(alone, name))["commit"] == amended
    assert (await alone.project(name))["branch"] == "trunk"
    assert (await alone.paths("badger_function_1"))[0] == "src/marmot.py"
    assert not any("marmot" in hit["text"] for hit in await alone.search("marmot_function_1"))

    upstream.work.git("--git-dir", str(upstream.bare), "update-ref", "-d", "refs/heads/trunk")
    failed = await fetch(alone, name)
    assert "empty" in failed["problem"]
    assert (await alone.paths("badger_function_1"))[0] == "src/marmot.py"
    assert any("empty" in problem for problem in (await alone.status())["problems"])


async def test_a_daemon_that_is_killed_while_it_clones_clones_again_and_a_removal_deletes_it(
    alone: Daemon, upstream: Upstream, tmp_path: Path
) -> None:
    upstream.push({f"data/{n}.py": python_module(f"data{n}", 2) for n in range(100)})
    with GitServer(tmp_path) as server:
        await alone.call("POST", "/v1/projects", {"url": server.url("shop")})
        await alone.wait_until(
            lambda _: any(path.endswith("git-upload-pack") for path, _ in server.requests),
            within_s=30,
        )
        alone.kill()
        (alone.state / "remotes" / ".tmp-shop-of-before").mkdir(exist_ok=True)
        await alone.start()
        await alone.wait_ready("shop", within_s=30)
    remotes, root = alone.state / "remotes", Path((await alone.project("shop"))["root"])
    only = {root.name, f"{root.name}.json"}
    await alone.wait_until(lambda _: {one.name for one in remotes.iterdir()} == only, 30)
    assert (await alone.project("shop"))["files"] == 101

    await alone.remove("shop")
    await alone.wait_until(lambda _: not list(remotes.iterdir()), 30)


async def test_a_token_lets_us_in_and_is_seen_nowhere(upstream: Upstream, tmp_path: Path) -> None:
    with GitServer(tmp_path, credential=f"x-access-token:{TOKEN}") as server:
        variable = f"PAPARATS_GIT_TOKEN_127_0_0_1_{server.port}"
        async with running_daemon({variable: TOKEN}) as daemon:
            await follow(daemon, server.url("shop"))
            assert await daemon.paths("marmot_function_1") == ["src/marmot.py"]
            server.credential = "x-access-token:another"
            failed = await daemon.call("POST", "/v1/fetch", {}, within_s=30)
            assert "does not accept the token" in failed["fetched"][0]["problem"]
            status = await daemon.status()
            assert [one["host"] for one in status["outlets"]] == [f"127.0.0.1:{server.port}"]
            seen = [str(status), str(failed), daemon.log_text()]
            kept = [*daemon.state.rglob("*"), *(daemon.home / "config").rglob("*")]
            seen += [path.read_bytes().decode("latin-1") for path in kept if path.is_file()]
            assert not any(TOKEN in text for text in seen)
