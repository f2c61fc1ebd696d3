"""Rust: paths to the files of a crate's modules, over all crates of a repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph.modules.base import Imported

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

MAX_DEPTH = 5
"""Imports and re-exports that are followed one after the other to find a module."""
_ROOTS = frozenset({"lib.rs", "main.rs", "mod.rs", "build.rs"})
_OF_THEIR_OWN = frozenset({"bin", "tests", "examples", "benches"})
"""Folders whose files are crates of their own."""
_STANDARD = frozenset({"std", "core", "alloc", "proc_macro", "test"})


@dataclass(frozen=True, slots=True)
class RustModules:
    """Finds modules from `crate`, `self` and `super`, by name inside the file's, and by crate."""

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return the module of a path, or the module and the member of it that is named."""
        path = [part for part in (use.target or use.name).split("::") if part]
        found = _module(tree, file, path, use.line, 0)
        if use.name == "*":
            return Imported(found, "*") if found else None
        if found:
            if use.receiver == "*":
                return Imported(found)
            return Imported(found, use.name, tuple(self.inner(tree, found, use.name)))
        # The path ends in a type (`use crate::Mode::{self, On}`): ours, though no module.
        outer = _module(tree, file, path[:-1], use.line, 0) if len(path) > 1 else ()
        member = path[-1] if use.receiver == "*" else use.name
        return Imported(outer, member) if outer else None

    def implicit(self, tree: Tree, file: FileSymbols) -> Sequence[str]:
        """Return nothing: a module sees its own names only."""
        del tree, file
        return ()

    def inner(self, tree: Tree, paths: Sequence[str], name: str) -> Sequence[str]:
        """Return the file of the module `name` inside a module."""
        for path in paths:
            below = _folder(path)
            prefix = f"{below}/{name}" if below else name
            for found in (f"{prefix}.rs", f"{prefix}/mod.rs"):
                if tree.has(found):
                    return (found,)
        return ()

    def package(self, use: Use) -> str:
        """Return the crate that a path begins with."""
        first = (use.target or use.name).removeprefix("::").partition("::")[0]
        return "" if first in _STANDARD | {"crate", "self", "super", "*"} else first


_RUST = RustModules()


def _folder(path: str) -> str:
    """Return where the modules inside the module of a file lie."""
    folder, _, base = path.rpartition("/")
    if base in _ROOTS or folder.rpartition("/")[2] in _OF_THEIR_OWN:
        return folder
    return path.removesuffix(".rs")


def _module(
    tree: Tree, file: FileSymbols, path: Sequence[str], line: int, depth: int
) -> tuple[str, ...]:
    """Return the file of the module at a path as a line of a file sees it; () for none of ours."""
    if not path or depth > MAX_DEPTH:
        return ()
    found, rest = _begin(tree, file, path, line, depth)
    for name in rest:
        if not found:
            return ()
        found = _inside(tree, found, name, depth)
    return found


def _begin(
    tree: Tree, file: FileSymbols, path: Sequence[str], line: int, depth: int
) -> tuple[tuple[str, ...], Sequence[str]]:
    """Return where a path starts, and what of it is left."""
    first, rest = path[0], path[1:]
    if first == "crate":
        return (_root(tree, file.path),), rest
    if first in ("self", "super"):
        up = 0
        while path and path[0] in ("self", "super"):
            up += path[0] == "super"
            path = path[1:]
        return _above(tree, file, line, up), path
    if first in _STANDARD:
        return (), rest
    found = _inside(tree, (file.path,), first, depth) or _crates(tree).get(first, ())
    return found, rest


def _inside(tree: Tree, paths: tuple[str, ...], name: str, depth: int) -> tuple[str, ...]:
    """Return the module of a name in a module: declared in it, written inside, or passed on."""
    found = tuple(_RUST.inner(tree, paths, name))
    if found:
        return found
    for file in tree.files(paths):
        if any(file.symbols[at].kind == "module" for at in file.named(name)):
            return paths
        for use in _bringing(file, name):
            target = [part for part in use.target.split("::") if part]
            if use.receiver != "*":
                target.append(use.name)
            if target != [name]:
                found = _module(tree, file, target, use.line, depth + 1)
                if found:
                    return found
    return ()


def _bringing(file: FileSymbols, name: str) -> list[Use]:
    """Return the imports of a file that bind a name."""
    return [use for use in file.imports.get(name, ()) if use.target or use.receiver == "*"]


def _above(tree: Tree, file: FileSymbols, line: int, up: int) -> tuple[str, ...]:
    """Return the module some levels above a line; those written inside the file count."""
    scope = file.around(line)
    while scope >= 0 and up:
        up -= file.symbols[scope].kind == "module"
        scope = file.outer(scope)
    path = file.path
    for _ in range(up):
        above = _parent(tree, path)
        if not above:
            return ()
        path = above
    return (path,)


def _parent(tree: Tree, path: str) -> str:
    """Return the file of the module around a file's, "" for a crate's root."""
    folder, _, base = path.rpartition("/")
    if base == "mod.rs":
        folder = folder.rpartition("/")[0]
    elif base in _ROOTS or folder.rpartition("/")[2] in _OF_THEIR_OWN:
        return ""
    prefix = f"{folder}/" if folder else ""
    candidates = [f"{prefix}{name}" for name in ("mod.rs", "lib.rs", "main.rs")]
    if folder:
        candidates.insert(0, f"{folder}.rs")
    return next((one for one in candidates if tree.has(one) and one != path), "")


def _root(tree: Tree, path: str) -> str:
    """Return the root file of the crate that a file belongs to."""
    for _ in range(path.count("/") + 2):
        above = _parent(tree, path)
        if not above:
            break
        path = above
    return path


def _crates(tree: Tree) -> Mapping[str, tuple[str, ...]]:
    """Return the root file of each library of the repository, by the name that code calls it."""

    def build() -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for path in tree.paths:
            folder, _, base = path.rpartition("/")
            if base == "Cargo.toml":
                prefix = f"{folder}/" if folder else ""
                own = [fact.value for fact in tree.facts(path, "maps") if fact.name == "lib"]
                places = (*own, "src/lib.rs", "lib.rs")
                roots = [prefix + one for one in places if tree.has(prefix + one)]
                if roots:
                    names = [fact.name for fact in tree.facts(path, "provides")]
                    for name in names or [folder.rpartition("/")[2]]:
                        found[name.replace("-", "_")] = (roots[0],)
        return found

    return tree.keep("rust crates", build)
