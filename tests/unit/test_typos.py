from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.chunks.terms import stem, term_id
from paparatsd.search.typos import correct, numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

CORPUS = (
    "authentication request requests template render middleware blueprint serialization color"
    " rate limit configuration session count parameter"
)
KNOWN = {term_id(stem(word)): 10.0 for word in CORPUS.split()}


def frequency(ids: NDArray[np.uint32]) -> NDArray[np.float64]:
    return np.array([KNOWN.get(int(number), 0.0) for number in ids])


def meant(word: str) -> str | None:
    found = correct(word, frequency)
    return " ".join(found.meant) if found else None


@pytest.mark.parametrize(
    ("word", "right"),
    [
        ("autentication", "authent"),
        ("authenticaton", "authent"),
        ("reqest", "request"),
        ("reuqest", "request"),
        ("templatte", "templat"),
        ("rendr", "render"),
        ("middelware", "middlewar"),
        ("blueprnit", "blueprint"),
        ("sessoin", "session"),
        ("configuraiton", "configur"),
    ],
)
def test_one_wrong_letter_is_corrected(word: str, right: str) -> None:
    assert stem(meant(word) or "") == right


def test_two_letters_too_many_are_corrected_in_long_words_only() -> None:
    assert stem(meant("middlleewares") or "") == "middlewar"
    assert meant("reenderr") is None


@pytest.mark.parametrize("word", ["auth", "rendr2", "größe", "x" * 40, "kubernetes"])
def test_short_odd_and_far_words_stay(word: str) -> None:
    assert meant(word) is None


def test_a_short_word_is_not_turned_into_another_by_replacing_a_letter() -> None:
    assert meant("mount") is None


def test_a_respelled_word_keeps_its_ending() -> None:
    assert meant("serialisation") == "serialization"
    assert meant("colours") == "colors"
    assert meant("ratelimit") == "rate limit"


def test_numbers_are_those_of_the_index() -> None:
    assert numbers(["rate", "größe"]).tolist() == [term_id("rate"), term_id("größe")]


def test_a_real_word_that_stands_nowhere_is_meant_as_it_is() -> None:
    words = frozenset({"counts", "paramater", "ratelimit"})

    assert meant("ratelimit") == "rate limit"
    assert correct("ratelimit", frequency, words.__contains__) is None
    assert correct("paramater", frequency, words.__contains__) is None


def test_the_spelling_of_a_region_is_changed_even_in_a_real_word() -> None:
    found = correct("colour", frequency, frozenset({"colour"}).__contains__)

    assert found is not None
    assert found.meant == ("color",)
