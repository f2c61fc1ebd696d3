"""The ranking record of one file version: all that ranking needs to know, packed into bytes.

A record is a table of sections, each a plain array, so that reading is a handful of views on the
bytes. Terms are stored the way ranking asks for them: for each term of the file, the chunks that
have it and its value there.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

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
_LATER = (
    "def_names", "kind_names", "qualified_names", "_vectors", "_scales", "_lines", "_numbers",
    "def_kinds", "_parents", "_leads",
)  # fmt: skip
"""Sections that are opened only for what is shown."""
_ALIGNMENT = 8


@dataclass(frozen=True, slots=True)
class Definition:
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
    """A record as arrays.

    terms: ids of the file's terms, ascending (uint32 [n]); term_table [n] and postings say where
    each stands. used_names: hashes of the names that the file uses, ascending. chunk_lines [c, 2].
    def_*: one entry per definition; def_terms holds def_lengths[i] term ids of each one's name.
    sizes: number of chunks, terms, postings, definitions. def_table [5, definitions]: hash, folded
    hash, chunk, number of name terms, weight in hundredths.
    """

    terms: NDArray[np.uint32]
    term_table: NDArray[np.void]
    postings: NDArray[np.void]
    chunk_kinds: NDArray[np.uint8]
    def_hashes: NDArray[np.uint32]
    def_folded: NDArray[np.uint32]
    def_chunks: NDArray[np.uint32]
    def_weights: NDArray[np.float16]
    def_containers: NDArray[np.uint8]
    def_lengths: NDArray[np.uint8]
    def_terms: NDArray[np.uint32]
    used_names: NDArray[np.uint32]

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._bounds = _section_bounds(data)
        for index, (name, dtype) in enumerate(SECTIONS):
            if not name.endswith(_LATER) and name != "meta":
                setattr(self, name, self._array(index, dtype))
        meta = bytes(self._section("meta"))
        (
            self.chunks, self.size, self.body_length, self.comment_fraction, self.digest,
        ) = META.unpack(meta)  # fmt: skip
        self.chunk_lines = self._section("chunk_lines").reshape(-1, 2)
        self.def_lines = self._section("def_lines").reshape(-1, 2)
        # Ranking lays these of many files end to end: one small table costs a fraction of six.
        counts = (self.chunks, len(self.terms), len(self.postings), len(self.def_hashes))
        self.sizes = np.array(counts, np.int64)
        self.def_table = np.stack(
            [
                self.def_hashes,
                self.def_folded,
                self.def_chunks,
                self.def_lengths,
                np.asarray(self.def_weights * WEIGHT_UNITS, np.uint32),
            ]
        ).astype(np.uint32)

    @property
    def nbytes(self) -> int:
        """Memory this record holds on to."""
        return len(self._data) + self.def_table.nbytes + 4_000

    def _array(self, index: int, dtype: DTypeLike) -> NDArray[Any]:
        start, length = self._bounds[index]
        return np.frombuffer(self._data, dtype, length // np.dtype(dtype).itemsize, start)

    def _section(self, name: str) -> NDArray[Any]:
        index = next(i for i, section in enumerate(SECTIONS) if section[0] == name)
        return self._array(index, SECTIONS[index][1])

    def _names(self, section: str) -> list[str]:
        text = bytes(self._section(section)).decode("utf-8", "replace")
        return text.split("\0") if text else []

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each chunk."""
        names = self._names("kind_names")
        return tuple(names[code] for code in self.chunk_kinds.tolist())

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The defined names, in file order."""
        kinds = self._names("kind_names")
        lines = self.def_lines.tolist()
        rows = zip(
            self._names("def_names"),
            self._names("def_qualified_names"),
            self._section("def_numbers").tolist(),
            [kinds[code] for code in self._section("def_kinds").tolist()],
            self.def_chunks.tolist(),
            self._section("def_leads").tolist(),
            [start for start, _ in lines],
            [end for _, end in lines],
            self._section("def_parents").tolist(),
            self.def_weights.tolist(),
            map(bool, self.def_containers.tolist()),
            strict=True,
        )
        return tuple(Definition(*row) for row in rows)

    @cached_property
    def vectors(self) -> NDArray[np.float32] | None:
        """One row per text of VECTOR_TEXTS ([5, dimension]), if computed.

        A row has length 1, or 0 where the file has no such text.
        """
        scales = self._section("vector_scales")
        if len(scales) == 0:
            return None
        rows = self._section("file_vectors").reshape(len(scales), -1)
        return np.asarray(rows * scales[:, None], np.float32)


def read_record(data: bytes) -> RankRecord:
    """Open a record; raises StateCorrupt when it is none or of another version."""
    return RankRecord(data)


def term_counts(data: bytes) -> SparseVector:
    """Return, for each term of the file, the number of its chunks that contain it.

    Each name that the file defines or uses counts once under a number of its own, see
    `defined_ids` and `used_ids`.
    """
    record = read_record(data)
    names = np.concatenate([defined_ids(np.unique(record.def_hashes)), used_ids(record.used_names)])
    ids = np.concatenate([record.terms, names])
    counts = np.concatenate([record.term_table["chunks"], np.ones(len(names), np.uint32)])
    # Two numbers may fall together: one in some ten thousand, and then they are added.
    unique, inverse = np.unique(ids, return_inverse=True)
    totals = np.bincount(inverse, weights=counts, minlength=len(unique))
    return SparseVector(unique.astype(np.uint32), totals.astype(np.float32))


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
