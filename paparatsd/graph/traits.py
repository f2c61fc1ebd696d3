"""How languages differ where names are resolved, as data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Traits:
    """What resolving must know of a language.

    `family`: languages of one family can use each other's names. `own`: how an instance names
    itself, and `own_type` its type; `parent`: how it names what it inherits. `implicit_this`:
    members are named without a receiver. `constructors`: members that run when a type is called
    or made; "=" stands for the name of the type. `called`: the member that runs when an object is
    called. `dotted_imports`: `import a.b` binds `a`. `open_types`: members may be defined in other
    files than their type (Go's methods, partial and reopened classes, C++'s bodies). `bound`: each
    bare name is bound somewhere in sight, so that what is not found is from outside; "modules"
    when that holds for files that import or export anything. `full_names`: modules are named in
    the code without being imported (`crate::a::f()`, `a.b.C`). `nesting`: so are single names,
    from the modules around outwards. `passes_on`: what a file imports others may take from it.
    `apart`: declared in one file, defined in another. `calls_apart`: a variable and a function of
    one name do not get in each other's way.
    """

    family: str = ""
    own: frozenset[str] = frozenset({"self", "this"})
    own_type: frozenset[str] = _NONE
    parent: frozenset[str] = frozenset({"super"})
    implicit_this: bool = False
    constructors: tuple[str, ...] = ()
    called: str = ""
    dotted_imports: bool = False
    open_types: bool = False
    bound: str = ""
    full_names: bool = False
    nesting: bool = False
    passes_on: bool = True
    apart: bool = False
    calls_apart: bool = False


_THIS = frozenset({"this"})
_SELF = frozenset({"self"})
PYTHON = Traits(
    family="python",
    own=_SELF,
    own_type=frozenset({"cls", "Self", "type()", "__class__"}),
    parent=frozenset({"super()"}),
    constructors=("__init__", "__new__"),
    called="__call__",
    dotted_imports=True,
    bound="always",
)
ECMA = Traits(
    family="ecma",
    own=_THIS,
    own_type=frozenset({"this"}),
    constructors=("constructor",),
    bound="modules",
)
C = Traits(
    family="c", own=_THIS, implicit_this=True, constructors=("=",), open_types=True,
    full_names=True, apart=True,
)  # fmt: skip
JVM = Traits(
    family="jvm", own=_THIS, own_type=frozenset({"companion"}), implicit_this=True,
    constructors=("=", "constructor", "<init>", "this"), full_names=True, bound="always",
    passes_on=False, calls_apart=True,
)  # fmt: skip
KOTLIN = Traits(
    family="jvm", own=_THIS, implicit_this=True, constructors=("=", "constructor"),
    open_types=True, full_names=True, bound="always",
    passes_on=False,
)  # fmt: skip
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
        "go": Traits(family="go", own=_NONE, open_types=True, bound="always"),
        "rust": Traits(
            family="rust",
            own=_SELF,
            own_type=frozenset({"Self"}),
            open_types=True,
            full_names=True,
            bound="always",
        ),
        "c": C,
        "cpp": C,
        "objc": Traits(
            family="c",
            own=_SELF,
            implicit_this=False,
            open_types=True,
            apart=True,
        ),
        "swift": Traits(
            family="swift",
            own=_SELF,
            own_type=frozenset({"Self"}),
            implicit_this=True,
            constructors=("init",),
            open_types=True,
        ),
        "java": JVM,
        "kotlin": KOTLIN,
        "scala": KOTLIN,
        "groovy": KOTLIN,
        "csharp": Traits(
            family="dotnet",
            own=_THIS,
            parent=frozenset({"base"}),
            implicit_this=True,
            constructors=("=",),
            open_types=True,
            full_names=True,
            passes_on=False,
        ),
        "php": Traits(
            family="php",
            own=frozenset({"$this", "this"}),
            own_type=frozenset({"self", "static"}),
            parent=frozenset({"parent"}),
            constructors=("__construct",),
            called="__invoke",
            full_names=True,
            passes_on=False,
            calls_apart=True,
        ),
        "ruby": Traits(
            family="ruby",
            own=_SELF,
            own_type=frozenset({"self.class"}),
            parent=frozenset({"super"}),
            implicit_this=True,
            constructors=("initialize",),
            open_types=True,
            full_names=True,
            nesting=True,
            passes_on=False,
            calls_apart=True,
        ),
    }
)
"""By the names of `chunks.languages`."""


def traits_of(language: str) -> Traits:
    """Return what resolving must know of a language; others are a family of their own."""
    known = TRAITS.get(language)
    return known if known is not None else _other(language)


@lru_cache(maxsize=256)
def _other(language: str) -> Traits:
    return Traits(family=language)
