"""Python: dotted names and relative imports to files, over all roots that a repository has."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from posixpath import normpath
from typing import TYPE_CHECKING

from paparatsd.graph.modules.base import Imported

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

_ENDINGS = (".py", ".pyi", ".pyx", ".pyw")
_INIT = ("__init__.py", "__init__.pyi")
_MANIFESTS = frozenset({"pyproject.toml", "setup.py", "setup.cfg"})
_SOURCES = ("src", "lib", "python")
_NOT_GIVEN = frozenset({
    "tests", "test", "testing", "docs", "doc", "examples", "example", "scripts", "benchmarks",
    "benchmark", "tools", "build", "ci",
})  # fmt: skip
"""Packages beside a project's own, which nobody installs."""
_STANDARD = frozenset(sys.stdlib_module_names) - {"test"}


@dataclass(frozen=True, slots=True)
class _Known:
    """All modules of a tree. `roots`: folders that absolute imports start from, by declaration.

    `modules`: dotted name -> folder that it is counted from -> files. `folders`: the same of
    packages without a file of their own.
    """

    roots: tuple[str, ...]
    modules: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    folders: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PythonModules:
    """Finds modules by name. Files of the standard library's names are ours only beside a script.

    A name is looked for from the folders around the importing file outwards, then from the roots
    that manifests tell (their folder and `src` in it), then from wherever a package of that name
    begins.
    """

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return the module of `import a.b`, the module and member of `from a import b`."""
        target = use.target or use.name
        found = (
            _relative(tree, file.path, target)
            if target.startswith(".")
            else _absolute(tree, file.path, target)
        )
        if found is None:
            return None
        if use.receiver == "*" or use.name == "*":
            return Imported(tuple(found), "*" if use.name == "*" else "")
        return Imported(tuple(found), use.name, tuple(self.inner(tree, found, use.name)))

    def implicit(self, tree: Tree, file: FileSymbols) -> Sequence[str]:
        """Return nothing: every name is imported."""
        del tree, file
        return ()

    def inner(self, tree: Tree, paths: Sequence[str], name: str) -> Sequence[str]:
        """Return the module inside a package."""
        for path in paths:
            folder, _, base = path.rpartition("/")
            if base in _INIT:
                return _at(tree, f"{folder}/{name}" if folder else name)
        return ()

    def package(self, use: Use) -> str:
        """Return the outermost package of an absolute import."""
        target = use.target or use.name
        return "" if target.startswith(".") else target.partition(".")[0]


def provided(tree: Tree) -> frozenset[str]:
    """Return the packages that others can import from a tree that has a manifest.

    They are those that the manifests name, and all that lie at the roots they tell.
    """

    def build() -> frozenset[str]:
        known = tree.keep("python modules", lambda: _collect(tree))
        manifests = [path for path in tree.paths if path.rpartition("/")[2] in _MANIFESTS]
        told = {fact.name for path in manifests for fact in tree.facts(path, "provides")}
        lying = {
            name
            for name, places in known.modules.items()
            if "." not in name and any(_is_given(places, root) for root in known.roots)
        }
        return frozenset(told | (lying - _NOT_GIVEN)) if manifests else frozenset()

    return tree.keep("python packages provided", build)


def _is_given(places: dict[str, list[str]], root: str) -> bool:
    return root in places and _has_init(places[root])


def _relative(tree: Tree, path: str, target: str) -> Sequence[str] | None:
    rest = target.lstrip(".")
    parts = path.split("/")[:-1]
    up = len(target) - len(rest) - 1
    if up > len(parts):
        return None
    parts = parts[: len(parts) - up] + [part for part in rest.split(".") if part]
    if not rest:
        return _package(tree, "/".join(parts))
    return _at(tree, "/".join(parts))


def _at(tree: Tree, base: str) -> Sequence[str]:
    """Return the files of the module at a path without ending; a package comes first."""
    return (
        _package(tree, base, must_be=True)
        or [base + ending for ending in _ENDINGS if tree.has(base + ending)]
        or _package(tree, base)
    )


def _package(tree: Tree, folder: str, *, must_be: bool = False) -> Sequence[str]:
    """Return the files of a package; one without any is called by the file it would have."""
    prefix = f"{folder}/" if folder else ""
    found = [prefix + name for name in _INIT if tree.has(prefix + name)]
    if found or must_be or not tree.has_folder(folder):
        return found
    return [prefix + _INIT[0]]


def _absolute(tree: Tree, path: str, dotted: str) -> Sequence[str] | None:
    known = tree.keep("python modules", lambda: _collect(tree))
    folder = path.rpartition("/")[0]
    first = dotted.partition(".")[0]
    if first in _STANDARD:
        beside = known.modules.get(first, {}).get(folder)
        is_package = any(tree.has(f"{folder}/{name}" if folder else name) for name in _INIT)
        if beside is None or is_package:
            return None
    ours = known.modules.get(first) or known.folders.get(first)
    if not ours:
        return None
    root = _nearest(ours, folder, known.roots)
    if root is None:
        # A package that lies anywhere is meant by its name; a script beside others is not.
        packages = [one for one, files in known.modules.get(first, {}).items() if _has_init(files)]
        root = min(packages, key=lambda one: (one.count("/"), one), default=None)
    if root is None:
        return None
    found = known.modules.get(dotted, {}).get(root)
    if found is None and root in known.folders.get(dotted, {}):
        found = [known.folders[dotted][root]]
    if found is None:
        # The package begins in several places, or what is named is not indexed.
        elsewhere = known.modules.get(dotted, {})
        other = _nearest(elsewhere, folder, known.roots) if elsewhere else None
        found = elsewhere[other] if other is not None else []
    return found


def _has_init(files: Sequence[str]) -> bool:
    return any(path.endswith(_INIT) for path in files)


def _nearest(ours: Iterable[str], folder: str, roots: Sequence[str]) -> str | None:
    """Choose the root to count from: the innermost around the file, else a declared one."""
    candidates = list(ours)
    around = [one for one in candidates if one == "" or f"{folder}/".startswith(f"{one}/")]
    declared = [one for one in candidates if one in roots]
    inner = [one for one in around if one not in declared]
    if inner:
        return max(inner, key=len)
    if declared:
        near = [one for one in declared if one in around]
        return max(near, key=len) if near else min(declared, key=len)
    return None


def _collect(tree: Tree) -> _Known:
    paths = [path for path in tree.paths if path.endswith(_ENDINGS)]
    packages = {path.rpartition("/")[0] for path in paths if path.endswith(_INIT)}
    known = _Known(_roots(tree, packages))
    for path in paths:
        folder, _, base = path.rpartition("/")
        stem = base.rpartition(".")[0]
        begin = folder
        while begin in packages and begin:
            begin = begin.rpartition("/")[0]
        around = {root for root in known.roots if _below(folder, root) and root not in packages}
        for root in around | {begin}:
            parts = [part for part in folder[len(root) :].split("/") if part]
            if not all(part.isidentifier() for part in parts):
                continue
            names = parts if stem == "__init__" else [*parts, stem]
            _note(known, root, names, path)
    return known


def _note(known: _Known, root: str, names: list[str], path: str) -> None:
    if not names:
        return
    known.modules.setdefault(".".join(names), {}).setdefault(root, []).append(path)
    prefix = f"{root}/" if root else ""
    for length in range(1, len(names)):
        dotted = ".".join(names[:length])
        folder = prefix + "/".join(names[:length])
        known.folders.setdefault(dotted, {}).setdefault(root, f"{folder}/{_INIT[0]}")


def _roots(tree: Tree, packages: set[str]) -> tuple[str, ...]:
    """Return the folders of manifests, what is usual inside them, and the root of the tree."""
    folders = {""}
    for path in tree.paths:
        folder, _, base = path.rpartition("/")
        if base in _MANIFESTS:
            folders.add(folder)
            folders.update(_told(tree, path, folder))
    for folder in tuple(sorted(folders)):
        for name in _SOURCES:
            inner = f"{folder}/{name}" if folder else name
            if tree.has_folder(inner):
                folders.add(inner)
    return tuple(sorted(one for one in folders if one not in packages or one == ""))


def _told(tree: Tree, path: str, folder: str) -> Iterator[str]:
    """Yield the folders that a manifest says its packages lie in."""
    for fact in tree.facts(path, "maps"):
        if fact.name == "*":
            inner = normpath(f"{folder or '.'}/{fact.value.removesuffix('/*')}")
            if tree.has_folder(inner):
                yield inner


def _below(folder: str, root: str) -> bool:
    return root in ("", folder) or folder.startswith(f"{root}/")
