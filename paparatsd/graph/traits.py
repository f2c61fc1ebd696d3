"""How languages differ where names are resolved, as data."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Traits:
    """What resolving must know of a language.

    `own`: how an instance names itself, and `own_type` its type; `parent`: how it names what it
    inherits from. `implicit_this`: members are named without a receiver. `first_is_own`: the first
    parameter of a method is the instance, whatever it is called. `constructors`: methods that run
    when a type is called or made. `dotted_imports`: `import a.b` binds `a`. `open_types`: a type's
    members may be defined in other files than itself (Go's methods, partial and reopened classes).
    `separate_types`: types and values do not share one space of names. `wrappers`: types that stand
    for their first argument; `containers`: types whose elements are their last argument.
    `awaits`: types that `await` takes off. `defaults`: modules may have a default export.
    """

    own: frozenset[str] = frozenset({"self", "this"})
    own_type: frozenset[str] = _NONE
    parent: frozenset[str] = frozenset({"super"})
    implicit_this: bool = False
    first_is_own: bool = False
    constructors: tuple[str, ...] = ()
    dotted_imports: bool = False
    open_types: bool = False


_C_LIKE = Traits(own=frozenset({"this"}), parent=frozenset({"super"}), implicit_this=True)

PYTHON = Traits(
    own=frozenset({"self"}),
    own_type=frozenset({"cls", "Self", "type(self)", "self.__class__", "__class__"}),
    parent=frozenset({"super()"}),
    first_is_own=True,
    constructors=("__init__", "__new__"),
    dotted_imports=True,
)
ECMA = Traits(
    own=frozenset({"this"}),
    own_type=frozenset({"this.constructor", "new.target"}),
    constructors=("constructor",),
)

TRAITS: Mapping[str, Traits] = MappingProxyType(
    {
        "python": PYTHON,
        "notebook": PYTHON,
        "javascript": ECMA,
        "jsx": ECMA,
        "typescript": ECMA,
        "tsx": ECMA,
        "vue": ECMA,
        "svelte": ECMA,
    }
)
"""By the names of `chunks.languages`."""

_OTHER = Traits()


def traits_of(language: str) -> Traits:
    """Return what resolving must know of a language."""
    return TRAITS.get(language, _OTHER)
