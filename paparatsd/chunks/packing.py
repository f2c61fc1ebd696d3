"""Builds the ranking record of one file version: see `record` for what is in it."""

from __future__ import annotations

import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.chunks.embedtext import record_texts
from paparatsd.chunks.fields import file_fields
from paparatsd.chunks.fragments import numbered
from paparatsd.chunks.names import NOISE
from paparatsd.chunks.record import (
    HEADER,
    MAGIC,
    META,
    POSTING,
    RECORD_VERSION,
    SECTIONS,
    TERM,
    aligned,
    last_part,
)
from paparatsd.chunks.terms import parts_of, term_id

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import ParsedFile, SparseVector, Symbol

    Encode = Callable[[Sequence[str]], NDArray[np.float32]]

MAX_DEFINITIONS = 4_000
MAX_USED_NAMES = 4_000
SHORTEST_USED_NAME = 4
"""Shorter names (`get`, `id`, `x`) are used everywhere and say nothing about who uses whom."""
NOT_DEFINITIONS = frozenset({"section", "key", "cell"})
"""Kinds whose names are prose or data: they count as words, not as defined names."""
CALLABLES = frozenset({"function", "method", "macro", "test", "route"})


def build_record(
    path: str,
    parsed: ParsedFile,
    sparse: Sequence[SparseVector],
    encode: Encode | None,
) -> bytes:
    """Pack one file version. `sparse` are its chunks' vectors, `encode` embeds texts if given."""
    sections: dict[str, Any] = {}
    _put_terms(sections, path, parsed, sparse)
    _put_chunks(sections, parsed, file_fields(path, parsed).body_length)
    _put_definitions(sections, parsed)
    sections["used_names"] = _used_names(parsed)
    if encode is not None:
        _put_vectors(sections, record_texts(path, parsed), encode)
    return _pack(sections)


def _pack(sections: dict[str, Any]) -> bytes:
    blobs = [
        value if isinstance(value, bytes) else np.ascontiguousarray(value, dtype).tobytes()
        for name, dtype in SECTIONS
        for value in [sections.get(name, b"")]
    ]
    out = bytearray(HEADER.pack(MAGIC, RECORD_VERSION, len(blobs)))
    out += struct.pack(f"<{len(blobs)}I", *map(len, blobs))
    for blob in blobs:
        out += bytes(aligned(len(out)) - len(out)) + blob
    return bytes(out)


def _put_terms(
    sections: dict[str, Any], path: str, parsed: ParsedFile, sparse: Sequence[SparseVector]
) -> None:
    """Turn vectors per chunk into postings per term."""
    lengths = [len(vector.ids) for vector in sparse]
    ids = np.concatenate([np.zeros(0, np.uint32), *[vector.ids for vector in sparse]])
    values = np.concatenate([np.zeros(0, np.float32), *[vector.values for vector in sparse]])
    order = np.argsort(ids, kind="stable")
    ordered = ids[order]
    firsts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    terms, counts = ordered[firsts], np.diff(firsts, append=len(ids))
    fields = file_fields(path, parsed)
    at = np.searchsorted(fields.whole.ids, terms)
    table = np.zeros(len(terms), TERM)
    table["first"] = np.cumsum(counts) - counts
    table["chunks"] = counts
    table["value"] = fields.whole.values[at]
    table["count"] = fields.body_counts[at]
    table["places"] = fields.places[at]
    postings = np.zeros(len(ids), POSTING)
    postings["chunk"] = np.repeat(np.arange(len(sparse)), lengths)[order]
    postings["value"] = values[order]
    sections["terms"], sections["term_table"], sections["postings"] = terms, table, postings


def _put_chunks(sections: dict[str, Any], parsed: ParsedFile, body_length: int) -> None:
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
    sections["meta"] = META.pack(len(parsed.chunks), size, body_length, fraction, digest.digest())


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


def _used_names(parsed: ParsedFile) -> NDArray[np.uint32]:
    """Return the hashes of the names that a file uses, imports included, mere values left out.

    Words of the languages (`z.string()`) say nothing of who uses whom, unless they are imported.
    """
    distinct = dict.fromkeys(
        use.name
        for use in parsed.uses
        if use.kind != "value" and (use.kind == "import" or use.name not in NOISE)
    )
    names = dict.fromkeys(map(last_part, distinct))
    kept = [name for name in names if len(name) >= SHORTEST_USED_NAME][:MAX_USED_NAMES]
    return np.unique(np.array([term_id(name) for name in kept], np.uint32))


def _put_vectors(sections: dict[str, Any], texts: Sequence[str], encode: Encode) -> None:
    """Embed the texts; an empty one has the zero vector, not that of the empty text."""
    present = [at for at, text in enumerate(texts) if text]
    found = encode([texts[at] for at in present])
    rows = np.zeros((len(texts), found.shape[1]), np.float32)
    rows[present] = found
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-9) / 127.0
    sections["file_vectors"] = np.rint(rows / scales[:, None]).astype(np.int8)
    sections["vector_scales"] = scales
