"""P1, P3, P5, P12: crashes, restarts and downtime cost time, never information."""

from __future__ import annotations

import contextlib
import shutil
import signal
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import pytest

from paparatsd.lock import read_holder
from tests.harness import oracle
from tests.harness.daemon import Daemon, DaemonFailed, Refusal, running_daemon
from tests.harness.indexed import index
from tests.harness.repos import Repo, many_modules

if TYPE_CHECKING:
    from pathlib import Path

HOOKS = ("post-commit", "post-checkout", "post-merge", "post-rewrite")


def stop_when_it_holds_the_lock(daemon: Daemon) -> int:
    """Start the daemon, send SIGTERM as soon as it has the lock, and return its exit code."""
    with subprocess.Popen(
        [sys.executable, "-m", "paparatsd"], env=daemon.environment, cwd=daemon.home
    ) as process:
        while process.poll() is None and read_holder(daemon.state / "lock") != process.pid:
            pass
        process.send_signal(signal.SIGTERM)
        return process.wait(10)


def files_in(daemon: Daemon, name: str) -> set[str]:
    """Return the paths that the catalog shows for a project."""
    return set(oracle.from_catalog(daemon.state / "catalog.sqlite3", name).files)


@pytest.mark.fault
async def test_killed_in_the_first_index_it_resumes_and_ends_equal(
    daemon: Daemon, repo: Repo
) -> None:
    repo.write_all(many_modules(2_500))
    repo.commit("many")
    name = await daemon.add(repo.root)
    await daemon.wait_until(lambda status: status["projects"][0]["generation"] >= 1)
    daemon.kill()
    before = len(files_in(daemon, name))

    await daemon.start()
    await daemon.settle(name)

    assert 0 < before < 2_500
    picture = await oracle.assert_equal(daemon, name)
    assert len(picture.files) == 2_500
    assert len(await daemon.paths("module_17_function_1", limit=5)) > 0


@pytest.mark.fault
@pytest.mark.parametrize("moment", range(4))
async def test_killed_at_any_moment_under_writes_it_ends_equal(
    daemon: Daemon, repo: Repo, moment: int
) -> None:
    name = await index(daemon, repo, many_modules(60))
    for round_no in range(moment + 1):
        for number in range(20 * (moment + 1)):
            repo.write(f"storm/f_{number}.py", f"def storm_{round_no}_{number}(): ...\n")
        repo.remove(f"package/part_0/module_{round_no}.py")
    daemon.kill()

    await daemon.start()
    await daemon.settle(name)

    await oracle.assert_equal(daemon, name)


async def test_a_restart_computes_nothing_and_what_changed_meanwhile_is_caught_up(
    daemon: Daemon, repo: Repo
) -> None:
    name = await index(daemon, repo, many_modules(40))
    await daemon.settle(name)
    generation = (await daemon.project(name))["generation"]

    await daemon.restart()
    assert (await daemon.project(name))["files"] == 40
    assert await daemon.paths("module_9_function_1", limit=1) == ["package/part_0/module_9.py"]
    await daemon.settle(name)
    assert (await daemon.project(name))["generation"] == generation

    await daemon.stop()
    repo.write("package/part_0/module_1.py", "def while_away(): ...\n")
    repo.remove("package/part_0/module_2.py")
    await daemon.start()
    await daemon.settle(name)

    await oracle.assert_equal(daemon, name)
    assert await daemon.paths("while_away", limit=1) == ["package/part_0/module_1.py"]


@pytest.mark.fault
async def test_lost_vectors_are_built_again(daemon: Daemon, repo: Repo) -> None:
    name = await index(daemon, repo, many_modules(30))
    await daemon.stop()
    shutil.rmtree(daemon.state / "vectors")

    await daemon.start()
    await daemon.wait_until(lambda _: "points_missing" in daemon.log_text())
    await daemon.settle(name)

    await oracle.assert_equal(daemon, name)
    assert await daemon.paths("module_7_function_1", limit=1) == ["package/part_0/module_7.py"]


@pytest.mark.fault
async def test_a_catalog_of_garbage_is_moved_aside_and_everything_is_rebuilt(
    daemon: Daemon, repo: Repo
) -> None:
    name = await index(daemon, repo, many_modules(10))
    await daemon.stop()
    (daemon.state / "catalog.sqlite3").write_bytes(b"not a database" * 1_000)

    await daemon.start()
    await daemon.settle(name)

    await oracle.assert_equal(daemon, name)


async def test_a_second_daemon_is_refused_and_names_the_first(daemon: Daemon) -> None:
    second = Daemon(daemon.home)
    with pytest.raises(DaemonFailed, match=f"code 75(.|\n)*process {daemon.pid}"):
        await second.start()
    assert (await daemon.status())["pid"] == daemon.pid


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_stops_it_in_order(daemon: Daemon, number: signal.Signals) -> None:
    daemon.signal(number)
    assert await daemon.wait(within_s=5) == 0


