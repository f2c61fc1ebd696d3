"""Which definitions of other files belong to a type: its name alone does not tell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.graph.files import TYPES
from paparatsd.graph.scopes import defining, is_top
from paparatsd.graph.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.imports import Imports
    from paparatsd.graph.source import Target, Tree

_MAX_KEPT = 50_000


class Parts:
    """Tells what belongs together, and remembers it by file: many members ask the same."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports
        self._kept: dict[tuple[int, str, str, str], bool] = {}
        self._rules: dict[str, Callable[[Target, FileSymbols, FileSymbols], bool]] = {
            "folder": _in_one_folder,
            "package": _in_one_package,
            "import": self._imported,
            "name": self._named,
            "apart": _is_apart,
        }

    def those_of(self, target: Target, found: Sequence[Target]) -> list[Target]:
        """Return which definitions of other files are members, or parts, of a type."""
        ours = [one for one in found if self._belong(target, one.path)]
        file = target.tree.file(target.path)
        if len(ours) < 2 or file is None or not traits_of(file.language).apart:
            return ours
        return self.including(target, ours)

    def including(self, declared: Target, bodies: list[Target]) -> list[Target]:
        """Return those whose files include the declaration's; all when none of them does."""
        found = []
        for one in bodies:
            file = one.tree.file(one.path)
            if one.path == declared.path or (
                file is not None and self._brings(one.tree, file, declared.path)
            ):
                found.append(one)
        return found or bodies

    def included(self, body: Target, declarations: list[Target]) -> list[Target]:
        """Return those that the file of a body includes; all when it includes none of them."""
        return self.declared_for(body, declarations) or declarations

    def declared_for(self, body: Target, declarations: list[Target]) -> list[Target]:
        """Return those that stand in the file of a body, or that it includes."""
        file = body.tree.file(body.path)
        if file is None:
            return []
        return [
            one
            for one in declarations
            if one.path == body.path or self._brings(body.tree, file, one.path)
        ]

    def _belong(self, target: Target, path: str) -> bool:
        """Say whether a file may define members of a type, or the type's other parts."""
        file, other = target.tree.file(target.path), target.tree.file(path)
        if file is None or other is None:
            return False
        rule = self._rules.get(traits_of(file.language).parts)
        if rule is None or path == target.path:
            return True
        key = (target.tree.project_id, target.path, path, file.symbols[target.index].qualified)
        known = self._kept.get(key)
        if known is None:
            if len(self._kept) > _MAX_KEPT:
                self._kept.clear()
            known = self._kept[key] = rule(target, file, other)
        return known

    def _imported(self, target: Target, file: FileSymbols, other: FileSymbols) -> bool:
        """Say whether two files are of one module, or one imports the module of the other."""
        tree = target.tree
        if other.path in self._imports.around(tree, file):
            return True
        return self._brings(tree, other, file.path) or self._brings(tree, file, other.path)

    def _brings(self, tree: Tree, file: FileSymbols, path: str) -> bool:
        for use in self._imports.wildcards(tree, file):
            led = self._imports.leads(tree, file, use)
            if led is not None and led[0] is tree and path in led[1].paths:
                return True
        return False

    def _named(self, target: Target, file: FileSymbols, other: FileSymbols) -> bool:
        """Say whether the type's name means it in the other file, as far as that is said there."""
        head = file.symbols[target.index].qualified.partition(".")[0]
        if defining(other, [at for at in other.named(head) if is_top(other, at)]):
            return not defining(file, [at for at in file.named(head) if is_top(file, at)])
        found = [
            one.path
            for use in other.imports.get(head, ())
            for one in self._imports.follow(target.tree, other, use).targets
        ]
        return not found or file.path in found


def _in_one_folder(target: Target, file: FileSymbols, other: FileSymbols) -> bool:
    same = file.path.rpartition("/")[0] == other.path.rpartition("/")[0]
    return same and _in_one_package(target, file, other)


def _in_one_package(target: Target, file: FileSymbols, other: FileSymbols) -> bool:
    del target
    mine = {fact.name for fact in file.facts_of("package")}
    theirs = {fact.name for fact in other.facts_of("package")}
    return not (mine or theirs) or not mine.isdisjoint(theirs)


def _is_apart(target: Target, file: FileSymbols, other: FileSymbols) -> bool:
    """Say whether the other file has no type of that name itself."""
    qualified = file.symbols[target.index].qualified
    return not any(other.symbols[at].kind in TYPES for at in other.qualified(qualified))


def arity(target: Target) -> int:
    """Return how many type parameters a type is declared with; those of one name may differ."""
    file = target.tree.file(target.path)
    if file is None or target.index < 0:
        return 0
    symbol = file.symbols[target.index]
    text = rf"\b{re.escape(symbol.name)}\s*<([^<>]*(?:<[^<>]*>[^<>]*)*)>"
    found = re.search(text, symbol.signature)
    return 0 if found is None else found[1].count(",") + 1
