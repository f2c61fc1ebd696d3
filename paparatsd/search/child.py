"""The search process: `python -m paparatsd.search.child CATALOG MEMORY_BYTES FD`.

Serves the engine over the inherited socket and ends when the daemon's end closes. It opens the
catalog read-only on first use, so that it can be started before the catalog exists.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paparatsd import ipc
from paparatsd.embeddings.static import StaticModel
from paparatsd.search.catalog import CatalogSource
from paparatsd.search.engine import Engine
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY_BYTES = 4 << 30
"""Bound of the address space, shared libraries and the memory-mapped catalog included."""


class Server:
    """Turns requests into calls of the engine."""

    def __init__(self, catalog: Path) -> None:
        self._catalog = catalog
        self._engine: Engine | None = None

    def engine(self) -> Engine:
        """Return the engine, made on first use."""
        if self._engine is None:
            source = CatalogSource(CatalogReader(self._catalog))
            self._engine = Engine(source, StaticModel.load())
            gc.freeze()
        return self._engine

    def handle(self, operation: str, argument: Any, note: Callable[[Any], None]) -> Any:  # noqa: ANN401 - frames carry any value
        """Serve one request of the daemon."""
        del note
        if operation == "plan":
            request, scope, vector, built_in = argument
            return self.engine().plan(request, scope, vector, built_in=built_in)
        if operation == "rank":
            token, replies = argument
            return self.engine().rank(token, replies)
        if operation == "show":
            address, radius, scope = argument
            return self.engine().show(address, radius, scope)
        if operation == "warm":
            return self.engine().warm(argument)
        if operation == "embed_query":
            return self.engine().embed_query(argument)
        if operation == "ping":
            return "pong"
        raise ValueError(f"unknown operation {operation!r}")


def main() -> None:
    """Serve the daemon until its end of the pipe closes."""
    catalog, memory = Path(sys.argv[1]), sys.argv[2:-1]
    ipc.limit_memory(int(memory[0]) if memory else MEMORY_BYTES)
    ipc.serve_child(Server(catalog).handle)


if __name__ == "__main__":
    main()
