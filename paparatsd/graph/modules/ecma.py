"""JavaScript and TypeScript: relative paths, path aliases, packages of a workspace."""

from __future__ import annotations

import re
from dataclasses import dataclass
from posixpath import normpath, relpath
from typing import TYPE_CHECKING

from paparatsd.graph.modules.base import Imported

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

_ENDINGS = (
    ".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".vue", ".svelte", ".d.ts",
    ".d.mts", ".d.cts", ".json",
)  # fmt: skip
_WRITTEN = {
    ".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}  # fmt: skip
"""What an import names may be what a source file becomes."""
_CONFIG = re.compile(r"[jt]sconfig(?:\.[\w.-]+)?\.json|package\.json")
_MAX_EXTENDS = 5
"""Settings that are taken over one from the other."""
_BUILT = ("dist/", "build/", "lib/", "out/", "esm/", "cjs/", "es/")
_ENTRIES = ("src/index", "src/main", "index", "lib/index", "src/mod", "main", "mod")


@dataclass(frozen=True, slots=True)
class EcmaModules:
    """Finds files as bundlers and the TypeScript compiler do, without their full set of rules."""

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return the file that a specifier names."""
        target = use.target or use.name
        path = _find(tree, file.path, target)
        if path is None:
            return None
        member = {"*": "", "default": "default"}.get(use.receiver, use.name)
        return Imported((path,) if path else (), member)

    def implicit(self, tree: Tree, file: FileSymbols) -> Sequence[str]:
        """Return nothing: every name is imported, or of the whole world."""
        del tree, file
        return ()

    def inner(self, tree: Tree, paths: Sequence[str], name: str) -> Sequence[str]:
        """Return nothing: modules have no modules inside."""
        del tree, paths, name
        return ()

    def package(self, use: Use) -> str:
        """Return the package of a specifier: `lodash`, `@scope/name`."""
        target = (use.target or use.name).removeprefix("node:")
        if target.startswith((".", "/")):
            return ""
        parts = target.split("/")
        return "/".join(parts[:2]) if target.startswith("@") else parts[0]


def _find(tree: Tree, path: str, target: str) -> str | None:
    """Return the file that is meant; "" for one of ours that is not there, None from outside."""
    target = target.partition("?")[0]
    folder = path.rpartition("/")[0]
    if target.startswith("."):
        base = normpath(f"{folder}/{target}" if folder else target)
        return "" if base.startswith("..") else _file_at(tree, "" if base == "." else base) or ""
    for base in _mapped(tree, folder, target):
        found = _file_at(tree, base)
        if found:
            return found
    if target.startswith("/"):
        return _file_at(tree, target.strip("/"))
    return _provided(tree, target)


def _file_at(tree: Tree, base: str) -> str | None:
    """Return the file at a path that may lack its ending, or be a folder with an index."""
    if tree.has(base):
        return base
    for written, sources in _WRITTEN.items():
        if base.endswith(written):
            stem = base.removesuffix(written)
            found = next((stem + one for one in sources if tree.has(stem + one)), None)
            if found is not None:
                return found
    for ending in _ENDINGS:
        if tree.has(base + ending):
            return base + ending
    index = f"{base}/index" if base else "index"
    return next((index + ending for ending in _ENDINGS if tree.has(index + ending)), None)


def _mapped(tree: Tree, folder: str, target: str) -> Iterator[str]:
    """Yield where the aliases of the settings around a file say that a specifier leads."""
    while True:
        for name, value in _maps(tree, folder):
            rest = _matched(name, target)
            if rest is not None:
                base = value.replace("*", rest) if "*" in name else value
                yield normpath(f"{folder}/{base}" if folder else base)
        if not folder:
            return
        folder = folder.rpartition("/")[0]


def _maps(tree: Tree, folder: str) -> tuple[tuple[str, str], ...]:
    """Return the aliases that a folder's settings declare, the longest first."""
    return tree.keep(f"ecma maps {folder}", lambda: _read_maps(tree, folder))


def _read_maps(tree: Tree, folder: str) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for path in tree.inside(folder):
        if _CONFIG.fullmatch(path.rpartition("/")[2]) is not None:
            found += _maps_of(tree, path, folder, 0)
    return tuple(sorted(dict.fromkeys(found), key=lambda one: -len(one[0].rstrip("*"))))


def _maps_of(tree: Tree, path: str, seen_from: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the aliases of a file of settings and of those it extends, seen from a folder."""
    folder = path.rpartition("/")[0]
    for fact in tree.facts(path, "maps"):
        value = fact.value
        if folder != seen_from:
            value = relpath(f"/{folder}/{value}", f"/{seen_from}")
        yield fact.name, value
    for fact in tree.facts(path, "extends") if depth < _MAX_EXTENDS else ():
        yield from _maps_of(tree, normpath(f"{folder or '.'}/{fact.name}"), seen_from, depth + 1)


def _matched(pattern: str, target: str) -> str | None:
    """Return what the star of a pattern stands for, None when it does not fit."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if pattern == target else None
    if len(target) < len(before) + len(after):
        return None
    fits = target.startswith(before) and target.endswith(after)
    return target[len(before) : len(target) - len(after)] if fits else None


def _provided(tree: Tree, target: str) -> str | None:
    """Return the file that a package of this tree gives under a specifier."""
    parts = target.split("/")
    length = 2 if target.startswith("@") else 1
    name, rest = "/".join(parts[:length]), "/".join(parts[length:])
    manifests = [path for path in tree.labelled("provides", name) if path.endswith("package.json")]
    for manifest in manifests:
        folder = manifest.rpartition("/")[0]
        found = _entry(tree, manifest, folder, rest)
        if found:
            return found
    return "" if manifests else None


def _entry(tree: Tree, manifest: str, folder: str, rest: str) -> str | None:
    """Return a package's file: as its manifest exports it, else where its source should be."""
    prefix = f"{folder}/" if folder else ""
    asked = f"./{rest}" if rest else "."
    for fact in tree.facts(manifest, "maps"):
        star = _matched(fact.name, asked)
        if star is not None:
            value = normpath(fact.value.replace("*", star))
            for base in _sources_of(value):
                found = _file_at(tree, prefix + base)
                if found:
                    return found
    bases = [f"src/{rest}", rest, f"lib/{rest}"] if rest else list(_ENTRIES)
    return next((found for base in bases if (found := _file_at(tree, prefix + base))), None)


def _sources_of(value: str) -> Iterator[str]:
    """Yield what a manifest names, and the source of it when that is something built."""
    yield value
    for built in _BUILT:
        if value.startswith(built):
            rest = value.removeprefix(built)
            stem = rest.removesuffix(".d.ts")
            stem = stem if stem != rest else rest.rpartition(".")[0] or rest
            yield f"src/{stem}"
            yield stem
