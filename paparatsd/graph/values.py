"""What an expression can be, as far as the symbol graph needs to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.imports import Module
    from paparatsd.graph.source import Target, Tree


MAX_ALTERNATIVES = 6
"""Things that an expression can be."""


class Sort(StrEnum):
    """Of what sort a value is."""

    MODULE = "module"
    TYPE = "type"
    OBJECT = "object"
    FUNCTION = "function"
    LIST = "list"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Value:
    """One thing that an expression can be; several of them when it depends.

    MODULE: `module`. TYPE: the type `target` itself. OBJECT: an instance of it, or the definition
    `target` itself when that is no type (an object whose functions are defined inside it); with
    `inherited` only what it inherits (`super`). FUNCTION: `target`, a member of `own` when that is
    known. LIST: holds `elements`. OUTSIDE: from the package `name`; `text` is the
    last part of its type's name when that is known.
    """

    sort: Sort
    target: Target | None = None
    module: Module | None = None
    name: str = ""
    own: Value | None = None
    elements: tuple[Value, ...] = ()
    inherited: bool = False
    text: str = ""


Values = tuple[Value, ...]
Step = Callable[[Value], Values]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression stands: in the symbol `scope` of a file (-1: at its top), in a line.

    `own`: what `self` is there, when more is known than the type around.
    """

    tree: Tree
    file: FileSymbols
    scope: int
    line: int
    own: Value | None = None


def outside(package: str, text: str = "") -> Value:
    """Return something that another package defines, of a type that is called so."""
    return Value(Sort.OUTSIDE, name=package, text=text)


def each(values: Values, step: Step) -> Values:
    """Return what a step gives from any of these."""
    found: dict[Value, None] = {}
    for one in values:
        found.update(dict.fromkeys(step(one)))
    return tuple(found)[:MAX_ALTERNATIVES]


def as_types(values: Values) -> Values:
    """Return types where there are objects of them."""
    return tuple(replace(one, sort=Sort.TYPE) if one.sort is Sort.OBJECT else one for one in values)


def element(value: Value) -> Values:
    """Return what something holds; of things from outside nobody knows."""
    return (
        value.elements
        if value.sort is Sort.LIST
        else ((value,) if value.sort is Sort.OUTSIDE else ())
    )
