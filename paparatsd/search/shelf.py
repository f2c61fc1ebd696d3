"""Recently used records and texts of file versions, bounded by bytes, oldest use goes first.

A version never changes, so nothing here is ever out of date.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np
import structlog

from paparatsd.chunks.names import NOISE
from paparatsd.chunks.record import read_record
from paparatsd.errors import StateCorrupt
from paparatsd.search.arena import Arena

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paparatsd.chunks.record import RankRecord
    from paparatsd.model import Chunk
    from paparatsd.search.arena import Records
    from paparatsd.search.views import Reader

log = structlog.get_logger()

T = TypeVar("T")
PER_CHUNK_BYTES = 300
PER_USE_BYTES = 40
"""A line, a reference, and a share of a name: names repeat within a file."""
NO_USERS = frozenset({"import", "value"})
"""Kinds of uses that tell nothing of what a line does."""
FULL = 0.9
"""Share of a bound up to which anything is loaded ahead; the rest is for what is asked for."""


class UsedNames(NamedTuple):
    """The names that a file uses, by line; parallel."""

    lines: array[int]
    names: tuple[str, ...]

    def between(self, first: int, last: int) -> tuple[str, ...]:
        """Return the names used in some lines, repeats kept."""
        return self.names[bisect_left(self.lines, first) : bisect_right(self.lines, last)]


class ByteBounded(Generic[T]):
    """A map that forgets what was not used for longest once its values exceed `max_bytes`."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._items: OrderedDict[int, tuple[int, T]] = OrderedDict()
        self.used_bytes = 0

    def __contains__(self, key: int) -> bool:
        """Say whether a value is kept; this is no use of it."""
        return key in self._items

    def is_full(self, share: float) -> bool:
        """Say whether more than this share of the bound is used."""
        return self.used_bytes > share * self._max_bytes

    def get(self, key: int) -> T | None:
        """Return a value and count it as used."""
        found = self._items.get(key)
        if found is None:
            return None
        self._items.move_to_end(key)
        return found[1]

    def get_many(self, keys: Iterable[int]) -> dict[int, T]:
        """Return the values that are kept and count them as used."""
        items, touch = self._items, self._items.move_to_end
        found = {key: items[key][1] for key in keys if key in items}
        for key in found:
            touch(key)
        return found

    def put(self, key: int, value: T, size: int) -> None:
        """Keep a value; one larger than the whole bound is not kept."""
        old = self._items.pop(key, None)
        self.used_bytes -= old[0] if old else 0
        if size > self._max_bytes:
            return
        self._items[key] = (size, value)
        self.used_bytes += size
        while self.used_bytes > self._max_bytes:
            _, (freed, _) = self._items.popitem(last=False)
            self.used_bytes -= freed


class Shelf:
    """Reads versions through bounded caches."""

    def __init__(self, reader: Reader, *, record_bytes: int, text_bytes: int) -> None:
        self._reader = reader
        self._arena = Arena(record_bytes)
        self._opened: ByteBounded[RankRecord] = ByteBounded(record_bytes // 8)
        self._texts: ByteBounded[tuple[Chunk, ...]] = ByteBounded(text_bytes)
        self._uses: ByteBounded[UsedNames] = ByteBounded(text_bytes // 4)

    def absent(self, versions: Sequence[int]) -> list[int]:
        """Return the places in the list of those versions whose record is not in memory."""
        return [at for at, version in enumerate(versions) if version not in self._arena]

    def has_room(self) -> bool:
        """Say whether more records fit without others having to go."""
        return not self._arena.is_full(FULL)

    def untold(self, versions: Iterable[int]) -> list[int]:
        """Return those of the versions whose texts are not in memory."""
        return [version for version in versions if version not in self._texts]

    def has_room_for_texts(self) -> bool:
        """Say whether more texts fit without others having to go."""
        return not (self._texts.is_full(FULL) or self._uses.is_full(FULL))

    def load_texts(self, versions: Iterable[int]) -> None:
        """Read the texts of versions, and the names they use."""
        for version in versions:
            self.chunks(version)
            self.uses(version)

    def load(self, versions: Sequence[int]) -> NDArray[np.int64]:
        """Read the records that are not in memory; returns each one's slot, -1 if it has none."""
        slots = self._arena.use(versions)
        missing = [versions[at] for at in np.flatnonzero(slots < 0).tolist()]
        if not missing:
            return slots
        self._arena = arena = self._arena.shrunk()
        for version, data in self._reader.records(missing).items():
            try:
                arena.add(version, data, read_record(data))
            except StateCorrupt as error:
                log.warning("record_unreadable", version=version, error=str(error))
        return arena.use(versions)

    def lay(self, versions: Sequence[int]) -> tuple[list[int], Records]:
        """Return the places of those versions whose record there is, and their records."""
        slots = self.load(versions)
        places = np.flatnonzero(slots >= 0).tolist()
        found = versions if len(places) == len(versions) else [versions[at] for at in places]
        return places, self._arena.lay(slots[places], found, self._open)

    def records(self, versions: Sequence[int]) -> dict[int, RankRecord]:
        """Return the whole records of these versions; what is gone or damaged is left out."""
        out = self._opened.get_many(versions)
        missing = [version for version in versions if version not in out]
        if missing:
            self.load(missing)
            out |= {version: self._open(version) for version in missing if version in self._arena}
        return out

    def record(self, version: int) -> RankRecord | None:
        """Return the whole record of a version; None when it is gone or damaged."""
        found = self._opened.get(version)
        if found is None:
            self.load([version])
            found = self._open(version) if version in self._arena else None
        return found

    def _open(self, version: int) -> RankRecord:
        found = self._opened.get(version)
        if found is None:
            found = read_record(self._arena.packed(version))
            self._opened.put(version, found, found.nbytes)
        return found

    def chunks(self, version: int) -> tuple[Chunk, ...]:
        """Return the version's chunks with their texts; empty when it is gone."""
        found = self._texts.get(version)
        if found is None:
            found = self._reader.chunks_of(version)
            size = sum(len(chunk.text) + PER_CHUNK_BYTES for chunk in found)
            self._texts.put(version, found, size)
        return found

    def uses(self, version: int) -> UsedNames:
        """Return the names that the version uses, without imports and words of the languages."""
        found = self._uses.get(version)
        if found is None:
            uses = zip(*self._reader.used_names(version, NO_USERS), strict=True)
            told = [(line, name) for line, name in uses if name not in NOISE]
            lines, names = zip(*told, strict=True) if told else ((), ())
            found = UsedNames(array("I", lines), names)
            self._uses.put(version, found, PER_CHUNK_BYTES + PER_USE_BYTES * len(names))
        return found
