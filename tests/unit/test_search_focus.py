from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.chunks.fields import lexical_vectors
from paparatsd.chunks.packing import build_record
from paparatsd.chunks.parse import ChunkLimits, parse_file
from paparatsd.chunks.record import RankRecord, read_record
from paparatsd.chunks.terms import tokens
from paparatsd.search.focus import Sought, focus

if TYPE_CHECKING:
    from paparatsd.model import Chunk

STEP = "    step()\n"


def function(name: str, body: str = STEP * 6, above: str = "") -> str:
    return f"{above}def {name}():\n{body}\n\n"


def read(text: str) -> tuple[RankRecord, Chunk]:
    parsed = parse_file("a.py", text, ChunkLimits())
    (chunk,) = parsed.chunks
    return read_record(build_record("a.py", parsed, lexical_vectors("a.py", parsed), None)), chunk


def seek(question: str, *names: str, kinds: tuple[str, ...] = ()) -> Sought:
    worth = dict.fromkeys(tokens(question), 1.0)
    return Sought(worth, frozenset(names), frozenset(kinds))


def test_definition_whose_name_matches_is_cut_out_with_what_stands_above_it() -> None:
    above = "# Keeps orders safe.\n@traced\n"
    record, chunk = read(function("first") + function("save_order", above=above) + function("last"))

    part = focus(record, chunk, seek("save an order"))

    assert part.definition is not None
    assert part.definition.qualified == "save_order"
    assert part.text.startswith(f"{above}def save_order")
    assert part.text.endswith("step()")
    assert part.text.split("\n") == chunk.text.split("\n")[part.start_line - 1 : part.end_line]


def test_text_decides_where_no_name_matches() -> None:
    record, chunk = read(function("one") + function("two", STEP * 5 + "    retry(limit)\n"))

    part = focus(record, chunk, seek("retry limit"))

    assert part.definition is not None
    assert part.definition.name == "two"


def test_definitions_that_match_alike_are_shown_together() -> None:
    text = function("load_order") + function("save_order") + function("other") + function("rest")
    record, chunk = read(text)

    part = focus(record, chunk, seek("order"))

    assert "def load_order" in part.text
    assert "def save_order" in part.text
    assert "def other" not in part.text


def test_name_asked_for_wins_over_words() -> None:
    text = function("order_order_order") + function("run")
    record, chunk = read(text)

    part = focus(record, chunk, seek("order run", "run"))

    assert part.definition is not None
    assert part.definition.name == "run"


def test_chunk_stays_whole_when_nothing_in_it_matches() -> None:
    record, chunk = read(function("one") + function("two"))

    part = focus(record, chunk, seek("unrelated"))

    assert part.definition is None
    assert part.text == chunk.text


def test_short_definition_is_read_with_the_lines_around_it() -> None:
    record, chunk = read("".join(f"limit_{n} = {n}\n" for n in range(30)) + "timeout = 5\n")

    part = focus(record, chunk, seek("timeout"))

    assert part.definition is not None
    assert part.definition.name == "timeout"
    assert part.text.split("\n") == [*(f"limit_{n} = {n}" for n in range(24, 30)), "timeout = 5"]


def test_short_method_is_shown_in_its_class_but_not_with_the_next_one() -> None:
    box = "class Box:\n    size = 1\n\n    def open(self):\n        pass\n\n    x = 1\n\n\n"
    record, chunk = read(function("one") + box + function("two"))

    part = focus(record, chunk, seek("open"))

    assert part.definition is not None
    assert part.definition.qualified == "Box.open"
    assert part.text.startswith("class Box:")
    assert "def two" not in part.text


def test_kinds_asked_for_limit_what_a_hit_is_named_after() -> None:
    record, chunk = read("class Order:\n    def order(self):\n        pass\n" + function("order"))

    part = focus(record, chunk, seek("order", kinds=("method",)))

    assert part.definition is not None
    assert part.definition.kind == "method"


def test_lines_around_a_short_definition_hold_no_half_of_another() -> None:
    table = "table = (\n" + "    1,\n" * 12 + ")\n"
    after = function("after", STEP * 12)
    record, chunk = read(f"{table}\nlimit = 5\n\n{after}")

    part = focus(record, chunk, seek("limit"))

    assert part.text.strip() == "limit = 5"
