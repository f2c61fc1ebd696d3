"""What a question means by `at`: an address, a place in a file, or a name in any spelling."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from paparatsd.chunks.address import MAX_ADDRESS_CHARS
from paparatsd.chunks.fragments import symbol_fragment
from paparatsd.errors import BadQuery, UnknownAddress
from paparatsd.graph.byname import symbol_of
from paparatsd.graph.files import TYPES
from paparatsd.graph.near import MAX_NEAR, forms_of, near_names, near_paths, parts_of
from paparatsd.graph.place import at_column, at_line
from paparatsd.graph.refs import is_test
from paparatsd.graph.routes import handlers, is_route
from paparatsd.graph.source import Target
from paparatsd.graph_model import Certainty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.ground import Ground
    from paparatsd.graph.resolve import Resolver
    from paparatsd.graph.source import Tree
    from paparatsd.model import Fact

FORMS = "project:path#Name, project:path:LINE, project:path:LINE:COLUMN, or a name"
MAX_LISTED = 8
"""Files that are listed when a path could be any of them."""
MAX_ALIKE = 20
"""Definitions of a name that are looked at for what else may have been meant."""
MAX_QUOTED = 200
"""Characters of what was asked that a message repeats."""

_LINES = re.compile(r"(?P<path>.+?):(?P<line>\d{1,9})(?:[:-](?P<more>\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class Picked:
    """The definitions meant, likeliest first; `meant` is how many there are in all.

    `name` is what stands at a position, else what was asked. `external` is the package that
    defines it elsewhere, `local` how a function binds it, with where. `placed`: a place was given,
    not a name; `line`: a line without a column.
    """

    name: str
    targets: tuple[Target, ...] = ()
    meant: int = 0
    certainty: Certainty = Certainty.EXACT
    external: str = ""
    local: tuple[Tree, FileSymbols, Fact] | None = None
    placed: bool = True
    crowded: bool = False
    line: tuple[Tree, FileSymbols, int] | None = None


def pick(ground: Ground, at: str) -> Picked:
    """Return what is meant. Raises BadQuery and UnknownAddress, which say what to ask instead."""
    text = at.strip()
    if not text:
        raise BadQuery(f"of what? give an address or a name: {FORMS}")
    if len(text) > MAX_ADDRESS_CHARS:
        raise BadQuery(f"the address is longer than {MAX_ADDRESS_CHARS} characters")
    if any("\ud800" <= one <= "\udfff" for one in text):
        raise BadQuery("the address is no text: it has halves of characters (surrogates)")
    trees, rest, named = project_of(ground, text)
    placed = _placed(ground, trees, rest, named=named)
    return placed if placed is not None else _by_name(ground, trees, rest, at)


def pick_one(ground: Ground, at: str) -> tuple[Target, ...]:
    """Return the definitions that are meant; raises UnknownAddress when they are none of ours."""
    picked = pick(ground, at)
    if picked.targets:
        return picked.targets
    if picked.external:
        raise UnknownAddress(
            f"{picked.name!r} comes from {picked.external!r}, which no project here defines"
        )
    if picked.local is not None:
        raise UnknownAddress(
            f"{picked.name!r} is a local name of line {picked.local[2].line}: the graph follows "
            "what is defined outside of functions"
        )
    if picked.crowded:
        raise UnknownAddress(
            f"{picked.name!r} is defined in more than 50 places and nothing tells which is meant; "
            "give the address of one"
        )
    raise UnknownAddress(f"it is not known what {picked.name!r} stands for here")


def project_of(ground: Ground, text: str) -> tuple[tuple[Tree, ...], str, bool]:
    """Return the trees that are meant, what follows the project's name, and whether it was given.

    A path is looked for in all projects when it is given without one.
    """
    project, colon, rest = text.partition(":")
    if colon and not rest.startswith(":"):
        for tree in ground.trees:
            if tree.name == project:
                return (tree,), rest, True
    return ground.trees, text, False


# ---------------------------------------------------------------------- places


def _placed(ground: Ground, trees: tuple[Tree, ...], rest: str, *, named: bool) -> Picked | None:
    """Return what a place means, None when the text gives no place."""
    before, hashmark, fragment = rest.partition("#")
    if hashmark and fragment:
        files = files_at(trees, before)
        if files:
            return _by_fragment(ground, files, fragment, rest)
        if named or "/" in before:
            raise no_file(ground, trees, before)
    match = _LINES.fullmatch(rest)
    if match is not None:
        files = files_at(trees, match["path"])
        if files:
            return _by_position(ground, files, match, rest)
        if named or "/" in match["path"] or "." in match["path"]:
            raise no_file(ground, trees, match["path"])
    path, colons, member = rest.partition("::")
    if colons and "." in path and (files := files_at(trees, path)):  # as pytest names tests
        return _by_fragment(ground, files, member.replace("::", "."), rest)
    files = files_at(trees, rest)
    if files:
        return Picked(rest, tuple(Target(tree, file.path, -1) for tree, file in files), len(files))
    return None


def files_at(trees: Sequence[Tree], encoded: str) -> list[tuple[Tree, FileSymbols]]:
    """Return the files that a path names, whole, or else by its end when only one file fits.

    Raises UnknownAddress when several do.
    """
    path = unquote(encoded).removeprefix("./")
    found = [(tree, file) for tree in trees if (file := tree.file(path)) is not None]
    if found or not path or "." not in path:
        return found
    ends = [(tree, one) for tree in trees for one in tree.paths if one.endswith(f"/{path}")]
    if len(ends) > 1:
        names = ", ".join(f"{tree.name}:{one}" for tree, one in ends[:MAX_LISTED])
        raise UnknownAddress(f"{quoted(path)} is the end of several paths; say which: {names}")
    return [(tree, file) for tree, one in ends if (file := tree.file(one)) is not None]


def no_file(ground: Ground, trees: Sequence[Tree], encoded: str) -> UnknownAddress:
    """Return the error for a path that no tree has; it names those that are called alike."""
    path = unquote(encoded)
    names = ", ".join(tree.name for tree in trees) or "no project"
    near = near_paths(trees, path)
    project = path.partition(":")[0]
    if ":" in path and not near and all(tree.name != project for tree in ground.trees):
        return UnknownAddress(f"no project named {quoted(project)} is asked about, but {names}")
    hint = f"; near it: {', '.join(near)}" if near else ""
    return UnknownAddress(f"no file {quoted(path)} is indexed in {names}{hint}")


def _by_fragment(
    ground: Ground, files: Sequence[tuple[Tree, FileSymbols]], fragment: str, text: str
) -> Picked:
    targets = [
        Target(tree, file.path, index)
        for tree, file in files
        for index in _named_by(ground, tree, file, fragment)
    ]
    if not targets:
        _, file = files[0]
        near = near_names(forms_of(one.qualified for one in file.symbols), unquote(fragment))
        hint = f"it has {', '.join(near)}" if near else "ask for its outline"
        raise UnknownAddress(
            f"{quoted(text)} names nothing: the symbol may have been renamed or moved; {hint}"
        )
    return Picked(unquote(fragment), tuple(targets), len(targets))


def _named_by(ground: Ground, tree: Tree, file: FileSymbols, fragment: str) -> Sequence[int]:
    """Return the symbols that the part of an address after # names, in one file."""
    base, at, nth = fragment.rpartition("@")
    wanted = unquote(base if at and nth.isdigit() else fragment)
    whole = file.qualified(wanted)
    for number, index in enumerate(whole, 1):
        if symbol_fragment(file.symbols[index].qualified, number) == fragment:
            return (index,)
    for chunk in ground.chunks(tree, file.path):
        if chunk.fragment == fragment:
            shown = file.qualified(chunk.name) if chunk.name else ()
            around = next((one for one in shown if _holds(file, one, chunk.start_line)), -1)
            return (around if around >= 0 else file.around(chunk.start_line),)
    ends = [at for at, one in enumerate(file.symbols) if one.qualified.endswith(f".{wanted}")]
    return whole or ends


