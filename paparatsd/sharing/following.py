"""A daemon that only searches: it shows what other installations publish in the server they share.

What it is told it takes over into its own catalog, so that searching, the symbol graph and
documents read what they always read; only recall asks the server, for the points of whoever
published. It writes nothing there.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import BadReply, PaparatsError, Unavailable
from paparatsd.indexing.apply import Placed
from paparatsd.indexing.passes import Gathered
from paparatsd.model import (
    CommitId,
    Fingerprint,
    Freshness,
    FreshnessState,
    Head,
    ProjectEntry,
    ProjectName,
    ProjectState,
    RepoId,
    ShardKey,
    Stat,
    VersionId,
)
from paparatsd.sessions import ProjectSession
from paparatsd.sharing.followed_projects import chosen, named
from paparatsd.store.shared_index import SharedIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.clock import Clock
    from paparatsd.model import ChangeBatch, Depth
    from paparatsd.model_roles.roles import ModelRoles
    from paparatsd.session_parts import SessionParts, Snapshot
    from paparatsd.sharing.followed_projects import FollowedProjects
    from paparatsd.store.packed import PackedVersion
    from paparatsd.store.server import ServerStore
    from paparatsd.store.server_presence import Installation
    from paparatsd.store.shared_index import SharedProject

log = structlog.get_logger()

LOOK_S = 5.0
SILENT_S = 180.0
"""An installation that was not heard of for three beats is taken for stopped."""
BATCH_VERSIONS = 16


class FollowedSession(ProjectSession):
    """Keeps the view of one project equal to what is published of it."""

    def __init__(self, entry: ProjectEntry, parts: SessionParts, follower: Follower) -> None:
        super().__init__(entry, parts)
        self._follower = follower
        self._target: SharedProject | None = None
        self._applied: SharedProject | None = None
        self._told = asyncio.Event()
        self._silent = "the server was not asked yet"

    def tell(self, project: SharedProject, silent: str) -> None:
        """Take note of what is published now; `silent` says why it may be old."""
        self._target, self._silent = project, silent
        if project != self._applied:
            self._told.set()

    def fell_silent(self, reason: str) -> None:
        """Take note that nothing can be said of what is published."""
        self._silent = reason

    def snapshot(self) -> Snapshot:
        """Return what is known now."""
        now, one = super().snapshot(), self._applied
        if one is None:
            return replace(now, pending=0, dirty=False)
        if now.state is ProjectState.READY and one.state != ProjectState.READY:
            now = replace(now, state=ProjectState.INDEXING, reason=self._elsewhere(one))
        return replace(
            now, pending=0, dirty=False, docs_kind=one.docs_kind, docs_audience=one.docs_audience
        )

    @staticmethod
    def _elsewhere(one: SharedProject) -> str:
        return f"{one.host}, where it is indexed, says that it is {one.state}"

    def freshness(self, *, verified: bool = False) -> Freshness:
        """Say what an answer given now reflects: what was published last, and by whom."""
        state, reason = FreshnessState.CURRENT, ""
        if self._silent or self._applied is None or self._state is not ProjectState.READY:
            state, reason = FreshnessState.STALE, self._silent or self._reason
        elif self._applied.state != ProjectState.READY:
            state = FreshnessState.STALE
            reason = self._elsewhere(self._applied)
        return Freshness(
            project=self.name,
            generation=self._generation,
            head=self._head.commit,
            state=state,
            reason=reason,
            checked_at=self._checked_at,
            branch=self._head.branch,
        )

    @property
    def watching(self) -> str:
        """How changes are noticed."""
        return "published"

    def offer(self, batch: ChangeBatch) -> None:
        """Do nothing: what changes on this machine is not shown."""

    def expect_files(self) -> None:
        """Do nothing: no file is read here."""

    def reindex(self, depth: Depth) -> None:
        """Have everything compared with what is published."""
        self.doubt_model()

    def doubt_model(self) -> None:
        """Have all taken over again that has no points of the model in use."""
        self._applied = None
        self._told.set()

    async def verify(self) -> None:
        """Ask the server, and show what it says."""
        await self._follower.look()
        while self._told.is_set():
            if self._failures:
                raise Unavailable(self._reason)
            await self._follower.pause()

    async def flush(self) -> None:
        """Ask the server, and show what it says."""
        await self.verify()

    async def run(self) -> None:
        """Take over what is published until cancelled."""
        while True:
            await self._told.wait()
            target = self._target
            try:
                if target is not None and target != self._applied:
                    await self._apply(target)
                    self._applied = target
                self._failures = 0
                if target == self._target:
                    self._told.clear()
            except PaparatsError as error:
                await self._fail(error)

    async def _apply(self, target: SharedProject) -> None:
        shard = self._follower.shard_of(target)
        row = await self._parts.ledger.open_project(self.entry, RepoId(target.repo))
        self._project_id, self._repo = row.id, row.repo
        self._generation = row.generation
        if not self._generation:
            self._set_state(ProjectState.INDEXING, f"taking over from {target.host}")
        view = await self._follower.view_of(target)
        await self._take_over(target, shard, sorted(set(view.values())))
        shown = await self._parts.ledger.view_of(row.id)
        nothing = Stat(0, 0, 0, 0)
        placed = [
            Placed(path, nothing, VersionId(version), None)
            for path, version in sorted(view.items())
            if shown.get(path) != version
        ]
        gathered = Gathered(placed=placed, drop=sorted(shown.keys() - view.keys()))
        head = Head(target.branch, None if target.commit is None else CommitId(target.commit))
        if not gathered.is_empty:
            generation = await self._parts.ledger.commit(row.id, gathered, head, shard)
            self._committed(generation)
        elif head != row.head:
            await self._parts.ledger.set_head(row.id, head)
        self._head, self._first_pass_done = head, True
        self._checked_at = self._parts.clock.now()
        self._set_state(ProjectState.READY, "")

    async def _take_over(
        self, target: SharedProject, shard: ShardKey, versions: Sequence[int]
    ) -> None:
        """Read the files that are not here yet; raises BadReply when some are there no more."""
        ids = [VersionId(one) for one in versions]
        known = await self._parts.ledger.trusted(shard, ids)
        await self._parts.ledger.keep([one for one in ids if one in known])
        missing = [one for one in ids if one not in known]
        for start in range(0, len(missing), BATCH_VERSIONS):
            batch = missing[start : start + BATCH_VERSIONS]
            rows = await self._follower.versions_of(target, batch)
            if len(rows) < len(batch):
                raise Unavailable(f"{target.host} is publishing something newer")
            await self._parts.ledger.take_over(rows, shard, self._project_id)


class Follower:
    """Asks the server what is published, and tells the sessions."""

    def __init__(  # noqa: PLR0913 - wired by name in one place
        self,
        *,
        store: ServerStore,
        models: ModelRoles,
        files: Fingerprint,
        clock: Clock,
        follow: Sequence[str],
        projects: FollowedProjects,
        sessions: Callable[[], Sequence[ProjectSession]],
        on_list: Callable[[], None],
        look_s: float = LOOK_S,
    ) -> None:
        """`on_list` is called when there are other projects than before.

        `files` names how files are read.
        """
        self._store = store
        self._shared = SharedIndex(store.link, store.layout)
        self._models = models
        self._files = files
        self._clock = clock
        self._follow = follow
        self._projects = projects
        self._sessions = sessions
        self._on_list = on_list
        self._look_s = look_s
        self._looking = asyncio.Lock()
        self._names: dict[tuple[str, str], str] = {}
        self._heard: dict[str, tuple[tuple[str, int], float]] = {}
        self._latest: dict[ProjectName, tuple[SharedProject, str]] = {}
        self.problem = ""

    def session(self, entry: ProjectEntry, parts: SessionParts) -> ProjectSession:
        """Make the session of a followed project."""
        session = FollowedSession(entry, parts, self)
        if entry.name in self._latest:
            session.tell(*self._latest[entry.name])
        return session

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            try:
                await self.look()
            except PaparatsError as error:
                log.warning("follow_failed", error=str(error))
            await self._clock.sleep(self._look_s)

    async def pause(self) -> None:
        """Let a session go on with what it was told."""
        await self._clock.sleep(0.02)

    async def look(self) -> None:
        """Ask what is published now. Raises VectorStoreUnavailable, BadReply."""
        async with self._looking:
            try:
                await self._look()
                self.problem = ""
            except PaparatsError as error:
                self.problem = f"what others index cannot be followed: {error}"
                for session in self._sessions():
                    if isinstance(session, FollowedSession):
                        session.fell_silent(self.problem)
                raise

    async def _look(self) -> None:
        installations = chosen(await self._store.presence.list(), self._follow)
        silent = {one.owner: self._silence(one) for one in installations}
        found = named(await self._shared.projects([*silent]), self._names)
        self._names = {(one.project.owner, one.project.name): one.name for one in found}
        sources: dict[RepoId, tuple[str, ...]] = {}
        for one in found:
            repo = RepoId(one.project.repo)
            sources[repo] = tuple(sorted({*sources.get(repo, ()), one.project.owner}))
        self._store.sources = sources
        self._latest = {one.name: (one.project, silent[one.project.owner]) for one in found}
        for session in self._sessions():
            if isinstance(session, FollowedSession) and session.name in self._latest:
                session.tell(*self._latest[session.name])
        if self._projects.replace([one.entry for one in found]):
            self._on_list()

    def _silence(self, one: Installation) -> str:
        """Say why what an installation publishes may be old, by when its record changed last."""
        now, beat = self._clock.monotonic(), (one.session, one.beat)
        known = self._heard.get(one.owner)
        if known is None or known[0] != beat:
            self._heard[one.owner] = known = (beat, now)
        if not one.session:
            return f"the daemon on {one.host} that indexes it was stopped"
        quiet = now - known[1]
        return f"{one.host} was not heard of for {quiet:.0f} s" if quiet > SILENT_S else ""

    def shard_of(self, project: SharedProject) -> ShardKey:
        """Return where the points of a project are; raises BadReply for another model's."""
        shard = self._models.shard(RepoId(project.repo))
        theirs = (project.files, Fingerprint(project.vectors), project.dimension)
        if theirs != (self._files, shard.fingerprint, shard.dimension):
            raise BadReply(
                f"{project.host} indexes it with another embedding model, other index settings or "
                "another version of paparatsd than this daemon has; vectors of two models cannot "
                "be compared: give both the same [embedder] and [index] settings"
            )
        return shard

    async def view_of(self, project: SharedProject) -> dict[str, int]:
        """Return paths with their versions; raises Unavailable when that is being replaced."""
        parts = await self._shared.parts(project.owner, project.parts)
        if len(parts) < len(project.parts):
            raise Unavailable(f"{project.host} is publishing something newer")
        return {path: version for part in parts.values() for path, version in part.items()}

    async def versions_of(
        self, project: SharedProject, versions: Sequence[VersionId]
    ) -> Sequence[PackedVersion]:
        """Return published file versions; those that are gone are left out."""
        return await self._shared.versions(project.owner, [int(one) for one in versions])
