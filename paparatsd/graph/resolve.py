"""What a use means: the definitions that it can stand for, and how that is known."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from paparatsd.graph.bodies import only_body, with_bodies
from paparatsd.graph.byname import (
    MAX_MEANINGS,
    Names,
    distance,
    distinct,
    fitting,
    is_test,
    symbol_of,
)
from paparatsd.graph.candidates import find_candidates
from paparatsd.graph.extensions import extended_by, extends_types
from paparatsd.graph.imports import Found, Imports, without_stubs
from paparatsd.graph.owners import constructors_of, overridden_by, owner_of
from paparatsd.graph.receivers import Receivers, plain
from paparatsd.graph.scopes import bindings, type_at
from paparatsd.graph.source import Target
from paparatsd.graph.traits import traits_of
from paparatsd.graph.types import Types
from paparatsd.graph.values import Place, Sort, Value
from paparatsd.graph_model import Certainty

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

__all__ = ["MAX_MEANINGS", "Resolution", "Resolver", "distance", "is_test", "symbol_of"]

_MAX_KEPT = 50_000
_HEAD = re.compile(r"[^\W\d]\w*")
_LITERAL = re.compile(r"^[\"'`\d\[{]|^[fbru]{1,2}[\"']")


@dataclass(frozen=True, slots=True)
class Resolution:
    """The definitions a use can mean, likeliest first; none when that is not known.

    EXACT with several targets: all of them are meant (overloads, a class and its constructor).
    `external`: the package that it comes from, when that is none of ours. `crowded`: the name is
    defined in more than MAX_MEANINGS places, and nothing tells which one is meant.
    """

    targets: tuple[Target, ...] = ()
    certainty: Certainty = Certainty.AMBIGUOUS
    external: str = ""
    crowded: bool = False


class Resolver:
    """Answers for one project what its uses mean; cheap to make, remembers what it worked out."""

    def __init__(self, tree: Tree, others: Sequence[Tree] = ()) -> None:
        """Take the project's tree, and those of the same group whose packages it may import."""
        self.tree = tree
        self.others = tuple(others)
        self._imports = Imports(tree, self.others)
        self._types = Types(self._imports)
        self._receivers = Receivers(self._types)
        self._names = Names(tree)
        self._kept: dict[tuple[object, ...], Resolution] = {}

    # ------------------------------------------------------------------ uses

    def resolve(self, file: FileSymbols, use: Use) -> Resolution:
        """Return what a use in a file of the tree means."""
        if use.kind == "import":
            return self._imported(file, use)
        scope = file.around(use.line)
        if use.kind == "inherit":
            owner = type_at(file, use.line)
            scope = file.outer(owner) if owner >= 0 else scope
        key = (file.version, scope, use.kind, use.name, use.receiver, _view(file, use))
        known = self._kept.get(key)
        if known is None:
            if len(self._kept) > _MAX_KEPT:
                self._kept.clear()
            known = self._kept[key] = self._resolve(Place(self.tree, file, scope, use.line), use)
        return known

    def _resolve(self, place: Place, use: Use) -> Resolution:
        if use.receiver:
            return self._member(place, use)
        found, traits = self._bare(place, use), traits_of(place.file.language)
        if not found.targets and traits.attribute and use.kind == "decorator":
            found = self._bare(place, use._replace(name=use.name + traits.attribute))
        return self._lent_only(place, found) if traits.lends_this else found

    def _lent_only(self, place: Place, found: Resolution) -> Resolution:
        """Doubt that a bare name means a function that extends something which is not around."""
        plain = [one for one in found.targets if not extended_by(one, "")]
        if len(plain) == len(found.targets):
            return found
        if plain:
            return replace(found, targets=tuple(plain))
        around = self._types.surroundings.around(place)
        fitting = tuple(
            one
            for one in found.targets
            if any(one in self._types.steps.extending(own, _name_of(one)) for own in around)
        )
        if fitting:
            return replace(found, targets=fitting)
        doubt = Certainty.INFERRED if len(found.targets) == 1 else Certainty.AMBIGUOUS
        return replace(found, certainty=max(found.certainty, doubt, key=list(Certainty).index))

    def _imported(self, file: FileSymbols, use: Use) -> Resolution:
        found = self._imports.follow(self.tree, file, use)
        if found.external:
            return Resolution(external=found.external)
        whole = [
            Target(module.tree, path, -1)
            for module in found.modules
            for path in module.paths
            if module.tree.has(path)
        ]
        targets = found.targets or tuple(whole[:MAX_MEANINGS])
        return Resolution(targets, Certainty.EXACT) if targets else Resolution()

    def _bare(self, place: Place, use: Use) -> Resolution:
        blocked = lent = False
        called = use.kind == "call"
        for binding in bindings(place.file, place.scope, place.line, use.name, called=called):
            if binding.scope < 0 and not lent:
                lent = True
                if (found := self._of_lent(place, use)) is not None:
                    return found
            if binding.symbols:
                path = place.file.path
                return self._exact([Target(self.tree, path, at) for at in binding.symbols], use)
            if binding.owner >= 0:
                owner = Target(self.tree, place.file.path, binding.owner)
                members = self._types.members.bare(owner, use.name)
                if members:
                    return self._exact(members, use)
                blocked = blocked or self._types.members.lineage(owner).outside
            elif binding.fact is not None:
                values = self._types.meanings.name(place, use.name) or ()
                return self._of_values(plain(values), use) or Resolution()
            else:
                return self._of_imports(place, binding.imports, use)
        found = None if lent else self._of_lent(place, use)
        return found or self._from_around(place, use, blocked=blocked)

    def _of_lent(self, place: Place, use: Use) -> Resolution | None:
        """Resolve a member of what lends its members to the function around."""
        for value in self._types.surroundings.lent(place):
            if value.target is not None and (
                targets := self._types.members.bare(value.target, use.name)
            ):
                return self._exact(targets, use)
        return None

    def _of_imports(self, place: Place, imports: Sequence[Use], use: Use) -> Resolution:
        external = ""
        for statement in imports:
            found = self._imports.follow(self.tree, place.file, statement)
            resolved = self._of_found(found, use)
            if resolved.targets:
                return resolved
            external = external or resolved.external
        return Resolution(external=external)

    def _of_found(self, found: Found, use: Use) -> Resolution:
        if found.external:
            return Resolution(external=found.external)
        if found.targets:
            return self._exact(found.targets, use)
        if found.chains:
            return (
                self._of_values(plain(self._types.meanings.values_of(found)), use) or Resolution()
            )
        whole = [
            Target(module.tree, path, -1)
            for module in found.modules
            for path in module.paths[:MAX_MEANINGS]
            if module.tree.has(path)
        ]
        return Resolution(tuple(whole), Certainty.EXACT) if whole else Resolution()

    def _from_around(self, place: Place, use: Use, *, blocked: bool) -> Resolution:
        """Resolve a name that nothing in the file binds: by package, wildcard, or name alone."""
        implicit = self._imports.implicit(self.tree, place.file, use.name)
        if implicit:
            return self._exact(implicit, use)
        passed = self._imports.passed_on(self.tree, place.file, use.name)
        if passed.targets:
            return self._of_found(passed, use)
        traits = traits_of(place.file.language)
        if traits.full_names:
            values = self._types.chain(place, use.name)
            resolved = self._of_values(values, use)
            if resolved is not None and resolved.targets:
                return resolved
        macros = self._macros(place.file, use)
        if macros:
            return macros
        if blocked or self._is_bound_elsewhere(place.file, traits.bound):
            return Resolution()
        return self._by_name(place.file, use, member=False)

    def _macros(self, file: FileSymbols, use: Use) -> Resolution | None:
        """Return the macros of the name, where they are seen without being imported."""
        if use.kind != "call" or not traits_of(file.language).textual_macros:
            return None
        found = [
            one
            for one in self._names.meant_by(file, use, member=False) or ()
            if (symbol := symbol_of(one)) is not None and symbol.kind == "macro"
        ]
        if not found:
            return None
        certainty = Certainty.INFERRED if len(found) == 1 else Certainty.AMBIGUOUS
        return Resolution(tuple(found), certainty)

    def _is_bound_elsewhere(self, file: FileSymbols, bound: str) -> bool:
        """Say whether an unbound name of a file must be from outside: built in, or predefined."""
        if not bound:
            return False
        if bound == "modules":
            return bool(file.imports or file.exports)
        return not any(
            self._imports.leads(self.tree, file, use) is None
            for use in self._imports.wildcards(self.tree, file)
        )

    def _member(self, place: Place, use: Use) -> Resolution:
        if _LITERAL.match(use.receiver):
            return self._of_literal(place.file, use)
        chain, values = self._receivers.read(place, use.receiver)
        if values:
            resolved = self._of_members(values, use)
            if resolved is not None:
                return resolved
        elif chain and traits_of(place.file.language).full_names:
            whole = self._of_values(self._types.chain(place, f"{chain}.{use.name}"), use)
            if whole is not None and whole.targets:
                return whole
        if not values and (package := self._receivers.foreign(place, use.receiver)):
            return self._unseen(place.file, use, package) or Resolution(external=package)
        return self._by_name(place.file, use, member=True)

    def _of_literal(self, file: FileSymbols, use: Use) -> Resolution:
        """Resolve a member of a text in quotes: a function that extends texts, or none of ours."""
        if use.receiver[0] != '"' or not extends_types(file.language):
            return Resolution()
        family = traits_of(file.language).family
        found = self._types.extensions.of_text(self.tree, use.name, family)
        return self._exact(found, use) if found else Resolution()

    def _unseen(self, file: FileSymbols, use: Use, head: str) -> Resolution | None:
        """Return the members of types that may be named here though no statement is seen for it."""
        traits = traits_of(file.language)
        if not traits.unseen_types or use.receiver != head or head in traits.foreign:
            return None
        found: list[Target] = []
        types = 0
        for one in self._names.types(head, traits.family):
            members = self._types.members.find(one, use.name)
            types += bool(members)
            found += [member for member in members if member not in found]
        certainty = Certainty.INFERRED if types == 1 else Certainty.AMBIGUOUS
        return Resolution(tuple(found[:MAX_MEANINGS]), certainty) if found else None

    def _of_members(self, values: Sequence[Value], use: Use) -> Resolution | None:
        """Return what a member of known things is, None when they say nothing about it."""
        targets: list[Target] = []
        external, known = "", False
        for value in values:
            if value.sort in (Sort.OUTSIDE, Sort.LIST):
                targets += self._types.steps.extending(value, use.name)
            if value.sort is Sort.OUTSIDE:
                external, known = external or value.name or "?", True
                continue
            found, foreign = self._receivers.targets_in(value, use.name)
            targets += found
            external = external or foreign
            known = known or bool(found or foreign) or value.sort in (Sort.TYPE, Sort.OBJECT)
            known = known or value.sort in (Sort.MODULE, Sort.LIST)
        if targets:
            return self._exact(targets, use)
        return Resolution(external="" if external == "?" else external) if known else None

    def _of_values(self, values: Sequence[Value], use: Use) -> Resolution | None:
        targets = [one.target for one in values if one.target is not None]
        if targets:
            return self._exact(targets, use)
        external = next((one.name for one in values if one.sort is Sort.OUTSIDE), "")
        return Resolution(external=external) if values else None

    def _by_name(self, file: FileSymbols, use: Use, *, member: bool) -> Resolution:
        """Resolve by name: one definition of the project is inferred, several are ambiguous."""
        found = self._names.meant_by(file, use, member=member)
        if found is None:
            return Resolution(crowded=True)
        if not found:
            return Resolution()
        if traits_of(file.language).apart and (body := only_body(found)) is not None:
            return Resolution((body, *(one for one in found if one != body)), Certainty.INFERRED)
        certainty = Certainty.INFERRED if len(distinct(found)) == 1 else Certainty.AMBIGUOUS
        return Resolution(tuple(found), certainty)

    def _exact(self, targets: Iterable[Target], use: Use) -> Resolution:
        """Return what is meant for sure, of the kind that fits the use, with constructors."""
        found = fitting(without_stubs(tuple(targets)), use)
        found = with_bodies(found, self._types.parts)
        if use.kind in ("call", "construct"):
            made = [made for one in found for made in self.constructors(one)]
            found = tuple(dict.fromkeys((*found, *made)))
        return Resolution(found[:MAX_MEANINGS], Certainty.EXACT) if found else Resolution()

    def constructors(self, target: Target) -> Sequence[Target]:
        """Return what runs when a type is called or made; nothing for what is no type."""
        return constructors_of(self._types.members, target)

    # ------------------------------------------------------------------ names and types

    def named(self, name: str) -> Sequence[Target]:
        """Return what a person's spelling may mean, best first: `send`, `Session.send`, `a::b`.

        Code comes before tests, what has the whole qualified name before what only ends in it,
        definitions before stubs, types and functions before values. At most MAX_MEANINGS.
        """
        return self._names.spelled(name)

    def candidates(self, target: Target) -> Iterator[tuple[FileSymbols, Use]]:
        """Yield each use of the project that may mean a definition, nearest files first, by line.

        Those of its name, and of other names that imports and exports give it. The target may be
        in another tree. What a use really means, `resolve` says.
        """
        return find_candidates(self.tree, target, self.owner(target))

    def bases(self, target: Target) -> Sequence[Target]:
        """Return the types of ours that a type directly extends or implements, in its order."""
        return self._types.members.bases(target).types

    def members(self, target: Target, name: str) -> Sequence[Target]:
        """Return what a member's name means in a type: its own (all overloads), else inherited."""
        return self._types.members.find(target, name)

    def overridden(self, target: Target) -> Sequence[Target]:
        """Return the inherited members whose place a method takes, nearest first."""
        return overridden_by(self._types.members, target)

    def owner(self, target: Target) -> Target | None:
        """Return the type that a definition is a member of."""
        return owner_of(target)


def _view(file: FileSymbols, use: Use) -> tuple[int, ...]:
    """Return what of the place of a use, other than its scope, may tell what its name is.

    That is how many of the bindings and definitions of its first name stand above it.
    """
    head = _HEAD.match(use.receiver) if use.receiver else None
    name = head[0] if head is not None else use.receiver or use.name
    line, view = use.line, list(file.bound_above(name, use.line))
    for at in file.named(name):
        symbol = file.symbols[at]
        view.append(symbol.start_line <= line)
        if symbol.parent >= 0:
            around = file.symbols[symbol.parent]
            view.append(around.start_line <= line <= around.end_line)
    return tuple(view)


def _name_of(target: Target) -> str:
    symbol = symbol_of(target)
    return "" if symbol is None else symbol.name
