"""A service without an index, and the real listeners in front of it.

async with served() as served_:
    httpx.get(served_.http + "/health")
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from paparatsd.errors import BadQuery, Conflict, UnknownAddress, UnknownProject
from paparatsd.history_model import (
    ChunkLog,
    CommitRequest,
    CommitsAnswer,
    Explanation,
    HistoryState,
    HistoryStatus,
    TimelineEntry,
)
from paparatsd.interfaces.serve import BoundAddresses, serve_interfaces
from paparatsd.knowledge_model import Reach
from paparatsd.model import (
    Depth,
    EmbedderSpec,
    Freshness,
    FreshnessState,
    GroupName,
    ProjectEntry,
    ProjectName,
    ProjectState,
    Skip,
    SkippedFile,
)
from paparatsd.search_model import (
    ChunkView,
    Confidence,
    Hit,
    Neighbour,
    SearchAnswer,
    SearchRequest,
)
from paparatsd.settings import HttpSettings
from paparatsd.sources.hooks import HookReport
from paparatsd.status_model import CacheFigures, DaemonFigures, DaemonStatus, ProjectStatus
from tests.harness import fake_history as past
from tests.harness.fake_content import FakePushed, FakeRemotes
from tests.harness.fake_graph import FakeGraph
from tests.harness.fake_knowledge import FakeDocs, FakeGlossary, FakeKnowledge, FakeMemory, world

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Mapping, Sequence

    from paparatsd.history_model import CommitNote
    from paparatsd.publication import Publication

MARMOTS = ProjectName("marmots")
ALPS = GroupName("alps")


def hit_of(number: int, text: str = "") -> Hit:
    """Return the n-th hit of the fake answer."""
    return Hit(
        project=MARMOTS,
        path=f"src/burrow{number}.py",
        start_line=10 * number + 1,
        end_line=10 * number + 9,
        address=f"marmots:src/burrow{number}.py#Burrow.dig",
        language="python",
        kind="method",
        symbol="Burrow.dig",
        text=text or f"def dig(self):\n    return {number}\n",
        score=0.9 - number / 100,
        confidence=Confidence.HIGH,
        signals={"def_exact": 2.0, "p_test": -0.5},
        values={"def_exact": 1.0, "p_test": 0.5},
        grounds={"answerable": 0.9, "this_one": 1.0},
    )


def hidden_hit(project: ProjectName) -> Hit:
    """Return the hit of another project."""
    address = f"{project}:src/secret.py#secret"
    return replace(hit_of(0, "secret"), project=project, path="src/secret.py", address=address)


def project_of(name: ProjectName, group: GroupName) -> ProjectStatus:
    """Return the status of a project."""
    return ProjectStatus(
        name=name,
        root=f"/alps/{name}",
        group=group,
        repo=None,
        branch="main",
        head=None,
        state=ProjectState.READY,
        reason="",
        generation=7,
        files=3,
        chunks=30,
        skipped=1,
        pending=0,
        languages={"python": 3},
        freshness=FreshnessState.CURRENT,
        checked_at=1.0,
        watching="events",
        hooks="absent",
        history=HistoryStatus(HistoryState.SCANNING, commits=800, pending=1_204),
    )


CALLER = Neighbour(
    "called_by", "inferred", "marmots:src/den.py#sleep", "sleep", "function", "src/den.py", 4
)


FRESH = Freshness(MARMOTS, 7, None, FreshnessState.CURRENT, checked_at=1.0, branch="main")


@dataclass
class FakeService:
    """Implements ServiceApi: remembers what it was asked, answers the same each time."""

    searches: list[SearchRequest] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    cancelled: anyio.Event = field(default_factory=anyio.Event)
    started: anyio.Event = field(default_factory=anyio.Event)
    release: anyio.Event = field(default_factory=anyio.Event)
    failure: Exception | None = None
    text: str = ""
    skipped_files: int = 1
    others: tuple[ProjectName, ...] = ()
    """More projects, in a group of their own each; each has one hit and one commit."""
    commit_searches: list[CommitRequest] = field(default_factory=list)
    commits: tuple[CommitNote, ...] = past.COMMITS
    graph_asked: list[object] = field(default_factory=list)
    beside: tuple[ProjectName, ...] = ()
    """More projects in the group of marmots; they have documents and notes only."""
    allowed: tuple[str, ...] = ()
    knowledge: FakeKnowledge = field(default_factory=lambda: FakeKnowledge({}))
    """Filled when it is made with the documents and notes of all projects, unless it was given."""

    def __post_init__(self) -> None:
        """Write the documents and notes."""
        if not self.knowledge.groups:
            groups = {MARMOTS: ALPS, **dict.fromkeys(self.beside, ALPS)}
            groups |= {name: GroupName(f"group-of-{name}") for name in self.others}
            self.knowledge = world(groups)

    @property
    def docs(self) -> FakeDocs:
        """The documents of the projects."""
        return FakeDocs(self._knowledge())

    @property
    def glossary(self) -> FakeGlossary:
        """The terms of the groups."""
        return FakeGlossary(self._knowledge())

    @property
    def memory(self) -> FakeMemory:
        """The cards of the groups."""
        return FakeMemory(self._knowledge())

    def _knowledge(self) -> FakeKnowledge:
        if self.failure is not None:
            self.knowledge.failure = self.failure
        return self.knowledge

    @property
    def remotes(self) -> FakeRemotes:
        """Repositories elsewhere."""
        return FakeRemotes(self.calls)

    @property
    def pushed(self) -> FakePushed:
        """Files that are sent."""
        return FakePushed(self.calls)

    @property
    def graph(self) -> FakeGraph:
        """The symbol graph of the projects; its signatures are as long as `text`."""
        return FakeGraph((MARMOTS, *self.others), self.graph_asked, self.failure, self.text)

    def _in_scope(self, projects: Sequence[ProjectName]) -> tuple[ProjectName, ...]:
        known = (MARMOTS, *self.beside, *self.others)
        for name in projects:
            if name not in known:
                raise UnknownProject(f"no project {name!r} is registered")
        return tuple(name for name in known if not projects or name in projects)

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """Answer; the query "wait" waits for `release`, and "nothing" finds nothing."""
        self.searches.append(request)
        if self.failure is not None:
            raise self.failure
        names = self._in_scope(request.projects)
        if request.query == "wait":
            self.started.set()
            try:
                await self.release.wait()
            except BaseException:
                self.cancelled.set()
                raise
        passing = past.passing(request.changed, self.commits)
        count = min(request.limit, 12) if passing and request.query != "nothing" else 0
        own = [hit_of(number, self.text) for number in range(count)] if MARMOTS in names else []
        hits = [*(hidden_hit(name) for name in names if name != MARMOTS), *own][: request.limit]
        if request.related:
            hits = [replace(hit, related=(CALLER,)) for hit in hits]
        if request.history:
            changes = [past.last_change_of(hit, request.changed, self.commits) for hit in hits]
            hits = [replace(hit, last_change=one) for hit, one in zip(hits, changes, strict=True)]
        fresh = tuple(replace(FRESH, project=name) for name in names)
        return SearchAnswer(request.query, tuple(hits), fresh, took_ms=1.0, total_candidates=12)

    async def show(self, address: str, radius: int) -> ChunkView:
        """Return the third hit for its address."""
        target = self._at(address)
        neighbours = (hit_of(2), hit_of(4)) if radius else ()
        return ChunkView(target, neighbours, FRESH)

    def _at(self, address: str) -> Hit:
        if ":" not in address:
            raise BadQuery(f"{address!r} is not an address")
        known = (hit_of(3, self.text), *map(hidden_hit, self.others))
        for hit in known:
            if address == hit.address:
                return hit
        raise UnknownAddress(f"{address} names nothing")

    async def chunk_log(self, address: str, limit: int) -> ChunkLog:
        """Return the history of the third hit for its address."""
        if self.failure is not None:
            raise self.failure
        return past.log_of(self._at(address), limit, FRESH, self.commits)

    async def find_commits(self, request: CommitRequest) -> CommitsAnswer:
        """Find the commits that have a word of the query and pass the filter."""
        self.commit_searches.append(request)
        if self.failure is not None:
            raise self.failure
        names = self._in_scope(request.projects)
        known = [one for one in self.commits if MARMOTS in names]
        known = [past.hidden_commit(name) for name in names if name != MARMOTS] + known
        passing = past.passing(request.changed, known)
        found = past.answering(
            request.query, [one for one in passing if request.merges or not one.merge]
        )
        score = 0.5 if request.query else 0.0
        commits = tuple(past.found_of(one, score, hit_of(3)) for one in found[: request.limit])
        fresh = tuple(replace(FRESH, project=name) for name in names)
        return CommitsAnswer(request.query, commits, len(passing), fresh)

    async def explain(self, request: SearchRequest, commits_per_hit: int) -> Explanation:
        """Search, and put all commits behind the first two hits."""
        answer = await self.search(replace(request, history=True))
        commits = past.passing(request.changed, self.commits) if answer.hits else []
        first = tuple(number for number, hit in enumerate(answer.hits) if hit.project == MARMOTS)
        timeline = [TimelineEntry(one, first[:2]) for one in commits[:commits_per_hit] if first]
        for number, hit in enumerate(answer.hits):
            if hit.project != MARMOTS:
                timeline.insert(0, TimelineEntry(past.hidden_commit(hit.project), (number,)))
        return Explanation(
            request.query,
            answer.hits,
            tuple(timeline),
            answer.freshness,
            answer.notes,
            past.OWNERS if timeline else (),
        )

    async def status(self) -> DaemonStatus:
        """Return a status with one project."""
        return DaemonStatus(
            version="0",
            pid=os.getpid(),
            uptime_s=1.0,
            state_dir="/state",
            http="",
            socket="",
            embedder=EmbedderSpec("static", "test", 4),
            store="fake",
            memory_bytes={},
            projects=await self.list_projects(None),
        )

    async def figures(self) -> DaemonFigures:
        """Return figures that differ from each other."""
        if self.failure is not None:
            raise self.failure
        return DaemonFigures(
            uptime_s=61.5,
            memory_bytes=300,
            machine_bytes=1_000,
            allowed_projects=self.allowed,
            searches=4,
            saved_tokens=1_000,
            answers=CacheFigures(2, 8, 6, 1_000),
            embeddings=CacheFigures(5, 10, 4),
        )

    async def health(self) -> Mapping[str, Any]:
        """Say that all is well."""
        groups = {project.group: project.chunks for project in await self.list_projects(None)}
        return {"status": "ok", "groups": groups}

    async def add_project(
        self, path: Path, *, name: str | None, group: str | None, hooks: bool
    ) -> ProjectEntry:
        """Accept every path but the name that is taken."""
        if name == MARMOTS:
            raise Conflict(f"the name {name} is taken")
        self.calls.append(f"add {path} {name} {group} {hooks}")
        return ProjectEntry(ProjectName(name or path.name), str(path), GroupName(group or "g"))

    top_n: int = 10

    async def register(self, path: str, *, name: str | None = None) -> ProjectEntry:
        """Accept every path but the name that is taken."""
        return await self.add_project(Path(path), name=name, group=None, hooks=False)

    async def embed_cards(self, group: GroupName) -> int:
        """Count the cards of a group."""
        return sum(one.cards for one in await self.memory.stats(Reach(groups=(group,))))

    async def remove_project(self, name: ProjectName) -> None:
        """Remember it."""
        self._in_scope((name,))
        self.removed.append(name)

    async def list_projects(self, group: GroupName | None) -> tuple[ProjectStatus, ...]:
        """Return the projects; of an unknown group none."""
        projects = [project_of(MARMOTS, ALPS)]
        projects += [project_of(name, ALPS) for name in self.beside]
        projects += [project_of(name, GroupName(f"group-of-{name}")) for name in self.others]
        return tuple(one for one in projects if group in (None, one.group))

    async def reindex(self, name: ProjectName | None, depth: Depth) -> tuple[ProjectName, ...]:
        """Remember it."""
        self.calls.append(f"reindex {name} {depth.value}")
        return (MARMOTS,)

    async def skipped(
        self, name: ProjectName | None
    ) -> Mapping[ProjectName, tuple[SkippedFile, ...]]:
        """Return `skipped_files` files."""
        self.calls.append(f"skipped {name}")
        files = (SkippedFile(f"{n}.png", Skip.BINARY) for n in range(self.skipped_files))
        return {MARMOTS: tuple(files)}

    async def flush(
        self, name: ProjectName | None, *, history: bool = False
    ) -> tuple[Freshness, ...]:
        """Return what is fresh."""
        del history
        self.calls.append(f"flush {name}")
        return (replace(FRESH, state=FreshnessState.VERIFIED),)

    async def _hooks(self, verb: str, target: str) -> HookReport:
        self.calls.append(f"hooks {verb} {target}")
        return HookReport("/hooks", "installed", {"post-commit": "installed"}, "")

    async def hooks_install(self, target: str) -> HookReport:
        """Remember it."""
        return await self._hooks("install", target)

    async def hooks_uninstall(self, target: str) -> HookReport:
        """Remember it."""
        return await self._hooks("uninstall", target)

    async def hooks_status(self, target: str) -> HookReport:
        """Remember it."""
        return await self._hooks("status", target)

    async def reload_settings(self) -> tuple[str, ...]:
        """Say that nothing changed."""
        return ()

    async def events(self) -> AsyncIterator[Mapping[str, Any]]:
        """Two events, then silence."""
        yield {"event": "progress", "project": MARMOTS, "files_done": 1}
        yield {"event": "generation", "project": MARMOTS, "generation": 8}
        try:
            await anyio.sleep_forever()
        finally:
            self.cancelled.set()

    async def stop(self) -> None:
        """Remember it."""
        self.calls.append("stop")


@dataclass(frozen=True)
class Served:
    """Listeners that run, and what is behind them."""

    service: FakeService
    addresses: BoundAddresses
    stop: anyio.Event

    @property
    def http(self) -> str:
        """The URL of the TCP listener."""
        return self.addresses.http

    @property
    def port(self) -> int:
        """The TCP port."""
        return self.addresses.port

    @property
    def control(self) -> str:
        """The path of the Unix socket."""
        return self.addresses.control


@contextlib.contextmanager
def short_directory() -> Any:
    """Yield a directory whose path leaves room for a socket's name."""
    directory = Path(tempfile.mkdtemp(prefix="pps"))
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@contextlib.asynccontextmanager
async def served(
    settings: HttpSettings | None = None,
    *,
    service: FakeService | None = None,
    expected_uid: int | None = None,
    inherited: Sequence[socket.socket] = (),
    control_path: Path | None = None,
    allowed_projects: Sequence[str] = (),
    knowledge: Publication | None = None,
) -> AsyncIterator[Served]:
    """Run the real listeners on a free port around a fake service."""
    chosen = settings or HttpSettings(port=0)
    behind = service or FakeService()
    stop = anyio.Event()
    bound: list[BoundAddresses] = []
    is_ready = anyio.Event()

    def ready(addresses: BoundAddresses) -> None:
        bound.append(addresses)
        is_ready.set()

    with short_directory() as directory:
        path = control_path or directory / "control.sock"
        uid = os.geteuid() if expected_uid is None else expected_uid
        async with anyio.create_task_group() as tasks:
            serve = partial(
                serve_interfaces, allowed_projects=allowed_projects, knowledge=knowledge
            )
            tasks.start_soon(serve, behind, chosen, path, uid, inherited, ready, stop)
            await is_ready.wait()
            try:
                yield Served(behind, bound[0], stop)
            finally:
                stop.set()
