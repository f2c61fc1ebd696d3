"""The ranking record of one file version: all that ranking needs to know, packed into bytes.

A record is a table of sections, each a plain array, so that reading is a handful of views on the
bytes. Terms are stored the way ranking asks for them: for each term of the file, the chunks that
have it and its value there.
"""

from __future__ import annotations

import struct
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paparatsd.chunks.fragments import symbol_fragment
from paparatsd.errors import StateCorrupt
from paparatsd.model import SparseVector

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

RECORD_VERSION = 3
"""Part of the pipeline fingerprint and of each record's header."""

WEIGHT_UNITS = 100
"""A definition's weight is a number of hundredths."""

HEADER = struct.Struct("<4sHH")
MAGIC = b"ppRR"
META = struct.Struct("<IIIf8s")
TERM = np.dtype(
    [
        ("first", "<u4"),
        ("chunks", "<u4"),
        ("value", "<f2"),
        ("count", "<u2"),
        ("places", "<u2"),
    ]
)
"""One term of a file: its postings (first one, and how many), its value in the file as one
document, how often it stands in the text, and in which fields of `fields.FIELDS`, as bits.
"""
POSTING = np.dtype([("chunk", "<u4"), ("value", "<f2")])
"""One chunk that has a term, and the term's value there."""
SECTIONS: tuple[tuple[str, DTypeLike], ...] = (
    ("meta", "u1"),
    ("terms", "<u4"),
    ("term_table", TERM),
    ("postings", POSTING),
    ("chunk_lines", "<u4"),
    ("chunk_kinds", "u1"),
    ("kind_names", "u1"),
    ("def_names", "u1"),
    ("def_qualified_names", "u1"),
    ("def_numbers", "<u4"),
    ("def_kinds", "u1"),
    ("def_parents", "<i4"),
    ("def_leads", "<u4"),
    ("def_hashes", "<u4"),
    ("def_folded", "<u4"),
    ("def_chunks", "<u4"),
    ("def_lines", "<u4"),
    ("def_weights", "<f2"),
    ("def_containers", "u1"),
    ("def_lengths", "u1"),
    ("def_terms", "<u4"),
    ("used_names", "<u4"),
    ("file_vectors", "i1"),
    ("vector_scales", "<f4"),
)
VECTOR_TEXTS = ("text", "path", "stem", "names", "docs")
"""What the rows of a record's vectors are made of: see `embedtext`."""
DEFINED_SALT, USED_SALT = 0x9E3779B9, 0x7F4A7C15
"""Names are counted beside words: these set their numbers apart from the numbers of words."""
_PLACES = {name: (index, np.dtype(dtype)) for index, (name, dtype) in enumerate(SECTIONS)}
"""Section -> its number, and what it is an array of."""
_OPENED_BYTES, _DEFINITION_BYTES = 6_000, 500
"""What the arrays over an opened record cost, and each definition that was looked at."""
_ALIGNMENT = 8


class Definition(NamedTuple):
    """One definition; `name` is the last part of `qualified`, case kept.

    `number` counts the definitions of one qualified name, from 1. `lead_line` is where the comments
    and decorators above begin. `parent` is the place of the enclosing one in the list, or -1.
    """

    name: str
    qualified: str
    number: int
    kind: str
    chunk: int
    lead_line: int
    start_line: int
    end_line: int
    parent: int
    weight: float
    container: bool

    @property
    def fragment(self) -> str:
        """The part of its address after `#`."""
        return symbol_fragment(self.qualified, self.number)


