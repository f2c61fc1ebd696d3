"""Moves the points of a shard from one vector store to another without embedding anything anew.

Versions that are whole on the other side are left out, so what was interrupted goes on where it
was; the side they come from is only read. What counts is the catalog: how many points each version
must have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from paparatsd.errors import Broken
from paparatsd.store.vectors import VectorStore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paparatsd.model import PointBatch, ShardKey, VersionId

BATCH_VERSIONS = 20


class PointSource(VectorStore, Protocol):
    """A vector store whose points can be read back."""

    async def tally(self, shard: ShardKey) -> dict[int, int]:
        """Return how many points each version has."""
        ...

    async def read(self, shard: ShardKey, versions: Sequence[int]) -> list[PointBatch]:
        """Return all points of a few versions with their vectors."""
        ...


@dataclass(frozen=True, slots=True)
class MovePlan:
    """What is to be done for one shard.

    `todo` are versions to be copied, `there` those that are whole on the other side, `lost` those
    that are whole on neither: the daemon builds them again.
    """

    shard: ShardKey
    todo: tuple[VersionId, ...]
    there: tuple[VersionId, ...]
    lost: tuple[VersionId, ...]
    points: int


async def plan_move(
    shard: ShardKey, expected: Mapping[VersionId, int], source: PointSource, target: PointSource
) -> MovePlan:
    """Compare both sides with what the catalog expects. Raises VectorStoreUnavailable."""
    have, there = await source.tally(shard), await target.tally(shard)
    done = [one for one, count in expected.items() if there.get(one) == count]
    todo = [
        one for one, count in expected.items() if there.get(one) != count and have.get(one) == count
    ]
    lost = expected.keys() - {*done, *todo}
    points = sum(expected[one] for one in todo)
    return MovePlan(shard, tuple(sorted(todo)), tuple(sorted(done)), tuple(sorted(lost)), points)


async def move(
    plan: MovePlan,
    expected: Mapping[VersionId, int],
    source: PointSource,
    target: PointSource,
    on_progress: Callable[[int], None] = lambda points: None,
) -> None:
    """Copy what a plan names and compare what has arrived with what is expected.

    Raises VectorStoreUnavailable (call it again with a new plan), Broken when something is not
    there although each write was acknowledged.
    """
    for start in range(0, len(plan.todo), BATCH_VERSIONS):
        for batch in await source.read(plan.shard, plan.todo[start : start + BATCH_VERSIONS]):
            await target.upsert(plan.shard, batch)
            on_progress(len(batch.versions))
    await target.flush(plan.shard)
    arrived = await target.tally(plan.shard)
    wrong = [one for one in (*plan.todo, *plan.there) if arrived.get(one) != expected[one]]
    if wrong:
        raise Broken(
            f"{len(wrong)} of {len(plan.todo)} versions did not arrive whole in "
            f"{target.describe()}; nothing was deleted, so run the same command again"
        )
