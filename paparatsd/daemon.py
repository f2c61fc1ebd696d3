"""The composition root: builds all parts, starts them in order, stops them in reverse.

Start: locks, catalog, store, notes, sessions, listeners, READY.
Stop: STOPPING, listeners (drained), sessions, workers, search, store (flushed), notes, catalog,
locks.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import structlog

from paparatsd import __version__, systemd
from paparatsd.broadcast import Broadcaster
from paparatsd.clock import SystemClock
from paparatsd.errors import Broken, PaparatsError
from paparatsd.exits import exit_code_of
from paparatsd.housekeeping import CONFIG_KEY, SPOOL_KEY, Housekeeping
from paparatsd.interfaces.serve import serve_interfaces
from paparatsd.lock import StateLock
from paparatsd.logs import configure_logging
from paparatsd.model import ChangeBatch
from paparatsd.parts import Parts, build_parts
from paparatsd.project_entries import Rooms
from paparatsd.publication import publication_of, published_of
from paparatsd.registry import ProjectsFile
from paparatsd.remotes.keeper import Remotes
from paparatsd.remotes.sweeper import Sweeper
from paparatsd.roster import Roster
from paparatsd.search.asked_by import BUILT_IN
from paparatsd.search.assistance import Assistance
from paparatsd.search.cache import QueryCache
from paparatsd.search.searcher import Searcher
from paparatsd.search_help import reordering_of, rewrites_of
from paparatsd.service import Service
from paparatsd.session_parts import SessionParts
from paparatsd.settings import Reloaded, drop_variables
from paparatsd.sharing.share import share
from paparatsd.sources.inbox import Inbox
from paparatsd.sources.watch import WatchHub
from paparatsd.systemd import Notifier, inherited_sockets
from paparatsd.urgency import ask_for_short_slices

if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

    from paparatsd.clock import Clock
    from paparatsd.interfaces.serve import BoundAddresses
    from paparatsd.model import GroupName, ProjectEntry, ProjectName
    from paparatsd.model_roles.roles import ModelRoles
    from paparatsd.publication import Publication
    from paparatsd.settings import Settings
    from paparatsd.sharing.followed_projects import FollowedProjects

log = structlog.get_logger()

NEED_RESTART = (
    "index", "watch", "http", "control", "rerank", "expand", "store", "knowledge", "remotes",
    "push",
)  # fmt: skip
"""Sections of the settings that hold from the next start on."""
STATUS_S = 5.0
WARM_S = 1.0


class Daemon:
    """One daemon from start to stop.

    `serve` lets others in until it is told to stop; it is given what `serve_interfaces` takes. With
    `own_process` the process is ours, so that its signals are for us; else we are a guest in it.
    """

    def __init__(  # noqa: PLR0913 - wired by name in two places
        self,
        settings: Settings,
        *,
        reread: Callable[[], Settings],
        home: Path,
        notifier: Notifier,
        inherited: Sequence[socket.socket] = (),
        clock: Clock | None = None,
        serve: Callable[..., Awaitable[None]] = serve_interfaces,
        own_process: bool = True,
    ) -> None:
        self._serve_interfaces = serve
        self._own_process = own_process
        self._settings = settings
        self._reread = reread
        self._home = home
        self._notifier = notifier
        self._inherited = inherited
        self._clock = clock or SystemClock()
        self._broadcaster = Broadcaster()
        self._stop = anyio.Event()
        self._exit_code = 0
        self._listed_before: tuple[ProjectEntry, ...] | None = None
        self._roster: Roster | None = None
        self._keeper: Housekeeping | None = None
        self._projects: ProjectsFile | FollowedProjects | None = None
        self._service: Service | None = None
        self._remotes: Remotes | None = None
        self._sweeper = Sweeper((settings.places.clones, settings.places.pushed))
        self._models: ModelRoles | None = None

    async def run(self) -> int:
        """Serve until told to stop; returns the exit code."""
        with self._signals() if self._own_process else contextlib.nullcontext():
            parts = await build_parts(self._settings, self._clock, self._broadcaster)
            try:
                await parts.recover()
                if not self._stop.is_set():
                    await self._serve(parts)
            finally:
                with anyio.CancelScope(shield=True):
                    await parts.stop()
        return self._exit_code

    # ------------------------------------------------------------------ wiring

    async def _serve(self, parts: Parts) -> None:
        broadcaster = self._broadcaster
        hub = WatchHub(
            debounce_ms=self._settings.watch.debounce_ms,
            polling_after_s=self._settings.watch.poll_s,
            clock=self._clock,
            on_batch=self._on_batch,
            sentinel=self._settings.places.runtime,
            events=self._settings.watch.enabled,
        )
        remotes = self._remotes = Remotes(
            clock=self._clock,
            settings=self._settings.remotes,
            top=self._settings.places.clones,
            on_change=self._on_fetched,
            sweep=self._sweeper.wake,
        )
        roster = self._roster = Roster(self._session_parts(parts, hub, broadcaster))
        parts.swaps.on_code = roster.doubt_models
        parts.swaps.is_settled = roster.is_settled
        self._models = parts.models
        following, publisher = await share(
            self._settings, parts, self._clock, roster, self._on_group
        )
        projects = self._projects = following.projects if following else self._projects_file()
        service = self._service = self._build_service(
            parts, hub, roster, projects, broadcaster, remotes
        )
        inbox = Inbox(self._settings.places.spool)
        self._keeper = Housekeeping(
            clock=self._clock,
            roster=roster,
            ledger=parts.ledger,
            vectors=parts.vectors,
            pool=parts.pool,
            inbox=inbox,
            projects=projects,
            service=service,
            history=parts.history,
            graph=parts.graph,
            worktrees=service.worktrees,
            models=parts.models,
            delete_points=parts.delete_points,
            collect=parts.collect,
            state_file=self._settings.places.catalog,
            flush_problem=lambda: parts.flusher.problem,
            on_state_gone=self._on_state_gone,
            tick_s=self._settings.watch.poll_s,
            owns_points=following is None,
        )
        await self._open_projects(parts, projects, roster)
        await service.follow_remotes()
        await service.pushed.tidy()
        await asyncio.to_thread(inbox.prepare)
        hub.watch(SPOOL_KEY, self._settings.places.spool, frozenset({""}), ())
        hub.watch(CONFIG_KEY, self._settings.places.config, frozenset({""}), ())
        sessions_stop = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            sessions = tasks.create_task(roster.run(sessions_stop))
            background = [
                tasks.create_task(hub.run()),
                tasks.create_task(parts.flusher.run()),
                tasks.create_task(parts.history.run()),
                tasks.create_task(parts.notes.run()),
                tasks.create_task(parts.models.run()),
                tasks.create_task(self._keeper.run()),
                tasks.create_task(remotes.run()),
                tasks.create_task(self._sweeper.run()),
                tasks.create_task(self._keep_notifying(roster)),
                tasks.create_task(self._warm(service, parts)),
            ]
            beside = (publisher, following.follower if following else None)
            background += [tasks.create_task(one.run()) for one in beside if one is not None]
            try:
                await self._serve_interfaces(
                    service,
                    self._settings.http,
                    self._settings.places.control_socket,
                    self._expected_uid(),
                    self._inherited,
                    self._ready,
                    self._stop,
                    allowed_projects=self._settings.search.allowed_projects,
                    knowledge=self._publication(),
                )
            finally:
                broadcaster.close()
                sessions_stop.set()
                for task in (*background, sessions):
                    task.cancel()

    def _projects_file(self) -> ProjectsFile:
        return ProjectsFile(
            self._settings.places.projects_file,
            home=self._home,
            forced_group=self._settings.projects.forced_group,
            rooms=Rooms(self._settings.places.clones, self._settings.places.pushed),
        )

    def _publication(self) -> Publication | None:
        """Return what outsiders may be told, and say in the log that there is a way in for them."""
        chosen = self._settings
        scope = publication_of(
            chosen.knowledge, chosen.docs.audience, chosen.search.allowed_projects
        )
        if scope is not None:
            projects = sorted(scope.projects) or "all"
            log.info("knowledge_served", audience=sorted(scope.audience), projects=projects)
            if self._service is not None:
                self._service.published = published_of(scope)
        return scope

    def _expected_uid(self) -> int:
        expected = self._settings.control.expected_uid
        return os.geteuid() if expected is None else expected

    def _session_parts(self, parts: Parts, hub: WatchHub, broadcaster: Broadcaster) -> SessionParts:
        warming: set[asyncio.Task[None]] = set()

        def warm() -> None:
            if not warming:
                task = asyncio.get_running_loop().create_task(parts.pool.warm())
                warming.add(task)
                task.add_done_callback(warming.discard)

        return SessionParts(
            clock=self._clock,
            hub=hub,
            ledger=parts.ledger,
            history=parts.history,
            index=self._settings.index,
            watch=self._settings.watch,
            broadcaster=broadcaster,
            builder_of=parts.builder_of,
            warm=warm,
            prepare=parts.prepare,
            on_group=self._on_group,
            on_change=self._on_change,
            absence=lambda name: self._remotes.absence_of(name) if self._remotes else None,
        )

    def _build_service(
        self,
        parts: Parts,
        hub: WatchHub,
        roster: Roster,
        projects: ProjectsFile | FollowedProjects,
        broadcaster: Broadcaster,
        remotes: Remotes,
    ) -> Service:
        # Search by words only: no endpoint is asked, no model is loaded.
        meaning = self._settings.search.meaning
        searcher = Searcher(
            child=parts.search_child,
            store=parts.vectors,
            cache=QueryCache(self._settings.search.cache_entries, self._clock),
            asked_by=parts.models.asked_by if meaning else lambda shard: BUILT_IN,
            linked=parts.is_linked,
            assistance=Assistance(
                reordering_of(parts.reranking, self._settings.rerank, "code"),
                rewrites_of(parts.rewriter),
            ),
        )

        def processes() -> Mapping[str, int]:
            found = {"daemon": os.getpid(), **parts.pool.pids(), **parts.store_pids()}
            found |= parts.model_pids()
            children = (parts.search_child, parts.history_child, parts.graph_child)
            return found | {one.name: one.pid for one in children if one.pid is not None}

        return Service(
            settings=self._settings,
            clock=self._clock,
            projects=projects,
            roster=roster,
            ledger=parts.ledger,
            searcher=searcher,
            history=parts.history,
            graph=parts.graph,
            notes=parts.notes,
            broadcaster=broadcaster,
            models=parts.models,
            build_anew=parts.build_anew,
            docs_reordering=reordering_of(parts.reranking, self._settings.rerank, "docs"),
            describe_store=parts.vectors.describe,
            outlets=parts.outlets,
            store_problems=parts.store_problems,
            embedding_cache=parts.embedders.cache_figures,
            processes=processes,
            reload=self._reload,
            stop=self._stop.set,
            remotes=remotes,
            sweep=self._sweeper.wake,
        )

    async def _open_projects(
        self, parts: Parts, projects: ProjectsFile | FollowedProjects, roster: Roster
    ) -> None:
        registry = await asyncio.to_thread(projects.read)
        for problem in registry.problems:
            log.warning("project_list_problem", problem=problem)
        if not registry.problems:
            # A list that could not be read whole must not cost anybody an index.
            known = await parts.ledger.projects()
            self._listed_before = tuple(row.entry for row in known.values())
            await roster.purge_unlisted(registry.entries)
        await roster.apply(registry.entries)

    def _on_change(self, group: GroupName) -> None:
        if self._models is not None:
            self._models.wake()
        if self._service is not None:
            self._service.forget_answers(group)

    def _on_fetched(self, name: ProjectName) -> None:
        """Have a project looked at whose clone has changed, or is there now, or is not."""
        if self._roster is not None:
            self._roster.offer(name, ChangeBatch(doubt="fetched", head=True))

    def _on_group(self) -> None:
        """Have the project list read again: it takes a group from the project's own file."""
        if self._projects is not None and self._keeper is not None:
            self._projects.doubt()
            self._keeper.offer(CONFIG_KEY)

    def _on_batch(self, key: str, batch: ChangeBatch) -> None:
        if key in (SPOOL_KEY, CONFIG_KEY):
            if self._keeper is not None:
                self._keeper.offer(key)
            return
        if self._roster is not None:
            self._roster.offer(key, batch)
        if batch.head and self._keeper is not None:
            self._keeper.git_moved()

    # ------------------------------------------------------------------ life cycle

    def _ready(self, bound: BoundAddresses) -> None:
        if self._service is not None:
            self._service.http_address = bound.http
            self._service.socket_address = bound.control
        log.info("ready", version=__version__, http=bound.http, control=bound.control)
        self._notifier.ready(f"listening on {bound.http}")

    async def _warm(self, service: Service, parts: Parts) -> None:
        """Start the search process and a worker ahead of the first question and the first save."""
        await self._clock.sleep(WARM_S)
        try:
            await service.settle_hooks(self._listed_before)
            await service.warm()
            if self._settings.index.enabled:
                await parts.pool.warm()
        except PaparatsError as error:
            log.warning("warming_failed", error=str(error))
        if self._own_process:
            gc.freeze()  # modules and settings stay: collections need not look at them

    async def _keep_notifying(self, roster: Roster) -> None:
        """Ping the watchdog from the event loop: a loop that hangs stops pinging by itself."""
        told = ""
        while self._notifier.ping():
            status = roster.summary()
            if status != told:
                self._notifier.status(status)
                told = status
            await self._clock.sleep(min(self._notifier.watchdog_s or STATUS_S, STATUS_S))

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._on_stop_signal, number)
        loop.add_signal_handler(signal.SIGHUP, self._on_reload_signal)
        try:
            yield
        finally:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                loop.remove_signal_handler(number)

    def _on_state_gone(self) -> None:
        """End rather than write where nobody will read; the next start builds a new index."""
        self._exit_code = exit_code_of(Broken("the state directory is gone"))
        self._notifier.stopping("the state directory is gone")
        self._stop.set()

    def _on_stop_signal(self, number: signal.Signals) -> None:
        if self._stop.is_set():
            log.warning("stopped_hard", signal=number.name)
            os._exit(0)  # asked twice: all state is crash-safe, children end with their pipes
        log.info("stopping", signal=number.name)
        self._notifier.stopping()
        self._stop.set()

    def _on_reload_signal(self) -> None:
        task = asyncio.get_running_loop().create_task(self._reload_and_log())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _reload_and_log(self) -> None:
        self._notifier.reloading()
        try:
            if self._service is not None:
                changes = await self._service.reload_settings()
                log.info("reloaded", changes=list(changes))
        except PaparatsError as error:
            log.error("reload_refused", error=str(error))  # noqa: TRY400 - a person's typo, no trace
        finally:
            self._notifier.ready("reloaded")

    async def _reload(self) -> Reloaded:
        """Read the settings again; raises BadSettings."""
        fresh, old = await asyncio.to_thread(self._reread), self._settings
        # The search process was started with the first two, the cache made with the third.
        kept = {name: getattr(old.search, name) for name in ("ranker", "meaning", "cache_entries")}
        search = replace(fresh.search, **kept)
        later = [name for name in NEED_RESTART if getattr(fresh, name) != getattr(old, name)]
        later += [f"search.{name}" for name in kept if getattr(fresh.search, name) != kept[name]]
        now = replace(
            old,
            search=search,
            docs=fresh.docs,
            log=fresh.log,
            embedder=fresh.embedder,
            text_embedder=fresh.text_embedder,
        )
        followed = ("search", "docs", "log", "embedder", "text_embedder")
        at_once = [name for name in followed if getattr(now, name) != getattr(old, name)]
        if "log" in at_once:
            configure_logging(fresh.log.level, fresh.log.format)
        if self._models is not None and {"embedder", "text_embedder"} & {*at_once}:
            await self._models.aim(now.embedder, now.text_embedder)
        self._settings = now
        return Reloaded(now, tuple(at_once), tuple(later))


def run_daemon(
    settings: Settings, environment: Mapping[str, str], reread: Callable[[], Settings]
) -> int:
    """Run until told to stop; returns the exit code."""
    code = 0
    try:
        with (
            StateLock(settings.places.state, settings.places.control_socket),
            StateLock(settings.places.data, kind="data"),
        ):
            inherited = inherited_sockets(environment)
            # Children must not speak to the service manager in our name.
            drop_variables(systemd.VARIABLES)
            ask_for_short_slices()
            daemon = Daemon(
                settings,
                reread=reread,
                home=Path(environment.get("HOME") or "~").expanduser(),
                notifier=Notifier(environment),
                inherited=inherited,
            )
            code = anyio.run(daemon.run)
    except* PaparatsError as group:
        error = first_of(group)
        log.error("cannot_run", error=str(error))  # noqa: TRY400 - the sentence says it all
        code = exit_code_of(error)
    return code


def first_of(group: BaseExceptionGroup[PaparatsError]) -> PaparatsError:
    """Return the first single error inside nested groups: task groups wrap what they pass on."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if not isinstance(error, PaparatsError):
        raise error
    return error
