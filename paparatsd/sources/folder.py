"""Walks a plain folder, one without a usable git repository, following `.gitignore` files."""

from __future__ import annotations

import errno
import os
from enum import Enum
from typing import TYPE_CHECKING

from paparatsd.model import Skip
from paparatsd.sources.guidance import find_guidance
from paparatsd.sources.ignore import (
    GIT_IGNORE_FILES,
    IgnoreStack,
    built_in_rules,
    is_output_directory,
)
from paparatsd.sources.names import is_guidance
from paparatsd.sources.selection import SelectionRules, Selector, ancestors

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from paparatsd.model import TreeListing

_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


BARE_REPOSITORY = frozenset({"HEAD", "objects", "refs"})
"""What git itself looks for in a directory without a work tree: none of it was written by hand."""


class _State(Enum):
    WALKED = "walked"
    IGNORED = "ignored"
    NESTED = "nested"
    """Another repository: a project of its own, here one entry."""
    NONE = "none"
    """Git's own directory, whatever an ignore file says."""


def walk_folder(root: Path, rules: SelectionRules) -> TreeListing:
    """List everything below `root` that no ignore file excludes."""
    walk = _FolderWalk(root, rules)
    walk.descend("")
    return walk.selector.listing()


def walk_paths(root: Path, rules: SelectionRules, paths: Iterable[str]) -> TreeListing:
    """Return what `walk_folder` would, restricted to these paths and what is below them."""
    walk = _FolderWalk(root, rules)
    for path in sorted(set(paths)):
        walk.visit(path)
    return walk.selector.listing()


class _FolderWalk:
    def __init__(self, root: Path, rules: SelectionRules) -> None:
        self.selector = Selector(root, rules)
        self._root = root
        names = GIT_IGNORE_FILES if rules.respect_gitignore else ()
        self._ignored = IgnoreStack(root, names, built_in_rules())
        self._states: dict[str, _State] = {}
        self._names: dict[str, dict[str, bool]] = {}

    def visit(self, path: str) -> None:
        """Take in one path, which may be a directory or gone."""
        for above in reversed(list(ancestors(path))):
            if self._state(above) is not _State.WALKED:
                self._take_guidance(above, below=path)
                return
        parent, _, name = path.rpartition("/")
        if not name or self._listed(parent).get(name):
            self.descend(path)
        elif name in self._listed(parent):
            self._take_file(path)

    def descend(self, top: str) -> None:
        """Take in everything below a directory whose parents are walked."""
        todo = [top]
        while todo:
            directory = todo.pop()
            state = self._state(directory)
            if state is _State.NESTED:
                self.selector.add(directory + "/", gitlink=True)
            elif state is _State.IGNORED:
                self._take_guidance(directory)
            elif state is _State.WALKED:
                self.selector.add_directory(directory)
                for name, is_directory in self._listed(directory).items():
                    path = f"{directory}/{name}" if directory else name
                    if is_directory:
                        todo.append(path)
                    else:
                        self._take_file(path)

    def _take_file(self, path: str) -> None:
        if path == ".git":
            return
        if not self._ignored.ignores_file(path) or is_guidance(path):
            self.selector.add(path)

    def _take_guidance(self, directory: str, below: str = "") -> None:
        if self._states.get(directory) is not _State.IGNORED:
            return
        for path in find_guidance(self._root, directory):
            if not below or path == below or path.startswith(below + "/"):
                self.selector.add(path)

    def _state(self, directory: str) -> _State:
        if directory not in self._states:
            self._states[directory] = self._look_at(directory)
        return self._states[directory]

    def _look_at(self, directory: str) -> _State:
        parent, _, name = directory.rpartition("/")
        if name == ".git":
            return _State.NONE
        if self._ignored.ignores_directory(directory):
            return _State.IGNORED
        names = self._listed(directory)
        if directory and (".git" in names or names.keys() >= BARE_REPOSITORY):
            return _State.NESTED
        if directory and is_output_directory(name, names, self._listed(parent)):
            return _State.IGNORED
        return _State.WALKED

    def _listed(self, directory: str) -> dict[str, bool]:
        """Return the names in a directory, with whether each is a real directory."""
        if directory not in self._names:
            try:
                self._names[directory] = _list_directory(self._root / directory)
            except OSError as exc:
                self._names[directory] = {}
                if exc.errno in (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG):
                    self.selector.skip(directory + "/", Skip.UNREADABLE, exc.strerror or "")
        return self._names[directory]


def _list_directory(path: Path) -> dict[str, bool]:
    descriptor = os.open(path, _DIRECTORY_FLAGS)
    try:
        with os.scandir(descriptor) as entries:
            found = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
    finally:
        os.close(descriptor)
    return dict(sorted(found.items()))
