"""What finding a module is, in any language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import leads to: files of the project, all of them parts of one module.

    `member` is the name in it that is bound; "" when the module itself is, "*" for all its names,
    "default" for its default export. It has dots when it is inside a type: "Outer.Inner", or
    "Outer.*" for all names of that type. A statement may name a member or a module
    (`from a import b`): then `inner` has the files of the module that is meant when no file of
    `paths` defines `member`.
    """

    paths: tuple[str, ...]
    member: str = ""
    inner: tuple[str, ...] = ()


class Modules(Protocol):
    """How the imports of a language find files. Implementations are stateless values.

    What is worth keeping about a tree belongs into `Tree.keep`, which lives as long as its
    generation.
    """

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return what an import of a file leads to in a tree; None when it is from outside.

        The tree may be that of another project than the file's: then the import, which names a
        package that the tree provides, is to be found in it.
        """
        ...

    def implicit(self, tree: Tree, file: FileSymbols) -> Collection[str]:
        """Return the files whose names need no import: those of the same package or folder."""
        ...

    def inner(self, tree: Tree, paths: Sequence[str], name: str) -> Sequence[str]:
        """Return the files of the module `name` inside the module whose files are `paths`."""
        ...

    def package(self, use: Use) -> str:
        """Return under which name another project would provide what an import names, or ""."""
        ...


@dataclass(frozen=True, slots=True)
class NoModules:
    """A language whose imports nobody follows: names are found in the file, and by name."""

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return None: nothing is found."""
        del tree, file, use
        return None

    def implicit(self, tree: Tree, file: FileSymbols) -> Collection[str]:
        """Return nothing."""
        del tree, file
        return ()

    def inner(self, tree: Tree, paths: Sequence[str], name: str) -> Sequence[str]:
        """Return nothing."""
        del tree, paths, name
        return ()

    def package(self, use: Use) -> str:
        """Return ""."""
        del use
        return ""
