from __future__ import annotations

import pytest

from paparatsd.knowledge.folding import bare, fold, name_key, names_in, text_key


@pytest.mark.parametrize(
    "written",
    ["on-call", "On Call", "on_call", " ON  CALL ", "on\u2011call", "ｏｎ　ｃａｌｌ", "oncall"],
)
def test_ways_to_write_a_name_are_one(written: str) -> None:
    assert name_key(written) == "oncall"


@pytest.mark.parametrize(
    ("one", "other"), [
        ("C", "C++"), ("C#", "C"), ("api", "apis"), ("Größe", "Grosse"), (".NET", "NET"),
        ("TLS 1.2", "TLS 12"),
    ],
)  # fmt: skip
def test_other_names_stay_apart(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@pytest.mark.parametrize("written", ["SSE", "S.S.E.", "s. s. e.", "S.S.E", "S S E"])
def test_an_abbreviation_is_one_name_with_and_without_dots_and_spaces(written: str) -> None:
    assert name_key(written) == "sse"


def test_texts_are_the_same_word_for_word_whatever_their_case_and_their_last_dot() -> None:
    assert text_key("Who answers  at night.") == text_key("who answers at\nnight")
    assert text_key("a > b") != text_key("a < b")
    assert text_key("...") == "..."


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
