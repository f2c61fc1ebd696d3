"""Where a name can be bound around a place of one file, from the inside out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from paparatsd.graph.files import CALLABLE, TYPES, VALUES
from paparatsd.graph.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.model import Fact, Symbol, Use

NOTHING = frozenset({"", "None", "null", "nil", "undefined", "NULL", "nullptr"})
"""Values that say nothing of what a name is bound to later."""

_TAGGED = frozenset({"struct", "enum"})
_SCOPED = re.compile(r"\benum\s+(?:class|struct)\b")
_KEYED = re.compile(
    r"(?:(?:async|get|set)\s+)?\*?\s*(?!(?:function|if|for|while|switch|return)\b)[\w$\"'\[\]#.-]+\s*[:(]"
)
_DECLARED = re.compile(r"(?:const|let|var|class|(?:async\s+)?function)\b")


@dataclass(frozen=True, slots=True)
class Binding:
    """One thing that a name may stand for in a file.

    `fact`: a parameter or variable bound in `scope`. `symbols`: definitions. `imports`: statements
    that bring it in. `owner`: it may be a member of this type, whose members need no receiver.
    """

    scope: int
    fact: Fact | None = None
    symbols: tuple[int, ...] = ()
    imports: tuple[Use, ...] = ()
    owner: int = -1


def bindings(
    file: FileSymbols, scope: int, line: int, name: str, *, called: bool = False
) -> Iterator[Binding]:
    """Yield what a name may be bound to in its own file, the innermost first.

    `called`: brackets follow; where functions have names of their own, no variable is meant, and
    where types have, none of those.
    """
    found = _bindings(file, scope, line, name)
    traits = traits_of(file.language)
    if called and traits.calls_apart:
        return (one for one in found if one.fact is None and not _are_values(file, one.symbols))
    if called and traits.tags:
        return _without_tags(file, found)
    return found


def _without_tags(file: FileSymbols, found: Iterator[Binding]) -> Iterator[Binding]:
    for one in found:
        kept = tuple(at for at in one.symbols if not is_tag(file, at))
        if kept or not one.symbols:
            yield replace(one, symbols=kept)


def is_tag(file: FileSymbols, index: int) -> bool:
    """Say whether a symbol is named by a keyword with its name only: a C struct, union or enum."""
    return traits_of(file.language).tags and file.symbols[index].kind in _TAGGED


def _are_values(file: FileSymbols, symbols: tuple[int, ...]) -> bool:
    return bool(symbols) and all(file.symbols[at].kind in VALUES for at in symbols)


def _bindings(file: FileSymbols, scope: int, line: int, name: str) -> Iterator[Binding]:
    traits = traits_of(file.language)
    imports = file.imports.get(name, ())
    direct = True
    while scope >= 0:
        symbol = file.symbols[scope]
        if symbol.kind in TYPES:
            if traits.implicit_this:
                yield Binding(scope, owner=scope)
            elif direct:
                yield from _in_body(file, scope, line, name)
            if (fact := file.binds(scope, name, line)) is not None and _is_bound_type(fact):
                yield Binding(scope, fact)
        else:
            local = tuple(one for one in imports if file.around(one.line) == scope)
            if local:
                yield Binding(scope, imports=local)
            yield from _in_body(file, scope, line, name)
        direct = direct and symbol.kind in TYPES
        if traits.implicit_this and symbol.parent < 0 and "." in symbol.qualified:
            owner = owner_by_name(file, scope)
            if owner >= 0:
                yield Binding(scope, owner=owner)
        scope = file.outer(scope)
    yield from _in_body(file, -1, line, name)


def _is_bound_type(fact: Fact) -> bool:
    """Say whether a fact is about a type parameter: its bound is written like a variable's type."""
    return fact.name[:1].isupper() and bool(fact.type) and not fact.value


def _in_body(file: FileSymbols, scope: int, line: int, name: str) -> Iterator[Binding]:
    """Yield what one scope itself binds: definitions, else imports (at the top), else variables."""
    named = file.named(name)
    inside = defining(
        file,
        [
            at
            for at in named
            if (is_top(file, at) if scope < 0 else home(file, at) == scope)
            or _is_within_value(file, at, scope, line)
        ],
    )
    if inside and traits_of(file.language).blocks == "all":
        inside = tuple(at for at in inside if not _is_of_object(file.symbols[at]))
    if len(inside) > 1 and _has_blocks(file, scope):
        inside = _nearest(file, inside, line)
    fact = best_fact(file.scope_facts(scope, name), line)
    if fact is not None and inside and _is_nearer(file, fact, inside, line):
        yield Binding(scope, fact)
    if inside:
        yield Binding(scope, symbols=inside)
    if scope < 0 and (imports := file.imports.get(name)):
        yield Binding(scope, imports=tuple(imports))
    if fact is not None and not inside:
        yield Binding(scope, fact)


def _is_within_value(file: FileSymbols, index: int, scope: int, line: int) -> bool:
    """Say whether a name is declared in a callback that a value of this scope is made with.

    The members of an object are written otherwise.
    """
    symbol = file.symbols[index]
    if symbol.parent < 0 or (around := file.symbols[symbol.parent]).kind not in VALUES:
        return False
    if not around.start_line <= line <= around.end_line or file.outer(index) != scope:
        return False
    return _DECLARED.match(symbol.signature) is not None


