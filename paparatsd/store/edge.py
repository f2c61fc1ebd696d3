"""The embedded vector store, seen from the daemon: talks to the store child and never blocks."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import structlog

from paparatsd import ipc
from paparatsd.clock import SystemClock
from paparatsd.errors import ChildDied, VectorStoreUnavailable
from paparatsd.store.edge_frames import FRAME_VERSIONS, join_points, split_points
from paparatsd.store.recall_link import make_link
from paparatsd.store.vectors import check_points, check_request
from paparatsd.supervise import Child, RemoteError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from paparatsd.clock import Clock
    from paparatsd.model import PointBatch, RecallReply, RecallRequest, ShardKey, VersionId
    from paparatsd.store.edge_frames import TidyJob

log = structlog.get_logger()

IDLE_S = 600.0
ATTEMPTS = 3
RECALL_S = 5.0
WRITE_S = 60.0
TIDY_S = 900.0
MAX_PROBLEMS = 20


class EdgeStore:
    """The Qdrant engine in a child process; its files are below one directory.

    `problems` lists what was found damaged and moved aside; such shards are empty, and comparing
    `versions` with the catalog tells what to write again.
    """

    def __init__(self, directory: Path, *, clock: Clock | None = None) -> None:
        self._directory = directory
        self._clock = clock or SystemClock()
        own, self._link = make_link()
        self._own_link = own
        self._child = Child(
            "store",
            "paparatsd.store.edge_child",
            (str(directory), str(own.fileno())),
            inherit=(own.fileno(),),
        )
        self._optimizer = Child("optimizer", "paparatsd.store.edge_optimizer")
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None
        self.problems: tuple[str, ...] = ()

    @property
    def child(self) -> Child:
        """The process that runs the engine."""
        return self._child

    @property
    def link(self) -> int:
        """The descriptor of the end of a `recall_link` that the search process inherits."""
        return self._link.fileno()

    def may_be_asked(self) -> bool:
        """Say whether the store answers over the link now; counts as use of it."""
        if not self._child.is_running():
            return False
        self._watch_idleness()
        return True

    async def start(self) -> None:
        """Start the child."""
        try:
            await self._child.ensure_started()
        except (ChildDied, OSError) as error:
            raise VectorStoreUnavailable(f"the store process does not start: {error}") from error

    async def stop(self) -> None:
        """Write everything to the disk and end the child."""
        if self._timer is not None:
            self._timer.cancel()
        if self._child.pid is not None:
            try:
                await self._child.call("close_idle", 0.0, timeout_s=WRITE_S)
            except ChildDied as error:
                log.warning("store_not_flushed", reason=str(error))
        await self._optimizer.stop()
        await self._child.stop()
        self._own_link.close()
        self._link.close()

    def describe(self) -> str:
        """Say which store this is."""
        return f"edge (embedded Qdrant engine) in {self._directory}"

    async def upsert(self, shard: ShardKey, points: PointBatch) -> None:
        """Write points, a frame at a time; queries go in between."""
        check_points(shard, points)
        for frame in split_points(points):
            await self._call("upsert", (shard, frame), urgency=ipc.BULK)

    async def recall(self, requests: Sequence[RecallRequest]) -> list[RecallReply]:
        """Answer each request, in order."""
        for request in requests:
            check_request(request)
        try:
            async with asyncio.timeout(RECALL_S):
                reply: list[RecallReply] = await self._call(
                    "recall", list(requests), urgency=ipc.URGENT
                )
        except TimeoutError:
            raise VectorStoreUnavailable(
                f"the vector store did not answer within {RECALL_S:g} s"
            ) from None
        return reply

    async def delete(self, shard: ShardKey, versions: Sequence[VersionId]) -> None:
        """Delete all points of these versions."""
        for start in range(0, len(versions), FRAME_VERSIONS):
            batch = [int(version) for version in versions[start : start + FRAME_VERSIONS]]
            await self._call("delete", (shard, batch), urgency=ipc.BULK)

    async def flush(self, shard: ShardKey) -> None:
        """Make everything acknowledged so far survive a power cut."""
        await self._call("flush", shard, urgency=ipc.BULK)

    async def drop(self, shard: ShardKey) -> None:
        """Delete the shard with its files."""
        await self._call("drop", shard)

    async def count(self, shard: ShardKey) -> int:
        """Return how many points the shard has."""
        return int(await self._call("count", shard))

    async def versions(self, shard: ShardKey) -> set[int]:
        """Return the versions that have points, read page by page."""
        return set(await self.tally(shard))

    async def tally(self, shard: ShardKey) -> dict[int, int]:
        """Return how many points each version has."""
        found: Counter[int] = Counter()
        cursor: tuple[int, str | None] | None = (0, None)
        while cursor is not None:
            page, cursor = await self._call("scroll", (shard, *cursor), urgency=ipc.BULK)
            found.update(page.tolist())
        return dict(found)

    async def read(self, shard: ShardKey, versions: Sequence[int]) -> list[PointBatch]:
        """Return all points of a few versions with their vectors."""
        chosen = [int(version) for version in versions]
        frames = await self._call("read", (shard, chosen), urgency=ipc.BULK)
        return [join_points(frame) for frame in frames]

    async def optimize(self) -> None:
        """Tidy parts with many changes: in another process, on a copy that is swapped in.

        A part that is written to meanwhile stays as it is.
        """
        while (job := await self._call("next_tidy", None)) is not None:
            if not await self._tidy(job):
                break
        await self._optimizer.rest()

    async def _tidy(self, job: TidyJob) -> bool:
        """Do one job; False when writes came in between, so this is no time for it."""
        tidied = False
        try:
            tidied = await self._optimizer.call(
                "optimize", (job.source, job.target), timeout_s=TIDY_S, urgency=ipc.BULK
            )
        except ChildDied as error:
            log.warning("optimize_failed", shard=job.key.kind, reason=str(error))
        swapped = await self._call("finish_tidy", (job, tidied))
        log.info("shard_tidied", repo=job.key.repo, part=job.directory, swapped=swapped)
        return bool(swapped) or not tidied

    async def _call(
        self,
        operation: str,
        argument: Any,  # noqa: ANN401 - whatever the operation takes
        *,
        urgency: int = ipc.NORMAL,
    ) -> Any:  # noqa: ANN401 - whatever the operation returns
        """Ask the child; the one place that tries again, for every operation can be repeated."""
        attempt = 1
        while True:
            try:
                result, problems = await self._child.call(
                    operation, argument, timeout_s=WRITE_S, urgency=urgency
                )
                break
            except RemoteError as error:
                raise VectorStoreUnavailable(str(error)) from error
            except ChildDied as error:
                if attempt == ATTEMPTS:
                    raise VectorStoreUnavailable(
                        f"the store process fails at {operation!r}: {error}"
                    ) from error
                attempt += 1
                await self._clock.sleep(random.uniform(0.02, 0.1))  # noqa: S311 - jitter
        if problems:
            self.problems = (*self.problems, *problems)[-MAX_PROBLEMS:]
            log.warning("shard_damaged", problems=problems)
        self._watch_idleness()
        return result

    def _watch_idleness(self) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(IDLE_S, self._begin_closing)

    def _begin_closing(self) -> None:
        self._closing = asyncio.get_running_loop().create_task(self._close_idle())

    async def _close_idle(self) -> None:
        self._timer = None
        if self._child.pid is None:
            return
        try:
            still_open, _ = await self._child.call("close_idle", IDLE_S, timeout_s=WRITE_S)
        except ChildDied as error:
            log.warning("store_not_flushed", reason=str(error))
            return
        if still_open:
            self._watch_idleness()
