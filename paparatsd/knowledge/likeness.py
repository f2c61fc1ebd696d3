"""How much two notes, or a note and a question, say the same: a number from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.knowledge.folding import words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Noted:
    """What is compared: a label, the whole text, and the text's vector of length 1, if any."""

    label: str
    text: str
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which likeness on something is a repetition, is near, or is worth being told.

    `term_docs_floor` is for terms that are shown beside documents.
    """

    term_duplicate: float
    term_floor: float
    term_docs_floor: float
    card_duplicate: float
    card_similar: float
    card_floor: float


PLAIN = Thresholds(
    term_duplicate=0.95,
    term_floor=0.55,
    term_docs_floor=0.50,
    card_duplicate=0.85,
    card_similar=0.70,
    card_floor=0.45,
)
"""For plain cosines of a model that nobody measured."""


def thresholds_of(fingerprint: str) -> Thresholds:
    """Return the thresholds for the vectors of an embedder ("" for words alone)."""
    del fingerprint
    return PLAIN


def likeness(a: Noted, b: Noted) -> float:
    """Return how alike two notes are: the cosine of their vectors, else by their words alone."""
    if a.vector is not None and b.vector is not None:
        return float(min(1.0, max(0.0, np.add.reduce(a.vector * b.vector))))
    return _by_words(a.text, b.text)


def _by_words(a: str, b: str) -> float:
    """Return the share of words in common (Dice)."""
    left, right = words_of(a), words_of(b)
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0
