"""Stems are those of Porter's algorithm, to the letter."""

from itertools import product

import pytest
import snowballstemmer

from paparatsd.chunks.porter import porter_stem

ENDINGS = (
    *("", "tional", "enci", "anci", "abli", "entli", "eli", "izer", "ization", "ational", "ation"),
    *("ator", "alism", "aliti", "alli", "fulness", "ousli", "ousness", "iveness", "iviti"),
    *("biliti", "alize", "icate", "iciti", "ical", "ative", "ful", "ness", "al", "ance", "ence"),
    *("er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism", "ate", "iti", "ous"),
    *("ive", "ize", "sion", "tion", "s", "es", "ies", "sses", "ed", "ing", "eed", "y", "e", "ll"),
)
ROOTS = ("", "say", "hopp", "control")


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("agreed", "agre"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("relational", "relat"),
        ("happy", "happi"),
        ("controlling", "control"),
        ("yearly", "yearli"),
        ("string", "string"),
    ],
)
def test_a_word_loses_its_endings(word: str, stem: str) -> None:
    assert porter_stem(word) == stem


def test_stems_equal_those_of_the_reference_whatever_the_endings() -> None:
    reference = snowballstemmer.stemmer("porter")
    for parts in product(ROOTS, ENDINGS, ENDINGS):
        word = "".join(parts)
        if len(word) > 3:
            assert porter_stem(word) == reference.stemWord(word), word
