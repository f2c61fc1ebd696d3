"""What is observed of the written pairs and questions, with the built-in model's vectors."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from material import Question, Written, pairs, questions

from paparatsd.embeddings.static import StaticModel
from paparatsd.knowledge.likeness import Noted, observe_notes, observe_question
from paparatsd.knowledge.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

KINDS = {"terms": "term", "cards": "card", "docs": "term"}


@lru_cache(maxsize=1)
def model() -> StaticModel:
    """Return the built-in model."""
    return StaticModel.load()


@lru_cache(maxsize=10_000)
def vector(text: str, *, question: bool = False) -> NDArray[np.float32]:
    """Return a text's vector."""
    encode = model().encode_queries if question else model().encode
    return encode([text])[0]


def cosine(a: str, b: str, *, question: bool = False) -> float:
    """Return the cosine of two texts; `question`: the first one is a question."""
    return float((vector(a, question=question) * vector(b)).sum())


def noted(note: Written, *, words: bool = False) -> Noted:
    """Return a note as it is compared; `words`: without its vector."""
    return Noted(note.label, note.text, None if words else vector(note.text), note.kind)


def asked(question: Question, *, words: bool = False) -> Noted:
    """Return a question as it is compared."""
    row = None if words else vector(question.text, question=True)
    return Noted(question.text, question.text, row, question=True)


def observed(a: Written, b: Written) -> dict[str, float]:
    """Return what is observed of a pair of notes."""
    one, other = traits_of(a.label, a.text), traits_of(b.label, b.text)
    return observe_notes(one, other, cosine(a.text, b.text))


def observed_question(question: str, note: Written) -> Mapping[str, float]:
    """Return what is observed of a question and a note."""
    near = cosine(question, note.text, question=True)
    return observe_question(question, traits_of(note.label, note.text), near) or {}


def store(what: str, split: str) -> list[Written]:
    """Return the different notes of a split, as they would be in one group."""
    written = pairs("cards" if what == "cards" else "terms", split)
    return list(dict.fromkeys(note for pair in written.near for note in pair))


def nearest(question: str, notes: Sequence[Written], count: int) -> list[Written]:
    """Return the notes nearest to a question by cosine."""
    return sorted(notes, key=lambda note: -cosine(question, note.text, question=True))[:count]


def both_questions(what: str, split: str) -> tuple[list[Question], list[Question]]:
    """Return questions with answers in the store of a split, and those without."""
    answered, unanswered = questions(what, split)
    labels = {note.label for note in store(what, split)}
    missing = [one.answer for one in answered if one.answer not in labels]
    if missing:
        raise ValueError(f"{what} {split}: no such notes: {missing}")
    return answered, unanswered
