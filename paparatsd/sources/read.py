"""Opens one file of a project safely, hashes it, and decodes it or says why not.

Opening never follows a link, in any component, never blocks on a FIFO and never leaves the
root: directories are opened one below the other, so a directory that is replaced by a link
between listing and reading is noticed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.model import ContentId, Skip, SkippedFile, Stat
from paparatsd.redact import find_armour, find_key_material, is_secret_name
from paparatsd.sources.content import decode, find_generated_marker, is_minified

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

_DIRECTORY_FLAGS = (
    getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
)
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_READ_BYTES = 1 << 20
RULES_VERSION = 1
"""Part of the pipeline fingerprint; raised when other contents than before are taken."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """One file's text with the identity of the bytes it came from; `size` in bytes.

    `stat` was taken before reading: a file that changes meanwhile differs from it afterwards.
    """

    content: ContentId
    stat: Stat
    text: str
    size: int


class NotReadable(Exception):
    """A file that cannot be opened the safe way, with the reason."""

    def __init__(self, reason: Skip, detail: str = "") -> None:
        super().__init__(detail or reason.value)
        self.reason = reason
        self.detail = detail


def read_source(
    root: Path,
    path: str,
    *,
    max_bytes: int,
    allow_secrets: bool = False,
    known: Collection[ContentId] = (),
) -> SourceText | SkippedFile:
    """Return the file's text, or why it is not indexed. Reads at most `max_bytes` + 1 bytes.

    `known` are contents that were taken at this path before, by the same rules (`RULES_VERSION`):
    they are taken again without another look, and without their text.
    """
    if not allow_secrets and is_secret_name(path):
        return SkippedFile(path, Skip.SECRET)
    try:
        with open_beneath(root, path) as (descriptor, status):
            data = _read_capped(descriptor, status, max_bytes)
    except NotReadable as exc:
        return SkippedFile(path, exc.reason, exc.detail)
    except OSError as exc:
        return SkippedFile(path, Skip.UNREADABLE, exc.strerror or "")
    content = _content_of(data)
    if content in known:
        return SourceText(content, to_stat(status), "", len(data))
    return _judge(path, data, content, to_stat(status), allow_secrets=allow_secrets)


def recognise_source(
    root: Path,
    path: str,
    known: Collection[ContentId],
    *,
    max_bytes: int,
    allow_secrets: bool = False,
) -> tuple[Stat, ContentId] | None:
    """Return stat and content of a file that `read_source` would take as known, else None."""
    if not known or (not allow_secrets and is_secret_name(path)):
        return None
    try:
        with open_beneath(root, path) as (descriptor, status):
            data = _read_capped(descriptor, status, max_bytes)
    except (NotReadable, OSError):
        return None
    content = _content_of(data)
    return (to_stat(status), content) if content in known else None


def _content_of(data: bytes) -> ContentId:
    return ContentId(hashlib.blake2b(data, digest_size=32).digest())


def to_stat(status: os.stat_result) -> Stat:
    """Return the part of a stat result by which a changed file is noticed."""
    return Stat(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


@contextmanager
def open_beneath(root: Path, path: str) -> Iterator[tuple[int, os.stat_result]]:
    """Open a regular file below `root` for reading; yields its descriptor and status.

    Raises NotReadable for everything that is no regular file or not reachable without a link.
    """
    *directories, name = path.split("/")
    if any(part in ("", ".", "..") for part in (*directories, name)) or "\0" in path:
        raise NotReadable(Skip.SPECIAL, "not a path inside the project")
    parent = _open_directory(None, os.fspath(root))
    try:
        for directory in directories:
            child = _open_directory(parent, directory)
            os.close(parent)
            parent = child
        descriptor = _open_file(parent, name)
    finally:
        os.close(parent)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotReadable(Skip.SPECIAL, _kind(status.st_mode))
        yield descriptor, status
    finally:
        os.close(descriptor)


def _open_directory(parent: int | None, name: str) -> int:
    try:
        return os.open(name, _DIRECTORY_FLAGS, dir_fd=parent)
    except OSError as exc:
        if exc.errno in (errno.ENOTDIR, errno.ELOOP) and _is_link(parent, name):
            raise NotReadable(Skip.SYMLINK, "below a linked directory") from exc
        raise _explain(exc) from exc


def _open_file(parent: int, name: str) -> int:
    try:
        # Looked at before it is opened: opening alone has effects on devices.
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            raise NotReadable(Skip.SYMLINK)
        if stat.S_ISDIR(mode):
            raise NotReadable(Skip.DELETED, "replaced by a directory")
        if not stat.S_ISREG(mode):
            raise NotReadable(Skip.SPECIAL, _kind(mode))
        return os.open(name, _FILE_FLAGS, dir_fd=parent)
    except OSError as exc:
        raise _explain(exc) from exc


def _is_link(parent: int | None, name: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _explain(exc: OSError) -> NotReadable:
    if exc.errno in (errno.ENOENT, errno.ENOTDIR):
        return NotReadable(Skip.DELETED)
    if exc.errno == errno.ELOOP:
        return NotReadable(Skip.SYMLINK)
    if exc.errno == errno.ENXIO:
        return NotReadable(Skip.SPECIAL)
    return NotReadable(Skip.UNREADABLE, exc.strerror or "")


def _kind(mode: int) -> str:
    for test, name in (
        (stat.S_ISFIFO, "FIFO"),
        (stat.S_ISSOCK, "socket"),
        (stat.S_ISCHR, "device"),
        (stat.S_ISBLK, "device"),
        (stat.S_ISDIR, "directory"),
    ):
        if test(mode):
            return name
    return "not a regular file"


def _read_capped(descriptor: int, status: os.stat_result, max_bytes: int) -> bytes:
    """Read the whole file, unless it is larger than the limit or grows beyond it meanwhile."""
    if status.st_size > max_bytes:
        raise NotReadable(Skip.TOO_LARGE, f"{status.st_size} bytes")
    pieces: list[bytes] = []
    left = max_bytes + 1
    while left > 0:
        piece = os.read(descriptor, min(_READ_BYTES, left))
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        left -= len(piece)
    raise NotReadable(Skip.TOO_LARGE, f"over {max_bytes} bytes")


def _judge(
    path: str, data: bytes, content: ContentId, status: Stat, *, allow_secrets: bool
) -> SourceText | SkippedFile:
    decoded = decode(data)
    if isinstance(decoded, Skip):
        return SkippedFile(path, decoded)
    if not allow_secrets and (kind := find_key_material(decoded)):
        return SkippedFile(path, Skip.KEY_MATERIAL, kind)
    if is_minified(path, decoded):
        if armour := find_armour(decoded):
            return SkippedFile(path, Skip.KEY_MATERIAL, armour)
        return SkippedFile(path, Skip.MINIFIED)
    if marker := find_generated_marker(path, decoded):
        return SkippedFile(path, Skip.GENERATED, marker)
    return SourceText(content, status, decoded, len(data))
