"""Swift: a module is the folder of a target; everything in it sees everything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph.modules.base import Imported

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

_HOMES = frozenset({"Sources", "Source", "Tests", "Plugins", "Examples", "Benchmarks", "Snippets"})
"""Folders of a package whose folders are targets, and have the names of the modules."""


@dataclass(frozen=True, slots=True)
class SwiftModules:
    """Finds modules as packages lay them out: `Sources/NAME`; else by a project's top folders."""

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return all files of a module."""
        target = (use.target or use.name).partition(".")[0]
        paths = _targets(tree).get(target)
        if not paths:
            return None
        own = _target_of(file.path)
        inside = tuple(path for path in paths if path != file.path or own != target)
        return Imported(inside, "*")

    def implicit(self, tree: Tree, file: FileSymbols) -> Sequence[str]:
        """Return the other files of the same module."""
        own = _targets(tree).get(_target_of(file.path), ())
        home = _home_of(file.path)
        return [path for path in own if path != file.path and _home_of(path) == home]

    def inner(self, tree: Tree, paths: Sequence[str], name: str) -> Sequence[str]:
        """Return nothing: modules have none inside."""
        del tree, paths, name
        return ()

    def package(self, use: Use) -> str:
        """Return the name of the module."""
        return (use.target or use.name).partition(".")[0]


def _targets(tree: Tree) -> Mapping[str, tuple[str, ...]]:
    def build() -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for path in tree.paths:
            if path.endswith(".swift"):
                found.setdefault(_target_of(path), []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    return tree.keep("swift modules", build)


def _split(path: str) -> tuple[str, str]:
    """Return where the target of a file lies, and its name."""
    parts = path.split("/")[:-1]
    for at, part in enumerate(parts):
        if part in _HOMES:
            # Sources directly in `Sources` are the package's only module.
            name = parts[at + 1] if at + 1 < len(parts) else part
            return "/".join(parts[: at + 1]), name
    return "", parts[0] if parts else ""


def _target_of(path: str) -> str:
    return _split(path)[1]


def _home_of(path: str) -> str:
    return _split(path)[0]
