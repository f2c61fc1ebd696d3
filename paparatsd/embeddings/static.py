"""The built-in embedding model: a table of word-piece vectors, summed and scaled to length 1.

A text's vector is the sum over its distinct pieces of (1 + log of the piece's count) times the
piece's row. Queries use the same rows with one more learned weight per piece, and land in the
same space. It needs numpy and nothing else: no BLAS call is made, so the numbers do not depend
on threads or on which texts are embedded together.
"""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.embeddings.embedder import hashed_direction
from paparatsd.embeddings.tokenizer import Vocabulary, words_of
from paparatsd.errors import Broken
from paparatsd.model import EmbedderSpec, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.embeddings.embedder import FloatMatrix, FloatVector

CODE_VERSION = 1
"""Raise it when the same model files would give other vectors than before."""
MODEL_NAME = "paparats-static-256"
TINY = 1e-9
TABLE_FILE, VOCABULARY_FILE = "model.npz", "vocab.txt"


class StaticModel:
    """The loaded model. Synchronous, CPU only, for one thread at a time.

    The table stays int8 in memory (6 MB); rows are scaled when they are used.
    """

    def __init__(
        self,
        spec: EmbedderSpec,
        entries: Sequence[str],
        table: NDArray[np.int8],
        scales: NDArray[np.float32],
        query_scales: NDArray[np.float32],
    ) -> None:
        """Take the table [entries, dimension] and per entry the scales for either use."""
        self.spec = spec
        self._vocabulary = Vocabulary(entries)
        self._table = table
        self._scales = scales
        self._query_scales = query_scales

    @classmethod
    def load(cls, path: Path | None = None) -> StaticModel:
        """Load the model in a directory (default: the packaged one); raises Broken."""
        directory = path or packaged_model()
        table_bytes, vocabulary_bytes = _read_files(directory)
        try:
            entries = vocabulary_bytes.decode().split("\n")
            with np.load(io.BytesIO(table_bytes)) as arrays:
                table = np.ascontiguousarray(arrays["q"], dtype=np.int8)
                scales = arrays["s"].astype(np.float32)
                query_scales = scales * arrays["qw"].astype(np.float32)
        except (KeyError, ValueError, OSError) as error:
            raise _unreadable(directory, str(error)) from error
        if not len(entries) == len(table) == len(scales) == len(query_scales):
            raise _unreadable(directory, "the files do not belong together")
        spec = _spec(table_bytes, vocabulary_bytes, table.shape[1])
        return cls(spec, entries, table, scales, query_scales)

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        """Return float32 [len(texts), dimension], one row of length 1 per document text.

        A text's row does not depend on the other texts. No row is zero: see `_unknown`.
        """
        return self._encode(texts, self._scales)

    def encode_queries(self, texts: Sequence[str]) -> FloatMatrix:
        """Like `encode`, for questions: same space, other weights."""
        return self._encode(texts, self._query_scales)

    def knows(self, word: str) -> bool:
        """Say whether a word in lower case has a row of its own."""
        return self._vocabulary.has_word(word)

    def pieces(self, text: str) -> Counter[int]:
        """Return how often each piece of the vocabulary stands in a text."""
        return self._vocabulary.count(text)

    def encode_pieces(self, counts: Sequence[Counter[int]]) -> FloatMatrix:
        """Like `encode`, of texts whose pieces are known; a text without any is zeros."""
        rows = np.zeros((len(counts), self.spec.dimension), dtype=np.float32)
        for position, one in enumerate(counts):
            if one:
                row = self._sum(one, self._scales)
                rows[position] = row / max(float(np.sqrt(np.add.reduce(row * row))), TINY)
        return rows

    def directions(self, pieces: NDArray[np.int64]) -> tuple[FloatMatrix, FloatVector]:
        """Return the rows of pieces with length 1, and how much each counts in a question."""
        rows = self._table.take(pieces, axis=0).astype(np.float32)
        lengths = np.sqrt(np.add.reduce(rows * rows, axis=1))
        worths: FloatVector = lengths * self._query_scales.take(pieces)
        return rows / np.maximum(lengths, TINY)[:, None], worths

    def _encode(self, texts: Sequence[str], scales: NDArray[np.float32]) -> FloatMatrix:
        rows = np.empty((len(texts), self.spec.dimension), dtype=np.float32)
        for position, text in enumerate(texts):
            counts = self._vocabulary.count(text)
            row = self._sum(counts, scales) if counts else self._unknown(text)
            length = np.sqrt(np.add.reduce(row * row))
            rows[position] = row / length if length else hashed_direction("", self.spec.dimension)
        return rows

    def _sum(self, counts: Counter[int], scales: NDArray[np.float32]) -> FloatVector:
        pieces = np.fromiter(counts.keys(), np.intp, len(counts))
        weights = np.fromiter(counts.values(), np.float32, len(counts))
        np.log(weights, out=weights)
        weights += 1
        weights *= scales.take(pieces)
        # Not a matrix product: BLAS adds in another order from thread count to thread count.
        total: FloatVector = np.add.reduce(self._table.take(pieces, axis=0) * weights[:, None], 0)
        return total

    def _unknown(self, text: str) -> FloatVector:
        """Return the vector of a text of which no piece is known, for example Chinese prose.

        Each word gets a fixed direction of its own, made from its hash. So such texts are near
        to texts with the same words, and as good as unrelated to all others. A text without
        any word gets the direction of the empty word.
        """
        total = np.zeros(self.spec.dimension, dtype=np.float32)
        for word, count in Counter(words_of(text) or [""]).items():
            total += (1 + np.log(np.float32(count))) * hashed_direction(word, self.spec.dimension)
        return total


def packaged_model() -> Path:
    """Return the directory of the model that ships with the package."""
    return Path(__file__).resolve().parent / "model"


def prose_model() -> Path:
    """Return the directory of the model of prose: the same kind of table, for documents alone."""
    return Path(__file__).resolve().parent / "prose"


def read_spec(path: Path | None = None) -> EmbedderSpec:
    """Name the model in a directory (default: the packaged one) without loading it."""
    directory = path or packaged_model()
    table_bytes, vocabulary_bytes = _read_files(directory)
    try:
        with np.load(io.BytesIO(table_bytes)) as arrays:
            dimension = arrays["q"].shape[1]
    except (KeyError, ValueError, OSError) as error:
        raise _unreadable(directory, str(error)) from error
    return _spec(table_bytes, vocabulary_bytes, dimension)


def _read_files(directory: Path) -> tuple[bytes, bytes]:
    try:
        return (directory / TABLE_FILE).read_bytes(), (directory / VOCABULARY_FILE).read_bytes()
    except OSError as error:
        raise _unreadable(directory, error.strerror or str(error)) from error


def _spec(table_bytes: bytes, vocabulary_bytes: bytes, dimension: int) -> EmbedderSpec:
    digest = hashlib.blake2b(f"static {CODE_VERSION}".encode(), digest_size=16)
    for part in (table_bytes, vocabulary_bytes):
        digest.update(hashlib.blake2b(part).digest())
    return EmbedderSpec(
        provider="static",
        model=MODEL_NAME,
        dimension=dimension,
        fingerprint=Fingerprint(digest.hexdigest()),
    )


def _unreadable(directory: Path, reason: str) -> Broken:
    return Broken(
        f"the built-in embedding model in {directory} cannot be used ({reason}); "
        "install paparatsd again"
    )
