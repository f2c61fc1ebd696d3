"""The symbols of a file, or the skeleton of a directory, within a budget."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from paparatsd.errors import BadQuery
from paparatsd.graph.files import CALLABLE, VALUES
from paparatsd.graph.pick import files_at, no_file, project_of
from paparatsd.graph.refs import Refs
from paparatsd.graph.source import Target
from paparatsd.graph.traits import traits_of
from paparatsd.graph_model import OutlineAnswer, OutlineEntry, OutlineFile, OutlineRequest
from paparatsd.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.ground import Ground
    from paparatsd.graph.source import Tree
    from paparatsd.model import Symbol, Use

MAX_TOKENS = 100_000
MAX_DEPTH = 10
MAX_IMPORTS = 40
HEAD_TOKENS = 12
"""What a file costs beside its path."""
LINE_TOKENS = 8
"""What an entry costs beside its signature: its kind and its lines."""
_BATCH = 50
_LINES = re.compile(r"(?::\d+)+$")


def outline(ground: Ground, request: OutlineRequest) -> OutlineAnswer:
    """Return the outline of what is asked for. Raises BadQuery, UnknownAddress."""
    _check(request)
    tree, path, is_file = _place(ground, request.at.strip())
    paths = [path] if is_file else list(tree.below(path))
    if request.offset and request.offset >= len(paths):
        raise BadQuery(f"offset is {request.offset}, but there are {len(paths)} files")
    files, reached = _within(ground, tree, paths, request)
    return OutlineAnswer(
        project=tree.name,
        path=path,
        files=tuple(files),
        folders={} if is_file else _folders(paths, path),
        total_files=len(paths),
        next_offset=reached if reached < len(paths) else None,
    )


def _check(request: OutlineRequest) -> None:
    for name, value, low, high in (
        ("depth", request.depth, 1, MAX_DEPTH),
        ("max_tokens", request.max_tokens, 100, MAX_TOKENS),
        ("offset", request.offset, 0, 1 << 30),
    ):
        if not low <= value <= high:
            raise BadQuery(f"{name} is {value}; it must be between {low} and {high}")


def _place(ground: Ground, text: str) -> tuple[Tree, str, bool]:
    """Return the tree and path that are meant, and whether that is a file."""
    for tree in ground.trees:
        if text.rstrip(":") == tree.name:
            return tree, "", False
    trees, rest, named = project_of(ground, text)
    path = rest.partition("#")[0].strip("/")
    if path in ("", "."):
        if len(trees) == 1:
            return trees[0], "", False
        names = ", ".join(tree.name for tree in trees) or "none"
        raise BadQuery(f"of which project? give project:path (projects: {names})")
    folder = unquote(path)
    files = files_at(trees, path) if not _is_folder(trees, folder) else []
    if files:
        return files[0][0], files[0][1].path, True
    for tree in trees:
        if tree.has_folder(folder):
            return tree, folder, False
    before = _LINES.sub("", path)
    if before != path and before:
        return _place(ground, f"{trees[0].name}:{before}" if named else before)
    raise no_file(ground, trees, path)


def _is_folder(trees: Sequence[Tree], path: str) -> bool:
    return any(tree.has_folder(path) for tree in trees) and not any(
        tree.has(path) for tree in trees
    )


def _folders(paths: Sequence[str], folder: str) -> dict[str, int]:
    """Return the folders directly in one with the number of files below each."""
    start = len(folder) + 1 if folder else 0
    found: dict[str, int] = {}
    for path in paths:
        first, slash, _ = path[start:].partition("/")
        if slash:
            found[first] = found.get(first, 0) + 1
    return found


def _within(
    ground: Ground, tree: Tree, paths: Sequence[str], request: OutlineRequest
) -> tuple[list[OutlineFile], int]:
    """Return the outlines that fit, from the offset on, and where to go on. One fits always."""
    room = request.max_tokens
    found: list[OutlineFile] = []
    refs = Refs(ground)
    at = request.offset
    for first in range(at, len(paths), _BATCH):
        batch = paths[first : first + _BATCH]
        lines = ground.line_counts(tree, batch)
        for path in batch:
            file = tree.file(path)
            outlined, cost = _outlined(
                refs, tree, path, file, lines.get(path, 0), request, room if not found else 0
            )
            if found and cost > room:
                return found, at
            found.append(outlined)
            room -= cost
            at += 1
    return found, at


def _outlined(
    refs: Refs,
    tree: Tree,
    path: str,
    file: FileSymbols | None,
    lines: int,
    request: OutlineRequest,
    most: int,
) -> tuple[OutlineFile, int]:
    """Return the outline of one file and what it costs; with `most` only as much as that."""
    cost = estimate_tokens(path) + HEAD_TOKENS
    if file is None:
        return OutlineFile(path, "", lines, ()), cost
    shown = list(_shown(file, request))
    hidden = sum(1 for index in _told(file)) - len(shown)
    entries: list[OutlineEntry] = []
    for index, depth in shown:
        more = estimate_tokens(file.symbols[index].signature or file.symbols[index].name)
        more += LINE_TOKENS + depth
        if most and cost + more > most:
            hidden += len(shown) - len(entries)
            break
        entries.append(OutlineEntry(refs.of(Target(tree, path, index)), depth))
        cost += more
    dotted = traits_of(file.language).family == "python"
    uses = [use for some in file.imports.values() for use in some]
    imports = dict.fromkeys(_module(use, dotted=dotted) for use in uses)
    some = tuple(imports)[:MAX_IMPORTS]
    cost += sum(estimate_tokens(one) + 1 for one in some)
    return OutlineFile(path, file.language, lines, tuple(entries), hidden, some), cost


def _module(use: Use, *, dotted: bool) -> str:
    """Return what an import is of; `dotted`: of "." may be a module, elsewhere it is a folder."""
    if use.target and (not dotted or use.target.strip(".")):
        return use.target
    return f"{use.target}{use.name}"


def _shown(file: FileSymbols, request: OutlineRequest) -> Iterator[tuple[int, int]]:
    """Yield the symbols to show, in file order, each with its depth."""
    depths: dict[int, int] = {-1: -1}
    told = set(_told(file))
    for index, symbol in enumerate(file.symbols):
        if symbol.parent not in depths or index not in told:
            continue
        if not request.private and not symbol.exported:
            continue
        depths[index] = depths[symbol.parent] + 1
        if depths[index] < request.depth:
            yield index, depths[index]


def _told(file: FileSymbols) -> Iterator[int]:
    """Yield the symbols that an outline can show: not what functions keep for themselves."""
    for index, symbol in enumerate(file.symbols):
        if symbol.kind not in VALUES or not _in_function(file, symbol):
            yield index


def _in_function(file: FileSymbols, symbol: Symbol) -> bool:
    return symbol.parent >= 0 and file.symbols[symbol.parent].kind in CALLABLE
