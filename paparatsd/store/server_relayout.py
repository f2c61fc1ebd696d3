"""Builds a collection anew beside the old one, in the layout of the settings, and moves the alias.

Readers and writers of all installations go by the alias, so they see the one, then the other. What
is written to the old one meanwhile is looked for before the alias moves and once more after it;
what is deleted from it meanwhile may come back, and goes with the next comparison of its owner.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from paparatsd.errors import Broken
from paparatsd.store.server_layout import DENSE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.store.server_layout import Layout
    from paparatsd.store.server_link import QdrantLink

log = structlog.get_logger()

PAGE = 1_000
BATCH = 32
ROUNDS = 5
"""How often what was written meanwhile is looked for before that is taken for too much."""


async def relayout(
    link: QdrantLink,
    layout: Layout,
    alias: str,
    on_progress: Callable[[int], None] = lambda points: None,
) -> int:
    """Give the collection behind an alias the layout of the settings; return its points.

    0 when there is no such collection. Raises VectorStoreUnavailable (what was built beside is
    used the next time), Broken when writing went on faster than copying.
    """
    old = await layout.behind(alias)
    if old is None:
        return 0
    number = int(old.rpartition("_")[2]) if old.rpartition("_")[2].isdigit() else 0
    new = f"{alias}_{number + 1}"
    info = await link.ask("inspect", lambda: link.client.get_collection(old))
    await layout.make(new, info.config.params.vectors[DENSE].size)
    await layout.index(new)
    for _ in range(ROUNDS):
        missing = await _missing(link, old, new)
        if not missing:
            break
        await _copy(link, old, new, missing, on_progress)
    else:
        raise Broken(
            f"others write to {alias} faster than it can be copied; stop their daemons and run "
            "the same command again"
        )
    await layout.point(alias, new, old)
    await _copy(link, old, new, await _missing(link, old, new), on_progress)
    count = await link.ask("count", lambda: link.client.count(new, exact=True))
    await link.ask("drop", lambda: link.client.delete_collection(old))
    log.info("collection_laid_out_anew", alias=alias, name=new, points=count.count)
    return int(count.count)


async def _missing(link: QdrantLink, old: str, new: str) -> list[Any]:
    """Return the ids of points that are in one collection and not in the other."""
    there = set(await _ids(link, new))
    return [one for one in await _ids(link, old) if one not in there]


async def _ids(link: QdrantLink, name: str) -> list[Any]:
    found: list[Any] = []
    offset: Any = None
    while True:
        call = partial(
            link.client.scroll,
            name,
            limit=PAGE,
            offset=offset,
            with_payload=False,
            with_vectors=False,
        )
        records, offset = await link.ask("list points", call)
        found += [record.id for record in records]
        if offset is None:
            return found


async def _copy(
    link: QdrantLink,
    old: str,
    new: str,
    ids: Sequence[Any],
    on_progress: Callable[[int], None],
) -> None:
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        read = partial(link.client.retrieve, old, list(batch), with_payload=True, with_vectors=True)
        records = await link.ask("read points", read)
        structs = [
            link.models.PointStruct(id=one.id, vector=one.vector, payload=one.payload)
            for one in records
        ]
        if structs:
            await link.ask("write", partial(link.client.upsert, new, structs, wait=True))
            on_progress(len(structs))
