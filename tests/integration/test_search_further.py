"""What a rewritten question adds to a search, through the engine over a real catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.embeddings.static import StaticModel
from paparatsd.search.catalog import CatalogSource
from paparatsd.search.engine import Engine
from paparatsd.search.frames import Asked, pack_asked, unpack_asked
from paparatsd.search.further import NOTHING_FURTHER, Further
from paparatsd.search.warming import WarmEngine
from paparatsd.search_model import SearchRequest
from paparatsd.store.reader import CatalogReader
from tests.integration.search_world import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paparatsd.search.frames import Ranked

QUESTION = "how do we slow down greedy callers"
FILES = {
    **{
        f"pages/view_{n}.py": f"def slow_down_{n}(greedy):\n    return callers_of(greedy, {n})\n"
        for n in range(90)
    },
    "core/throttle.py": (
        "class TokenBucket:\n    def refill(self, rate):\n        self.level += rate\n"
    ),
}


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


@pytest.fixture
def world(tmp_path: Path, model: StaticModel) -> Iterator[World]:
    world = World(tmp_path, model)
    world.index("site", FILES)
    yield world
    world.catalog.close()


@pytest.fixture(params=[Engine, WarmEngine])
def engine(request: pytest.FixtureRequest, world: World, model: StaticModel) -> Engine:
    made: Engine = request.param(CatalogSource(CatalogReader(world.path)), model)
    return made


def ask(world: World, engine: Engine, further: Further = NOTHING_FURTHER) -> Ranked:
    plan = engine.plan(SearchRequest(QUESTION, limit=100), world.scope(), None, further=further)
    return engine.rank(plan.token, world.store.answer(plan.requests))


def paths(ranked: Ranked) -> set[str]:
    return {hit.path for hit in ranked.hits}


def test_words_widen_what_is_looked_at(world: World, engine: Engine) -> None:
    plain = ask(world, engine)
    widened = ask(world, engine, Further(words=("token_bucket", "the", "zzz")))
    assert widened.candidates >= plain.candidates
    sparse = [one.sparse for one in world.store.requests]
    assert sparse[0] is not None
    assert sparse[1] is not None
    assert set(sparse[0].ids) < set(sparse[1].ids)
    assert len(sparse[1].ids) == len(sparse[0].ids) + 2, "only words that stand somewhere"
    assert list(sparse[1].ids) == sorted(sparse[1].ids)


def test_files_like_made_up_code_become_candidates(world: World, engine: Engine) -> None:
    code = "class TokenBucket:\n    def refill(self, rate): ..."
    plan = engine.plan(
        SearchRequest(QUESTION, limit=100), world.scope(), None, further=Further(code=code)
    )
    assert [one.sparse is None for one in plan.requests] == [False, True]
    ranked = engine.rank(plan.token, world.store.answer(plan.requests))
    assert ranked.candidates > ask(world, engine).candidates


def test_a_vector_of_another_model_is_used_as_it_is(world: World, engine: Engine) -> None:
    vector = np.full(engine.embed_query("x").shape, 0.1, np.float32)  # type: ignore[union-attr]
    plan = engine.plan(
        SearchRequest(QUESTION),
        world.scope(),
        None,
        built_in=False,
        further=Further(code="x", vector=vector),
    )
    assert plan.requests[-1].dense is vector
    short = Further(code="x", vector=vector[:3])
    plan = engine.plan(SearchRequest(QUESTION), world.scope(), None, built_in=False, further=short)
    assert all(one.dense is not vector for one in plan.requests)


def test_a_store_that_does_not_answer_leaves_an_answer(world: World, engine: Engine) -> None:
    plan = engine.plan(
        SearchRequest("greedy callers", limit=5), world.scope(), None, further=Further(code="a = 1")
    )
    assert engine.rank(plan.token, []).candidates >= 0


def test_nothing_further_changes_nothing(world: World, engine: Engine) -> None:
    plain = ask(world, engine)
    assert ask(world, engine, Further()) == plain
    assert ask(world, engine, Further(words=("the", "unheardofword"))) == plain


def test_it_reaches_the_search_process_as_it_was(world: World) -> None:
    further = Further(("a", "b"), "code", np.ones(3, np.float32))
    asked = Asked(SearchRequest("q"), world.scope(), None, True, False, further)
    found = unpack_asked(pack_asked(asked)).further
    assert found[:2] == further[:2]
    assert found.vector is further.vector
    plain = Asked(SearchRequest("q"), world.scope(), None, True, False)
    assert unpack_asked(pack_asked(plain)) == plain
