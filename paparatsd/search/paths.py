"""Which files have a name or a folder that sounds like the question.

Words match softly ("serial" finds "serializer"), so a table of all path words of a view is kept,
and a question is compared with the words, not with the files.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.fields import GATE_STEMS, file_stem
from paparatsd.chunks.priors import Prior, partner_stem, path_priors, version_folders
from paparatsd.chunks.terms import is_cjk, parts_of
from paparatsd.search.matching import distinct, ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DEEPEST = 8
UNREAD = -1
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


@lru_cache(maxsize=1 << 14)
def folder_parts(folder: str) -> tuple[str, ...]:
    """Return the distinct sub-words of the last folders of a path."""
    return tuple(dict.fromkeys(parts_of(" ".join(folder.split("/")[-FOLDERS:]))))


FOLDERS = 4
"""Folders further out are the repository's layout, not a file's subject."""


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
    """

    rows: NDArray[np.int64]
    hits: Floats

    def coverage(self, weights: Floats) -> Floats:
        """Return the share of the question (weights [terms]) found in each file's name."""
        total = float(weights.sum())
        covered: Floats = weights @ self.hits
        return covered / total if total > 0 else covered


@dataclass(frozen=True, slots=True)
class WordMatches:
    """How the question's terms match the words of F names.

    hits [terms, F]: the best soft match of each term. back [F]: mean over a name's words of their
    best match; rare_back [F]: the same mean, each word weighted by how rare it is among the names
    of the view (`Handler` says little where every file is one). parts [F]: words of each name.
    """

    hits: Floats
    back: Floats
    rare_back: Floats
    parts: Floats

    def spread(self, places: NDArray[np.int64], names: int) -> WordMatches:
        """Return the same for more names, of which these are at some places; the rest have none."""
        hits = np.zeros((len(self.hits), names), np.float64)
        hits[:, places] = self.hits
        rest = np.zeros((3, names), np.float64)
        rest[:, places] = self.back, self.rare_back, self.parts
        return WordMatches(hits, *rest)

    @classmethod
    def joined(cls, spread: Sequence[WordMatches]) -> WordMatches:
        """Return what was spread over the same names, each of which only one of them has."""
        return cls(
            hits=np.sum([one.hits for one in spread], axis=0),
            back=np.sum([one.back for one in spread], axis=0),
            rare_back=np.sum([one.rare_back for one in spread], axis=0),
            parts=np.sum([one.parts for one in spread], axis=0),
        )


@dataclass(frozen=True, slots=True)
class Alike:
    """How much T terms are like the words of a table, most of which are like none of them.

    terms, words, values [n]: each pair that is alike, and how much. columns [words]: the word's
    column in `table` [T, m + 1], whose first column is that of all the words which are like none.
    """

    terms: NDArray[np.int64]
    words: NDArray[np.int64]
    values: Floats
    columns: NDArray[np.int64]
    table: Floats

    @classmethod
    def of(cls, terms: int, words: int, pairs: Sequence[tuple[int, int, float]]) -> Alike:
        """Put (term, word, how much they are alike) together, for so many terms and words."""
        columns = np.zeros(words, np.int64)
        found = np.array([pair[:2] for pair in pairs], np.int64).reshape(-1, 2)
        values = np.array([pair[2] for pair in pairs], np.float64)
        different = distinct(found[:, 1].copy())
        columns[different] = np.arange(1, len(different) + 1)
        table = np.zeros((terms, len(different) + 1), np.float64)
        table[found[:, 0], columns[found[:, 1]]] = values
        return cls(found[:, 0], found[:, 1], values, columns, table)


@dataclass(frozen=True, slots=True)
class NameLikeness:
    """How much each term of a question is like each word of a view's names."""

    stems: Alike
    folders: Alike


