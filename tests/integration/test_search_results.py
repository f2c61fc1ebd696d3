"""What is shown of what was found: whole functions, where long ones end, no place twice."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from paparatsd.embeddings.static import StaticModel
from paparatsd.search.catalog import CatalogSource
from paparatsd.search.diversity import overlap
from paparatsd.search.engine import Engine
from paparatsd.search.merging import MAX_GAP_LINES, MAX_MERGED_LINES
from paparatsd.search_model import SearchRequest
from paparatsd.store.reader import CatalogReader
from tests.integration.search_world import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paparatsd.model import VersionId
    from paparatsd.search_model import ChunkView, Hit


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


@pytest.fixture
def world(tmp_path: Path, model: StaticModel) -> Iterator[World]:
    world = World(tmp_path, model)
    yield world
    world.catalog.close()


def engine_of(world: World) -> Engine:
    return Engine(CatalogSource(CatalogReader(world.path)), world.model)


def ask(world: World, query: str, limit: int = 5) -> tuple[Hit, ...]:
    engine = engine_of(world)
    plan = engine.plan(SearchRequest(query, limit=limit), world.scope(), None)
    return engine.rank(plan.token, world.store.answer(plan.requests)).hits


def show(world: World, address: str, radius: int = 0) -> ChunkView:
    return engine_of(world).show(address, radius, world.scope())


def function(name: str, lines: int) -> str:
    body = "".join(
        f"    step_{n} = compute_the_next_step(previous={n}, argument='{'x' * 30}')\n"
        for n in range(lines - 1)
    )
    return f"def {name}(argument):\n{body}\n\n"


def test_a_function_of_several_chunks_is_shown_as_a_whole(world: World) -> None:
    text = function("settle_balance", 50)
    world.index("shop", {"bank.py": text})
    assert len(world.catalog.read.chunks_of(_version(world))) > 1
    hit = ask(world, "settle_balance")[0]
    assert (hit.start_line, hit.end_line, hit.symbol_end) == (1, 50, None)
    assert hit.text == text.rstrip("\n")
    assert show(world, hit.address).target.text == hit.text


def test_a_longer_function_is_shown_as_its_beginning_and_says_where_it_ends(world: World) -> None:
    text = function("settle_balance", 90)
    world.index("shop", {"bank.py": text})
    hit = ask(world, "settle_balance")[0]
    assert hit.start_line == 1
    assert hit.end_line < 60
    assert hit.symbol_end == 90
    whole = show(world, hit.address).target
    assert (whole.start_line, whole.end_line, whole.symbol_end) == (1, 90, None)


def test_the_beginning_of_a_long_function_is_more_than_its_first_lines(world: World) -> None:
    inner = "".join(f"        step_{n}(argument, '{'x' * 40}')\n" for n in range(20))
    blocks = "".join(f"    def inner_{n}():\n{inner}\n" for n in range(8))
    text = f"def outer_balance(argument):\n    # The rest follows.\n    begin()\n\n{blocks}"
    world.index("shop", {"bank.py": text})
    hit = ask(world, "outer_balance")[0]
    assert hit.symbol_end is not None
    assert hit.end_line >= 20
    assert hit.text.split("\n") == text.split("\n")[: hit.end_line]


def test_what_is_too_long_for_one_reading_stays_its_beginning(world: World) -> None:
    world.index("shop", {"bank.py": function("settle_balance", 400)})
    target = show(world, "shop:bank.py#settle_balance").target
    assert target.end_line < 200
    assert target.symbol_end == 400


def test_lines_around_a_whole_function_are_not_shown_twice(world: World) -> None:
    world.index("shop", {"bank.py": function("settle_balance", 50) + function("second", 50)})
    view = show(world, "shop:bank.py#settle_balance", radius=20)
    target = (view.target.start_line, view.target.end_line)
    spans = [(one.start_line, one.end_line) for one in view.neighbours]
    assert spans
    assert all(overlap(span, target) <= 0.5 for span in spans)


def test_one_line_asked_for_comes_with_lines_around_it_and_not_with_all(world: World) -> None:
    constants = "".join(f"LIMIT_{name} = {number}\n" for number, name in enumerate("ABCDEFGHIJKLM"))
    text = "import os\n" * 6 + "\nMAXIMUM_RETRY_COUNT = 5\n\n" + constants
    world.index("shop", {"limits.py": text})
    hit = ask(world, "MAXIMUM_RETRY_COUNT")[0]
    assert "MAXIMUM_RETRY_COUNT = 5" in hit.text
    assert hit.end_line - hit.start_line + 1 <= 13
    assert hit.text.split("\n") == text.split("\n")[hit.start_line - 1 : hit.end_line]


def test_chunks_side_by_side_are_one_hit(world: World) -> None:
    text = "".join(
        f"def handle_payment_{n}(card):\n" + "    charge_card_once(card)\n" * 12 + "\n\n"
        for n in range(9)
    )
    world.index("shop", {"bank.py": text})
    hits = ask(world, "handle payment and charge card once", limit=10)
    lines = text.split("\n")
    for hit in hits:
        assert hit.text.split("\n") == lines[hit.start_line - 1 : hit.end_line]
        shown = show(world, hit.address)
        assert hit.start_line >= shown.target.start_line or shown.neighbours
    spans = sorted((hit.start_line, hit.end_line) for hit in hits)
    assert spans
    for before, after in pairwise(spans):
        apart = after[0] - before[1] - 1 > MAX_GAP_LINES
        assert apart or after[1] - before[0] + 1 > MAX_MERGED_LINES


def _version(world: World) -> VersionId:
    (version,) = {
        entry.version
        for project in world.catalog.read.projects()
        for entry in world.catalog.read.view(project.id).values()
    }
    return version
