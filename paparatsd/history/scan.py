"""Asks git for the commits of a repository and what each touched.

Commits are read in runs of a few hundred, their ids given over stdin, so that what fails concerns
few of them: a run that git gives up is taken up again behind the last commit that arrived, with
the one that failed on its own. A commit of which git cannot compare the lines (a blob is missing:
a partial clone, a damaged object) is read by its paths alone; where not even these can be had, its
message is what there is.

The comparison is the one `git blame` makes (indent heuristic, default algorithm, renames at 50 %),
not that of `git log -L`, which leaves out the heuristic: the commit a line comes from agrees.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import GitFailed
from paparatsd.history.ancestry import check_ids
from paparatsd.history.combined import MergeFacts, MergeParser, with_merge
from paparatsd.history.records import RECORD_FORMAT
from paparatsd.history.stream import FactsParser
from paparatsd.model import CommitId
from paparatsd.small_file import UnreadableFileError, read_small_file
from paparatsd.sources.git import GitContext, run_git, stream_git

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
    from pathlib import Path

    from paparatsd.commits import CommitFacts

BATCH_COMMITS = 25
BATCH_TOUCHES = 600
"""A batch is parsed and written in one go: some twenty milliseconds, in which nobody else is."""
RUN_COMMITS = 500
"""Commits that one process of git compares."""
RUN_DEADLINE_S = 600.0
SINGLE_FAILURES = 8
"""So many failing commits are taken one by one."""
ENOUGH_COMMITS = 8
"""When so many are read between two failures, each is taken as a single one."""
MAX_LOST = 100
"""After so many commits of which nothing can be read the scan ends: it is not about single ones."""

_PARTIAL = "from promisor remote"
"""Git's words for content that a partial clone left at the server."""
_MAX_SHALLOW_BYTES = 64 << 20
_COMMON = (
    "log",
    "--stdin",
    "--no-walk=unsorted",
    "-z",
    "--no-abbrev",
    "--no-color",
    "--no-mailmap",
    "--no-notes",
    "--date=raw",
    f"--format={RECORD_FORMAT}",
)
_DIFF = ("--raw", "--root", "--full-index", "--indent-heuristic", "--ignore-submodules=all")
_FIRST = "--diff-merges=first-parent"
_ALL = ("--min-parents=2", "-c", "--combined-all-paths")
_RENAMES = ("-M", "-l1000")  # git's own limit, said so that the repository's does not count
_EXACT = ("-M100%",)  # compares ids alone

_LINES, _PATHS, _MESSAGE = range(3)
"""How much of a commit is asked for."""
_FACTS_ARGS = (
    (*_COMMON, *_DIFF, _FIRST, "-p", "-U0", *_RENAMES),
    (*_COMMON, *_DIFF, _FIRST, *_EXACT),
    (*_COMMON, "--no-patch"),
)
_MERGE_ARGS = (
    (*_COMMON, *_DIFF, *_ALL, "-p", "-U1", *_RENAMES),
    (*_COMMON, *_DIFF, *_ALL, *_EXACT),
)

_log = structlog.get_logger(__name__)


@dataclass
class _Scan:
    """One scan: where it asks, what it knows of the repository, and what went wrong."""

    root: Path
    context: GitContext
    boundary: frozenset[CommitId] = frozenset()
    failure: GitFailed | None = None
    lost: list[CommitId] = field(default_factory=list)


async def scan_commits(
    checkout_root: Path, context: GitContext, ids: Sequence[CommitId], *, is_cut: bool = True
) -> AsyncGenerator[list[CommitFacts], None]:
    """Yield the facts of these commits in this order.

    Batches have about 25 commits or 600 touches. What cannot be read is left out and GitFailed
    is raised at the end; of a partial clone missing content is expected, its commits come with
    paths alone (`whole`). `boundary` is a commit where a shallow clone ends, and one whose paths
    cannot be read: nothing is known of what it touched.
    `is_cut` is False where the clone is known not to be shallow: git is not asked then.
    """
    check_ids(ids)
    ids = list(dict.fromkeys(ids))  # git, too, shows each once
    asked = await _begin(checkout_root, context, is_cut=is_cut)
    failure: GitFailed | None = None
    try:
        async with aclosing(_batches(asked, ids)) as batches:
            async for batch in batches:
                yield batch
    except GitFailed as error:
        failure = error
    _raise(asked, failure)


