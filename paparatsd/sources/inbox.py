"""The spool: small files that git hooks wrote, read once and deleted.

Their content is a hint only. Whatever is wrong with a file of ours leads to an incomplete event,
which means "look at everything"; files of others are not touched.
"""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import BadSettings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

log = structlog.get_logger()

FORMAT = "paparats 1"
MAX_FILES = 1_000
"""More than this at once is read as one incomplete event."""
MAX_FILE_BYTES = 320 * 1024
REREAD_AFTER_S = 0.05
GIVE_UP_AFTER_S = 1.0
KINDS = frozenset({"post-commit", "post-checkout", "post-merge", "post-rewrite"})


@dataclass(frozen=True, slots=True)
class HookEvent:
    """One run of a hook. `file` names the spool file, "" for all files at once.

    `complete` is False when the record is cut, unknown, or does not name all rewrites: then
    every repository may have moved. `rewrites` are (old, new) commit ids.
    """

    kind: str
    worktree: str
    git_dir: str
    arguments: tuple[str, ...]
    rewrites: tuple[tuple[str, str], ...]
    complete: bool
    file: str


class Inbox:
    """Reads one spool directory. Calls block for some milliseconds; use a thread."""

    def __init__(self, spool: Path, *, max_files: int = MAX_FILES) -> None:
        self._spool = spool
        self._max_files = max_files

    def prepare(self) -> None:
        """Create the directory, for its owner only. Raises BadSettings when it is not ours."""
        try:
            self._spool.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = self._spool.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
                raise BadSettings(f"{self._spool} is not a directory of ours; remove it")
            self._spool.chmod(0o700)
        except OSError as error:
            raise BadSettings(f"{self._spool} cannot be used: {error.strerror}") from None

    def read(self) -> list[HookEvent]:
        """Return what is spooled, oldest first.

        Files that are being written are waited for, at most a second in all. A missing directory
        is made, so that hooks have where to write: they never make it themselves.
        """
        if not self._spool.is_dir():
            self.prepare()
        names, overflow = self._names(self._max_files)
        if overflow:
            log.warning("spool_overflowed", limit=self._max_files)
            return [_incomplete("")]
        events: list[HookEvent] = []
        give_up = time.monotonic() + GIVE_UP_AFTER_S
        for name in names:
            event = self._read_one(name)
            while event is not None and not event.kind and time.monotonic() < give_up:
                if self._age(name) > GIVE_UP_AFTER_S:
                    break
                time.sleep(REREAD_AFTER_S)
                event = self._read_one(name)
            if event is not None:
                events.append(event)
        return events

    def acknowledge(self, events: Iterable[HookEvent]) -> None:
        """Delete the files of events that were acted on; an overflow deletes all that are ours."""
        for event in events:
            names = [event.file] if event.file else self._names(None)[0]
            for name in names:
                (self._spool / name).unlink(missing_ok=True)

    def _names(self, limit: int | None) -> tuple[list[str], bool]:
        """Names of regular files of ours, oldest first, and whether there are more."""
        found: list[tuple[int, str]] = []
        try:
            with os.scandir(self._spool) as entries:
                for entry in entries:
                    status = _own_regular(entry)
                    if status is not None:
                        found.append((status.st_mtime_ns, entry.name))
                    if limit is not None and len(found) > limit:
                        return [], True
        except FileNotFoundError:
            return [], False
        except OSError as error:
            log.warning("spool_unreadable", spool=str(self._spool), error=str(error))
            return [], False
        return [name for _, name in sorted(found)], False

    def _age(self, name: str) -> float:
        try:
            return time.time() - (self._spool / name).lstat().st_mtime
        except OSError:
            return 0.0

    def _read_one(self, name: str) -> HookEvent | None:
        """Read one file; None when it is gone or no longer ours."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            handle = os.open(self._spool / name, flags)
        except OSError:
            return None
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
                return None
            data = os.read(handle, MAX_FILE_BYTES + 1)
        finally:
            os.close(handle)
        return parse_event(data, name)


def _own_regular(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
    return status if ours else None


def _incomplete(file: str, kind: str = "") -> HookEvent:
    return HookEvent(kind, "", "", (), (), complete=False, file=file)


def parse_event(data: bytes, file: str) -> HookEvent:
    """Read one record; an unfinished one has no kind and is not complete."""
    if len(data) > MAX_FILE_BYTES:
        return _incomplete(file, "oversized")
    fields = os.fsdecode(data).split("\0")
    # Every field ends with NUL, so the last piece of a finished record is empty.
    if len(fields) < 8 or fields[-1] or fields[-2] not in ("end", "more"):
        return _incomplete(file)
    mark, kind, worktree, git_dir, count, *rest = fields[:-1]
    if mark != FORMAT or kind not in KINDS or count != str(len(rest) - 2):
        return _incomplete(file, "unknown")
    *arguments, pairs, last = rest
    rewrites = tuple(
        (words[0], words[1]) for line in pairs.splitlines() if len(words := line.split()) >= 2
    )
    return HookEvent(
        kind, worktree, git_dir, tuple(arguments), rewrites, complete=last == "end", file=file
    )
