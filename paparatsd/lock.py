"""One daemon per state directory, and per data directory: locks that the kernel frees.

Whatever way the holder ends.
"""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

from paparatsd.errors import BadSettings, Busy

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

FILE_NAME = "lock"
MAX_HOLDER_BYTES = 4_096
MAX_PID_DIGITS = 20


class StateLock:
    """Holds `<directory>/lock` from entering to leaving the block.

    Raises Busy naming the holder's pid. The file stays when the lock is given up: removing it
    would let two processes hold locks on two files of one name. The pid in it, and below that
    where the holder answers, are only for messages.
    """

    def __init__(self, state: Path, address: Path | None = None, *, kind: str = "state") -> None:
        """`kind` is what messages call the directory."""
        self._path = state / FILE_NAME
        self._address = address
        self._kind = kind
        self._handle: int | None = None

    def __enter__(self) -> StateLock:
        """Take the lock at once or raise."""
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the lock up."""
        self.release()

    def acquire(self) -> None:
        """Take the lock without waiting. Raises Busy, or BadSettings when there can be none."""
        handle = self._open()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = read_holder(self._path)
            os.close(handle)
            holder = f"process {pid}" if pid else "another process"
            raise Busy(
                f"another paparatsd ({holder}) uses {self._path.parent}; "
                f"stop it with `paparats down`, or choose another {self._kind} directory"
            ) from None
        except OSError as error:
            os.close(handle)
            raise BadSettings(f"{self._path} cannot be locked: {error.strerror}") from None
        os.ftruncate(handle, 0)
        address = b"" if self._address is None else os.fsencode(self._address) + b"\n"
        os.pwrite(handle, b"%d\n" % os.getpid() + address, 0)
        self._handle = handle

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            return os.open(self._path, flags, 0o600)
        except OSError as error:
            raise BadSettings(
                f"{self._path} cannot be opened: {error.strerror}; check the {self._kind} directory"
            ) from None

    def release(self) -> None:
        """Give the lock up; doing so twice is fine."""
        if self._handle is None:
            return
        os.ftruncate(self._handle, 0)
        # Said, not only closed: a process that was forked meanwhile has the file open, too.
        fcntl.flock(self._handle, fcntl.LOCK_UN)
        os.close(self._handle)
        self._handle = None


def read_holder(path: Path) -> int | None:
    """Return the pid a holder wrote into its lock file, None when there is none to read."""
    first = _lines(path)[0]
    return int(first) if first.isdigit() and len(first) < MAX_PID_DIGITS else None


def read_address(path: Path) -> str | None:
    """Return the socket at which the holder answers, None when it did not write that."""
    lines = _lines(path)
    return os.fsdecode(lines[1]) if len(lines) > 2 else None


def _lines(path: Path) -> list[bytes]:
    try:
        with path.open("rb") as file:
            return file.read(MAX_HOLDER_BYTES).split(b"\n")
    except OSError:
        return [b""]
