"""Ruby: paths that files require, and constants by nesting, wherever they are defined."""

from __future__ import annotations

from dataclasses import dataclass
from posixpath import normpath
from typing import TYPE_CHECKING

from paparatsd.graph.files import TYPES
from paparatsd.graph.modules.base import Imported

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

_ENDING = ".rb"
_ROOTS = ("lib", "app", "test", "spec", "src")
_CONSTANT = frozenset({*TYPES, "module", "constant"})


@dataclass(frozen=True, slots=True)
class RubyModules:
    """Finds `require "a/b"` below any `lib` and beside the file, and names of constants.

    A constant is looked for from the modules around its use outwards, in all files: those that
    define it are loaded by somebody, be it by Zeitwerk.
    """

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return the required files, all of whose names are seen; or where a constant is."""
        target = use.target or use.name
        if use.receiver == "*":
            return _constant(tree, file, use.line, target.replace("::", "."))
        found = _load_paths(tree).get(target.removesuffix(_ENDING), ())
        if not found:
            beside = normpath(f"{file.path.rpartition('/')[0]}/{target}").lstrip("/")
            ending = "" if beside.endswith(_ENDING) else _ENDING
            found = (beside + ending,) if tree.has(beside + ending) else ()
        return Imported(tuple(found), "*") if found else None

    def implicit(self, tree: Tree, file: FileSymbols) -> Sequence[str]:
        """Return nothing: constants are found by their nesting."""
        del tree, file
        return ()

    def inner(self, tree: Tree, paths: Sequence[str], name: str) -> Sequence[str]:
        """Return nothing: modules are no files."""
        del tree, paths, name
        return ()

    def package(self, use: Use) -> str:
        """Return the gem that would give a path: its first part."""
        return "" if use.receiver == "*" else (use.target or use.name).partition("/")[0]


def _constant(tree: Tree, file: FileSymbols, line: int, dotted: str) -> Imported | None:
    absolute = dotted.startswith(".")
    dotted = dotted.strip(".")
    last = dotted.rpartition(".")[2]
    if not dotted[:1].isupper() or not last[:1].isupper():
        return None
    places: dict[str, list[str]] = {}
    for one in tree.defining([last])[last]:
        other = tree.file(one.path)
        if other is not None and other.language == "ruby":
            symbol = other.symbols[one.index]
            if symbol.kind in _CONSTANT and one.path not in places.get(symbol.qualified, ()):
                places.setdefault(symbol.qualified, []).append(one.path)
    for outer in ("",) if absolute else _nesting(file, line):
        qualified = f"{outer}.{dotted}" if outer else dotted
        if qualified in places:
            return Imported(tuple(places[qualified]), qualified)
    return None


def _nesting(file: FileSymbols, line: int) -> Iterator[str]:
    """Yield the qualified names of the modules around a line, the innermost first, then ""."""
    at = file.around(line)
    while at >= 0 and file.symbols[at].kind not in _CONSTANT:
        at = file.outer(at)
    name = file.symbols[at].qualified if at >= 0 else ""
    while name:
        yield name
        name = name.rpartition(".")[0]
    yield ""


def _load_paths(tree: Tree) -> Mapping[str, Sequence[str]]:
    """Return the paths that may be required, without ending, counted from each usual root."""

    def build() -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in tree.paths:
            if not path.endswith(_ENDING):
                continue
            parts = path.removesuffix(_ENDING).split("/")
            starts = {at + 1 for at, part in enumerate(parts[:-1]) if part in _ROOTS}
            for start in sorted(starts or {0}):
                found.setdefault("/".join(parts[start:]), []).append(path)
        return found

    return tree.keep("ruby load paths", build)
