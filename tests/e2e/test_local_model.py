"""The daemon with an embedding model from a folder."""

from __future__ import annotations

import importlib.util
import os
import signal
from pathlib import Path

import pytest

from tests.harness import oracle
from tests.harness.daemon import PACKAGE_ROOT, running_daemon
from tests.harness.model2vec_folder import write_model
from tests.harness.onnx_embedder import write_onnx
from tests.harness.repos import Repo, many_modules

SPEC = importlib.util.find_spec("tokenizers")
RUNTIME = importlib.util.find_spec("onnxruntime")


@pytest.mark.skipif(SPEC is None, reason="tokenizers is not installed")
async def test_a_model_from_a_folder_embeds_chunks_and_questions_inside_the_daemon(
    tmp_path: Path,
) -> None:
    assert SPEC is not None
    assert SPEC.origin is not None
    repo = Repo.create(tmp_path / "p", many_modules(12))
    options = {
        "PAPARATS_EMBEDDER_PROVIDER": "model2vec",
        "PAPARATS_EMBEDDER_MODEL": str(write_model(tmp_path / "m")),
        "PYTHONPATH": f"{PACKAGE_ROOT}:{Path(SPEC.origin).parents[1]}",
    }

    async with running_daemon(options) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        answer = await daemon.answer("where is the file of module_7 read")
        status = await daemon.status()

        assert answer["results"][0]["path"].endswith("module_7.py")
        assert not any("embedder" in note for note in answer["notes"])
        assert status["embedder"]["provider"] == "model2vec"
        assert status["outlets"] == []
        assert status["problems"] == []
        await oracle.assert_equal(daemon, "p")
        assert await daemon.stop() == 0
        assert await oracle.assert_points(daemon) == 12


@pytest.mark.skipif(SPEC is None or RUNTIME is None, reason="onnxruntime is not installed")
async def test_a_heavy_model_embeds_in_a_process_of_its_own_and_survives_its_end(
    tmp_path: Path,
) -> None:
    assert SPEC is not None
    assert SPEC.origin is not None
    repo = Repo.create(tmp_path / "p", many_modules(12))
    options = {
        "PAPARATS_EMBEDDER_PROVIDER": "onnx",
        "PAPARATS_EMBEDDER_MODEL": str(
            write_onnx(tmp_path / "m", pooling="pooling_mode_cls_token")
        ),
        "PYTHONPATH": f"{PACKAGE_ROOT}:{Path(SPEC.origin).parents[1]}",
    }

    async with running_daemon(options) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        answer = await daemon.answer("where is the file of module_7 read")
        status = await daemon.status()

        assert answer["results"][0]["path"].endswith("module_7.py")
        assert not any("embedder" in note for note in answer["notes"])
        assert status["embedder"]["provider"] == "onnx"
        assert status["outlets"] == []
        assert status["problems"] == []
        assert status["memory_bytes"]["model"] > 0
        await oracle.assert_equal(daemon, "p")

        os.kill(daemon.child_pid("embeddings.local_child"), signal.SIGKILL)
        again = await daemon.answer("how is the file of module_3 read")
        assert again["results"][0]["path"].endswith("module_3.py")
        repo.write("src/late.py", "def read_late_file():\n    return 'socket'\n")
        await daemon.settle("p")
        await daemon.wait_ready("p")
        assert await daemon.stop() == 0
        assert await oracle.assert_points(daemon) == 13
