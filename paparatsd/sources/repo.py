"""Finds out what a directory is: a git work tree, a part of one, or a plain folder.

What git refuses or cannot read is walked as a plain folder, and `Checkout.problem` says why.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from paparatsd.errors import GitFailed
from paparatsd.model import CommitId, Head, RepoId
from paparatsd.sources.git import GitContext, printable, read_context, run_git
from paparatsd.sources.refs import git_watch_paths, is_git_writing, read_head_files, view_signature

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Checkout",
    "git_watch_paths",
    "is_git_writing",
    "lineage",
    "locate",
    "read_head",
    "view_signature",
]

log = structlog.get_logger()

_QUESTIONS = (
    ("--is-bare-repository",),
    ("--is-inside-git-dir",),
    ("--is-shallow-repository",),
    ("--show-object-format",),
    ("--path-format=absolute", "--absolute-git-dir"),
    ("--path-format=absolute", "--git-common-dir"),
    ("--path-format=absolute", "--show-toplevel"),
)
_OBJECT_ID = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Checkout:
    """What is known of one project's root.

    `prefix` is the root's place in the work tree, "" or "sub/dir". `problem` says why git is not
    used although there is something of git here. `refused`: there is no work tree to index (a
    bare repository, git's own directory, no directory at all); `problem` says which.
    """

    root: Path
    git: bool
    work_tree: Path | None = None
    git_dir: Path | None = None
    common_dir: Path | None = None
    prefix: str = ""
    object_format: str = "sha1"
    shallow: bool = False
    context: GitContext | None = None
    problem: str = ""
    refused: bool = False


async def locate(root: Path, *, environment: Mapping[str, str] | None = None) -> Checkout:
    """Say what `root` is; never raises for what is wrong with the repository or with git."""
    real, is_directory = await anyio.to_thread.run_sync(_resolve, root)
    if not is_directory:
        return Checkout(real, git=False, problem=f"{real} is not a directory", refused=True)
    try:
        context = await read_context(real, environment=environment)
        answers = await _ask(real, context)
        checkout = _describe(real, context, answers)
        if checkout.git:
            checkout = await _check_usable(checkout)
    except GitFailed as exc:
        return await _without_git(real, exc)
    return checkout


async def lineage(checkout: Checkout) -> RepoId | None:
    """Return the id of the oldest first-parent root commit, which all clones share.

    None when there is none to be had: no git, no commit yet, shallow or broken history.
    """
    if not checkout.git or checkout.shallow or (await read_head(checkout)).commit is None:
        return None
    args = ["rev-list", "--first-parent", "--max-parents=0", "HEAD", "--"]
    try:
        output = await run_git(checkout.root, args, context=checkout.context, deadline_s=120)
    except GitFailed as exc:
        log.warning("lineage_unknown", root=str(checkout.root), problem=str(exc))
        return None
    found = output.decode("ascii", "replace").split()
    return RepoId(found[-1]) if found and _OBJECT_ID.fullmatch(found[-1]) else None


async def read_head(checkout: Checkout) -> Head:
    """Return branch and commit, from git's files where they are plain, else by asking git."""
    if not checkout.git or checkout.git_dir is None or checkout.common_dir is None:
        return Head()
    head = await anyio.to_thread.run_sync(
        read_head_files, checkout.git_dir, checkout.common_dir, checkout.object_format
    )
    return await _ask_head(checkout) if head is None else head


async def _ask_head(checkout: Checkout) -> Head:
    args = ["symbolic-ref", "-q", "HEAD"]
    name = await run_git(checkout.root, args, context=checkout.context, ok_codes=(0, 1))
    args = ["rev-parse", "-q", "--verify", "HEAD^{commit}"]
    output = await run_git(checkout.root, args, context=checkout.context, ok_codes=(0, 1))
    commit = output.decode("ascii", "replace").strip()
    branch = name.decode("utf-8", "backslashreplace").removesuffix("\n")
    return Head(
        branch=branch.removeprefix("refs/heads/") or None,
        commit=CommitId(commit) if _OBJECT_ID.fullmatch(commit) else None,
    )


def _resolve(root: Path) -> tuple[Path, bool]:
    try:
        real = root.resolve(strict=True)
    except (OSError, RuntimeError):
        return root.absolute(), False
    return real, real.is_dir()


async def _ask(root: Path, context: GitContext) -> list[str]:
    """Return the answers to `_QUESTIONS`, the last one "" when there is no work tree."""
    together = [option for question in _QUESTIONS for option in question]
    try:
        output = await run_git(root, ["rev-parse", *together], context=context)
        lines = os.fsdecode(output).removesuffix("\n").split("\n")
    except GitFailed:
        lines = []
    if len(lines) == len(_QUESTIONS):
        return lines
    # One by one: a path with a line break in it, or no work tree to show.
    answers = []
    for question in _QUESTIONS[:-1]:
        output = await run_git(root, ["rev-parse", *question], context=context)
        answers.append(os.fsdecode(output).removesuffix("\n"))
    if "true" in answers[:2]:
        return [*answers, ""]
    output = await run_git(root, ["rev-parse", *_QUESTIONS[-1]], context=context)
    return [*answers, os.fsdecode(output).removesuffix("\n")]


def _describe(root: Path, context: GitContext, answers: list[str]) -> Checkout:
    bare, inside, shallow, object_format, git_dir, common_dir, top = answers
    if bare == "true" or inside == "true" or not top:
        what = "is a bare git repository" if bare == "true" else "belongs to git itself"
        problem = f"{printable(str(root))} {what}: add a checkout (work tree) of it instead"
        return Checkout(root, git=False, context=context, problem=problem, refused=True)
    work_tree = Path(top)
    if not root.is_relative_to(work_tree):
        problem = f"core.worktree of this repository names another place: {printable(top)}"
        return Checkout(root, git=False, context=context, problem=problem)
    prefix = root.relative_to(work_tree).as_posix()
    return Checkout(
        root=root,
        git=True,
        work_tree=work_tree,
        git_dir=Path(git_dir),
        common_dir=Path(common_dir),
        prefix="" if prefix == "." else prefix,
        object_format=object_format,
        shallow=shallow == "true",
        context=context,
    )


async def _check_usable(checkout: Checkout) -> Checkout:
    """Let git read its index once; a folder that its repository ignores is a plain folder."""
    root, context = checkout.root, checkout.context
    listed = await run_git(root, ["ls-files", "-z", "--", ".git"], context=context)
    if listed or not checkout.prefix:
        return checkout
    # Seen from the top, where the folder itself can be ignored; `.` below it cannot.
    work_tree = checkout.work_tree or root
    args = ["check-ignore", "--", f"./{checkout.prefix}"]
    ignored = await run_git(work_tree, args, context=context, ok_codes=(0, 1))
    if not ignored:
        return checkout
    problem = f"ignored by the git repository at {printable(str(work_tree))}: read without git"
    return Checkout(root, git=False, context=context, problem=problem)


async def _without_git(root: Path, failure: GitFailed) -> Checkout:
    """Describe a plain folder, with the problem unless git simply is not used here."""
    has_git = await anyio.to_thread.run_sync(os.path.lexists, root / ".git")
    reason = str(failure)
    if "dubious ownership" in reason:
        problem = (
            f"git does not trust {printable(str(root))} because another user owns it; read as a "
            "plain folder. If you trust it, run: "
            f"git config --global --add safe.directory '{printable(str(root))}'"
        )
    elif "not a git repository" in reason and not has_git:
        return Checkout(root, git=False)
    elif has_git or "not a git repository" not in reason:
        problem = f"read as a plain folder: {reason}"
    log.warning("git_not_used", root=str(root), problem=problem)
    return Checkout(root, git=False, problem=problem)
