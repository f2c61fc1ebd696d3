"""The use cases: what the interfaces may ask of the daemon. No protocol, no storage of its own."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paparatsd import __version__
from paparatsd.answerable import Answerable, only_these
from paparatsd.docs_service import DocsService
from paparatsd.errors import BadQuery, BadSettings, UnknownProject
from paparatsd.glossary_service import GlossaryService
from paparatsd.graph_service import GraphService
from paparatsd.history.question import is_about_changes
from paparatsd.history_service import HistoryService
from paparatsd.hook_times import HookTimes
from paparatsd.hooks_service import HooksService
from paparatsd.knowledge_model import Reach
from paparatsd.memory_service import MemoryService
from paparatsd.model import Depth, GroupName, ProjectName
from paparatsd.problems import problems_of
from paparatsd.project_hooks import ProjectHooks
from paparatsd.project_list import ProjectList
from paparatsd.publication import unregistered_lines
from paparatsd.pushes.files import PushedFiles
from paparatsd.pushes.service import PushedService
from paparatsd.remotes.service import RemotesService
from paparatsd.search.docs_searcher import DocsSearcher
from paparatsd.status import Statuses, machine_memory, memory_of
from paparatsd.status_model import (
    CacheFigures,
    DaemonFigures,
    DaemonStatus,
    Outlet,
    ProjectStatus,
    Published,
)
from paparatsd.usage import Usage
from paparatsd.worktrees import WorktreeFollower

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from paparatsd.broadcast import Broadcaster
    from paparatsd.clock import Clock
    from paparatsd.graph.keeper import GraphKeeper
    from paparatsd.history.keeper import HistoryKeeper
    from paparatsd.history_model import ChunkLog, CommitRequest, CommitsAnswer, Explanation
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.knowledge.notes import Notes
    from paparatsd.model import Freshness, ProjectEntry, RepoId, SkippedFile
    from paparatsd.model_roles.roles import ModelRoles
    from paparatsd.registry import ProjectsFile
    from paparatsd.remotes.keeper import Remotes
    from paparatsd.roster import Roster
    from paparatsd.search.reordering import Reordering
    from paparatsd.search.searcher import Searcher
    from paparatsd.search_model import ChunkView, Hit, SearchAnswer, SearchRequest
    from paparatsd.settings import Reloaded, Settings
    from paparatsd.sharing.followed_projects import FollowedProjects
    from paparatsd.sources.hooks import HookReport

MAX_RADIUS_LINES = 200
NO_SUBJECT = "The question names no subject; a search for commits without words lists them by time."


class Service:
    """Implements interfaces.api.ServiceApi over the parts the daemon built."""

    def __init__(  # noqa: PLR0913 - wired by name in one place
        self,
        *,
        settings: Settings,
        clock: Clock,
        projects: ProjectsFile | FollowedProjects,
        roster: Roster,
        ledger: Ledger,
        searcher: Searcher,
        history: HistoryKeeper,
        graph: GraphKeeper,
        notes: Notes,
        broadcaster: Broadcaster,
        models: ModelRoles,
        build_anew: Callable[[RepoId], Awaitable[None]],
        docs_reordering: Reordering | None,
        describe_store: Callable[[], str],
        outlets: Callable[[], tuple[Outlet, ...]],
        store_problems: Callable[[], tuple[str, ...]],
        embedding_cache: Callable[[], CacheFigures],
        processes: Callable[[], Mapping[str, int]],
        reload: Callable[[], Awaitable[Reloaded]],
        stop: Callable[[], None],
        remotes: Remotes,
        sweep: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._roster = roster
        self._ledger = ledger
        self._searcher = searcher
        self._keeper = history
        self._history = HistoryService(history, searcher, clock)
        self._broadcaster = broadcaster
        self._models = models
        self._build_anew = build_anew
        self._describe_store = describe_store
        self._outlets = outlets
        self._store_problems = store_problems
        self._embedding_cache = embedding_cache
        self._usage = Usage()
        self._processes = processes
        self._reload = reload
        self._stop = stop
        self._started = clock.monotonic()
        self._answerable = Answerable(roster, models.shard, lambda: self._settings.search)
        self.graph = GraphService(graph, self._answerable, self._history, self.search)
        self._notes = notes
        self.glossary = GlossaryService(notes, self._answerable, clock)
        self.docs = DocsService(
            DocsSearcher(searcher, meaning=settings.search.meaning, reordering=docs_reordering),
            self._answerable,
            self._history,
            history,
            lambda: self._settings,
            self.glossary.beside_docs,
            models.text_shard,
        )
        self.memory = MemoryService(
            notes, self._answerable, clock, self.graph, self._history, settings.places.catalog
        )
        hooks = ProjectHooks(settings.places.spool)
        self._list = ProjectList(projects, roster, hooks, remotes)
        self._statuses = Statuses(
            ledger=ledger,
            hooks=hooks,
            history=history,
            models=models,
            remote_of=remotes.status_of,
        )
        self._fetched = remotes
        self.remotes = RemotesService(remotes, projects, self._list.register)
        self.pushed = PushedService(
            PushedFiles(settings.places.pushed),
            settings,
            projects,
            roster,
            ledger,
            self._list.register,
            sweep,
        )
        self.hook_times = HookTimes(settings.places.hook_times)
        self._hooks_service = HooksService(roster, hooks, self.hook_times, settings.places.spool)
        self.worktrees = WorktreeFollower(
            roster, settings.projects.worktrees, self._list.add_worktree, self._list.remove_worktree
        )
        self._settings_problem = ""
        self.http_address = ""
        self.socket_address = ""
        self.published: Published | None = None

    # ------------------------------------------------------------------ asking

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """Answer a search. Raises BadQuery, UnknownProject."""
        sessions = self._answerable.select(request.projects, request.groups)
        verified = await self._answerable.verify(sessions) if request.fresh else frozenset()
        longest = min(request.deadline_s, self._settings.search.deadline_s)
        request = replace(request, deadline_s=longest)
        scope = self._answerable.scope(sessions, verified)
        # Filters and last changes come from the process whose other work is set back.
        with self._keeper.set_back():
            limited = await self._history.limited(scope, request.changed)
            answer = await self._searcher.search(request, limited)
            if request.history:
                answer = await self._history.with_last_changes(answer, scope)
        notes = self._answerable.noted(answer.notes, scope)
        if request.changed:
            notes = (*notes, *self._history.notes(scope))
        answer = replace(answer, hits=self._labelled(answer.hits), notes=notes)
        self._usage.note(answer.hits)
        return await self.graph.with_neighbours(answer, scope) if request.related else answer

    def _labelled(self, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """Return the hits with what their projects call the parts that they are in."""
        known = self._answerable.labels()
        if not known:
            return hits
        return tuple(
            replace(hit, labels=known[hit.project].of(hit.path)) if hit.project in known else hit
            for hit in hits
        )

    async def show(self, address: str, radius: int) -> ChunkView:
        """Return the chunk at an address with its neighbours. Raises BadQuery, UnknownAddress."""
        if not 0 <= radius <= MAX_RADIUS_LINES:
            raise BadQuery(f"radius is {radius}; it must be between 0 and {MAX_RADIUS_LINES} lines")
        view = await self._searcher.show(address, radius, self._answerable.everything())
        return replace(view, target=self._labelled((view.target,))[0])

    async def chunk_log(self, address: str, limit: int) -> ChunkLog:
        """Return the history of the chunk or the lines at an address."""
        sessions = self._answerable.select((), ())
        branches = {item.name: item.snapshot().head.branch for item in sessions}
        scope = self._answerable.scope(sessions)
        log = await self._history.log(address, limit, scope, branches)
        own = self._answerable.labels().get(log.project)
        return log if own is None else replace(log, labels=own.of(log.path))

    async def find_commits(self, request: CommitRequest) -> CommitsAnswer:
        """Find commits by what they say and what they changed, or list them by time."""
        groups = tuple(map(GroupName, request.groups))
        scope = self._answerable.scope(self._answerable.select(request.projects, groups))
        answer = await self._history.find_commits(request, scope)
        return replace(answer, notes=self._answerable.noted(answer.notes, scope))

    async def explain(self, request: SearchRequest, commits_per_hit: int) -> Explanation:
        """Search, and return the hits with their relations and the commits behind them."""
        said, notes = replace(request, related=True, history=True), tuple[str, ...]()
        if is_about_changes(request.query):
            subject, changed, notes = self._history.read_question(request.query, request.changed)
            said = replace(said, query=subject or request.query, changed=changed)
            notes += () if subject else (NO_SUBJECT,)
        answer = replace(await self.search(said), query=request.query)
        scope = self._answerable.scope(self._answerable.select(request.projects, request.groups))
        found = await self._history.explain(answer, scope, said.changed, commits_per_hit)
        return replace(found, notes=(*notes, *found.notes))

    async def status(self) -> DaemonStatus:
        """Return everything the daemon says of itself and of each project."""
        projects = await self.list_projects(None)
        return DaemonStatus(
            version=__version__,
            pid=os.getpid(),
            uptime_s=round(self._clock.monotonic() - self._started, 3),
            state_dir=str(self._settings.places.state),
            http=self.http_address,
            socket=self.socket_address,
            embedder=self._models.spec,
            text_embedder=self._models.text_spec,
            model_changes=self._models.changes(),
            store=self._describe_store(),
            memory_bytes=await asyncio.to_thread(memory_of, dict(self._processes())),
            projects=projects,
            problems=self._problems(projects),
            # An offer names the project beside which the work tree is.
            offers=() if self._settings.search.allowed_projects else self.worktrees.offers,
            outlets=(*self._outlets(), *self._fetched.outlets()),
            knowledge=self.published,
        )

    async def figures(self) -> DaemonFigures:
        """Return what the daemon counts and measures of itself."""
        sizes = await asyncio.to_thread(memory_of, dict(self._processes()))
        return DaemonFigures(
            uptime_s=round(self._clock.monotonic() - self._started, 3),
            memory_bytes=sum(sizes.values()),
            machine_bytes=machine_memory(),
            allowed_projects=self._settings.search.allowed_projects,
            searches=self._usage.searches,
            saved_tokens=self._usage.tokens_saved,
            answers=self._searcher.cache_figures(),
            embeddings=await asyncio.to_thread(self._embedding_cache),
        )

    async def health(self) -> Mapping[str, Any]:
        """Answer a probe cheaply: status, groups with their chunks, problems."""
        projects = await self.list_projects(None)
        groups: dict[str, int] = {}
        for project in projects:
            groups[project.group] = groups.get(project.group, 0) + project.chunks
        problems = self._problems(projects)
        answer: dict[str, Any] = {"status": "degraded" if problems else "ok", "groups": groups}
        return {**answer, "problems": list(problems)} if problems else answer

    def _problems(self, projects: tuple[ProjectStatus, ...]) -> tuple[str, ...]:
        settings = [self._settings_problem] if self._settings_problem else []
        sessions = self._roster.sessions()
        chosen, allowed = self._settings.knowledge, self._settings.search.allowed_projects
        unregistered = unregistered_lines(chosen, {item.name for item in sessions}, allowed)
        lost = (f"notes cannot be used: {problem}",) if (problem := self._notes.problem) else ()
        return (
            *settings,
            *self._settings.notes,
            *unregistered,
            *lost,
            *self._list.problems,
            *self._store_problems(),
            *self._models.problems(),
            *problems_of(projects, sessions),
        )

    # ------------------------------------------------------------------ projects

    async def add_project(
        self, path: Path, *, name: str | None, group: str | None, hooks: bool
    ) -> ProjectEntry:
        """Register an absolute directory and start indexing it. Raises Conflict, BadQuery."""
        return await self._list.add(path, name=name, group=group, hooks=hooks)

    async def register(self, path: str, *, name: str | None = None) -> ProjectEntry:
        """Register what an agent names: `registration.py` has the rules. No hooks are installed.

        Raises BadQuery, Conflict for a `name` that is taken.
        """
        allowed = self._settings.search.allowed_projects
        if allowed:
            raise BadQuery(
                f"nothing is indexed at {path!r} that may be asked about; "
                f"{only_these(allowed)}, and no agent may add another"
            )
        return await self._list.add_for_agent(path, name, self._settings.projects.allowed_roots)

    @property
    def top_n(self) -> int:
        """How many results codebase_search gives when it is not told."""
        return self._settings.search.top_n

    async def remove_project(self, name: ProjectName) -> None:
        """Forget a project and purge what no other project shows. Raises UnknownProject."""
        self._roster.session(name)
        await self.pushed.forget(await self._list.remove(name))

    async def follow_remotes(self) -> None:
        """Bring the clones of repositories elsewhere in line with the list."""
        await self._list.follow_remotes()

    async def list_projects(self, group: GroupName | None) -> tuple[ProjectStatus, ...]:
        """Return the projects of one group, or all, ordered by name."""
        if group is not None and group not in self._roster.groups():
            known = ", ".join(sorted(self._roster.groups())) or "none"
            raise UnknownProject(f"no group named {group!r} (groups: {known})")
        sessions = [
            session
            for session in self._roster.sessions()
            if (group is None or session.entry.group == group)
            and self._answerable.has(session.name)
        ]
        return await self._statuses.of(sessions)

    async def reindex(self, name: ProjectName | None, depth: Depth) -> tuple[ProjectName, ...]:
        """Queue a reindex of one project, or of all, and say of which.

        In full, everything is built anew; projects of one repository share what is built.
        """
        sessions = self._roster.sessions() if name is None else (self._roster.session(name),)
        if depth is Depth.FULL:
            repos = {session.snapshot().repo for session in sessions} - {None}
            for repository in repos:
                if repository is not None:
                    await self._build_anew(repository)
            beside = [one for one in self._roster.sessions() if one.snapshot().repo in repos]
            sessions = tuple(dict.fromkeys((*sessions, *beside)))
        for session in sessions:
            session.reindex(depth)
        return tuple(session.name for session in sessions)

    async def skipped(
        self, name: ProjectName | None
    ) -> Mapping[ProjectName, tuple[SkippedFile, ...]]:
        """Return every listed file that is not indexed, with its reason, by project."""
        sessions = self._roster.sessions() if name is None else (self._roster.session(name),)
        return {
            session.name: await self._ledger.skipped(session.project_id) for session in sessions
        }

    async def flush(
        self, name: ProjectName | None, *, history: bool = False
    ) -> tuple[Freshness, ...]:
        """Reconcile one project, or all, with the disk now; returns when nothing is pending.

        With `history` also when every chunk has its history, or it is known why not.
        """
        sessions = self._roster.sessions() if name is None else (self._roster.session(name),)
        await asyncio.gather(*(session.flush() for session in sessions))
        if history:
            await self._keeper.settle()
        return tuple(session.freshness(verified=True) for session in sessions)

    # ------------------------------------------------------------------ hooks

    async def hooks_install(self, target: str) -> HookReport:
        """Install our hooks beside whatever is there."""
        return await self._hooks_service.install(target)

    async def hooks_uninstall(self, target: str) -> HookReport:
        """Take our hooks out again."""
        return await self._hooks_service.uninstall(target)

    async def hooks_status(self, target: str) -> HookReport:
        """Say which hooks are there."""
        return await self._hooks_service.status(target)

    # ------------------------------------------------------------------ the daemon itself

    async def embed_cards(self, group: GroupName) -> int:
        """Embed what has no vector of the model in use; return how many cards the group has."""
        return await self.memory.embed(Reach(groups=(group,)))

    async def reload_settings(self) -> tuple[str, ...]:
        """Read settings and project list again; raises BadSettings and keeps the old ones."""
        async with self._list.changing:
            try:
                read = await self._reload()
            except BadSettings as error:
                self._settings_problem = f"{error}; the settings before it hold until a reload"
                raise
            waiting = ", ".join(read.waiting)
            self._settings_problem = (
                f"settings were changed that hold from the next start on: {waiting}"
                if waiting
                else ""
            )
            fresh = read.settings
            self._settings = replace(self._settings, search=fresh.search, docs=fresh.docs)
            moved = await self._list.read_again()
            changed = [f"{name}: changed" for name in read.changed]
            changed += [f"{name}: takes effect after a restart" for name in read.waiting]
            return (*changed, *moved, *self._list.problems)

    async def apply_project_list(self) -> tuple[str, ...]:
        """Read projects.yml again and bring the sessions in line with it."""
        async with self._list.changing:
            return await self._list.read_again()

    def events(self) -> AsyncIterator[Mapping[str, Any]]:
        """Yield progress from now on."""
        return self._broadcaster.subscribe()

    async def stop(self) -> None:
        """Ask the daemon to end; returns at once."""
        self._stop()

    async def warm(self) -> None:
        """Load what the first question needs, so that nobody has to wait for it."""
        await self._searcher.warm(self._answerable.everything())

    async def settle_hooks(self, before: Sequence[ProjectEntry] | None) -> None:
        """Look at the hooks of all projects; `before` is the list when we stopped, if it counts.

        What was written into the list or taken out of it meanwhile gets its hooks, or loses them.
        """
        await self._list.settle_hooks(before)

    def forget_answers(self, group: GroupName) -> None:
        """Drop kept answers of a group: something in it has changed."""
        self._searcher.forget(group)
        self._searcher.warm_soon(self._answerable.everything)
