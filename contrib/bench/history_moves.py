"""How fast history follows a commit, an amend, a rebase, a switch, a reset, and new worktrees."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from typing import TYPE_CHECKING, Any

from history_lab import is_shown, is_told, seconds, spent
from lab import git, megabytes, quantile

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from history_lab import Subject
    from lab import Table

    Move = Callable[[Subject, Table], Awaitable[dict[str, Any]]]

COMMITS = 10
REBASED = 100
SWITCHED = 500
WORKTREES = 10
RESET = 20
PAUSE_S = 0.7
"""Between an edit and its commit: a person's commit does not fall into the pass of the save."""
SUFFIXES = (".py", ".rst", ".md", ".txt", ".go", ".ts", ".js", ".java", ".rs", ".c", ".h", ".lua")


def files_of(subject: Subject) -> list[str]:
    """Return tracked text files of ordinary size, by name."""
    found = []
    for path in subject.git("ls-files", "-z").split("\0"):
        full = subject.tree / path
        is_text = path.endswith(SUFFIXES) and full.is_file() and not full.is_symlink()
        if is_text and 500 < full.stat().st_size < 200_000:
            found.append(path)
    return found


def append(path: Path, text: str) -> int:
    """Add a line to a file; return its number."""
    content = path.read_bytes()
    if not content.endswith(b"\n"):
        content += b"\n"
    path.write_bytes(content + text.encode() + b"\n")
    return content.count(b"\n") + 1


async def until_told(subject: Subject, head: str, started: float) -> float:
    """Wait until index and history are those of a head."""
    return await subject.until(lambda status: is_told(status, head), started)


def middle(took: Sequence[float]) -> str:
    """Write median and maximum."""
    return f"{seconds(quantile(took, 0.5))} / {seconds(max(took))}"


# ---------------------------------------------------------------------- commit, amend


