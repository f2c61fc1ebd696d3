"""How the task that fills in vectors waits, and what it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import pytest

from paparatsd.embeddings.embedder import EmbedderRefused
from paparatsd.errors import BadReply, EmbedderUnavailable
from paparatsd.indexing.dense import DenseFiller
from tests.harness.embedding_clock import SkippingClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from paparatsd.errors import PaparatsError
    from paparatsd.model import ShardKey, VersionId


class Failing:
    """Work that fails some times in a row, as if the embedder did, then there is none."""

    def __init__(self, failures: list[PaparatsError]) -> None:
        self.failures = failures
        self.healed = anyio.Event()

    async def shards(self) -> list[ShardKey]:
        if self.failures:
            raise self.failures.pop(0)
        return []

    async def missing(self, shard: ShardKey) -> list[VersionId]:
        raise AssertionError(shard)

    async def full(self) -> None:
        self.healed.set()


@pytest.mark.parametrize(
    ("failures", "waits"),
    [
        ([EmbedderUnavailable("away")] * 5, [1, 5, 15, 60, 60]),
        ([BadReply("nonsense")] * 2, [1, 5]),
        ([EmbedderRefused("wrong key")] * 2, [60, 60]),
        ([EmbedderUnavailable("away"), EmbedderRefused("wrong key")], [1, 60]),
    ],
)
async def test_what_may_pass_is_looked_at_soon_and_what_was_refused_once_a_minute(
    failures: list[PaparatsError], waits: list[float]
) -> None:
    work, clock = Failing(list(failures)), SkippingClock()
    parts: Any = {"embedder": None, "ledger": None, "writers": None}
    filler = DenseFiller(clock=clock, work=work, **parts)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(filler.run)
        with anyio.fail_after(5):
            await work.healed.wait()
        await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()

    assert clock.waits == waits
    assert filler.problems() == ()


class LongWork:
    """Work that the embedder fails at once; then there are rounds, between which is looked."""

    def __init__(self) -> None:
        self.failures = [EmbedderUnavailable("away")]
        self.rounds: list[list[Any]] = [[1], [2]]
        self.told: list[tuple[str, ...]] = []
        self.over = anyio.Event()
        self.problems: Callable[[], tuple[str, ...]] = tuple

    async def shards(self) -> list[Any]:
        if self.failures:
            raise self.failures.pop()
        return ["shard"]

    async def missing(self, _shard: ShardKey) -> list[Any]:
        self.told.append(self.problems())
        return self.rounds.pop(0) if self.rounds else []

    async def full(self) -> None:
        self.over.set()


class Stored:
    """Versions without chunks, and a writer that takes them."""

    async def stored_files(self, _versions: Any) -> list[Any]:
        return []

    def of(self, _shard: Any) -> Stored:
        return self

    async def fill(self, _batches: Any, _versions: Any) -> None:
        return


async def test_what_was_wrong_is_not_told_any_longer_once_work_goes_on() -> None:
    work, stored = LongWork(), Stored()
    parts: Any = {"embedder": None, "ledger": stored, "writers": stored}
    filler = DenseFiller(clock=SkippingClock(), work=work, **parts)
    work.problems = filler.problems

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(filler.run)
        with anyio.fail_after(5):
            await work.over.wait()
        tasks.cancel_scope.cancel()

    assert work.told == [("away",), (), ()]
