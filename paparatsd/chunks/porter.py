"""English words without their endings.

Porter's algorithm ("An algorithm for suffix stripping", Program 14, 1980), as the Snowball project
states it, for lower-case ASCII words.

Written for speed: every word of every indexed file and of every text shown comes through here.
"""

from __future__ import annotations

import re

_REGION = re.compile("[^aeiouy]*[aeiouy]+[^aeiouy]")
"""Up to the first consonant after a vowel: an ending counts only behind it."""
_HAS_VOWEL = re.compile("[aeiouy]")
_SHORT = re.compile("[^aeiouy][aeiouy][^aeiouywxY]$")
"""A short syllable: consonant, vowel, consonant that is none of w, x, y."""
_PLURALS = ("sses", "ies", "ss", "s")
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_REPLACED = {
    "tional": "tion", "enci": "ence", "anci": "ance", "abli": "able", "entli": "ent", "eli": "e",
    "izer": "ize", "ization": "ize", "ational": "ate", "ation": "ate", "ator": "ate", "alism": "al",
    "aliti": "al", "alli": "al", "fulness": "ful", "ousli": "ous", "ousness": "ous",
    "iveness": "ive", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_SHORTENED = {
    "alize": "al", "icate": "ic", "iciti": "ic", "ical": "ic", "ative": "", "ful": "", "ness": "",
}  # fmt: skip
_DROPPED = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize", "ion",
)  # fmt: skip


def _finder(endings: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds the longest of some endings."""
    longest = sorted(endings, key=len, reverse=True)
    return re.compile(f"(?:{'|'.join(longest)})$")


_REPLACE, _SHORTEN, _DROP = map(_finder, (tuple(_REPLACED), tuple(_SHORTENED), _DROPPED))


def porter_stem(word: str) -> str:
    """Return the stem of a lower-case ASCII word of more than two letters."""
    if "y" in word:
        word = _consonant_y(word)
    first = _REGION.match(word)
    r1 = first.end() if first else len(word)
    second = _REGION.match(word, r1)
    r2 = second.end() if second else len(word)
    if word[-1] == "s":
        word = _singular(word)
    if word[-1] in "dg":
        word = _present(word, r1)
    if word[-1] in "yY" and _HAS_VOWEL.search(word, 0, len(word) - 1):
        word = word[:-1] + "i"
    word = _exchange(_REPLACE, _REPLACED, word, r1)
    word = _exchange(_SHORTEN, _SHORTENED, word, r1)
    word = _tidy(_drop(word, r2), r1, r2)
    return word.replace("Y", "y") if "Y" in word else word


def _consonant_y(word: str) -> str:
    """Return the word with each y that is a consonant as Y: at the beginning and after vowels."""
    letters: list[str] = []
    for letter in word:
        after_vowel = not letters or letters[-1] in "aeiouy"
        letters.append("Y" if letter == "y" and after_vowel else letter)
    return "".join(letters)


def _singular(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-2]
    return word if word.endswith("ss") else word[:-1]


def _present(word: str, r1: int) -> str:
    """Return the word without -eed, -ed, -ing."""
    if word.endswith("eed"):
        return word[:-1] if len(word) - 3 >= r1 else word
    size = 2 if word.endswith("ed") else 3 if word.endswith("ing") else 0
    if not size or not _HAS_VOWEL.search(word, 0, len(word) - size):
        return word
    word = word[:-size]
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if word.endswith(_DOUBLES):
        return word[:-1]
    return word + "e" if len(word) == r1 and _SHORT.search(word) else word


def _exchange(finder: re.Pattern[str], table: dict[str, str], word: str, r1: int) -> str:
    found = finder.search(word)
    if found is None or found.start() < r1:
        return word
    return word[: found.start()] + table[found[0]]


def _drop(word: str, r2: int) -> str:
    found = _DROP.search(word)
    if found is None or found.start() < r2:
        return word
    if found[0] == "ion" and word[found.start() - 1 : found.start()] not in ("s", "t"):
        return word
    return word[: found.start()]


def _tidy(word: str, r1: int, r2: int) -> str:
    """Return the word without a last e or one of two l."""
    end = len(word) - 1
    if word.endswith("e") and (end >= r2 or (end >= r1 and not _SHORT.search(word, 0, end))):
        word = word[:-1]
        end -= 1
    return word[:-1] if word.endswith("ll") and end >= r2 else word
