"""The notes of one group in memory, with their vectors and names: exact search, no index of points.

Groups hold at most some ten thousand notes, so that looking at each is a matter of milliseconds.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paparatsd.knowledge.folding import name_key
from paparatsd.knowledge.likeness import Noted
from paparatsd.knowledge.traits import stems_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from paparatsd.knowledge.likeness import Measure
    from paparatsd.store.notes import Note

    Vector = NDArray[np.float32]

COMPARED = 64
"""So many notes at least, nearest by vector and as many by words, are compared in full ..."""
MOST_COMPARED = 256
"""... and at most so many of either; the likeness of others to what is asked counts as 0."""
_ROOM = 64


class Named(NamedTuple):
    """A note of some name; `by_label` is False when it is one of its aliases."""

    note: Note
    by_label: bool


class Shelf:
    """The notes of one group. For one thread."""

    def __init__(
        self,
        notes: Iterable[Note],
        vectors: Mapping[str, Vector],
        dimension: int,
        measure: Measure,
    ) -> None:
        """Take the notes and the vectors of the current embedder; `dimension` 0 for none.

        `measure`: how its notes are compared.
        """
        self._dimension = dimension
        self._measure = measure
        self._notes: list[Note] = []
        self._places: dict[str, int] = {}
        self._matrix = np.zeros((_ROOM, dimension), dtype=np.float32)
        self._has = np.zeros(_ROOM, dtype=bool)
        self._names: defaultdict[str, dict[str, bool]] = defaultdict(dict)
        self._words: defaultdict[str, set[str]] | None = None
        for note in notes:
            self.put(note, vectors.get(note.id))

    # ------------------------------------------------------------------ changes

    def put(self, note: Note, vector: Vector | None) -> None:
        """Put a note there, or in the place of the one with its id."""
        self.remove(note.id)
        place = len(self._notes)
        self._make_room(place + 1)
        self._notes.append(note)
        self._places[note.id] = place
        self._set_vector(place, vector)
        for name, by_label in _names_of(note):
            self._names[name].setdefault(note.id, by_label)
        if self._words is not None:
            self._add_words(self._words, note)

    def set_vector(self, ident: str, text: str, vector: Vector) -> None:
        """Take the vector of a note whose text is still this one."""
        place = self._places.get(ident)
        if place is not None and self._notes[place].text == text:
            self._set_vector(place, vector)

    def remove(self, ident: str) -> None:
        """Take a note away, if it is there; the last one moves to its place."""
        place = self._places.pop(ident, None)
        if place is None:
            return
        note, last = self._notes[place], self._notes.pop()
        if last is not note:
            self._notes[place] = last
            self._places[last.id] = place
            self._matrix[place] = self._matrix[len(self._notes)]
            self._has[place] = self._has[len(self._notes)]
        for name, _ in _names_of(note):
            _discard(self._names, name, ident)
        if self._words is not None:
            for word in stems_of(note.text):
                self._words[word].discard(ident)

    def _make_room(self, count: int) -> None:
        if count <= len(self._has):
            return
        grown = np.zeros((2 * len(self._has), self._dimension), dtype=np.float32)
        grown[: len(self._has)] = self._matrix
        self._matrix = grown
        self._has = np.concatenate([self._has, np.zeros(len(self._has), dtype=bool)])

    def _set_vector(self, place: int, vector: Vector | None) -> None:
        fits = vector is not None and self._dimension > 0 and vector.shape == (self._dimension,)
        self._has[place] = fits
        self._matrix[place] = vector if fits else 0

    # ------------------------------------------------------------------ reading

    def __len__(self) -> int:
        """Return how many notes there are."""
        return len(self._notes)

    def notes(self, kinds: Collection[str] = ()) -> list[Note]:
        """Return the notes of some kinds (empty: all), oldest first."""
        chosen = (one for one in self._notes if not kinds or one.kind in kinds)
        return sorted(chosen, key=lambda one: (one.created, one.id))

    def named(self, name: str, kinds: Collection[str] = ()) -> list[Named]:
        """Return the notes of this name, or with it among their aliases; by `name_key`."""
        found = self._names.get(name_key(name), {})
        return [
            Named(self._notes[self._places[ident]], by_label)
            for ident, by_label in found.items()
            if not kinds or self._notes[self._places[ident]].kind in kinds
        ]

    def vector(self, ident: str, text: str) -> Vector | None:
        """Return a copy of the vector of a note whose text is this one."""
        place = self._places.get(ident)
        if place is None or not self._has[place] or self._notes[place].text != text:
            return None
        kept: Vector = self._matrix[place].copy()
        return kept

    def nearest(
        self, asked: Noted, kinds: Collection[str], accept: Callable[[Note], bool], limit: int
    ) -> tuple[list[tuple[Note, float]], int]:
        """Return accepted notes of some kinds by likeness, best first.

        And how many of those that are accepted have no vector.
        """
        accepted = [
            place
            for place, note in enumerate(self._notes)
            if (not kinds or note.kind in kinds) and accept(note)
        ]
        count = min(max(COMPARED, 2 * limit), MOST_COMPARED)
        compared = set(self._candidates(asked, accepted, count))
        found = [
            (
                self._notes[place],
                self._measure.of(asked, self._noted(place)) if place in compared else 0.0,
            )
            for place in (accepted if limit > len(compared) else compared)
        ]
        best = heapq.nsmallest(limit, found, key=lambda one: (-one[1], one[0].created, one[0].id))
        return best, len(accepted) - int(np.count_nonzero(self._has[accepted]))

    def _noted(self, place: int) -> Noted:
        note = self._notes[place]
        vector = self._matrix[place] if self._has[place] else None
        return Noted(note.label, note.text, vector, note.kind)

    def _candidates(self, asked: Noted, accepted: list[int], count: int) -> Iterable[int]:
        """Return the places worth a comparison: near by vector, and those near by words."""
        if len(accepted) <= count:
            return accepted
        places = np.array(accepted)
        by_words = self._by_words(asked.text, set(accepted), count)
        if asked.vector is None or asked.vector.shape != (self._dimension,):
            return by_words
        with_vector = places[self._has[places]]
        # No matrix product: it adds in another order from thread count to thread count.
        scores = np.einsum("ij,j->i", self._matrix[: len(self._notes)], asked.vector)[with_vector]
        best = with_vector[np.argsort(-scores, kind="stable")[:count]]
        return [*best.tolist(), *by_words]

    def _by_words(self, text: str, places: set[int], count: int) -> list[int]:
        """Return the places that share most words with a text, rare words counting more."""
        if self._words is None:
            self._words = defaultdict(set)
            for note in self._notes:
                self._add_words(self._words, note)
        weights: defaultdict[int, float] = defaultdict(float)
        for word in sorted(stems_of(text)):
            idents = self._words.get(word, ())
            weight = math.log(1 + len(self._notes) / (1 + len(idents)))
            for place in (self._places[ident] for ident in idents):
                if place in places:
                    weights[place] += weight
        return heapq.nsmallest(count, weights, key=lambda place: (-weights[place], place))

    @staticmethod
    def _add_words(words: defaultdict[str, set[str]], note: Note) -> None:
        for word in stems_of(note.text):
            words[word].add(note.id)


def _names_of(note: Note) -> Iterator[tuple[str, bool]]:
    aliases = note.payload.get("aliases") or ()
    keys = ((name_key(note.label), True), *((name_key(str(one)), False) for one in aliases))
    return ((key, by_label) for key, by_label in keys if key)


def _discard(names: defaultdict[str, dict[str, bool]], name: str, ident: str) -> None:
    holders = names.get(name)
    if holders is not None:
        holders.pop(ident, None)
        if not holders:
            del names[name]
