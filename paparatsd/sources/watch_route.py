"""Raw events -> one batch per project. Decides only from its arguments and the links on disk."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paparatsd.model import ChangeBatch
from paparatsd.sources.watch_place import is_utf8
from paparatsd.sources.watch_source import ADDED, MODIFIED, RawEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

MAX_PATHS = 500
"""A batch with more paths than this is a rescan: it is cheaper, and events were likely lost."""
MAX_PATHS_IN_DIRECTORY = 128

_GIT_NOISE = frozenset({"COMMIT_EDITMSG", "FETCH_HEAD", "MERGE_MSG", "SQUASH_MSG", "gc.log"})


@dataclass(frozen=True, slots=True)
class ProjectRoute:
    """Where one project's events come from; `directories` is relative, as declared."""

    key: str
    root: str
    directories: frozenset[str]


@dataclass(frozen=True, slots=True)
class Routes:
    """All projects by real root, and git's directories with (key, names that matter or None)."""

    roots: Mapping[str, tuple[ProjectRoute, ...]] = field(default_factory=dict)
    git: Mapping[str, tuple[tuple[str, frozenset[str] | None], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Routed:
    """Batches by project, and what they mean for the watches.

    `moved` are names that appeared or went: a watch on them is void. `grown` are projects whose
    git directories got a new directory.
    """

    batches: Mapping[str, ChangeBatch]
    moved: frozenset[str]
    grown: frozenset[str]


class _Gathering:
    """One project's batch while it grows."""

    __slots__ = ("doubt", "head", "paths", "per_directory")

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.per_directory: dict[str, int] = {}
        self.doubt: str | None = None
        self.head = False

    def add(self, path: str) -> None:
        if self.doubt is not None or path in self.paths:
            return
        parent = path.rpartition("/")[0]
        count = self.per_directory.get(parent, 0) + 1
        self.per_directory[parent] = count
        self.paths.add(path)
        if len(self.paths) > MAX_PATHS or count > MAX_PATHS_IN_DIRECTORY:
            self.doubt = "many_changes"

    def batch(self) -> ChangeBatch:
        if self.doubt is not None:
            return ChangeBatch(doubt=self.doubt, head=self.head)
        return ChangeBatch(frozenset(self.paths), head=self.head)


def route(
    events: Collection[RawEvent],
    routes: Routes,
    realpath: Callable[[str], str] = os.path.realpath,
) -> Routed:
    """Sort events into batches.

    An event reached through a link is dropped: its file is not the project's. A link itself is
    reported, since it may have replaced a file. Editors' temporary names are reported as well.
    """
    gathered: dict[str, _Gathering] = {}
    moved: set[str] = set()
    grown: set[str] = set()
    plain: dict[str, bool] = {}
    for change, path in events:
        if change != MODIFIED:
            moved.add(path)
        parent, _, name = path.rpartition("/")
        for key, names in routes.git.get(parent, ()):
            if _matters_to_git(name, names):
                gathered.setdefault(key, _Gathering()).head = True
                if change == ADDED and os.path.isdir(path):  # noqa: PTH112 - a hot loop of strings
                    grown.add(key)
        for project, relative in _owners(path, routes):
            if plain.get(parent) is None:
                plain[parent] = realpath(parent or "/") == (parent or "/")
            if plain[parent]:
                into = gathered.setdefault(project.key, _Gathering())
                _gather(into, change, relative, project.directories)
    batches = {key: found.batch() for key, found in gathered.items()}
    return Routed(
        {key: batch for key, batch in batches.items() if batch != ChangeBatch()},
        frozenset(moved),
        frozenset(grown),
    )


def _owners(path: str, routes: Routes) -> Iterator[tuple[ProjectRoute, str]]:
    """Each project whose root holds the path, with the path inside it (projects may nest)."""
    above = path
    while above:
        for project in routes.roots.get(above, ()):
            yield project, path[len(above) + 1 :]
        above = above.rpartition("/")[0]


def _gather(into: _Gathering, change: int, relative: str, directories: frozenset[str]) -> None:
    if not relative:
        if change != MODIFIED:
            into.doubt = "root_moved"
        return
    parent, _, name = relative.rpartition("/")
    if parent not in directories and relative not in directories:
        return
    if not is_utf8(relative):
        _gather_unspeakable(into, parent)
    elif name != ".git":
        into.add(relative)
    elif change != MODIFIED:
        _gather_git(into, parent)


def _gather_unspeakable(into: _Gathering, parent: str) -> None:
    """Report the directory of a name that is not UTF-8: nobody else can be told such a path."""
    if parent and is_utf8(parent):
        into.add(parent)
    else:
        into.doubt = into.doubt or "undecodable_name"


def _gather_git(into: _Gathering, parent: str) -> None:
    """Report the directory of a .git that came or went: it is another kind of place now."""
    if parent:
        into.add(parent)
    else:
        into.head = True
        into.doubt = "git_moved"


def _matters_to_git(name: str, names: frozenset[str] | None) -> bool:
    if names is not None:
        return name in names
    return not (name.endswith(".lock") or name in _GIT_NOISE or name.startswith("tmp_"))


def covering_batch(project: ProjectRoute, newly: Collection[str], *, head: bool) -> ChangeBatch:
    """Say what to look at once directories (absolute) are newly watched: changes may be missed.

    A few are named; the root, or many, mean that the whole project has to be looked at.
    """
    if project.root in newly or len(newly) > MAX_PATHS_IN_DIRECTORY:
        return ChangeBatch(doubt="watch_started", head=head)
    return ChangeBatch(frozenset(path[len(project.root) + 1 :] for path in newly), head=head)
