"""Where history is cut off below a head, and what was there already: shallow and damaged clones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from paparatsd.sources.git import run_git

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.history.dag import Dag
    from paparatsd.model import CommitId
    from paparatsd.sources.git import GitContext


def end_of(dag: Dag, head: int) -> int:
    """Return the first commit that is not here, down first parents; ROOT where all are."""
    commit = head
    while commit in dag:
        commit = dag.base(dag.chain(commit))
    return commit


def oldest(dag: Dag, head: int) -> int:
    """Return the last commit that is here, down first parents."""
    commit = head
    while (parent := dag.first_parent(commit)) in dag:
        commit = parent
    return commit


async def read_tree(root: Path, context: GitContext, commit: CommitId) -> dict[str, str]:
    """Return the objects of all files of a commit by path from the top. Raises GitFailed."""
    args = ["ls-tree", "-r", "-z", "--full-tree", commit]
    output = await run_git(root, args, context=context, deadline_s=120)
    found: dict[str, str] = {}
    for entry in os.fsdecode(output).split("\0"):
        about, tab, path = entry.partition("\t")
        _, kind, name = about.split(" ") if tab else ("", "", "")
        if kind == "blob":
            found[path] = name
    return found
