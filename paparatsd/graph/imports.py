"""Where imports lead to, and what a module gives under a name, through its re-exports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph.crossing import find_elsewhere
from paparatsd.graph.modules.table import modules_of
from paparatsd.graph.scopes import defining, is_top
from paparatsd.graph.source import Target
from paparatsd.graph.traits import traits_of
from paparatsd.model import Use

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.modules.base import Imported
    from paparatsd.graph.source import Tree
    from paparatsd.model import Fact

MAX_DEPTH = 5
"""Re-exports that are followed one after the other."""
MAX_OPENED = 4
"""Files of a module that are opened to look for a name; of larger ones the name is looked up."""
_MAX_KEPT = 50_000
_STUBS = (".pyi", ".d.ts", ".d.mts", ".d.cts")


@dataclass(frozen=True, slots=True)
class Found:
    """What a name stands for: definitions, a module of the project, or a package from outside.

    `modules`: groups of files, each one module. `chains`: expressions in files (tree, path, chain)
    whose value it is. All empty: the module is ours, the name is not
    found in it.
    """

    targets: tuple[Target, ...] = ()
    modules: tuple[Module, ...] = ()
    external: str = ""
    chains: tuple[tuple[Tree, str, str], ...] = ()

    def __bool__(self) -> bool:
        """Say whether it leads anywhere."""
        return bool(self.targets or self.modules or self.external or self.chains)


@dataclass(frozen=True, slots=True)
class Module:
    """Files that are one module; a package without a file is called by the one it would have."""

    tree: Tree
    paths: tuple[str, ...]
    language: str


class Imports:
    """Follows imports from the files of one project into it and into others of its group."""

    def __init__(self, tree: Tree, others: Sequence[Tree]) -> None:
        self.tree = tree
        self._others = others
        self._led: dict[tuple[int, str, Use], tuple[Tree, Imported] | None] = {}
        self._open: set[tuple[int, tuple[str, ...], str]] = set()
        self._cut = 0
        self._wildcards: dict[tuple[int, str], tuple[Use, ...]] = {}
        self._given: dict[tuple[int, tuple[str, ...], str], Found] = {}

    # ------------------------------------------------------------------ statements

    def follow(self, tree: Tree, file: FileSymbols, use: Use, depth: int = 0) -> Found:
        """Return what an import statement binds its local name to."""
        led = self._lead(tree, file, use)
        if led is None:
            return Found(external=modules_of(file.language).package(use) or use.target or use.name)
        home, imported = led
        module = Module(home, imported.paths, file.language)
        if imported.member == "" or imported.member.endswith("*"):
            return self._whole(module, depth)
        found = self.member(module, imported.member, depth + 1)
        if not found and imported.inner:
            return self._whole(Module(home, imported.inner, file.language), depth)
        if not found and imported.member == "default":
            return self._whole(module, depth)
        return found

    def _whole(self, module: Module, depth: int) -> Found:
        """Return a module, and what it gives away in its own stead (a default export) if any."""
        for file in module.tree.files(module.paths if len(module.paths) <= MAX_OPENED else ()):
            for fact in file.exports.get("default", ()):
                found = (
                    self._exported(module.tree, file, fact, depth) if depth < MAX_DEPTH else None
                )
                if found:
                    return Found(found.targets, (module, *found.modules), chains=found.chains)
        return Found(modules=(module,))

    def leads(self, tree: Tree, file: FileSymbols, use: Use) -> tuple[Tree, Imported] | None:
        """Return in which tree an import finds which files, None when it is from outside."""
        return self._lead(tree, file, use)

    def _lead(self, tree: Tree, file: FileSymbols, use: Use) -> tuple[Tree, Imported] | None:
        key = (tree.project_id, file.path, use)
        if key not in self._led:
            if len(self._led) > _MAX_KEPT:
                self._led.clear()
            self._led[key] = self._look(tree, file, use)
        return self._led[key]

    def _look(self, tree: Tree, file: FileSymbols, use: Use) -> tuple[Tree, Imported] | None:
        imported = modules_of(file.language).imported(tree, file, use)
        if imported is not None:
            return tree, imported
        if not self._others:
            return None
        return find_elsewhere(tree, (self.tree, *self._others), file, use)

    # ------------------------------------------------------------------ modules

    def member(self, module: Module, name: str, depth: int = 0) -> Found:
        """Return what a module gives under a name; through its re-exports, at most five."""
        key = (module.tree.project_id, module.paths, name)
        known = self._given.get(key)
        if known is not None:
            return known
        if depth > MAX_DEPTH or key in self._open:
            self._cut += 1
            return Found()
        cut = self._cut
        self._open.add(key)
        try:
            found = self._member(module, name, depth)
        finally:
            self._open.discard(key)
        # What was cut short on the way, by a circle or by depth, may be more when asked for alone.
        if self._cut == cut or found or depth == 0:
            if len(self._given) > _MAX_KEPT:
                self._given.clear()
            self._given[key] = found
        return found

    def _member(self, module: Module, name: str, depth: int) -> Found:
        return self._in_files(module, name, depth) or self._submodule(module, name)

    def _in_files(self, module: Module, name: str, depth: int) -> Found:
        opened = module.paths
        if len(opened) > MAX_OPENED:
            around = set(opened)
            defining = module.tree.defining([name])[name]
            opened = tuple(dict.fromkeys(one.path for one in defining if one.path in around))
        targets: list[Target] = []
        for file in module.tree.files(opened):
            found = self._given_by(module.tree, file, name, depth)
            if found.modules or found.external or found.chains:
                return found
            targets += found.targets
        return Found(without_stubs(targets))

    def _given_by(self, tree: Tree, file: FileSymbols, name: str, depth: int) -> Found:
        """Return what one file gives under a name: exported, defined, imported, or passed on."""
        for fact in file.exports.get(name, ()):
            found = self._exported(tree, file, fact, depth)
            if found:
                return found
        named = file.qualified(name) if "." in name else file.named(name)
        inside = defining(file, [at for at in named if "." in name or is_top(file, at)])
        top = tuple(Target(tree, file.path, at) for at in inside)
        if top or not traits_of(file.language).passes_on:
            return Found(top)
        for use in file.imports.get(name, ()):
            found = self.follow(tree, file, use, depth + 1) if depth < MAX_DEPTH else Found()
            if found.targets or found.modules:
                return found
        if name == "default":
            return Found()
        return self.passed_on(tree, file, name, depth)

    def _exported(self, tree: Tree, file: FileSymbols, fact: Fact, depth: int) -> Found:
        if fact.type:
            if fact.value == "*":
                return self.follow(tree, file, _namespace(fact), depth + 1)
            use = Use(fact.value or fact.name, "import", fact.line, "", fact.type)
            if use.name == "default":
                use = Use("default", "import", fact.line, "default", fact.type)
            return self.follow(tree, file, use, depth + 1)
        local = fact.value or fact.name
        top = tuple(Target(tree, file.path, at) for at in file.named(local) if is_top(file, at))
        if top:
            return Found(top)
        for use in file.imports.get(local, ()):
            found = self.follow(tree, file, use, depth + 1)
            if found:
                return found
        # What is neither defined nor imported here is an expression, or bound inside a function.
        return Found(chains=((tree, file.path, local),)) if local != fact.name else Found()

    def passed_on(self, tree: Tree, file: FileSymbols, name: str, depth: int = 0) -> Found:
        """Return what a file has under a name because it takes all names of another module."""
        for use in self.wildcards(tree, file):
            led = self._lead(tree, file, use)
            if led is not None and file.path not in led[1].paths:
                module = Module(led[0], led[1].paths, file.language)
                owner = led[1].member.removesuffix("*")
                found = self.member(module, owner + name, depth + 1)
                if found:
                    return found
        return Found()

    def wildcards(self, tree: Tree, file: FileSymbols) -> Sequence[Use]:
        """Return the statements that bring in all names of a module, or give them all away."""
        key = (tree.project_id, file.path)
        if key not in self._wildcards:
            self._wildcards[key] = tuple(self._all_names(tree, file))
        return self._wildcards[key]

    def _all_names(self, tree: Tree, file: FileSymbols) -> Iterator[Use]:
        yield from file.imports.get("*", ())
        for fact in file.exports.get("*", ()):
            if fact.type:
                yield Use("*", "import", fact.line, "", fact.type)
        for uses in file.imports.values():
            for use in uses:
                led = self._lead(tree, file, use) if use.name != "*" else None
                if led is not None and led[1].member == "*":
                    yield use

    def _submodule(self, module: Module, name: str) -> Found:
        """Return the module of this name inside a package, where a language has such."""
        if not name.isidentifier() or name == "default":
            return Found()
        inner = tuple(modules_of(module.language).inner(module.tree, module.paths, name))
        return Found(modules=(Module(module.tree, inner, module.language),)) if inner else Found()

    def implicit(self, tree: Tree, file: FileSymbols, name: str) -> tuple[Target, ...]:
        """Return the definitions of a name in the files whose names need no import."""
        around = self.around(tree, file)
        if not around:
            return ()
        found = [one for one in tree.defining([name])[name] if one.path in around]
        return tuple(one for one in found if _is_top_of_file(one))

    def around(self, tree: Tree, file: FileSymbols) -> frozenset[str]:
        """Return the files whose names a file sees without an import."""
        return tree.keep(
            f"implicit {file.language} {file.path}",
            lambda: frozenset(modules_of(file.language).implicit(tree, file)),
        )


def _namespace(fact: Fact) -> Use:
    return Use(fact.name, "import", fact.line, "*", fact.type)


def _is_top_of_file(target: Target) -> bool:
    file = target.tree.file(target.path)
    return file is not None and bool(is_top(file, target.index) and defining(file, [target.index]))


def without_stubs(targets: Sequence[Target]) -> tuple[Target, ...]:
    """Leave out what stub files declare when it is defined elsewhere as well; keep the order."""
    real = [one for one in targets if not one.path.endswith(_STUBS)]
    return tuple(dict.fromkeys(real or targets))
