from __future__ import annotations

import pytest

from paparatsd.knowledge.folding import bare, fold, name_key, names_in


@pytest.mark.parametrize(
    "written",
    ["on-call", "On Call", "on_call", " ON  CALL ", "on\u2011call", "ｏｎ　ｃａｌｌ", "oncall"],
)
def test_ways_to_write_a_name_are_one(written: str) -> None:
    assert name_key(written) == "oncall"


@pytest.mark.parametrize(
    ("one", "other"), [("C", "C++"), ("C#", "C"), ("api", "apis"), ("Größe", "Grosse")]
)
def test_other_names_stay_apart(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


def test_compatible_characters_and_sharp_s_are_folded() -> None:
    assert fold("ﬁle") == fold("FILE")
    assert fold("STRASSE") == fold("Straße")


def test_a_name_is_found_in_a_question_with_its_punctuation() -> None:
    found = names_in("What is an “On-Call rota” (SLA)?")
    assert {"on call rota", "sla", "on call"} <= set(found)
    assert found.index("on call rota") < found.index("sla"), "the longest first"
    assert "a" not in names_in("a b")


def test_the_names_of_a_long_question_are_bounded() -> None:
    assert len(names_in(" ".join(f"w{number}" for number in range(10_000)))) <= 300


def test_punctuation_around_a_name_is_no_part_of_it() -> None:
    assert bare(' "SLA"? ') == "SLA"
    assert bare("C++") == "C++"
