from __future__ import annotations

from dataclasses import replace

import pytest

from paparatsd.model import Confidence
from paparatsd.search.confidence import (
    Evidence,
    advice,
    answerable,
    is_this_one,
    label,
    shown_score,
)

GOOD = Evidence(cosine=0.5, share=0.6, unknown=0.0, named=False, single=False)
ELSEWHERE = Evidence(cosine=0.22, share=0.3, unknown=0.3, named=False, single=False)


def test_typical_right_and_wrong_project_are_told_apart() -> None:
    assert answerable(GOOD) > 0.9
    assert answerable(ELSEWHERE) < 0.2


def test_words_alone_can_tell_too() -> None:
    assert answerable(replace(GOOD, cosine=None)) > 0.8
    assert answerable(replace(ELSEWHERE, cosine=None)) < 0.2


def test_identifier_that_is_defined_is_answered_and_an_unknown_one_is_not() -> None:
    found = Evidence(None, 0.7, 0.0, named=True, single=True)
    assert answerable(found) > 0.9
    assert answerable(replace(found, share=0.0, unknown=1.0, named=False)) < 0.05


def test_clear_first_file_is_high_and_a_close_race_is_not() -> None:
    assert label(shown_score(GOOD, 0.0, 2.0)) is Confidence.HIGH
    assert label(shown_score(GOOD, 0.0, 0.05)) is Confidence.PARTIAL
    assert label(shown_score(ELSEWHERE, 0.0, 2.0)) is Confidence.LOW


@pytest.mark.parametrize("ahead", [0.0, 0.3, 3.0])
def test_score_never_rises_down_the_list(ahead: float) -> None:
    steps = [0.0, max(0.001, ahead), ahead + 0.5, ahead + 5]
    scores = [is_this_one(behind, ahead) for behind in steps]
    assert scores == sorted(scores, reverse=True)


def test_scores_are_bounded_whatever_the_evidence() -> None:
    wild = Evidence(cosine=1e9, share=1e9, unknown=0.0, named=True, single=False)
    assert 0.0 <= shown_score(wild, 0.0, 1e9) <= 1.0
    assert 0.0 <= shown_score(replace(wild, cosine=-1e9), 1e9, 0.0) <= 1.0


def test_advice_fits_the_hits() -> None:
    assert advice([]) is None
    assert advice([0.9, 0.7]) is None
    assert "Low confidence" in str(advice([0.1, 0.05]))
    assert "Partial" in str(advice([0.4, 0.3]))
    assert advice([0.9, 0.1]) == "1 of 2 results are likely, the rest is a guess."
