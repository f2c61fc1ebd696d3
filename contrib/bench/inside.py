"""Questions asked inside the search process itself: what searching takes without the way to it.

Over the index that a daemon has left, with the engine's own server in this process and the store in
its child, as in the daemon; nothing is left out but the daemon between them.
"""

from __future__ import annotations

import os
import select
import time
from typing import TYPE_CHECKING

from lab import SOURCE  # noqa: F401 - the path of what is imported below

from paparatsd.clock import SystemClock
from paparatsd.ipc import Later
from paparatsd.model import Freshness, FreshnessState
from paparatsd.search.child import Server
from paparatsd.search.frames import Asked, Ranked, pack_asked, unpack_ranked
from paparatsd.search.options import ChildOptions
from paparatsd.search.scope import ProjectScope, Scope
from paparatsd.search_model import SearchRequest
from paparatsd.store.edge import EdgeStore
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LATE_S = 5.0


async def seconds_inside(state: Path, queries: Sequence[str]) -> list[float]:
    """Return how long each question takes in a search process that is warm."""
    scope = scope_of(CatalogReader(state / "catalog.sqlite3"))
    store = EdgeStore(state / "vectors", clock=SystemClock())
    await store.start()
    try:
        server = Server(state / "catalog.sqlite3", ChildOptions(link=os.dup(store.link)))
        server.engine().warm(scope)
        while server.idle():
            pass
        _timed(server, scope, "warm up")
        return [_timed(server, scope, query) for query in queries]
    finally:
        await store.stop()


def scope_of(reader: CatalogReader) -> Scope:
    """Return the scope of all projects of a catalog."""
    shards = {shard.repo: shard for shard in reader.shards()}
    return Scope(
        tuple(
            ProjectScope(
                project_id=row.id,
                name=row.entry.name,
                group=row.entry.group,
                repo=row.repo,
                shard=shards[row.repo],
                generation=row.generation,
                freshness=Freshness(
                    row.entry.name, row.generation, row.head.commit, FreshnessState.CURRENT
                ),
            )
            for row in reader.projects()
        )
    )


def _timed(server: Server, scope: Scope, query: str) -> float:
    started = time.perf_counter()
    found = _find(server, Asked(SearchRequest(query), scope, None, True, True))
    seconds = time.perf_counter() - started
    if not found.candidates:
        raise SystemExit(f"nothing was searched for {query!r}")
    return seconds


def _find(server: Server, asked: Asked) -> Ranked:
    """Answer a question, the store's part over the link."""
    reply = server.handle("find", pack_asked(asked), lambda _note: None)
    if not isinstance(reply, Later):
        plan, packed = reply
        if plan is not None:
            raise SystemExit("the store could not be asked over the link")
        return unpack_ranked(packed)
    came: list[Ranked] = []
    reply.bind(lambda work: came.append(unpack_ranked(work()[1])))
    side = server.shortcut
    while side is not None and not came:
        if not select.select([side.fileno()], [], [], LATE_S)[0]:
            raise SystemExit("the store does not answer")
        side.take()
    return came[0]
