"""Clones of repositories elsewhere: made, asked about, and made equal to their remote again.

A clone holds one branch (or tag, or commit) with its history, and a work tree equal to it. Whatever
the remote did meanwhile, a renewal ends with just that; a clone that a crash left behind is either
complete or not there.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from paparatsd.errors import GitFailed
from paparatsd.sources.git import run_git, run_own, stream_git
from paparatsd.tree_removal import remove_tree

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.sources.clone_policy import Access

ASK_S = 60.0
MAX_TREE_FILES = 2_000_000
MAX_TREE_DEPTH, MAX_TREE_PATH_BYTES = 200, 3_000
"""Where the system, and whoever looks at a work tree, come to the end of what they can do."""
LOOK_S = 1.0
MANY_PACKS = 20
STALE_LOCK_S = 30.0
TEMPORARY = ".tmp-"
"""How the names of directories begin in which a clone is made."""
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
FOLLOWED = "refs/paparats/followed"
"""What was fetched last, whatever it is called at the remote."""
_REFUSED_ID = re.compile(r"unadvertised object|not our ref|couldn't find remote ref")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is followed: a branch, else a tag or commit (`ref`), else the default branch.

    `url` is as git takes it. `depth` 0 is the whole history. The caps hold for one transfer.
    """

    url: str
    access: Access
    branch: str = ""
    ref: str = ""
    depth: int = 0
    max_bytes: int = 4 << 30
    deadline_s: float = 1_800.0


@dataclass(frozen=True, slots=True)
class Tip:
    """Where the remote is: the commit (or tag), and the branch it is on, "" for none."""

    commit: str
    branch: str = ""


class NothingThereError(GitFailed):
    """The remote answers, but has nothing of what is followed: it is empty, or a branch is gone."""


async def ask_tip(place: Path, wanted: Wanted) -> Tip:
    """Ask the remote where it is, without fetching anything; `place` is any directory of ours.

    Raises GitFailed, NothingThereError.
    """
    if _ID.fullmatch(wanted.ref):
        return Tip(wanted.ref)
    if wanted.branch or wanted.ref:
        return await _ask_named(place, wanted)
    lines = await _ask(place, wanted, "--symref", patterns=("HEAD",))
    branch = next((name.removeprefix("ref: refs/heads/") for name, ref in lines
                   if ref == "HEAD" and name.startswith("ref: refs/heads/")), "")  # fmt: skip
    commit = next((name for name, ref in lines if ref == "HEAD" and _ID.fullmatch(name)), "")
    if commit:
        return Tip(commit, branch)
    # Its HEAD names a branch that nobody has pushed: with a single one there is no doubt.
    heads = await _ask(place, wanted, "--heads")
    if len(heads) == 1 and _ID.fullmatch(heads[0][0]):
        return Tip(heads[0][0], heads[0][1].removeprefix("refs/heads/"))
    if not heads:
        raise NothingThereError("the repository is empty: nothing has been pushed to it yet")
    raise NothingThereError("the repository names no default branch; say which with `branch:`")


async def _ask_named(place: Path, wanted: Wanted) -> Tip:
    if wanted.branch:
        names = [f"refs/heads/{wanted.branch}"]
    else:
        tag = wanted.ref if wanted.ref.startswith("refs/") else f"refs/tags/{wanted.ref}"
        names = [tag, f"{tag}^{{}}"]
    found = {ref: name for name, ref in await _ask(place, wanted, patterns=names)}
    for name in reversed(names):
        if _ID.fullmatch(found.get(name, "")):
            return Tip(found[name], wanted.branch)
    what = f"branch {wanted.branch!r}" if wanted.branch else f"ref {wanted.ref!r}"
    raise NothingThereError(f"the repository has no {what}; what was indexed of it is kept")


async def _ask(
    place: Path, wanted: Wanted, *options: str, patterns: tuple[str, ...] | list[str] = ()
) -> list[tuple[str, str]]:
    args = ["ls-remote", "--quiet", *options, "--", wanted.url, *patterns]
    output = await run_own(
        place, args, access=wanted.access, deadline_s=min(ASK_S, wanted.deadline_s)
    )
    lines = output.decode("utf-8", "replace").splitlines()
    return [(left, right) for left, _, right in (line.partition("\t") for line in lines)]


async def make_clone(target: Path, wanted: Wanted, tip: Tip) -> str:
    """Clone into `target`, which is not there before, and whole when it is; returns the commit.

    Raises GitFailed, OSError.
    """
    building = target.with_name(f"{TEMPORARY}{target.name}-{os.getpid()}-{time.monotonic_ns()}")
    try:
        await anyio.to_thread.run_sync(lambda: building.mkdir(mode=0o700, parents=True))
        kind = "sha256" if len(tip.commit) == 64 else "sha1"
        init = ["init", "--quiet", "--template=", f"--object-format={kind}"]
        await run_own(building, init)
        await run_own(building, ["config", "remote.origin.url", wanted.url])
        commit = await renew_clone(building, wanted, tip)
        await anyio.to_thread.run_sync(building.rename, target)
    except BaseException:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(remove_clone, building)
        raise
    return commit


async def renew_clone(root: Path, wanted: Wanted, tip: Tip) -> str:
    """Fetch, and make branch and work tree equal to the remote's; returns the commit."""
    await anyio.to_thread.run_sync(_drop_leftovers, root / ".git")
    name = await _fetch(root, wanted, tip)
    output = await run_git(root, ["rev-parse", "-q", "--verify", f"{name}^{{commit}}"])
    commit = output.decode("ascii", "replace").strip()
    await _check_tree(root, commit, wanted.max_bytes)
    head = await run_git(root, ["symbolic-ref", "-q", "HEAD"], ok_codes=(0, 1))
    if head.decode("utf-8", "replace").strip() != f"refs/heads/{tip.branch}":
        # A branch `a` that stays would be in the way of one called `a/b`.
        await _checkout(root, ["--detach", commit], wanted)
        await _drop_branches(root)
    if tip.branch:
        await _checkout(root, ["--no-track", "-B", tip.branch, commit], wanted)
    await run_own(root, ["clean", "-ffdxq"], deadline_s=wanted.deadline_s)
    return commit


