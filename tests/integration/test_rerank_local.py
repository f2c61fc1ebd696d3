"""A cross-encoder from a folder: by the real runtime where there is one, and what is refused."""

from __future__ import annotations

import importlib.util
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from paparatsd.clock import SystemClock
from paparatsd.errors import BadReply, BadSettings, Unavailable
from paparatsd.rerank.choice import make_reranking
from paparatsd.rerank.cross_encoder import (
    SLICE_TEXTS,
    CrossEncoder,
    PairModel,
    chances_of,
    load_pair_model,
)
from paparatsd.settings import RerankSettings
from tests.harness.onnx_folder import write_cross_encoder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

INSTALLED = all(importlib.util.find_spec(name) for name in ("onnxruntime", "tokenizers"))
real = pytest.mark.skipif(not INSTALLED, reason="onnxruntime or tokenizers is not installed")


@real
@pytest.mark.parametrize("classes", [1, 2])
def test_pairs_are_scored_together_whatever_their_length(tmp_path: Path, classes: int) -> None:
    model = load_pair_model(str(write_cross_encoder(tmp_path / "m", classes=classes)))
    scores = model.scores("where is it", ["miss", "hit", "it is a hit and a hit", "miss " * 500])
    assert scores == pytest.approx([sigmoid(-5), sigmoid(5), sigmoid(15), sigmoid(-5)], abs=1e-6)


@real
async def test_it_is_chosen_by_its_folder_and_sends_nothing(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path / "tiny")
    settings = RerankSettings(provider="onnx", model=str(folder), floors=("onnx/tiny=0.5",))
    reranking = await make_reranking(settings, SystemClock())
    assert reranking is not None
    verdict = await reranking.judge("it", [*["miss"] * 20, "hit"], 5.0)
    await reranking.close()
    assert verdict.by == "onnx tiny"
    assert verdict.floor == 0.5
    assert verdict.scores is not None
    assert len(verdict.scores) == 21
    assert max(verdict.scores) == verdict.scores[20]
    assert reranking.sent.requests == 0


@real
def test_a_model_that_computes_nonsense_is_refused(tmp_path: Path) -> None:
    model = load_pair_model(str(write_cross_encoder(tmp_path / "m", poison=True)))
    with pytest.raises(BadReply, match="no number"):
        model.scores("it", ["hit"])


@real
def test_a_folder_without_a_model_or_with_a_broken_one_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"has no model\.onnx"):
        load_pair_model(str(tmp_path))
    folder = write_cross_encoder(tmp_path / "m")
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(BadSettings, match="cannot be loaded"):
        load_pair_model(str(folder))


def test_a_folder_must_be_named_in_full() -> None:
    with pytest.raises(BadSettings, match="must be an absolute path"):
        load_pair_model("models/tiny")


def test_without_the_extra_its_name_is_told(tmp_path: Path) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    with pytest.raises(BadSettings, match=r"pip install 'paparatsd\[onnx\]'"):
        load_pair_model(str(tmp_path), missing)


@pytest.mark.parametrize("shape", [(3, 3), (2, 2), (3, 2, 2), (0,)])
def test_a_model_of_another_kind_is_told(shape: tuple[int, ...]) -> None:
    with pytest.raises(BadReply, match="no cross-encoder"):
        chances_of(np.zeros(shape), 3)


@pytest.mark.parametrize("shape", [(2,), (2, 1), (2, 1, 1)])
def test_one_number_for_each_pair_may_have_any_shape(shape: tuple[int, ...]) -> None:
    found = chances_of(np.array([-1e9, 0.0]).reshape(shape), 2)
    assert found == pytest.approx([0.0, 0.5], abs=1e-6)


class Slow:
    """Stands for a session; counts what it was given."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def run(self, names: None, feeds: Any) -> list[Any]:
        assert names is None
        self.sizes.append(len(feeds["input_ids"]))
        return [np.zeros(len(feeds["input_ids"]))]


class Tokens:
    """Stands for a tokenizer and for one encoded text."""

    ids = attention_mask = type_ids = (1, 2)

    def encode_batch(self, pairs: Sequence[tuple[str, str]]) -> list[Tokens]:
        return [self for _ in pairs]


async def test_the_deadline_is_looked_at_between_slices() -> None:
    session = Slow()
    model = PairModel(Tokens(), session, frozenset({"input_ids"}))
    encoder = CrossEncoder(model, "tiny", 100)
    assert len(await encoder.scores("q", ["t"] * 20, 5.0)) == 20
    assert session.sizes == [SLICE_TEXTS, SLICE_TEXTS, 4]
    with pytest.raises(Unavailable, match=r"0 of 20 texts within 0 s; set rerank\.cand"):
        await encoder.scores("q", ["t"] * 20, 0.0)


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))
