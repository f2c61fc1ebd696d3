"""Lists the commits that are reachable from some and not from others."""

from __future__ import annotations

import re
from contextlib import aclosing
from typing import TYPE_CHECKING, NamedTuple

from paparatsd.errors import GitFailed
from paparatsd.history.instants import as_instant
from paparatsd.model import CommitId
from paparatsd.sources.git import GitContext, run_git, stream_git

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Sequence
    from pathlib import Path


class Lineage(NamedTuple):
    """A commit, its parents in git's order, and when it was committed (seconds)."""

    commit: CommitId
    parents: tuple[CommitId, ...]
    instant: int


LISTED_COMMITS = 1_000
"""Commits in one item of a list."""
LIST_DEADLINE_S = 600.0

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def check_ids(ids: Iterable[CommitId]) -> None:
    """Raise GitFailed for what is not a full object id (git would read options from stdin)."""
    for name in ids:
        if not _ID.fullmatch(name):
            raise GitFailed(f"{name!r} is not the id of a commit")


async def list_commits(
    checkout_root: Path,
    context: GitContext,
    heads: Sequence[CommitId],
    known: Sequence[CommitId],
) -> AsyncGenerator[list[Lineage], None]:
    """Yield what is reachable from `heads` and not from `known`, parents before children.

    Ids in `known` may be gone. Where history is damaged, what can be reached is given, and
    GitFailed is raised at the end.
    """
    if not heads:
        return
    count = 0
    unseen = set(heads)
    try:
        order = ["--topo-order", "--reverse"]
        async with aclosing(_rows(checkout_root, context, order, heads, known)) as runs:
            async for run in runs:
                count += len(run)
                unseen.difference_update(row.commit for row in run)
                yield run
        await _check_there(checkout_root, context, unseen)
    except GitFailed:
        # In this order git writes nothing before it has seen everything.
        there = [] if count else await existing_commits(checkout_root, context, known)
        rows = [] if count else await _reachable(checkout_root, context, heads, there)
        for start in range(0, len(rows), LISTED_COMMITS):
            yield rows[start : start + LISTED_COMMITS]
        raise


async def _check_there(root: Path, context: GitContext, heads: set[CommitId]) -> None:
    """Raise GitFailed for one that is missing: git was told not to mind, for the known ones."""
    if heads:
        missing = heads.difference(await existing_commits(root, context, sorted(heads)))
        for name in sorted(missing):
            raise GitFailed(f"git rev-list in {root} failed: there is no commit {name}")


async def existing_commits(
    root: Path, context: GitContext, ids: Sequence[CommitId]
) -> list[CommitId]:
    """Return those that are commits of this repository still."""
    check_ids(ids)
    if not ids:
        return []
    output = await run_git(
        root, ["cat-file", "--batch-check"], context=context, stdin=_stdin(ids, ())
    )
    lines = output.decode("ascii", "replace").splitlines()
    return [CommitId(line.split(" ", 1)[0]) for line in lines if " commit " in line]


async def _rows(
    root: Path,
    context: GitContext,
    order: Sequence[str],
    heads: Sequence[CommitId],
    known: Sequence[CommitId],
) -> AsyncGenerator[list[Lineage], None]:
    """Yield full items whatever the pieces in which git writes; at a failure first what came."""
    check_ids(heads)
    check_ids(known)
    waiting: list[Lineage] = []
    rest = ""
    failure: GitFailed | None = None
    try:
        async with stream_git(
            root,
            ["rev-list", "--ignore-missing", *order, "--timestamp", "--parents", "--stdin"],
            context=context,
            stdin=_stdin(heads, known),
            deadline_s=LIST_DEADLINE_S,
        ) as chunks:
            async for chunk in chunks:
                *lines, rest = (rest + chunk.decode("ascii", "replace")).split("\n")
                waiting += [_lineage(line) for line in lines]
                while len(waiting) >= LISTED_COMMITS:
                    yield waiting[:LISTED_COMMITS]
                    del waiting[:LISTED_COMMITS]
    except GitFailed as error:
        failure = error
    if waiting:
        yield waiting
    if failure is not None:
        raise failure


def _lineage(line: str) -> Lineage:
    instant, name, *parents = line.split(" ")
    return Lineage(
        CommitId(name), tuple(CommitId(parent) for parent in parents), as_instant(int(instant))
    )


async def _reachable(
    root: Path, context: GitContext, heads: Sequence[CommitId], known: Sequence[CommitId]
) -> list[Lineage]:
    """Return what git reaches before it dies of a missing commit, parents first."""
    found = await _until_it_dies(root, context, await existing_commits(root, context, heads))
    for name in await _until_it_dies(root, context, known):
        found.pop(name, None)
    return _parents_first(found)


async def _until_it_dies(
    root: Path, context: GitContext, heads: Sequence[CommitId]
) -> dict[CommitId, Lineage]:
    found: dict[CommitId, Lineage] = {}
    if heads:
        try:
            async with aclosing(_rows(root, context, (), heads, ())) as runs:
                async for run in runs:
                    found.update((row.commit, row) for row in run)
        except GitFailed:
            pass  # the caller knows that history is damaged, and says so
    return found


def _parents_first(rows: dict[CommitId, Lineage]) -> list[Lineage]:
    """Return the commits in topological order (depth first, each after all its parents)."""
    done: set[CommitId] = set()
    ordered: list[Lineage] = []
    for start in reversed(rows):
        path = [start]
        while path:
            name = path[-1]
            waiting = [p for p in rows[name].parents if p in rows and p not in done]
            if name not in done and waiting:
                path.append(waiting[0])
                continue
            path.pop()
            if name not in done:
                done.add(name)
                ordered.append(rows[name])
    return ordered


def _stdin(wanted: Iterable[CommitId], known: Iterable[CommitId]) -> bytes:
    lines = [f"{name}\n" for name in wanted] + [f"^{name}\n" for name in known]
    return "".join(lines).encode("ascii")
