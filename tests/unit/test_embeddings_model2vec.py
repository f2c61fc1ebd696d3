"""A model2vec model from a folder; what needs the package `tokenizers` is left out without it."""

from __future__ import annotations

import importlib.util
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from paparatsd.embeddings.model2vec import Model2vecEmbedder, load_table
from paparatsd.embeddings.tensors import read_tensors
from paparatsd.errors import BadSettings
from paparatsd.settings import EmbedderSettings
from tests.harness.model2vec_folder import WORDS, rows, write_model, write_tensors, write_tokenizer

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

INSTALLED = importlib.util.find_spec("tokenizers") is not None
needs_tokenizers = pytest.mark.skipif(not INSTALLED, reason="tokenizers is not installed")


def embedder(folder: Path, **settings: Any) -> Model2vecEmbedder:
    chosen = EmbedderSettings(provider="model2vec", model=str(folder), **settings)
    return Model2vecEmbedder(chosen, load_table(chosen.model))


def mean_of(table: NDArray[Any], *words: str) -> Any:
    total = np.sum([table[WORDS.index(word)].astype(np.float64) for word in words], axis=0)
    return pytest.approx(total / np.linalg.norm(total), abs=1e-5)


@needs_tokenizers
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
async def test_a_vector_is_the_mean_of_the_rows_of_the_known_tokens(
    tmp_path: Path, dtype: str
) -> None:
    model = embedder(write_model(tmp_path / "m", embeddings=rows(dtype)))

    answer = await model.embed_documents(["Read files", "write unheard socket"])

    assert answer.vectors[0] == mean_of(rows(dtype), "read", "file", "##s")
    assert answer.vectors[1] == mean_of(rows(dtype), "write", "socket")
    assert answer.vectors.dtype == np.float32
    assert answer.failed == ()
    assert await model.embed_query("read files") == mean_of(rows(dtype), "read", "file", "##s")
    assert (await model.embed_documents([])).vectors.shape == (0, 16)


@needs_tokenizers
async def test_weights_and_a_mapping_of_tokens_are_followed(tmp_path: Path) -> None:
    mapping = np.array([0, 1, 1, 2, 0, 3], dtype=np.int64)
    weights = np.array([1, 2, 1, 1, 1, 1], dtype=np.float32)
    small = rows()[:4]
    folder = write_model(tmp_path / "m", embeddings=small, mapping=mapping, weights=weights)

    (row,) = (await embedder(folder).embed_documents(["read file"])).vectors

    total = 2 * small[1] + small[2]
    assert row == pytest.approx(total / np.linalg.norm(total), abs=1e-5)


@needs_tokenizers
async def test_only_the_beginning_of_a_long_text_is_read(tmp_path: Path) -> None:
    model = embedder(write_model(tmp_path / "m"))
    (row,) = (await model.embed_documents(["read write file socket " + "read " * 9])).vectors
    assert row == mean_of(rows(), "read", "write", "file", "socket")


@needs_tokenizers
async def test_a_text_of_unknown_words_is_like_no_other(tmp_path: Path) -> None:
    model = embedder(write_model(tmp_path / "m"))
    first, again, other = (await model.embed_documents(["zzz", "zzz", "yyy"])).vectors
    assert np.linalg.norm(first) == pytest.approx(1)
    assert np.array_equal(first, again)
    assert abs(float(first @ other)) < 0.9


@needs_tokenizers
async def test_a_folder_of_sentence_transformers_is_read_too(tmp_path: Path) -> None:
    inner = tmp_path / "m" / "0_StaticEmbedding"
    inner.mkdir(parents=True)
    write_tensors(inner / "model.safetensors", {"embedding.weight": rows()})
    write_tokenizer(inner / "tokenizer.json")
    (row,) = (await embedder(tmp_path / "m").embed_documents(["socket"])).vectors
    assert row == mean_of(rows(), "socket")


@needs_tokenizers
def test_the_fingerprint_follows_the_files_and_not_the_place(tmp_path: Path) -> None:
    first = embedder(write_model(tmp_path / "a" / "m")).spec
    moved = embedder(write_model(tmp_path / "b" / "m")).spec
    changed = write_model(tmp_path / "c" / "m", embeddings=rows() + np.float32(0.01))

    assert first == moved
    assert (first.provider, first.model, first.dimension) == ("model2vec", "m", 16)
    others = [
        embedder(changed).spec,
        embedder(tmp_path / "a" / "m", document_template="doc {text}").spec,
        embedder(tmp_path / "a" / "m", revision="2").spec,
    ]
    assert len({first.fingerprint, *(spec.fingerprint for spec in others)}) == 4


@needs_tokenizers
@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda folder: (folder / "model.safetensors").unlink(), "No such file"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "No such file"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "tokenizer.json cannot"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"x" * 99), "safetensors"),
        (
            lambda folder: write_tensors(folder / "model.safetensors", {"embeddings": rows()[:3]}),
            "do not belong together",
        ),
        (lambda folder: write_tensors(folder / "model.safetensors", {"a": rows()}), "no table"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused_with_the_reason(
    tmp_path: Path, damage: Any, reason: str
) -> None:
    folder = write_model(tmp_path / "m")
    damage(folder)
    with pytest.raises(BadSettings, match=f"embedder.model: .*{reason}"):
        load_table(str(folder))


def test_a_relative_path_is_refused() -> None:
    with pytest.raises(BadSettings, match="absolute"):
        load_table("models/m")


@pytest.mark.skipif(INSTALLED, reason="tokenizers is installed")
def test_without_the_extra_the_command_that_installs_it_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"pip install 'paparatsd\[model2vec\]'"):
        load_table(str(write_model(tmp_path / "m")))


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 99]},
        {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [2, 2], "data_offsets": [16, 0]},
        {"dtype": "F32", "shape": [-2, -2], "data_offsets": [0, 16]},
        {"dtype": "F32", "shape": [2, 2]},
        {"dtype": "F32", "shape": 4, "data_offsets": [0, 16]},
    ],
)
def test_a_damaged_head_is_refused(tmp_path: Path, entry: dict[str, Any]) -> None:
    head = json.dumps({"a": entry}).encode()
    path = tmp_path / "x.safetensors"
    path.write_bytes(len(head).to_bytes(8, "little") + head + bytes(16))
    with pytest.raises(ValueError, match=r"cut short|damaged"):
        read_tensors(path)


def test_arrays_of_other_types_are_left_out(tmp_path: Path) -> None:
    head = json.dumps({"a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}).encode()
    path = tmp_path / "x.safetensors"
    path.write_bytes(len(head).to_bytes(8, "little") + head + bytes(4))
    assert read_tensors(path) == {}
