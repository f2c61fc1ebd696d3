"""History beside git: is it right, what does it cost, how fast does it follow.

    python contrib/bench/history.py REPO... [--chunks 500] [--only PART,...] [--json OUT]

Each REPO is a git checkout; it is cloned to a scratch directory first, and nothing is written into
it. For each a daemon of its own is started, and one table printed, every figure beside the git
command that a person would use, run in the same run on the same clone. Parts: `pass` (always: the
first full pass), `agreement`, `commit`, `amend`, `rebase`, `switch`, `reset`, `worktrees`.
What each row means is in README.md beside this.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import history_agreement
import history_moves
import history_pass
from history_lab import Subject
from lab import Table, git, load, running, scratch, write_json

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS = ("agreement", "commit", "amend", "rebase", "switch", "reset", "worktrees")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repos", type=Path, nargs="+", metavar="REPO", help="a git checkout")
    parser.add_argument("--chunks", type=int, default=500, help="drawn at random (default 500)")
    parser.add_argument("--line-logs", type=int, default=60, help="of them asked of log -L")
    parser.add_argument("--blamed", type=int, default=60, help="files that git blame is timed on")
    parser.add_argument("--only", default=",".join(PARTS), help="parts besides the first pass")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nice", type=int, default=0, help="for the daemon and git alike")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the figures here")
    arguments = parser.parse_args()
    parts = [part for part in arguments.only.split(",") if part]
    if unknown := set(parts) - set(PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    os.nice(arguments.nice)
    found: dict[str, Any] = {}
    for repo in arguments.repos:
        with scratch() as home:
            found[repo.resolve().name] = asyncio.run(measure(home, repo, parts, arguments))
        write_json(arguments.json, found)  # what is there stays when a later one fails
    return 0


async def measure(
    home: Path, repo: Path, parts: Sequence[str], arguments: argparse.Namespace
) -> dict[str, Any]:
    """Run all parts on one repository, print its table, and return everything."""
    tree = home / "tree"
    git(Path.cwd(), "clone", "--quiet", "--no-hardlinks", str(repo.resolve()), str(tree))
    for key, value in (("user.name", "Bench"), ("user.email", "bench@example.org")):
        git(tree, "config", key, value)
    table = Table(("figure", "paparatsd", "git", "which is"))
    loads = [load()]
    figures: dict[str, Any] = {}
    notes: list[str] = []
    async with running(home) as daemon:
        subject = Subject(daemon, home, tree, blamed=arguments.blamed)
        figures["pass"] = await history_pass.measure(subject, table)
        if "agreement" in parts:
            figures["agreement"], notes = await history_agreement.measure(
                subject, table, arguments.chunks, arguments.line_logs, arguments.seed
            )
        for part in parts:
            if part != "agreement":
                print(f"{repo.resolve().name}: {part}", file=sys.stderr, flush=True)
                figures[part] = await history_moves.MOVES[part](subject, table)
                loads.append(load())
        loads.append(load())
    commits = git(tree, "rev-list", "--count", "--all").strip()
    print(f"\n{repo.resolve().name}: {commits} commits; {loads[0]}; {loads[-1]}\n")
    table.print()
    print("\n".join(["", *notes]), flush=True)
    return {"loads": loads, "table": table.records(), "notes": notes, "raw": figures}


if __name__ == "__main__":
    sys.exit(main())
