"""Vectors by text, on disk: what was embedded once is never asked for again.

A row is found by the hash of the exact text and the embedder's fingerprint, and holds the vector
as float16 with a checksum; a row that fails its checks counts as absent. The cache is derived
data: whatever goes wrong with its file costs time and is no error.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
import zlib
from typing import TYPE_CHECKING, TypeVar

import anyio.to_thread
import numpy as np
import structlog

from paparatsd.clock import Clock, SystemClock
from paparatsd.embeddings.embedder import Embedded
from paparatsd.status_model import CacheFigures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from paparatsd.embeddings.embedder import Embedder, FloatMatrix, FloatVector
    from paparatsd.model import EmbedderSpec

log = structlog.get_logger()

T = TypeVar("T")

SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    id INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    hash BLOB NOT NULL,
    used INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (fingerprint, hash)
);
CREATE INDEX IF NOT EXISTS vectors_used ON vectors (used);
"""
MAX_BYTES = 512 << 20
USE_STEP_S = 6 * 3_600
"""Last use is kept in steps of this length, so that reading seldom writes."""
BUSY_S = 5.0
LOOKUP = 500
PRUNE_ROWS = 1_000
CHECKSUM_BYTES = 4
SLICE_S, FEWEST_TEXTS = 20.0, 8
"""How much work of an embedder may be lost when it fails, and the least that it is asked for."""