async def test_a_signal_during_the_first_index_stops_it_within_five_seconds(
    daemon: Daemon, repo: Repo
) -> None:
    repo.write_all(many_modules(1_000))
    await daemon.add(repo.root)
    await daemon.wait_until(lambda status: status["projects"][0]["progress"] is not None)
    daemon.signal(signal.SIGTERM)
    assert await daemon.wait(within_s=5) == 0


async def test_a_hangup_reads_the_project_list_again_and_keeps_it_when_it_is_broken(
    daemon: Daemon, repo: Repo
) -> None:
    repo.write("a.py", "def a(): ...\n")
    name = await daemon.add(repo.root)
    await daemon.wait_ready(name)

    (daemon.home / "config" / "projects.yml").write_text("repos: [\n")
    daemon.signal(signal.SIGHUP)

    def is_told(status: dict[str, object]) -> bool:
        return any("projects.yml" in problem for problem in status["problems"])  # type: ignore[attr-defined]

    status = await daemon.call("POST", "/v1/reload")
    assert any("projects.yml" in change for change in status["changes"])
    assert is_told(await daemon.status())
    assert (await daemon.project(name))["state"] == "ready"


async def test_a_hand_edit_of_the_project_list_is_followed(
    daemon: Daemon, repo: Repo, tmp_path: Path
) -> None:
    repo.write("a.py", "def a(): ...\n")
    other = Repo.create(tmp_path / "other", {"b.py": "def b(): ...\n"})
    name = await daemon.add(repo.root)
    await daemon.wait_ready(name)

    listing = daemon.home / "config" / "projects.yml"
    fresh = listing.with_suffix(".new")
    fresh.write_text(f"repos:\n  - path: {other.root}\n    name: other\n")
    fresh.replace(listing)

    status = await daemon.wait_until(
        lambda status: [one["name"] for one in status["projects"]] == ["other"]
    )
    assert status["problems"] == []


@pytest.mark.fault
@pytest.mark.parametrize("condition", ["up", "down", "frozen"])
async def test_a_commit_is_never_harmed_and_never_lost(
    daemon: Daemon, repo: Repo, condition: str
) -> None:
    repo.write("a.py", "def first(): ...\n")
    repo.commit("first")
    name = await daemon.add(repo.root, hooks=True)
    await daemon.wait_ready(name)
    assert (await daemon.project(name))["hooks"] == "installed"
    assert all((repo.root / ".git" / "hooks" / hook).exists() for hook in HOOKS)
    if condition == "down":
        await daemon.stop()
    elif condition == "frozen":
        daemon.freeze()

    repo.write("a.py", "def second(): ...\n")
    output = repo.git("commit", "-q", "-a", "-m", "second")
    head = repo.head()

    assert output == ""
    if condition == "down":
        await daemon.start()
    elif condition == "frozen":
        daemon.thaw()
    await daemon.wait_until(
        lambda status: (
            status["projects"][0]["head"] == head and status["projects"][0]["state"] == "ready"
        )
    )
    await daemon.settle(name)
    await oracle.assert_equal(daemon, name)
    assert list((daemon.state / "spool").glob("*post-commit*")) == []


async def test_removing_the_project_takes_its_hooks_out(daemon: Daemon, repo: Repo) -> None:
    repo.write("a.py", "def first(): ...\n")
    repo.commit("first")
    before = sorted(path.name for path in (repo.root / ".git" / "hooks").iterdir())
    name = await daemon.add(repo.root, hooks=True)
    await daemon.wait_ready(name)

    await daemon.remove(name)

    assert sorted(path.name for path in (repo.root / ".git" / "hooks").iterdir()) == before


@pytest.mark.fault
async def test_without_file_events_a_reconcile_still_converges(repo: Repo) -> None:
    """The matrix of the fault plan: events off, same end state."""
    repo.write_all(many_modules(8))
    repo.commit("some")
    async with running_daemon({"PAPARATS_WATCH_ENABLED": "false"}) as daemon:
        name = await daemon.add(repo.root)
        await daemon.wait_ready(name)
        repo.write("unseen.py", "def unseen(): ...\n")
        assert (await daemon.answer("unseen", fresh=True))["freshness"][0]["state"] == "verified"
        assert "unseen.py" in await daemon.paths("unseen")
        assert (await daemon.project(name))["watching"].startswith("polling")
        await oracle.assert_equal(daemon, name)


async def test_a_taken_port_is_one_sentence_and_its_own_exit_code(daemon: Daemon) -> None:
    port = (await daemon.http_url()).rsplit(":", 1)[1]
    async with running_daemon({"PAPARATS_PORT": port}, start=False) as second:
        with pytest.raises(DaemonFailed, match="code 75"):
            await second.start()
        assert "Traceback" not in second.log_text()
        assert f"port {port} on 127.0.0.1 is taken" in second.log_text()


@pytest.mark.fault
async def test_a_deleted_state_directory_ends_the_daemon_and_the_next_one_builds_anew(
    repo: Repo,
) -> None:
    repo.write_all(many_modules(3))
    async with running_daemon({"PAPARATS_WATCH_POLL_S": "1"}) as daemon:
        name = await daemon.add(repo.root)
        await daemon.wait_ready(name)

        shutil.rmtree(daemon.state)

        assert await daemon.wait() == 70
        await daemon.start()
        await daemon.settle(name)
        await oracle.assert_equal(daemon, name)


