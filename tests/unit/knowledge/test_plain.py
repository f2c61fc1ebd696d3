from __future__ import annotations

import pytest

from paparatsd.errors import BadQuery
from paparatsd.knowledge.plain import checked_block, checked_line, checked_lines

ACTING = "\x1b[31m\x00\x07\x7f\u200b\u200f\u202e\u2066\u2069\ufeff\ud800"


def test_what_is_invisible_or_acts_is_taken_out() -> None:
    assert checked_line("term", f"S{ACTING}LA", 200) == "SLA"
    assert checked_block("definition", f"one{ACTING} \r\n\ttwo\r", 4_000) == "one\n\ttwo"


def test_a_line_stays_one_line() -> None:
    assert checked_line("term", "  a\r\n\t b\u2028c ", 200) == "a bc"


@pytest.mark.parametrize("value", ["", " \n\t", ACTING])
def test_what_says_nothing_is_refused_with_the_name_of_the_field(value: str) -> None:
    with pytest.raises(BadQuery, match="definition is empty"):
        checked_block("definition", value, 4_000)
    with pytest.raises(BadQuery, match="term is empty"):
        checked_line("term", value, 200)
    assert checked_block("note", value, 4_000, empty=True) == ""


def test_lengths_are_bounded_and_the_bound_is_told() -> None:
    assert checked_line("term", "é" * 200, 200) == "é" * 200
    with pytest.raises(BadQuery, match="term has 201 characters; at most 200"):
        checked_line("term", "é" * 201, 200)
    with pytest.raises(BadQuery, match="definition has 4001 characters"):
        checked_block("definition", "x" * 4_001, 4_000)


def test_entries_of_a_list_are_each_there_once() -> None:
    assert checked_lines("aliases", ["a", " a", "b"], 2, 200) == ("a", "b")
    with pytest.raises(BadQuery, match="aliases has 3 entries; at most 2"):
        checked_lines("aliases", ["a", "b", "c"], 2, 200)
    with pytest.raises(BadQuery, match="aliases is empty"):
        checked_lines("aliases", ["a", " "], 2, 200)
