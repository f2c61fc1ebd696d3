"""What the file system says of a project before it is watched: mount, identity, directories."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REMOTE_TYPES = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "coda", "drvfs", "fuse", "gfs2", "glusterfs",
        "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "prl_fs", "smb3", "smbfs",
        "sshfs", "vboxsf", "virtiofs", "vmhgfs",
    }
)  # fmt: skip
"""File systems that others may change without an event here."""

MAX_REF_DIRECTORIES = 500
"""So many directories below refs/ are watched; the reconcile finds moves in the others."""

_MOUNTINFO = Path("/proc/self/mountinfo")


@dataclass(frozen=True, slots=True)
class Survey:
    """What watching a project takes. All paths are absolute and real.

    `identity` is (device, inode) of the root, None when it is not there. `unwatchable` says why
    events cannot be had here, else "". `git` maps directories to the names in them that
    matter, None for every name. Of a root that is missing, `directories` is the one above it:
    it tells when the root comes back.
    """

    root: str
    identity: tuple[int, int] | None
    unwatchable: str
    directories: frozenset[str]
    git: Mapping[str, frozenset[str] | None]


def survey(
    root: Path,
    directories: frozenset[str],
    git_paths: tuple[Path, ...],
    mountinfo: Path = _MOUNTINFO,
) -> Survey:
    """Look at a project on disk. Blocks for about 3 us a directory."""
    real = os.path.realpath(root)
    identity = identify(real)
    if identity is None:
        return Survey(real, None, "the directory is missing", _above(real, mountinfo), {})
    reason = _unwatchable(real, mountinfo)
    if reason:
        return Survey(real, identity, reason, frozenset(), {})
    return Survey(real, identity, "", _watchable_below(real, directories), _git_watches(git_paths))


def _above(real: str, mountinfo: Path) -> frozenset[str]:
    above = real.rpartition("/")[0]
    is_useful = above and identify(above) is not None and not _unwatchable(above, mountinfo)
    return frozenset({above} if is_useful else ())


def identify(path: str) -> tuple[int, int] | None:
    """(device, inode) of a directory, None when there is none of that name."""
    try:
        status = os.stat(path)  # noqa: PTH116 - called for every root every few seconds
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


def join(root: str, path: str) -> str:
    """Return the absolute form of a path relative to `root` ("" is the root itself)."""
    return f"{root}/{path}" if path else root


def _unwatchable(real: str, mountinfo: Path) -> str:
    if not is_utf8(real):
        return "the name of the directory is not UTF-8"
    kind = mount_type(real, mountinfo)
    if kind in REMOTE_TYPES or kind.startswith("fuse."):
        return f"{kind} mount: changes made elsewhere raise no events"
    return ""


def is_utf8(name: str) -> bool:
    """Whether the name can be written as UTF-8 (no undecodable bytes)."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def mount_type(path: str, mountinfo: Path = _MOUNTINFO) -> str:
    """Return the type of file system that holds the path, "" when the system does not say."""
    try:
        lines = mountinfo.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        fields, separator, tail = line.partition(" - ")
        words = fields.split(" ")
        if not separator or len(words) < 5:
            continue
        point = _unescape(words[4])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        # A later line over the same point hides the earlier one.
        if inside and len(point) >= len(best):
            best, kind = point, tail.split(" ")[0]
    return kind


def _unescape(field: str) -> str:
    # The kernel writes these four as octal.
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, character)
    return field


def _watchable_below(real: str, directories: Iterable[str]) -> frozenset[str]:
    known: dict[str, bool] = {"": True}
    found = [join(real, path) for path in directories if _is_plain(real, path, known)]
    return frozenset([real, *found])


def _is_plain(real: str, path: str, known: dict[str, bool]) -> bool:
    """Whether no component of the path is a link, so that watching it stays inside the root."""
    waiting: list[str] = []  # not by recursion: a path may be deeper than Python goes
    above = path
    while above not in known:
        waiting.append(above)
        above = above.rpartition("/")[0]
    answer = known[above]
    for one in reversed(waiting):
        answer = known[one] = answer and is_utf8(one) and _is_directory(real, one)
    return answer


def _is_directory(real: str, path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(join(real, path)).st_mode)
    except OSError:
        return False


def _git_watches(paths: Iterable[Path]) -> dict[str, frozenset[str] | None]:
    """Turn git's paths into directories to watch; a file is watched through its directory.

    Git replaces its files by rename, so that a watch on the file itself would be lost at once.
    """
    watches: dict[str, frozenset[str] | None] = {}
    for path in paths:
        real = os.path.realpath(path)
        if not is_utf8(real):
            continue
        if not os.path.isdir(real):  # noqa: PTH112 - already a string
            parent, _, name = real.rpartition("/")
            names = watches.get(parent, frozenset())
            watches[parent] = None if names is None else names | {name}
            continue
        watches[real] = None
        if "refs" in path.parts:
            watches.update(dict.fromkeys(_below(real)))
    return {path: names for path, names in watches.items() if identify(path) is not None}


def _below(real: str) -> list[str]:
    for directory in (waiting := [real]):  # os.walk would recurse
        with suppress(OSError), os.scandir(directory) as entries:
            waiting += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        if len(waiting) > MAX_REF_DIRECTORIES:
            break
    found = waiting[1:]
    return [path for path in found[:MAX_REF_DIRECTORIES] if is_utf8(path)]
