"""How alike notes are: the packaged calibration, and what it must never say."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.embeddings.static import StaticModel, read_spec
from paparatsd.knowledge.cards import text_of as card_text
from paparatsd.knowledge.likeness import (
    FITTED,
    PLAIN,
    Noted,
    calibration_file,
    measure_of,
    packaged_calibration,
    parse_calibration,
    thresholds_of,
)
from paparatsd.knowledge.terms import text_of as term_text
from paparatsd.knowledge_model import CardKind

if TYPE_CHECKING:
    from collections.abc import Callable

    Make = Callable[..., Noted]


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


@pytest.fixture
def with_vector(model: StaticModel) -> Callable[[Noted], Noted]:
    def made(one: Noted) -> Noted:
        encode = model.encode_queries if one.question else model.encode
        return replace(one, vector=encode([one.text])[0])

    return made


def term(name: str, definition: str, *aliases: str) -> Noted:
    return Noted(name, term_text(name, definition, aliases), kind="term")


def decision(title: str, why: str, what: str, then: str = "It takes some time.") -> Noted:
    told = {"title": title, "context": why, "decision": what, "consequences": then}
    return Noted(title, card_text(CardKind.DECISION, told), kind="decision")


def lesson(rule: str, why: str, when: str) -> Noted:
    told = {"rule": rule, "why": why, "when": when}
    return Noted(rule, card_text(CardKind.LESSON, told), kind="lesson")


def question(text: str) -> Noted:
    return Noted(text, text, question=True)


REPEATS = [
    (
        decision(
            "Bids are stored in cents",
            "Floats gave wrong sums on long statements.",
            "Every Bid has an integer of cents and a currency; floats are refused by the lint.",
        ),
        decision(
            "Store bids as integer cents",
            "Sums on long statements were wrong because of floats.",
            "A Bid holds an integer of cents with its currency; a lint refuses floats.",
        ),
    ),
    (
        lesson(
            "Close the auction before the winner is told",
            "Bids came in after the mail to the winner was sent.",
            "Changing AuctionEnd.",
        ),
        lesson(
            "Tell the winner only after the auction was closed",
            "After the winner's mail was sent, more bids came in.",
            "Work on AuctionEnd.",
        ),
    ),
    (
        term("Reserve price", "The lowest price at which a seller sells. Hidden from bidders."),
        term("Reserve", "Lowest price at which the seller will sell; it is hidden from bidders."),
    ),
    (
        decision(
            "出价以分为单位存储", "浮点数使账单合计出错。", "出价金额用整数的分保存,并带有币种。"
        ),
        decision(
            "出价金额用整数分保存",
            "账单合计因浮点数而出错。",
            "出价以分为单位,用整数存储并带币种。",
        ),
    ),
]
OTHERS = [
    (
        REPEATS[0][0],
        decision("Bids are sealed", "Bidders copied one another.", "Nobody sees bids."),
    ),
    (REPEATS[1][0], lesson("Check the clock of the host", "It was off by a minute.", "Deploying.")),
    (REPEATS[2][0], term("Starting price", "The price at which bidding begins. Seen by all.")),
    (
        REPEATS[3][0],
        decision("拍卖结束前五分钟延长", "有人最后一秒出价。", "最后五分钟有人出价就延长。"),
    ),
]
OPPOSITES = [
    (
        decision("We keep bids", "Courts ask for them.", "Bids are kept after the auction ends."),
        decision(
            "We do not keep bids",
            "Courts ask for them.",
            "Bids are not kept after the auction ends.",
        ),
    ),
    (
        decision(
            "Proxies are allowed", "Firms bid by proxy.", "Bidding by a proxy is allowed for all."
        ),
        decision(
            "Proxies are forbidden",
            "Firms bid by proxy.",
            "Bidding by a proxy is forbidden for all.",
        ),
    ),
    (
        lesson("Always lock the lot before a bid", "Two bids won.", "Code that takes bids."),
        lesson("Never lock the lot before a bid", "Two bids won.", "Code that takes bids."),
    ),
]


# --------------------------------------------------------------------------- the calibration


def test_the_packaged_calibration_belongs_to_the_packaged_model() -> None:
    """Else run contrib/bench/notes/fit.py --write, and look at contrib/bench/notes/run.py."""
    assert packaged_calibration().embedder == read_spec().fingerprint


def test_thresholds_are_those_of_plain_cosines_but_beside_documents() -> None:
    ours = read_spec().fingerprint
    assert thresholds_of(ours) == thresholds_of("") == FITTED
    assert thresholds_of("another") == PLAIN
    assert replace(FITTED, term_docs_floor=PLAIN.term_docs_floor) == PLAIN


@pytest.mark.parametrize("spoiled", [float("nan"), float("inf"), "much", None])
def test_a_calibration_of_anything_but_numbers_is_refused(spoiled: object) -> None:
    content = json.loads(calibration_file().read_text(encoding="utf-8"))
    content["notes"]["card"]["meaning"]["bias"] = spoiled
    with pytest.raises((ValueError, TypeError)):
        parse_calibration(content)
    del content["notes"]["card"]
    with pytest.raises(KeyError):
        parse_calibration(content)


# --------------------------------------------------------------------------- notes


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("pair", REPEATS)
def test_what_is_recorded_again_is_a_repetition(
    pair: tuple[Noted, Noted], words: bool, with_vector: Callable[[Noted], Noted]
) -> None:
    a, b = pair if words else map(with_vector, pair)
    least = PLAIN.term_duplicate if a.kind == "term" else PLAIN.card_similar
    assert measure_of(read_spec().fingerprint).of(a, b) >= least


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("pair", OTHERS)
def test_what_is_near_only_is_new(
    pair: tuple[Noted, Noted], words: bool, with_vector: Callable[[Noted], Noted]
) -> None:
    a, b = pair if words else map(with_vector, pair)
    assert measure_of(read_spec().fingerprint).of(a, b) < PLAIN.card_similar


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("pair", OPPOSITES)
def test_the_opposite_in_the_same_words_is_new(
    pair: tuple[Noted, Noted], words: bool, with_vector: Callable[[Noted], Noted]
) -> None:
    a, b = pair if words else map(with_vector, pair)
    assert measure_of(read_spec().fingerprint).of(a, b) < PLAIN.card_similar


def test_likeness_is_the_same_both_ways_and_a_share(with_vector: Callable[[Noted], Noted]) -> None:
    ours = measure_of(read_spec().fingerprint)
    notes = [with_vector(one) for pair in REPEATS + OTHERS for one in pair]
    for a, b in product(notes, notes):
        if (a.kind == "term") == (b.kind == "term"):
            assert 0.0 <= ours.of(a, b) <= 1.0
            assert math.isclose(ours.of(a, b), ours.of(b, a), rel_tol=1e-9)


@pytest.mark.parametrize("fingerprint", ["", "another"])
def test_the_same_text_is_alike_whatever_its_vectors(fingerprint: str) -> None:
    rows = np.eye(2, dtype=np.float32)
    a, b = (replace(REPEATS[0][0], vector=row) for row in rows)
    assert measure_of(fingerprint).of(a, b) == 1.0


@pytest.mark.parametrize("text", ["", " ", "—", "of the"])
def test_a_text_that_says_nothing_is_like_no_other(
    text: str, with_vector: Callable[[Noted], Noted]
) -> None:
    ours, full = measure_of(read_spec().fingerprint), with_vector(REPEATS[0][0])
    nothing = with_vector(Noted(text, text, kind="decision"))
    assert ours.of(full, nothing) == ours.of(nothing, full) == 0.0
    assert ours.of(with_vector(question(text)), full) == 0.0
    assert measure_of("").of(Noted("", ""), Noted("", "")) == 0.0


def test_vectors_of_an_unmeasured_model_are_compared_plainly() -> None:
    rows = np.array([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.0]], dtype=np.float32)
    a, b, c = (Noted(str(at), f"text {at}", row, kind="lesson") for at, row in enumerate(rows))
    other = measure_of("another")
    assert other.of(a, b) == pytest.approx(0.6)
    assert other.of(a, c) == 0.0
    assert other.of(a, replace(b, vector=None)) == measure_of("").of(a, replace(b, vector=None))
    assert other.of(a, replace(b, vector=np.ones(3, dtype=np.float32))) < 1.0


# --------------------------------------------------------------------------- questions


@pytest.mark.parametrize("words", [False, True])
def test_a_question_is_told_what_answers_it_and_nothing_else(
    words: bool, with_vector: Callable[[Noted], Noted]
) -> None:
    ours = measure_of(read_spec().fingerprint)
    asked, note = question("how are bids stored, floats or cents"), REPEATS[0][0]
    other = question("which font has the newsletter")
    if not words:
        asked, note, other = map(with_vector, (asked, note, other))
    assert ours.of(asked, note) >= PLAIN.card_floor
    assert ours.of(other, note) < PLAIN.card_floor / 2


def test_a_term_is_found_by_what_it_means(with_vector: Callable[[Noted], Noted]) -> None:
    ours = measure_of(read_spec().fingerprint)
    asked = with_vector(question("from which amount on will a seller sell"))
    terms = [with_vector(one) for one in (REPEATS[2][0], term("Lot", "Things sold together."))]
    reserve, lot = (ours.of(asked, one) for one in terms)
    assert reserve >= PLAIN.term_floor > lot
