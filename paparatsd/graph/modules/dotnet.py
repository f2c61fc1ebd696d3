"""C#: namespaces of many files; what is in those around a file needs no statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph.modules.base import Imported
from paparatsd.graph.modules.packages import find_name, packages_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

ENDINGS = (".cs", ".csx")
_OPENING = (*ENDINGS, ".csproj", ".props", ".targets")
"""Files that may open namespaces to all files of a project."""
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DotnetModules:
    """Finds `using A.B;`, `using static A.B.C;`, `using X = A.B.C;` and full names in code.

    A file sees its namespaces, those around them, and what `global using` opens for all files.
    """

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return the files of a namespace, or the file of a type and its name."""
        packages = packages_of(tree, "dotnet", ENDINGS)
        target = (use.target or use.name).replace("::", ".").removeprefix("global.")
        everything = use.alias == "*"
        parts = target.split(".")
        # A statement or a name inside a namespace may begin at those around it.
        for outer in ("", *_around(file)):
            names = [*outer.split("."), *parts] if outer else parts
            dotted = ".".join(names)
            if dotted in packages:
                return Imported(tuple(sorted(packages[dotted])), "*" if everything else "")
            found = find_name(tree, packages, names, defined=bool(outer))
            if found is not None:
                return Imported(found.paths, f"{found.member}.*") if everything else found
        return None

    def implicit(self, tree: Tree, file: FileSymbols) -> Collection[str]:
        """Return the files of the namespaces around, and of those that are open to all files."""
        names = tuple(
            dict.fromkeys((*_around(file), *packages_of(tree, "dotnet", _OPENING, "opens")))
        )

        def build() -> frozenset[str]:
            packages = packages_of(tree, "dotnet", ENDINGS)
            return frozenset().union(*(packages.get(name, _NONE) for name in names))

        return tree.keep(f"dotnet files of {names}", build)

    def inner(self, tree: Tree, paths: Sequence[str], name: str) -> Sequence[str]:
        """Return the files of the namespace inside that of these files."""
        packages = packages_of(tree, "dotnet", ENDINGS)
        first = tree.file(paths[0]) if paths else None
        for outer in _around(first) if first is not None else ():
            found = packages.get(f"{outer}.{name}")
            if found is not None and outer in packages and packages[outer] >= frozenset(paths):
                return sorted(found)
        return ()

    def package(self, use: Use) -> str:
        """Return the namespace that is named."""
        return use.target or use.name


def _around(file: FileSymbols) -> Iterator[str]:
    """Yield the namespaces that a file names and those around them, the innermost first."""
    for fact in reversed(file.facts_of("package")):
        name = fact.name
        while name:
            yield name
            name = name.rpartition(".")[0]
