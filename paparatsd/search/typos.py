"""Words that stand nowhere in the searched code: what was probably meant.

The index knows numbers of stems, not words, so that neighbours of a word are made and looked up.
Neighbours are one edit away (Damerau-Levenshtein: a letter left out, added, replaced, or two
swapped), or two edits that leave letters out.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.terms import stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Frequency = Callable[[NDArray[np.uint32]], NDArray[np.float64]]

SHORTEST = 5
"""Shorter words have too many neighbours."""
SHORTEST_ROOT = 4
SHORTEST_REPLACED = 6
LONGEST = 24
LONGEST_ENDING = 7
LONG = 9
"""From this length on two letters may be wrong."""
FEWEST_CHUNKS = 2
"""What stands in a single chunk may be a typo itself."""
SHORTEST_HALF = 3
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ENDINGS = (
    "ation ations ication ications ition ion ions ing ings ed er ers or ors ment ments ness able"
    " ible ability ibility ity ities ive ively ives ize izes ized izer izing ization ise isation"
    " al ally ally ance ances ence ences ant ent ly ful ous ously ate ates ated ating ator ators"
    " ism ist ure ures ary ory e es s y ies ied"
)
ENDINGS = frozenset(_ENDINGS.split())
_REGIONAL = (
    ("isation", "ization"), ("ising", "izing"), ("ised", "ized"), ("iser", "izer"), ("ise", "ize"),
    ("yse", "yze"), ("ysing", "yzing"), ("our", "or"), ("tre", "ter"), ("ogue", "og"),
    ("ence", "ense"), ("elling", "eling"), ("elled", "eled"),
)  # fmt: skip
"""British and American endings, either way."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A word that stands nowhere, and the words to search for instead (two when run together)."""

    word: str
    meant: tuple[str, ...]


def correct(
    word: str, frequency: Frequency, is_word: Callable[[str], bool] | None = None
) -> Correction | None:
    """Return what a word (small Latin letters) that stands nowhere probably was to be.

    `frequency` says in how many chunks stems stand, by their numbers. With `is_word` the words that
    it knows are meant as they are, but for the spelling of a region. In code no list of real words
    is asked: the one at hand, the embedding model's, has the common misspellings too.
    """
    if not SHORTEST <= len(word) <= LONGEST or not (word.isascii() and word.isalpha()):
        return None
    respelled = _most_frequent([(other, stem(other)) for other in _respelled(word)], frequency)
    if respelled:
        return Correction(word, (respelled,))
    if is_word is not None and is_word(word):
        return None
    nearby = _most_frequent(_neighbours(word), frequency)
    if nearby is None and len(word) >= LONG:
        nearby = _most_frequent(_distant(word), frequency)
    if nearby:
        return Correction(word, (nearby,))
    halves = _halves(word, frequency)
    return Correction(word, halves) if halves else None


def _respelled(word: str) -> Iterator[str]:
    for pair in _REGIONAL:
        for ending, other in (pair, pair[::-1]):
            for plural in ("", "s"):
                if word.endswith(ending + plural) and len(word) > len(ending) + 2:
                    yield word[: len(word) - len(ending + plural)] + other + plural


def _neighbours(word: str) -> list[tuple[str, str]]:
    """Return (word, stem) one edit away, in the stem or in the ending.

    An edit of the stem keeps the ending; in a wrong ending the stem is a beginning of the word,
    and what remains is nearly an ending.
    """
    root = stem(word)
    rest = word[len(root) :] if word.startswith(root) else ""
    found = [(one + rest, one) for one in edits(root) if len(one) >= SHORTEST_ROOT]
    for size in range(max(SHORTEST - 1, len(word) - LONGEST_ENDING), len(word) - 1):
        ending = word[size:]
        near = () if ending in ENDINGS else ENDINGS.intersection(edits(ending))
        whole = [word[:size] + one for one in sorted(near)]
        found += [(one, word[:size]) for one in whole if stem(one) == word[:size]][:1]
    return found


def edits(word: str) -> Iterator[str]:
    """Yield the words one edit away that begin with the same letter; few of them are words.

    In words of fewer than six letters no letter is replaced: `mount` is not a wrong `count`.
    """
    for at in range(1, len(word) + 1):
        head, tail = word[:at], word[at:]
        if tail:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        for letter in _LETTERS:
            yield head + letter + tail
        if tail and len(word) >= SHORTEST_REPLACED:
            for letter in _LETTERS:
                yield head + letter + tail[1:]


def _distant(word: str) -> list[tuple[str, str]]:
    """Return (word, stem) with two letters of the stem left out or swapped."""
    root = stem(word)
    rest = word[len(root) :] if word.startswith(root) else ""
    once = set(_light_edits(root))
    return [(edited + rest, edited) for one in once for edited in set(_light_edits(one))]


def _light_edits(word: str) -> Iterator[str]:
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]
        if at + 1 < len(word):
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _most_frequent(found: Sequence[tuple[str, str]], frequency: Frequency) -> str | None:
    """Return the word whose stem stands in most chunks, and in enough of them."""
    if not found:
        return None
    counts = frequency(numbers([root for _, root in found]))
    best = int(np.argmax(counts))
    return found[best][0] if counts[best] >= FEWEST_CHUNKS else None


def _halves(word: str, frequency: Frequency) -> tuple[str, ...]:
    """Return the two words that a word was run together of, the more frequent the better."""
    cuts = [(word[:at], word[at:]) for at in range(SHORTEST_HALF, len(word) - SHORTEST_HALF + 1)]
    if not cuts:
        return ()
    heads = frequency(numbers([stem(head) for head, _ in cuts]))
    likely = [at for at in range(len(cuts)) if heads[at] >= FEWEST_CHUNKS]
    if not likely:
        return ()
    tails = frequency(numbers([stem(cuts[at][1]) for at in likely]))
    both = np.minimum(heads[likely], tails)
    best = int(np.argmax(both))
    return cuts[likely[best]] if both[best] >= FEWEST_CHUNKS else ()


def numbers(stems: Sequence[str]) -> NDArray[np.uint32]:
    """Return the numbers of many stems; unlike `term_id` it does not remember them."""
    digests = b"".join(
        [blake2b(one.encode("utf-8", "replace"), digest_size=4).digest() for one in stems]
    )
    return np.frombuffer(digests, ">u4").astype(np.uint32)
