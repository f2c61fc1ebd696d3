"""Lists the files of a project: those to index, and those to skip with the reason.

In a git repository git decides: the entries are exactly those of `git ls-files -co
--exclude-standard`, plus agent guidance that git ignores. The policy for the latter: a guidance
file counts in every directory that is not itself ignored, and in the known places of tools
(`.cursor/rules` and the like) even if the place is ignored; never below other ignored
directories, and not when `.paparatsignore` excludes it. A submodule or nested repository is one
`submodule` entry, however many files it has: it is indexed when registered on its own.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, NamedTuple

import anyio.to_thread
import structlog

from paparatsd.errors import GitFailed
from paparatsd.model import TreeListing
from paparatsd.sources.folder import walk_folder, walk_paths
from paparatsd.sources.git import run_git
from paparatsd.sources.guidance import find_guidance, guidance_place
from paparatsd.sources.ignore import BUILT_IN_DIRECTORIES, OWN_IGNORE_FILES
from paparatsd.sources.names import is_guidance
from paparatsd.sources.selection import SelectionRules, Selector, ancestors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from paparatsd.sources.repo import Checkout

__all__ = ["SelectionRules", "is_guidance", "list_paths", "list_tree"]

log = structlog.get_logger()

_DEADLINE_S = 120
_MAX_PATHS = 1_000
_MAX_PATH_BYTES = 100_000
_GITLINK = "160000"
_SKIP_WORKTREE = "S"
# With one pathspec, or several with a common beginning, git walks from there and refuses a path
# inside a nested repository. Two more that share nothing with it avoid that; they match nothing.
_NO_COMMON_BEGINNING = ("\x01", "\x02")


async def list_tree(checkout: Checkout, rules: SelectionRules) -> TreeListing:
    """List the whole project. Raises GitFailed or Unavailable; then nothing is known."""
    if checkout.refused:
        return TreeListing({}, (), frozenset())
    if not checkout.git:
        return await anyio.to_thread.run_sync(walk_folder, checkout.root, rules)
    entries, ignored = await _ask_both(checkout, rules, [], [])
    return await anyio.to_thread.run_sync(_select, checkout.root, rules, entries, ignored)


async def list_paths(
    checkout: Checkout, rules: SelectionRules, paths: Iterable[str]
) -> TreeListing:
    """Return what `list_tree` would, restricted to these paths and what is below them.

    A path may be a file or a directory; one that is neither on disk nor known to git does not
    appear.
    """
    wanted = _clean(paths)
    if checkout.refused or not wanted:
        return TreeListing({}, (), frozenset())
    if "" in wanted:
        return await list_tree(checkout, rules)
    if not checkout.git:
        return await anyio.to_thread.run_sync(walk_paths, checkout.root, rules, wanted)
    entries, ignored = await _ask_about(checkout, rules, wanted)
    return await anyio.to_thread.run_sync(
        _select, checkout.root, rules, entries, ignored, _is_wanted(wanted)
    )


async def _ask_about(
    checkout: Checkout, rules: SelectionRules, wanted: frozenset[str]
) -> tuple[bytes, bytes]:
    """Ask git about these paths only, or about all when that is not possible."""
    if len(wanted) > _MAX_PATHS or sum(map(len, wanted)) > _MAX_PATH_BYTES:
        return await _ask_both(checkout, rules, [], [])
    listed = [*_NO_COMMON_BEGINNING, *sorted(wanted)]
    guided = await anyio.to_thread.run_sync(_may_hold_guidance, checkout.root, wanted)
    try:
        return await _ask_both(
            checkout, rules, listed, [*_NO_COMMON_BEGINNING, *guided] if guided else None
        )
    except GitFailed as exc:
        log.debug("paths_not_listed", root=str(checkout.root), problem=str(exc))
        return await _ask_both(checkout, rules, [], [])


async def _ask_both(
    checkout: Checkout,
    rules: SelectionRules,
    listed: list[str],
    guided: list[str] | None,
) -> tuple[bytes, bytes]:
    """Return git's list of entries and of what it ignores; None as paths asks nothing."""
    standard = ["--exclude-standard"]
    if not rules.respect_gitignore:
        standard = [f"--exclude={name}/" for name in BUILT_IN_DIRECTORIES]
        guided = None
    entries = ["ls-files", "-z", "-t", "-s", "-c", "-o", *standard, "--", *listed]
    if guided is None:
        return await _run(checkout, entries), b""
    ignored = ["ls-files", "-z", "-o", "-i", "--directory", *standard, "--", *guided]
    try:
        async with asyncio.TaskGroup() as tasks:
            first = tasks.create_task(_run(checkout, entries))
            second = tasks.create_task(_run(checkout, ignored))
    except ExceptionGroup as group:
        raise group.exceptions[0] from None
    return first.result(), second.result()


