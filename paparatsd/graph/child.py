"""The graph process: `python -m paparatsd.graph.child CATALOG FD`.

Answers questions from the catalog, which it opens read-only on first use, those that take long in
slices, and ends when the daemon's end of the pipe closes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from paparatsd import ipc
from paparatsd.graph.ground import Grounds
from paparatsd.graph.operations import OPERATIONS
from paparatsd.graph.slices import Slicer
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY_BYTES = 2 << 30
"""Bound of the address space, shared libraries and the memory-mapped catalog included."""


class Server:
    """Turns requests into questions to the projects they are about."""

    def __init__(self, catalog: Path) -> None:
        self._catalog = catalog
        self._grounds: Grounds | None = None
        self._slicer = Slicer()

    def handle(self, operation: str, argument: Any, note: Callable[[Any], None]) -> Any:  # noqa: ANN401 - frames carry any value
        """Serve one request of the daemon."""
        del note
        if operation == "ping":
            return "pong"
        if operation == "go on":
            return self._slicer.go_on(argument)
        if operation not in OPERATIONS:
            raise ValueError(f"unknown operation {operation!r}")
        if self._grounds is None:
            self._grounds = Grounds(CatalogReader(self._catalog))
        projects, request = argument
        answer = OPERATIONS[operation](self._grounds.of(projects), request)
        return self._slicer.begin(answer) if isinstance(answer, GeneratorType) else answer


def main() -> None:
    """Serve the daemon until its end of the pipe closes."""
    server = Server(Path(sys.argv[1]))
    ipc.limit_memory(MEMORY_BYTES)
    ipc.serve_child(server.handle)


if __name__ == "__main__":
    main()
