"""Git with our hooks and without: the same commits, the same exit codes, nothing printed."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from tests.e2e.test_history_moves import is_settled_at
from tests.harness import history_oracle
from tests.harness.repos import Repo, python_module

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.harness.daemon import Daemon

COMMITS = 30


class Run(NamedTuple):
    """What a command came to."""

    code: int
    output: str
    head: str
    tree: str
    refs: str


def run(repo: Repo, *arguments: str) -> Run:
    """Run git with fixed dates and return what can be seen of it."""
    date = "1700009999 +0000"
    done = subprocess.run(
        ["git", *arguments],
        cwd=repo.root,
        env={**repo.environment, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Run(
        done.returncode,
        (done.stdout + done.stderr).replace(str(repo.root), "ROOT"),
        repo.head(),
        repo.git("status", "--porcelain"),
        repo.git("for-each-ref"),
    )


def prepared(root: Path) -> Repo:
    """Return a repository with a topic of 30 commits and a main that went on meanwhile."""
    repo = Repo.create(root, {"one.py": python_module("one"), "two.py": python_module("two")})
    repo.branch("topic")
    for number in range(COMMITS):
        repo.write(f"topic_{number % 4}.py", f"def topic_{number}():\n    return {number}\n")
        repo.commit(f"Topic {number}")
    repo.switch("main")
    repo.write("one.py", repo.read("one.py").replace("argument += 1 ", "argument += 8 "))
    repo.commit("Main side")
    repo.branch("other")
    repo.git("reset", "--hard", "--quiet", "HEAD~1")
    repo.write("one.py", repo.read("one.py").replace("argument += 1 ", "argument += 9 "))
    repo.commit("Other side")
    repo.switch("topic")
    return repo


async def both(
    daemon: Daemon, tmp_path: Path, work: Callable[[Repo], list[Run]]
) -> tuple[Repo, list[Run]]:
    """Do the same with and without hooks, fail on any difference; returns the one with hooks."""
    plain = work(prepared(tmp_path / "plain"))
    hooked = prepared(tmp_path / "hooked")
    await daemon.add(hooked.root, name="hooked", hooks=True)
    await daemon.settle("hooked", history=True)
    assert os.access(hooked.root / ".git" / "hooks" / "post-rewrite", os.X_OK)
    done = work(hooked)
    assert done == plain
    return hooked, done


async def test_a_rebase_that_runs_a_command_at_each_commit_is_the_same_with_hooks(
    daemon: Daemon, tmp_path: Path
) -> None:
    repo, done = await both(
        daemon,
        tmp_path,
        lambda repo: [
            run(repo, "rebase", "-x", "true", "main"),
            run(repo, "rebase", "-x", "exit 3", "other"),
            run(repo, "rebase", "--abort"),
        ],
    )

    assert [one.code for one in done] == [0, 1, 0]
    await daemon.wait_until(is_settled_at("hooked", repo.head()))
    await daemon.settle("hooked", history=True)
    await history_oracle.assert_right(daemon, "hooked", tmp_path / "scratch.sqlite3")


async def test_a_conflicted_merge_is_the_same_with_hooks(daemon: Daemon, tmp_path: Path) -> None:
    def merge(repo: Repo) -> list[Run]:
        repo.switch("main")
        repo.git("reset", "--hard", "--quiet", "other")
        repo.switch("topic")
        done = [run(repo, "merge", "--no-edit", "main")]
        repo.write("one.py", repo.read("one.py").replace("argument += 0 ", "argument += 5 "))
        done.append(run(repo, "commit", "--quiet", "-am", "Topic side"))
        done.append(run(repo, "merge", "--no-edit", "-s", "resolve", "side"))
        repo.write("one.py", python_module("resolved"))
        done.append(run(repo, "commit", "--quiet", "--all", "--no-edit"))
        return done

    def work(repo: Repo) -> list[Run]:
        repo.git("branch", "side", "other")
        repo.git("checkout", "--quiet", "side")
        repo.write("one.py", repo.read("one.py").replace("argument += 0 ", "argument += 6 "))
        repo.commit("Side")
        repo.switch("topic")
        return merge(repo)

    repo, done = await both(daemon, tmp_path, work)

    assert [one.code for one in done] == [0, 0, 1, 0]
    await daemon.wait_until(is_settled_at("hooked", repo.head()))
    await daemon.settle("hooked", history=True)
    await history_oracle.assert_right(daemon, "hooked", tmp_path / "scratch.sqlite3")