async def _run(checkout: Checkout, args: list[str]) -> bytes:
    return await run_git(checkout.root, args, context=checkout.context, deadline_s=_DEADLINE_S)


def _select(
    root: Path,
    rules: SelectionRules,
    entries: bytes,
    ignored: bytes,
    is_wanted: Callable[[str], bool] | None = None,
) -> TreeListing:
    listed = os.fsdecode(entries).split("\0")
    untracked = os.fsdecode(ignored).split("\0")
    ruled = None
    if is_wanted is None:
        # The whole tree's lists also tell where our own ignore files are; those of a part do not.
        own = _parse_entries([record for record in listed if record.endswith(OWN_IGNORE_FILES)])
        paths = [entry.path for entry in own]
        paths += [path for path in untracked if path.endswith(OWN_IGNORE_FILES)]
        ruled = frozenset(path.rpartition("/")[0] for path in paths)
    selector = Selector(root, rules, ruled)
    for entry in _parse_entries(listed):
        if is_wanted is None or is_wanted(entry.path):
            selector.add(entry.path, gitlink=entry.gitlink, sparse=entry.sparse)
    for path in _guidance_among(root, untracked):
        if is_wanted is None or is_wanted(path):
            selector.add(path)
    return selector.listing()


class _Entry(NamedTuple):
    """One record of `git ls-files -t -s -c -o`."""

    path: str
    gitlink: bool
    sparse: bool


def _parse_entries(records: Iterable[str]) -> Iterator[_Entry]:
    """Read `? path` (untracked, a nested repository ends in /) and `TAG MODE ID STAGE<tab>path`."""
    for record in records:
        if record.startswith("? "):
            yield _Entry(record[2:], record.endswith("/"), sparse=False)
        elif record:
            path = record[record.index("\t") + 1 :]
            yield _Entry(path, record[2:8] == _GITLINK, record[0] == _SKIP_WORKTREE)


def _guidance_among(root: Path, ignored: list[str]) -> list[str]:
    """Return the guidance files among what git ignores, whole directories ending in a slash."""
    found = []
    for path in ignored:
        if path.endswith("/"):
            found += find_guidance(root, path.rstrip("/"))
        elif is_guidance(path):
            found.append(path)
    return found


def _may_hold_guidance(root: Path, wanted: frozenset[str]) -> list[str]:
    """Return the paths about which the ignored files must be asked: few of them, mostly none."""
    asked = set()
    for path in wanted:
        place = guidance_place(path + "/")
        if place is not None:
            asked.add(place)
        elif is_guidance(path) or (root / path).is_dir():
            asked.add(path)
    return sorted(asked)


def _clean(paths: Iterable[str]) -> frozenset[str]:
    """Return the paths inside the project; one inside a nested `.git` means its repository."""
    cleaned = set()
    for path in paths:
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if path.startswith("/") or ".." in parts or "\0" in path:
            continue
        if ".git" in parts:
            parts = parts[: parts.index(".git")]
            if not parts:
                continue
        cleaned.add("/".join(parts))
    # What lies below another wanted path adds nothing, and makes git treat it differently when
    # that is a nested repository.
    return frozenset(path for path in cleaned if cleaned.isdisjoint(_above(path)))


def _above(path: str) -> Iterator[str]:
    return ancestors(path) if path else iter(())


def _is_wanted(wanted: frozenset[str]) -> Callable[[str], bool]:
    def check(path: str) -> bool:
        bare = path.rstrip("/")
        return bare in wanted or any(above in wanted for above in ancestors(bare))

    return check
