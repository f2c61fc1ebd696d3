"""The ranking record of one file version: all that ranking needs to know, packed into bytes.

A record is a table of sections, each a plain array, so that reading is a handful of views on the
bytes. Terms are stored the way ranking asks for them: for each term of the file, the chunks that
have it and its value there.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.chunks.embedtext import file_text, path_text
from paparatsd.chunks.fields import file_fields
from paparatsd.chunks.fragments import numbered, symbol_fragment
from paparatsd.chunks.terms import parts_of, term_id
from paparatsd.errors import StateCorrupt
from paparatsd.model import SparseVector

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import ParsedFile, Symbol

    Encode = Callable[[Sequence[str]], NDArray[np.float32]]

RECORD_VERSION = 2
"""Part of the pipeline fingerprint and of each record's header."""
MAX_DEFINITIONS = 4_000
NOT_DEFINITIONS = frozenset({"section", "key", "cell"})
"""Kinds whose names are prose or data: they count as words, not as defined names."""
CALLABLES = frozenset({"function", "method", "macro", "test", "route"})

WEIGHT_UNITS = 100
"""A definition's weight is a number of hundredths."""

_HEADER = struct.Struct("<4sHH")
_MAGIC = b"ppRR"
_META = struct.Struct("<IIf8s")
_SECTIONS = (
    ("meta", "u1"),
    ("terms", "<u4"),
    ("offsets", "<u4"),
    ("posting_chunks", "<u4"),
    ("posting_values", "<f2"),
    ("whole_values", "<f2"),
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
    ("file_vector", "i1"),
    ("path_vector", "i1"),
    ("vector_scales", "<f4"),
)
_LATER = (
    "_names", "_vector", "_scales", "_lines", "_numbers", "def_kinds", "_parents", "_leads",
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

    terms: ids of the file's terms, ascending (uint32 [n]). offsets: [n + 1] into posting_chunks
    and posting_values (float16), which say in which chunks a term stands and with which value.
    whole_values [n]: the terms' values in the file taken as one document. chunk_lines [c, 2].
    def_*: one entry per definition; def_terms holds def_lengths[i] term ids of each one's name.
    sizes: number of chunks, terms, postings, definitions. def_table [5, definitions]: hash, folded
    hash, chunk, number of name terms, weight in hundredths.
    """

    terms: NDArray[np.uint32]
    offsets: NDArray[np.uint32]
    posting_chunks: NDArray[np.uint32]
    posting_values: NDArray[np.float16]
    whole_values: NDArray[np.float16]
    chunk_kinds: NDArray[np.uint8]
    def_hashes: NDArray[np.uint32]
    def_folded: NDArray[np.uint32]
    def_chunks: NDArray[np.uint32]
    def_weights: NDArray[np.float16]
    def_containers: NDArray[np.uint8]
    def_lengths: NDArray[np.uint8]
    def_terms: NDArray[np.uint32]

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._bounds = _section_bounds(data)
        for index, (name, dtype) in enumerate(_SECTIONS):
            if not name.endswith(_LATER) and name != "meta":
                setattr(self, name, self._array(index, dtype))
        meta = bytes(self._section("meta"))
        self.chunks, self.size, self.comment_fraction, self.digest = _META.unpack(meta)
        self.chunk_lines = self._section("chunk_lines").reshape(-1, 2)
        self.def_lines = self._section("def_lines").reshape(-1, 2)
        # Ranking lays these of many files end to end: one small table costs a fraction of six.
        counts = (self.chunks, len(self.terms), len(self.posting_chunks), len(self.def_hashes))
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

    def _array(self, index: int, dtype: str) -> NDArray[Any]:
        start, length = self._bounds[index]
        return np.frombuffer(self._data, dtype, length // np.dtype(dtype).itemsize, start)

    def _section(self, name: str) -> NDArray[Any]:
        index = next(i for i, section in enumerate(_SECTIONS) if section[0] == name)
        return self._array(index, _SECTIONS[index][1])

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
        """The unit vectors of the file's text and of its path ([2, dimension]), if computed."""
        scales = self._section("vector_scales")
        if len(scales) == 0:
            return None
        rows = np.stack([self._section("file_vector"), self._section("path_vector")])
        return np.asarray(rows * scales[:, None], np.float32)


def read_record(data: bytes) -> RankRecord:
    """Open a record; raises StateCorrupt when it is none or of another version."""
    return RankRecord(data)


def term_counts(data: bytes) -> SparseVector:
    """Return, for each term of the file, the number of its chunks that contain it."""
    record = read_record(data)
    return SparseVector(record.terms, np.diff(record.offsets).astype(np.float32))


def _section_bounds(data: bytes) -> list[tuple[int, int]]:
    """Return (start, length) of each section."""
    header = _HEADER.size + 4 * len(_SECTIONS)
    if len(data) < header or data[:4] != _MAGIC:
        raise StateCorrupt("a ranking record is damaged; the file has to be indexed again")
    _, version, count = _HEADER.unpack_from(data)
    if version != RECORD_VERSION or count != len(_SECTIONS):
        raise StateCorrupt(f"a ranking record has version {version}, expected {RECORD_VERSION}")
    start, bounds = _aligned(header), []
    for length in struct.unpack_from(f"<{count}I", data, _HEADER.size):
        bounds.append((start, length))
        start = _aligned(start + length)
    if bounds and bounds[-1][0] + bounds[-1][1] > len(data):
        raise StateCorrupt("a ranking record is cut off; the file has to be indexed again")
    return bounds


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT


def build_record(
    path: str,
    parsed: ParsedFile,
    sparse: Sequence[SparseVector],
    encode: Encode | None,
) -> bytes:
    """Pack one file version. `sparse` are its chunks' vectors, `encode` embeds texts if given."""
    sections: dict[str, Any] = {}
    _put_terms(sections, path, parsed, sparse)
    _put_chunks(sections, parsed)
    _put_definitions(sections, parsed)
    if encode is not None:
        _put_vectors(sections, encode([file_text(path, parsed), path_text(path)]))
    return _pack(sections)


def _pack(sections: dict[str, Any]) -> bytes:
    blobs = [
        value if isinstance(value, bytes) else np.ascontiguousarray(value, dtype).tobytes()
        for name, dtype in _SECTIONS
        for value in [sections.get(name, b"")]
    ]
    out = bytearray(_HEADER.pack(_MAGIC, RECORD_VERSION, len(blobs)))
    out += struct.pack(f"<{len(blobs)}I", *map(len, blobs))
    for blob in blobs:
        out += bytes(_aligned(len(out)) - len(out)) + blob
    return bytes(out)


def _put_terms(
    sections: dict[str, Any], path: str, parsed: ParsedFile, sparse: Sequence[SparseVector]
) -> None:
    """Turn vectors per chunk into postings per term."""
    lengths = [len(vector.ids) for vector in sparse]
    ids = np.concatenate([np.zeros(0, np.uint32), *[vector.ids for vector in sparse]])
    values = np.concatenate([np.zeros(0, np.float32), *[vector.values for vector in sparse]])
    order = np.argsort(ids, kind="stable")
    terms, counts = np.unique(ids, return_counts=True)
    whole = file_fields(path, parsed).whole
    at = np.searchsorted(whole.ids, terms)
    sections["terms"] = terms
    sections["offsets"] = np.concatenate([[0], np.cumsum(counts)])
    sections["posting_chunks"] = np.repeat(np.arange(len(sparse)), lengths)[order]
    sections["posting_values"] = values[order]
    sections["whole_values"] = whole.values[at]


def _put_chunks(sections: dict[str, Any], parsed: ParsedFile) -> None:
    names = _kind_names(parsed)
    digest = blake2b(digest_size=8)
    size = 0
    for chunk in parsed.chunks:
        digest.update(
            f"{chunk.start_line}:{chunk.end_line}\n{chunk.text}\0".encode("utf-8", "replace")
        )
        size += len(chunk.text)
    comments = sum(len(text) for _, _, text in parsed.comments)
    sections["chunk_lines"] = [(chunk.start_line, chunk.end_line) for chunk in parsed.chunks]
    sections["chunk_kinds"] = [names.index(chunk.kind) for chunk in parsed.chunks]
    sections["kind_names"] = _joined(names)
    fraction = min(1.0, comments / max(1, size))
    sections["meta"] = _META.pack(len(parsed.chunks), size, fraction, digest.digest())


def _kind_names(parsed: ParsedFile) -> list[str]:
    return sorted({*(one.kind for one in parsed.chunks), *(one.kind for one in parsed.symbols)})


def _joined(names: Sequence[str]) -> bytes:
    return "\0".join(name.replace("\0", "") or "?" for name in names).encode("utf-8", "replace")


def _put_definitions(sections: dict[str, Any], parsed: ParsedFile) -> None:
    kept = [
        at for at, one in enumerate(parsed.symbols) if one.name and one.kind not in NOT_DEFINITIONS
    ][:MAX_DEFINITIONS]
    place = {at: number for number, at in enumerate(kept)}
    symbols = [parsed.symbols[at] for at in kept]
    names = [last_part(symbol.name) for symbol in symbols]
    kinds = _kind_names(parsed)
    numbers = numbered([one.qualified for one in parsed.symbols])
    parts = [sorted({term_id(part) for part in parts_of(name)})[:255] for name in names]
    sections["def_names"] = _joined(names)
    sections["def_qualified_names"] = _joined([symbol.qualified for symbol in symbols])
    sections["def_numbers"] = [numbers[at] for at in kept]
    sections["def_kinds"] = [kinds.index(symbol.kind) for symbol in symbols]
    sections["def_parents"] = [place.get(symbol.parent, -1) for symbol in symbols]
    sections["def_leads"] = [symbol.lead_line or symbol.start_line for symbol in symbols]
    sections["def_hashes"] = [term_id(name) for name in names]
    sections["def_folded"] = [term_id(name.lower()) for name in names]
    sections["def_chunks"] = [max(0, symbol.chunk) for symbol in symbols]
    sections["def_lines"] = [(symbol.start_line, symbol.end_line) for symbol in symbols]
    sections["def_weights"] = [
        definition_weight(symbol, member=symbol.parent in place) for symbol in symbols
    ]
    sections["def_containers"] = [symbol.container for symbol in symbols]
    sections["def_lengths"] = [len(part) for part in parts]
    sections["def_terms"] = [number for part in parts for number in part]


def last_part(name: str) -> str:
    """Return what follows the last separator of a qualified name (`a.b`, `a::b`, `a->b`, `a#b`)."""
    for separator in ("::", "->", "#", "\\", "."):
        name = name.rpartition(separator)[2] or name
    return name


def definition_weight(symbol: Symbol, *, member: bool) -> float:
    """Return how much a definition is what somebody asks for: a class more than a field.

    `member` says that it stands inside another definition.
    """
    if symbol.container:
        return 1.0
    prototype = symbol.signature.rstrip().endswith(";")
    if symbol.kind in CALLABLES and not prototype:
        return 0.6 if member else 0.8
    return 0.25 if symbol.end_line - symbol.start_line < 2 else 0.5


def _put_vectors(sections: dict[str, Any], rows: NDArray[np.float32]) -> None:
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-9) / 127.0
    small = np.rint(rows / scales[:, None]).astype(np.int8)
    sections["file_vector"], sections["path_vector"] = small[0], small[1]
    sections["vector_scales"] = scales