def _holds(file: FileSymbols, index: int, line: int) -> bool:
    symbol = file.symbols[index]
    return (symbol.lead_line or symbol.start_line) <= line <= symbol.end_line


def _by_position(
    ground: Ground, files: Sequence[tuple[Tree, FileSymbols]], match: re.Match[str], text: str
) -> Picked:
    tree, file = files[0]
    line = int(match["line"])
    last = ground.line_counts(tree, [file.path]).get(file.path, 0)
    if not 1 <= line <= last:
        raise UnknownAddress(f"{quoted(text)} is outside the file, which has {last} lines")
    column = match["more"] if text[match.start("more") - 1] == ":" else None
    resolver = ground.resolver(tree)
    if column is None:
        found = at_line(resolver, file, line)
    else:
        found = at_column(resolver, file, ground.chunks(tree, file.path), line, int(column))
    return Picked(
        found.name,
        found.targets,
        len(found.targets),
        found.certainty,
        found.external,
        (tree, file, found.local) if found.local is not None else None,
        crowded=found.crowded,
        line=(tree, file, line) if column is None else None,
    )


# ---------------------------------------------------------------------- names


def _by_name(ground: Ground, trees: tuple[Tree, ...], name: str, at: str) -> Picked:
    if is_route(name):
        routes = sorted(handlers([ground.resolver(tree) for tree in trees], name), key=_in_a_test)
        if routes:
            return Picked(name, tuple(routes), len(routes), placed=False)
    resolvers = [(tree, ground.resolver(tree)) for tree in trees]
    found = [(tree, resolver.named(name)) for tree, resolver in resolvers]
    if not any(some for _, some in found):
        found = [(tree, _inherited(resolver, name)) for tree, resolver in resolvers]
    targets = [target for _, some in found for target in some]
    if targets:
        exact = {tree.name: some for tree, some in found if some}
        meant = sum(_meant(tree, exact[tree.name]) for tree in trees if tree.name in exact)
        certainty = Certainty.EXACT if meant == 1 else Certainty.AMBIGUOUS
        return Picked(name, tuple(targets), meant, certainty, placed=False)
    near = list(dict.fromkeys(one for tree in trees for one in _alike(ground, tree, name)))
    hint = f"did you mean {', '.join(near[:MAX_NEAR])}?" if near else "search for it"
    raise UnknownAddress(f"nothing called {quoted(at)} is defined here; {hint}")


