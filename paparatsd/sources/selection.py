"""Sorts the files of a project into those to index and those to skip, with the reason.

Nothing is opened here: names, rules and one `lstat` a file decide. What a file's content says
is for `read`.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.errors import Unavailable
from paparatsd.model import Skip, SkippedFile, TreeListing
from paparatsd.redact import is_secret_name
from paparatsd.small_file import UnreadableFileError, read_small_file
from paparatsd.sources.ignore import OWN_IGNORE_FILES, IgnoreStack, exclusion_rules
from paparatsd.sources.names import reason_by_name
from paparatsd.sources.read import to_stat

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paparatsd.model import Stat


@dataclass(frozen=True, slots=True)
class SelectionRules:
    """What a project's settings say about its files; ignore files come on top.

    `exclude` holds patterns as in an ignore file. `paths` restricts to these files and
    directories ("" or empty: everything).
    """

    exclude: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    respect_gitignore: bool = True
    max_file_bytes: int = 1_000_000
    allow_secrets: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """What is known of a directory: why its files are skipped, if they all are.

    `ruled`: single files in it may still be excluded by a rule.
    """

    reason: Skip | None = None
    detail: str = ""
    ruled: bool = False


_MAX_GIT_FILE_BYTES = 16 << 10
_EXCLUDED = "indexing.exclude"
_OWN_FILE = " or ".join(OWN_IGNORE_FILES)
_LINKED = _Place(Skip.SYMLINK, "below a linked directory")
_GONE = _Place(Skip.DELETED)


class Selector:
    """Collects the listed files of one project, one `add` each, into a `TreeListing`.

    `ruled`: the directories that hold ignore files of our own, if the caller knows them.
    """

    def __init__(
        self, root: Path, rules: SelectionRules, ruled: frozenset[str] | None = None
    ) -> None:
        self._top = root
        self._root = os.fspath(root)
        self._name = root.name
        self._rules = rules
        self._identity = _identity(root)
        self._own = IgnoreStack(root, OWN_IGNORE_FILES, places=ruled)
        exclusions = exclusion_rules(rules.exclude)
        self._excluded = IgnoreStack(root, (), exclusions) if exclusions else None
        self._wanted = tuple(path.strip("/").removeprefix("./") for path in rules.paths)
        self._places: dict[str, _Place] = {"": _Place(ruled=self._is_ruled(""))}
        self._files: dict[str, Stat] = {}
        self._skipped: dict[str, SkippedFile] = {}
        self._directories: set[str] = {""}

    def add(self, path: str, *, gitlink: bool = False, sparse: bool = False) -> None:
        """Take in one listed file; undecodable bytes of its name are surrogates.

        `gitlink`: the entry is another repository. `sparse`: git keeps it off the disk.
        """
        if path in self._files or path in self._skipped:
            return
        if not _is_decodable(path):
            self.skip(path, Skip.UNDECODABLE, "the name is not UTF-8")
            return
        parent, _, name = path.rstrip("/").rpartition("/")
        place = self._place(parent)
        if place.reason is None:
            self._directories.add(parent)
            if gitlink:
                detail = _kind_of_repository(self._top, path)
                found: Stat | SkippedFile = SkippedFile(path, Skip.SUBMODULE, detail)
            elif place.ruled and (rule := self._rule_against(path)) is not None:
                found = SkippedFile(path, Skip.IGNORED, rule)
            else:
                found = self._judge(path, name, sparse=sparse)
            if not isinstance(found, SkippedFile):
                self._files[path] = found
                return
        else:
            reason, detail = place.reason, place.detail
            if gitlink:
                reason, detail = Skip.SUBMODULE, _kind_of_repository(self._top, path)
            found = SkippedFile(path, reason, detail)
        self._skipped[path] = found

    def skip(self, path: str, reason: Skip, detail: str) -> None:
        """Note an entry that the caller itself could not take in."""
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        self._skipped.setdefault(shown, SkippedFile(shown, reason, detail))

    def add_directory(self, path: str) -> None:
        """Note a directory in which files may appear."""
        if _is_decodable(path) and self._place(path).reason is None:
            self._directories.add(path)

    def listing(self) -> TreeListing:
        """Return everything taken in. Raises Unavailable when the root went away meanwhile."""
        if _identity(self._top) != self._identity:
            raise Unavailable(f"{self._top} was moved or replaced while it was listed; try again")
        directories = set(self._directories)
        for directory in self._directories:
            directories.update(ancestors(directory))
        return TreeListing(self._files, tuple(self._skipped.values()), frozenset(directories))

    def _judge(self, path: str, name: str, *, sparse: bool) -> Stat | SkippedFile:
        try:
            status = os.lstat(f"{self._root}/{path}")
        except OSError as exc:
            if exc.errno in (errno.ENOENT, errno.ENOTDIR):
                detail = "not in the sparse checkout" if sparse else ""
                return SkippedFile(path, Skip.DELETED, detail)
            return SkippedFile(path, Skip.UNREADABLE, exc.strerror or "")
        if not stat.S_ISREG(status.st_mode):
            return _not_regular(path, status.st_mode)
        if not self._rules.allow_secrets and is_secret_name(f"{self._name}/{path}"):
            return SkippedFile(path, Skip.SECRET)
        reason = reason_by_name(name)
        if reason is not None:
            return SkippedFile(path, reason)
        if status.st_size > self._rules.max_file_bytes:
            return SkippedFile(path, Skip.TOO_LARGE, f"{status.st_size} bytes")
        return to_stat(status)

    def _is_ruled(self, directory: str) -> bool:
        return bool(self._excluded or self._wanted or self._own.has_rules(directory))

    def _rule_against(self, path: str) -> str | None:
        """Say which rule excludes a file, None when none does."""
        if self._excluded is not None and self._excluded.ignores_file(path):
            return _EXCLUDED
        if self._wanted and not _is_below_any(path, self._wanted):
            return "outside indexing.paths"
        return _OWN_FILE if self._own.ignores_file(path) else None

    def _place(self, directory: str) -> _Place:
        """Say what becomes of files in a directory, from its own parents down."""
        unknown = []
        while directory not in self._places:
            unknown.append(directory)
            directory = directory.rpartition("/")[0]
        place = self._places[directory]
        for path in reversed(unknown):
            if place.reason is None:
                place = self._look_at(path)
            self._places[path] = place
        return place

    def _look_at(self, directory: str) -> _Place:
        if self._excluded is not None and self._excluded.ignores_directory(directory):
            return _Place(Skip.IGNORED, _EXCLUDED)
        if self._own.ignores_directory(directory):
            return _Place(Skip.IGNORED, _OWN_FILE)
        try:
            mode = os.lstat(f"{self._root}/{directory}").st_mode
        except OSError as exc:
            if exc.errno in (errno.ENOENT, errno.ENOTDIR):
                return _GONE
            return _Place(Skip.UNREADABLE, exc.strerror or "")
        if stat.S_ISLNK(mode):
            return _LINKED
        return _Place(ruled=self._is_ruled(directory)) if stat.S_ISDIR(mode) else _GONE


def ancestors(path: str) -> Iterator[str]:
    """Yield the directories above a path, nearest first, the root ("") last."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def _kind_of_repository(root: Path, path: str) -> str:
    """Say what a repository inside another is; git lists one it does not track with a slash."""
    if not path.endswith("/"):
        return "submodule"
    try:
        data, _ = read_small_file(root / path / ".git", max_bytes=_MAX_GIT_FILE_BYTES, follow=False)
    except (OSError, UnreadableFileError):
        return "nested repository"
    return "linked worktree" if b"/worktrees/" in data else "nested repository"


def _is_below_any(path: str, wanted: tuple[str, ...]) -> bool:
    bare = path.rstrip("/")
    return any(not top or bare == top or bare.startswith(top + "/") for top in wanted)


def _is_decodable(path: str) -> bool:
    if path.isascii():
        return True
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _not_regular(path: str, mode: int) -> SkippedFile:
    if stat.S_ISLNK(mode):
        return SkippedFile(path, Skip.SYMLINK)
    if stat.S_ISDIR(mode):
        return SkippedFile(path, Skip.DELETED, "replaced by a directory")
    return SkippedFile(path, Skip.SPECIAL)


def _identity(root: Path) -> tuple[int, int]:
    try:
        status = root.stat()
    except OSError as exc:
        raise Unavailable(f"{root} cannot be read: {exc.strerror}") from exc
    return status.st_dev, status.st_ino
