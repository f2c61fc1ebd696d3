from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from paparatsd.search.calibration import MEANING, NAME, WORDS, Chance, parse_calibration
from paparatsd.search.confidence import (
    FILE_INPUTS,
    advice,
    answer_variant,
    behind_inputs,
    margin_inputs,
    question_inputs,
)
from paparatsd.search.ranker import load_ranker
from paparatsd.search_model import Confidence

if TYPE_CHECKING:
    from paparatsd.search.calibration import Calibration

HIGH, PARTIAL, LOW = Confidence.HIGH, Confidence.PARTIAL, Confidence.LOW
FOUND = {
    "fbm25f_share": 0.6, "pw_bm": 0.5, "tf_density": 3.5, "def_exact": 0.0, "stem_cos": 0.5,
    "pw_defcos": 0.5, "d_names": 0.5,
}  # fmt: skip
NOT_FOUND = {
    "fbm25f_share": 0.3, "pw_bm": 0.15, "tf_density": 1.5, "def_exact": 0.0, "stem_cos": 0.0,
    "pw_defcos": 0.1, "d_names": 0.1,
}  # fmt: skip
CLEAR, CLOSE = np.array([4.0, 1.5, 1.0, 0.5, 0.0]), np.array([2.0, 1.95, 1.9, 1.85, 1.8])


@pytest.fixture(scope="module")
def packaged() -> Calibration:
    found = load_ranker().confidence
    assert found is not None
    return found


def chance(
    levels: Calibration,
    variant: str,
    first: dict[str, float],
    *,
    unknown: float = 0.0,
    cosine: float | None = None,
    scores: np.ndarray[Any, np.dtype[np.float64]] = CLEAR,
) -> float:
    inputs = question_inputs(first, unknown=unknown, cosine=cosine) | margin_inputs(scores)
    return levels.answerable[variant].of(inputs)


def test_typical_right_and_wrong_project_are_told_apart(packaged: Calibration) -> None:
    assert chance(packaged, MEANING, FOUND, cosine=0.55) > 0.9
    assert chance(packaged, MEANING, NOT_FOUND, cosine=0.22, unknown=0.3, scores=CLOSE) < 0.2


def test_words_alone_can_tell_too(packaged: Calibration) -> None:
    assert chance(packaged, WORDS, FOUND) > 0.9
    assert chance(packaged, WORDS, NOT_FOUND, unknown=0.3, scores=CLOSE) < 0.2


def test_identifier_that_is_defined_is_answered_and_an_unknown_one_is_not(
    packaged: Calibration,
) -> None:
    assert chance(packaged, NAME, FOUND | {"def_exact": 1.0}) > 0.9
    nothing = dict.fromkeys(FOUND, 0.0)
    assert chance(packaged, NAME, nothing, unknown=1.0, scores=CLOSE) < 0.1


@pytest.mark.parametrize("variant", [MEANING, WORDS])
def test_first_file_far_ahead_is_likelier_meant_than_one_in_a_close_race(
    packaged: Calibration, variant: str
) -> None:
    first = packaged.first[variant]
    assert first.of(margin_inputs(CLEAR)) > 0.85
    assert first.of(margin_inputs(CLOSE)) < 0.6


@pytest.mark.parametrize("variant", [MEANING, WORDS])
@pytest.mark.parametrize("scores", [CLEAR, CLOSE])
def test_chance_of_further_files_falls_down_the_list(
    packaged: Calibration, variant: str, scores: np.ndarray[Any, np.dtype[np.float64]]
) -> None:
    margins = margin_inputs(scores)
    chances = [
        packaged.further[variant].of(behind_inputs(margins, behind))
        for behind in [0.05, 0.3, 1.0, 3.0]
    ]
    assert chances == sorted(chances, reverse=True)


def test_file_without_a_rival_is_ahead_and_one_of_equals_is_not() -> None:
    assert margin_inputs(np.array([1.0]))["part"] == 1.0
    assert margin_inputs(np.array([1.0]))["ahead"] > 1.0
    equal = margin_inputs(np.array([1.0, 1.0, 1.0, 1.0]))
    assert equal == {"ahead": 0.0, "ahead5": 0.0, "part": pytest.approx(0.25)}


def test_fifth_file_is_what_the_lead_is_measured_by() -> None:
    assert margin_inputs(np.array([5.0, 4.0, 3.0, 2.0, 1.5, 0.0]))["ahead5"] == 3.5


def test_chances_are_bounded_whatever_the_inputs() -> None:
    steep = Chance(0.0, {"a": 1e9})
    assert 0.0 <= steep.of({"a": -1e9}) < 1e-9
    assert 1.0 - 1e-9 < steep.of({"a": 1e9}) <= 1.0


def test_variant_is_chosen_by_what_is_asked_and_by_the_model_in_use() -> None:
    assert answer_variant(single=True, by_meaning=True) == NAME
    assert answer_variant(single=False, by_meaning=True) == MEANING
    assert answer_variant(single=False, by_meaning=False) == WORDS


def test_doubt_makes_every_hit_low(packaged: Calibration) -> None:
    assert packaged.label(0.99, packaged.doubt - 0.01) is LOW
    assert packaged.label(packaged.high, 0.99) is HIGH
    assert packaged.label(packaged.high - 0.01, 0.99) is PARTIAL
    assert packaged.label(packaged.partial - 0.01, 0.99) is LOW


def test_packaged_chances_use_inputs_that_there_are(packaged: Calibration) -> None:
    known = question_inputs(dict.fromkeys(FILE_INPUTS.values(), 0.0), unknown=0.0, cosine=None)
    known |= margin_inputs(CLEAR)
    for one in (*packaged.answerable.values(), *packaged.first.values()):
        assert set(one.weights) <= set(known)
    for one in packaged.further.values():
        assert set(one.weights) <= set(behind_inputs(known, 1.0))


def test_without_vectors_nothing_rests_on_likeness_of_meaning(packaged: Calibration) -> None:
    for variant in (WORDS, NAME):
        assert not {"cosine", "names"} & set(packaged.answerable[variant].weights)


def sample_numbers() -> dict[str, Any]:
    one = {"bias": 0.0, "unknown": -1.0}
    return {
        "embedder": "e",
        "answerable": {MEANING: one, WORDS: one, NAME: one},
        "first": {MEANING: one, WORDS: one},
        "further": {MEANING: one, WORDS: one},
        "doubt": 0.5, "high": 0.7, "partial": 0.2,
    }  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"high": 0.1},
        {"high": 1.5},
        {"doubt": -1.0},
        {"first": {MEANING: {"bias": 0.0}}},
        {"answerable": {MEANING: {"unknown": 1.0}}},
        {"further": {MEANING: {"bias": float("nan")}, WORDS: {"bias": 0.0}}},
    ],
)
def test_numbers_that_cannot_be_used_are_refused(change: dict[str, Any]) -> None:
    assert parse_calibration(sample_numbers()).high == 0.7
    with pytest.raises((ValueError, KeyError)):
        parse_calibration(sample_numbers() | change)


def test_advice_fits_the_hits() -> None:
    assert advice([]) is None
    assert advice([HIGH, HIGH]) is None
    assert "Low confidence" in str(advice([LOW, LOW]))
    assert "Partial" in str(advice([PARTIAL, LOW]))
    assert advice([HIGH, LOW]) == "1 of 2 results are likely, the rest is a guess."
