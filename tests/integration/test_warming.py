"""Loading ahead: what is in memory before anybody asks, what is not, and when it is begun."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.embeddings.static import StaticModel
from paparatsd.search.cache import QueryCache
from paparatsd.search.catalog import CatalogSource
from paparatsd.search.engine import Engine
from paparatsd.search.searcher import Searcher
from paparatsd.search.warming import SLICE, WarmEngine
from paparatsd.search_model import SearchRequest
from paparatsd.store.reader import CatalogReader
from tests.integration.search_world import World

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from paparatsd.model import Chunk
    from paparatsd.search.frames import Ranked
    from paparatsd.search.scope import Scope

FILES = {f"module{n}.py": f"def colour{n}():\n    return 'paint {n}'\n" for n in range(3 * SLICE)}


class Counting(CatalogSource):
    """Notes which records and which texts are read."""

    def __init__(self, reader: CatalogReader) -> None:
        super().__init__(reader)
        self.read: list[int] = []
        self.told: list[int] = []

    def chunks_of(self, version: int) -> tuple[Chunk, ...]:
        self.told.append(version)
        return super().chunks_of(version)

    def records(self, versions: Iterable[int]) -> Mapping[int, bytes]:
        wanted = list(versions)
        self.read += wanted
        return super().records(wanted)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path, StaticModel.load())
    made.index("shop", FILES)
    yield made
    made.catalog.close()


def ask(engine: WarmEngine, world: World) -> Ranked:
    plan = engine.plan(SearchRequest("paint colour"), world.scope(), None)
    return engine.rank(plan.token, world.store.answer(plan.requests))


def load_all(engine: WarmEngine) -> int:
    rounds = 1
    while engine.idle():
        rounds += 1
    return rounds


def test_question_after_idle_time_reads_no_record(world: World) -> None:
    source = Counting(CatalogReader(world.path))
    engine = WarmEngine(source, world.model)
    engine.warm(world.scope())
    assert source.read == []
    assert load_all(engine) == 6
    assert len(set(source.read)) == len(source.read) == len(FILES)
    assert len(set(source.told)) == len(source.told) == len(FILES)
    assert ask(engine, world).hits
    assert len(source.read) == len(source.told) == len(FILES)
    assert not engine.idle()


def test_edit_has_only_its_own_file_loaded(world: World) -> None:
    source = Counting(CatalogReader(world.path))
    engine = WarmEngine(source, world.model)
    engine.warm(world.scope())
    load_all(engine)
    world.index("shop", {**FILES, "module0.py": "def shade():\n    return 'paint it black'\n"})
    engine.warm(world.scope())
    load_all(engine)
    assert len(source.read) == len(FILES) + 1


def test_question_has_the_rest_of_its_view_loaded_afterwards(world: World) -> None:
    source = Counting(CatalogReader(world.path))
    engine = WarmEngine(source, world.model)
    ask(engine, world)
    load_all(engine)
    assert len(set(source.read)) == len(FILES)


def test_no_more_is_loaded_than_there_is_room_for(world: World) -> None:
    source = Counting(CatalogReader(world.path))
    engine = WarmEngine(source, world.model, record_bytes=50_000)
    engine.warm(world.scope())
    load_all(engine)
    assert len(source.read) < len(FILES)
    assert ask(engine, world).hits


def test_texts_are_loaded_as_far_as_there_is_room(world: World) -> None:
    source = Counting(CatalogReader(world.path))
    engine = WarmEngine(source, world.model, text_bytes=6_000)
    engine.warm(world.scope())
    load_all(engine)
    assert SLICE <= len(source.told) < len(FILES)
    assert ask(engine, world).hits


def test_what_is_left_for_later_changes_no_answer(world: World) -> None:
    question = SearchRequest("colour7 module3")
    answers = []
    for engine in (
        Engine(CatalogSource(CatalogReader(world.path)), world.model),
        WarmEngine(CatalogSource(CatalogReader(world.path)), world.model),
    ):
        plan = engine.plan(question, world.scope(), None)
        if isinstance(engine, WarmEngine):
            engine.prepare(plan.token)
            engine.prepare(plan.token)
        # Recall that brings nothing: all there is comes from names.
        answers.append(engine.rank(plan.token, []))
    assert answers[0].hits
    assert answers[0] == answers[1]
    unprepared = WarmEngine(CatalogSource(CatalogReader(world.path)), world.model)
    assert unprepared.rank(unprepared.plan(question, world.scope(), None).token, []) == answers[0]


# ---------------------------------------------------------------- when it is begun


class FakeChild:
    """Notes what it is asked to warm."""

    def __init__(self) -> None:
        self.warmed: list[Scope] = []
        self.asked = asyncio.Event()

    def is_running(self) -> bool:
        return True

    async def call(self, operation: str, argument: Any, **_: object) -> int:
        assert operation == "warm"
        self.warmed.append(argument)
        self.asked.set()
        return 0


def searcher(child: FakeChild) -> Searcher:
    return Searcher(
        child=child,  # type: ignore[arg-type]
        store=None,  # type: ignore[arg-type]
        cache=QueryCache(1),
        quiet_s=0.0,
    )


async def settled(found: Searcher) -> None:
    """Let a timer without delay and what it starts run."""
    for _ in range(3):
        await asyncio.sleep(0)
    if found._warming is not None:
        await found._warming


async def test_project_that_is_new_is_loaded_once_its_index_is_there(world: World) -> None:
    child = FakeChild()
    found, scope = searcher(child), world.scope()
    half = replace(scope, projects=(replace(scope.projects[0], building=(1, 9)),))
    found.warm_soon(lambda: half)
    await settled(found)
    assert child.warmed == []
    found.warm_soon(lambda: half)
    found.warm_soon(lambda: scope)
    await settled(found)
    assert child.warmed == [scope]


async def test_changes_are_loaded_ahead_only_for_somebody_who_asks(world: World) -> None:
    child = FakeChild()
    found, scope = searcher(child), world.scope()
    await found.warm(scope)
    found.warm_soon(lambda: scope)
    await settled(found)
    assert child.warmed == [scope]
    empty = replace(scope, projects=())
    await found.search(SearchRequest("anything"), empty)
    found.warm_soon(lambda: scope)
    await settled(found)
    assert child.warmed == [scope, scope]
