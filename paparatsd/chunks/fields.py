"""What each chunk says in which place, as lexical vectors for recall and ranking.

A term's value is T / (T + 4), T being the field-weighted, length-normalised count of BM25F. The
field averages are constants, so that a vector depends on its own file only: an index kept up to
date scores like one built from scratch, and every shard scores alike.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.chunks.terms import TERMS_VERSION, term_id, text_id_bytes, tokens
from paparatsd.model import SparseVector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paparatsd.model import ParsedFile


@dataclass(frozen=True, slots=True)
class Field:
    """A place where words stand: its weight, how much length matters, and usual lengths in terms.

    `chunk_average` and `file_average` are means over 23 open source repositories of 14 languages,
    taken half over their library folders and half over their whole checkouts.
    """

    weight: float
    b: float
    chunk_average: float
    file_average: float


FIELDS = {
    "body": Field(0.7, 0.6, 185.0, 1600.0),
    "sym": Field(2.0, 0.3, 7.0, 60.0),
    "sig": Field(0.8, 0.4, 23.0, 200.0),
    "doc": Field(1.0, 0.4, 40.0, 350.0),
    "mdoc": Field(0.5, 0.4, 7.0, 55.0),
    "enc": Field(0.7, 0.3, 1.3, 15.0),
    "path": Field(5.0, 0.3, 7.5, 8.0),
}
BODY, SYM, SIG, DOC, MDOC, ENC, PATH = range(len(FIELDS))
"""The fields' places in the table: the bits of `FileFields.places`."""
SATURATION = 4.0
"""The k of T / (T + k); high because the path field is heavy."""
FIELDS_VERSION = f"1.{TERMS_VERSION}"
"""Names this table, the tokenizer and the filling of fields: part of the pipeline fingerprint."""

MAIN_DOC_CHARS = 1_500
MAX_TABLE = 1 << 16
"""Cells of a table of a file's chunks by its terms that is made whole."""
GATE_STEMS = frozenset({"index", "mod", "__init__", "init", "lib", "main", "package"})
"""Files that stand for their folder: the folder's name is theirs."""

_LICENCE = re.compile(r"copyright|licen[sc]e|SPDX|all rights reserved|permission is hereby", re.I)
_PARAGRAPH = re.compile(r"\n\s*(?:[*#/-]*\s*)?\n")
_EXTENSION = re.compile(r"\.(?:d\.[cm]?ts|[A-Za-z0-9]+)$")
_TRAILING_NUMBER = re.compile(r"[`~]\d+$|\d+$")


def file_stem(path: str) -> str:
    """Return the file's name without its last extension and without a trailing number."""
    base = path.rpartition("/")[2]
    if base.startswith("."):
        return base
    stem = _EXTENSION.sub("", base) or base
    return _TRAILING_NUMBER.sub("", stem) or stem


def path_terms(path: str) -> list[str]:
    """Return the terms of a path, repeated by their importance: stem, parent folder, folders."""
    folders, _, base = path.rpartition("/")
    parent = tokens(folders.rpartition("/")[2])
    out = tokens(file_stem(path)) * 2 + parent + tokens(folders)
    if base.partition(".")[0] in GATE_STEMS:
        out += parent * 2
    return out


@dataclass(frozen=True, slots=True)
class FileFields:
    """The lexical vectors of one file: one per chunk, and one of the file as a whole.

    places [n]: in which fields each term of `whole` stands, bit i for the i-th of FIELDS.
    body_counts [n]: how often it stands in the text, which has `body_length` terms.
    """

    chunks: tuple[SparseVector, ...]
    whole: SparseVector
    places: NDArray[np.uint8]
    body_counts: NDArray[np.uint16]
    body_length: int


def lexical_vectors(path: str, parsed: ParsedFile) -> tuple[SparseVector, ...]:
    """Return one vector per chunk, in the order of the chunks."""
    return file_fields(path, parsed).chunks


@lru_cache(maxsize=1)
def file_fields(path: str, parsed: ParsedFile) -> FileFields:
    """Return the vectors of all chunks and of the file; the last file is remembered."""
    texts = _field_texts(parsed)
    count = len(parsed.chunks)
    rows: list[NDArray[np.int64]] = []
    ids: list[NDArray[np.int64]] = []
    chunk_weights: list[NDArray[np.float64]] = []
    file_weights: list[NDArray[np.float64]] = []
    for name, per_chunk in texts.items():
        row, term = _occurrences(per_chunk)
        lengths = np.bincount(row, minlength=count).astype(np.float64)
        rows.append(row)
        ids.append(term)
        chunk_weights.append(_scale(FIELDS[name], lengths, FIELDS[name].chunk_average)[row])
        whole = _scale(FIELDS[name], len(term), FIELDS[name].file_average)
        file_weights.append(np.full(len(term), whole))
    path_ids = np.array([term_id(term) for term in path_terms(path)], np.int64)
    _add_path(path_ids, count, rows, ids, chunk_weights, file_weights)
    return _vectors(count, rows, ids, chunk_weights, file_weights)


def _scale(field: Field, length: Any, average: float) -> Any:  # noqa: ANN401 - number or array
    """Return what one occurrence in a field of this length (or of these lengths) is worth."""
    return field.weight / (1.0 - field.b + field.b * length / average)


