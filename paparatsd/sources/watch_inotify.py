"""The kernel's inotify, as few calls: an instance, its watches, its records. Linux only."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
import threading
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

IN_MODIFY = 0x2
IN_ATTRIB = 0x4
IN_CLOSE_WRITE = 0x8
IN_MOVED_FROM = 0x40
IN_MOVED_TO = 0x80
IN_CREATE = 0x100
IN_DELETE = 0x200
IN_DELETE_SELF = 0x400
IN_MOVE_SELF = 0x800
IN_UNMOUNT = 0x2000
IN_Q_OVERFLOW = 0x4000
IN_IGNORED = 0x8000
IN_ONLYDIR = 0x1000000
IN_DONT_FOLLOW = 0x2000000
IN_EXCL_UNLINK = 0x4000000

MASK = (
    IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
    | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK
)  # fmt: skip
"""Whatever may change what a file is; reading and opening are not asked for, we do that a lot."""

READ_BYTES = 32 << 10
"""Read at once: about a thousand events, or 2 ms of the event loop."""

_HEADER = Struct("iIII")
_LIMITS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})


class Record(NamedTuple):
    """One event: watch (-1: none), what happened, the name in the directory (or empty)."""

    watch: int
    mask: int
    name: bytes


class Inotify:
    """One instance. Threads may share it; raises OSError with the kernel's errno."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None, use_errno=True)
        self._add = library.inotify_add_watch
        self._add.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
        self._remove = library.inotify_rm_watch
        self._remove.argtypes = (ctypes.c_int, ctypes.c_int)
        # After closing, the number of the descriptor may be another file's.
        self._open = threading.Lock()
        self._fd = _checked(library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))

    def fileno(self) -> int:
        """Return the descriptor, readable when there are events; -1 once closed."""
        return self._fd

    def add(self, path: bytes) -> int:
        """Watch a directory; returns its watch, the same one for a directory known already."""
        with self._open:
            return _checked(self._add(self._fd, path, MASK))

    def remove(self, watch: int) -> None:
        """End a watch; one that has ended by itself is no error."""
        with self._open:
            self._remove(self._fd, watch)

    def read(self) -> bytes:
        """Return whole records that have not been read yet, at most READ_BYTES, or nothing."""
        try:
            return os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        """End all watches."""
        with self._open:
            if self._fd >= 0:
                os.close(self._fd)
            self._fd = -1


def _checked(answer: int) -> int:
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer


def is_supported(opener: Callable[[], Inotify] = Inotify) -> bool:
    """Whether this system has inotify, be it at its limits now."""
    if sys.platform != "linux":
        return False
    try:
        opener().close()
    except AttributeError:
        return False
    except OSError as error:
        return error.errno in _LIMITS
    return True


def records(data: bytes) -> Iterator[Record]:
    """Yield the records of one reading, in order."""
    offset, end, size = 0, len(data), _HEADER.size
    while offset < end:
        watch, mask, _, length = _HEADER.unpack_from(data, offset)
        offset += size
        yield Record(watch, mask, data[offset : offset + length].rstrip(b"\0"))
        offset += length