def _inherited(resolver: Resolver, name: str) -> Sequence[Target]:
    """Return the member that a type has from one of its bases: `Flask.route` is Scaffold's."""
    *owners, last = parts_of(name) or [name]
    types = resolver.named(".".join(owners)) if owners else ()
    found: dict[tuple[int, str, int], Target] = {}
    for owner in types:
        symbol = symbol_of(owner)
        if symbol is not None and symbol.kind in TYPES:
            found |= {one.key: one for one in resolver.members(owner, last)}
    return tuple(found.values())


def _alike(ground: Ground, tree: Tree, name: str) -> list[str]:
    """Return the qualified names of what is spelled like a name, its qualifier or owner first.

    When something is called so and only the qualifier is wrong, that is what may be meant.
    """
    *owners, last = parts_of(name) or [name]
    owner = owners[-1].casefold() if owners else ""
    near = [last] if tree.defining([last])[last] else near_names(ground.spellings(tree), last)
    found: list[str] = []
    for called in tree.defining(near).values():
        symbols = (symbol_of(one) for one in called[:MAX_ALIKE])
        found += [symbol.qualified for symbol in symbols if symbol is not None]
    return sorted(dict.fromkeys(found), key=lambda one: owner not in one.casefold().split(".")[:-1])


def quoted(text: str) -> str:
    """Return what was asked as it is named in a message: in quotes, and cut when it is long."""
    text = text.strip()
    return repr(text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}...")


def _in_a_test(target: Target) -> bool:
    file = target.tree.file(target.path)
    return file is not None and is_test(file, target.index)


def _meant(tree: Tree, targets: Sequence[Target]) -> int:
    """Return how many definitions a name has, though not all of them were returned."""
    symbol = symbol_of(targets[0])
    if symbol is None or len(targets) < 50:
        return len(targets)
    return len(tree.defining([symbol.name])[symbol.name])
