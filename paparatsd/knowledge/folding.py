"""Names and texts, folded: what a person takes for the same word is the same string."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_BETWEEN = re.compile(r"[\s_\u2010-\u2015\u2212-]+")
_WORD = re.compile(r"[^\W_]+")


def fold(name: str) -> str:
    """Return a name without the differences that say nothing.

    Compatible forms of characters (NFKC), case, and how its parts are joined: spaces, hyphens and
    underscores, any number of them, are one space.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return _BETWEEN.sub(" ", folded).strip()


def name_key(name: str) -> str:
    """Return by what a name is found: folded, and without the spaces too."""
    return fold(name).replace(" ", "")


@lru_cache(maxsize=4096)
def words_of(text: str) -> frozenset[str]:
    """Return the different words of a text, folded."""
    return frozenset(_WORD.findall(fold(text)))
