"""The symbol graph of some projects only: what is outside is neither asked about nor told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.errors import UnknownAddress, UnknownProject

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paparatsd.graph_model import (
        Affected,
        ChangedAnswer,
        ChangedRequest,
        DefinitionAnswer,
        DefinitionRequest,
        Edge,
        GraphScope,
        ImpactAnswer,
        ImpactRequest,
        OutlineAnswer,
        OutlineRequest,
        PathsAnswer,
        PathsRequest,
        Side,
        SurveyAnswer,
        SurveyRequest,
        SymbolRef,
        UsagesAnswer,
        UsagesRequest,
    )
    from paparatsd.interfaces.api import GraphApi
    from paparatsd.model import Freshness, ProjectName

Names = tuple["ProjectName", ...]
Narrow = Callable[[Names, tuple[str, ...]], Awaitable[Names]]


class ScopedGraph:
    """Checks what goes in, and once more what comes out.

    `narrow` returns the projects to ask about of those and the groups that are named; it raises
    UnknownProject.
    """

    def __init__(self, graph: GraphApi, allowed: frozenset[str], narrow: Narrow) -> None:
        self._graph = graph
        self._allowed = allowed
        self._narrow = narrow

    async def _scope(self, scope: GraphScope) -> GraphScope:
        names = await self._narrow(scope.projects, scope.groups)
        if not names:
            raise UnknownProject("none of the projects that are answered about is registered")
        return replace(scope, projects=names, visible=self._allowed)

    async def usages(self, request: UsagesRequest) -> UsagesAnswer:
        """Return who uses a symbol of ours, and what it uses of ours."""
        answer = await self._graph.usages(replace(request, scope=await self._scope(request.scope)))
        found = tuple(
            replace(one, incoming=self._side(one.incoming), outgoing=self._side(one.outgoing))
            for one in answer.found
            if self._ours(one.symbol)
        )
        meant = answer.meant - (len(answer.found) - len(found))
        return replace(answer, found=found, meant=meant, freshness=self._fresh(answer.freshness))

    async def definition(self, request: DefinitionRequest) -> DefinitionAnswer:
        """Return where something is defined in our projects."""
        answer = await self._graph.definition(
            replace(request, scope=await self._scope(request.scope))
        )
        found = tuple(one for one in answer.found if self._ours(one.symbol))
        total = answer.total - (len(answer.found) - len(found))
        return replace(answer, found=found, total=total, freshness=self._fresh(answer.freshness))

    async def outline(self, request: OutlineRequest) -> OutlineAnswer:
        """Return the outline of a file or directory of ours."""
        answer = await self._graph.outline(replace(request, scope=await self._scope(request.scope)))
        if answer.project not in self._allowed:
            raise UnknownAddress(f"{request.at} names nothing here")
        return replace(answer, freshness=self._fresh(answer.freshness))

    async def call_paths(self, request: PathsRequest) -> PathsAnswer:
        """Return the chains of calls that stay in our projects."""
        answer = await self._graph.call_paths(
            replace(request, scope=await self._scope(request.scope))
        )
        return replace(
            answer,
            source=self._symbols(answer.source),
            target=self._symbols(answer.target),
            paths=tuple(
                one for one in answer.paths if all(self._ours(symbol) for symbol in one.symbols)
            ),
            freshness=self._fresh(answer.freshness),
        )

    async def impact(self, request: ImpactRequest) -> ImpactAnswer:
        """Return what in our projects depends on something of ours."""
        answer = await self._graph.impact(replace(request, scope=await self._scope(request.scope)))
        affected, tests = self._affected(answer.affected), self._affected(answer.tests)
        hidden = len(answer.affected) + len(answer.tests) - len(affected) - len(tests)
        seeds = self._symbols(answer.seeds)
        ours = {one.address for one in seeds}
        return replace(
            answer,
            seeds=seeds,
            affected=affected,
            tests=tests,
            services=tuple(one for one in answer.services if one[0] in self._allowed),
            total=answer.total - hidden,
            last_changes=tuple(one for one in answer.last_changes if one[0] in ours),
            freshness=self._fresh(answer.freshness),
        )

    async def changed(self, request: ChangedRequest) -> ChangedAnswer:
        """Return which symbols of ours a change touches."""
        answer = await self._graph.changed(replace(request, scope=await self._scope(request.scope)))
        kept = tuple(one for one in answer.symbols if self._ours(one.symbol))
        symbols = []
        for one in kept:
            callers = self._edges(one.callers)
            total = one.callers_total - (len(one.callers) - len(callers))
            tests = self._symbols(one.tests)
            symbols.append(replace(one, callers=callers, callers_total=total, tests=tests))
        return replace(
            answer,
            symbols=tuple(symbols),
            total=answer.total - (len(answer.symbols) - len(kept)),
            freshness=self._fresh(answer.freshness),
        )

    async def unused(self, request: SurveyRequest) -> SurveyAnswer:
        """Return definitions of ours that nothing seems to use."""
        scope = await self._scope(request.scope)
        return self._survey(await self._graph.unused(replace(request, scope=scope)))

    async def hubs(self, request: SurveyRequest) -> SurveyAnswer:
        """Return what most of our projects is built on."""
        scope = await self._scope(request.scope)
        return self._survey(await self._graph.hubs(replace(request, scope=scope)))

    # ------------------------------------------------------------------ what comes out

    def _ours(self, symbol: SymbolRef) -> bool:
        return symbol.project in self._allowed

    def _symbols(self, symbols: Iterable[SymbolRef]) -> tuple[SymbolRef, ...]:
        return tuple(one for one in symbols if self._ours(one))

    def _edges(self, edges: Iterable[Edge]) -> tuple[Edge, ...]:
        return tuple(one for one in edges if self._ours(one.symbol))

    def _affected(self, affected: Iterable[Affected]) -> tuple[Affected, ...]:
        return tuple(one for one in affected if self._ours(one.symbol) and self._ours(one.via))

    def _side(self, side: Side | None) -> Side | None:
        if side is None:
            return None
        edges = self._edges(side.edges)
        return replace(side, edges=edges, total=side.total - (len(side.edges) - len(edges)))

    def _survey(self, answer: SurveyAnswer) -> SurveyAnswer:
        found = tuple(one for one in answer.found if self._ours(one.symbol))
        total = answer.total - (len(answer.found) - len(found))
        return replace(answer, found=found, total=total, freshness=self._fresh(answer.freshness))

    def _fresh(self, freshness: Iterable[Freshness]) -> tuple[Freshness, ...]:
        return tuple(one for one in freshness if one.project in self._allowed)
