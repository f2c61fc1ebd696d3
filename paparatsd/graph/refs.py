"""How definitions are named and marked in answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.chunks.address import format_address, format_lines
from paparatsd.chunks.fragments import symbol_fragment
from paparatsd.chunks.priors import Prior, path_priors
from paparatsd.graph.degrees import share
from paparatsd.graph.files import CALLABLE, TYPES
from paparatsd.graph_model import SymbolRef

if TYPE_CHECKING:
    from collections.abc import Collection

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.ground import Ground
    from paparatsd.graph.source import Target, Tree
    from paparatsd.model import Fact, Symbol

FILE = "file"
LOCAL = "local"
"""Kinds of what is shown as a symbol and is none: the top level of a file, a local name."""

_TEST_MODULES = frozenset({"test", "tests"})


class Refs:
    """Makes references; look-ups that all of them need are made together by `prepare`."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._made: dict[tuple[int, str, int], SymbolRef] = {}

    def prepare(self, targets: Collection[Target]) -> None:
        """Read what `of` needs of all these targets at once."""
        names: dict[Tree, set[str]] = {}
        paths: dict[Tree, set[str]] = {}
        for target in targets:
            paths.setdefault(target.tree, set()).add(target.path)
        for tree, some in paths.items():
            for _ in tree.files(sorted(some)):
                pass
        for target in targets:
            file = target.tree.file(target.path)
            if file is not None and target.index >= 0:
                names.setdefault(target.tree, set()).add(file.symbols[target.index].name)
        for tree, called in names.items():
            tree.using(called)
            tree.defining(called)

    def of(self, target: Target) -> SymbolRef:
        """Return the reference of a definition, or of the top level of a file."""
        if target.key not in self._made:
            self._made[target.key] = self._make(target)
        return self._made[target.key]

    def _make(self, target: Target) -> SymbolRef:
        tree, file = target.tree, target.tree.file(target.path)
        if file is None or target.index < 0:
            return self._file(target)
        symbol = file.symbols[target.index]
        nth = file.qualified(symbol.qualified).index(target.index) + 1
        return SymbolRef(
            project=tree.name,
            path=target.path,
            language=file.language,
            kind=symbol.kind,
            qualified=symbol.qualified,
            start_line=symbol.start_line,
            end_line=symbol.end_line,
            address=format_address(tree.name, target.path, symbol_fragment(symbol.qualified, nth)),
            signature=symbol.signature,
            doc=symbol.doc,
            exported=symbol.exported,
            test=is_test(file, target.index),
            hub=self._is_hub(tree, symbol),
        )

    def _file(self, target: Target) -> SymbolRef:
        file = target.tree.file(target.path)
        lines = self._ground.line_counts(target.tree, [target.path]).get(target.path, 1)
        return SymbolRef(
            project=target.tree.name,
            path=target.path,
            language="" if file is None else file.language,
            kind=FILE,
            qualified=target.path,
            start_line=1,
            end_line=max(lines, 1),
            address=format_lines(target.tree.name, target.path, 1),
            test=is_test_path(target.path),
        )

    def _is_hub(self, tree: Tree, symbol: Symbol) -> bool:
        if symbol.kind not in CALLABLE | TYPES:
            return False
        users = len(tree.using([symbol.name])[symbol.name])
        degree = share(users, len(tree.defining([symbol.name])[symbol.name]))
        return degree >= self._ground.degrees(tree).threshold


def local_ref(tree: Tree, file: FileSymbols, fact: Fact) -> SymbolRef:
    """Return the reference of a parameter or a variable inside a function."""
    name = fact.name.removeprefix("self.")
    around = file.symbols[fact.scope].qualified + "." if fact.scope >= 0 else ""
    return SymbolRef(
        project=tree.name,
        path=file.path,
        language=file.language,
        kind=LOCAL,
        qualified=around + name,
        start_line=fact.line,
        end_line=fact.line,
        address=format_lines(tree.name, file.path, fact.line),
        signature=": ".join(filter(None, (name, fact.type))),
        exported=False,
        test=is_test_path(file.path),
    )


def is_test_path(path: str) -> bool:
    """Say whether a path is that of a test."""
    return bool(path_priors(path) & Prior.TEST)


def is_test(file: FileSymbols, index: int) -> bool:
    """Say whether a symbol of a file is a test, or lies in one."""
    if is_test_path(file.path):
        return True
    while index >= 0:
        symbol = file.symbols[index]
        if symbol.kind == "test" or (symbol.kind == "module" and symbol.name in _TEST_MODULES):
            return True
        index = symbol.parent
    return False
