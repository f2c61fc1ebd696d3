"""Where a name can be bound around a place of one file, from the inside out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph.files import TYPES, VALUES
from paparatsd.graph.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.model import Fact, Use

NOTHING = frozenset({"", "None", "null", "nil", "undefined", "NULL", "nullptr"})
"""Values that say nothing of what a name is bound to later."""


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

    `called`: brackets follow; where functions have names of their own, no variable is meant.
    """
    found = _bindings(file, scope, line, name)
    if called and traits_of(file.language).calls_apart:
        return (one for one in found if one.fact is None and not _are_values(file, one.symbols))
    return found


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
    inside = tuple(
        at for at in named if (is_top(file, at) if scope < 0 else file.symbols[at].parent == scope)
    )
    fact = best_fact(file.scope_facts(scope, name), line)
    if fact is not None and inside and _is_nearer(file, fact, inside, line):
        yield Binding(scope, fact)
    if inside:
        yield Binding(scope, symbols=inside)
    if scope < 0 and (imports := file.imports.get(name)):
        yield Binding(scope, imports=tuple(imports))
    if fact is not None and not inside:
        yield Binding(scope, fact)


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
    typed = [fact for fact in above if fact.type]
    if typed:
        return typed[-1]
    if above[-1].value in NOTHING - {""}:
        return next((fact for fact in reversed(above) if fact.value not in NOTHING), above[-1])
    return above[-1]


def is_top(file: FileSymbols, index: int) -> bool:
    """Say whether a symbol is at the top of its file, namespaces and modules around it aside."""
    symbol = file.symbols[index]
    if symbol.parent < 0:
        return symbol.qualified == symbol.name or symbol.kind in TYPES
    parent = symbol.parent
    while parent >= 0:
        if file.symbols[parent].kind != "module":
            return False
        parent = file.symbols[parent].parent
    return True


def type_at(file: FileSymbols, line: int) -> int:
    """Return the innermost type that a line lies in, -1 for none."""
    found = file.around(line)
    while found >= 0 and file.symbols[found].kind not in TYPES:
        found = file.outer(found)
    return found


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
