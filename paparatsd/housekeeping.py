"""What the daemon does beside answering and indexing: hooks' spool, project list, tidying up."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import PaparatsError
from paparatsd.indexing.drift import repair
from paparatsd.model import ChangeBatch, CommitId

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from paparatsd.clock import Clock
    from paparatsd.graph.keeper import GraphKeeper
    from paparatsd.history.keeper import HistoryKeeper
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.indexing.pool import WorkerPool
    from paparatsd.model import ShardKey
    from paparatsd.model_roles.roles import ModelRoles
    from paparatsd.registry import ProjectsFile
    from paparatsd.roster import Roster
    from paparatsd.service import Service
    from paparatsd.sessions import ProjectSession
    from paparatsd.sharing.followed_projects import FollowedProjects
    from paparatsd.sources.inbox import HookEvent, Inbox
    from paparatsd.store.vectors import VectorStore
    from paparatsd.worktrees import WorktreeFollower

log = structlog.get_logger()

SPOOL_KEY, CONFIG_KEY = "#spool", "#config"
"""Keys of our own directories at the watch hub; no project's name has a `#`."""
TIDY_S = 600.0
BEING_ADDED_S = 0.05


def common_of(git_dir: Path) -> Path:
    """Return the directory that all work trees have in common, of one's own git directory."""
    real = Path(os.path.realpath(git_dir))
    return real.parent.parent if real.parent.name == "worktrees" else real


