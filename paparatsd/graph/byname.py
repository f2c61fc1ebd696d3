"""What a name means when nothing but the name tells: one definition, several, or too many."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.languages import language_of
from paparatsd.chunks.names import last_part
from paparatsd.graph.files import CALLABLE, TYPES
from paparatsd.graph.imports import without_stubs
from paparatsd.graph.scopes import defining, is_tag, is_top
from paparatsd.graph.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Target, Tree
    from paparatsd.model import Symbol, Use

MAX_MEANINGS = 50
"""A name that is defined in more places says nothing about any of them."""
MAX_SPELLED = 120
"""Definitions of a name that nothing else is known of, before the unlikely are not looked at."""
_MAX_KEPT = 20_000
MIN_GUESSED_CHARS = 3
"""Shorter names are not resolved by name alone."""
COMMON = frozenset({
    "add", "all", "any", "append", "apply", "bind", "call", "catch", "clear", "clone", "close",
    "compare", "concat", "contains", "copy", "count", "create", "delete", "done", "emit", "encode",
    "decode", "end", "entries", "equals", "error", "exists", "exit", "extend", "fail", "filter",
    "find", "first", "flush", "foreach", "format", "from", "get", "has", "hash", "index", "info",
    "init", "insert", "invoke", "is", "items", "iter", "join", "keys", "last", "len", "length",
    "list", "load", "lock", "log", "main", "map", "match", "merge", "name", "new", "next", "open",
    "parse", "path", "peek", "pop", "print", "push", "put", "read", "reduce", "remove", "replace",
    "reset", "resolve", "reverse", "run", "save", "search", "send", "set", "setup", "size", "slice",
    "sort", "split", "start", "stop", "string", "sub", "test", "then", "toarray", "tojson",
    "tolist", "tostring", "trim", "unlock", "update", "use", "value", "values", "wait", "warn",
    "write", "wrap", "to_s", "to_string", "unwrap", "debug", "warning", "exception", "group",
    "lower", "upper", "strip", "startswith", "endswith", "seek", "tell", "readline", "register",
    "setdefault", "discard", "union", "shift", "finally", "on", "once", "off", "assert", "require",
})  # fmt: skip
"""Methods of everybody's types, folded: with an unknown receiver they tell nothing."""

_TEST = re.compile(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|testing)(?:/|$)|(?:^|[/_.])test[_.]|_test\.|\.spec\."
)
_PARTS = re.compile(r"::|[.#/\\:$]|->")


class Names:
    """Looks names up in one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._kept: dict[tuple[str, str], tuple[Target, ...]] = {}

    def meant_by(self, file: FileSymbols, use: Use, *, member: bool) -> Sequence[Target] | None:
        """Return the definitions that a use may mean by its name alone, the nearest first.

        `member`: it is used upon something. None when there are more than MAX_MEANINGS.
        """
        folded = use.name.casefold().strip("_?!#")
        if len(use.name) < MIN_GUESSED_CHARS or (member and folded in COMMON):
            return ()
        places = self._namesakes(use.name, traits_of(file.language).family)
        if len(places) > MAX_MEANINGS:
            return None
        found = [one for one in places if _may_be(one, file, member=member)]
        if not is_test(file.path):
            # Code does not call its tests: a parameter happens to be called like something in one.
            found = [one for one in found if not is_test(one.path)]
        return sorted(
            fitting(without_stubs(found), use), key=lambda one: distance(file.path, one.path)
        )

    def types(self, name: str, family: str) -> Sequence[Target]:
        """Return the types of a name, at most MAX_MEANINGS."""
        places = self._namesakes(name, family)[:MAX_MEANINGS]
        return [
            one
            for one in places
            if (symbol := symbol_of(one)) is not None
            and symbol.kind in TYPES
            and is_definition(one)
        ]

    def _namesakes(self, name: str, family: str) -> Sequence[Target]:
        """Return the definitions of a name in languages that can use each other's names."""
        key = (family, name)
        places = self.tree.defining([name])[name]
        if len(places) <= 1:
            return [one for one in places if traits_of(language_of(one.path)).family == family]
        if key not in self._kept:
            if len(self._kept) > _MAX_KEPT:
                self._kept.clear()
            self._kept[key] = tuple(
                one for one in places if traits_of(language_of(one.path)).family == family
            )
        return self._kept[key]

    def spelled(self, name: str) -> Sequence[Target]:
        """Return what a person's spelling may mean, best first: `send`, `Session.send`, `a::b`.

        Code comes before tests, what has the whole qualified name before what only ends in it,
        definitions before stubs, types and functions before values. At most MAX_MEANINGS.
        """
        parts = [part for part in _PARTS.split(name.removesuffix("()")) if part]
        last = parts[-1] if parts else last_part(name)
        asked = ".".join(parts)
        found = []
        for one in self._likely(last, alone=len(parts) < 2):
            symbol = symbol_of(one)
            if symbol is not None and _ends_in(symbol, one.path, parts):
                found.append((_rank(one, symbol, asked), one))
        found.sort(key=lambda pair: pair[0])
        return [one for _, one in found[:MAX_MEANINGS]]

    def _likely(self, name: str, *, alone: bool) -> Sequence[Target]:
        """Return the definitions of a name; of very many those that come first in any ranking.

        `alone`: nothing but the name is known of them.
        """
        places = self.tree.defining([name])[name]
        if alone and len(places) > MAX_SPELLED:
            ranked = sorted(
                zip(places, self.tree.kinds(name), strict=True),
                key=lambda pair: (
                    is_test(pair[0].path),
                    pair[1] not in CALLABLE | TYPES,
                    pair[1] == "method",
                    pair[0].path.count("/"),
                    pair[0].path,
                ),
            )
            places = [one for one, _ in ranked[:MAX_SPELLED]]
        for _ in self.tree.files(sorted({one.path for one in places})):
            pass  # reads them at once
        return places


