"""A service that answers for some projects only.

What is outside answers exactly like what does not exist: same class of error, same words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from paparatsd.chunks.address import parse_address
from paparatsd.errors import BadQuery, UnknownAddress, UnknownProject
from paparatsd.history_model import CommitsAnswer, Explanation
from paparatsd.interfaces.mcp.graph_scope import ScopedGraph
from paparatsd.interfaces.mcp.knowledge_scope import (
    Bounds,
    ScopedDocs,
    ScopedGlossary,
    ScopedMemory,
)
from paparatsd.search_model import SearchAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paparatsd.history_model import (
        ChunkLog,
        CommitRequest,
        FoundCommit,
    )
    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.model import Depth, Freshness, GroupName, ProjectEntry, ProjectName
    from paparatsd.search_model import ChunkView, Hit, Neighbour, SearchRequest
    from paparatsd.status_model import DaemonStatus, ProjectStatus


def scoped(service: ToolsApi, allowed_projects: Sequence[str]) -> ToolsApi:
    """Return the service, limited to these projects; as it is when none are listed."""
    return Scoped(service, frozenset(allowed_projects)) if allowed_projects else service


class Scoped:
    """Checks what goes in, and once more what comes out."""

    def __init__(self, service: ToolsApi, allowed: frozenset[str]) -> None:
        self._service = service
        self._allowed = allowed

    @property
    def graph(self) -> ScopedGraph:
        """The symbol graph of our projects."""
        return ScopedGraph(self._service.graph, self._allowed, self._narrowed)

    @property
    def docs(self) -> ScopedDocs:
        """The documents of our projects."""
        return ScopedDocs(self._service.docs, self._bounds)

    @property
    def glossary(self) -> ScopedGlossary:
        """The terms of our projects and groups."""
        return ScopedGlossary(self._service.glossary, self._bounds)

    @property
    def memory(self) -> ScopedMemory:
        """The cards of our projects and groups."""
        return ScopedMemory(self._service.memory, self._bounds)

    @property
    def _bounds(self) -> Bounds:
        return Bounds(self._allowed, self._narrowed, self._ours)

    # ------------------------------------------------------------------ what goes in

    async def _narrowed(
        self, projects: tuple[ProjectName, ...], groups: tuple[str, ...]
    ) -> tuple[ProjectName, ...]:
        """Return the projects to ask about. Raises UnknownProject for one that is not ours."""
        ours = await self._ours()
        names = {project.name for project in ours}
        for name in projects:
            if name not in names:
                self._unknown("project", name, names)
        known = {project.group for project in ours}
        for group in groups:
            if group not in known:
                self._unknown("group", group, known)
        return projects or tuple(sorted(names))

    async def _ours(self) -> tuple[ProjectStatus, ...]:
        listed = await self._service.list_projects(None)
        return tuple(project for project in listed if project.name in self._allowed)

    def _unknown(self, noun: str, name: str, known: Iterable[str]) -> NoReturn:
        names = ", ".join(sorted(known)) or "none"
        raise UnknownProject(f"no {noun} named {name!r} ({noun}s: {names})")

    def _check(self, address: str) -> None:
        """Refuse an address of another project. Raises BadQuery when it is malformed."""
        if parse_address(address).project not in self._allowed:
            raise _names_nothing(address)

    # ------------------------------------------------------------------ asking

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """Answer a search among our projects."""
        names = await self._narrowed(request.projects, request.groups)
        if not names:
            return SearchAnswer(request.query, (), ())
        answer = await self._service.search(replace(request, projects=names))
        hits = self._hits(answer.hits)
        return replace(answer, hits=hits, freshness=self._fresh(answer.freshness))

    async def show(self, address: str, radius: int) -> ChunkView:
        """Return the chunk at an address."""
        self._check(address)
        try:
            view = await self._service.show(address, radius)
        except (UnknownAddress, UnknownProject):
            raise _names_nothing(address) from None
        (target,) = self._hits((view.target,))
        return replace(view, target=target, neighbours=self._hits(view.neighbours))

    async def status(self) -> DaemonStatus:
        """Everything the daemon says of itself and of our projects."""
        status = await self._service.status()
        names = {project.name for project in status.projects}
        return replace(
            status,
            projects=tuple(one for one in status.projects if one.name in self._allowed),
            problems=self._problems(status.problems, names),
            offers=(),
        )

    async def health(self) -> Mapping[str, Any]:
        """Say whether we are well, and how large our groups are."""
        listed = await self._service.list_projects(None)
        groups: dict[str, int] = {}
        for project in listed:
            if project.name in self._allowed:
                groups[project.group] = groups.get(project.group, 0) + project.chunks
        state = {**await self._service.health(), "groups": groups}
        problems = self._problems(state.pop("problems", ()), {one.name for one in listed})
        return {**state, "problems": list(problems)} if problems else state

    def _problems(self, problems: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
        others = tuple(f"{name}: " for name in names if name not in self._allowed)
        return tuple(problem for problem in problems if not problem.startswith(others))

    async def list_projects(self, group: GroupName | None) -> tuple[ProjectStatus, ...]:
        """Return our projects of one group, or all."""
        if group is not None:
            await self._narrowed((), (group,))
        ours = await self._ours()
        return tuple(project for project in ours if group in (None, project.group))

    @property
    def top_n(self) -> int:
        """How many results codebase_search gives when it is not told."""
        return self._service.top_n

    async def register(self, path: str, *, name: str | None = None) -> ProjectEntry:
        """Refuse: what would be added is none of our projects. Raises BadQuery."""
        del name
        ours = ", ".join(sorted(self._allowed))
        raise BadQuery(
            f"nothing is indexed at {path!r} that may be asked about here; this server answers for "
            f"these projects only, and adds no others: {ours}"
        )

    async def reindex(self, name: ProjectName | None, depth: Depth) -> tuple[ProjectName, ...]:
        """Queue a reindex of one of our projects, or of all of them."""
        names = await self._narrowed((name,) if name is not None else (), ())
        for one in names:
            await self._service.reindex(one, depth)
        return names

    async def remove_project(self, name: ProjectName) -> None:
        """Forget one of our projects."""
        await self._narrowed((name,), ())
        await self._service.remove_project(name)

    # ------------------------------------------------------------------ history

    async def chunk_log(self, address: str, limit: int) -> ChunkLog:
        """Return the history of a place."""
        self._check(address)
        try:
            return await self._service.chunk_log(address, limit)
        except (UnknownAddress, UnknownProject):
            raise _names_nothing(address) from None

    async def find_commits(self, request: CommitRequest) -> CommitsAnswer:
        """Find commits of our projects."""
        names = await self._narrowed(request.projects, request.groups)
        if not names:
            return CommitsAnswer(request.query, (), 0, ())
        answer = await self._service.find_commits(replace(request, projects=names))
        commits = tuple(
            self._places_of(one) for one in answer.commits if one.commit.project in self._allowed
        )
        return replace(answer, commits=commits, freshness=self._fresh(answer.freshness))

    async def explain(self, request: SearchRequest, commits_per_hit: int) -> Explanation:
        """Search our projects, with the commits behind what is found."""
        names = await self._narrowed(request.projects, request.groups)
        if not names:
            return Explanation(request.query, (), (), ())
        answer = await self._service.explain(replace(request, projects=names), commits_per_hit)
        kept = [number for number, hit in enumerate(answer.hits) if hit.project in self._allowed]
        number_now = {old: new for new, old in enumerate(kept)}
        timeline = tuple(
            replace(one, hits=tuple(number_now[hit] for hit in one.hits if hit in number_now))
            for one in answer.timeline
            if one.commit.project in self._allowed
        )
        return replace(
            answer,
            hits=self._hits(answer.hits),
            timeline=timeline,
            freshness=self._fresh(answer.freshness),
        )

    # ------------------------------------------------------------------ what comes out

    def _hits(self, hits: Iterable[Hit]) -> tuple[Hit, ...]:
        return tuple(
            replace(
                hit,
                also_in=tuple(name for name in hit.also_in if name in self._allowed),
                related=self._related(hit.related),
            )
            for hit in hits
            if hit.project in self._allowed
        )

    def _related(self, related: tuple[Neighbour, ...] | None) -> tuple[Neighbour, ...] | None:
        if related is None:
            return None
        return tuple(one for one in related if parse_address(one.address).project in self._allowed)

    def _fresh(self, freshness: Iterable[Freshness]) -> tuple[Freshness, ...]:
        return tuple(one for one in freshness if one.project in self._allowed)

    def _places_of(self, found: FoundCommit) -> FoundCommit:
        places = tuple(one for one in found.places if one.project in self._allowed)
        left_out = len(found.places) - len(places)
        return replace(found, places=places, places_total=found.places_total - left_out)


def _names_nothing(address: str) -> UnknownAddress:
    return UnknownAddress(f"{address} names nothing here")
