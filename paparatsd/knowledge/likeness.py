"""How much two notes, or a note and a question, say the same: a number from 0 to 1.

Texts of one kind are written in one style, so that the cosine of their vectors says as much about
the style as about what they say. For the built-in model it is one of several observations, which
a logistic model combines; it was fitted on pairs of notes (`contrib/bench/notes`) and shifted so
that the same thresholds hold for all ways of comparing. Vectors of other models are compared by
their plain cosine, and texts without vectors by the same observations without the cosine.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.errors import Broken
from paparatsd.knowledge.opposites import are_opposites
from paparatsd.knowledge.terms import TERM
from paparatsd.knowledge.traits import Traits, asked_pieces, traits_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

MEANING, WORDS = "meaning", "words"
"""Variants of a model: with the cosine of the built-in model's vectors, and without."""
STEEPEST = 30.0


@dataclass(frozen=True, slots=True)
class Noted:
    """What is compared: a label, the whole text, and the text's vector of length 1, if any.

    `kind` is that of the note ("term", or a card's); `question`: this is no note but a question.
    """

    label: str
    text: str
    vector: NDArray[np.float32] | None = None
    kind: str = ""
    question: bool = False


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
"""For plain cosines of a model that nobody measured; what is fitted is shifted to fit these."""

FITTED = replace(PLAIN, term_docs_floor=0.65)
"""For the fitted models: beside documents, a term that was not asked for disturbs."""


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic model as plain numbers: a bias, and a weight for each observation."""

    bias: float
    weights: Mapping[str, float]

    def of(self, observed: Mapping[str, float]) -> float:
        """Return the likeness, more than 0 and less than 1."""
        total = self.bias + sum(weight * observed[name] for name, weight in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-STEEPEST, min(STEEPEST, total))))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The fitted models. `embedder`: fingerprint of the model whose cosines they were fitted to.

    `notes` and `questions`: by what the note is (`term`, `card`) and the variant.
    """

    embedder: str
    notes: Mapping[tuple[str, str], Model]
    questions: Mapping[tuple[str, str], Model]


def calibration_file() -> Path:
    """Return where the packaged calibration is."""
    return Path(__file__).with_name("calibration.json")