async def tidy_clone(root: Path, deadline_s: float) -> bool:
    """Pack a clone into one when many fetches have left many packs; True when that was done."""
    packs = len(list((root / ".git" / "objects" / "pack").glob("*.pack")))
    if packs <= MANY_PACKS:
        return False
    await run_own(root, ["gc", "--quiet", "--prune=1.day.ago"], deadline_s=deadline_s)
    return True


def remove_clone(root: Path) -> None:
    """Delete a clone that nobody looks at."""
    remove_tree(root)


async def _fetch(root: Path, wanted: Wanted, tip: Tip) -> str:
    """Fetch what is followed and return the name that it has in the clone."""
    options = ["fetch", "--quiet", "--force", "--no-tags", "--no-recurse-submodules"]
    options += ["--no-auto-maintenance", "--no-write-fetch-head"]
    if wanted.depth:
        options.append(f"--depth={wanted.depth}")
    elif (root / ".git" / "shallow").exists():
        options.append("--unshallow")
    if tip.branch:
        source = f"refs/heads/{tip.branch}"
    elif not wanted.ref or wanted.ref.startswith("refs/") or _ID.fullmatch(wanted.ref):
        source = wanted.ref or "HEAD"
    else:
        source = f"refs/tags/{wanted.ref}"
    command = [*options, "--", wanted.url]
    try:
        await _fetch_bounded(root, [*command, f"+{source}:{FOLLOWED}"], wanted)
    except GitFailed as error:
        if source != tip.commit or not _REFUSED_ID.search(error.complaint):
            raise
        # Many servers only give what a branch or a tag leads to.
        spread = [f"+refs/{kind}/*:refs/paparats/{kind}/*" for kind in ("heads", "tags")]
        await _fetch_bounded(root, [*command, *spread], wanted)
        return tip.commit
    return FOLLOWED


async def _fetch_bounded(root: Path, args: list[str], wanted: Wanted) -> None:
    """Fetch; ended as soon as more is on the disk than the cap allows."""
    failures: list[GitFailed] = []
    over = False

    async def watch(scope: anyio.CancelScope) -> None:
        nonlocal over
        while not over:
            await anyio.sleep(LOOK_S)
            size = await anyio.to_thread.run_sync(_size_of, root / ".git" / "objects")
            over = size > wanted.max_bytes
        scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch, tasks.cancel_scope)
        try:
            await run_own(root, args, access=wanted.access, deadline_s=wanted.deadline_s)
        except GitFailed as error:
            failures.append(error)
        tasks.cancel_scope.cancel()
    if over or await anyio.to_thread.run_sync(_size_of, root / ".git" / "objects") > (
        wanted.max_bytes
    ):
        raise GitFailed(f"{too_large(wanted.max_bytes)}")
    if failures:
        raise failures[0]


def too_large(max_bytes: int) -> str:
    """Say that a repository is over the cap, and what to do."""
    return (
        f"the repository is larger than {max_bytes} bytes; give its entry a `depth:`, or raise "
        "remotes.max_bytes"
    )


async def _check_tree(root: Path, commit: str, max_bytes: int) -> None:
    """Refuse a tree that would fill the disk: a few small objects may name billions of files."""
    size = count = 0
    tail = b""
    args = ["ls-tree", "-r", "-l", "-z", "--full-tree", commit]
    async with stream_git(root, args, deadline_s=300) as stream:
        async for chunk in stream:
            *entries, tail = (tail + chunk).split(b"\0")
            count += len(entries)
            for entry in entries:
                field = entry.partition(b"\t")[0].rsplit(b" ", 1)[-1]
                size += int(field) if field.isdigit() else 0
                path = entry.partition(b"\t")[2]
                if path.count(b"/") > MAX_TREE_DEPTH or len(path) > MAX_TREE_PATH_BYTES:
                    raise GitFailed(
                        f"the repository has paths of more than {MAX_TREE_DEPTH} directories or "
                        f"{MAX_TREE_PATH_BYTES} bytes, which are not checked out"
                    )
            if count > MAX_TREE_FILES or size > max_bytes:
                raise GitFailed(too_large(max_bytes))


async def _checkout(root: Path, args: list[str], wanted: Wanted) -> None:
    command = ["checkout", "--quiet", "--force", *args, "--"]
    await run_own(root, command, deadline_s=wanted.deadline_s)


async def _drop_branches(root: Path) -> None:
    listed = await run_git(root, ["for-each-ref", "--format=%(refname)", "refs/heads/"])
    for name in listed.decode("utf-8", "surrogateescape").split():
        await run_own(root, ["update-ref", "-d", "--", name])


def _drop_leftovers(git_dir: Path) -> None:
    """Delete locks and half-received packs of a git that was killed; nobody else works here."""
    old = time.time() - STALE_LOCK_S
    for pattern in ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*"):
        for path in git_dir.glob(pattern):
            with suppress(OSError):
                if path.lstat().st_mtime < old:
                    path.unlink()


def _size_of(directory: Path) -> int:
    total = 0
    for top, _, names in os.walk(directory):
        for name in names:
            with suppress(OSError):
                total += os.lstat(f"{top}/{name}").st_size
    return total
