"""Weights as they are shipped: three sets, fitted on the questions of some table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from contrib.train.ranker.linear import NEGATIVES, C, Pairs, make_pairs, together
from contrib.train.ranker.table import REAL, load_table
from paparatsd.search.ranker import BY_HAND, FORMAT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from contrib.train.ranker.table import Question, Table

ORDER = ("format", "meaning", "words", "name", "confidence")
BY_MEANING = "d_"
"""Features that need vectors begin so."""
SHARE = 0.1
"""What a pair from questions made of code counts beside one of a question that a person asked."""
NAME_SHARE = 0.25
"""Of that, what a pair counts whose question is one identifier: a name taken from the code means
its definition only, where people also mean the subject.
"""
LEFT_OUT = frozenset({
    "cov_sym", "cov_chunk", "cov_sig", "p_barrel", "stem_forth", "rk_fbm25f", "join_def", "g_out",
    "contcos", "bm25f_share",
})  # fmt: skip
"""Computed, but without weight: leaving it out costs nothing (see README.md)."""


@dataclass(frozen=True)
class Choice:
    """The features of a model: with vectors, by words only, and for single identifiers."""

    meaning: tuple[str, ...]
    words: tuple[str, ...]
    name: tuple[str, ...]


@dataclass(frozen=True)
class Weights:
    """A fitted model; what is weighted by hand (`search.ranker.BY_HAND`) comes on top."""

    meaning: Mapping[str, float]
    words: Mapping[str, float]
    name: Mapping[str, float] | None = None

    def score(
        self, table: Table, question: Question, *, by_words: bool | None = None
    ) -> NDArray[np.float64]:
        """Return the score of each candidate; by default with the weights search would take."""
        words = question.asked.by_words if by_words is None else by_words
        by_hand = {name: value for name, value in BY_HAND.items() if name in table.columns}
        chosen = self.meaning
        if words:
            chosen = self.name if question.asked.single and self.name else self.words
        weights = {**by_hand, **chosen}
        values = question.features[:, table.at(list(weights))].astype(np.float64)
        scores: NDArray[np.float64] = values @ np.array(list(weights.values()))
        return scores


def choose(
    table: Table,
    without: Sequence[str] = (),
    *,
    lexical: bool = False,
    left_out: Collection[str] = LEFT_OUT,
) -> Choice:
    """Return all features but those left out; `lexical` leaves vectors out everywhere.

    Single identifiers need some that questions do not: whether it is a class, or the whole name.
    """
    fitted = tuple(name for name in table.names if name not in BY_HAND and name not in without)
    kept = tuple(name for name in fitted if name not in left_out)
    words = tuple(name for name in kept if not name.startswith(BY_MEANING))
    name = tuple(name for name in fitted if not name.startswith(BY_MEANING))
    return Choice(words if lexical else kept, words, name)


def fit_pairs(table: Table, pairs: Pairs, choice: Choice, strength: float = C) -> Weights:
    """Fit all sets of weights: that of single identifiers on the pairs of such questions alone."""
    words = _named(choice.words, pairs.fit(table.at(choice.words), strength))
    of_names, name = pairs.of_names(), None
    if len(of_names.counts):
        name = _named(choice.name, of_names.fit(table.at(choice.name), strength))
    if choice.meaning == choice.words:
        return Weights(words, words, name)
    meaning = _named(choice.meaning, pairs.fit(table.at(choice.meaning), strength))
    return Weights(meaning, words, name)


def fit(
    table: Table,
    questions: Iterable[Question],
    choice: Choice,
    *,
    seed: int = 0,
    strength: float = C,
    extra: Pairs | None = None,
) -> Weights:
    """Fit on some questions of a table, and on `extra` pairs beside them."""
    pairs = make_pairs(questions, seed=seed)
    return fit_pairs(table, pairs if extra is None else together((pairs, extra)), choice, strength)


def load_pairs(place: Path, share: float, like: Table, *, negatives: int = NEGATIVES) -> Pairs:
    """Return the pairs of another table with the same features, each counting `share`."""
    table = load_table(place)
    if table.names != like.names:
        raise SystemExit(f"{place} has other features: collect both with the same code")
    pairs = make_pairs(table.of(REAL), share=share, negatives=negatives)
    counts = np.where(pairs.single, NAME_SHARE * pairs.counts, pairs.counts)
    return Pairs(pairs.differences, counts, pairs.single)


def _named(names: Sequence[str], weights: NDArray[np.float64]) -> dict[str, float]:
    return dict(zip(names, weights.tolist(), strict=True))


def write_weights(place: Path, weights: Weights) -> None:
    """Write a file of weights as search reads it; what it says of confidence stays as it is."""
    sets = {"meaning": weights.meaning, "words": weights.words, "name": weights.name}
    _write(place, {name: _rounded(one) for name, one in sets.items() if one})


def write_confidence(place: Path, confidence: Mapping[str, Any]) -> None:
    """Add what a file of weights says of confidence; the weights stay as they are."""
    _write(place, {"confidence": confidence})


def _write(place: Path, change: Mapping[str, Any]) -> None:
    content = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
    content |= {"format": FORMAT, **change}
    ordered = {key: content[key] for key in ORDER if key in content}
    place.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def _rounded(weights: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 5) for name, value in sorted(weights.items())}
