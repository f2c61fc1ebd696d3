"""Java, Kotlin, Scala, Groovy: packages that files name, whatever folder they lie in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph.modules.base import Imported
from paparatsd.graph.modules.packages import find_name, packages_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

ENDINGS = (".java", ".kt", ".kts", ".scala", ".sc", ".groovy")
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class JvmModules:
    """Finds `a.b.C`, `a.b.*`, static members `a.b.C.m`, `a.b.C.*` and Kotlin's functions `a.b.f`.

    Files of one package see each other. What `java.lang` and `kotlin` define is from outside.
    """

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return the files of a package, or the file and the name in it."""
        packages = packages_of(tree, "jvm", ENDINGS)
        target = (use.target or use.name).replace("::", ".").removeprefix("_root_.")
        everything = use.alias == "*"
        parts = [part for part in target.split(".") if part]
        if not everything and use.receiver != "*" and parts[-1:] != [use.name]:
            parts.append(use.name)  # Scala: the statement names the package, the selector the name
        dotted = ".".join(parts)
        if dotted in packages:
            return Imported(tuple(sorted(packages[dotted])), "*" if everything else "")
        found = self._named(tree, packages, file, parts)
        if found is None or not everything:
            return found
        return Imported(found.paths, f"{found.member}.*")

    def _named(
        self,
        tree: Tree,
        packages: Mapping[str, frozenset[str]],
        file: FileSymbols,
        parts: Sequence[str],
    ) -> Imported | None:
        found = find_name(tree, packages, parts)
        if found is not None or file.language != "scala":
            return found
        # Scala's imports may begin at the packages around.
        for package in _around(file):
            found = find_name(tree, packages, [*package.split("."), *parts], defined=True)
            if found is not None:
                return found
        return None

    def implicit(self, tree: Tree, file: FileSymbols) -> Collection[str]:
        """Return the files of the package; in Scala of those around it as well."""
        packages = packages_of(tree, "jvm", ENDINGS)
        names = _around(file)
        if file.language != "scala" or len(names) < 2:
            return packages.get(names[0], _NONE) if names else _NONE
        return frozenset().union(*(packages.get(name, _NONE) for name in names))

    def inner(self, tree: Tree, paths: Sequence[str], name: str) -> Sequence[str]:
        """Return nothing: packages do not hold packages."""
        del tree, paths, name
        return ()

    def package(self, use: Use) -> str:
        """Return the package that is named, without the type in it."""
        target = use.target or use.name
        parts = target.split(".")
        names = [part for part in parts if not part[:1].isupper()]
        return ".".join(names if len(names) < len(parts) or use.alias == "*" else parts[:-1])


def _around(file: FileSymbols) -> list[str]:
    """Return the packages that a file names, the innermost first."""
    return [fact.name for fact in reversed(file.facts_of("package"))]
