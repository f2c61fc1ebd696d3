"""Files that programs send for projects that are not on this disk: kept here, as plain folders.

They are primary data: who sent them may not send them again. A path names a file inside its
project and nothing else, whatever it is made of; a file is there whole or as it was before.
All of this is blocking IO.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery, Conflict, StateUnwritable
from paparatsd.remotes.sweeper import set_aside
from paparatsd.small_file import UnreadableFileError, read_small_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_PATH_BYTES = 1_000
MAX_PART_BYTES = 240
MAX_PARTS = 60
TEMPORARY = ".tmp-"
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def check_pushed_path(path: str) -> str:
    """Return a path that may be kept: relative, with slashes, of plain names; raises BadQuery."""
    shown = repr(path[:200])
    if not path or not path.isprintable():
        raise BadQuery(f"the path {shown} has characters that are not text")
    if path.startswith("/") or "\\" in path:
        raise BadQuery(f"the path {shown} must be relative to the project, with '/' between names")
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise BadQuery(f"the path {shown} has a part that is empty, '.' or '..'")
    if any(part.lower() == ".git" for part in parts):
        raise BadQuery(f"the path {shown} lies in git's own directory, which is not indexed")
    try:
        sizes = [len(part.encode("utf-8")) for part in parts]
    except UnicodeEncodeError:
        raise BadQuery(f"the path {shown} is not valid Unicode") from None
    if max(sizes) > MAX_PART_BYTES or len(parts) > MAX_PARTS or sum(sizes) > MAX_PATH_BYTES:
        raise BadQuery(
            f"the path {shown} is too long: at most {MAX_PARTS} names of {MAX_PART_BYTES} bytes, "
            f"{MAX_PATH_BYTES} bytes together"
        )
    return path


class PushedFiles:
    """Keeps the files of every pushed project below `top`, a directory each."""

    def __init__(self, top: Path) -> None:
        self._top = top

    def root(self, name: str) -> Path:
        """Return the directory of a project, there or not."""
        return self._top / name

    def prepare(self, name: str) -> None:
        """Make the directory of a project; raises StateUnwritable."""
        with _writing(self._top):
            self.root(name).mkdir(mode=0o700, parents=True, exist_ok=True)

    def sizes(self, name: str) -> dict[str, int]:
        """Return the size of each file that is kept of a project."""
        root, found = self.root(name), dict[str, int]()
        for top, _, names in os.walk(root):
            for file in names:
                path = f"{top}/{file}"
                with suppress(OSError):
                    seen = os.lstat(path)
                    if stat.S_ISREG(seen.st_mode):
                        found[os.path.relpath(path, root)] = seen.st_size
        return found

    def write(self, name: str, path: str, data: bytes) -> bool:
        """Keep a file, on the disk when this returns; False when it was there just so.

        Raises Conflict where a directory and a file have the same name, StateUnwritable.
        """
        if self._has(name, path, data):
            return False
        own = f"{TEMPORARY}{os.getpid()}-{threading.get_ident()}-{time.monotonic_ns()}"
        temporary = self._top / own
        with _writing(self._top), self._parent(name, path, create=True) as parent:
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                os.rename(temporary, path.rpartition("/")[2], dst_dir_fd=parent)
                os.fsync(parent)
            except IsADirectoryError:
                raise Conflict(
                    f"{path} is a directory of {name}; delete what is in it first"
                ) from (None)
            finally:
                temporary.unlink(missing_ok=True)
        return True

    def delete(self, name: str, path: str) -> bool:
        """Delete a file, and directories that are empty then; False when there was none."""
        with _writing(self._top, FileNotFoundError):
            try:
                with self._parent(name, path, create=False) as parent:
                    os.unlink(path.rpartition("/")[2], dir_fd=parent)
                    os.fsync(parent)
            except (FileNotFoundError, IsADirectoryError, Conflict):
                return False
        above = path
        while (above := above.rpartition("/")[0]) != "":
            try:
                (self.root(name) / above).rmdir()
            except OSError:
                break
        return True

    def forget(self, name: str) -> None:
        """Set everything of a project aside, to be deleted."""
        with _writing(self._top):
            set_aside(self.root(name))

    def tidy(self) -> None:
        """Delete what a crash has left half written."""
        with suppress(OSError):
            for path in list(self._top.glob(f"{TEMPORARY}*")):
                path.unlink(missing_ok=True)

    def _has(self, name: str, path: str, data: bytes) -> bool:
        try:
            found, _ = read_small_file(
                self.root(name) / path, max_bytes=len(data) + 1, follow=False
            )
        except (FileNotFoundError, UnreadableFileError):
            return False
        return found == data

    @contextmanager
    def _parent(self, name: str, path: str, *, create: bool) -> Iterator[int]:
        """Open the directory that a file is in, step by step, through no link."""
        handle = os.open(self.root(name), _DIRECTORY)
        try:
            for part in path.split("/")[:-1]:
                if create:
                    with suppress(FileExistsError):
                        os.mkdir(part, 0o700, dir_fd=handle)
                try:
                    below = os.open(part, _DIRECTORY, dir_fd=handle)
                except NotADirectoryError:
                    raise Conflict(f"{part} in {path} is a file of {name}; delete it first") from (
                        None
                    )
                os.close(handle)
                handle = below
            yield handle
        finally:
            os.close(handle)


@contextmanager
def _writing(top: Path, *expected: type[OSError]) -> Iterator[None]:
    try:
        yield
    except expected:
        raise
    except OSError as error:
        raise StateUnwritable(f"{top} cannot be written: {error.strerror}") from None
