"""Reads a small regular file whole, without hanging on a pipe or following a planted link."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class UnreadableFileError(Exception):
    """There is something, but it cannot be read; the message says why, without its name."""


def read_small_file(path: Path, *, max_bytes: int, follow: bool) -> tuple[bytes, int]:
    """Return the bytes and the permission bits of a file.

    Without `follow` a link at the end of the path is refused. Raises FileNotFoundError and
    UnreadableFileError.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        handle = os.open(path, flags)
    except FileNotFoundError:
        raise
    except OSError as error:
        if not follow and path.is_symlink():
            raise UnreadableFileError("it is a link; only a regular file is read") from None
        raise UnreadableFileError(f"it cannot be read: {error.strerror}") from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise UnreadableFileError("it is not a regular file")
        data = _read(handle, max_bytes + 1)
    finally:
        os.close(handle)
    if len(data) > max_bytes:
        raise UnreadableFileError(f"it is larger than {max_bytes} bytes")
    return data, stat.S_IMODE(found.st_mode)


def _read(handle: int, count: int) -> bytes:
    pieces: list[bytes] = []
    try:
        while count > 0 and (piece := os.read(handle, count)):
            pieces.append(piece)
            count -= len(piece)
    except OSError as error:
        raise UnreadableFileError(f"it cannot be read: {error.strerror}") from None
    return b"".join(pieces)
