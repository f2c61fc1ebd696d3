"""Models of sentence-transformers from a folder, whatever layers they have.

Needs the package `sentence-transformers` (extra of that name). Runs in the model process, which
has forbidden the package every download.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.embeddings.model_folder import digest_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.embeddings.embedder import FloatMatrix
    from paparatsd.embeddings.local_options import LocalOptions

CODE_VERSION = 1
"""Raise it when the same files would give other vectors than before."""
MARKS = ("modules.json", "config.json")
"""A folder of a model has one of these."""


@dataclass(frozen=True, slots=True)
class SentenceModel:
    """A loaded model."""

    model: Any
    dimension: int
    digest: str

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        """Return float32 [len(texts), dimension]; what stands around texts is in them already."""
        return _encode(self.model, texts)


def load(options: LocalOptions) -> SentenceModel:
    """Load the model in the folder `options.model`.

    Raises ValueError and OSError for what is no such model, ImportError without the package.
    """
    folder = Path(options.model)
    if not any((folder / name).is_file() for name in MARKS):
        raise ValueError(f"{folder} has neither {' nor '.join(MARKS)}")
    package = importlib.import_module("sentence_transformers")
    if options.threads:
        importlib.import_module("torch").set_num_threads(options.threads)
    try:
        model = package.SentenceTransformer(
            str(folder), local_files_only=True, trust_remote_code=False
        )
    except Exception as error:
        raise ValueError(f"the model cannot be loaded: {str(error)[:300]}") from error
    if options.max_tokens:
        model.max_seq_length = options.max_tokens
    files = sorted(path for path in folder.rglob("[!.]*") if path.is_file())
    names = [path.relative_to(folder).as_posix() for path in files]
    digest = digest_of(files, CODE_VERSION, names, options.max_tokens)
    return SentenceModel(model, int(_encode(model, ["a"]).shape[1]), digest)


def _encode(model: Any, texts: Sequence[str]) -> FloatMatrix:  # noqa: ANN401 - an untyped module
    rows = model.encode(
        list(texts),
        batch_size=len(texts),
        prompt="",  # not the model's usual one
        convert_to_numpy=True,
        normalize_embeddings=True,
        show_progress_bar=False,
    )
    found: FloatMatrix = np.asarray(rows, dtype=np.float32)
    return found
