"""PHP: namespaces that files name; Composer's table of folders is not needed where they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph.modules.base import Imported
from paparatsd.graph.modules.packages import defined_in, packages_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

ENDINGS = (".php", ".inc", ".phtml")
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PhpModules:
    r"""Finds `use A\B;`, `use function A\f;`, groups, and names in code: `\A\B`, `Sub\B`.

    Files of one namespace see each other, files without one are a namespace of their own.
    """

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return the file of a class or function and its name, or the files of a namespace."""
        packages = _packages(tree)
        target = (use.target or use.name).replace("::", ".").replace(".", "\\")
        if use.receiver == "*" and not target.startswith("\\"):
            # Not a statement but a name in code: it begins at the file's namespace.
            own = _namespace(file)
            target = f"{own}\\{target}" if own else target
        return _find(tree, packages, target.strip("\\"))

    def implicit(self, tree: Tree, file: FileSymbols) -> Collection[str]:
        """Return the files of the namespace."""
        return _packages(tree).get(_namespace(file), _NONE)

    def inner(self, tree: Tree, paths: Sequence[str], name: str) -> Sequence[str]:
        """Return the files of the namespace inside that of these files."""
        first = tree.file(paths[0]) if paths else None
        own = _namespace(first) if first is not None else ""
        packages = _packages(tree)
        if not own or not packages.get(own, _NONE) >= frozenset(paths):
            return ()
        return sorted(packages.get(f"{own}\\{name}", ()))

    def package(self, use: Use) -> str:
        """Return the namespace that a package would give: the first two parts."""
        return "\\".join((use.target or use.name).strip("\\").split("\\")[:2])


def _find(tree: Tree, packages: Mapping[str, frozenset[str]], full: str) -> Imported | None:
    namespace, _, name = full.rpartition("\\")
    paths = packages.get(namespace, _NONE)
    found = defined_in(tree, paths, name)
    if found:
        return Imported(found, name)
    if full in packages:
        return Imported(tuple(sorted(packages[full])))
    return Imported(tuple(sorted(paths)), name) if paths and namespace else None


def _namespace(file: FileSymbols) -> str:
    return next((fact.name for fact in file.facts_of("package")), "")


def _packages(tree: Tree) -> Mapping[str, frozenset[str]]:
    """Return the namespaces with their files; "" has those that name none."""

    def build() -> dict[str, frozenset[str]]:
        named = dict(packages_of(tree, "php", ENDINGS))
        inside = frozenset().union(*named.values())
        ours = frozenset(path for path in tree.paths if path.endswith(ENDINGS))
        return {**named, "": ours - inside}

    return tree.keep("php namespaces", build)
