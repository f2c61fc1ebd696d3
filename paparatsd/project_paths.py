"""Which directories may be a project: never the machine, a home as a whole, or the system's own.

Looks at the disk only to resolve links and to learn the type of file system.
"""

from __future__ import annotations

import os
from pathlib import Path

from paparatsd.errors import BadQuery
from paparatsd.sources.watch_place import mount_type

SYSTEM_TREES = ("/boot", "/dev", "/etc", "/proc", "/run", "/sys")
"""The system's own, with everything below: settings, secrets, devices, state of the kernel."""

ROOMS = {"/dev/shm": 1, "/run/user": 2, "/run/media": 2}  # noqa: S108 - names to compare with
"""What users have inside those trees, and how many levels further down a project may be."""

_TOPS = (
    "/bin /home /lib /lib32 /lib64 /libx32 /lost+found /media /mnt /opt /root /sbin /snap /srv "
    "/tmp /usr /usr/bin /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/libx32 /usr/local "
    "/usr/sbin /usr/share /var /var/cache /var/lib /var/log /var/spool /var/tmp "
    # macOS
    "/Applications /Library /System /Users /Volumes /cores /private"
)
SYSTEM_TOPS = frozenset(_TOPS.split())
"""Directories of many owners: a project may be below them, but is never one of them."""

HOMES = ("/home", "/Users")
"""Every directory directly in these is somebody's home."""

_PSEUDO = (
    "binfmt_misc bpf cgroup cgroup2 configfs debugfs devfs devpts devtmpfs efivarfs fdescfs "
    "functionfs fusectl hugetlbfs mqueue nsfs proc pstore rpc_pipefs securityfs selinuxfs "
    "smackfs sysfs tracefs"
)
PSEUDO_TYPES = frozenset(_PSEUDO.split())
"""File systems whose files are answers of the kernel."""


def check_project_path(text: str, home: Path) -> Path:
    """Return the canonical form of a path that may be a project's root; raises BadQuery."""
    if not text or not text.isprintable():
        raise BadQuery(f"{text!r} cannot be a project: its path has characters that are not text")
    if not text.startswith("/"):
        raise BadQuery(f"{text!r} cannot be a project: its path is relative; give it from / on")
    path = Path(os.path.realpath(text))
    if path == Path(path.anchor):
        raise BadQuery("/ cannot be a project: it is the whole machine; add single repositories")
    if Path(os.path.realpath(home)).is_relative_to(path):
        raise BadQuery(
            f"{path} cannot be a project: it is or contains your home directory; add single "
            "repositories"
        )
    reason = system_reason(path) or _pseudo_reason(path)
    if reason:
        raise BadQuery(f"{path} cannot be a project: {reason}; add single repositories")
    if ".git" in path.parts:
        raise BadQuery(f"{path} cannot be a project: it lies inside git's own directory")
    return path


def check_directory(path: Path) -> None:
    """Refuse a path that is not a directory we can read; raises BadQuery."""
    if not path.exists():
        raise BadQuery(f"{path} is not there; check the path")
    if not path.is_dir():
        raise BadQuery(f"{path} is not a directory; add the directory that contains it")
    if not os.access(path, os.R_OK | os.X_OK):
        raise BadQuery(f"{path} cannot be read by the daemon; check its permissions")


def system_reason(path: Path) -> str:
    """Return why a canonical path belongs to the system and not to a project, else ""."""
    name = str(path)
    # macOS keeps some of these one level down and links to them.
    if name.startswith("/private/"):
        name = name.removeprefix("/private")
    if name in SYSTEM_TOPS:
        return "it is a directory of the system that holds things of many owners"
    if name.rpartition("/")[0] in HOMES:
        return "it is somebody's whole home directory"
    for tree in SYSTEM_TREES:
        if _is_below(name, tree) and not _is_in_a_room(name):
            return f"it belongs to the system ({tree})"
    return ""


def _is_in_a_room(name: str) -> bool:
    return any(
        _is_below(name, room) and name.removeprefix(room).count("/") >= levels
        for room, levels in ROOMS.items()
    )


def _is_below(name: str, top: str) -> bool:
    return name == top or name.startswith(top + "/")


def _pseudo_reason(path: Path) -> str:
    kind = mount_type(str(path))
    if kind not in PSEUDO_TYPES:
        return ""
    return f"it lies on a {kind} file system, whose files are the kernel's"
