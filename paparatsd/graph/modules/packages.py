"""What languages with packages have in common: a package is many files, and files name theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.graph.modules.base import Imported

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from paparatsd.graph.source import Tree

MAX_FILES = 20_000
"""Of one package; more are cut off."""


def packages_of(
    tree: Tree, family: str, endings: tuple[str, ...], kind: str = "package"
) -> Mapping[str, frozenset[str]]:
    """Return the packages that files with these endings name, each with its files.

    `family` names the result in what the tree keeps. One set is shared by all who ask.
    """

    def build() -> dict[str, frozenset[str]]:
        found = {}
        for name, paths in tree.labels(kind).items():
            ours = frozenset([path for path in paths if path.endswith(endings)][:MAX_FILES])
            if ours:
                found[name] = ours
        return found

    return tree.keep(f"{kind}s of {family}", build)


def defined_in(tree: Tree, paths: frozenset[str], qualified: str) -> tuple[str, ...]:
    """Return which of these files define something of this qualified name, ascending."""
    last = qualified.rpartition(".")[2]
    found = []
    for one in tree.defining([last])[last]:
        if one.path in paths and one.path not in found:
            file = tree.file(one.path)
            if file is not None and file.symbols[one.index].qualified == qualified:
                found.append(one.path)
    return tuple(found)


def splits(parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the ways to read dotted parts as a package and a name in it, long packages first.

    >>> list(splits(["a", "B", "c"]))
    [('a.B', 'c'), ('a', 'B.c')]
    """
    for length in range(len(parts) - 1, 0, -1):
        yield ".".join(parts[:length]), ".".join(parts[length:])


def find_name(
    tree: Tree,
    packages: Mapping[str, frozenset[str]],
    parts: Sequence[str],
    *,
    defined: bool = False,
) -> Imported | None:
    """Return the files and the name in them that a full name means; None when none of ours.

    The name may have dots: a type inside a type, or a member of one. What is no definition but
    lies in a package or a type of ours is ours all the same, unless it must be `defined`: a name
    that is counted from the packages around may as well be from outside.
    """
    ours = None
    for package, name in splits(parts):
        paths = packages.get(package)
        if paths is None:
            continue
        found = defined_in(tree, paths, name)
        if found:
            return Imported(found, name)
        owner, _, _ = name.rpartition(".")
        inside = defined_in(tree, paths, owner) if owner else ()
        if defined and not inside:
            continue
        ours = ours or Imported(inside or tuple(sorted(paths)), name)
    return ours
