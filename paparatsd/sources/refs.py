"""Reads where a checkout stands from git's own files: head, and whether anything moved.

Only a few small files are read and nothing is run, so this is cheap enough to do for each
question. What is not plain (reftable, links, odd contents) is left to git.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.model import CommitId, Head
from paparatsd.small_file import UnreadableFileError, read_small_file

if TYPE_CHECKING:
    from paparatsd.sources.repo import Checkout

_MAX_REF_BYTES = 4096
_MAX_PACKED_BYTES = 64 << 20
_MAX_CONFIG_BYTES = 1 << 18
_MAX_LINKS = 5
_MAX_WATCHED_REF_DIRECTORIES = 200
_CHECKSUM_BYTES, _SHORT_CHECKSUM_BYTES = 32, 20
_REF_PREFIX = b"ref:"
_OWN_FILES = ("config.worktree", "info/sparse-checkout")
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


def view_signature(checkout: Checkout) -> tuple[object, ...] | None:
    """Return what stays equal while this checkout's head, index and settings of git stay put.

    It is made of contents, not of time stamps, so that two that are equal prove it. Other branches
    and the other work trees of the repository do not count. None where it cannot be had.
    """
    git_dir, common = checkout.git_dir, checkout.common_dir
    if git_dir is None or common is None:
        return None
    index = _checksum_of(git_dir / "index")
    if index is None:
        return None
    parts: list[object] = [index, _settings_of(common / "config")]
    contents = [git_dir / "HEAD", *(git_dir / name for name in _OWN_FILES), common / _EXCLUDE_FILE]
    if checkout.context is not None and checkout.context.excludes_file:
        contents.append(Path(checkout.context.excludes_file))
    parts += [_content_or_stamp(path) for path in contents]
    head = read_head_files(git_dir, common, checkout.object_format)
    parts.append(head)
    if head is None:
        # Only git itself can tell where a branch is; then any move of any ref counts.
        parts += [_stamp(common / name) for name in _REF_FILES]
    return tuple(parts)


def is_git_writing(checkout: Checkout, within_s: float) -> bool:
    """Whether git is in the middle of writing the index, as while it switches to a branch.

    A lock that is older than `within_s` was left behind, or waits for a person.
    """
    if checkout.git_dir is None:
        return False
    try:
        taken_at = (checkout.git_dir / "index.lock").lstat().st_mtime
    except OSError:
        return False
    return abs(time.time() - taken_at) < within_s


def _checksum_of(path: Path) -> bytes | None:
    """Return the checksum at the end of git's index; None where git was told to write none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return b""
    except OSError:
        return None
    try:
        end = max(0, os.fstat(descriptor).st_size - _CHECKSUM_BYTES)
        found = os.pread(descriptor, _CHECKSUM_BYTES, end)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    # Of a SHA-1 the last twenty bytes, before which there are others: still all of it.
    return found if found[-_SHORT_CHECKSUM_BYTES:].strip(b"\0") else None


def _content_or_stamp(path: Path) -> object:
    """Return what a file says, None for none; the stamp of one that is too large or no file."""
    try:
        return read_small_file(path, max_bytes=_MAX_CONFIG_BYTES, follow=True)[0]
    except FileNotFoundError:
        return None
    except UnreadableFileError:
        return _stamp(path)


def _settings_of(path: Path) -> object:
    """Return git's settings without those of branches and remotes, which decide about no file.

    Any branch that is to follow another adds some. A file that is too large or odd counts whole.
    """
    content = _content_or_stamp(path)
    if not isinstance(content, bytes):
        return content
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


def _stamp(path: Path) -> tuple[int, int, int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