def symbol_of(target: Target) -> Symbol | None:
    """Return the symbol of a target, None for a whole file or one that is gone."""
    file = target.tree.file(target.path)
    return None if file is None or target.index < 0 else file.symbols[target.index]


def _may_be_bare(target: Target) -> bool:
    """Say whether a type can be meant without what it is inside of, by somebody it is lent to."""
    file = target.tree.file(target.path)
    if file is None:
        return False
    symbol = file.symbols[target.index]
    if symbol.parent >= 0 and file.symbols[symbol.parent].name == symbol.name:
        return False  # `typedef struct x { ... } x`
    return not traits_of(file.language).adding or is_top(file, target.index)


def is_definition(target: Target) -> bool:
    """Say whether a symbol defines what it is called like, and not only adds to it."""
    file = target.tree.file(target.path)
    return file is not None and bool(defining(file, [target.index]))


def is_test(path: str) -> bool:
    """Say whether a path is that of a test."""
    return _TEST.search(path.lower()) is not None


def distance(path: str, other: str) -> tuple[bool, bool, int, str]:
    """Order paths by nearness to one: itself, what is no test, then by folders between them."""
    mine, theirs = path.split("/")[:-1], other.split("/")[:-1]
    shared = 0
    for one, two in zip(mine, theirs, strict=False):
        if one != two:
            break
        shared += 1
    return other != path, is_test(other), len(mine) + len(theirs) - 2 * shared, other


_FITS = {
    "type": TYPES, "inherit": TYPES, "construct": TYPES, "call": CALLABLE | TYPES,
    "decorator": CALLABLE | TYPES,
}  # fmt: skip


def fitting(targets: Sequence[Target], use: Use) -> tuple[Target, ...]:
    """Return the targets whose kind fits the use; all when none does."""
    if use.kind == "call":
        targets = [one for one in targets if not _is_tag(one)]
    wanted = _FITS.get(use.kind)
    if wanted is None or len(targets) < 2:
        return tuple(targets)
    kinds = [(one, symbol_of(one)) for one in targets]
    fitting = tuple(one for one, symbol in kinds if symbol is not None and symbol.kind in wanted)
    return fitting or tuple(targets)


def _is_tag(target: Target) -> bool:
    file = target.tree.file(target.path) if target.index >= 0 else None
    return file is not None and is_tag(file, target.index)


def _may_be(target: Target, file: FileSymbols, *, member: bool) -> bool:
    """Say whether a definition can be meant by its name alone: members by a receiver's member."""
    symbol = symbol_of(target)
    if symbol is None or symbol.kind not in CALLABLE | TYPES or not is_definition(target):
        return False
    if not symbol.exported and target.path != file.path and traits_of(file.language).apart:
        return False  # static
    if symbol.parent >= 0 and target.path != file.path:
        owner = target.tree.file(target.path)
        if owner is not None and owner.symbols[symbol.parent].kind in CALLABLE:
            return False
    if "." not in symbol.qualified:
        return not member
    return member or (symbol.kind in TYPES and _may_be_bare(target))


def distinct(targets: Sequence[Target]) -> set[tuple[int, str, str]]:
    """Return what tells targets apart as far as overloads are one."""
    found = set()
    for one in targets:
        symbol = symbol_of(one)
        found.add((one.tree.project_id, one.path, symbol.qualified if symbol else ""))
    return found


def _ends_in(symbol: Symbol, path: str, parts: Sequence[str]) -> bool:
    """Say whether a qualified name, its file and folders before it, ends in these parts."""
    whole = [*re.split(r"[/.]", path), *symbol.qualified.split(".")]
    at = len(whole)
    for part in reversed(parts):
        while at > 0 and whole[at - 1] != part:
            if at == len(whole):
                return False
            at -= 1
        if at == 0:
            return False
        at -= 1
    return True


def _rank(target: Target, symbol: Symbol, asked: str) -> tuple[bool, bool, bool, bool, int, str]:
    return (
        is_test(target.path),
        symbol.qualified != asked,
        target.path.endswith((".pyi", ".d.ts")),
        symbol.kind not in CALLABLE | TYPES,
        symbol.qualified.count("."),
        target.path,
    )