def _raise(asked: _Scan, failure: GitFailed | None) -> None:
    if asked.lost:
        _log.warning("commits_unreadable", root=str(asked.root), count=len(asked.lost))
    if failure or asked.failure:
        raise failure or asked.failure or GitFailed("")


async def _begin(root: Path, context: GitContext, *, is_cut: bool = True) -> _Scan:
    boundary = await _boundary(root, context) if is_cut else frozenset[CommitId]()
    return _Scan(root=root, context=context, boundary=boundary)


async def _boundary(root: Path, context: GitContext) -> frozenset[CommitId]:
    """Return the commits of a shallow clone whose parents are left out."""
    args = [
        "rev-parse",
        "--is-shallow-repository",
        "--path-format=absolute",
        "--git-path",
        "shallow",
    ]
    answer, _, name = (await run_git(root, args, context=context)).partition(b"\n")
    if answer != b"true":
        return frozenset()
    path = root / name.removesuffix(b"\n").decode("utf-8", "surrogateescape")
    try:
        data, _ = await asyncio.to_thread(
            read_small_file, path, max_bytes=_MAX_SHALLOW_BYTES, follow=True
        )
    except (FileNotFoundError, UnreadableFileError) as error:
        raise GitFailed(f"{path} says where the shallow clone ends: {error}") from None
    named = re.findall(r"^[0-9a-f]{40,64}$", data.decode("ascii", "replace"), re.MULTILINE)
    return await _with_parents(root, context, named)


async def _with_parents(root: Path, context: GitContext, ids: list[str]) -> frozenset[CommitId]:
    """Return those whose object names parents; a root just at the depth is listed as well."""
    found: set[CommitId] = set()
    for start in range(0, len(ids), 1000):
        some = "".join(f"{name}\n" for name in ids[start : start + 1000]).encode()
        output = await run_git(root, ["cat-file", "--batch"], context=context, stdin=some)
        at = 0
        while (end := output.find(b"\n", at)) >= 0:
            words = output[at:end].decode("ascii", "replace").split(" ")
            at = end + 1
            if len(words) == 3 and words[2].isdigit():
                body = output[at : at + int(words[2])]
                if b"\nparent " in body.split(b"\n\n", 1)[0]:
                    found.add(CommitId(words[0]))
                at += int(words[2]) + 1
    return frozenset(found)


async def _batches(
    asked: _Scan, ids: Sequence[CommitId]
) -> AsyncGenerator[list[CommitFacts], None]:
    batch: list[CommitFacts] = []
    touches = 0
    for ends_here, group in groupby(ids, asked.boundary.__contains__):
        level = _MESSAGE if ends_here else _LINES
        async with aclosing(_resumed(asked, list(group), level)) as commits:
            async for facts in commits:
                batch.append(facts)
                touches += len(facts.touches)
                if len(batch) >= BATCH_COMMITS or touches >= BATCH_TOUCHES:
                    yield batch
                    batch, touches = [], 0
    if batch:
        yield batch


async def _resumed(
    asked: _Scan, ids: Sequence[CommitId], level: int
) -> AsyncGenerator[CommitFacts, None]:
    """Yield the facts in order; what fails alone is asked for again with less of it.

    When it goes on failing more and more are read with less at once, so that a clone without
    content costs a few failures, not one a commit.
    """
    at, size, failures, good = 0, RUN_COMMITS, 0, 0
    while at < len(ids):
        run = ids[at : at + size]
        try:
            async with aclosing(_read(asked, run, level)) as commits:
                async for facts in commits:
                    at, good = at + 1, good + 1
                    yield facts
        except GitFailed as error:
            size = 1
            if len(run) > 1:
                continue
            _note(asked, error, run[0], level)
            failures = 1 if good >= ENOUGH_COMMITS else failures + 1
            below = ids[at : at + _fewer(failures)] if level < _MESSAGE else ()
            async with aclosing(_resumed(asked, below, level + 1)) as commits:
                async for facts in commits:
                    yield facts
            # A longer run costs nothing more when it fails: what arrived before it is kept.
            at, size, good = at + max(1, len(below)), RUN_COMMITS, 0
        else:
            size = min(RUN_COMMITS, size * 4)


