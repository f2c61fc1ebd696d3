"""Questions with the features of their candidate files, and the archive they are kept in."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

REAL, ELSEWHERE, REMOVED = "real", "elsewhere", "removed"
KINDS = (REAL, ELSEWHERE, REMOVED)
"""A question as it is; asked of a repository that it is not about; asked of the right one without
the files that answer it."""


@dataclass(frozen=True)
class Asked:
    """One question asked of one repository in one scope.

    repo: the repository asked. targets: how many places answer it. single: it is one identifier.
    by_words: it is ranked without vectors. terms: its number of terms. unknown: share of them that
    stand nowhere; unknown_worth: the same by weight times idf. cosine: the best recalled chunk's
    likeness of meaning, or None.
    """

    id: str
    kind: str
    repo: str
    scope: str
    language: str
    category: str
    text: str
    targets: int
    single: bool
    by_words: bool
    terms: int
    unknown: float
    unknown_worth: float
    cosine: float | None


@dataclass(frozen=True)
class Question:
    """A question, its candidates' features [files, features], and which files answer it.

    answers: for each target the rows of the files that are it; empty where none was a candidate.
    """

    asked: Asked
    paths: tuple[str, ...]
    features: NDArray[np.float32]
    answers: tuple[tuple[int, ...], ...]

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which files are a target."""
        mask = np.zeros(len(self.paths), np.bool_)
        mask[[row for rows in self.answers for row in rows]] = True
        return mask


@dataclass(frozen=True)
class Table:
    """All questions of a data set, and the names of the columns of their features.

    embedder: the fingerprint of the model behind the cosines.
    """

    names: tuple[str, ...]
    questions: tuple[Question, ...]
    embedder: str

    @cached_property
    def columns(self) -> dict[str, int]:
        """Where each feature is."""
        return {name: at for at, name in enumerate(self.names)}

    def of(self, kind: str) -> list[Question]:
        """Return the questions of one kind."""
        return [one for one in self.questions if one.asked.kind == kind]

    def at(self, names: Sequence[str]) -> list[int]:
        """Return the columns of some features."""
        return [self.columns[name] for name in names]

    def save(self, place: Path) -> None:
        """Write the archive."""
        about = {
            "names": self.names,
            "embedder": self.embedder,
            "asked": [asdict(one.asked) for one in self.questions],
            "paths": [one.paths for one in self.questions],
            "answers": [one.answers for one in self.questions],
        }
        features = np.concatenate([one.features for one in self.questions])
        partial = place.with_suffix(".part.npz")
        np.savez(partial, features=features, about=np.array(json.dumps(about)))
        partial.replace(place)


def load_table(place: Path) -> Table:
    """Read an archive that `collect` wrote."""
    with np.load(place) as kept:
        about = json.loads(str(kept["about"]))
        features = kept["features"]
    ends = np.cumsum([len(paths) for paths in about["paths"]])
    rows = zip(about["asked"], about["paths"], about["answers"], ends, strict=True)
    questions = (
        Question(
            Asked(**asked),
            tuple(paths),
            features[end - len(paths) : end],
            tuple(tuple(one) for one in answers),
        )
        for asked, paths, answers, end in rows
    )
    return Table(tuple(about["names"]), tuple(questions), about["embedder"])