class RankRecord:
    """A record as arrays, each opened on first use.

    terms: ids of the file's terms, ascending (uint32 [n]); term_table [n] and postings say where
    each stands. used_names: hashes of the names that the file uses, ascending. def_*: one entry per
    definition; def_terms holds def_lengths[i] term ids of each one's name. file_vectors and
    vector_scales: see `vectors`, which is their product.
    """

    terms: NDArray[np.uint32]
    term_table: NDArray[np.void]
    postings: NDArray[np.void]
    chunk_kinds: NDArray[np.uint8]
    def_numbers: NDArray[np.uint32]
    def_kinds: NDArray[np.uint8]
    def_parents: NDArray[np.int32]
    def_leads: NDArray[np.uint32]
    def_hashes: NDArray[np.uint32]
    def_folded: NDArray[np.uint32]
    def_chunks: NDArray[np.uint32]
    def_weights: NDArray[np.float16]
    def_containers: NDArray[np.uint8]
    def_lengths: NDArray[np.uint8]
    def_terms: NDArray[np.uint32]
    used_names: NDArray[np.uint32]
    file_vectors: NDArray[np.int8]
    vector_scales: NDArray[np.float32]

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._bounds = _section_bounds(data)
        (
            self.chunks, self.size, self.body_length, self.comment_fraction, self.digest,
        ) = META.unpack_from(data, self._bounds[0][0])  # fmt: skip

    def __getattr__(self, name: str) -> NDArray[Any]:
        """Open a section."""
        if name not in _PLACES:
            raise AttributeError(name)
        array = self._section(name)
        setattr(self, name, array)
        return array

    def _section(self, name: str) -> NDArray[Any]:
        index, dtype = _PLACES[name]
        start, length = self._bounds[index]
        return np.frombuffer(self._data, dtype, length // dtype.itemsize, start)

    def _names(self, section: str) -> list[str]:
        start, length = self._bounds[_PLACES[section][0]]
        text = self._data[start : start + length].decode("utf-8", "replace")
        return text.split("\0") if text else []

    @property
    def nbytes(self) -> int:
        """Memory this record holds on to, once all of it has been opened."""
        return len(self._data) + _OPENED_BYTES + _DEFINITION_BYTES * len(self.def_hashes)

    @cached_property
    def chunk_lines(self) -> NDArray[np.uint32]:
        """First and last line of each chunk ([c, 2])."""
        return self._section("chunk_lines").reshape(-1, 2)

    @cached_property
    def def_lines(self) -> NDArray[np.uint32]:
        """First and last line of each definition ([d, 2])."""
        return self._section("def_lines").reshape(-1, 2)

    @property
    def def_table(self) -> NDArray[np.uint32]:
        """One row per definition: hash, folded hash, chunk, name terms, weight in hundredths."""
        table = np.empty((5, len(self.def_hashes)), np.uint32)
        table[0], table[1] = self.def_hashes, self.def_folded
        table[2], table[3] = self.def_chunks, self.def_lengths
        table[4] = np.asarray(self.def_weights * WEIGHT_UNITS, np.uint32)
        return table.T

    @cached_property
    def kind_names(self) -> list[str]:
        """The kinds of chunks and definitions that there are in the file."""
        return self._names("kind_names")

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each chunk."""
        names = self.kind_names
        return tuple(names[code] for code in self.chunk_kinds.tolist())

    @cached_property
    def def_names(self) -> list[str]:
        """The last part of each definition's name."""
        return self._names("def_names")

    @cached_property
    def _qualified_names(self) -> list[str]:
        return self._names("def_qualified_names")

    @cached_property
    def _of_chunks(self) -> dict[int, tuple[Definition, ...]]:
        return {}

    def _read_definitions(self, first: int, end: int) -> tuple[Definition, ...]:
        """Return some definitions that lie side by side."""
        kinds, lines = self.kind_names, self.def_lines[first:end]
        rows = zip(
            self.def_names[first:end],
            self._qualified_names[first:end],
            self.def_numbers[first:end].tolist(),
            [kinds[code] for code in self.def_kinds[first:end].tolist()],
            self.def_chunks[first:end].tolist(),
            self.def_leads[first:end].tolist(),
            lines[:, 0].tolist(),
            lines[:, 1].tolist(),
            self.def_parents[first:end].tolist(),
            self.def_weights[first:end].tolist(),
            map(bool, self.def_containers[first:end].tolist()),
            strict=True,
        )
        return tuple(map(Definition._make, rows))

    def _read_in(self, chunk: int) -> tuple[Definition, ...]:
        places = np.flatnonzero(self.def_chunks == chunk)
        if len(places) == 0:
            return ()
        between = self._read_definitions(int(places[0]), int(places[-1]) + 1)
        return tuple(one for one in between if one.chunk == chunk)

    def definition(self, at: int) -> Definition:
        """Return one of the definitions."""
        return self._read_definitions(at, at + 1)[0]

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The defined names, in file order."""
        return self._read_definitions(0, len(self.def_hashes))

    def definitions_in(self, chunk: int) -> tuple[Definition, ...]:
        """Return the definitions that begin in a chunk, in file order."""
        found = self._of_chunks.get(chunk)
        if found is None:
            found = self._of_chunks[chunk] = self._read_in(chunk)
        return found

    @property
    def vectors(self) -> NDArray[np.float32] | None:
        """One row per text of VECTOR_TEXTS ([5, dimension]), if computed.

        A row has length 1, or 0 where the file has no such text.
        """
        scales = self.vector_scales
        if len(scales) == 0:
            return None
        rows = self.file_vectors.reshape(len(scales), -1)
        return np.asarray(rows * scales[:, None], np.float32)


def read_record(data: bytes) -> RankRecord:
    """Open a record; raises StateCorrupt when it is none or of another version."""
    return RankRecord(data)


def term_counts(data: bytes) -> SparseVector:
    """Return, for each term of the file, the number of its chunks that contain it.

    Each name that the file defines or uses counts once under a number of its own, see
    `defined_ids` and `used_ids`.
    """
    ids, counts = term_parts(data)
    # Two numbers may fall together: one in some ten thousand, and then they are added.
    unique, inverse = np.unique(ids, return_inverse=True)
    totals = np.bincount(inverse, weights=counts, minlength=len(unique))
    return SparseVector(unique.astype(np.uint32), totals.astype(np.float32))


def term_parts(data: bytes) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return ids and counts that are yet to be added up where an id is there twice."""
    record = read_record(data)
    defined = defined_ids(np.unique(record.def_hashes))
    used = used_ids(record.used_names)
    ones = np.ones(len(defined) + len(used), np.uint32)
    ids = np.concatenate([record.terms, defined, used])
    return ids, np.concatenate([record.term_table["chunks"], ones])


def defined_ids(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the numbers under which files that define these names are counted."""
    return hashes ^ np.uint32(DEFINED_SALT)


def used_ids(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the numbers under which files that use these names are counted."""
    return hashes ^ np.uint32(USED_SALT)


def _section_bounds(data: bytes) -> list[tuple[int, int]]:
    """Return (start, length) of each section."""
    header = HEADER.size + 4 * len(SECTIONS)
    if len(data) < header or data[:4] != MAGIC:
        raise StateCorrupt("a ranking record is damaged; the file has to be indexed again")
    _, version, count = HEADER.unpack_from(data)
    if version != RECORD_VERSION or count != len(SECTIONS):
        raise StateCorrupt(f"a ranking record has version {version}, expected {RECORD_VERSION}")
    start, bounds = aligned(header), []
    for length in struct.unpack_from(f"<{count}I", data, HEADER.size):
        bounds.append((start, length))
        start = aligned(start + length)
    if bounds and bounds[-1][0] + bounds[-1][1] > len(data):
        raise StateCorrupt("a ranking record is cut off; the file has to be indexed again")
    return bounds


def aligned(offset: int) -> int:
    """Return the next place where a section may begin."""
    return -(-offset // _ALIGNMENT) * _ALIGNMENT


def last_part(name: str) -> str:
    """Return what follows the last separator of a qualified name (`a.b`, `a::b`, `a->b`, `a#b`)."""
    for separator in ("::", "->", "#", "\\", "."):
        name = name.rpartition(separator)[2] or name
    return name
