"""The use cases about the symbol graph: who uses what, and what breaks when it changes."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery, PaparatsError
from paparatsd.graph.asked import ChangedTexts, FileTexts, Found, GraphProject
from paparatsd.graph_model import ImpactAnswer
from paparatsd.search.searcher import scope_notes
from paparatsd.search_model import SearchRequest
from paparatsd.sources.changes import WorkTree, read_changes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paparatsd.answerable import Answerable
    from paparatsd.graph.keeper import GraphKeeper
    from paparatsd.graph_model import (
        ChangedAnswer,
        ChangedRequest,
        DefinitionAnswer,
        DefinitionRequest,
        GraphScope,
        ImpactRequest,
        OutlineAnswer,
        OutlineRequest,
        PathsAnswer,
        PathsRequest,
        SurveyAnswer,
        SurveyRequest,
        UsagesAnswer,
        UsagesRequest,
    )
    from paparatsd.history_service import HistoryService
    from paparatsd.model import ProjectName
    from paparatsd.search.scope import Scope
    from paparatsd.search_model import Neighbour, SearchAnswer
    from paparatsd.sessions import ProjectSession
    from paparatsd.sources.changes import Changes

RELATED_S = 5.0
"""How long a search waits for what is related to its hits."""


class GraphService:
    """Answers over the projects that are answered about."""

    def __init__(
        self,
        keeper: GraphKeeper,
        answerable: Answerable,
        history: HistoryService,
        search: Callable[[SearchRequest], Awaitable[SearchAnswer]],
    ) -> None:
        """`search` finds what a question means."""
        self._keeper = keeper
        self._answerable = answerable
        self._history = history
        self._search = search
        self._work_trees: dict[ProjectName, WorkTree] = {}

    async def usages(self, request: UsagesRequest) -> UsagesAnswer:
        """Return who uses a symbol and what it uses. Raises BadQuery, UnknownAddress."""
        answer: UsagesAnswer = await self._ask("usages", request.scope, request)
        return answer

    async def definition(self, request: DefinitionRequest) -> DefinitionAnswer:
        """Return where what is named, or stands at a position, is defined."""
        answer: DefinitionAnswer = await self._ask("definition", request.scope, request)
        return answer

    async def outline(self, request: OutlineRequest) -> OutlineAnswer:
        """Return the symbols of a file, or the skeleton of a directory."""
        answer: OutlineAnswer = await self._ask("outline", request.scope, request)
        return answer

    async def call_paths(self, request: PathsRequest) -> PathsAnswer:
        """Return how one symbol comes to call another."""
        answer: PathsAnswer = await self._ask("call_paths", request.scope, request)
        return answer

    async def impact(self, request: ImpactRequest) -> ImpactAnswer:
        """Return what depends on something. Raises BadQuery when neither is given."""
        if not request.at and not request.question.strip():
            raise BadQuery("impact of what? give an address, a name, or a question")
        if not request.at:
            request = replace(request, at=await self._places_of(request))
            if not request.at:
                note = "Nothing was found for this question."
                return ImpactAnswer((), (), (), (), 0, notes=(note,))
        answer: ImpactAnswer = await self._ask("impact", request.scope, request)
        labels = self._answerable.labels().items()
        names = tuple((name, one.part_of) for name, one in labels if one.part_of)
        return await self._with_last_changes(replace(answer, names=names))

    async def _places_of(self, request: ImpactRequest) -> tuple[str, ...]:
        """Return the addresses of what a question finds."""
        found = await self._search(
            SearchRequest(
                request.question,
                limit=request.limit,
                projects=request.scope.projects,
                groups=request.scope.groups,
                paths=request.scope.paths,
            )
        )
        return tuple(hit.address for hit in found.hits)

    async def _with_last_changes(self, answer: ImpactAnswer) -> ImpactAnswer:
        """Return the answer with who changed each seed last, as far as history tells it."""
        places = [(one.project, one.path, one.start_line, one.end_line) for one in answer.seeds]
        scope = self._answerable.everything()
        try:
            found = await self._history.last_changes_of(places, scope)
        except PaparatsError as error:
            note = f"History cannot be told now: {error}"
            return replace(answer, notes=(*answer.notes, note))
        told = tuple(
            (seed.address, change)
            for seed, change in zip(answer.seeds, found, strict=True)
            if change is not None
        )
        return replace(answer, last_changes=told)

    async def changed(self, request: ChangedRequest) -> ChangedAnswer:
        """Return which symbols a change touches. Raises BadQuery, GitFailed.

        Of several projects those without git are passed over; one that is asked about alone not.
        """
        sessions = self._answerable.select(request.scope.projects, request.scope.groups)
        fresh = request.scope.fresh or request.against == "working"
        request = replace(request, scope=replace(request.scope, fresh=fresh))
        files: list[FileTexts] = []
        words, notes, total = "", [], 0
        problems: list[PaparatsError] = []
        for session in sessions:
            try:
                changes = await self._changes(session, request.against)
            except PaparatsError as error:
                problems.append(error)
                continue
            words, total = words or changes.against, total + changes.total
            files += [FileTexts(session.name, one.path, one.old, one.new) for one in changes.files]
            if changes.total > len(changes.files):
                notes.append(
                    f"{session.name}: of {changes.total} changed files the first "
                    f"{len(changes.files)} were looked into."
                )
        if problems and len(problems) == len(sessions):
            # What was asked for comes before what a project is: a folder can have no commit.
            raise min(problems, key=lambda error: not isinstance(error, BadQuery))
        notes += [f"Left out: {error}" for error in problems]
        asked = ChangedTexts(request, words, tuple(files), total, tuple(notes))
        answer: ChangedAnswer = await self._ask("changed", request.scope, asked)
        return answer

    async def _changes(self, session: ProjectSession, against: str) -> Changes:
        if session.checkout is None:
            raise BadQuery(f"{session.name} is not open yet; ask again in a moment")
        tree = self._work_trees.get(session.name)
        if tree is None or tree.root != session.root:
            tree = self._work_trees[session.name] = WorkTree(session.root)
        return await read_changes(session.checkout, tree, against)

    async def with_neighbours(self, answer: SearchAnswer, scope: Scope) -> SearchAnswer:
        """Return what a search found, the first hits with what is related to them."""
        found = tuple(
            Found(hit.project, hit.path, hit.start_line, hit.symbol_end or hit.end_line, hit.symbol)
            for hit in answer.hits
        )
        if not found:
            return answer
        told: tuple[tuple[Neighbour, ...], ...]
        try:
            async with asyncio.timeout(RELATED_S):
                told = await self._keeper.ask("related", self._projects(scope), found)
        except (PaparatsError, TimeoutError) as error:
            why = str(error) or f"the graph process was busy for {RELATED_S:g} s"
            note = f"What is related cannot be told now: {why}"
            return replace(answer, notes=(*answer.notes, note))
        hits = tuple(
            replace(hit, related=told[at]) if at < len(told) else hit
            for at, hit in enumerate(answer.hits)
        )
        return replace(answer, hits=hits)

    async def unused(self, request: SurveyRequest) -> SurveyAnswer:
        """Return definitions that nothing seems to use, with the doubts about it."""
        answer: SurveyAnswer = await self._ask("unused", request.scope, request)
        return answer

    async def hubs(self, request: SurveyRequest) -> SurveyAnswer:
        """Return the definitions that most is built on, and where programs begin."""
        answer: SurveyAnswer = await self._ask("hubs", request.scope, request)
        return answer

    async def _ask(self, operation: str, asked: GraphScope, request: object) -> Any:  # noqa: ANN401 - each operation has an answer of its own
        sessions = self._answerable.select(asked.projects, asked.groups)
        verified = await self._answerable.verify(sessions) if asked.fresh else frozenset()
        scope = self._answerable.scope(sessions, verified)
        answer = await self._keeper.ask(operation, self._projects(scope, asked.visible), request)
        notes = self._answerable.noted((*answer.notes, *scope_notes(scope)), scope)
        freshness = tuple(project.freshness for project in scope.projects)
        return replace(answer, freshness=freshness, notes=notes)

    def _projects(self, scope: Scope, visible: frozenset[str] = frozenset()) -> list[GraphProject]:
        """Return the projects of the scope, and those of their groups for what they provide.

        Of these only the visible ones, if any are named.
        """
        asked = {project.project_id for project in scope.projects}
        groups = {project.group for project in scope.projects}
        return [
            GraphProject(
                one.project_id, one.name, one.group, one.generation, one.project_id in asked
            )
            for one in self._answerable.everything().projects
            if one.group in groups and (not visible or one.name in visible)
        ]
