"""How languages differ where names are resolved, as data."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    one name do not get in each other's way. `opening`: members that give their object itself, or
    what a wrapper around it holds, whatever is implemented for it elsewhere. `adding`: kinds of
    symbols that add to a type defined elsewhere, and define none. `loose_enums`: the values of an
    enum are names of the scope around it. `tags`: structs have names of their own, apart from those
    of functions. `parts`: what files have in common that define members of one type: a
    "folder", a "package", an "import" of one by the other, its "name", which means it in both, or
    ("apart") that only one of them has the type. `extended`: functions with a bound `this` are
    members of its type; `lends_this`: inside of them its members are named without a receiver.
    `blocks`: where several things of one name are each bound in a block of their own: "all" over,
    "inside" of functions. `foreign`: names of packages that are always from outside;
    `bound_types`: so is what a capital begins and nothing binds. `textual_macros`: macros are seen
    without being imported.
    `unseen_types`: but types may come from a base, or from what a build file opens, unseen.
    `attribute`: how the names of types end that may be left out where they mark something.
    `maker`: the member of a type that gives an instance. `bare_calls`: naming a function calls it.
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
    opening: frozenset[str] = _NONE
    adding: frozenset[str] = _NONE
    loose_enums: bool = False
    tags: bool = False
    parts: str = ""
    extended: bool = False
    lends_this: bool = False
    blocks: str = "inside"
    foreign: frozenset[str] = _NONE
    bound_types: bool = False
    textual_macros: bool = False
    unseen_types: bool = False
    attribute: str = ""
    maker: str = ""
    bare_calls: bool = False


_OPENING = frozenset({
    "unwrap", "expect", "unwrap_or", "unwrap_or_else", "unwrap_or_default", "as_ref", "as_mut",
    "as_deref", "as_deref_mut", "clone", "cloned", "copied", "borrow", "borrow_mut", "lock",
    "to_owned", "into", "into_inner", "ok", "ok_or", "ok_or_else", "map_err", "take", "by_ref",
    "deref", "or_else", "context", "with_context", "read", "write", "load", "await",
})  # fmt: skip
"""What Rust's wrappers and common traits have: types seldom have them themselves."""
_DOTNET = frozenset({
    "Activator", "Array", "BitConverter", "Buffer", "Console", "Convert", "DateTime",
    "DateTimeOffset", "Debug", "Directory", "Encoding", "Enum", "Enumerable", "Environment",
    "File", "GC", "Guid", "Interlocked", "Math", "Monitor", "Path", "Process", "Regex", "String",
    "Task", "Thread", "TimeSpan", "Type", "Uri", "ValueTask",
})  # fmt: skip
"""Types that nearly every C# file sees."""
_THIS = frozenset({"this"})
_SELF = frozenset({"self"})
PYTHON = Traits(
    family="python",
    own=_SELF,
    own_type=frozenset({"cls", "Self", "type()", "__class__"}),
    parent=frozenset({"super()"}),
    constructors=("__init__", "__new__"),
    called="__call__",
    blocks="",
    dotted_imports=True,
    bound="always",
)
ECMA = Traits(
    family="ecma",
    own=_THIS,
    own_type=frozenset({"this"}),
    constructors=("constructor",),
    bound="modules",
    blocks="all",
)
CPP = Traits(
    family="c", own=_THIS, implicit_this=True, constructors=("=",), open_types=True,
    full_names=True, apart=True, loose_enums=True, parts="apart",
    foreign=frozenset({"std"}), blocks="",
)  # fmt: skip
C = replace(CPP, tags=True)
JVM = Traits(
    family="jvm", own=_THIS, own_type=frozenset({"companion"}), implicit_this=True,
    constructors=("=", "constructor", "<init>", "this"), full_names=True, bound="always",
    passes_on=False, calls_apart=True, bound_types=True, unseen_types=True,
)  # fmt: skip
KOTLIN = Traits(
    family="jvm", own=_THIS, implicit_this=True, constructors=("=", "constructor"),
    open_types=True, full_names=True, bound="always", passes_on=False, parts="package",
    extended=True, lends_this=True, bound_types=True, unseen_types=True,
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
        "go": Traits(family="go", own=_NONE, open_types=True, bound="always", parts="folder"),
        "rust": Traits(
            family="rust",
            own=_SELF,
            own_type=frozenset({"Self"}),
            open_types=True,
            full_names=True,
            bound="always",
            opening=_OPENING,
            foreign=frozenset({"std", "core", "alloc"}),
            bound_types=True,
            textual_macros=True,
            adding=frozenset({"impl", "module"}),
            parts="name",
        ),
        "c": C,
        "cpp": CPP,
        "objc": Traits(
            family="c",
            own=_SELF,
            implicit_this=False,
            open_types=True,
            apart=True,
            loose_enums=True,
        ),
        "swift": Traits(
            family="swift",
            own=_SELF,
            own_type=frozenset({"Self"}),
            implicit_this=True,
            constructors=("init",),
            open_types=True,
            adding=frozenset({"impl"}),
            foreign=frozenset({"Swift"}),
            bound_types=True,
            parts="import",
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
            parts="package",
            extended=True,
            bound_types=True,
            attribute="Attribute",
            unseen_types=True,
            foreign=_DOTNET,
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
            maker="new",
            bare_calls=True,
            bound_types=True,
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
