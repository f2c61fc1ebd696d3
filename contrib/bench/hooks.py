"""What the git hooks cost with the daemon up, down and frozen, and that nothing is lost.

    python contrib/bench/hooks.py [--commits N] [--files N] [--json OUT]

Makes a repository in a scratch directory, registers it with its hooks, and in each state makes
commits in turns: one with hooks, one without (`core.hooksPath` of an empty directory). Beside them
it runs the post-commit hook alone as git runs it, and `sh -c :`, the least a hook can cost.

After each state the daemon is let go on, and without being asked to look it must show the newest
commit, have every word that was committed, and leave no spooled event; then its index is compared
with one built from scratch. Exit code 1 otherwise.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from lab import (
    Daemon,
    Table,
    is_settled,
    load,
    ms,
    quantile,
    running,
    scratch,
    timed,
    until_ready,
    write_json,
)

from tests.harness import oracle
from tests.harness.repos import Repo, many_modules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NAME = "burrow"
STATES = ("up", "down", "frozen")
CAUGHT_UP_S = 60.0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--commits", type=int, default=40, help="of each kind in each state")
    parser.add_argument("--files", type=int, default=500, help="in the repository")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the table here")
    arguments = parser.parse_args()
    with scratch() as home:
        return asyncio.run(run(home, arguments.commits, arguments.files, arguments.json))


async def run(home: Path, commits: int, files: int, json_path: Path | None) -> int:
    repo = Repo.create(home / "repo", many_modules(files))
    table = Table(("ms, p50 / p95", *STATES))
    timings: dict[str, dict[str, list[float]]] = {}
    lost: list[str] = []
    begin = load()
    async with running(home) as daemon:
        await daemon.add(repo.root, name=NAME, hooks=True)
        await until_ready(daemon, NAME)
        bench = Bench(repo, home / "no-hooks")
        for state in STATES:
            if state == "down":
                await daemon.stop(within_s=60)
            elif state == "frozen":
                daemon.freeze()
            timings[state] = bench.measure(state, commits)
            if state == "down":
                await daemon.start()
            elif state == "frozen":
                daemon.thaw()
            lost += await what_is_lost(daemon, repo, state, bench.words)
    for row in timings["up"]:
        table.add(row, *(p50_p95(timings[state][row]) for state in STATES))
    table.add("hook over `sh -c :`", *(over(timings[state], "hook alone") for state in STATES))
    table.add("commit over one without", *(over_commit(timings[state]) for state in STATES))
    print(f"{commits} commits of each kind in each state, {files} files; {begin}; {load()}\n")
    table.print()
    print("\n" + ("\n".join(lost) if lost else "nothing lost in any state"))
    write_json(json_path, {"table": table.records(), "lost": lost, "raw": timings})
    return 1 if lost else 0


class Bench:
    """Makes commits with and without hooks, and runs the hook by itself."""

    def __init__(self, repo: Repo, no_hooks: Path) -> None:
        no_hooks.mkdir()
        self.repo = repo
        self.words: dict[str, str] = {}
        self._no_hooks = no_hooks
        self._hook = repo.root / ".git" / "hooks" / "post-commit"
        if not self._hook.exists():
            raise SystemExit(f"the hook was not installed: {self._hook}")
        self._environment = {**repo.environment, "GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index"}

    def measure(self, state: str, commits: int) -> dict[str, list[float]]:
        """Return the seconds of each kind of call; the kinds take turns."""
        kinds: dict[str, Callable[[int], float]] = {
            "`sh -c :`": lambda _: self._run("sh", "-c", ":"),
            "hook alone": lambda _: self._run(str(self._hook)),
            "commit with hooks": lambda turn: self._commit(f"{state}hooked{turn}"),
            "commit without": lambda turn: self._commit(f"{state}plain{turn}", hooks=False),
        }
        found: dict[str, list[float]] = {kind: [] for kind in kinds}
        for turn in range(commits):
            for kind, call in kinds.items():
                found[kind].append(call(turn))
        return found

    def _commit(self, word: str, *, hooks: bool = True) -> float:
        path = f"package/{word}.py"
        self.repo.write(path, f"def {word}():\n    return {word!r}\n")
        self.repo.git("add", path)
        self.words[word] = path
        options = () if hooks else ("-c", f"core.hooksPath={self._no_hooks}")
        return timed(lambda: self.repo.git(*options, "commit", "--quiet", "--message", word))

    def _run(self, *command: str) -> float:
        return timed(
            lambda: subprocess.run(
                command, cwd=self.repo.root, env=self._environment, check=True, capture_output=True
            )
        )


async def what_is_lost(daemon: Daemon, repo: Repo, state: str, words: dict[str, str]) -> list[str]:
    """Wait until the daemon has caught up by itself, then list what it does not know."""
    head = repo.head()
    spool = daemon.state / "spool"
    started = time.perf_counter()
    while True:
        project = await daemon.project(NAME)
        spooled = os.listdir(spool)
        settled = is_settled(project["state"], project["freshness"]) and not project["pending"]
        if settled and project["head"] == head and not spooled:
            break
        if time.perf_counter() - started > CAUGHT_UP_S:
            return [f"{state}: not caught up: head {head}, {len(spooled)} spooled, {project}"]
        await asyncio.sleep(0.05)
    print(f"{state}: caught up {time.perf_counter() - started:.2f} s after the last commit")
    lost = [
        f"{state}: {word} is not found"
        for word, path in words.items()
        if path not in await daemon.paths(word)
    ]
    try:
        await oracle.assert_equal(daemon, NAME)
    except AssertionError as difference:
        lost.append(f"{state}: {difference}")
    return lost


def p50_p95(seconds: Sequence[float]) -> str:
    return f"{ms(quantile(seconds, 0.5))} / {ms(quantile(seconds, 0.95))}"


def over(timings: dict[str, list[float]], kind: str, reference: str = "`sh -c :`") -> str:
    """Write how much longer one kind takes than another of the same turn, as a median."""
    pairs = zip(timings[kind], timings[reference], strict=True)
    return ms(quantile([mine - other for mine, other in pairs], 0.5))


def over_commit(timings: dict[str, list[float]]) -> str:
    return over(timings, "commit with hooks", "commit without")


if __name__ == "__main__":
    sys.exit(main())
