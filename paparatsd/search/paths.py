"""Which files have a name or a folder that sounds like the question.

Words match softly ("serial" finds "serializer"), so a table of all path words of a view is kept,
and a question is compared with the words, not with the files.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.fields import GATE_STEMS, file_stem
from paparatsd.chunks.terms import is_cjk, parts_of
from paparatsd.search.priors import version_folders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FOLDER_FILES = GATE_STEMS - {"main"}
PREFIX = 3
"""Words that differ in their first letters never match softly."""


@lru_cache(maxsize=1 << 16)
def stem_parts(path: str) -> tuple[str, ...]:
    """Return the distinct sub-words of the file's name; `json/__init__.py` is called "json"."""
    folders, _, base = path.rpartition("/")
    stands_for_folder = folders and base.partition(".")[0] in FOLDER_FILES
    name = folders.rpartition("/")[2] if stands_for_folder else file_stem(path)
    return tuple(dict.fromkeys(parts_of(name)))


@lru_cache(maxsize=1 << 16)
def soft(one: str, other: str) -> float:
    """Return how much two stemmed words are alike: 1 equal, 0.7 or 0.5 by beginning, else 0."""
    if one == other:
        return 1.0
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < PREFIX:
        return 0.0
    common = 0
    while common < len(shorter) and one[common] == other[common]:
        common += 1
    if common == len(shorter):
        return 0.7 if common >= 4 else 0.5
    return 0.5 if common >= 5 and common >= 0.7 * len(longer) else 0.0


@dataclass(frozen=True, slots=True)
class StemMatches:
    """Files whose name shares a word with the question.

    rows [m]: file numbers, ascending. hits [terms, m]: the best soft match of each term.
    back [m]: mean over the words of the file's name of their best match.
    """

    rows: NDArray[np.int64]
    hits: NDArray[np.float32]
    back: NDArray[np.float32]

    def coverage(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of the question (weights [terms]) found in each file's name."""
        total = float(weights.sum())
        covered: NDArray[np.float64] = weights @ self.hits
        return covered / total if total > 0 else covered


class PathIndex:
    """The words of the file names of one list of paths."""

    def __init__(self, paths: Sequence[str]) -> None:
        files: dict[str, list[int]] = defaultdict(list)
        lengths = np.ones(len(paths), np.float32)
        for row, path in enumerate(paths):
            parts = stem_parts(path)
            lengths[row] = max(1, len(parts))
            for part in parts:
                files[part].append(row)
        self._files = dict(files)
        self._lengths = lengths
        by_prefix: dict[str, list[str]] = defaultdict(list)
        for part in self._files:
            by_prefix[_prefix(part)].append(part)
        self._by_prefix = dict(by_prefix)
        self.outdated = _outdated(paths)

    def match(self, terms: Sequence[str]) -> StemMatches:
        """Compare the question's terms with the words of all names."""
        found = [self._alike(term) for term in terms]
        best: dict[str, float] = {}
        for matches in found:
            for part, value in matches.items():
                best[part] = max(value, best.get(part, 0.0))
        parts = sorted(best)
        rows_of = {part: self._files[part] for part in parts}
        every = np.array(list(chain.from_iterable(rows_of.values())), np.int64)
        rows, places = np.unique(every, return_inverse=True)
        ends = dict(zip(parts, accumulate(map(len, rows_of.values())), strict=True))
        hits = np.zeros((len(terms), len(rows)), np.float32)
        for index, matches in enumerate(found):
            for part, value in matches.items():
                place = places[ends[part] - len(rows_of[part]) : ends[part]]
                hits[index, place] = np.maximum(hits[index, place], value)
        worth = np.repeat([best[part] for part in parts], [len(rows_of[part]) for part in parts])
        back = np.bincount(places, weights=worth, minlength=len(rows)).astype(np.float32)
        return StemMatches(rows, hits, back / self._lengths[rows])

    def _alike(self, term: str) -> dict[str, float]:
        scored = {part: soft(term, part) for part in self._by_prefix.get(_prefix(term), ())}
        return {part: value for part, value in scored.items() if value > 0}


def _prefix(word: str) -> str:
    return word[:1] if word and is_cjk(word[0]) else word[:PREFIX]


def _outdated(paths: Sequence[str]) -> frozenset[int]:
    """Return the files below a `vN` folder beside which a higher one exists."""
    newest: dict[str, int] = {}
    found: list[tuple[int, str, int]] = []
    for row, path in enumerate(paths):
        if "/v" not in path and not path.startswith("v"):
            continue
        for before, number in version_folders(path):
            newest[before] = max(number, newest.get(before, 0))
            found.append((row, before, number))
    return frozenset(row for row, before, number in found if number < newest[before])
