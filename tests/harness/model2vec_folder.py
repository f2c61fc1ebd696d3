"""Writes small model2vec folders for tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

TYPES = {"float32": "F32", "float16": "F16", "int8": "I8", "int64": "I64", "float64": "F64"}
WORDS = ("[UNK]", "read", "write", "file", "##s", "socket")


def write_tensors(path: Path, tensors: Mapping[str, NDArray[Any]]) -> None:
    """Write a safetensors file."""
    head: dict[str, Any] = {"__metadata__": {"format": "np"}}
    data = b""
    for name, tensor in tensors.items():
        end = len(data) + tensor.nbytes
        kind = TYPES[tensor.dtype.name]
        head[name] = {
            "dtype": kind, "shape": list(tensor.shape), "data_offsets": [len(data), end],
        }  # fmt: skip
        data += tensor.tobytes()
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def write_tokenizer(path: Path) -> None:
    """Write a word piece tokenizer that knows WORDS."""
    tokenizer: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
            "strip_accents": None, "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: number for number, word in enumerate(WORDS)},
        },
    }  # fmt: skip
    path.write_text(json.dumps(tokenizer))


def rows(dtype: str = "float32") -> NDArray[Any]:
    """Return one row of 16 numbers for each of WORDS."""
    drawn = np.random.default_rng(1).standard_normal((len(WORDS), 16))
    return (drawn * 40).astype(np.int8) if dtype == "int8" else drawn.astype(dtype)


def write_model(folder: Path, **tensors: NDArray[Any]) -> Path:
    """Write a model; `embeddings` is `rows()` unless given."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tensors(folder / "model.safetensors", {"embeddings": rows(), **tensors})
    write_tokenizer(folder / "tokenizer.json")
    (folder / "config.json").write_text(json.dumps({"normalize": True, "max_length": 4}))
    return folder
