"""Directories go whole, however deep they are, and nothing beside them goes with them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from paparatsd.tree_removal import remove_tree

if TYPE_CHECKING:
    from pathlib import Path


def make_deep(top: Path, levels: int) -> None:
    """Make directories inside one another, by way of handles: no path is as long as that."""
    top.mkdir()
    handle = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("deep", dir_fd=handle)
        below = os.open("deep", os.O_RDONLY, dir_fd=handle)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=below))
        os.close(handle)
        handle = below
    os.close(handle)


def test_what_is_deeper_than_python_recurses_and_longer_than_a_path_goes(tmp_path: Path) -> None:
    make_deep(tmp_path / "clone", sys.getrecursionlimit() + 100)
    remove_tree(tmp_path / "clone")
    assert list(tmp_path.iterdir()) == []


def test_links_go_and_what_they_lead_to_stays(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    (kept / "inside").mkdir(parents=True)
    (kept / "inside" / "file").write_text("mine")
    clone = tmp_path / "clone"
    (clone / "a" / "b").mkdir(parents=True)
    (clone / "a" / "b" / "link").symlink_to(kept)
    (clone / "link").symlink_to(kept)
    remove_tree(clone)
    remove_tree(clone)
    assert not clone.exists()
    assert (kept / "inside" / "file").read_text() == "mine"
