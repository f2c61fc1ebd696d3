"""One pass over (part of) a project: plan, build in batches, commit generations as it goes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paparatsd.indexing.plan import Known, Plan, batches, plan_changes
from paparatsd.model import Head, Skip
from paparatsd.status_model import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from paparatsd.clock import Clock
    from paparatsd.indexing.apply import Placed, VersionBuilder
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.model import SkippedFile, TreeListing

BATCH_FILES = 24
BATCH_BYTES = 400_000
RECOGNISE_FILES = 400
RECOGNISE_BYTES = 8_000_000
MANY = 48
"""From so many files on it is asked first which of them are known: more than a person saves."""
GENERATION_FILES = 400
GENERATION_S = 2.0
"""A long run commits when this many built files or this much time has gathered, to answer early."""


@dataclass(frozen=True, slots=True)
class PassInput:
    """The same part of a project as the index knows it and as the disk shows it."""

    known: Known
    listing: TreeListing
    paranoid: bool = False


@dataclass(slots=True)
class Gathered:
    """View changes that wait for the next generation."""

    placed: list[Placed] = field(default_factory=list)
    drop: list[str] = field(default_factory=list)
    skip: list[SkippedFile] = field(default_factory=list)
    unskip: list[str] = field(default_factory=list)
    built: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to commit."""
        return not (self.placed or self.drop or self.skip or self.unskip)


class Pass:
    """Makes one project's index equal to one listing. Use once."""

    def __init__(
        self,
        *,
        project_id: int,
        root: Path,
        builder: VersionBuilder,
        ledger: Ledger,
        clock: Clock,
        head: Head,
        on_commit: Callable[[int], None],
    ) -> None:
        self._project_id = project_id
        self._root = root
        self._builder = builder
        self._ledger = ledger
        self._clock = clock
        self._head = head
        self._on_commit = on_commit
        self._total = 0
        self._placed = 0
        self._waiting: set[str] = set()
        self.vanished: set[str] = set()
        """Files that were listed but could not be found when they were to be read."""
        self._chunks = 0
        self._began = clock.monotonic()
        self._committed_at = self._began

    @property
    def remaining(self) -> int:
        """Files still to be read."""
        return self._total - self._placed

    @property
    def waiting(self) -> frozenset[str]:
        """Files that no commit has covered yet."""
        return frozenset(self._waiting)

    def progress(self) -> Progress:
        """Say how far this pass is."""
        elapsed = max(self._clock.monotonic() - self._began, 1e-6)
        rate = self._placed / elapsed
        eta = self.remaining / rate if self._placed else None
        return Progress(self._placed, self._total, self._chunks, rate, eta)

    async def run(self, given: PassInput) -> Plan:
        """Do it and return what was planned. Raises PaparatsError; what is committed stays."""
        plan = plan_changes(given.known, given.listing, paranoid=given.paranoid)
        if plan.is_empty:
            return plan
        self._total = len(plan.read)
        self._waiting = {*plan.read, *plan.drop} - plan.doubted
        gathered = Gathered()
        left = await self._recognise(plan.read, given, gathered)
        gathered = await self._read_all(left, given, gathered)
        # Drops come last: a file that moved is found at its new place before it leaves the old.
        gathered.drop.extend(plan.drop)
        gathered.skip.extend(plan.skip)
        gathered.unskip.extend(plan.unskip)
        await self._commit(gathered)
        return plan

    async def _recognise(
        self, paths: Sequence[str], given: PassInput, gathered: Gathered
    ) -> Sequence[str]:
        """Place what is known already, and return what is left to be read one by one."""
        if len(paths) < MANY:
            return paths
        found: set[str] = set()
        sizes = given.listing.files
        tasks = [
            asyncio.create_task(self._builder.recognise(self._root, some))
            for some in batches(paths, sizes, max_files=RECOGNISE_FILES, max_bytes=RECOGNISE_BYTES)
        ]
        try:
            for placed in await asyncio.gather(*tasks):
                found.update(item.path for item in placed)
                self._take_placed(placed, gathered)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return [path for path in paths if path not in found]

    async def _read_all(
        self, paths: Sequence[str], given: PassInput, gathered: Gathered
    ) -> Gathered:
        """Build all batches, as many at once as there are workers; commit now and then."""
        todo = batches(paths, given.listing.files, max_files=BATCH_FILES, max_bytes=BATCH_BYTES)
        running: set[asyncio.Task[list[Placed]]] = set()
        try:
            for some in todo:
                running.add(
                    asyncio.create_task(self._builder.place(self._project_id, self._root, some))
                )
                if len(running) > self._builder.width:
                    running = await self._take(running, gathered)
                gathered = await self._commit_if_due(gathered)
            while running:
                running = await self._take(running, gathered)
                gathered = await self._commit_if_due(gathered)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        return gathered

    async def _take(
        self, running: set[asyncio.Task[list[Placed]]], gathered: Gathered
    ) -> set[asyncio.Task[list[Placed]]]:
        """Wait for at least one batch and add what it placed."""
        done, waiting = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            placed = task.result()
            # Gone between being listed and being read: alone, or with the whole root? The next
            # listing tells.
            gone = [item.path for item in placed if _is_gone(item)]
            self.vanished.update(gone)
            self._waiting.difference_update(gone)
            gathered.built += sum(item.computed for item in placed)
            self._take_placed([item for item in placed if not _is_gone(item)], gathered)
            self._placed += len(gone)
        return waiting

    def _take_placed(self, placed: Sequence[Placed], gathered: Gathered) -> None:
        gathered.placed.extend(placed)
        self._placed += len(placed)
        self._chunks += sum(item.chunks for item in placed)

    async def _commit_if_due(self, gathered: Gathered) -> Gathered:
        due = self._clock.monotonic() - self._committed_at > GENERATION_S
        if gathered.built < GENERATION_FILES and not (due and gathered.placed):
            return gathered
        await self._commit(gathered)
        return Gathered()

    async def _commit(self, gathered: Gathered) -> None:
        if gathered.is_empty:
            return
        generation = await self._ledger.commit(
            self._project_id, gathered, self._head, self._builder.shard
        )
        self._committed_at = self._clock.monotonic()
        self._waiting.difference_update(gathered.drop, (item.path for item in gathered.placed))
        self._on_commit(generation)


def _is_gone(placed: Placed) -> bool:
    return placed.skipped is not None and placed.skipped.reason is Skip.DELETED
