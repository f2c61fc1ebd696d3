"""Makes acknowledged points durable, soon but not at once: an fsync per save would be felt."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import PaparatsError

if TYPE_CHECKING:
    from paparatsd.clock import Clock
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.model import ShardKey
    from paparatsd.store.vectors import VectorStore

log = structlog.get_logger()

DELAY_S = 1.0
RETRY_S = 15.0


class Flusher:
    """Flushes shards that were written to; the only one who marks versions as flushed."""

    def __init__(self, *, vectors: VectorStore, ledger: Ledger, clock: Clock) -> None:
        self._vectors = vectors
        self._ledger = ledger
        self._clock = clock
        self._written: set[ShardKey] = set()
        self._wake = asyncio.Event()
        self.problem = ""
        """Why the last flush failed, or ""."""

    def note(self, shard: ShardKey) -> None:
        """Say that a shard was written to."""
        self._written.add(shard)
        self._wake.set()

    async def run(self) -> None:
        """Flush until cancelled; a failure is tried again later."""
        while True:
            await self._wake.wait()
            await self._clock.sleep(DELAY_S)
            self._wake.clear()
            try:
                await self.flush()
                self.problem = ""
            except PaparatsError as error:
                self.problem = str(error)
                log.warning("flush_failed", error=self.problem)
                await self._clock.sleep(RETRY_S)
                self._wake.set()

    async def flush(self) -> None:
        """Flush what was written so far."""
        for shard in tuple(self._written):
            # Taken before the flush: what is acknowledged later may not be covered by it.
            versions = await self._ledger.flushable(shard)
            self._written.discard(shard)
            try:
                await self._vectors.flush(shard)
            except PaparatsError:
                self._written.add(shard)
                raise
            await self._ledger.mark_flushed(shard, versions)
