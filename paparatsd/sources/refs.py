"""Reads where a checkout stands from git's own files: head, and whether anything moved.

Only a few small files are read and nothing is run, so this is cheap enough to do for each
question. What is not plain (reftable, links, odd contents) is left to git.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.model import CommitId, Head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paparatsd.sources.repo import Checkout

_MAX_REF_BYTES = 4096
_MAX_PACKED_BYTES = 64 << 20
_MAX_LINKS = 5
_MAX_WATCHED_REF_DIRECTORIES = 200
_REF_PREFIX = b"ref:"
_STATE_FILES = (
    "HEAD",
    "index",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "rebase-merge",
    "rebase-apply",
    "info/sparse-checkout",
    "config.worktree",
)
_SHARED_FILES = (
    "packed-refs",
    "refs/heads",
    "reftable",
    "reftable/tables.list",
    "config",
    "shallow",
    "info/exclude",
)


def read_head_files(git_dir: Path, common_dir: Path, object_format: str) -> Head | None:
    """Return what HEAD says, or None when only git itself can tell."""
    content = _read_small(git_dir / "HEAD")
    if content is None:
        return None
    if not content.startswith(_REF_PREFIX):
        commit = _object_id(content, object_format)
        return None if commit is None else Head(branch=None, commit=commit)
    name = content.removeprefix(_REF_PREFIX).strip()
    if not _is_plain_branch(name) or (common_dir / "reftable").exists():
        return None
    branch = name.removeprefix(b"refs/heads/").decode("utf-8", "backslashreplace")
    value = _resolve(common_dir, name)
    if value is None:
        return Head(branch=branch, commit=None)
    commit = _object_id(value, object_format)
    return None if commit is None else Head(branch=branch, commit=commit)


def git_watch_paths(checkout: Checkout) -> tuple[Path, ...]:
    """Return the directories of git's own in which a move of head, refs or index shows.

    They are meant to be watched without what is below them.
    """
    if checkout.git_dir is None or checkout.common_dir is None:
        return ()
    common = checkout.common_dir
    wanted = [checkout.git_dir, common, common / "info", common / "refs", common / "reftable"]
    wanted.append(common / "worktrees")
    wanted += _directories_below(common / "refs" / "heads")
    return tuple(path for path in dict.fromkeys(wanted) if path.is_dir())


def ref_signature(checkout: Checkout) -> tuple[object, ...]:
    """Return a value that is equal as long as head, index, refs and git's settings stay put."""
    git_dir, common = checkout.git_dir, checkout.common_dir
    if git_dir is None or common is None:
        return ()
    parts: list[object] = [_stamp(git_dir / name) for name in _STATE_FILES]
    parts += [_stamp(common / name) for name in _SHARED_FILES]
    head = _read_small(git_dir / "HEAD")
    parts.append(head)
    if head is not None and head.startswith(_REF_PREFIX):
        name = head.removeprefix(_REF_PREFIX).strip()
        if _is_plain_branch(name):
            parts.append(_read_small(common / os.fsdecode(name)))
            parts += [_stamp(path) for path in _branch_directories(common, name)]
    if checkout.context is not None and checkout.context.excludes_file:
        parts.append(_stamp(Path(checkout.context.excludes_file)))
    return tuple(parts)


def _branch_directories(common: Path, name: bytes) -> Iterator[Path]:
    """Yield the directories between refs/heads and the branch's own file."""
    path = (common / os.fsdecode(name)).parent
    while path.name != "heads" and path != common and common in path.parents:
        yield path
        path = path.parent


def _directories_below(top: Path) -> list[Path]:
    found = [top]
    for path in found:
        if len(found) >= _MAX_WATCHED_REF_DIRECTORIES:
            break
        try:
            with os.scandir(path) as entries:
                found += [Path(e.path) for e in entries if e.is_dir(follow_symlinks=False)]
        except OSError:
            continue
    return found[:_MAX_WATCHED_REF_DIRECTORIES]


def _is_plain_branch(name: bytes) -> bool:
    parts = name.split(b"/")
    return (
        name.startswith(b"refs/heads/")
        and not any(p in (b"", b".", b"..") for p in parts)
        and (name != b"refs/heads/.invalid" and b"\0" not in name)
    )


def _resolve(common_dir: Path, name: bytes) -> bytes | None:
    """Follow a ref to its value: loose files first, then packed-refs; None when unborn."""
    for _ in range(_MAX_LINKS):
        value = _read_small(common_dir / os.fsdecode(name))
        if value is None:
            return _packed_value(common_dir / "packed-refs", name)
        if not value.startswith(_REF_PREFIX):
            return value
        name = value.removeprefix(_REF_PREFIX).strip()
        if not _is_plain_branch(name):
            return b""
    return b""


def _packed_value(path: Path, name: bytes) -> bytes | None:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_PACKED_BYTES)
    except OSError:
        return None
    found = re.search(rb"^([0-9a-f]+) " + re.escape(name) + rb"$", data, re.MULTILINE)
    return found[1] if found else None


def _read_small(path: Path) -> bytes | None:
    """Return a small regular file's content without trailing white space, or None."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(descriptor, _MAX_REF_BYTES).rstrip()
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _object_id(content: bytes, object_format: str) -> CommitId | None:
    length = 64 if object_format == "sha256" else 40
    text = content.decode("ascii", "replace")
    return CommitId(text) if re.fullmatch(rf"[0-9a-f]{{{length}}}", text) else None


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)
