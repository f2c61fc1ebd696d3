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

_MARK = "_exported"
MAX_GIVEN = 3
"""Modules that give on others that give on others."""


@dataclass(frozen=True, slots=True)
class SwiftModules:
    """Finds modules as packages lay them out: `Sources/NAME`; else by a project's top folders."""

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return all files of a module."""
        target = (use.target or use.name).partition(".")[0]
        paths = _visible(tree, target)
        if not paths:
            return None
        own = _target_of(file.path)
        inside = tuple(path for path in paths if path != file.path or own != target)
        return Imported(inside, "*")

    def implicit(self, tree: Tree, file: FileSymbols) -> Sequence[str]:
        """Return the other files of the same module, and those of modules that it gives on."""
        target, home = _target_of(file.path), _home_of(file.path)
        own = _targets(tree).get(target, ())
        given = _visible(tree, target)[len(own) :]
        return [path for path in own if path != file.path and _home_of(path) == home] + [*given]

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


def _visible(tree: Tree, target: str) -> tuple[str, ...]:
    """Return the files of a module, then those of the modules that its files give on."""
    targets, given = _targets(tree), _given_on(tree)
    found: list[str] = []
    names = {target: None}
    for _ in range(MAX_GIVEN):
        names.update(dict.fromkeys(name for one in names for name in given.get(one, ())))
    for name in names:
        found += targets.get(name, ())
    return tuple(found)


def _given_on(tree: Tree) -> Mapping[str, list[str]]:
    """Return by module what its files import with the mark that gives it on."""

    def build() -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for file in tree.files(tree.using([_MARK])[_MARK]):
            lines = {use.line for use in file.uses_of(_MARK) if use.kind == "decorator"}
            for use in file.imports.get("*", ()):
                if use.line in lines:
                    module = (use.target or use.name).partition(".")[0]
                    found.setdefault(_target_of(file.path), []).append(module)
        return found

    return tree.keep("swift modules given on", build)


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
