"""The embedding cache: keyed by text and fingerprint, bounded, and never a source of errors."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.embeddings.cache import USE_STEP_S, CachedEmbedder, EmbeddingCache, stored
from paparatsd.embeddings.embedder import Embedded
from paparatsd.errors import EmbedderUnavailable
from paparatsd.model import EmbedderSpec, Fingerprint
from tests.harness.fake_embedder import text_vector

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from paparatsd.embeddings.embedder import FloatMatrix, FloatVector

SPEC = EmbedderSpec("test", "model", 16, fingerprint=Fingerprint("aa"))


@dataclass
class StoppedClock:
    """A clock that stands until it is moved."""

    time_s: float = 1e9

    def now(self) -> float:
        return self.time_s

    def monotonic(self) -> float:
        return self.time_s

    async def sleep(self, seconds: float) -> None:
        self.time_s += seconds


@dataclass
class CountingEmbedder:
    """Embeds by hash and remembers what it was asked; refuses texts that contain `poison`."""

    spec: EmbedderSpec = SPEC
    asked: list[str] = field(default_factory=list)
    fail_after: int = 1_000_000

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        if len(self.asked) >= self.fail_after:
            raise EmbedderUnavailable("gone")
        self.asked += texts
        failed = tuple(i for i, text in enumerate(texts) if "poison" in text)
        rows = rows_of(texts, self.spec)
        rows[list(failed)] = 0
        return Embedded(rows, failed)

    async def embed_query(self, text: str) -> FloatVector:
        self.asked.append(text)
        return text_vector("query " + text, self.spec.dimension)


@dataclass
class SlowEmbedder(CountingEmbedder):
    """Takes some time for each text and remembers how many came at a time."""

    clock: StoppedClock = field(default_factory=lambda: StoppedClock())
    seconds_each: float = 2.0
    slices: list[int] = field(default_factory=list)

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        self.slices.append(len(texts))
        self.clock.time_s += self.seconds_each * len(texts)
        return await super().embed_documents(texts)


def rows_of(texts: Sequence[str], spec: EmbedderSpec = SPEC) -> FloatMatrix:
    if not texts:
        return np.zeros((0, spec.dimension), np.float32)
    return stored(np.stack([text_vector(text, spec.dimension) for text in texts]))


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def cache(tmp_path: Path, clock: StoppedClock) -> Iterator[EmbeddingCache]:
    opened = EmbeddingCache(tmp_path / "cache" / "embeddings.sqlite3", clock=clock)
    yield opened
    opened.close()


def test_what_was_put_is_found_again_also_by_another_instance(
    cache: EmbeddingCache, tmp_path: Path
) -> None:
    texts = ["one", "two", "漢字 \ud800", ""]
    cache.put_many(texts, rows_of(["1", "2", "3", "4"]), SPEC)

    other = EmbeddingCache(tmp_path / "cache" / "embeddings.sqlite3")
    found = other.get_many(["two", "three", *texts], SPEC)
    other.close()

    assert found[1] is None
    assert np.array_equal(np.stack([row for row in found if row is not None]),
                          rows_of(["2", "1", "2", "3", "4"]))  # fmt: skip


def test_another_fingerprint_or_another_text_finds_nothing(cache: EmbeddingCache) -> None:
    cache.put_many(["one"], rows_of(["one"]), SPEC)

    assert cache.get_many(["one"], replace(SPEC, fingerprint=Fingerprint("bb"))) == [None]
    assert cache.get_many(["one "], SPEC) == [None]


def test_a_vector_of_another_dimension_counts_as_absent(cache: EmbeddingCache) -> None:
    wider = replace(SPEC, dimension=32)
    cache.put_many(["one"], rows_of(["one"]), SPEC)

    assert cache.get_many(["one"], wider) == [None]
    cache.put_many(["one"], rows_of(["one"], wider), wider)
    assert cache.get_many(["one"], wider)[0] is not None


def test_a_damaged_row_counts_as_absent(cache: EmbeddingCache, tmp_path: Path) -> None:
    cache.put_many(["cut", "flipped", "good"], rows_of(["1", "2", "3"]), SPEC)
    with sqlite3.connect(tmp_path / "cache" / "embeddings.sqlite3") as connection:
        rows = connection.execute("SELECT id, vector FROM vectors ORDER BY id").fetchall()
        flipped = bytes([rows[1][1][0] ^ 1]) + rows[1][1][1:]
        connection.execute("UPDATE vectors SET vector = ? WHERE id = ?", (b"abc", rows[0][0]))
        connection.execute("UPDATE vectors SET vector = ? WHERE id = ?", (flipped, rows[1][0]))
    connection.close()

    found = cache.get_many(["cut", "flipped", "good"], SPEC)

    assert [row is not None for row in found] == [False, False, True]


@pytest.mark.parametrize(
    "garbage", [b"this is no database" * 100, b"SQLite format 3\0" + b"x" * 99]
)
def test_a_damaged_file_is_moved_aside_and_replaced(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "embeddings.sqlite3"
    path.write_bytes(garbage)
    cache = EmbeddingCache(path)

    assert cache.get_many(["one"], SPEC) == [None]
    cache.put_many(["one"], rows_of(["one"]), SPEC)
    found = cache.get_many(["one"], SPEC)[0]
    cache.close()

    assert found is not None
    assert (tmp_path / "embeddings.sqlite3.corrupt").read_bytes() == garbage


def test_a_file_that_cannot_be_written_only_costs_the_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = EmbeddingCache(tmp_path / "file" / "embeddings.sqlite3")

    cache.put_many(["one"], rows_of(["one"]), SPEC)

    assert cache.get_many(["one"], SPEC) == [None]


def test_the_rows_used_longest_ago_go_first(tmp_path: Path, clock: StoppedClock) -> None:
    spec = replace(SPEC, dimension=512)
    cache = EmbeddingCache(tmp_path / "c.sqlite3", max_bytes=8 << 20, clock=clock)
    for block in range(4):
        texts = [f"{block} {n}" for n in range(1_500)]
        cache.put_many(texts, np.ones((1_500, 512), np.float32), spec)
        clock.time_s += USE_STEP_S
        cache.get_many(["0 1499"], spec)  # keeps one row of the oldest block in use

    kept = [cache.get_many([f"{block} 1499"], spec)[0] is not None for block in range(4)]
    size = cache.size_bytes()
    gone = cache.get_many(["0 0"], spec)
    cache.close()

    assert size < 8 << 20
    assert gone == [None]
    assert kept == [True, True, True, True]


def test_one_cache_serves_many_threads(cache: EmbeddingCache) -> None:
    def work(number: int) -> None:
        for n in range(20):
            text = f"{number} {n}"
            cache.put_many([text], rows_of([text]), SPEC)
            found.append(cache.get_many([text], SPEC)[0] is not None)

    found: list[bool] = []
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [True] * 80


async def test_only_missing_texts_are_embedded_and_equal_texts_once(cache: EmbeddingCache) -> None:
    behind = CountingEmbedder()
    embedder = CachedEmbedder(behind, cache, slice_texts=2)

    first = await embedder.embed_documents(["a", "b", "a", "c"])
    second = await embedder.embed_documents(["c", "d", "b"])

    assert behind.asked == ["a", "b", "c", "d"]
    assert np.array_equal(first.vectors, rows_of(["a", "b", "a", "c"]))
    assert np.array_equal(second.vectors, rows_of(["c", "d", "b"]))
    assert (await embedder.embed_documents([])).vectors.shape == (0, 16)


async def test_a_refused_text_is_reported_at_each_place_and_not_kept(cache: EmbeddingCache) -> None:
    behind = CountingEmbedder()
    embedder = CachedEmbedder(behind, cache, slice_texts=10)

    answer = await embedder.embed_documents(["poison", "a", "poison"])
    await embedder.embed_documents(["poison"])

    assert answer.failed == (0, 2)
    assert not answer.vectors[0].any()
    assert behind.asked == ["poison", "a", "poison"]


async def test_what_was_embedded_before_a_failure_is_not_asked_for_again(
    cache: EmbeddingCache,
) -> None:
    behind = CountingEmbedder(fail_after=4)
    embedder = CachedEmbedder(behind, cache, slice_texts=2)
    texts = ["a", "b", "c", "d", "e"]

    with pytest.raises(EmbedderUnavailable):
        await embedder.embed_documents(texts)
    behind.fail_after = 100
    answer = await embedder.embed_documents(texts)

    assert behind.asked == texts
    assert np.array_equal(answer.vectors, rows_of(texts))


async def test_a_slow_embedder_has_its_work_stored_after_fewer_texts_and_a_fast_one_after_more(
    cache: EmbeddingCache, clock: StoppedClock
) -> None:
    behind = SlowEmbedder(clock=clock)
    embedder = CachedEmbedder(behind, cache, slice_texts=64, clock=clock)
    await embedder.embed_documents([f"slow {n}" for n in range(40)])
    behind.seconds_each = 0.0
    await embedder.embed_documents([f"fast {n}" for n in range(184)])

    assert behind.slices == [16, 8, 8, 8, 8, 16, 32, 64, 64]


async def test_a_question_is_kept_apart_from_the_document_with_the_same_text(
    cache: EmbeddingCache,
) -> None:
    behind = CountingEmbedder()
    embedder = CachedEmbedder(behind, cache, slice_texts=2)

    document = (await embedder.embed_documents(["same"])).vectors[0]
    questions = [await embedder.embed_query("same") for _ in range(2)]

    assert behind.asked == ["same", "same"]
    assert np.array_equal(questions[0], questions[1])
    assert not np.array_equal(questions[0], document)
