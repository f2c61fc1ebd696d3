"""The ranking records of many versions laid end to end, so that a question gathers what it needs.

A question looks at some hundred files. Putting their tables together anew each time costs more than
looking anything up in them; here they lie in a few long arrays, and a file is a range of each.
Bounded by bytes: when there is too much, what was not used for longest goes, half of it at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.chunks.record import POSTING, TERM, VECTOR_TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import DTypeLike, NDArray

    from paparatsd.chunks.record import RankRecord

KEYS, POSTINGS, DEFINITIONS, DEFINED_TERMS, USED, VECTORS, SCALES = range(7)
"""The columns whose ranges differ; what a term's row says lies parallel to its key."""
SIZE, BODY_LENGTH, COMMENT_FRACTION, CHUNKS = range(4)
"""The numbers kept of each file."""
KEPT = 0.5
"""Share of the bound that stays when there is too much."""
SLOT_BYTES = 400
"""What a version costs beside its arrays: its number, its ranges, entries of a map and lists."""
_AT_ONCE = 32
_GROWTH = 1.5
_FEWEST = 1024


class Column:
    """An array that grows at its end; `width` numbers a row, 0 for plain numbers."""

    def __init__(self, dtype: DTypeLike, width: int = 0) -> None:
        self._rows = np.empty((_FEWEST, width) if width else _FEWEST, dtype)
        self.length = 0

    def append(self, rows: NDArray[Any]) -> None:
        """Add rows at the end."""
        end = self.length + len(rows)
        if end > len(self._rows):
            grown = np.empty((int(end * _GROWTH), *self._rows.shape[1:]), self._rows.dtype)
            grown[: self.length] = self._rows[: self.length]
            self._rows = grown
        self._rows[self.length : end] = rows
        self.length = end

    @property
    def data(self) -> NDArray[Any]:
        """All rows."""
        return self._rows[: self.length]

    def runs(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[Any]:
        """Return some ranges of rows, end to end."""
        rows = self._rows
        spans = zip(starts.tolist(), (starts + lengths).tolist(), strict=True)
        return np.concatenate([rows[:0], *[rows[first:end] for first, end in spans]])


class Arena:
    """Records by version. A version's slot is its place in all the lists; a key names a term of it.

    keys: slot << 32 | term id, ascending because slots are given out in order and a record's terms
    are sorted: one binary search finds a term in a file.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._slots: dict[int, int] = {}
        self._packed: list[bytes] = []
        self.digests: list[bytes] = []
        self.columns = (
            Column(np.uint64),
            Column(np.uint16, POSTING.itemsize // 2),
            Column(np.uint32, 5),
            Column(np.uint32),
            Column(np.uint32),
            Column(np.int8),
            Column(np.float32),
        )
        self.term_rows = Column(np.uint16, TERM.itemsize // 2)
        self.starts, self.lengths = Column(np.int64, 7), Column(np.int64, 7)
        self.numbers = Column(np.float64, 4)
        self._sizes, self._used_at = Column(np.int64), Column(np.int64)
        self._clock = 0
        self.used_bytes = 0

    def __contains__(self, version: int) -> bool:
        """Say whether a version's record is here; this is no use of it."""
        return version in self._slots

    def is_full(self, share: float) -> bool:
        """Say whether more than this share of the bound is used."""
        return self.used_bytes > share * self._max_bytes

    def packed(self, version: int) -> bytes:
        """Return the record of a version that is here, as it is stored."""
        return self._packed[self._slots[version]]

    def add(self, version: int, packed: bytes, record: RankRecord) -> None:
        """Keep a record that is not here yet."""
        slot = len(self._slots)
        self._slots[version] = slot
        scales = record.vector_scales
        parts: tuple[NDArray[Any], ...] = (
            record.terms.astype(np.uint64) | np.uint64(slot << 32),
            record.postings.view(np.uint16).reshape(-1, POSTING.itemsize // 2),
            record.def_table,
            record.def_terms,
            record.used_names,
            record.file_vectors,
            scales,
        )
        arrays = sum(part.nbytes for part in parts) + record.term_table.nbytes
        size = len(packed) + SLOT_BYTES + arrays
        self.starts.append(np.array([[column.length for column in self.columns]], np.int64))
        self.lengths.append(np.array([[len(part) for part in parts]], np.int64))
        for column, part in zip(self.columns, parts, strict=True):
            column.append(part)
        self.term_rows.append(record.term_table.view(np.uint16).reshape(-1, TERM.itemsize // 2))
        numbers = (record.size, record.body_length, record.comment_fraction, record.chunks)
        self.numbers.append(np.array([numbers], np.float64))
        self._sizes.append(np.array([size], np.int64))
        self._used_at.append(np.array([self._clock], np.int64))
        self._packed.append(packed)
        self.digests.append(record.digest)
        self.used_bytes += size

    def use(self, versions: Iterable[int]) -> NDArray[np.int64]:
        """Count what is here of these versions, and what is added next, as used just now.

        Returns the slot of each, -1 for those that are not here.
        """
        self._clock += 1
        slots = np.fromiter(map(self._slots.get, versions, repeat(-1)), np.int64)
        self._used_at.data[slots[slots >= 0]] = self._clock
        return slots

    def lay(
        self,
        slots: NDArray[np.int64],
        versions: Sequence[int],
        opener: Callable[[int], RankRecord],
    ) -> Records:
        """Return the records in these slots, which are those of these versions."""
        numbers = self.numbers.data[slots]
        chunks = np.zeros(len(slots) + 1, np.int64)
        chunks[1:] = np.cumsum(numbers[:, CHUNKS])
        return Records(
            arena=self,
            slots=slots,
            starts=self.starts.data[slots],
            lengths=self.lengths.data[slots],
            numbers=numbers,
            chunks=chunks,
            versions=versions,
            opener=opener,
        )

    def shrunk(self) -> Arena:
        """Return an arena of what was used last; this one when there is room for more.

        What is in use now stays, however much it is.
        """
        if self.used_bytes <= self._max_bytes:
            return self
        sizes, used_at = self._sizes.data, self._used_at.data
        latest = np.argsort(-used_at, kind="stable")
        fits = np.cumsum(sizes[latest]) <= KEPT * self._max_bytes
        kept = np.sort(latest[fits | (used_at[latest] == self._clock)])
        smaller = Arena(self._max_bytes)
        smaller._take(self, kept)
        return smaller

    def _take(self, old: Arena, kept: NDArray[np.int64]) -> None:
        """Fill this empty arena with some slots of another one."""
        versions = list(old._slots)
        slots = kept.tolist()
        self._slots = {versions[slot]: at for at, slot in enumerate(slots)}
        self._packed = [old._packed[slot] for slot in slots]
        self.digests = [old.digests[slot] for slot in slots]
        starts, lengths = old.starts.data[kept], old.lengths.data[kept]
        for number, (column, before) in enumerate(zip(self.columns, old.columns, strict=True)):
            rows = before.runs(starts[:, number], lengths[:, number])
            if number == KEYS:
                owners = np.repeat(np.arange(len(kept), dtype=np.uint64), lengths[:, KEYS])
                rows = (rows & np.uint64(0xFFFFFFFF)) | owners << np.uint64(32)
            column.append(rows)
        self.term_rows.append(old.term_rows.runs(starts[:, KEYS], lengths[:, KEYS]))
        self.lengths.append(lengths)
        self.starts.append(np.cumsum(lengths, axis=0) - lengths)
        self.numbers.append(old.numbers.data[kept])
        self._sizes.append(old._sizes.data[kept])
        self._used_at.append(old._used_at.data[kept])
        self._clock = old._clock
        self.used_bytes = int(self._sizes.data.sum())


@dataclass(frozen=True, slots=True)
class Records:
    """The records of F files: places in an arena.

    starts, lengths [F, 7]: each file's range of rows in each column. numbers [F, 4]: what
    is kept of each file. chunks [F + 1]: first chunk of each file when all are counted through.
    `opener` opens a whole record.
    """

    arena: Arena
    slots: NDArray[np.int64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    numbers: NDArray[np.float64]
    chunks: NDArray[np.int64]
    versions: Sequence[int]
    opener: Callable[[int], RankRecord]

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self.slots)

    def open(self, file: int) -> RankRecord:
        """Return the whole record of a file."""
        return self.opener(self.versions[file])

    def digest(self, file: int) -> bytes:
        """Return what stands for a file's content."""
        return self.arena.digests[int(self.slots[file])]

    def column(self, number: int, files: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """Return one column's rows of all files, or of some, end to end."""
        starts, lengths = self.starts[:, number], self.lengths[:, number]
        if files is not None:
            starts, lengths = starts[files], lengths[files]
        return self.arena.columns[number].runs(starts, lengths)

    def cosines(self, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the cosine of a vector with each of a file's ([F, texts]), 0 where it has none.

        A few files at a time: what that takes stays in the processor's cache.
        """
        out = np.zeros((len(self), len(VECTOR_TEXTS)), np.float64)
        texts, size = len(VECTOR_TEXTS), len(VECTOR_TEXTS) * len(vector)
        known = np.flatnonzero(
            (self.lengths[:, SCALES] == texts) & (self.lengths[:, VECTORS] == size)
        )
        columns = self.arena.columns
        if columns[VECTORS].length == columns[SCALES].length * len(vector):
            whole = columns[VECTORS].data.reshape(-1, len(vector))
            scales = columns[SCALES].data
            rows = self.starts[known, SCALES][:, None] + np.arange(texts)
        else:  # of several models: put those of this one together
            whole = self.column(VECTORS, known).reshape(-1, len(vector))
            scales = self.column(SCALES, known)
            rows = np.arange(len(scales)).reshape(-1, texts)
        for first in range(0, len(known), _AT_ONCE):
            at = rows[first : first + _AT_ONCE].reshape(-1)
            some = whole.take(at, axis=0).astype(np.float32)
            some *= scales.take(at)[:, None]
            out[known[first : first + _AT_ONCE]] = (some @ vector).reshape(-1, texts)
        return out

    def chunk_count(self, file: int) -> int:
        """Return the number of a file's chunks."""
        return int(self.chunks[file + 1] - self.chunks[file])