@pytest.mark.fault
async def test_a_stop_during_the_start_is_in_order_and_leaves_a_state_to_start_from() -> None:
    async with running_daemon(start=False) as daemon:
        (daemon.home / "home").mkdir()
        for _ in range(3):
            code = await anyio.to_thread.run_sync(stop_when_it_holds_the_lock, daemon)
            assert code == 0
        await daemon.start()
        assert (await daemon.status())["projects"] == []


@pytest.mark.fault
async def test_an_unmounted_root_keeps_its_index_until_it_is_back(
    daemon: Daemon, repo: Repo
) -> None:
    name = await index(daemon, repo, many_modules(4))
    away = repo.root.with_name("away")

    repo.root.rename(away)
    repo.root.mkdir()
    await daemon.wait_until(lambda status: status["projects"][0]["state"] == "missing")
    assert (await daemon.project(name))["files"] == 4

    repo.root.rmdir()
    away.rename(repo.root)
    await daemon.call("POST", "/v1/reindex", {"project": name})
    await daemon.wait_ready(name)
    await daemon.settle(name)
    await oracle.assert_equal(daemon, name)


async def test_what_turns_out_to_be_a_secret_is_purged_at_once(daemon: Daemon, repo: Repo) -> None:
    repo.write("config.py", "def harmless_before(): ...\n")
    name = await daemon.add(repo.root)
    await daemon.wait_ready(name)

    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7v\n-----END RSA PRIVATE KEY-----\n"
    repo.write("config.py", f"def harmless_before(): ...\nKEY = '''{key}'''\n")
    await daemon.settle(name)

    assert (await daemon.skipped(name))["config.py"] == "key_material"
    with contextlib.closing(sqlite3.connect(daemon.state / "catalog.sqlite3")) as catalog:
        left = catalog.execute("SELECT count(*) FROM versions WHERE path = 'config.py'").fetchone()
    assert left == (0,)


async def test_where_nothing_tells_of_changes_answers_say_how_old_the_last_check_is(
    repo: Repo,
) -> None:
    repo.write("a.py", "def a(): ...\n")
    async with running_daemon({"PAPARATS_WATCH_ENABLED": "false"}) as daemon:
        await daemon.add(repo.root)
        await daemon.wait_ready()
        (freshness,) = (await daemon.answer("a"))["freshness"]
        assert freshness["state"] == "stale"
        assert "last checked" in freshness["reason"]


async def test_a_search_without_projects_is_an_empty_answer_that_says_why(daemon: Daemon) -> None:
    answer = await daemon.answer("anything")
    assert answer["results"] == []
    assert "No project is registered" in answer["notes"][0]


async def test_half_a_character_in_a_notebook_harms_no_answer(daemon: Daemon, repo: Repo) -> None:
    cell = '{"cells": [{"cell_type": "code", "source": ["broken = \\"\\ud800\\"\\n"]}]}'
    repo.write("odd.ipynb", cell.encode("utf-8", "surrogatepass"))
    repo.write("odd2.ipynb", '{"cells": [{"cell_type": "code", "source": ["b2 = \'\\\\ud800\'"]}]}')
    name = await daemon.add(repo.root)
    await daemon.wait_ready(name)
    assert "odd2.ipynb" in await daemon.paths("b2")


@pytest.mark.fault
async def test_a_bare_repository_is_refused_with_a_reason(
    daemon: Daemon, repo: Repo, tmp_path: Path
) -> None:
    repo.write("a.py", "def a(): ...\n")
    repo.commit("some")
    repo.git("clone", "-q", "--bare", str(repo.root), str(tmp_path / "bare.git"))
    with pytest.raises(Refusal, match="bare"):
        await daemon.add(tmp_path / "bare.git")


async def test_hooks_follow_the_list_also_when_it_is_edited_by_hand_or_while_we_are_down(
    daemon: Daemon, repo: Repo, tmp_path: Path
) -> None:
    other = Repo.create(tmp_path / "other", {"b.py": "def b(): ...\n"})
    listing = daemon.home / "config" / "projects.yml"

    def hooked(one: Repo) -> bool:
        return (one.root / ".git" / "hooks" / "post-commit").exists()

    repo.write("a.py", "def a(): ...\n")
    await daemon.add(repo.root, name="first", hooks=True)
    await daemon.wait_ready("first")
    assert hooked(repo)

    listing.write_text(f"repos:\n  - path: {other.root}\n    name: other\n")
    await daemon.wait_until(lambda _: hooked(other) and not hooked(repo))

    await daemon.stop()
    listing.write_text(f"repos:\n  - path: {repo.root}\n    name: first\n")
    await daemon.start()
    await daemon.wait_until(lambda _: hooked(repo) and not hooked(other))
    await daemon.wait_until(lambda status: status["projects"][0]["hooks"] == "installed")

    await daemon.restart()
    await daemon.wait_until(lambda status: status["projects"][0]["hooks"] == "installed")
