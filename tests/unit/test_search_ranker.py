from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.errors import Broken
from paparatsd.search.ranker import BY_HAND, FORMAT, Ranker, load_ranker

if TYPE_CHECKING:
    from pathlib import Path


def test_score_is_the_weighted_sum_of_the_features_it_has_weights_for() -> None:
    ranker = Ranker(meaning={"a": 2.0, "b": -1.0}, words={"a": 1.0})
    values = {"a": np.array([1.0, 0.5]), "b": np.array([0.0, 3.0]), "c": np.array([9.0, 9.0])}
    values |= {name: np.zeros(2) for name in BY_HAND}
    assert ranker.score(values, by_words=False).tolist() == [2.0, -2.0]
    assert ranker.score(values, by_words=True).tolist() == [1.0, 0.5]


def test_packaged_weights_without_vectors_know_no_vector_feature() -> None:
    ranker = load_ranker()
    assert not [name for name in ranker.words if name.startswith("d_")]
    assert [name for name in ranker.meaning if name.startswith("d_")]


@pytest.mark.parametrize(
    "content",
    [
        "not json",
        "[]",
        json.dumps({"format": FORMAT + 1, "meaning": {"a": 1}, "words": {"a": 1}}),
        json.dumps({"format": FORMAT, "meaning": {"a": 1}}),
        json.dumps({"format": FORMAT, "meaning": {"a": "x"}, "words": {"a": 1}}),
        json.dumps({"format": FORMAT, "meaning": {}, "words": {"a": 1}}),
        '{"format": 1, "meaning": {"a": NaN}, "words": {"a": 1}}',
    ],
)
def test_unusable_file_of_weights_is_refused_by_name(tmp_path: Path, content: str) -> None:
    place = tmp_path / "weights.json"
    place.write_text(content)
    with pytest.raises(Broken, match=r"weights\.json"):
        load_ranker(place)


def test_missing_file_of_weights_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(Broken, match=r"gone\.json"):
        load_ranker(tmp_path / "gone.json")


def test_a_single_identifier_has_weights_of_its_own_when_the_file_has_them() -> None:
    values = {"a": np.array([1.0]), **{name: np.zeros(1) for name in BY_HAND}}
    plain = Ranker(meaning={"a": 2.0}, words={"a": 1.0})
    assert plain.score(values, by_words=True, single=True).tolist() == [1.0]
    own = Ranker(meaning={"a": 2.0}, words={"a": 1.0}, name={"a": 5.0})
    assert own.score(values, by_words=True, single=True).tolist() == [5.0]
    assert own.score(values, by_words=True).tolist() == [1.0]
    assert own.score(values, by_words=False, single=True).tolist() == [2.0]


def test_weight_of_a_feature_that_nobody_computes_is_refused_by_name() -> None:
    values = {"a": np.array([1.0]), **{name: np.zeros(1) for name in BY_HAND}}
    ranker = Ranker(meaning={"a": 2.0}, words={"a": 1.0, "gone": 1.0})
    assert ranker.score(values, by_words=False).tolist() == [2.0]
    with pytest.raises(Broken, match=r"\(gone\).*search\.ranker"):
        ranker.score(values, by_words=True)
