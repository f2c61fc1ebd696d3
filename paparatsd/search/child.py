"""The search process: `python -m paparatsd.search.child CATALOG [OPTIONS] FD`.

Serves the engine over the inherited socket and ends when the daemon's end closes. It opens the
catalog read-only on first use, so that it can be started before the catalog exists.
"""

from __future__ import annotations

import gc
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from paparatsd import ipc
from paparatsd.embeddings.static import StaticModel, prose_model
from paparatsd.search.catalog import CatalogSource
from paparatsd.search.docs_engine import DocsEngine
from paparatsd.search.frames import pack_ranked, unpack_asked
from paparatsd.search.options import ChildOptions
from paparatsd.search.ranker import load_ranker
from paparatsd.search.shortcut import Shortcut
from paparatsd.search.warming import WarmEngine
from paparatsd.store.reader import CatalogReader
from paparatsd.store.recall_link import RecallClient
from paparatsd.urgency import ask_for_short_slices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.model import RecallReply
    from paparatsd.search.frames import Asked, Packed
    from paparatsd.search.recall import RecallPlan
    from paparatsd.search.scope import Scope

log = structlog.get_logger()

MEMORY_BYTES = 4 << 30
"""Bound of the address space, shared libraries and the memory-mapped catalog included."""


class Server:
    """Turns requests into calls of the engine."""

    def __init__(self, catalog: Path, options: ChildOptions) -> None:
        self._catalog = catalog
        self._options = options
        self._engine: WarmEngine | None = None
        self._docs: DocsEngine | None = None
        self._encoder: StaticModel | None = None
        self._loading = False
        self.shortcut: Shortcut | None = None
        if options.link is not None:
            link = RecallClient(socket.socket(fileno=options.link))
            self.shortcut = Shortcut(link, self._finish)

    def engine(self) -> WarmEngine:
        """Return the engine, made on first use."""
        if self._engine is None:
            source = CatalogSource(CatalogReader(self._catalog))
            encoder = self._model() if self._options.meaning else None
            ranker = Path(self._options.ranker) if self._options.ranker else None
            self._engine = WarmEngine(source, encoder, ranker=load_ranker(ranker))
            gc.freeze()
        return self._engine

    def docs(self) -> DocsEngine:
        """Return what answers from documents, made on first use."""
        if self._docs is None:
            source, engine = CatalogSource(CatalogReader(self._catalog)), self.engine()
            meaning = self._options.meaning
            self._docs = DocsEngine(
                source,
                engine.shelf,
                engine.embed_query,
                is_word=self._model().knows if meaning else None,
                sense=StaticModel.load(prose_model()) if meaning else None,
            )
        return self._docs

    def _model(self) -> StaticModel:
        """Return the built-in model, loaded on first use."""
        if self._encoder is None:
            self._encoder = StaticModel.load()
        return self._encoder

    def idle(self) -> bool:
        """Load ahead a little; return whether there is more to do."""
        if self._engine is None:
            return False
        try:
            more = self._engine.idle() or self.docs().idle()
        except Exception as error:  # noqa: BLE001 - loading ahead may fail, questions will tell why
            log.warning("warming_failed", error=str(error))
            self._engine.forget_wanted()
            return False
        if self._loading and not more:
            gc.freeze()  # what was loaded stays: collections need not look at it
        self._loading = more
        return more

    def handle(self, operation: str, argument: Any, note: Callable[[Any], None]) -> Any:  # noqa: ANN401 - frames carry any value
        """Serve one request of the daemon."""
        del note
        known: dict[str, Callable[[Any], Any]] = {
            "find": lambda asked: self._find(unpack_asked(asked)),
            "rank": lambda asked: pack_ranked(self.engine().rank(*asked)),
            "show": lambda asked: self.engine().show(*asked),
            "docs": lambda asked: self.docs().plan(asked),
            "docs_rank": lambda asked: self.docs().rank(*asked),
            "document": lambda asked: self.docs().document(asked),
            "embed": lambda asked: self._embed(*asked),
            "warm": self._warm,
            "ping": lambda _: "pong",
        }
        if operation not in known:
            raise ValueError(f"unknown operation {operation!r}")
        return known[operation](argument)

    def _warm(self, scope: Scope) -> int:
        self.docs().want(scope)
        return self.engine().warm(scope)

    def _embed(self, texts: Sequence[str], query: bool) -> Any:  # noqa: ANN401 - what a frame carries
        """Return the vectors of texts and what names the model."""
        model = self._model()
        rows = model.encode_queries(texts) if query else model.encode(texts)
        return rows, model.spec.fingerprint

    def _find(self, asked: Asked) -> Any:  # noqa: ANN401 - what a frame carries
        """Return (None, answer), now or later, or (plan, None): then the daemon asks the store."""
        shortcut = self.shortcut if asked.linked else None
        plan = self.engine().plan(
            *asked[:3],
            built_in=asked.built_in,
            begin=None if shortcut is None else shortcut.begin,
            further=asked.further,
        )
        if not plan.requests:
            return None, self._finish(plan, ())
        later = None if shortcut is None else shortcut.ask(plan)
        if later is None:
            return plan, None
        self.engine().prepare(plan.token)
        return later

    def _finish(self, plan: RecallPlan, replies: Sequence[RecallReply]) -> Packed:
        return pack_ranked(self.engine().rank(plan.token, replies))


def main() -> None:
    """Serve the daemon until its end of the pipe closes."""
    options = [ChildOptions.from_argument(text) for text in sys.argv[2:-1]]
    server = Server(Path(sys.argv[1]), options[0] if options else ChildOptions())
    ipc.limit_memory(MEMORY_BYTES)
    ask_for_short_slices()
    ipc.serve_child(server.handle, side=server.shortcut, idle=server.idle)


if __name__ == "__main__":
    main()
