"""Which uses may mean a definition: those of its name, and of the names that it goes by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.graph.byname import distance, symbol_of
from paparatsd.graph.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Target, Tree
    from paparatsd.model import Use

MAX_RENAMES = 3
"""Times that a definition is given another name on its way."""
_PACKAGES = ("__init__.py", "__init__.pyi")


def find_candidates(
    tree: Tree, target: Target, owner: Target | None
) -> Iterator[tuple[FileSymbols, Use]]:
    """Yield each use in a tree that may mean a definition, nearest files first, by line.

    Those of its name, and of other names that imports and exports give it. `owner`: the type that
    it is a member of.
    """
    names = spellings(tree, target, owner)
    using = tree.using(names)
    users = {path for name in names for path in using[name]}
    paths = sorted(users, key=lambda path: distance(target.path, path))
    for file in tree.files(paths):
        local = dict.fromkeys(names)
        for name in names:
            for use in file.uses_of(name):
                if use.kind == "import" and use.alias:
                    local[use.alias] = None
        found = [use for name in local for use in file.uses_of(name)]
        for use in sorted(found, key=lambda one: one.line):
            yield file, use


def spellings(tree: Tree, target: Target, owner: Target | None) -> Sequence[str]:
    """Return the names under which a definition may be used in files of a tree.

    Those that a file alone gives it (`import a as b`) are left to the file.
    """
    file = target.tree.file(target.path)
    if file is None:
        return ()
    if target.index < 0:
        return _module_names(target.path)
    name = file.symbols[target.index].name
    names = {name: None, **dict.fromkeys(_given_on(file, name, own=True))}
    made_by = symbol_of(owner) if owner is not None else None
    if made_by is not None and name in traits_of(file.language).constructors:
        names[made_by.name] = None
    ending = traits_of(file.language).attribute
    if ending and name.endswith(ending) and name != ending:
        names[name.removesuffix(ending)] = None
    fresh: list[str] = list(names)
    for _ in range(MAX_RENAMES):
        fresh = [one for one in _renames(tree, fresh) if one not in names]
        names.update(dict.fromkeys(fresh))
        if not fresh:
            break
    return tuple(names)


def _renames(tree: Tree, names: Sequence[str]) -> Iterator[str]:
    """Yield other names under which files that use these names give them on."""
    using = tree.using(names)
    for name in names:
        for file in tree.files(using[name]):
            yield from _given_on(file, name, own=False)


def _given_on(file: FileSymbols, name: str, *, own: bool) -> Iterator[str]:
    """Yield under which other names a file gives a name on: its `own`, or one that it imports."""
    for fact in file.facts_of("export"):
        if fact.value == name and fact.name != name and (own or fact.type or name in file.imports):
            if fact.name == "default":
                yield from _module_names(file.path)
            elif fact.name != "*":
                yield fact.name
    if not own and file.path.endswith(_PACKAGES):
        yield from (use.alias for use in file.uses_of(name) if use.kind == "import" and use.alias)


def _module_names(path: str) -> tuple[str, ...]:
    """Return what a file is called where it is imported."""
    folder, _, base = path.rpartition("/")
    stem = base.partition(".")[0]
    if stem in ("__init__", "index", "mod", "lib"):
        return (folder.rpartition("/")[2] or stem, stem)
    return (stem,)
