"""`paparats migrate`: the points of every shard from the embedded engine to a server, or back.

The daemon must not run: it would write to one side while the other is compared.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.errors import BadSettings
from paparatsd.indexing.ledger import Ledger
from paparatsd.lock import StateLock
from paparatsd.store.edge import EdgeStore
from paparatsd.store.installation import installation_id
from paparatsd.store.migrate import move, plan_move
from paparatsd.store.server import ServerStore
from paparatsd.store.server_relayout import relayout

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paparatsd.model import ShardKey, VersionId
    from paparatsd.settings import Settings
    from paparatsd.store.migrate import MovePlan, PointSource


@dataclass(frozen=True, slots=True)
class Moving:
    """What was done, or with a dry run would be: sums over all shards, in versions and points."""

    source: str
    target: str
    shards: int
    copied: int
    points: int
    there: int
    lost: int
    dry_run: bool
    deleted: bool


async def migrate(
    settings: Settings,
    to: str,
    *,
    dry_run: bool = False,
    delete_source: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Moving:
    """Move all points to "server" or "edge"; with `delete_source` empty the other side afterwards.

    `on_progress` gets points done and points in all. Raises Busy while a daemon runs, BadSettings
    without a server, VectorStoreUnavailable, Broken; whatever ended it, calling it again goes on.
    """
    _check_server(settings)
    places = settings.places
    async with AsyncExitStack() as stack:
        stack.enter_context(StateLock(places.state, places.control_socket))
        stack.enter_context(StateLock(places.data, kind="data"))
        ledger = Ledger(places.catalog)
        await ledger.start()
        stack.push_async_callback(ledger.stop)
        edge = EdgeStore(places.vectors)
        await edge.start()
        stack.push_async_callback(edge.stop)
        server = ServerStore(settings.store, installation_id(places.installation))
        await server.start()
        stack.push_async_callback(server.stop)
        sides: tuple[PointSource, PointSource] = (edge, server)
        source, target = sides if to == "server" else sides[::-1]
        plans = [
            (await plan_move(shard, expected, source, target), expected)
            for shard, expected in await _expected(ledger)
        ]
        total, done = sum(plan.points for plan, _ in plans), 0

        def tell(points: int) -> None:
            nonlocal done
            done += points
            on_progress(done, total)

        if not dry_run:
            for plan, expected in plans:
                await move(plan, expected, source, target, tell)
                await ledger.distrust(plan.shard, plan.lost)
            for plan, _ in plans if delete_source else ():
                await source.drop(plan.shard)
        return _sum_up(source, target, [plan for plan, _ in plans], dry_run, delete_source)


async def lay_out_anew(settings: Settings, *, dry_run: bool = False) -> dict[str, int]:
    """Give the collections that this installation uses the layout of the settings.

    Returns the points of each, of all installations. Raises as `migrate` does.
    """
    places = settings.places
    _check_server(settings)
    async with AsyncExitStack() as stack:
        stack.enter_context(StateLock(places.state, places.control_socket))
        stack.enter_context(StateLock(places.data, kind="data"))
        ledger = Ledger(places.catalog)
        await ledger.start()
        stack.push_async_callback(ledger.stop)
        server = ServerStore(settings.store, installation_id(places.installation))
        await server.start()
        stack.push_async_callback(server.stop)
        names = sorted({server.layout.name(shard) for shard in await ledger.shards()})
        if dry_run:
            return dict.fromkeys(names, 0)
        return {name: await relayout(server.link, server.layout, name) for name in names}


def _check_server(settings: Settings) -> None:
    if not settings.store.qdrant_url:
        raise BadSettings(
            "there is no server to move points to or from; set store.qdrant_url (or QDRANT_URL) "
            "for this command"
        )


async def _expected(ledger: Ledger) -> list[tuple[ShardKey, Mapping[VersionId, int]]]:
    return [(shard, await ledger.expected_points(shard)) for shard in await ledger.shards()]


def _sum_up(
    source: PointSource, target: PointSource, plans: list[MovePlan], dry_run: bool, deleted: bool
) -> Moving:
    return Moving(
        source=source.describe(),
        target=target.describe(),
        shards=len(plans),
        copied=sum(len(plan.todo) for plan in plans),
        points=sum(plan.points for plan in plans),
        there=sum(len(plan.there) for plan in plans),
        lost=sum(len(plan.lost) for plan in plans),
        dry_run=dry_run,
        deleted=deleted and not dry_run,
    )
