"""A model that is replaced under its name is noticed, and heals when it comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.embeddings.cache import EmbeddingCache
from paparatsd.embeddings.embedder import Embedded, EmbedderRefused
from paparatsd.embeddings.sameness import CHECK_S, REFERENCE, SameModel
from paparatsd.errors import EmbedderUnavailable
from paparatsd.model import EmbedderSpec, Fingerprint
from tests.harness.embedding_clock import SkippingClock
from tests.harness.fake_embedder import text_vector

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from paparatsd.errors import PaparatsError


SPEC = EmbedderSpec("openai", "m", 16, fingerprint=Fingerprint("f"))


@dataclass
class Model:
    """An embedder whose vectors depend on `weights`, and that fails at what is in `failing`."""

    weights: str = "first"
    noise: float = 0.0
    failing: dict[str, PaparatsError] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    spec: EmbedderSpec = SPEC

    def vector(self, text: str) -> NDArray[np.float32]:
        row = text_vector(f"{self.weights} {text}", 16)
        row = row + np.float32(self.noise) * text_vector("noise", 16)
        return (row / np.linalg.norm(row)).astype(np.float32)

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        self.asked += texts
        failed = tuple(at for at, text in enumerate(texts) if text in self.failing)
        rows = [self.vector(text) for text in texts]
        return Embedded(np.stack(rows), failed)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        self.asked.append(f"? {text}")
        if text in self.failing:
            raise self.failing[text]
        return self.vector(f"? {text}")


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[EmbeddingCache]:
    made = EmbeddingCache(tmp_path / "embeddings.sqlite3")
    yield made
    made.close()


async def test_the_reference_goes_along_once_in_a_while(cache: EmbeddingCache) -> None:
    model, clock = Model(), SkippingClock()
    same = SameModel(model, cache, clock)

    first = await same.embed_documents(["a", "b"])
    await same.embed_documents(["c"])
    await same.embed_query("q")
    await same.embed_query("r")
    clock.passed_s += CHECK_S
    await same.embed_documents(["d"])

    assert first.vectors.shape == (2, 16)
    assert sorted(model.asked[:4]) == sorted(["a", "b", REFERENCE, "c"])
    assert sorted(model.asked[4:]) == sorted(["? q", f"? {REFERENCE}", "? r", "d", REFERENCE])


async def test_another_model_is_refused_until_the_first_is_back(cache: EmbeddingCache) -> None:
    model, clock = Model(), SkippingClock()
    before = SameModel(model, cache, clock)
    await before.embed_documents(["a"])
    await before.embed_query("q")
    model.weights = "second"
    after = SameModel(model, cache, clock)

    for _ in range(2):
        with pytest.raises(EmbedderRefused, match=r"another model.*embedder\.revision"):
            await after.embed_documents(["b"])
        with pytest.raises(EmbedderRefused, match="another model"):
            await after.embed_query("r")
    model.weights = "first"

    assert (await after.embed_documents(["b"])).vectors[0] == pytest.approx(model.vector("b"))
    await after.embed_query("r")


async def test_other_rounding_is_no_other_model(cache: EmbeddingCache) -> None:
    model = Model()
    await SameModel(model, cache, SkippingClock()).embed_documents(["a"])
    model.noise = 0.05

    answer = await SameModel(model, cache, SkippingClock()).embed_documents(["a"])

    assert answer.failed == ()


async def test_a_reference_that_fails_keeps_nothing_from_going_on(cache: EmbeddingCache) -> None:
    model = Model(failing={REFERENCE: EmbedderUnavailable("busy"), "bad": EmbedderRefused("no")})
    same = SameModel(model, cache, SkippingClock())

    assert (await same.embed_documents(["a", "bad"])).failed == (1,)
    assert (await same.embed_query("q")).shape == (16,)
    with pytest.raises(EmbedderRefused, match="no"):
        await same.embed_query("bad")
