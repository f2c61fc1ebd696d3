"""Parameters that pytest fills in: a test is given what the fixture of that name makes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.graph.source import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.values import Place

_SHARED = "conftest.py"


def fixture_of(place: Place, scope: int, name: str) -> Target | None:
    """Return the fixture that a parameter of a test, or of another fixture, stands for.

    It is in the same file, or in the nearest `conftest.py` of a folder above.
    """
    file = place.file
    if scope < 0 or not file.path.endswith(".py"):
        return None
    function = file.symbols[scope]
    is_filled = function.name.startswith("test") or _is_fixture(file, scope)
    if not is_filled or re.search(rf"[(,]\s*{re.escape(name)}\b", function.signature) is None:
        return None
    for path in _places(file.path):
        other = place.tree.file(path)
        for at in () if other is None else other.named(name):
            is_itself = path == file.path and at == scope
            if other is not None and not is_itself and _is_fixture(other, at):
                return Target(place.tree, path, at)
    return None


def _is_fixture(file: FileSymbols, index: int) -> bool:
    symbol = file.symbols[index]
    return any(
        use.kind == "decorator" and symbol.lead_line <= use.line < symbol.start_line
        for use in file.uses_of("fixture")
    )


def _places(path: str) -> Iterator[str]:
    yield path
    folder = path.rpartition("/")[0]
    while True:
        yield f"{folder}/{_SHARED}" if folder else _SHARED
        if not folder:
            return
        folder = folder.rpartition("/")[0]
