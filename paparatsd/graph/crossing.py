"""Which other project of the group gives what an import names.

Only what a project says of itself counts: a package that its manifests provide, or a namespace that
its files name in full. A mere namesake never leads from one project into another.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from paparatsd.graph.modules.dotnet import ENDINGS as DOTNET
from paparatsd.graph.modules.jvm import ENDINGS as JVM
from paparatsd.graph.modules.packages import packages_of
from paparatsd.graph.modules.php import ENDINGS as PHP
from paparatsd.graph.modules.python import provided
from paparatsd.graph.modules.table import modules_of
from paparatsd.graph.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.modules.base import Imported
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

_ELSEWHERE = "\0elsewhere"
"""A folder that no project has: nothing lies beside a file that is looked at from another one."""
_MANIFESTS = MappingProxyType(
    {"ecma": "package.json", "rust": "Cargo.toml", "swift": "Package.swift"}
)
_PLATFORM = (
    "java.", "javax.", "kotlin.", "scala.", "groovy.", "android.", "System.", "Microsoft.",
)  # fmt: skip
"""Namespaces of the platforms: who writes into them (polyfills) does not provide them."""
_NAMESPACES = MappingProxyType(
    {"jvm": ("jvm", JVM, "."), "dotnet": ("dotnet", DOTNET, "."), "php": ("php", PHP, "\\")}
)


def find_elsewhere(
    tree: Tree, others: Sequence[Tree], file: FileSymbols, use: Use
) -> tuple[Tree, Imported] | None:
    """Return which of the other trees gives what an import of a file of `tree` names, and where."""
    modules = modules_of(file.language)
    moved: FileSymbols | None = None
    for other in others:
        if other is tree or not provides(other, tree, file, use):
            continue
        moved = moved or file.moved(f"{_ELSEWHERE}/{file.path.rpartition('/')[2]}")
        imported = modules.imported(other, moved, use)
        if imported is not None and (imported.paths or imported.inner):
            return other, imported
    return None


def provides(other: Tree, tree: Tree, file: FileSymbols, use: Use) -> bool:
    """Say whether a tree is where an import of another tree's file may lead."""
    family = traits_of(file.language).family
    package = modules_of(file.language).package(use)
    if family == "python":
        return bool(package) and package in provided(other)
    if family == "go":
        return "." in package.partition("/")[0] and _has_module(other, use.target or use.name)
    if family == "ruby":
        return _has_gem(other, tree, package, constant=use.receiver == "*")
    if family in _NAMESPACES:
        return _has_namespace(other, family, use.target or use.name)
    manifest = _MANIFESTS.get(family)
    if manifest is None or not package:
        return False
    return any(path.endswith(manifest) for path in other.labelled("provides", package))


def _has_module(other: Tree, target: str) -> bool:
    """Say whether a module of a tree has a Go import path in it."""
    parts = target.split("/")
    return any(
        path.endswith("go.mod")
        for length in range(len(parts), 0, -1)
        for path in other.labelled("provides", "/".join(parts[:length]))
    )


def _has_gem(other: Tree, tree: Tree, package: str, *, constant: bool) -> bool:
    """Say whether a tree is a gem that is required, or, for a constant, one that is needed."""
    gems = other.keep("gems", lambda: tuple(_gems(other)))
    if not constant:
        return any(gem in (package, package.replace("/", "-")) for gem in gems)
    return any(_is_gem_file(path) for gem in gems for path in tree.labelled("depends", gem))


def _gems(tree: Tree) -> Iterator[str]:
    for name, paths in tree.labels("provides").items():
        if any(path.endswith(".gemspec") for path in paths):
            yield name


def _is_gem_file(path: str) -> bool:
    return path.endswith((".gemspec", "Gemfile"))


def _has_namespace(other: Tree, family: str, target: str) -> bool:
    """Say whether files of a tree name the namespace that a full name begins with."""
    name, endings, separator = _NAMESPACES[family]
    target = target.replace("::", separator).strip(".\\")
    if f"{target}.".startswith(_PLATFORM):
        return False
    packages = packages_of(other, name, endings)
    parts = target.split(separator)
    return any(separator.join(parts[:length]) in packages for length in range(len(parts), 0, -1))