def _fewer(failures: int) -> int:
    """Return how many commits to read with less after so many failures."""
    return min(RUN_COMMITS, 1 << max(0, failures - SINGLE_FAILURES))


def _note(asked: _Scan, error: GitFailed, commit: CommitId, level: int) -> None:
    """Keep the first failure; that a partial clone lacks content is none."""
    if asked.failure is None and not (level == _LINES and _PARTIAL in str(error)):
        asked.failure = error
    if level == _MESSAGE:
        asked.lost.append(commit)
        if len(asked.lost) > MAX_LOST:
            raise error


async def _read(
    asked: _Scan, ids: Sequence[CommitId], level: int
) -> AsyncGenerator[CommitFacts, None]:
    """Yield the facts of the commits in order, those of merges put together of two streams."""
    parser = FactsParser(lines=level == _LINES, boundary=level == _MESSAGE)
    async with (
        aclosing(_merges(asked, ids, level)) as merges,
        stream_git(
            asked.root,
            _FACTS_ARGS[level],
            context=asked.context,
            stdin=_lines(ids),
            deadline_s=RUN_DEADLINE_S,
        ) as chunks,
    ):
        expected = iter(ids)
        async for chunk in chunks:
            for facts in parser.feed(chunk):
                _check_order(facts, expected)
                yield await _completed(asked, facts, merges)
        for facts in parser.close():
            _check_order(facts, expected)
            yield await _completed(asked, facts, merges)
        for missing in expected:
            raise GitFailed(f"git log left out the commit {missing}")


def _check_order(facts: CommitFacts, expected: Iterator[CommitId]) -> None:
    wanted = next(expected, None)
    if facts.commit.id != wanted:
        raise GitFailed(f"git log gave the commit {facts.commit.id} in place of {wanted}")


async def _completed(
    asked: _Scan, facts: CommitFacts, merges: AsyncIterator[MergeFacts]
) -> CommitFacts:
    commit = facts.commit
    if len(commit.parents) < 2 or commit.boundary:
        return facts
    async for merge in merges:
        if merge.id == commit.id:
            if len(commit.parents) == 2:
                return with_merge(facts, merge)
            return with_merge(facts, merge, await _differing(asked, facts))
    raise GitFailed(f"git log left out the merge {commit.id}")


async def _merges(
    asked: _Scan, ids: Sequence[CommitId], level: int
) -> AsyncGenerator[MergeFacts, None]:
    """Yield what differs from all parents, of the merges among the commits, in their order."""
    parser = MergeParser(lines=level == _LINES)
    async with stream_git(
        asked.root,
        _MERGE_ARGS[level],
        context=asked.context,
        stdin=_lines(ids),
        deadline_s=RUN_DEADLINE_S,
    ) as chunks:
        async for chunk in chunks:
            for merge in parser.feed(chunk):
                yield merge
        for merge in parser.close():
            yield merge


async def _differing(asked: _Scan, facts: CommitFacts) -> dict[int, frozenset[str]]:
    """Return, of a merge of more than two, the paths whose content each further parent has not."""
    touched = {touch.path for touch in facts.touches}
    commit = facts.commit
    found: dict[int, frozenset[str]] = {}
    for parent in range(1, len(commit.parents)):
        args = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames"]
        args += ["--ignore-submodules=all", commit.parents[parent], commit.id]
        output = await run_git(asked.root, args, context=asked.context, deadline_s=RUN_DEADLINE_S)
        fields = output.decode("utf-8", "surrogateescape").split("\0")
        found[parent] = frozenset(
            path
            for entry, path in zip(fields[::2], fields[1::2], strict=False)
            if path in touched and not _mode_only(entry)
        )
    return found


def _mode_only(entry: str) -> bool:
    _, _, before, after, status = entry.split(" ")
    return status.startswith("M") and before == after


def _lines(ids: Sequence[CommitId]) -> bytes:
    return "".join(f"{commit}\n" for commit in ids).encode("ascii")
