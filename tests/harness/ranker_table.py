"""Questions for the ranker's training: of what columns their targets have more is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from contrib.train.ranker.table import REAL, Asked, Question

if TYPE_CHECKING:
    from collections.abc import Sequence

ASKED = Asked(
    id="r0:00",
    kind=REAL,
    repo="r0",
    scope="root",
    language="python",
    category="semantic",
    text="how are tokens refreshed",
    targets=1,
    single=False,
    by_words=False,
    terms=3,
    unknown=0.0,
    unknown_worth=0.0,
    cosine=0.5,
)


def told(
    asked: Asked,
    seed: int,
    shape: tuple[int, int],
    telling: Sequence[int],
    noise: float,
    more: float,
) -> Question:
    """Return a question with `shape` candidates and columns of values from 0 to `noise`.

    One of them is its target, drawn by the seed; it has `more` in the columns that are telling.
    """
    rng = np.random.default_rng(seed)
    features = rng.uniform(0.0, noise, shape).astype(np.float32)
    target = int(rng.integers(shape[0]))
    features[target, list(telling)] += more
    paths = tuple(f"src/{row}.py" for row in range(shape[0]))
    return Question(asked, paths, features, ((target,),))
