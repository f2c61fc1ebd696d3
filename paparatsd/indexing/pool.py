"""The pool of worker processes: hands out files, blames the file that a worker died of."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from paparatsd import ipc
from paparatsd.errors import ChildDied
from paparatsd.indexing.jobs import BuildFile, BuildJob, Outcome, Recognised, Started, stat_file
from paparatsd.model import Skip, SkippedFile
from paparatsd.supervise import Child, RemoteError, local_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.clock import Clock

log = structlog.get_logger()

JOB_DEADLINE_S = 600.0
"""Bound of a whole job; the bound that matters is the one per file."""
EMBED_DEADLINE_S = 60.0
"""Bound of embedding the texts of a few dozen files."""


BLOATED_BYTES = 600 << 20
"""A worker that has grown beyond this is replaced: grammars do not give memory back."""


MAX_FOR_NOTHING = 5
"""So often in one job may a worker end while no file can be blamed."""


class _Watch:
    """Follows one job through the worker's notes."""

    def __init__(self, job: BuildJob, on_outcome: Callable[[Outcome], None]) -> None:
        self.waiting = {file.path: file for file in job.files}
        self.current: str | None = None
        self.moved = asyncio.Event()
        self._on_outcome = on_outcome

    def note(self, body: Any) -> None:  # noqa: ANN401 - Started or Outcome
        """Take one message of the worker."""
        self.moved.set()
        if isinstance(body, Started):
            self.current = body.path
            return
        self.current = None
        if self.waiting.pop(body.path, None) is not None:
            self._on_outcome(body)


class WorkerPool:
    """A fixed number of workers, started when needed and ended after `idle_s` without work."""

    def __init__(
        self,
        *,
        count: int,
        file_timeout_s: float,
        memory_bytes: int,
        idle_s: float,
        clock: Clock,
        module: str = "paparatsd.indexing.worker",
    ) -> None:
        self._children = [
            Child(f"worker-{n}", module, (str(memory_bytes),)) for n in range(1, count + 1)
        ]
        self._free: asyncio.Queue[Child] = asyncio.Queue()
        for child in self._children:
            self._free.put_nowait(child)
        self._file_timeout_s = file_timeout_s
        self.idle_s = idle_s
        self._clock = clock
        self._used_at = clock.monotonic()
        self.quarantined = 0

    @property
    def size(self) -> int:
        """How many jobs run at once."""
        return len(self._children)

    def pids(self) -> dict[str, int]:
        """Return process ids of the running workers by name."""
        return {child.name: child.pid for child in self._children if child.pid is not None}

    async def build(self, job: BuildJob) -> list[Outcome]:
        """Build every file of the job and return one outcome each, in any order.

        A file that kills its worker twice is built without structure; if that fails too it is
        skipped as quarantined. Raises ChildDied only when workers cannot be started at all.
        """
        outcomes: list[Outcome] = []
        deaths: dict[str, int] = {}
        files, for_nothing = job.files, 0
        while files:
            left, culprit = await self._attempt(replace(job, files=files), outcomes)
            if culprit is None and left:
                for_nothing += 1
                if for_nothing > MAX_FOR_NOTHING:
                    raise ChildDied("the workers end before they touch a file; see the log")
            files = self._next_files(job.root, left, culprit, deaths, outcomes)
        return outcomes

    async def recognise(self, job: BuildJob) -> list[Recognised]:
        """Return which files of the job have a content that is known to it; they are only read.

        Nothing is announced, so nobody can be blamed: when the worker ends or is too slow, none is
        recognised, and `build` finds out about each.
        """
        child = await self._free.get()
        found: list[Recognised] = []
        try:
            found = await child.call("recognise", job, timeout_s=self._file_timeout_s)
        except ChildDied as error:
            log.debug("worker_recognised_nothing", files=len(job.files), error=str(error))
        finally:
            self._used_at = self._clock.monotonic()
            self._free.put_nowait(child)
        return found

    async def embed(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], str]:
        """Return the vectors of texts by the built-in model, and what names it.

        Raises ChildDied, and Unavailable for what a worker cannot do.
        """
        child = await self._free.get()
        try:
            rows, fingerprint = await child.call(
                "embed", list(texts), timeout_s=EMBED_DEADLINE_S, urgency=ipc.BULK
            )
        except RemoteError as error:
            raise local_error(error, child.name) from error
        finally:
            self._used_at = self._clock.monotonic()
            self._free.put_nowait(child)
        return rows, fingerprint

    async def _attempt(
        self, job: BuildJob, outcomes: list[Outcome]
    ) -> tuple[tuple[BuildFile, ...], str | None]:
        """Run a job on one worker; return the files still to do and the file it died of."""
        watch = _Watch(job, outcomes.append)
        child = await self._free.get()
        try:
            async with asyncio.TaskGroup() as tasks:
                guard = tasks.create_task(self._guard(child, watch))
                try:
                    await child.call("build", job, timeout_s=JOB_DEADLINE_S, on_note=watch.note)
                except RemoteError as error:
                    log.error("worker_failed", path=watch.current, error=str(error))  # noqa: TRY400 - the trace is the child's
                except ChildDied as error:
                    log.debug("worker_died", path=watch.current, error=str(error))
                finally:
                    guard.cancel()
        finally:
            self._used_at = self._clock.monotonic()
            try:
                if _resident_bytes(child.pid) > BLOATED_BYTES:
                    await child.rest()
            finally:
                self._free.put_nowait(child)
        return tuple(watch.waiting.values()), watch.current

    async def _guard(self, child: Child, watch: _Watch) -> None:
        """Kill the worker when one file takes too long."""
        while True:
            watch.moved.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._file_timeout_s):
                    await watch.moved.wait()
                continue
            if watch.current is not None:
                log.warning("worker_stuck", path=watch.current, seconds=self._file_timeout_s)
                child.kill()
                return

    def _next_files(
        self,
        root: str,
        left: tuple[BuildFile, ...],
        culprit: str | None,
        deaths: dict[str, int],
        outcomes: list[Outcome],
    ) -> tuple[BuildFile, ...]:
        """Say what to try next: the culprit alone first, with less ambition each time."""
        if culprit is None:
            return left
        deaths[culprit] = count = deaths.get(culprit, 0) + 1
        stat = stat_file(Path(root) / culprit)
        blamed = next(file for file in left if file.path == culprit)
        others = tuple(file for file in left if file is not blamed)
        if count >= 3:
            self.quarantined += 1
            log.warning("file_quarantined", path=culprit)
            reason = SkippedFile(culprit, Skip.QUARANTINED, "no parser survives this file")
            outcomes.append(Outcome(culprit, stat, skipped=reason))
            return others
        if count == 2:
            blamed = replace(blamed, structure=False)
        return (*others, blamed)

    async def warm(self) -> None:
        """Start one worker ahead of work that is about to come."""
        self._used_at = self._clock.monotonic()
        with contextlib.suppress(ChildDied):
            await self._children[0].call("warm", timeout_s=30.0)

    async def rest_when_idle(self) -> None:
        """End workers that had no work for `idle_s`; call now and then."""
        if self._clock.monotonic() - self._used_at < self.idle_s:
            return
        for child in self._children:
            if child.pid is not None and not child.busy:
                await child.rest()

    async def stop(self) -> None:
        """End all workers."""
        for child in self._children:
            await child.stop(within_s=0.5)


def _resident_bytes(pid: int | None) -> int:
    """Return the resident size of a process; 0 where it cannot be told."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
