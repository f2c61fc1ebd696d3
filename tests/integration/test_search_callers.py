"""Who uses a name, over a real catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.embeddings.static import StaticModel
from paparatsd.search.callers import Callers, as_winner, find_callers, shown_part
from paparatsd.search.catalog import CatalogSource
from paparatsd.search.query import analyse
from paparatsd.search.shelf import Shelf
from paparatsd.search.views import Views
from paparatsd.search_model import Confidence
from paparatsd.store.reader import CatalogReader
from tests.integration.search_world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Ask = Callable[..., list[str]]

SHOP = {
    "shop/limits.py": "def check_limit(amount):\n    return amount < 5\n",
    "shop/__init__.py": "from shop.limits import check_limit\n",
    "shop/cart.py": (
        "from shop.limits import check_limit\n\n\n"
        "class Cart:\n    def pay(self):\n        return check_limit(self.sum)\n\n"
        "    def empty(self):\n        return self.store.clear()\n"
    ),
    "shop/pool.py": "class Pool:\n    def drain(self):\n        return self.rows.clear()\n",
    "shop/tree.py": (
        "def walk(node):\n    for child in node:\n        walk(child)\n\n\n"
        "def start(root):\n    return walk(root)\n"
    ),
    "tests/test_limits.py": (
        "from shop.limits import check_limit\n\n\n"
        "def test_limit():\n    assert check_limit(1)\n    assert check_limit(2)\n"
    ),
}


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


@pytest.fixture
def world(tmp_path: Path, model: StaticModel) -> Iterator[World]:
    world = World(tmp_path, model)
    world.index("shop", SHOP)
    yield world
    world.catalog.close()


def found(world: World, question: str, *, limit: int = 5, only: str = "") -> Callers:
    reader = CatalogSource(CatalogReader(world.path))
    views, _ = Views(reader).corpus(world.scope())
    allowed = [np.array([only in path for path in view.paths]) for view in views]
    shelf = Shelf(reader, record_bytes=1 << 20, text_bytes=1 << 20)
    return find_callers(analyse(question), reader, shelf, views, allowed, limit)


@pytest.fixture
def ask(world: World) -> Ask:
    def ask(question: str, **options: object) -> list[str]:
        callers = found(world, question, **options)  # type: ignore[arg-type]
        return [one.definition.qualified if one.definition else "" for one in callers.found]

    return ask


def test_code_comes_before_tests_and_both_before_mere_imports(ask: Ask) -> None:
    assert ask("who calls check_limit") == ["Cart.pay", "test_limit", ""]


def test_tests_come_first_when_asked_for(ask: Ask) -> None:
    assert ask("which tests use check_limit")[0] == "test_limit"


def test_another_spelling_of_the_name_is_found(world: World) -> None:
    callers = found(world, "where is checkLimit used?")

    assert callers.name == "check_limit"
    assert callers.files == 3
    assert "check_limit" in callers.note


def test_a_qualifier_puts_what_fits_it_first(ask: Ask) -> None:
    assert ask("callers of rows.clear") == ["Pool.drain", "Cart.empty"]
    assert ask("callers of store.clear") == ["Cart.empty", "Pool.drain"]


def test_calls_of_itself_are_left_out_when_others_call(ask: Ask) -> None:
    assert ask("who calls walk") == ["start"]


def test_limit_and_filters_hold(ask: Ask) -> None:
    assert ask("who calls check_limit", limit=1) == ["Cart.pay"]
    assert ask("who calls check_limit", only="tests/") == ["test_limit"]


def test_an_unused_name_has_no_callers(world: World) -> None:
    assert found(world, "who calls nobody_at_all").found == ()


def test_a_caller_is_shown_as_the_definition_around_the_call(world: World) -> None:
    reader = CatalogSource(CatalogReader(world.path))
    scope = world.scope()
    views, _ = Views(reader).corpus(scope)
    caller = found(world, "who calls check_limit").found[0]
    chunk = reader.chunks_of(caller.version)[caller.ordinal]

    winner, part = as_winner(caller, scope, views), shown_part(caller, chunk)

    assert (winner.path, winner.confidence) == ("shop/cart.py", Confidence.HIGH)
    assert part.definition is not None
    assert part.definition.qualified == "Cart.pay"
    assert "check_limit(self.sum)" in part.text
    assert caller.lines == (6,)
