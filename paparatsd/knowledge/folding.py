"""Names and texts, folded: what a person takes for the same word is the same string."""

from __future__ import annotations

import re
import unicodedata

_BETWEEN = re.compile(r"[\s_\u2010-\u2015\u2212-]+")
_DOT = re.compile(r"(?<=[^\W\d_])\.")
"""A dot behind a letter (S.S.E., Node.js); one in front (.NET) or in a number (1.2) says more."""
_AROUND = "?!.,:;()[]{}<>\"'`“”‘’«»„…/"

MAX_NAME_WORDS = 5
MAX_QUESTION_WORDS = 60


def fold(name: str) -> str:
    """Return a name without the differences that say nothing.

    Compatible forms of characters (NFKC), case, and how its parts are joined: spaces, hyphens and
    underscores, any number of them, are one space.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return _BETWEEN.sub(" ", folded).strip()


def name_key(name: str) -> str:
    """Return by what a name is found: folded, without the spaces and the dots of abbreviations."""
    return _DOT.sub("", fold(name).replace(" ", ""))


def text_key(text: str) -> str:
    """Return a text as it is compared word for word: folded, without punctuation around it."""
    folded = fold(text)
    return bare(folded) or folded


def bare(name: str) -> str:
    """Return a name without the punctuation around it."""
    return name.strip().strip(_AROUND).strip()


def names_in(question: str) -> list[str]:
    """Return what could be a name in a question: some words in a row, the longest first.

    The whole question is not among them, nor is a single letter.
    """
    words = [bare(one) for one in fold(question).split(" ")]
    words = [one for one in words if one][:MAX_QUESTION_WORDS]
    longest = min(MAX_NAME_WORDS, len(words))
    names = [
        " ".join(words[start : start + length])
        for length in range(longest, 0, -1)
        for start in range(len(words) - length + 1)
    ]
    return [one for one in dict.fromkeys(names) if len(one) > 1]