class WordTable:
    """The words of many names (file names, or folders), each with the names that have it."""

    def __init__(self, names: Sequence[tuple[str, ...]]) -> None:
        numbers: dict[str, int] = {}
        flat = [numbers.setdefault(part, len(numbers)) for parts in names for part in parts]
        self.words = tuple(numbers)
        self._flat = np.array(flat, np.int64)
        self._offsets = np.zeros(len(names) + 1, np.int64)
        np.cumsum([len(parts) for parts in names], out=self._offsets[1:])
        frequency = np.bincount(self._flat, minlength=len(numbers))
        rows = np.repeat(np.arange(len(names)), np.diff(self._offsets))
        self._rows_by_word = rows[np.argsort(self._flat, kind="stable")]
        self._ends_by_word = np.cumsum(frequency)
        self._rarity = np.log1p(len(names) / np.maximum(frequency, 1))
        by_prefix: dict[str, list[int]] = defaultdict(list)
        for number, word in enumerate(self.words):
            by_prefix[_prefix(word)].append(number)
        self._by_prefix = dict(by_prefix)

    def alike(self, terms: Sequence[str]) -> Alike:
        """Return how much each term is like each word."""
        words = self.words
        near = [self._by_prefix.get(_prefix(term), ()) for term in terms]
        pairs = [
            (row, number, value)
            for row, (term, numbers) in enumerate(zip(terms, near, strict=True))
            for number in numbers
            if (value := soft(term, words[number])) > 0.0
        ]
        return Alike.of(len(terms), len(words), pairs)

    def compare(self, alike: Alike, rows: NDArray[np.int64]) -> WordMatches:
        """Compare the names of some rows with the terms, given what `alike` returned."""
        starts = self._offsets[rows]
        lengths = self._offsets[rows + 1] - starts
        filled = lengths.nonzero()[0]
        if not len(filled) or not len(alike.table):
            nothing = np.zeros((len(alike.table), len(rows)), np.float64)
            back, rare_back = np.zeros((2, len(rows)), np.float64)
            return WordMatches(nothing, back, rare_back, lengths.astype(np.float64))
        all_filled = len(filled) == len(rows)
        if not all_filled:
            starts, lengths = starts[filled], lengths[filled]
        ends = lengths.cumsum()
        begins = ends - lengths
        words = self._flat[(starts - begins).repeat(lengths) + np.arange(ends[-1])]
        found = alike.table.take(alike.columns[words], axis=1)
        best, rarity = found.max(axis=0), self._rarity[words]
        matches = WordMatches(
            np.maximum.reduceat(found, begins, axis=1),
            np.add.reduceat(best, begins) / lengths,
            np.add.reduceat(best * rarity, begins) / np.add.reduceat(rarity, begins),
            lengths.astype(np.float64),
        )
        return matches if all_filled else matches.spread(filled, len(rows))

    def rows_with(self, alike: Alike) -> StemMatches:
        """Return the rows whose names have a word that is like a term, with the best matches."""
        ends = self._ends_by_word[alike.words]
        lengths = ends - np.where(alike.words > 0, self._ends_by_word[alike.words - 1], 0)
        every = self._rows_by_word[ranges(ends - lengths, lengths)]
        rows = distinct(every.copy())
        hits = np.zeros((len(alike.table), len(rows)), np.float64)
        places = alike.terms.repeat(lengths) * len(rows) + rows.searchsorted(every)
        np.maximum.at(hits.reshape(-1), places, alike.values.repeat(lengths))
        return StemMatches(rows, hits)


class PathIndex:
    """The words of the file names and of the folders of one list of paths."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.stems = WordTable([stem_parts(path) for path in paths])
        self.folders = WordTable([folder_parts(path.rpartition("/")[0]) for path in paths])
        self.outdated = _outdated(paths)
        self._paths = paths
        self._stems: frozenset[str] | None = None
        # Read on first use: most files never become candidates.
        self._standing = np.full((len(paths), 3), UNREAD, np.int32)

    def likeness(self, terms: Sequence[str]) -> NameLikeness:
        """Compare the question's terms with all words of file names and folders."""
        return NameLikeness(self.stems.alike(terms), self.folders.alike(terms))

    def match(self, likeness: NameLikeness) -> StemMatches:
        """Return the files whose name has a word like a term."""
        return self.stems.rows_with(likeness.stems)

    def standing(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return what the paths of some rows say ([rows, 3]).

        The bits of `Prior`; how deep the file lies, at most DEEPEST; whether it has a partner.
        """
        found = self._standing.take(rows, axis=0)
        for at in (found[:, 0] == UNREAD).nonzero()[0].tolist():
            path = self._paths[rows[at]]
            depth = min(path.count("/"), DEEPEST)
            found[at] = path_priors(path), depth, self.has_partner(path)
            self._standing[rows[at]] = found[at]
        return found

    def has_partner(self, path: str) -> bool:
        """Say whether a test is named after a source file that exists."""
        stem = partner_stem(path)
        if not stem:
            return False
        if self._stems is None:
            sources = (one for one in self._paths if not path_priors(one) & Prior.TEST)
            self._stems = frozenset(file_stem(one).lower() for one in sources)
        return stem in self._stems


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
