"""Go: import paths to the folders of the modules of a repository; a folder is a package."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph.modules.base import Imported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

_TEST = "_test.go"
_MAJOR = re.compile(r"v[0-9]+")
_HOSTED = frozenset({"github.com", "gitlab.com", "bitbucket.org", "golang.org", "codeberg.org"})


@dataclass(frozen=True, slots=True)
class GoModules:
    """Finds packages below the modules that the `go.mod` files tell, and vendored ones.

    All modules of a repository see each other, as with a `go.work` or `replace` lines: a path
    that a module of the repository provides is hardly taken from elsewhere.
    """

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return the package's files; None for those of the standard library and of others."""
        folder = _folder_of(tree, file.path, use.target or use.name)
        if folder is None:
            return None
        paths = tuple(path for path in _sources(tree, folder) if not path.endswith(_TEST))
        own = file.path.rpartition("/")[0]
        if own == folder:
            # A test of the package from outside also sees what the package's own tests define.
            paths = tuple(path for path in _sources(tree, folder) if path != file.path)
        return Imported(paths, "*" if use.alias == "*" else "") if paths else None

    def implicit(self, tree: Tree, file: FileSymbols) -> Sequence[str]:
        """Return the files of the same folder and package; tests only for tests."""
        packages = file.facts_of("package")
        if not packages:
            return ()
        same = frozenset(tree.labelled("package", packages[0].name))
        return [
            path
            for path in _sources(tree, file.path.rpartition("/")[0])
            if path in same
            and path != file.path
            and (file.path.endswith(_TEST) or not path.endswith(_TEST))
        ]

    def inner(self, tree: Tree, paths: Sequence[str], name: str) -> Sequence[str]:
        """Return nothing: folders inside a package are packages of their own."""
        del tree, paths, name
        return ()

    def package(self, use: Use) -> str:
        """Return the module that an import path most likely belongs to."""
        parts = (use.target or use.name).split("/")
        if "." not in parts[0]:
            return ""
        length = 3 if parts[0] in _HOSTED else 2
        if len(parts) > length and _MAJOR.fullmatch(parts[length]):
            length += 1
        return "/".join(parts[:length])


def _folder_of(tree: Tree, path: str, target: str) -> str | None:
    if target.startswith("."):
        return _joined(path.rpartition("/")[0], target)
    for name, folder in tree.keep("go modules", lambda: _modules(tree)):
        if target == name:
            return folder
        if target.startswith(f"{name}/"):
            rest = target[len(name) + 1 :]
            found = f"{folder}/{rest}" if folder else rest
            if _sources(tree, found):
                return found
    around = path.rpartition("/")[0]
    while True:
        vendored = f"{around}/vendor/{target}" if around else f"vendor/{target}"
        if _sources(tree, vendored):
            return vendored
        if not around:
            return None
        around = around.rpartition("/")[0]


def _joined(folder: str, target: str) -> str | None:
    parts = folder.split("/") if folder else []
    for part in target.split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _modules(tree: Tree) -> tuple[tuple[str, str], ...]:
    """Return import path and folder of each module, the longest path first."""
    found = {
        (fact.name, path.rpartition("/")[0])
        for paths in tree.labels("provides").values()
        for path in paths
        if path.rpartition("/")[2] == "go.mod"
        for fact in tree.facts(path, "provides")
    }
    return tuple(sorted(found, key=lambda one: (-len(one[0]), one)))


def _sources(tree: Tree, folder: str) -> list[str]:
    return [path for path in tree.inside(folder) if path.endswith(".go")]
