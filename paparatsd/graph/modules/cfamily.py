"""C, C++ and Objective-C: included files, and namespaces by their full names."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph.modules.base import Imported

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Target, Tree
    from paparatsd.model import Use

MAX_INCLUDED = 400
"""Files that an include may bring in altogether."""
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".inc", ".ipp", ".tcc", ".def")
_STANDARD = frozenset(
    {
        "assert.h", "ctype.h", "errno.h", "fcntl.h", "float.h", "inttypes.h", "limits.h",
        "locale.h", "math.h", "pthread.h", "setjmp.h", "signal.h", "stdarg.h", "stdbool.h",
        "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "strings.h", "time.h",
        "unistd.h", "wchar.h", "wctype.h", "sys/types.h", "sys/stat.h", "sys/time.h",
        "sys/socket.h", "netinet/in.h", "arpa/inet.h", "windows.h",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CFamilyModules:
    """Finds includes beside the file, then where one path of the project ends like them.

    An include brings in what the file includes in turn. The names of namespaces and types with
    `::` are looked up by their qualified names.
    """

    def imported(self, tree: Tree, file: FileSymbols, use: Use) -> Imported | None:
        """Return the files an include brings in, or those that define a name with `::`."""
        target = use.target or use.name
        if use.alias != "*":
            return _named(tree, target)
        found = find_include(tree, file.path, target)
        return None if found is None else Imported(_closure(tree, found), "*")

    def implicit(self, tree: Tree, file: FileSymbols) -> Sequence[str]:
        """Return nothing: what is not included is not declared."""
        del tree, file
        return ()

    def inner(self, tree: Tree, paths: Sequence[str], name: str) -> Sequence[str]:
        """Return the files, out of those of a namespace, that have this namespace inside."""
        within = frozenset(paths)
        found = (one for one in tree.defining([name])[name] if one.path in within)
        return tuple(dict.fromkeys(one.path for one in found if _kind(one) == "module"))

    def package(self, use: Use) -> str:
        """Return "": an include does not tell what provides it."""
        del use
        return ""


def find_include(tree: Tree, path: str, target: str) -> str | None:
    """Return the file that an include means; None when it is none of the project's."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if tree.has(beside):
        return beside
    if target in _STANDARD:
        return None
    wanted = posixpath.normpath(target).lstrip("./")
    known = tree.keep("c files by name", lambda: _by_name(tree))
    ending = f"/{wanted}"
    found = [one for one in known.get(posixpath.basename(wanted), ()) if f"/{one}".endswith(ending)]
    return max(found, key=lambda one: (_shared(path, one), -len(one), one), default=None)


def _by_name(tree: Tree) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in tree.paths:
        if path.endswith(_HEADERS):
            found.setdefault(path.rpartition("/")[2], []).append(path)
    return found


def _shared(first: str, second: str) -> int:
    """Count the folders that two paths have in common at their beginning."""
    count = 0
    for one, other in zip(first.split("/")[:-1], second.split("/")[:-1], strict=False):
        if one != other:
            break
        count += 1
    return count


def _closure(tree: Tree, first: str) -> tuple[str, ...]:
    """Return a header with all that it includes, breadth first."""

    def build() -> tuple[str, ...]:
        found = {first: None}
        pending = [first]
        while pending and len(found) < MAX_INCLUDED:
            path = pending.pop(0)
            new = [one for one in _included(tree, path) if one not in found]
            found.update(dict.fromkeys(new))
            pending += new
        return tuple(found)

    return tree.keep(f"c included {first}", build)


def _included(tree: Tree, path: str) -> tuple[str, ...]:
    def build() -> tuple[str, ...]:
        file = tree.file(path)
        uses = () if file is None else file.imports.get("*", ())
        found = (find_include(tree, path, use.target) for use in uses)
        return tuple(dict.fromkeys(one for one in found if one is not None))

    return tree.keep(f"c includes {path}", build)


def _named(tree: Tree, target: str) -> Imported | None:
    """Return where a namespace, or a name in one, is defined, by its qualified name."""
    dotted = target.strip(":").replace("::", ".")
    last = dotted.rpartition(".")[2]
    fitting = [
        (one, kind) for one in tree.defining([last])[last] if (kind := _kind_if(one, dotted))
    ]
    spaces = dict.fromkeys(one.path for one, kind in fitting if kind == "module")
    if spaces:
        return Imported(tuple(spaces), "")
    if "." not in dotted or not fitting:
        return None
    return Imported(tuple(dict.fromkeys(one.path for one, _ in fitting)), last)


def _kind_if(target: Target, dotted: str) -> str:
    """Return the kind of a definition whose qualified name ends like this, else ""."""
    file = target.tree.file(target.path)
    if file is None:
        return ""
    symbol = file.symbols[target.index]
    return symbol.kind if f".{symbol.qualified}".endswith(f".{dotted}") else ""


def _kind(target: Target) -> str:
    file = target.tree.file(target.path)
    return "" if file is None else file.symbols[target.index].kind
