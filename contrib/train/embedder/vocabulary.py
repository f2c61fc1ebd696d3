"""Chooses the word pieces: frequent words of many packages, then pieces for all other words."""

from __future__ import annotations

import string
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from paparatsd.embeddings.tokenizer import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

ROWS_A_LANGUAGE = 7_000
"""So that no language owns the vocabulary."""
LONGEST_WORD = 22
PIECES = 4_000
QUERY_WEIGHT = 3


def count_words(rows: Iterable[tuple[str, str, str, str]]) -> dict[str, tuple[int, int]]:
    """Return per word how many rows and how many packages have it.

    A row is (package, language, question, document).
    """
    rows_of: Counter[str] = Counter()
    packages_of: defaultdict[str, set[str]] = defaultdict(set)
    taken: Counter[str] = Counter()
    for package, language, question, document in rows:
        taken[language] += 1
        if taken[language] > ROWS_A_LANGUAGE:
            continue
        asked = set(words_of(question))
        for word in asked | set(words_of(document)):
            rows_of[word] += QUERY_WEIGHT if word in asked else 1
            packages_of[word].add(package)
    return {word: (count, len(packages_of[word])) for word, count in rows_of.items()}


def choose(counts: dict[str, tuple[int, int]], size: int) -> list[str]:
    """Return the entries of a vocabulary of about `size`, most useful first.

    A word's worth is its count times its packages: what one package alone says often is no word.
    """
    base = list(string.ascii_lowercase + string.digits)
    useful = [
        (count * packages, word)
        for word, (count, packages) in counts.items()
        if len(word) <= LONGEST_WORD and count >= 3 and packages >= 2
        and word.isascii() and not (word.isdigit() and len(word) > 4)
    ]  # fmt: skip
    useful.sort(key=lambda item: (-item[0], item[1]))
    words = [word for _, word in useful[: size - 2 * len(base) - PIECES]]
    known = set(words)
    inner = ["##" + piece for piece in base + _pieces(counts, known)]
    return list(dict.fromkeys(words + base + inner))


def _pieces(counts: dict[str, tuple[int, int]], known: set[str]) -> list[str]:
    """Return the ends and middles that words outside the vocabulary are made of most."""
    worth: Counter[str] = Counter()
    for word, (count, packages) in counts.items():
        if word in known or not (word.isalpha() and word.isascii()) or len(word) > LONGEST_WORD:
            continue
        weight = min(count, 5 * packages)
        for length in range(2, min(len(word) - 1, 9)):
            worth[word[-length:]] += weight
            if length < 5:
                worth[word[2 : 2 + length]] += weight
    ranked = sorted(worth.items(), key=lambda item: (-item[1] * len(item[0]), item[0]))
    return [piece for piece, _ in ranked[:PIECES]]