class Housekeeping:
    """Reads the spool and the project list when they change, and tidies up when nothing else."""

    def __init__(  # noqa: PLR0913 - wired by name in one place
        self,
        *,
        clock: Clock,
        roster: Roster,
        ledger: Ledger,
        vectors: VectorStore,
        pool: WorkerPool,
        inbox: Inbox,
        projects: ProjectsFile | FollowedProjects,
        service: Service,
        history: HistoryKeeper,
        graph: GraphKeeper,
        worktrees: WorktreeFollower,
        models: ModelRoles,
        delete_points: Callable[[ShardKey], Awaitable[None]],
        collect: Callable[[], Awaitable[None]],
        state_file: Path,
        flush_problem: Callable[[], str],
        on_state_gone: Callable[[], None],
        tick_s: float,
        owns_points: bool = True,
    ) -> None:
        """Not `owns_points`: what is in the vector store is others', and not ours to compare."""
        self._clock = clock
        self._roster = roster
        self._ledger = ledger
        self._vectors = vectors
        self._pool = pool
        self._inbox = inbox
        self._projects = projects
        self._service = service
        self._history = history
        self._graph = graph
        self._worktrees = worktrees
        self._models = models
        self._delete_points = delete_points
        self._collect = collect
        self._state_file = state_file
        self._state_inode = state_file.stat().st_ino
        self._flush_problem = flush_problem
        self._on_state_gone = on_state_gone
        self._tick_s = tick_s
        self._owns_points = owns_points
        self._spool_moved = asyncio.Event()
        self._list_moved = asyncio.Event()
        self._git_moved = asyncio.Event()
        self._tidied_at: float | None = None

    def offer(self, key: str) -> None:
        """Take note of an event in one of our own directories."""
        (self._spool_moved if key == SPOOL_KEY else self._list_moved).set()

    def git_moved(self) -> None:
        """Take note that git did something in a registered repository."""
        self._git_moved.set()

    async def run(self) -> None:
        """Keep house until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._repeat(self._spool_moved, self.read_spool))
            tasks.create_task(self._repeat(self._list_moved, self._read_list))
            tasks.create_task(self._repeat(self._git_moved, self._follow_worktrees))
            tasks.create_task(self._repeat(self._ledger.outbox_filled, self._empty_outbox))
            if self._owns_points:
                tasks.create_task(self._check_store())
            tasks.create_task(self._tick())

    async def _repeat(self, event: asyncio.Event, job: Callable[[], Awaitable[None]]) -> None:
        """Do the job now and after each event; an event during the job means once more."""
        while True:
            event.clear()
            try:
                await job()
            except PaparatsError as error:
                log.warning("housekeeping_failed", job=job.__name__, error=str(error))
                await self._clock.sleep(self._tick_s)
                continue
            await event.wait()

    async def _follow_worktrees(self) -> None:
        """Look after work trees; one that git is adding is awaited: no event tells of its end."""
        while await self._worktrees.follow():
            await self._clock.sleep(BEING_ADDED_S)

    async def _check_store(self) -> None:
        """Once a start: have built again whatever the vector store has lost meanwhile."""
        left = list(await self._ledger.shards())
        while left:
            shard = left.pop(0)
            try:
                answers = self._models.is_answering(shard)
                missing = await repair(
                    shard, ledger=self._ledger, vectors=self._vectors, from_files=answers
                )
            except PaparatsError as error:
                log.warning("housekeeping_failed", job="check_store", error=str(error))
                left.append(shard)
                await self._clock.sleep(self._tick_s)
                continue
            if missing and not answers:
                self._models.wake()
            elif missing:
                for session in self._roster.sessions():
                    session.offer(ChangeBatch(doubt="points were lost"))
                log.warning("points_missing", repo=shard.repo, versions=missing)

    async def _tick(self) -> None:
        while True:
            await self._clock.sleep(self._tick_s)
            if not self._state_is_ours():
                log.error("state_gone", path=str(self._state_file))
                self._on_state_gone()
                return
            if self._flush_problem():
                await self._check_store()
            # Events are hints here too.
            self._spool_moved.set()
            self._git_moved.set()
            if self._projects.changed():
                self._list_moved.set()
            self._models.wake()
            await self._pool.rest_when_idle()
            await self._graph.rest_when_idle()
            await self._tidy_when_due()

    def _state_is_ours(self) -> bool:
        """Whether the catalog is still the file we opened, and not deleted or replaced."""
        try:
            return self._state_file.stat().st_ino == self._state_inode
        except OSError:
            return False

    async def _tidy_when_due(self) -> None:
        """Tidy at the first quiet moment after the start, then now and then."""
        now = self._clock.monotonic()
        if self._tidied_at is not None and now - self._tidied_at < TIDY_S:
            return
        sessions = self._roster.sessions()
        if not sessions or any(session.snapshot().dirty for session in sessions):
            return
        if self._models.changes():
            return  # shards are written to all the time
        self._tidied_at = now
        await self._tidy()

    async def _tidy(self) -> None:
        try:
            await self._collect()
            await self._vectors.optimize()
        except PaparatsError as error:
            log.warning("housekeeping_failed", job="tidy", error=str(error))

    async def read_spool(self) -> None:
        """Hand each hook's event to the projects of its repository, then delete it."""
        events = await asyncio.to_thread(self._inbox.read)
        for event in events:
            sessions = self._sessions_of(event)
            for session in sessions:
                session.offer(ChangeBatch(head=True))
            await self._note_fired(event, sessions)
            await self._note_rewrites(event, sessions)
        if events:
            self._git_moved.set()
            log.debug("hook_events_read", count=len(events))
            await asyncio.to_thread(self._inbox.acknowledge, events)

    async def _note_fired(self, event: HookEvent, sessions: Sequence[ProjectSession]) -> None:
        """Note when the hook ran; in the main work tree git does not say of which repository."""
        if not event.complete:
            return
        commons = {one.checkout.common_dir for one in sessions if one.checkout is not None}
        if event.git_dir:
            commons = {common_of(Path(event.worktree, event.git_dir))}
        elif not commons - {None} and event.worktree:
            commons = {common_of(Path(event.worktree, ".git"))}
        for common in commons - {None}:
            times = self._service.hook_times
            await asyncio.to_thread(times.note, str(common), event.kind, self._clock.now())

    async def _note_rewrites(self, event: HookEvent, sessions: Sequence[ProjectSession]) -> None:
        """Pass on which commits took the place of which. What is lost costs old ids, no more."""
        if not event.rewrites:
            return
        kind = event.arguments[0] if event.arguments else "rewrite"
        pairs = [(CommitId(old), CommitId(new)) for old, new in event.rewrites]
        for repo in {session.snapshot().repo for session in sessions}:
            if repo is None:
                continue
            try:
                await self._history.rewritten(repo, pairs, kind)
            except PaparatsError as error:
                log.warning("rewrites_lost", repo=repo, error=str(error))

    def _sessions_of(self, event: HookEvent) -> list[ProjectSession]:
        """Return the sessions that show the repository; all when the event does not say which."""
        sessions = list(self._roster.sessions())
        if not event.complete or not event.worktree:
            return sessions
        place = Path(event.worktree)
        return [
            session
            for session in sessions
            if session.root == place
            or session.root.is_relative_to(place)
            or (session.checkout is not None and session.checkout.work_tree == place)
        ]

    async def _read_list(self) -> None:
        if self._projects.changed():
            for change in await self._service.apply_project_list():
                log.info("project_list_changed", change=change)

    async def _empty_outbox(self) -> None:
        """Delete points of versions that are gone from the catalog, and shards left empty."""
        for shard in {entry.shard for entry in await self._ledger.outbox()}:
            await self._delete_points(shard)
        for shard in await self._ledger.empty_shards():
            await self._vectors.drop(shard)
            await self._ledger.shard_dropped(shard)
