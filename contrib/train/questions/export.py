"""A repository's tree at one revision, on disk, without its history."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

MAX_FILE_BYTES = 1_000_000
"""Larger files are pictures, recorded data and bundles: nothing that is indexed."""

MAX_SOURCE_BYTES = 300_000


def git_dir_of(mirror: Path, owner_and_name: str) -> Path:
    """Find the git directory of a fetched repository: MIRROR/owner+name/repo, or .git in it."""
    folder = mirror / owner_and_name.replace("/", "+") / "repo"
    inner = folder / ".git"
    found = inner if inner.is_dir() else folder
    if not (found / "objects").is_dir():
        raise FileNotFoundError(f"{owner_and_name} is not fetched: no git directory at {folder}")
    return found


def export_tree(git_dir: Path, revision: str, target: Path) -> None:
    """Write the tree of a revision to `target`, which is emptied first.

    A checkout, not `git archive`: the latter leaves out what .gitattributes marks export-ignore,
    which is tests and docs more often than not. Links, binary and very large files are removed.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        env = {**os.environ, "GIT_INDEX_FILE": str(Path(scratch) / "index")}
        git = ["git", f"--git-dir={git_dir}", f"--work-tree={target}"]
        subprocess.run([*git, "read-tree", revision], env=env, check=True, capture_output=True)
        # Blobs of more than 4 MB may be absent from the snapshot: the rest is still written.
        subprocess.run(
            [*git, "-c", "core.autocrlf=false", "checkout-index", "--all", "--quiet"],
            env=env,
            check=False,
            capture_output=True,
            cwd=target,
        )
    _prune(target)


def _prune(target: Path) -> None:
    for folder, folders, files in os.walk(target, topdown=False):
        here = Path(folder)
        for name in [*files, *folders]:
            path = here / name
            if path.is_symlink() or (path.is_file() and _is_unwanted(path)):
                path.unlink()
        if here != target and not any(here.iterdir()):
            here.rmdir()


def _is_unwanted(path: Path) -> bool:
    if path.stat().st_size > MAX_FILE_BYTES:
        return True
    with path.open("rb") as content:
        return b"\0" in content.read(8_000)


def read_text(path: Path) -> str | None:
    """Read a file of UTF-8 text with its line ends as they are; None when it is not that."""
    try:
        if path.stat().st_size > MAX_SOURCE_BYTES:
            return None
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return None if "\r" in text.replace("\r\n", "") else text
