"""The use cases about the symbol graph: who uses what, and what breaks when it changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery
from paparatsd.graph.asked import GraphProject
from paparatsd.search.searcher import scope_notes
from paparatsd.search_model import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paparatsd.answerable import Answerable
    from paparatsd.graph.keeper import GraphKeeper
    from paparatsd.graph_model import (
        DefinitionAnswer,
        DefinitionRequest,
        GraphScope,
        ImpactAnswer,
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
    from paparatsd.search.scope import Scope
    from paparatsd.search_model import SearchAnswer


class GraphService:
    """Answers over the projects that are answered about."""

    def __init__(
        self,
        keeper: GraphKeeper,
        answerable: Answerable,
        search: Callable[[SearchRequest], Awaitable[SearchAnswer]],
    ) -> None:
        """`search` finds what a question means."""
        self._keeper = keeper
        self._answerable = answerable
        self._search = search

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
            found = await self._search(
                SearchRequest(
                    request.question,
                    limit=request.limit,
                    projects=request.scope.projects,
                    groups=request.scope.groups,
                    paths=request.scope.paths,
                )
            )
            request = replace(request, at=tuple(hit.address for hit in found.hits))
        answer: ImpactAnswer = await self._ask("impact", request.scope, request)
        return answer

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
        answer = await self._keeper.ask(operation, self._projects(scope), request)
        notes = self._answerable.noted((*answer.notes, *scope_notes(scope)), scope)
        freshness = tuple(project.freshness for project in scope.projects)
        return replace(answer, freshness=freshness, notes=notes)

    def _projects(self, scope: Scope) -> list[GraphProject]:
        """Return the projects of the scope, and those of their groups for what they provide."""
        asked = {project.project_id for project in scope.projects}
        groups = {project.group for project in scope.projects}
        return [
            GraphProject(
                one.project_id, one.name, one.group, one.generation, one.project_id in asked
            )
            for one in self._answerable.everything().projects
            if one.group in groups
        ]
