"""The model process: a real one, with a tiny ONNX model or a stand-in of sentence-transformers."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import signal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from paparatsd.embeddings.local import check_packages, open_local
from paparatsd.errors import BadSettings, EmbedderUnavailable
from paparatsd.settings import EmbedderSettings
from tests.harness.model2vec_folder import WORDS, rows
from tests.harness.onnx_embedder import write_onnx
from tests.harness.sentence_package import write_package

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.embeddings.local import LocalEmbedder

MISSING = [name for name in ("onnxruntime", "tokenizers") if importlib.util.find_spec(name) is None]
needs_onnx = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")


async def opened(folder: Path, provider: str = "onnx", **settings: Any) -> LocalEmbedder:
    chosen = EmbedderSettings(provider=provider, model=str(folder), threads=1, **settings)
    return await open_local(chosen, text_version=1)


def mean_of(*words: str) -> Any:
    total = np.sum([rows()[WORDS.index(word)] for word in words], axis=0)
    return pytest.approx(total / np.linalg.norm(total), abs=1e-5)


@needs_onnx
async def test_texts_and_questions_get_vectors_of_length_one_in_their_order(tmp_path: Path) -> None:
    model = await opened(write_onnx(tmp_path / "m"), batch_texts=2)
    try:
        texts = ["read write file", "socket", "read files", "", "write"]
        answer, question = await asyncio.gather(
            model.embed_documents(texts), model.embed_query("socket read")
        )
    finally:
        await model.close()

    assert answer.vectors[0] == mean_of("read", "write", "file")
    assert answer.vectors[1] == mean_of("socket")
    assert answer.vectors[2] == mean_of("read", "file", "##s")
    assert answer.vectors[4] == mean_of("write")
    assert np.linalg.norm(answer.vectors, axis=1) == pytest.approx(np.ones(5))
    assert answer.failed == ()
    assert question == mean_of("socket", "read")


@needs_onnx
async def test_a_text_whose_vector_is_not_a_number_fails_alone(tmp_path: Path) -> None:
    table = rows()
    table[WORDS.index("socket")] = np.nan
    model = await opened(write_onnx(tmp_path / "m", table=table))
    try:
        answer = await model.embed_documents(["read", "socket", "write"])
    finally:
        await model.close()
    assert answer.failed == (1,)
    assert answer.vectors[0] == mean_of("read")
    assert answer.vectors[2] == mean_of("write")


@needs_onnx
async def test_a_model_process_that_was_killed_is_started_again_and_gives_the_same(
    tmp_path: Path,
) -> None:
    model = await opened(write_onnx(tmp_path / "m"))
    try:
        before = await model.embed_query("read file")
        assert model.pid is not None
        os.kill(model.pid, signal.SIGKILL)
        with pytest.raises(EmbedderUnavailable, match="model has ended"):
            await asyncio.gather(*(model.embed_query("read file") for _ in range(200)))
        assert np.array_equal(await model.embed_query("read file"), before)
    finally:
        await model.close()


@needs_onnx
async def test_templates_and_files_make_the_fingerprint(tmp_path: Path) -> None:
    folder = write_onnx(tmp_path / "m")
    specs = []
    for more in ({}, {"document_template": "read {text}"}, {"max_tokens": 2}):
        model = await opened(folder, **more)
        specs.append(model.spec)
        if "document_template" in more:
            (row,) = (await model.embed_documents(["file"])).vectors
            assert row == mean_of("read", "file")
        await model.close()
    assert len({spec.fingerprint for spec in specs}) == 3
    assert (specs[0].provider, specs[0].model, specs[0].dimension) == ("onnx", "m", 16)


@needs_onnx
async def test_a_folder_without_a_model_is_told_with_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"embedder.model: .* cannot be used with onnx: no model"):
        await opened(tmp_path)


@pytest.mark.parametrize("model", ["sentence-transformers/all-MiniLM-L6-v2", "/no/such/folder"])
async def test_the_name_of_a_model_on_a_hub_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: str
) -> None:
    write_package(tmp_path, monkeypatch)
    with pytest.raises(BadSettings, match=r"absolute path of a folder .* not downloaded"):
        await open_local(
            EmbedderSettings(provider="sentence-transformers", model=model), text_version=1
        )


@pytest.mark.parametrize("provider", ["onnx", "sentence-transformers"])
def test_without_the_extra_the_command_that_installs_it_is_told(
    monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(BadSettings, match=rf"pip install 'paparatsd\[{provider}\]'"):
        check_packages(provider)


async def test_sentence_transformers_gets_a_folder_and_no_network(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_package(tmp_path, monkeypatch)
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "modules.json").write_text("[]")
    (folder / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "ask: ", "document": "say: "}})
    )

    model = await opened(folder, "sentence-transformers", max_tokens=99)
    try:
        answer = await model.embed_documents(["a", "bb"])
        question = await model.embed_query("a")
        spec = model.spec
    finally:
        await model.close()

    said = json.loads((folder / "calls.json").read_text())
    assert said["opened"] == [str(folder), {"local_files_only": True, "trust_remote_code": False}]
    assert said["offline"] == ["1", "1"]
    assert said["threads"] == 1
    assert said["max_seq_length"] == 99
    assert said["texts"] == [["say: a", "say: bb"], ["ask: a"]]
    assert said["prompt"] == ""
    assert spec.dimension == 3
    assert np.linalg.norm(answer.vectors, axis=1) == pytest.approx([1, 1])
    assert question.shape == (3,)
