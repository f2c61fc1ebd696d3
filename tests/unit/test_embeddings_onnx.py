"""ONNX models from a folder; what needs the packages of the extra is left out without them."""

from __future__ import annotations

import importlib.util
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from paparatsd.embeddings.local_options import LocalOptions
from paparatsd.embeddings.model_folder import (
    has_more_layers,
    max_tokens_of,
    pooling_of,
    templates_in,
)
from paparatsd.embeddings.onnx_model import choose_output, find_model, load, pool
from paparatsd.settings import EmbedderSettings
from tests.harness.model2vec_folder import WORDS, rows
from tests.harness.onnx_embedder import write_onnx

if TYPE_CHECKING:
    from pathlib import Path

MISSING = [name for name in ("onnxruntime", "tokenizers") if importlib.util.find_spec(name) is None]
needs_packages = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")


def options(folder: Path, **more: Any) -> LocalOptions:
    return LocalOptions("onnx", str(folder), threads=1, **more)


def expected(*words: str) -> Any:
    return np.stack([rows()[WORDS.index(word)] for word in words])


# --------------------------------------------------------------------------- without packages


@pytest.mark.parametrize(
    ("config", "pooling"),
    [
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, "mean"),
        ({"pooling_mode_cls_token": True}, "cls"),
        ({"pooling_mode_lasttoken": True}, "last"),
        ({"pooling_mode_mean_sqrt_len_tokens": True}, "mean"),
        ({"pooling_mode": "lasttoken"}, "last"),
        ({"pooling_mode": ["cls"]}, "cls"),
        ({}, ""),
    ],
)
def test_pooling_is_what_the_models_own_file_says(
    tmp_path: Path, config: dict[str, Any], pooling: str
) -> None:
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(config))
    assert pooling_of(tmp_path) == pooling


