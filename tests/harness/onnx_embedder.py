"""Writes tiny ONNX models for tests: a graph that looks tokens up in a table.

The file format is protocol buffers, of which as much is written here as the graph needs
(https://github.com/onnx/onnx/blob/main/onnx/onnx.proto has the numbers of the fields).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.harness.model2vec_folder import rows, write_tokenizer

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

FLOAT, INT64 = 1, 7
INPUTS = ("input_ids", "attention_mask")


def varint(number: int) -> bytes:
    """Return a whole number as protocol buffers have it."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def field(number: int, value: bytes | str | int) -> bytes:
    """Return one field of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def value_info(name: str, kind: int, sizes: tuple[str | int, ...]) -> bytes:
    """Return what a graph takes or returns."""
    dims = b"".join(
        field(1, field(1, size) if isinstance(size, int) else field(2, size)) for size in sizes
    )
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dims)))


def node(kind: str, inputs: tuple[str, ...], output: str, *attributes: bytes) -> bytes:
    """Return one step of a graph."""
    taken = b"".join(field(1, name) for name in inputs)
    return (
        taken
        + field(2, output)
        + field(3, output)
        + field(4, kind)
        + b"".join(field(5, attribute) for attribute in attributes)
    )


def graph_of(table: NDArray[np.float32], *, pooled: bool, inputs: tuple[str, ...]) -> bytes:
    """Return a model that gives each token its row, and if `pooled` also their plain mean."""
    size = int(table.shape[1])
    initializer = (
        b"".join(field(1, int(side)) for side in table.shape)
        + field(2, FLOAT)
        + field(8, "table")
        + field(9, table.tobytes())
    )
    steps = [node("Gather", ("table", inputs[0]), "last_hidden_state")]
    outputs = [value_info("last_hidden_state", FLOAT, ("n", "t", size))]
    if pooled:
        axes = field(1, "axes") + field(8, 1) + field(20, 7)
        keep = field(1, "keepdims") + field(3, 0) + field(20, 2)
        steps.append(node("ReduceMean", ("last_hidden_state",), "sentence_embedding", axes, keep))
        outputs.append(value_info("sentence_embedding", FLOAT, ("n", size)))
    graph = (
        b"".join(field(1, step) for step in steps)
        + field(2, "tiny")
        + field(5, initializer)
        + b"".join(field(11, value_info(name, INT64, ("n", "t"))) for name in inputs)
        + b"".join(field(12, one) for one in outputs)
    )
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


def write_onnx(
    folder: Path,
    *,
    pooling: str = "",
    table: NDArray[np.float32] | None = None,
    file: str = "model.onnx",
    pooled: bool = False,
    inputs: tuple[str, ...] = INPUTS,
) -> Path:
    """Write a model that reads four tokens; `pooling` is one of the names in its configuration."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    chosen = rows() if table is None else table
    path.write_bytes(graph_of(chosen, pooled=pooled, inputs=inputs))
    write_tokenizer(folder / "tokenizer.json")
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 4}))
    if pooling:
        (folder / "1_Pooling").mkdir(exist_ok=True)
        (folder / "1_Pooling" / "config.json").write_text(json.dumps({pooling: True}))
    return folder
