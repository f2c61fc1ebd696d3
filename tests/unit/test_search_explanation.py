from __future__ import annotations

import pytest

from paparatsd.model import ProjectName
from paparatsd.search.explanation import (
    MOST_SHOWN,
    explanation,
    explanation_lines,
    meanings_of,
)
from paparatsd.search.meanings import FEATURES, GROUNDS, meaning
from paparatsd.search.ranker import load_ranker
from paparatsd.search_model import Confidence, Hit
from paparatsd.tokens import estimate_tokens, room_for


def hit(
    signals: dict[str, float],
    values: dict[str, float] | None = None,
    grounds: dict[str, float] | None = None,
) -> Hit:
    return Hit(
        project=ProjectName("shop"),
        path="pay.py",
        start_line=1,
        end_line=2,
        address="shop:pay.py#pay",
        language="python",
        kind="function",
        symbol="pay",
        text="def pay():\n    return 1",
        score=0.72,
        confidence=Confidence.HIGH,
        signals=signals,
        values=values or {},
        grounds=grounds or {},
    )


def test_every_feature_of_the_ranking_has_a_meaning() -> None:
    ranker = load_ranker()
    used = {*ranker.weights(by_words=True), *ranker.weights(by_words=False)}
    assert sorted(used - set(FEATURES)) == []


def test_meanings_are_short_sentences_in_plain_words() -> None:
    for name, text in {**FEATURES, **GROUNDS}.items():
        assert 10 < len(text) < 80, name
        assert "_" not in text, name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cov_enc", "how much of the question is in its enclosing names"),
        ("rk_stem_cos", "how far up it stands by this: the file's name is made of"),
        ("zzz", "a measure without a description"),
        ("p_", "a measure without a description"),
    ],
)
def test_unknown_names_are_read_by_their_parts(name: str, said: str) -> None:
    assert meaning(name).startswith(said)


def test_features_come_by_their_share_with_value_and_weight() -> None:
    explained = explanation(hit({"bm25f_rel": 0.5, "p_test": -1.8}, {"bm25f_rel": 0.25}))
    assert explained["score"] == -1.3
    assert explained["features"] == [
        {"name": "p_test", "share": -1.8, "value": None, "weight": None},
        {"name": "bm25f_rel", "share": 0.5, "value": 0.25, "weight": 2.0},
    ]


def test_a_long_table_ends_with_what_the_rest_adds_up_to() -> None:
    shares = {f"cov_{number}": 1.0 - number / 100 for number in range(MOST_SHOWN + 3)}
    lines = explanation_lines(explanation(hit(shares)))
    rest = 3 - (12 + 13 + 14) / 100
    assert f"{rest:+.3f}" in lines[MOST_SHOWN + 1]
    assert "3 more features, each at most 0.880" in lines[MOST_SHOWN + 1]
    assert f"= {sum(shares.values()):.3f}" in lines[MOST_SHOWN + 2]


def test_the_confidence_is_shown_as_the_product_it_is() -> None:
    grounds = {"answerable": 0.9, "this_one": 0.8, "cosine": 0.61}
    lines = explanation_lines(explanation(hit({}, grounds=grounds)))
    said = next(line for line in lines if line.startswith("confidence"))
    assert "high, 0.72 = 0.90 (chance that what was searched holds an answer) x 0.80 (" in said
    assert any("0.610" in line and "cosine: likeness of meaning" in line for line in lines)


@pytest.mark.parametrize("width", [60, 80, 160])
def test_tables_keep_to_the_width(width: int) -> None:
    grounds = {"answerable": 0.9, "this_one": 0.8, "unknown": 0.1}
    one = explanation(hit({"bm25f_rel": 0.5, "p_test": -1.8}, {"bm25f_rel": 0.25}, grounds))
    lines = explanation_lines(one, width)
    assert max(map(len, lines)) <= max(width, 70)
    assert "its best chunk" in " ".join(" ".join(lines).split())


def test_meanings_are_given_once_for_all_hits() -> None:
    ones = [explanation(hit({"d_path": 1.0})), explanation(hit({"d_path": 2.0, "p_docs": 1.0}))]
    assert meanings_of(ones) == {"d_path": FEATURES["d_path"], "p_docs": FEATURES["p_docs"]}


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("x" * 35, 10), ("字" * 7, 6)])
def test_tokens_are_estimated_by_bytes(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_what_fits_into_tokens_has_no_more_of_them() -> None:
    for tokens in range(300):
        assert estimate_tokens("x" * room_for(tokens)) <= tokens