def _add_path(
    path_ids: NDArray[np.int64],
    count: int,
    rows: list[NDArray[np.int64]],
    ids: list[NDArray[np.int64]],
    chunk_weights: list[NDArray[np.float64]],
    file_weights: list[NDArray[np.float64]],
) -> None:
    """Give each chunk the terms of the path; the file as a whole has them once."""
    field, length = FIELDS["path"], len(path_ids)
    rows.append(np.repeat(np.arange(count), len(path_ids)))
    ids.append(np.tile(path_ids, count))
    worth = _scale(field, length, field.chunk_average)
    chunk_weights.append(np.full(count * len(path_ids), worth))
    once = _scale(field, length, field.file_average) / max(1, count)
    file_weights.append(np.full(count * len(path_ids), once))


def _occurrences(per_chunk: list[list[str]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (chunk, term) of every word of one field."""
    found: list[bytes] = []
    lengths = []
    for texts in per_chunk:
        own = [text_id_bytes(text) for text in texts]
        lengths.append(sum(map(len, own)) // 4)
        found += own
    terms = np.frombuffer(b"".join(found), "<u4").astype(np.int64)
    return np.repeat(np.arange(len(per_chunk)), lengths), terms


def _vectors(
    count: int,
    rows: list[NDArray[np.int64]],
    ids: list[NDArray[np.int64]],
    chunk_weights: list[NDArray[np.float64]],
    file_weights: list[NDArray[np.float64]],
) -> FileFields:
    """Sum up what the fields (one array each, in the order of FIELDS) say of each term."""
    whole_ids, whole_inverse = np.unique(np.concatenate(ids), return_inverse=True)
    # A table of chunks by terms, of which most cells are empty.
    cells = np.concatenate(rows) * len(whole_ids) + whole_inverse
    keys, sums = _sums(cells, np.concatenate(chunk_weights), count * len(whole_ids))
    values = (sums / (sums + SATURATION)).astype(np.float32)
    bounds = np.searchsorted(keys, np.arange(count + 1) * len(whole_ids)).tolist()
    terms = whole_ids.astype(np.uint32)[keys % max(1, len(whole_ids))]
    chunks = tuple(SparseVector(terms[a:b], values[a:b]) for a, b in pairwise(bounds))
    whole = np.bincount(
        whole_inverse, weights=np.concatenate(file_weights), minlength=len(whole_ids)
    )
    places, start = np.zeros(len(whole_ids), np.uint8), 0
    for bit, part in enumerate(ids):
        places[whole_inverse[start : start + len(part)]] |= np.uint8(1 << bit)
        start += len(part)
    body = np.bincount(whole_inverse[: len(ids[BODY])], minlength=len(whole_ids))
    return FileFields(
        chunks,
        SparseVector(
            whole_ids.astype(np.uint32), (whole / (whole + SATURATION)).astype(np.float32)
        ),
        places=places,
        body_counts=np.minimum(body, np.iinfo(np.uint16).max).astype(np.uint16),
        body_length=len(ids[BODY]),
    )


def _sums(
    cells: NDArray[np.int64], weights: NDArray[np.float64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the cells of a table of `size` that weights (all above 0) fall into, and their sums.

    A small table is filled, which is several times as fast as sorting.
    """
    if size > MAX_TABLE:
        keys, inverse = np.unique(cells, return_inverse=True)
        return keys, np.bincount(inverse, weights=weights).astype(np.float64, copy=False)
    table = np.bincount(cells, weights=weights, minlength=size).astype(np.float64, copy=False)
    keys = np.flatnonzero(table)
    return keys, table[keys]


def _field_texts(parsed: ParsedFile) -> dict[str, list[list[str]]]:
    """Return, for each field but the path, the texts of each chunk."""
    count = len(parsed.chunks)
    fields: dict[str, list[list[str]]] = {
        name: [[] for _ in range(count)] for name in FIELDS if name != "path"
    }
    fields["body"] = [[chunk.text] for chunk in parsed.chunks]
    containers = {0}
    for symbol in parsed.symbols:
        if not 0 <= symbol.chunk < count:
            continue
        fields["sym"][symbol.chunk].append(symbol.name)
        fields["sig"][symbol.chunk].append(symbol.signature)
        if symbol.container:
            containers.add(symbol.chunk)
        for inner in _enclosed(parsed, symbol.chunk, symbol.end_line):
            fields["enc"][inner].append(symbol.name)
    for chunk, text in _placed_comments(parsed):
        fields["doc"][chunk].append(text)
    for chunk in containers:
        if chunk < count and fields["doc"][chunk]:
            fields["mdoc"][chunk].append(main_doc("\n".join(fields["doc"][chunk])))
    return fields


def _enclosed(parsed: ParsedFile, chunk: int, end_line: int) -> Iterable[int]:
    """Yield the later chunks that lie whole inside a symbol which begins in `chunk`."""
    for inner in range(chunk + 1, len(parsed.chunks)):
        if parsed.chunks[inner].end_line > end_line:
            return
        yield inner


def _placed_comments(parsed: ParsedFile) -> Iterable[tuple[int, str]]:
    """Yield (chunk, text) of each comment, placed in the chunk where it starts."""
    starts = [chunk.start_line for chunk in parsed.chunks]
    for line, _, text in parsed.comments:
        chunk = bisect_right(starts, line) - 1
        if chunk >= 0:
            yield chunk, text


def main_doc(text: str) -> str:
    """Return what a doc comment says of its subject: no licence paragraphs, bounded."""
    paragraphs = [part for part in _PARAGRAPH.split(text) if not _LICENCE.search(part)]
    return "\n".join(paragraphs)[:MAIN_DOC_CHARS]
