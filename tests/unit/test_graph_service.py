"""The use cases over the graph, with a graph process that answers what the test says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from paparatsd.errors import BadQuery, ChildDied
from paparatsd.graph.asked import Found, GraphProject
from paparatsd.graph_model import GraphScope, ImpactAnswer, ImpactRequest, SymbolRef
from paparatsd.graph_service import GraphService
from paparatsd.history_model import LastChange
from paparatsd.model import (
    Fingerprint,
    Freshness,
    FreshnessState,
    GroupName,
    ProjectName,
    RepoId,
    ShardKey,
)
from paparatsd.place_labels import ProjectLabels
from paparatsd.search.scope import ProjectScope, Scope
from paparatsd.search_model import Confidence, Hit, Neighbour, SearchAnswer, SearchRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

NEIGHBOUR = Neighbour("calls", "exact", "shop:b.py#g", "g", "function", "b.py", 1)
SEED = SymbolRef(ProjectName("shop"), "a.py", "python", "function", "f", 1, 2, "shop:a.py#f")
CHANGE = LastChange(None, 0, 0)


def project(number: int, name: str, group: str) -> ProjectScope:
    fresh = Freshness(ProjectName(name), 1, None, FreshnessState.CURRENT)
    shard = ShardKey(RepoId(name), "code", Fingerprint("f"), 8)
    return ProjectScope(number, ProjectName(name), GroupName(group), RepoId(name), shard, 1, fresh)


EVERYTHING = Scope((project(1, "shop", "a"), project(2, "library", "a"), project(3, "other", "b")))


class Graph:
    """Stands for the keeper of the graph process."""

    def __init__(self, answer: Any, error: Exception | None = None) -> None:
        self.answer, self.error = answer, error
        self.asked: list[tuple[str, list[GraphProject], Any]] = []

    async def ask(self, operation: str, projects: Sequence[GraphProject], request: Any) -> Any:
        self.asked.append((operation, list(projects), request))
        if self.error is not None:
            raise self.error
        return self.answer


class Projects:
    """Stands for `Answerable`: three projects, `shop` is what is asked about."""

    def select(self, projects: object, groups: object) -> tuple[object, ...]:
        del projects, groups
        return ()

    def scope(self, sessions: object, verified: object = frozenset()) -> Scope:
        del sessions, verified
        return EVERYTHING.only_of(ProjectName("shop"))

    def labels(self) -> dict[ProjectName, ProjectLabels]:
        return {ProjectName("shop"): ProjectLabels(service="checkout")}

    def everything(self) -> Scope:
        return EVERYTHING

    def noted(self, notes: tuple[str, ...], scope: Scope) -> tuple[str, ...]:
        del scope
        return notes


class History:
    """Stands for `HistoryService`."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    async def last_changes_of(self, places: Sequence[object], scope: Scope) -> list[LastChange]:
        del scope
        if self.error is not None:
            raise self.error
        return [CHANGE] * len(places)


def hit(path: str, symbol: str) -> Hit:
    return Hit(
        ProjectName("shop"), path, 1, 2, f"shop:{path}#{symbol}", "python", "function", symbol,
        "text", 0.9, Confidence.HIGH, symbol_end=9,
    )  # fmt: skip


def service(
    graph: Graph, history: History | None = None, hits: tuple[Hit, ...] = ()
) -> GraphService:
    async def search(request: SearchRequest) -> SearchAnswer:
        return SearchAnswer(request.query, hits, ())

    return GraphService(
        cast("Any", graph), cast("Any", Projects()), cast("Any", history or History()), search
    )


async def test_projects_of_the_group_are_told_of_but_not_asked_about() -> None:
    graph = Graph(ImpactAnswer((), (), (), (), 0))
    answer = await service(graph).impact(ImpactRequest(GraphScope(), ("f",)))
    ((operation, projects, _),) = graph.asked
    assert operation == "impact"
    assert [(one.name, one.asked) for one in projects] == [("shop", True), ("library", False)]
    assert [one.project for one in answer.freshness] == ["shop"]


async def test_a_question_is_answered_from_what_it_finds_with_who_changed_that_last() -> None:
    graph = Graph(ImpactAnswer((SEED,), (), (), (), 0))
    asked = ImpactRequest(GraphScope(), question="how are cards charged")
    answer = await service(graph, hits=(hit("a.py", "f"),)).impact(asked)
    assert graph.asked[0][2].at == ("shop:a.py#f",)
    assert answer.last_changes == (("shop:a.py#f", CHANGE),)
    assert answer.names == (("shop", "checkout"),)


async def test_a_question_that_finds_nothing_says_so_and_none_is_refused() -> None:
    graph = Graph(None)
    answer = await service(graph).impact(ImpactRequest(GraphScope(), question="?"))
    assert answer.notes == ("Nothing was found for this question.",)
    assert graph.asked == []
    with pytest.raises(BadQuery, match="impact of what"):
        await service(graph).impact(ImpactRequest(GraphScope()))


async def test_an_answer_without_history_says_so() -> None:
    graph = Graph(ImpactAnswer((SEED,), (), (), (), 0))
    history = History(ChildDied("the history process ended"))
    answer = await service(graph, history).impact(ImpactRequest(GraphScope(), ("f",)))
    assert answer.last_changes == ()
    assert answer.notes == ("History cannot be told now: the history process ended",)


async def test_the_first_hits_get_their_neighbours() -> None:
    graph = Graph(((NEIGHBOUR,),))
    found = SearchAnswer("q", (hit("a.py", "f"), hit("b.py", "g")), ())
    answer = await service(graph).with_neighbours(found, EVERYTHING)
    assert [one.related for one in answer.hits] == [(NEIGHBOUR,), None]
    assert graph.asked[0][2][0] == Found(ProjectName("shop"), "a.py", 1, 9, "f")


async def test_a_search_is_answered_though_the_graph_is_not_there() -> None:
    graph = Graph(None, ChildDied("the graph process ended"))
    found = SearchAnswer("q", (hit("a.py", "f"),), ())
    answer = await service(graph).with_neighbours(found, EVERYTHING)
    assert answer.hits == found.hits
    assert answer.notes == ("What is related cannot be told now: the graph process ended",)


async def test_what_may_not_be_heard_of_is_not_even_looked_at() -> None:
    graph = Graph(ImpactAnswer((), (), (), (), 0))
    scope = GraphScope(visible=frozenset({"shop"}))
    await service(graph).impact(ImpactRequest(scope, ("f",)))
    ((_, projects, _),) = graph.asked
    assert [one.name for one in projects] == ["shop"]