@lru_cache(maxsize=1)
def packaged_calibration() -> Calibration:
    """Read the packaged calibration; raises Broken when it cannot be read."""
    path = calibration_file()
    try:
        return parse_calibration(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Broken(f"{path} cannot be used ({error}); install paparatsd again") from error


def parse_calibration(content: Mapping[str, Any]) -> Calibration:
    """Read a calibration; raises ValueError, KeyError, TypeError or AttributeError."""
    read = {
        what: {
            (kind, variant): _model(content[what][kind][variant])
            for kind in (TERM, "card")
            for variant in (MEANING, WORDS)
        }
        for what in ("notes", "questions")
    }
    return Calibration(str(content["embedder"]), read["notes"], read["questions"])


def _model(content: Mapping[str, Any]) -> Model:
    numbers = {str(name): float(value) for name, value in content.items()}
    if not all(map(math.isfinite, numbers.values())):
        raise ValueError("a likeness must be made of finite numbers")
    return Model(numbers.pop("bias"), numbers)


@dataclass(frozen=True, slots=True)
class Measure:
    """How the notes of one embedder are compared: `fingerprint` is its, "" for none."""

    fingerprint: str
    calibration: Calibration

    def of(self, asked: Noted, note: Noted) -> float:
        """Return how alike a note is to what is asked, which is a note of its kind or a question.

        The same text is 1; two empty ones are not alike.
        """
        if asked.text == note.text:
            return 1.0 if asked.text.strip() else 0.0
        cosine = _cosine(asked, note)
        if cosine is not None and self.fingerprint != self.calibration.embedder:
            return min(1.0, max(0.0, cosine))
        kind = TERM if note.kind == TERM else "card"
        variant = WORDS if cosine is None else MEANING
        if asked.question:
            observed = observe_question(asked.text, traits_of(note.label, note.text), cosine)
            return self.calibration.questions[kind, variant].of(observed) if observed else 0.0
        mine, its = traits_of(asked.label, asked.text), traits_of(note.label, note.text)
        if not mine.pieces or not its.pieces:
            return 0.0
        alike = self.calibration.notes[kind, variant].of(observe_notes(mine, its, cosine))
        if are_opposites(mine, its):
            return min(alike, 0.9 * PLAIN.card_similar)
        return alike


def thresholds_of(fingerprint: str) -> Thresholds:
    """Return the thresholds for likenesses of an embedder ("" for words alone); raises Broken."""
    fitted = ("", packaged_calibration().embedder)
    return FITTED if fingerprint in fitted else PLAIN


def measure_of(fingerprint: str) -> Measure:
    """Return how the notes of an embedder are compared; raises Broken."""
    return Measure(fingerprint, packaged_calibration())


def _cosine(a: Noted, b: Noted) -> float | None:
    if a.vector is None or b.vector is None or a.vector.shape != b.vector.shape:
        return None
    # No matrix product: it adds in another order from machine to machine.
    return float(np.add.reduce(a.vector * b.vector))


# --------------------------------------------------------------------------- observations


def observe_notes(a: Traits, b: Traits, cosine: float | None = None) -> dict[str, float]:
    """Return what is seen when two notes are compared; the same the other way round.

    All but `cosine` (-1..1) are shares, 0..1. Common phrasing (`phrasing`, `core_phrases`) tells
    of one author or template more than of one meaning, and is apart from what is in common.
    """
    halves = [_lower_half(a.clauses, b.pieces), _lower_half(b.clauses, a.pieces)]
    within = [_covered(a.label_pieces, b.pieces), _covered(b.label_pieces, a.pieces)]
    in_core = [_covered(a.label_pieces, b.core_pieces), _covered(b.label_pieces, a.core_pieces)]
    abbreviated = bool(a.acronyms & b.initials or b.acronyms & a.initials)
    return {
        "cosine": 0.0 if cosine is None else cosine,
        "words": _contained(a.words, b.words),
        "pieces": _contained(a.pieces, b.pieces),
        "label": max(_contained(a.label_pieces, b.label_pieces), float(abbreviated)),
        "numbers": _contained(a.numbers, b.numbers) if a.numbers and b.numbers else 0.5,
        "clauses": sum(halves) / 2,
        "label_within": max(within),
        "label_core": min(in_core),
        "core": _shared(a.core_pieces, b.core_pieces),
        "core_phrases": _contained(a.core_phrases, b.core_phrases),
        "phrasing": _shared(a.fillers, b.fillers),
    }


def observe_question(
    question: str, note: Traits, cosine: float | None = None
) -> dict[str, float] | None:
    """Return what is seen when a question is held against a note; None for one without words."""
    asked = asked_pieces(question)
    if not asked:
        return None
    return {
        "cosine": 0.0 if cosine is None else cosine,
        "covered": _covered(asked, note.pieces),
        "by_label": _covered(asked, note.label_pieces),
        "label": _covered(note.label_pieces, asked),
    }


def _lower_half(clauses: tuple[frozenset[str], ...], pieces: frozenset[str]) -> float:
    """Return how much of the clauses is in the other text, on average of the worse half."""
    shares = sorted(_covered(clause, pieces) for clause in clauses)
    worse = shares[: max(1, len(shares) // 2)]
    return sum(worse) / len(worse) if worse else 0.0


def _covered(mine: frozenset[str], others: frozenset[str]) -> float:
    return len(mine & others) / len(mine) if mine else 0.0


def _contained(a: frozenset[Any], b: frozenset[Any]) -> float:
    """Return the share of the smaller set that is in the other."""
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _shared(a: frozenset[Any], b: frozenset[Any]) -> float:
    """Return the share of both that they have in common (Dice)."""
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 0.0
