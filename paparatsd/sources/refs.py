"""Reads where a checkout stands from git's own files: head, and whether anything moved.

Only a few small files are read and nothing is run, so this is cheap enough to do for each
question. What is not plain (reftable, links, odd contents) is left to git.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paparatsd.model import CommitId, Head

if TYPE_CHECKING:
    from paparatsd.sources.repo import Checkout

_MAX_REF_BYTES = 4096
_MAX_PACKED_BYTES = 64 << 20
_MAX_CONFIG_BYTES = 1 << 18
_MAX_LINKS = 5
_MAX_WATCHED_REF_DIRECTORIES = 200
_RACY_NS = 2_000_000_000
"""What was written this recently may be written again within the same time stamp."""
_RACY_FINE_NS = 100_000_000
"""The same where time stamps are finer than a millisecond: the kernel's clock ticks in 10 ms."""
_FINE_NS = 1_000_000
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
_EXCLUDE_FILE = "info/exclude"
_REF_FILES = ("packed-refs", "refs/heads", "reftable", "reftable/tables.list")


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


class ViewSignature(NamedTuple):
    """What decides, besides the files themselves, which of them a checkout shows.

    Two that are equal prove that nothing moved between them if the first `is_settled`: else a
    file of git's may have been written once more without its time stamp moving.
    """

    parts: tuple[object, ...]
    is_settled: bool


def view_signature(checkout: Checkout, *, now_ns: int | None = None) -> ViewSignature:
    """Return what stays equal while this checkout's head, index and settings of git stay put.

    Other branches and the other work trees of the repository do not count. `now_ns` is the time
    since the epoch, if another than the clock's.
    """
    git_dir, common = checkout.git_dir, checkout.common_dir
    if git_dir is None or common is None:
        return ViewSignature((), is_settled=False)
    taken_ns = time.time_ns() if now_ns is None else now_ns
    paths = [git_dir / name for name in _STATE_FILES]
    paths.append(common / _EXCLUDE_FILE)
    head = read_head_files(git_dir, common, checkout.object_format)
    if head is None:
        # Only git itself can tell where a branch is; then any move of any ref counts.
        paths += [common / name for name in _REF_FILES]
    if checkout.context is not None and checkout.context.excludes_file:
        paths.append(Path(checkout.context.excludes_file))
    stamps = [_stamp(path) for path in paths]
    parts = (head, _read_small(git_dir / "HEAD"), _settings_of(common / "config"), *stamps)
    settled = all(_is_settled(stamp, taken_ns) for stamp in stamps if stamp is not None)
    return ViewSignature(parts, is_settled=settled)


def _settings_of(path: Path) -> bytes | tuple[int, ...] | None:
    """Return git's settings without those of branches and remotes, which decide about no file.

    Any branch that is to follow another adds some. A file that is too large or odd counts whole.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_CONFIG_BYTES)
    except OSError:
        return None
    if len(content) == _MAX_CONFIG_BYTES:
        return _stamp(path)
    lines = content.splitlines()
    if any(line.endswith(b"\\") for line in lines):
        return content
    kept, is_kept = [], True
    for line in lines:
        bare = line.strip().lower()
        if bare.startswith(b"["):
            is_kept = not bare.startswith((b'[branch "', b'[remote "'))
        if is_kept:
            kept.append(line)
    return b"\n".join(kept)


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


def _is_settled(stamp: tuple[int, int, int, int], taken_ns: int) -> bool:
    """Whether a file that is written after `taken_ns` has another stamp for certain."""
    _, _, modified_ns, changed_ns = stamp
    is_fine = changed_ns % _FINE_NS != 0
    return max(modified_ns, changed_ns) < taken_ns - (_RACY_FINE_NS if is_fine else _RACY_NS)


def _stamp(path: Path) -> tuple[int, int, int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
