"""WatchHub: tells which paths of which project may have changed, and when it does not know.

Events are for speed only. They can be lost without a word, so whatever makes a loss possible (a
full queue, a source that failed, a stalled process, a resume from suspend, a root that moved,
directories that have only just been watched) is reported as doubt, and the receiver looks for
itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import structlog
from anyio import to_thread

from paparatsd.model import ChangeBatch
from paparatsd.sources.watch_inotify import is_supported
from paparatsd.sources.watch_kernel import KernelSource
from paparatsd.sources.watch_place import identify, survey
from paparatsd.sources.watch_project import WatchedProject
from paparatsd.sources.watch_route import ProjectRoute, Routed, Routes, covering_batch, route
from paparatsd.sources.watch_setbacks import Setbacks
from paparatsd.sources.watch_source import (
    EventSource,
    Lost,
    News,
    RawEvent,
    Refusal,
    WatchRefused,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from paparatsd.clock import Clock
    from paparatsd.sources.watch_stream import Notifier

log = structlog.get_logger()

SETTLE_S = 0.02
"""Declarations that come together are applied together."""
JUMP_S = 5.0
"""Wall clock and monotonic clock apart by more than this in one tick: the machine slept."""
SELF_TEST_S = 600.0
MAX_BLAME = 3
"""A project whose file names make the source fail this often in a row is polled instead."""
THREAD_EVENTS = 500
"""Larger batches are sorted in a thread."""


class WatchHub:
    """Watches all projects of one daemon through few inotify instances.

    `on_batch(key, batch)` is called in the event loop's thread and must not raise. Without
    `events` nothing is watched and every project is polled. The kernel's inotify is used where
    there is one, else (and with an `opener`) the portable source, which tests now and then that
    events still arrive, with files in `sentinel`, a directory of the daemon's own.
    """

    def __init__(
        self,
        *,
        debounce_ms: int,
        polling_after_s: float,
        clock: Clock,
        on_batch: Callable[[str, ChangeBatch], None],
        sentinel: Path | None = None,
        events: bool = True,
        opener: Callable[[list[str]], Notifier] | None = None,
    ) -> None:
        self._debounce_s = debounce_ms / 1000
        self._polling_after_s = polling_after_s
        self._clock = clock
        self._on_batch = on_batch
        self._switched_off = "" if events else "file events are switched off in the settings"
        self._source = _choose_source(sentinel, opener)
        self._projects: dict[str, WatchedProject] = {}
        self._routes = Routes()
        self._dirty = anyio.Event()
        self._applied = anyio.Event()
        self._setbacks = Setbacks()

    @property
    def instances(self) -> int:
        """How many inotify instances are in use now."""
        return self._source.count

    @property
    def restarts(self) -> int:
        """How often a source had to be opened again."""
        return self._setbacks.restarts

    def watch(
        self,
        key: str,
        root: Path,
        directories: frozenset[str],
        git_paths: tuple[Path, ...],
    ) -> None:
        """Declare what to watch for a project, again after every change of it; applied soon.

        `directories` are relative to `root` ("" is the root) and watched one by one, not below.
        Once a directory is watched it is reported: it may have changed before.
        """
        known = self._projects.get(key)
        if known is None or known.declared_root != root:
            known = WatchedProject(
                ProjectRoute(key, str(root), directories),
                root,
                git_paths,
                switched_off=self._switched_off,
            )
            self._projects[key] = known
        elif known.route.directories != directories or known.git_paths != git_paths:
            known.route = ProjectRoute(key, known.route.root, directories)
            known.git_paths = git_paths
            known.surveyed = False
        if not known.surveyed:
            self._dirty.set()

    def unwatch(self, key: str) -> None:
        """Forget a project; projects that were over a limit are tried again."""
        if self._projects.pop(key, None) is not None:
            self._lift_limits()
            self._dirty.set()

    def health(self, key: str) -> str:
        """How changes of the project are noticed: "events", "polling: reason" or "starting"."""
        project = self._projects.get(key)
        if project is None:
            return "starting"
        if project.polled:
            return f"polling: {project.polled}"
        return "events" if project.covered else "starting"

    async def covers(self, key: str, within_s: float) -> bool:
        """Wait until all that is declared for a project is watched; False when it is not in time.

        Whoever lists its files after that misses nothing, whatever was reported as doubt before.
        """
        with anyio.move_on_after(within_s):
            while (project := self._projects.get(key)) is not None and not project.polled:
                if project.surveyed and project.covered:
                    return True
                await self._applied.wait()
        return False

    async def run(self) -> None:
        """Watch until cancelled."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._keep_applied)
                tasks.start_soon(self._keep_reading)
                tasks.start_soon(self._keep_checking)
                tasks.start_soon(self._keep_polling)
                tasks.start_soon(self._keep_testing)
        finally:
            self._source.close()

    # ------------------------------------------------------------------ declarations -> watches

    async def _keep_applied(self) -> None:
        while True:
            await self._dirty.wait()
            await anyio.sleep(SETTLE_S)
            await anyio.sleep(self._setbacks.wait_s(self._monotonic()))
            self._dirty = anyio.Event()
            await self._apply()

    async def _apply(self) -> None:
        for project in list(self._projects.values()):
            if not project.surveyed:
                project.surveyed = True
                project.survey = await to_thread.run_sync(
                    survey, project.declared_root, project.route.directories, project.git_paths
                )
                key, declared = project.route.key, project.route.directories
                project.route = ProjectRoute(key, project.survey.root, declared)
        self._routes = self._build_routes()
        before = self._wanted() - self._source.watched
        await self._cover()
        newly = before & self._source.watched
        for project in list(self._projects.values()):
            self._report_covered(project, newly)
        await self._source.release(self._wanted())
        self._applied.set()
        self._applied = anyio.Event()

    def _wanted(self) -> set[str]:
        return set().union(*(project.wanted() for project in self._projects.values()))

    def _build_routes(self) -> Routes:
        roots: dict[str, tuple[ProjectRoute, ...]] = {}
        git: dict[str, tuple[tuple[str, frozenset[str] | None], ...]] = {}
        for key, project in self._projects.items():
            if project.survey is None:
                continue
            root = project.route.root
            roots[root] = (*roots.get(root, ()), project.route)
            for directory, names in project.survey.git.items():
                git[directory] = (*git.get(directory, ()), (key, names))
        return Routes(roots, git)

    async def _cover(self) -> None:
        """Watch all that is wanted; projects that do not fit are polled, the largest first."""
        while missing := self._wanted() - self._source.watched:
            try:
                if not await self._source.cover(missing):
                    return  # they are gone from disk; their parents will tell when they return
            except WatchRefused as error:
                if error.refusal is Refusal.INSTANCE_LIMIT and self._source.give_up_one():
                    continue
                self._limit(missing, error)
                # What was watched for the project that does not fit makes room for the others.
                await self._source.release(self._wanted())

    def _limit(self, missing: set[str], error: WatchRefused) -> None:
        keys = [key for key, project in self._projects.items() if project.wanted() & missing]
        if error.refusal is Refusal.WATCH_LIMIT:
            keys = [max(keys, key=lambda key: len(self._projects[key].wanted() & missing))]
        known = error.refusal in (Refusal.WATCH_LIMIT, Refusal.INSTANCE_LIMIT)
        self._setbacks.note_limit(self._clock.monotonic(), known=known)
        for key in keys:
            project = self._projects[key]
            project.git_limited = bool(project.limited)
            project.limited = str(error)
            log.warning("watch_refused", project=key, reason=str(error))
            self._emit(key, ChangeBatch(doubt="polling"))

    def _report_covered(self, project: WatchedProject, newly: set[str]) -> None:
        found = project.survey
        if found is None or project.polled:
            project.covered = False
            if found is not None and found.identity is None and found.directories & newly:
                project.surveyed = False  # it may have come back just before
                self._dirty.set()
            return
        inside = found.directories & newly
        head = bool(found.git.keys() & newly)
        project.covered = True
        if inside or head:
            self._emit(project.route.key, covering_batch(project.route, inside, head=head))

    # ------------------------------------------------------------------ events -> batches

    async def _keep_reading(self) -> None:
        while True:
            news = await self._source.wait()
            self._note_news(news)
            if news.events:
                await self._dispatch(await self._gather(news))

    def _note_news(self, news: News) -> None:
        if news.doubt:
            self._doubt_all(news.doubt)
            self._look_again_at_all()
        for lost in news.lost:
            self._note_loss(lost)

    async def _gather(self, news: News) -> set[RawEvent]:
        """Add what follows until nothing does for one step, or the debounce time is over."""
        events, end = news.events, self._monotonic() + self._debounce_s
        while self._monotonic() < end:
            await anyio.sleep(0 if news.more else self._source.step_s)
            news = self._source.poll()
            self._note_news(news)
            if not news.events and not news.more:
                break
            events |= news.events
        return events

    async def _dispatch(self, events: set[RawEvent]) -> None:
        if len(events) > THREAD_EVENTS:
            routed = await to_thread.run_sync(route, events, self._routes)
        else:
            routed = route(events, self._routes)
        self._note_moves(routed)
        for key, batch in routed.batches.items():
            self._emit(key, batch)

    def _note_moves(self, routed: Routed) -> None:
        lost = self._source.forget(routed.moved)
        nothing = ChangeBatch()
        for key, project in self._projects.items():
            batch = routed.batches.get(key, nothing)
            # A declared directory that returns is declared no second time: look again ourselves.
            touched = batch.doubt is not None or not batch.paths.isdisjoint(
                project.route.directories
            )
            if touched or key in routed.grown or not lost.isdisjoint(project.wanted()):
                project.surveyed = False
                self._dirty.set()

    def _emit(self, key: str, batch: ChangeBatch) -> None:
        if key in self._projects:
            self._on_batch(key, batch)

    def _doubt_all(self, reason: str) -> None:
        log.info("watch_doubted", reason=reason)
        for key in list(self._projects):
            self._emit(key, ChangeBatch(doubt=reason))

    # ------------------------------------------------------------------ what goes wrong

    def _look_again_at_all(self) -> None:
        for project in self._projects.values():
            project.surveyed = False
        self._dirty.set()

    def _note_loss(self, lost: Lost) -> None:
        """Say once that a source failed, open it again soon, poll whoever makes it fail."""
        if self._setbacks.note_failure(self._monotonic()):
            for project in self._projects.values():
                project.blame = 0
        if self._setbacks.is_first:
            log.warning("watch_lost", reason=lost.reason, directories=len(lost.directories))
        for key, project in list(self._projects.items()):
            if lost.directories.isdisjoint(project.wanted()):
                continue
            project.covered = False
            if f'"{project.route.root}/' in lost.reason:
                self._blame(project, lost.reason)
            self._emit(key, ChangeBatch(doubt="watch_lost"))
        self._dirty.set()

    def _blame(self, project: WatchedProject, reason: str) -> None:
        project.blame += 1
        if project.blame >= MAX_BLAME:
            project.limited = "file names that are not UTF-8 keep ending the event stream"
            self._setbacks.note_limit(self._clock.monotonic())
            log.warning("watch_refused", project=project.route.key, reason=reason)

    def _lift_limits(self) -> None:
        self._setbacks.lift()
        for project in self._projects.values():
            project.limited, project.git_limited = "", False

    async def _keep_checking(self) -> None:
        while True:
            monotonic, wall = self._clock.monotonic(), self._clock.now()
            await self._clock.sleep(self._source.check_s)
            passed = self._clock.monotonic() - monotonic
            if abs(self._clock.now() - wall - passed) > JUMP_S:
                self._doubt_all("clock_jumped")
            if self._setbacks.is_retry_due(self._clock.monotonic()):
                self._lift_limits()
                self._dirty.set()
            await self._check_roots()

    async def _check_roots(self) -> None:
        """Notice roots that were moved, deleted or replaced: the kernel then falls silent."""
        roots = {
            key: str(project.declared_root)
            for key, project in self._projects.items()
            # A stat on a dead network mount would hang.
            if project.survey is not None
            and (not project.survey.unwatchable or project.survey.identity is None)
        }
        found = await to_thread.run_sync(_identify_all, roots)
        for key, identity in found.items():
            project = self._projects.get(key)
            seen = project.survey if project is not None else None
            if project is None or seen is None or identity == seen.identity:
                continue
            log.info("root_moved", project=key, present=identity is not None)
            self._source.forget({seen.root})
            project.surveyed = project.covered = False
            self._emit(key, ChangeBatch(doubt="root_moved", head=True))
            self._dirty.set()

    async def _keep_polling(self) -> None:
        while True:
            await self._clock.sleep(self._polling_after_s)
            for key, project in list(self._projects.items()):
                if project.polled:
                    self._emit(key, ChangeBatch(doubt="polling"))

    async def _keep_testing(self) -> None:
        while True:
            await self._clock.sleep(SELF_TEST_S)
            for lost in await self._source.self_test(self._clock):
                self._note_loss(lost)

    @staticmethod
    def _monotonic() -> float:
        return anyio.current_time()


def _choose_source(
    sentinel: Path | None, opener: Callable[[list[str]], Notifier] | None
) -> EventSource:
    if opener is None and is_supported():
        return KernelSource()
    # Imported only here: its library costs memory that most daemons need not have.
    from paparatsd.sources import watch_stream, watch_streams

    return watch_streams.Streams(sentinel=sentinel, opener=opener or watch_stream.open_notifier)


def _identify_all(roots: Mapping[str, str]) -> dict[str, tuple[int, int] | None]:
    return {key: identify(root) for key, root in roots.items()}