def _has_blocks(file: FileSymbols, scope: int) -> bool:
    """Say whether one name may be that of several things in a scope, each in a block of its own."""
    blocks = traits_of(file.language).blocks
    return blocks == "all" or (blocks == "inside" and file.symbols[scope].kind in CALLABLE)


def _nearest(file: FileSymbols, inside: tuple[int, ...], line: int) -> tuple[int, ...]:
    """Return the last one that begins at or above a line, with its overloads; else the first."""
    groups: list[list[int]] = []
    for at in inside:
        if groups and file.symbols[groups[-1][-1]].signature[-1:] == ";":
            groups[-1].append(at)
        else:
            groups.append([at])
    above = [group for group in groups if file.symbols[group[0]].start_line <= line]
    return tuple(above[-1] if above else groups[0])


def _is_nearer(file: FileSymbols, fact: Fact, inside: tuple[int, ...], line: int) -> bool:
    """Say whether a variable is meant and no namesake: a callback's, between the two.

    Callbacks are no scopes of their own here, nor are the objects that functions are members of.
    """
    if fact.line > line:
        return False
    symbols = [file.symbols[at] for at in inside]
    if any(one.kind in VALUES or one.start_line == fact.line for one in symbols):
        return False
    return all(one.start_line < fact.line or one.start_line > line for one in symbols)


def best_fact(facts: Sequence[Fact], line: int) -> Fact | None:
    """Return the binding that holds in a line: the last one above it that says something.

    What is declared with a type has it whatever it is bound to later.
    """
    bound = [fact for fact in facts if fact.kind == "bind"]
    if not bound:
        return None
    above = [fact for fact in bound if fact.line <= line] or bound[:1]
    if len(above) > 1 and above[-1].line == line and _is_rebound(above[-1]):
        # `x = f(x)`: what is used in the line is what the name was before.
        above = above[:-1]
    typed = [fact for fact in above if fact.type]
    if typed:
        return typed[-1]
    if above[-1].value in NOTHING - {""}:
        return next((fact for fact in reversed(above) if fact.value not in NOTHING), above[-1])
    return above[-1]


def _is_rebound(fact: Fact) -> bool:
    return bool(fact.value) and not fact.type and not fact.value.endswith("[]")


def defining(file: FileSymbols, found: Sequence[int]) -> tuple[int, ...]:
    """Return which symbols of a name define it: what only adds to a type elsewhere does not.

    Neither does `mod b;`, which says that there is a file.
    """
    added = traits_of(file.language).adding
    if not added:
        return tuple(found)
    return tuple(
        at
        for at in found
        if (kind := file.symbols[at].kind) not in added
        or (kind == "module" and file.symbols[at].signature[-1:] != ";")
    )


def _is_of_object(symbol: Symbol) -> bool:
    """Say whether a function is written as a member of an object: `{ go: () => 1, stop() {} }`."""
    return symbol.kind in CALLABLE and _KEYED.match(symbol.signature) is not None


def home(file: FileSymbols, index: int) -> int:
    """Return the symbol in whose scope one is named, -1 for the file.

    That is its parent; but the values of a C enum are names of the scope around the enum, and a
    `typedef` is no scope for the struct or enum written inside of it.
    """
    symbol = file.symbols[index]
    parent = symbol.parent
    if parent < 0 or not traits_of(file.language).loose_enums:
        return parent
    owner = file.symbols[parent]
    if owner.kind == "enum" and symbol.kind in VALUES and not _SCOPED.search(owner.signature):
        parent = owner.parent
    while parent >= 0 and (around := file.symbols[parent]).kind == "type":
        if around.name == symbol.name:
            break
        parent = around.parent
    return parent


def is_top(file: FileSymbols, index: int) -> bool:
    """Say whether a symbol is at the top of its file, namespaces and modules around it aside."""
    symbol = file.symbols[index]
    if symbol.parent < 0:
        return symbol.qualified == symbol.name or symbol.kind in TYPES
    parent = home(file, index)
    while parent >= 0:
        if file.symbols[parent].kind != "module":
            return False
        parent = file.symbols[parent].parent
    return True


def type_at(file: FileSymbols, line: int) -> int:
    """Return the innermost type that a line lies in, -1 for none."""
    found = around = file.around(line)
    while around >= 0:
        symbol = file.symbols[around]
        # Of several that begin in the line the outermost: the others are written inside of it.
        if symbol.kind in TYPES and (
            file.symbols[found].kind not in TYPES or symbol.start_line == line
        ):
            found = around
        around = file.outer(around)
    return found if found >= 0 and file.symbols[found].kind in TYPES else -1


def type_around(file: FileSymbols, scope: int) -> int:
    """Return the type that a place lies in: of a method defined apart, the one it names; or -1."""
    while scope >= 0:
        if file.symbols[scope].kind in TYPES:
            return scope
        outer = file.outer(scope)
        if outer < 0 or file.symbols[outer].kind == "module":
            return owner_by_name(file, scope)
        scope = outer
    return -1


def owner_by_name(file: FileSymbols, index: int) -> int:
    """Return the symbol of the file whose name a symbol's qualified name begins with, or -1."""
    owner = file.symbols[index].qualified.rpartition(".")[0]
    found = [at for at in file.qualified(owner) if at != index] if owner else []
    types = [at for at in found if file.symbols[at].kind in TYPES]
    return next(iter(types or found), -1)