async def commit(subject: Subject, table: Table) -> dict[str, Any]:
    """Edit a line, let it be indexed, commit; from the end of git, whose hook has run by then."""
    paths = files_of(subject)
    step = max(1, len(paths) // COMMITS)
    took, told, blamed = [], [], []
    for number, path in enumerate(paths[::step][:COMMITS]):
        line = append(subject.tree / path, f"# commit {number} of the benchmark")
        await subject.until(is_shown, time.perf_counter())
        await asyncio.sleep(PAUSE_S)
        subject.git("add", "--", path)
        subject.git("commit", "--quiet", "--message", f"Benchmark {number}")
        started, head = time.perf_counter(), subject.head()
        took.append(await subject.until_named(path, line, head, started))
        told.append(await until_told(subject, head, started))
        blamed.append(spent(subject.tree, [("blame", "--porcelain", "--", path)]).wall_s)
        await asyncio.sleep(PAUSE_S)
    table.add("commit, p50 / max", middle(took), middle(blamed), "git blame, the file")
    table.add("  until all is as before", middle(told))
    return {"named_s": took, "told_s": told, "blame_s": blamed}


async def amend(subject: Subject, table: Table) -> dict[str, Any]:
    """Change the message of the newest commit."""
    path = files_of(subject)[0]
    line = append(subject.tree / path, "# to be amended")
    subject.git("commit", "--quiet", "--all", "--message", "To be amended")
    await until_told(subject, subject.head(), time.perf_counter())
    took, told = [], []
    for number in range(5):
        await asyncio.sleep(PAUSE_S)
        subject.git("commit", "--quiet", "--amend", "--message", f"Amended {number}")
        started, head = time.perf_counter(), subject.head()
        took.append(await subject.until_named(path, line, head, started))
        told.append(await until_told(subject, head, started))
    blame = spent(subject.tree, [("blame", "--porcelain", "--", path)])
    table.add("amend, p50 / max", middle(took), seconds(blame.wall_s), "git blame, the file")
    return {"named_s": took, "told_s": told, "blame_s": blame.wall_s}


# ---------------------------------------------------------------------- rebase


async def rebase(subject: Subject, table: Table) -> dict[str, Any]:
    """Rebase a branch of 100 commits onto one that has gone on."""
    main = subject.git("symbolic-ref", "--short", "HEAD").strip()
    paths = files_of(subject)
    chosen = paths[1 :: max(1, len(paths) // 30)][:30]
    subject.quiet_git("switch", "--quiet", "--create", "topic")
    for number in range(REBASED):
        path = chosen[number % len(chosen)]
        line = append(subject.tree / path, f"# topic {number}")
        subject.quiet_git("commit", "--quiet", "--all", "--message", f"Topic {number}")
    subject.quiet_git("switch", "--quiet", main)
    append(subject.tree / paths[0], "# main went on")
    subject.quiet_git("commit", "--quiet", "--all", "--message", "Main went on")
    subject.quiet_git("switch", "--quiet", "topic")
    await until_told(subject, subject.head(), time.perf_counter())
    await asyncio.sleep(PAUSE_S)
    before = time.perf_counter()
    subject.git("rebase", "--quiet", main)
    started, head = time.perf_counter(), subject.head()
    named = await subject.until_named(path, line, head, started)
    told = await until_told(subject, head, started)
    blame = spent(subject.tree, [("blame", "--porcelain", "--", one) for one in chosen])
    table.add(f"rebase of {REBASED} commits", seconds(named), seconds(started - before),
              "git rebase itself")  # fmt: skip
    table.add("  until all is as before", seconds(told), seconds(blame.wall_s),
              f"git blame, its {len(chosen)} files")  # fmt: skip
    subject.quiet_git("switch", "--quiet", main)
    await until_told(subject, subject.head(), time.perf_counter())
    return {"named_s": named, "told_s": told, "rebase_s": started - before, "blame": vars(blame)}


# ---------------------------------------------------------------------- switch, reset


async def switch(subject: Subject, table: Table) -> dict[str, Any]:
    """Switch to a branch in which 500 files differ, and back, and there again."""
    main = subject.git("symbolic-ref", "--short", "HEAD").strip()
    files = files_of(subject)[:SWITCHED]
    other = subject.home / "other"
    # Made where the daemon does not look, so that it meets the branch as it would a colleague's.
    git(subject.tree, "clone", "--quiet", "--shared", str(subject.tree), str(other))
    for path in files:
        append(other / path, "# on the other branch")
    identity = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org")
    git(other, *identity, "commit", "--quiet", "--all", "--message", "Many files")
    subject.git("fetch", "--quiet", str(other), "HEAD:refs/heads/many")
    await asyncio.sleep(2)
    built: list[int] = []
    shown: list[float] = []
    told: list[float] = []
    itself: list[float] = []
    for target in ("many", main, "many", main):
        versions = count_versions(subject)
        begun = time.perf_counter()
        subject.git("switch", "--quiet", target)
        started, head = time.perf_counter(), subject.head()
        itself.append(started - begun)
        shown.append(await subject.until(lambda one, head=head: is_shown(one, head), started))
        told.append(await until_told(subject, head, started))
        built.append(count_versions(subject) - versions)
        await asyncio.sleep(PAUSE_S)
    blamed = min(subject.blamed // 2, len(files))
    blame = spent(subject.tree, [("blame", "--porcelain", "--", one) for one in files[:blamed]])
    each = blame.wall_s * len(files) / blamed
    whole = f"git blame, its files (from {blamed})"
    for row, place in (("first", 0), ("back", 1), ("there again", 2), ("and back", 3)):
        title = f"switch, {len(files)} files, {row}"
        table.add(title, seconds(shown[place]), seconds(itself[place]), "git switch itself")
        table.add("  with history", seconds(told[place]), seconds(each), whole)
        table.add("  files built anew", str(built[place]))
    return {"shown_s": shown, "told_s": told, "switch_s": itself, "built": built, "blame_s": each}


def count_versions(subject: Subject) -> int:
    """Return how many file versions were ever built and kept: each is embedded once."""
    path = subject.daemon.state / "catalog.sqlite3"
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return int(connection.execute("SELECT count(*) FROM versions").fetchone()[0])
    finally:
        connection.close()


async def reset(subject: Subject, table: Table) -> dict[str, Any]:
    """Go back by `reset --hard`, which runs no hook, and forth again."""
    head = subject.head()
    took, itself = [], []
    for target in (f"HEAD~{RESET}", head):
        begun = time.perf_counter()
        subject.quiet_git("reset", "--quiet", "--hard", target)
        started = time.perf_counter()
        itself.append(started - begun)
        took.append(await until_told(subject, subject.head(), started))
        await asyncio.sleep(PAUSE_S)
    for row, place in ((f"reset --hard by {RESET} commits", 0), ("  and forth again", 1)):
        table.add(row, seconds(took[place]), seconds(itself[place]), "git reset itself")
    return {"told_s": took, "reset_s": itself}


# ---------------------------------------------------------------------- worktrees


async def worktrees(subject: Subject, table: Table) -> dict[str, Any]:
    """Add ten worktrees and register each."""
    took, shown, itself = [], [], []
    sizes = [await settled_size(subject)]
    for number in range(WORKTREES):
        place = subject.home / f"worktree{number}"
        begun = time.perf_counter()
        subject.quiet_git("worktree", "add", "--quiet", "-b", f"worktree{number}", str(place))
        itself.append(time.perf_counter() - begun)
        started = time.perf_counter()
        name = await subject.daemon.add(place, hooks=False)
        shown.append(await subject.until(is_shown, started, name))
        took.append(await subject.until(is_told, started, name))
        if number >= WORKTREES - 2:
            sizes.append(await settled_size(subject))
    checkout = size_of(subject.home / f"worktree{WORKTREES - 1}")
    grown = (sizes[2] - sizes[1]) / sizes[1]
    table.add("worktree registered, p50 / max", middle(shown), middle(itself), "git worktree add")
    table.add("  with history", middle(took))
    table.add("  storage of the tenth", f"{100 * grown:.2f} %", megabytes(checkout),
              f"its files; our state has {megabytes(sizes[2])}")  # fmt: skip
    return {"shown_s": shown, "told_s": took, "sizes": sizes, "worktree_add_s": itself}


async def settled_size(subject: Subject) -> int:
    """Return the bytes of the state of a daemon that has stopped, and start it again."""
    await subject.daemon.stop(within_s=60)
    size = size_of(subject.daemon.state)
    await subject.daemon.start()
    await until_told(subject, subject.head(), time.perf_counter())
    return size


def size_of(directory: Path) -> int:
    """Return the bytes that the files of a directory take on the disk."""
    return sum(path.lstat().st_blocks * 512 for path in directory.rglob("*"))


MOVES: dict[str, Move] = {
    "commit": commit,
    "amend": amend,
    "rebase": rebase,
    "switch": switch,
    "reset": reset,
    "worktrees": worktrees,
}