@pytest.mark.parametrize(
    "config",
    [
        {"pooling_mode_max_tokens": True},
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
    ],
)
def test_pooling_that_we_cannot_do_is_refused(tmp_path: Path, config: dict[str, Any]) -> None:
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=r"pooling by .* is not supported"):
        pooling_of(tmp_path)


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({"sentence_bert_config.json": {"max_seq_length": 256}}, 256),
        ({"tokenizer_config.json": {"model_max_length": 8192}}, 8192),
        ({"tokenizer_config.json": {"model_max_length": 1e30},
          "config.json": {"max_position_embeddings": 514, "model_type": "roberta"}}, 512),
        ({"config.json": {"max_position_embeddings": 2048}}, 2048),
        ({}, 512),
    ],
)  # fmt: skip
def test_how_much_of_a_text_is_read_is_what_the_files_say(
    tmp_path: Path, files: dict[str, Any], limit: int
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    assert max_tokens_of(tmp_path) == limit


def test_prompts_of_the_folder_are_the_templates_of_a_model_of_no_family(tmp_path: Path) -> None:
    folder = tmp_path / "some-model"
    folder.mkdir()
    prompts = {"prompts": {"query": "Find: ", "passage": "Text: "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))

    found = templates_in(folder, EmbedderSettings(provider="onnx"))
    assert (found.query, found.document) == ("Find: {text}", "Text: {text}")
    own = templates_in(folder, EmbedderSettings(provider="onnx", query_template="Q {text}"))
    assert (own.query, own.document) == ("Q {text}", "Text: {text}")
    none = templates_in(folder, EmbedderSettings(provider="onnx", family="none"))
    assert (none.query, none.document) == ("{text}", "{text}")
    named = templates_in(tmp_path / "e5-small", EmbedderSettings(provider="onnx"))
    assert (named.query, named.document) == ("query: {text}", "passage: {text}")


def test_a_layer_behind_the_pooling_is_noticed(tmp_path: Path) -> None:
    assert not has_more_layers(tmp_path)
    kinds = ["Transformer", "Pooling", "Normalize"]
    for kind, found in (("Normalize", False), ("Dense", True)):
        modules = [{"type": f"sentence_transformers.models.{one}"} for one in (*kinds, kind)]
        (tmp_path / "modules.json").write_text(json.dumps(modules))
        assert has_more_layers(tmp_path) is found


def test_vectors_of_texts_are_read_rather_than_those_of_tokens_or_of_a_classifier() -> None:
    assert choose_output({"token_embeddings": 3, "sentence_embedding": 2}) == "sentence_embedding"
    assert choose_output({"pooler_output": 2, "last_hidden_state": 3}) == "last_hidden_state"
    assert choose_output({"1234": 3}) == "1234"
    assert choose_output({"vectors": 2}) == "vectors"
    with pytest.raises(ValueError, match="no vectors"):
        choose_output({"logits": 1})


def test_the_file_that_is_meant_is_found(tmp_path: Path) -> None:
    (tmp_path / "onnx").mkdir()
    with pytest.raises(ValueError, match=r"no \.onnx file"):
        find_model(tmp_path)
    quantised = tmp_path / "onnx" / "model_int8.onnx"
    quantised.touch()
    assert find_model(tmp_path) == (quantised, tmp_path)
    (tmp_path / "onnx" / "model_fp16.onnx").touch()
    with pytest.raises(ValueError, match=r"model_fp16\.onnx, onnx/model_int8\.onnx; name the file"):
        find_model(tmp_path)
    assert find_model(quantised) == (quantised, tmp_path)
    usual = tmp_path / "onnx" / "model.onnx"
    usual.touch()
    assert find_model(tmp_path) == (usual, tmp_path)
    with pytest.raises(ValueError, match="not a folder"):
        find_model(tmp_path / "gone")


def test_what_fills_up_short_texts_counts_in_no_pooling() -> None:
    found = np.array([[[1, 0], [3, 0], [9, 9]], [[2, 2], [9, 9], [9, 9]]], dtype=np.float32)
    mask = np.array([[1, 1, 0], [1, 0, 0]], dtype=np.int64)
    assert pool(found, mask, "mean").tolist() == [[2, 0], [2, 2]]
    assert pool(found, mask, "cls").tolist() == [[1, 0], [2, 2]]
    assert pool(found, mask, "last").tolist() == [[3, 0], [2, 2]]
    assert pool(found, mask, "weightedmean")[0].tolist() == pytest.approx([7 / 3, 0])
    assert pool(found[:, 0], mask, "").tolist() == [[1, 0], [2, 2]]


# --------------------------------------------------------------------------- with packages


@needs_packages
@pytest.mark.parametrize(
    ("pooling", "wanted"),
    [
        ("pooling_mode_mean_tokens", lambda rows: rows.mean(axis=0)),
        ("pooling_mode_cls_token", lambda rows: rows[0]),
        ("pooling_mode_lasttoken", lambda rows: rows[-1]),
        ("", lambda rows: rows.mean(axis=0)),
    ],
)
def test_a_model_gives_the_vector_of_its_pooling_beside_a_longer_text(
    tmp_path: Path, pooling: str, wanted: Any
) -> None:
    model = load(options(write_onnx(tmp_path / "m", pooling=pooling)))

    first, second = model.encode(["Read files", "socket"])

    assert model.dimension == 16
    assert first == pytest.approx(wanted(expected("read", "file", "##s")), abs=1e-6)
    assert second == pytest.approx(expected("socket")[0], abs=1e-6)


@needs_packages
def test_only_so_many_tokens_are_read_as_the_model_or_the_settings_say(tmp_path: Path) -> None:
    folder = write_onnx(tmp_path / "m", pooling="pooling_mode_lasttoken")
    text = "read write file socket read"
    assert load(options(folder)).encode([text])[0] == pytest.approx(expected("socket")[0])
    shorter = load(options(folder, max_tokens=2))
    assert shorter.encode([text])[0] == pytest.approx(expected("write")[0])


@needs_packages
def test_a_graph_that_pools_itself_is_left_to_it(tmp_path: Path) -> None:
    folder = write_onnx(tmp_path / "m", pooled=True, pooling="pooling_mode_cls_token")
    model = load(options(folder))
    assert model.pooling == ""
    assert model.encode(["read write"])[0] == pytest.approx(expected("read", "write").mean(axis=0))


@needs_packages
def test_a_pooling_that_was_set_wins(tmp_path: Path) -> None:
    folder = write_onnx(tmp_path / "m", pooling="pooling_mode_max_tokens")
    with pytest.raises(ValueError, match="pooling by max"):
        load(options(folder))
    model = load(options(folder, pooling="cls"))
    assert model.encode(["write read"])[0] == pytest.approx(expected("write")[0])


@needs_packages
def test_an_empty_text_gets_a_direction_of_its_own(tmp_path: Path) -> None:
    model = load(options(write_onnx(tmp_path / "m")))
    (row,) = model.encode([" "])
    assert np.linalg.norm(row) == pytest.approx(1)


@needs_packages
def test_the_digest_follows_what_decides_about_the_numbers(tmp_path: Path) -> None:
    folder = write_onnx(tmp_path / "m", pooling="pooling_mode_cls_token")
    moved = write_onnx(tmp_path / "n", pooling="pooling_mode_cls_token")
    other = write_onnx(tmp_path / "o", pooling="pooling_mode_cls_token", table=rows() * 2)
    base = load(options(folder)).digest
    assert load(options(moved)).digest == base
    more = [options(other), options(folder, max_tokens=3), options(folder, pooling="mean")]
    assert len({base, *(load(one).digest for one in more)}) == 4


@needs_packages
@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda folder: (folder / "tokenizer.json").unlink(), "No such file"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "tokenizer.json cannot"),
        (lambda folder: (folder / "model.onnx").write_bytes(b"x" * 99), "model.onnx cannot"),
        (lambda folder: write_onnx(folder, inputs=("pixels",)), "asks for pixels, not for tokens"),
        (
            lambda folder: (folder / "modules.json").write_text('[{"type": "x.Dense"}]'),
            "layers behind its pooling",
        ),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused_with_the_reason(
    tmp_path: Path, damage: Any, reason: str
) -> None:
    folder = write_onnx(tmp_path / "m")
    damage(folder)
    with pytest.raises((ValueError, OSError), match=reason):
        load(options(folder))
