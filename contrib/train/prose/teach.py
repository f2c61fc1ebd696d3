"""What the teacher says of texts: a vector each, of every text and of every entry of a vocabulary.

    python -m contrib.train.prose.teach TEACHER TEXTS.pkl VOCABULARY OUT.npz

TEACHER is a folder with the teacher as model.onnx beside its tokenizer.json, as the provider
`onnx` takes it; needs what that provider needs.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.embeddings.local_options import LocalOptions
from paparatsd.embeddings.onnx_model import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.embeddings.onnx_model import OnnxModel

MAX_TOKENS = 96
BATCH = 24
NO_WORD = "."
"""Stands for an entry that is nothing but the mark of an inner piece."""


def main(teacher: Path, texts: Path, vocabulary: Path, out: Path) -> None:
    model = load(
        LocalOptions(provider="onnx", model=str(teacher), max_tokens=MAX_TOKENS, threads=1)
    )
    entries = [one.removeprefix("##") or NO_WORD for one in vocabulary.read_text().split("\n")]
    content = pickle.loads(texts.read_bytes())
    np.savez(out, texts=encoded(model, content["texts"]), entries=encoded(model, entries))


def encoded(model: OnnxModel, texts: Sequence[str]) -> NDArray[np.float16]:
    """Return vectors of length 1, in the order of the texts; alike ones by length are together."""
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    rows = np.zeros((len(texts), model.dimension), np.float16)
    for start in range(0, len(order), BATCH):
        some = order[start : start + BATCH]
        found = model.encode([texts[at] for at in some])
        rows[some] = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    return rows


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:5]))
