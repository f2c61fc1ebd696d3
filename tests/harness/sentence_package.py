"""A stand-in of the package sentence-transformers, as far as its documentation says we may use it.

The real one brings a gigabyte of libraries along. This one takes the same arguments, refuses any
other, and writes down what it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PACKAGE = """
import json, os, pathlib
import numpy as np
import torch

class SentenceTransformer:
    def __init__(self, model_name_or_path, *, local_files_only=False, trust_remote_code=False):
        self.folder = pathlib.Path(model_name_or_path)
        self.opened = [model_name_or_path, {"local_files_only": local_files_only,
                                            "trust_remote_code": trust_remote_code}]
        self.max_seq_length = 512
        self.texts = []

    def encode(self, sentences, *, batch_size=32, prompt=None, convert_to_numpy=True,
               normalize_embeddings=False, show_progress_bar=None):
        assert normalize_embeddings and convert_to_numpy and show_progress_bar is False
        if sentences != ["a"]:
            self.texts.append(sentences)
        said = {"opened": self.opened, "texts": self.texts, "prompt": prompt,
                "max_seq_length": self.max_seq_length, "threads": torch.threads,
                "offline": [os.environ["HF_HUB_OFFLINE"], os.environ["TRANSFORMERS_OFFLINE"]]}
        (self.folder / "calls.json").write_text(json.dumps(said))
        rows = np.array([[1.0, len(text), 2.0] for text in sentences], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
"""
TORCH = """
threads = 0
def set_num_threads(number):
    global threads
    threads = number
"""


def write_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the package into a folder and let this process and its children import it."""
    packages = folder / "packages"
    packages.mkdir()
    (packages / "sentence_transformers.py").write_text(PACKAGE)
    (packages / "torch.py").write_text(TORCH)
    monkeypatch.syspath_prepend(str(packages))
    monkeypatch.setenv("PYTHONPATH", str(packages))