class EmbeddingCache:
    """The file and one connection to it. Usable from any thread, one at a time.

    When its size passes `max_bytes` the rows used longest ago go first.
    """

    def __init__(
        self, path: Path, *, max_bytes: int = MAX_BYTES, clock: Clock | None = None
    ) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._asked = self._answered = 0

    def figures(self) -> CacheFigures:
        """Return how the cache does; counts the vectors in its file."""
        entries = 0
        if self._path.exists():
            count = "SELECT count(*) FROM vectors"
            entries = self._run("BEGIN", lambda it: int(it.execute(count).fetchone()[0]), 0)
        return CacheFigures(entries, self._asked, self._answered)

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        with self._lock:
            self._disconnect()

    def get_many(self, texts: Sequence[str], spec: EmbedderSpec) -> list[FloatVector | None]:
        """Return the stored vector of each text (float32, the spec's dimension), or None."""
        hashes = [text_hash(text) for text in texts]
        nothing: dict[bytes, FloatVector] = {}
        found = self._run("BEGIN", lambda it: self._find(it, set(hashes), spec), nothing)
        self._asked += len(hashes)
        self._answered += sum(digest in found for digest in hashes)
        return [found.get(digest) for digest in hashes]

    def put_many(self, texts: Sequence[str], vectors: FloatMatrix, spec: EmbedderSpec) -> None:
        """Store one row of `vectors` (float32 [n, dimension], as `stored` returns) per text."""
        now = self._step()
        rows = [
            (spec.fingerprint, text_hash(text), now, _pack(vector))
            for text, vector in zip(texts, vectors, strict=True)
        ]

        def write(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "INSERT INTO vectors (fingerprint, hash, used, vector) VALUES (?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET used = excluded.used, vector = excluded.vector",
                rows,
            )
            self._prune(connection)

        self._run("BEGIN IMMEDIATE", write, None)

    def size_bytes(self) -> int:
        """Return how many bytes of the file hold data."""
        return self._run("BEGIN", _size_bytes, 0)

    def _find(
        self, connection: sqlite3.Connection, hashes: set[bytes], spec: EmbedderSpec
    ) -> dict[bytes, FloatVector]:
        now = self._step()
        found: dict[bytes, FloatVector] = {}
        touched: list[int] = []
        ordered = sorted(hashes)
        for start in range(0, len(ordered), LOOKUP):
            part = ordered[start : start + LOOKUP]
            marks = ",".join("?" * len(part))
            for row_id, digest, used, blob in connection.execute(
                "SELECT id, hash, used, vector FROM vectors "
                f"WHERE fingerprint = ? AND hash IN ({marks})",
                (spec.fingerprint, *part),
            ):
                vector = _unpack(blob, spec.dimension)
                if vector is not None:
                    found[digest] = vector
                    if used < now:
                        touched.append(row_id)
        connection.executemany(
            "UPDATE vectors SET used = ? WHERE id = ?", [(now, row_id) for row_id in touched]
        )
        return found

    def _prune(self, connection: sqlite3.Connection) -> None:
        if _size_bytes(connection) <= self._max_bytes:
            return
        # Down to nine tenths, so that the next put does not have to prune again.
        while _size_bytes(connection) > self._max_bytes * 0.9:
            gone = connection.execute(
                "DELETE FROM vectors WHERE id IN "
                "(SELECT id FROM vectors ORDER BY used, id LIMIT ?)",
                (PRUNE_ROWS,),
            ).rowcount
            if not gone:
                return

    def _step(self) -> int:
        return int(self._clock.now() // USE_STEP_S)

    def _run(self, begin: str, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Do some work in one transaction; a failure is logged and `otherwise` returned.

        A damaged file is moved aside, so that the next call starts a new one.
        """
        with self._lock:
            try:
                connection = self._connect()
                with connection:
                    connection.execute(begin)
                    return work(connection)
            except (sqlite3.OperationalError, OSError) as error:  # locked, disk full, read-only
                log.warning("embedding_cache_failed", path=str(self._path), reason=str(error))
                self._disconnect()
            except sqlite3.DatabaseError as error:
                log.warning("embedding_cache_damaged", path=str(self._path), reason=str(error))
                self._disconnect()
                self._move_aside()
            return otherwise

    def _connect(self) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = sqlite3.connect(
            self._path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if version not in (0, SCHEMA_VERSION):
                # Another version of ours had the file; it is only a cache.
                connection.executescript("DROP TABLE IF EXISTS vectors;")
            connection.executescript(SCHEMA)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        except sqlite3.Error:
            connection.close()
            raise
        self._path.chmod(0o600)
        self._connection = connection
        return connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _move_aside(self) -> None:
        with contextlib.suppress(OSError):
            self._path.replace(self._path.with_name(f"{self._path.name}.corrupt"))
        for suffix in ("-wal", "-shm"):
            with contextlib.suppress(OSError):
                self._path.with_name(self._path.name + suffix).unlink()


class CachedEmbedder:
    """An embedder that asks the cache first and the embedder behind it for the rest.

    What it returns does not depend on whether it was cached: new vectors too are returned in the
    precision in which they are stored.
    """

    def __init__(
        self,
        embedder: Embedder,
        cache: EmbeddingCache,
        *,
        slice_texts: int,
        clock: Clock | None = None,
    ) -> None:
        """Take the embedder; what it did is stored after every `slice_texts` texts at most.

        A slow one has it stored after fewer: what it did is lost when it fails before that.
        """
        self._embedder = embedder
        self._cache = cache
        self._most_texts = slice_texts
        self._slice_texts = min(slice_texts, max(slice_texts // 4, FEWEST_TEXTS))
        self._clock = clock or SystemClock()

    @property
    def spec(self) -> EmbedderSpec:
        """The spec of the embedder behind the cache."""
        return self._embedder.spec

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Return vectors of all texts; equal texts are embedded once. Raises as the embedder."""
        if not texts:
            return await self._embedder.embed_documents(texts)
        unique = list(dict.fromkeys(texts))
        known = await self._look_up(unique)
        missing = [text for text in unique if text not in known]
        refused: set[str] = set()
        start = 0
        while part := missing[start : start + self._slice_texts]:
            start += len(part)
            answer = await self._timed(part)
            refused.update(part[position] for position in answer.failed)
            good = [position for position in range(len(part)) if position not in answer.failed]
            vectors = stored(answer.vectors[good])
            good_texts = [part[position] for position in good]
            known.update(zip(good_texts, vectors, strict=True))
            await anyio.to_thread.run_sync(self._cache.put_many, good_texts, vectors, self.spec)
        zero = np.zeros(self.spec.dimension, dtype=np.float32)
        return Embedded(
            np.stack([known.get(text, zero) for text in texts]),
            tuple(position for position, text in enumerate(texts) if text in refused),
        )

    async def _timed(self, texts: Sequence[str]) -> Embedded:
        """Embed a slice, and choose the size of the next one by how long that took."""
        began = self._clock.monotonic()
        answer = await self._embedder.embed_documents(texts)
        took_s = self._clock.monotonic() - began
        if took_s > SLICE_S:
            self._slice_texts = max(len(texts) // 2, FEWEST_TEXTS)
        elif took_s < SLICE_S / 4 and len(texts) == self._slice_texts:
            self._slice_texts = min(2 * self._slice_texts, self._most_texts)
        return answer

    async def embed_query(self, text: str) -> FloatVector:
        """Return the vector of one question. Raises as the embedder."""
        # Questions are embedded by another template, so they are kept under another key.
        key = f"query\0{self.spec.query_template}\0{text}"
        known = await self._look_up([key])
        if key not in known:
            vectors = stored((await self._embedder.embed_query(text))[None, :])
            await anyio.to_thread.run_sync(self._cache.put_many, [key], vectors, self.spec)
            known[key] = vectors[0]
        return known[key]

    async def _look_up(self, texts: Sequence[str]) -> dict[str, FloatVector]:
        found = await anyio.to_thread.run_sync(self._cache.get_many, texts, self.spec)
        return {
            text: vector for text, vector in zip(texts, found, strict=True) if vector is not None
        }


def text_hash(text: str) -> bytes:
    """Return the 32 bytes by which a text is found."""
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=32).digest()


def stored(vectors: FloatMatrix) -> FloatMatrix:
    """Return unit vectors in the precision in which the cache keeps them."""
    rounded: FloatMatrix = vectors.astype(np.float16).astype(np.float32)
    return rounded


def _pack(vector: FloatVector) -> bytes:
    data = vector.astype("<f2").tobytes()
    return data + zlib.crc32(data).to_bytes(CHECKSUM_BYTES, "little")


def _unpack(blob: object, dimension: int) -> FloatVector | None:
    """Return the vector, or None when the row is of another size or damaged."""
    if not isinstance(blob, bytes) or len(blob) != 2 * dimension + CHECKSUM_BYTES:
        return None
    data, checksum = blob[:-CHECKSUM_BYTES], blob[-CHECKSUM_BYTES:]
    if zlib.crc32(data).to_bytes(CHECKSUM_BYTES, "little") != checksum:
        return None
    return np.frombuffer(data, "<f2").astype(np.float32)


def _size_bytes(connection: sqlite3.Connection) -> int:
    pages, free, page_bytes = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * page_bytes)
