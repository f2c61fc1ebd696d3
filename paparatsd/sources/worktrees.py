"""The linked work trees of a repository, read from git's own files: nothing is run."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from paparatsd.small_file import UnreadableFileError, read_small_file

MAX_WORKTREES = 1_000
_MAX_BYTES = 8_192
_BEING_ADDED = b"initializing"
"""Why git has locked a work tree into which it still writes the files."""
_LONGEST_S = 600.0
"""A git that has not come to an end by then has probably been killed."""


@dataclass(frozen=True, slots=True)
class LinkedWorktrees:
    """Roots of work trees that are there, and whether git is just adding one more.

    `locked`: roots that somebody has locked, because their disk is not always there.
    """

    roots: frozenset[Path] = frozenset()
    is_adding: bool = False
    locked: frozenset[Path] = frozenset()


def linked_worktrees(common_dir: Path) -> LinkedWorktrees | None:
    """Return the work trees that were added to a repository and are there.

    None when that cannot be told now. A root counts while its `.git` file is there, and once git
    has written all of its files.
    """
    directory = common_dir / "worktrees"
    try:
        entries = sorted(directory.iterdir())[:MAX_WORKTREES]
    except FileNotFoundError:
        return LinkedWorktrees() if common_dir.is_dir() else None
    except OSError:
        return None
    adding = {entry for entry in entries if _is_being_added(entry)}
    links = {entry: _link_of(entry) for entry in entries if entry not in adding}
    known = {entry: link for entry, link in links.items() if link is not None}
    roots = frozenset(link.parent for link in known.values() if _is_file(link))
    locked = frozenset(link.parent for entry, link in known.items() if _is_file(entry / "locked"))
    return LinkedWorktrees(roots, bool(adding), locked)


def _is_being_added(entry: Path) -> bool:
    lock = entry / "locked"
    try:
        data, _ = read_small_file(lock, max_bytes=_MAX_BYTES, follow=False)
        return data.strip() == _BEING_ADDED and time.time() - lock.stat().st_mtime < _LONGEST_S
    except (OSError, UnreadableFileError):
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _link_of(entry: Path) -> Path | None:
    """Return where the `.git` file of a work tree is, or was."""
    try:
        data, _ = read_small_file(entry / "gitdir", max_bytes=_MAX_BYTES, follow=False)
    except (FileNotFoundError, NotADirectoryError, UnreadableFileError):
        return None
    text = data.decode("utf-8", "surrogateescape").removesuffix("\n")
    if not text or "\0" in text:
        return None
    # Relative since git 2.48, where the repository says so.
    link = Path(text) if text.startswith("/") else entry / text
    try:
        return link.parent.resolve() / link.name
    except (OSError, RuntimeError):
        return None
