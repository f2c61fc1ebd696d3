"""The linked work trees of a repository, read from git's own files: nothing is run."""

from __future__ import annotations

from pathlib import Path

from paparatsd.small_file import UnreadableFileError, read_small_file

MAX_WORKTREES = 1_000
_MAX_BYTES = 8_192


def linked_worktrees(common_dir: Path) -> frozenset[Path] | None:
    """Return the roots of the work trees that were added to a repository and are there.

    None when that cannot be told now. A root counts while its `.git` file is there.
    """
    directory = common_dir / "worktrees"
    try:
        entries = sorted(directory.iterdir())[:MAX_WORKTREES]
    except FileNotFoundError:
        return frozenset() if common_dir.is_dir() else None
    except OSError:
        return None
    found = (_root_of(entry) for entry in entries)
    return frozenset(root for root in found if root is not None)


def _root_of(entry: Path) -> Path | None:
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
        return link.parent.resolve() if link.is_file() else None
    except (OSError, RuntimeError):
        return None
