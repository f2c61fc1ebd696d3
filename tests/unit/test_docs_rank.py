"""The order of places of documents, and the gate: what is near enough, and when nobody can say."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.docs_model import DocsKind
from paparatsd.embeddings.static import prose_model, read_spec
from paparatsd.errors import Broken
from paparatsd.search.docs_features import MEANINGS
from paparatsd.search.docs_rank import (
    PACKAGED,
    SCORE,
    DocsWeights,
    Judged,
    Mode,
    best_of_documents,
    judge,
    load_docs_weights,
    near_enough,
)

if TYPE_CHECKING:
    from pathlib import Path

FLOORS = {DocsKind.PROSE: 0.45, DocsKind.CODE: 0.6}
WEIGHTS = DocsWeights(
    score={mode: {"cos": 1.0, "bm": 2.0} for mode in Mode},
    relevance={
        Mode.MEANING: {"bias": -3.0, "cos": 6.0},
        Mode.WORDS: {"bias": -3.0, "bm": 6.0},
    },
    floors=dict.fromkeys(Mode, FLOORS),
    follow=dict.fromkeys(Mode, 1.0),
    embedder="one",
    sense="two",
)


def judged(relevance: list[float], known: list[bool] | None = None) -> Judged:
    values = np.array(relevance)
    return Judged(values, values, np.array(known or [True] * len(relevance)))


def test_the_floor_is_that_of_the_kind() -> None:
    passing = near_enough(judged([0.5, 0.5, 0.6, 0.44]), np.array([0, 1, 1, 0.0]), FLOORS)
    assert passing.tolist() == [True, False, True, False]


def test_a_floor_of_zero_switches_the_gate_off_for_its_kind_alone() -> None:
    floors = {DocsKind.PROSE: 0.0, DocsKind.CODE: 0.6}
    passing = near_enough(judged([0.0, 0.0]), np.array([0, 1.0]), floors)
    assert passing.tolist() == [True, False]


def test_what_nobody_can_judge_passes() -> None:
    passing = near_enough(judged([0.0, 0.0], [False, True]), np.zeros(2), FLOORS)
    assert passing.tolist() == [True, False]


def test_another_embedder_is_judged_by_the_cosine_alone() -> None:
    values = {"cos": np.array([0.5, 0.0]), "bm": np.array([0.0, 1.0])}
    found = judge(values, np.array([0.5, np.nan]), Mode.OTHER, WEIGHTS)
    assert found.relevance[0] == 0.5
    assert found.known.tolist() == [True, False]


def test_our_vectors_are_judged_by_a_sum_and_words_by_words() -> None:
    values = {"cos": np.array([0.5, 0.5]), "bm": np.array([0.0, 1.0])}
    meant = judge(values, np.array([0.5, np.nan]), Mode.MEANING, WEIGHTS)
    assert meant.relevance[0] == pytest.approx(0.5)
    assert meant.known.tolist() == [True, False]
    words = judge(values, np.array([np.nan, np.nan]), Mode.WORDS, WEIGHTS)
    assert words.known.all()
    assert words.relevance[0] < 0.1
    assert words.relevance[1] > 0.9


def test_once_a_place_is_near_enough_less_is_enough_for_the_others() -> None:
    prose = np.zeros(3)
    passing = near_enough(judged([0.3, 0.5, 0.1]), prose, FLOORS, follow=0.5)
    assert passing.tolist() == [True, True, False]


def test_less_is_not_enough_while_no_place_is_near_enough() -> None:
    passing = near_enough(judged([0.3, 0.44]), np.zeros(2), FLOORS, follow=0.5)
    assert passing.tolist() == [False, False]


def test_what_nobody_can_judge_lowers_no_floor() -> None:
    passing = near_enough(judged([0.9, 0.3], [False, True]), np.zeros(2), FLOORS, follow=0.5)
    assert passing.tolist() == [True, False]


def test_the_relevance_may_look_at_what_places_are_ordered_by() -> None:
    values = {"cos": np.array([0.5]), "bm": np.array([0.25])}
    relevance = {mode: {"bias": -1.0, SCORE: 1.0} for mode in (Mode.MEANING, Mode.WORDS)}
    weights = replace(WEIGHTS, relevance=relevance)
    found = judge(values, np.array([0.5]), Mode.MEANING, weights)
    assert found.relevance[0] == pytest.approx(0.5)


def test_one_place_of_each_document_the_best_first() -> None:
    scores = np.array([0.1, 0.9, 0.5, 0.7, 0.5])
    documents = np.array([0, 0, 1, 2, 1])
    assert best_of_documents(scores, documents).tolist() == [1, 3, 2]


def test_the_packaged_weights_name_features_that_there_are() -> None:
    weights = load_docs_weights()
    named = {name for mode in Mode for name in weights.score[mode]}
    told = {name for table in weights.relevance.values() for name in table}
    named |= told - {"bias", SCORE}
    assert named <= set(MEANINGS)
    assert weights.floors[Mode.OTHER] == FLOORS


def test_the_packaged_weights_were_fitted_with_the_packaged_models() -> None:
    assert load_docs_weights().embedder == read_spec().fingerprint
    assert load_docs_weights().sense == read_spec(prose_model()).fingerprint


@pytest.mark.parametrize("change", [{"format": 9}, {"score": {}}, {"floors": None}])
def test_weights_that_cannot_be_used_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    place = tmp_path / "weights.json"
    place.write_text(json.dumps(json.loads(PACKAGED.read_text()) | change))
    with pytest.raises(Broken, match="cannot be used"):
        load_docs_weights(place)
