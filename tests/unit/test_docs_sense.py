"""What a model of prose says of places of documents."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.model import Chunk, VersionId
from paparatsd.search.docs_features import Told
from paparatsd.search.docs_sense import SENSES, likeliest, sense_features, understood, without_sense
from paparatsd.store.rows import DocumentRow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

WORDS = {"delete": (1.0, 0.0), "remove": (0.96, 0.28), "colour": (0.0, 1.0), "backup": (0.6, 0.8)}
PIECES = list(WORDS)


class Table:
    """A table of four words in two dimensions."""

    def knows(self, word: str) -> bool:
        return word in WORDS

    def pieces(self, text: str) -> Counter[int]:
        return Counter(
            PIECES.index(word) for word in text.lower().replace(":", " ").split() if word in WORDS
        )

    def encode_pieces(self, counts: Sequence[Counter[int]]) -> Rows:
        rows = np.zeros((len(counts), 2), np.float32)
        for at, count in enumerate(counts):
            for piece, number in count.items():
                rows[at] += number * np.array(WORDS[PIECES[piece]], np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        found: Rows = (rows / np.maximum(lengths, 1e-9)).astype(np.float32)
        return found

    def encode_queries(self, texts: Sequence[str]) -> Rows:
        return self.encode_pieces([self.pieces(text) for text in texts])

    def directions(self, pieces: NDArray[np.int64]) -> tuple[Rows, Rows]:
        rows = np.array([WORDS[PIECES[one]] for one in pieces], np.float32).reshape(-1, 2)
        return rows, np.ones(len(pieces), np.float32)


def told(text: str, heading: str = "", title: str = "") -> Told:
    row = DocumentRow(
        path="a.md",
        version=VersionId(1),
        language="markdown",
        chunks=1,
        title=title,
        link="",
        modified=None,
        audience="",
        refused="",
    )
    return Told(row, Chunk(0, 1, 1, "section", heading, "", text))


def ask(
    question: str, places: list[Told], documents: list[int]
) -> Mapping[str, NDArray[np.float64]]:
    return sense_features(question, places, np.array(documents), Table())


def test_another_word_for_the_same_is_near() -> None:
    found = ask("delete", [told("remove"), told("colour")], [0, 1])
    assert found["sense"] == pytest.approx([0.96, 0.0], abs=1e-6)
    assert found["words_sense"] == pytest.approx([0.96, 0.0], abs=1e-6)


def test_every_word_of_a_question_is_looked_for_by_itself() -> None:
    found = ask("delete colour", [told("remove"), told("remove colour")], [0, 0])
    assert found["words_sense"] == pytest.approx([(0.96 + 0.28) / 2, (0.96 + 1) / 2], abs=1e-6)
    assert found["words_sense_doc"] == pytest.approx([0.98, 0.98], abs=1e-6)


def test_headings_and_titles_are_compared_too() -> None:
    found = ask("backup", [told("colour", "Backup"), told("colour", "", "Delete :")], [0, 1])
    assert found["sense_head"] == pytest.approx([1.0, 0.6], abs=1e-6)


def test_texts_and_questions_of_unknown_words_are_near_to_nothing() -> None:
    for question, text in (("xyz", "delete"), ("delete", "xyz"), ("xyz", "xyz")):
        found = ask(question, [told(text)], [0])
        assert set(found) == set(SENSES)
        assert all(value.tolist() == [0.0] for value in found.values())
    assert all(len(value) == 0 for value in ask("delete", [], []).values())


def test_without_a_model_all_is_zero() -> None:
    found = without_sense(2)
    assert set(found) == set(SENSES)
    assert all(value.tolist() == [0.0, 0.0] for value in found.values())


def test_only_the_best_places_of_the_best_documents_are_looked_into() -> None:
    scores = np.array([5.0, 4.0, 3.0, 2.0, 1.0, 9.0])
    documents = np.array([0, 0, 0, 0, 1, 2])
    kept = likeliest(scores, documents, most=2)
    assert kept.tolist() == [True, True, True, False, False, True]


def test_a_question_of_words_that_the_model_does_not_know_is_not_for_it() -> None:
    assert understood("how to delete a colour", Table())
    assert understood("delete colour xyz zyx", Table())
    assert not understood("delete colour xyz zyx yzx", Table())
    assert not understood("how to xyz", Table())


def test_a_word_by_itself_is_not_for_it() -> None:
    assert not understood("how to delete", Table())
    assert not understood("how to", Table())
