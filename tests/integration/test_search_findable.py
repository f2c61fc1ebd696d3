"""What other indexes lose: code outside of functions, tails of windows, twins, short words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.embeddings.static import StaticModel
from paparatsd.model import VersionId
from paparatsd.search.catalog import CatalogSource
from paparatsd.search.engine import Engine
from paparatsd.search_model import SearchRequest
from paparatsd.store.reader import CatalogReader
from tests.integration.search_world import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paparatsd.search.frames import Ranked
    from paparatsd.search_model import Hit

BODY = "".join(f"    burrow_{number} = dig(depth, {number})\n" for number in range(40))
TWIN = f"def twin_of_marmots(depth):\n{BODY}    return depth\n"
UMLAUTS = "HÖHLEN = 'Über Hänge, Höhlen und Täler: größer als früher'\n" * 3
ANIMALS = ("ibex", "lynx", "stoat", "weasel", "otter", "badger", "marten", "ermine")


def wide_line(number: int) -> str:
    return f"row{number:02d} {ANIMALS[number % 8]}{number:02d} " + "pads out this wide line " * 6


FILES = {
    "src/limits.py": (
        "import os\n\nSLEEPING_BAG_CAPACITY = 17\n\n\ndef other():\n    return os.name\n\n\n"
        "RETRY_BUDGET_OF_IBEX = {'first': 1, 'second': 2}\n"
    ),
    "data/rows.zork": "\n".join(map(wide_line, range(80))) + "\n",
    "src/twins.py": f"{TWIN}\n\n{TWIN}",
    "src/umlauts.py": f"{UMLAUTS}\n\ndef glacier_tongue(ice):\n    return ice\n",
    "src/latest_model.go": (
        "package model\n\n// LatestModel returns the newest glacier model.\n"
        'func LatestModel() string {\n\treturn "glacier"\n}\n'
    ),
    "src/latest_model_test.go": (
        "package model\n\nfunc TestLatestModel(t *testing.T) {\n"
        '\tif LatestModel() != "glacier" {\n\t\tt.Fail()\n\t}\n}\n'
    ),
    "src/names.py": (
        "def parse_meadow_token(text):\n    return text\n\n\n"
        "def parse_meadow(text):\n    return text\n\n\n"
        "def token_of_meadow(text):\n    return text\n"
    ),
    "docs/说明.md": "# 草地\n\n土拨鼠在冬天之前把洞穴关闭，然后沉睡半年。\n",
    "config/app.yaml": "glacier:\n  thickness: 40\n  melting: slow\n",
}


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, model: StaticModel) -> Iterator[World]:
    root: Path = tmp_path_factory.mktemp("findable")
    world = World(root, model)
    world.index("alps", FILES)
    yield world
    world.catalog.close()


@pytest.fixture(scope="module")
def engine(world: World, model: StaticModel) -> Engine:
    return Engine(CatalogSource(CatalogReader(world.path)), model)


def ask(world: World, engine: Engine, question: str, limit: int = 5) -> tuple[Hit, ...]:
    plan = engine.plan(SearchRequest(question, limit=limit), world.scope(), None)
    ranked: Ranked = engine.rank(plan.token, world.store.answer(plan.requests))
    return ranked.hits


@pytest.mark.parametrize("name", ["SLEEPING_BAG_CAPACITY", "RETRY_BUDGET_OF_IBEX"])
def test_a_constant_outside_of_any_function_is_found(
    world: World, engine: Engine, name: str
) -> None:
    first = ask(world, engine, name)[0]
    assert first.path == "src/limits.py"
    assert name in first.text


@pytest.mark.parametrize("number", [0, 19, 41, 62, 79])
def test_every_line_of_a_file_in_an_unknown_language_is_found(
    world: World, engine: Engine, number: int
) -> None:
    word = f"{ANIMALS[number % 8]}{number:02d}"
    first = ask(world, engine, f"row{number:02d} {word}")[0]
    assert first.path == "data/rows.zork"
    assert first.start_line <= number + 1 <= first.end_line
    assert word in first.text


def test_equal_functions_of_one_file_have_addresses_of_their_own(
    world: World, engine: Engine
) -> None:
    chunks = world.catalog.read.chunks_of(version_of(world, "src/twins.py"))
    text = "".join(chunk.text for chunk in chunks)
    assert text.count("def twin_of_marmots") == 2
    places = {
        engine.show(f"alps:src/twins.py#twin_of_marmots{end}", 0, world.scope()).target.start_line
        for end in ("", "@2")
    }
    assert places == {1, 45}
    hits = [hit for hit in ask(world, engine, "twin_of_marmots") if hit.path == "src/twins.py"]
    shown = {line for hit in hits for line in range(hit.start_line, hit.end_line + 1)}
    assert {1, 45} <= shown


def version_of(world: World, path: str) -> VersionId:
    paths, versions = world.catalog.read.view_versions(world.scope().projects[0].project_id)
    return VersionId(int(versions[list(paths).index(path)]))


def test_a_name_after_wide_characters_is_read_rightly(world: World, engine: Engine) -> None:
    first = ask(world, engine, "glacier_tongue")[0]
    assert (first.path, first.symbol) == ("src/umlauts.py", "glacier_tongue")
    assert first.text.splitlines()[6 - first.start_line] == "def glacier_tongue(ice):"


def test_a_name_that_ends_like_a_test_is_no_test(world: World, engine: Engine) -> None:
    paths = [hit.path for hit in ask(world, engine, "newest glacier model")]
    assert paths[0] == "src/latest_model.go"
    assert paths.index("src/latest_model.go") < paths.index("src/latest_model_test.go")


def test_a_name_in_snake_case_written_in_full_comes_first(world: World, engine: Engine) -> None:
    assert ask(world, engine, "parse_meadow_token")[0].symbol == "parse_meadow_token"
    assert ask(world, engine, "where is parse_meadow_token")[0].symbol == "parse_meadow_token"


@pytest.mark.parametrize("word", ["洞穴", "沉睡", "草地"])
def test_a_chinese_word_of_two_characters_is_found_inside_a_sentence(
    world: World, engine: Engine, word: str
) -> None:
    assert ask(world, engine, word)[0].path == "docs/说明.md"


@pytest.mark.parametrize(
    ("question", "path"),
    [("glacier thickness configuration", "config/app.yaml"), ("docs about 洞穴", "docs/说明.md")],
)
def test_settings_and_documents_are_found_beside_code(
    world: World, engine: Engine, question: str, path: str
) -> None:
    assert path in [hit.path for hit in ask(world, engine, question)]
