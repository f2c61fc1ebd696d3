"""Writes a cross-encoder in ONNX form that is small enough to read.

Its score is the number of tokens of the pair that are the token `hit`, times ten, minus five: one
logit, or for `classes=2` a logit of no and one of yes. Written by hand in the protobuf form of
https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, so that no exporter is needed.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "hit", "miss", "where", "is", "it")
FLOAT, INT64 = 1, 7


def write_cross_encoder(folder: Path, *, classes: int = 1, poison: bool = False) -> Path:
    """Write model.onnx and tokenizer.json into a new folder and return it.

    `poison`: each score is NaN.
    """
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(_model(classes, poison=poison))
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer()))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"pad_token": "[PAD]", "model_max_length": 64})
    )
    return folder


def _tokenizer() -> dict[str, object]:
    special = {"id": "[CLS]", "type_id": 0}, {"id": "[SEP]", "type_id": 0}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": special[0]}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [
                {"SpecialToken": special[0]},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": special[1]},
                {"Sequence": {"id": "B", "type_id": 1}},
            ],
            "special_tokens": {
                "[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]},
            },
        },
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: at for at, word in enumerate(WORDS)},
            "unk_token": "[UNK]",
        },
    }


# ------------------------------------------------------------------ protobuf, as little as it takes


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _tensor(name: str, kind: int, shape: tuple[int, ...], raw: bytes) -> bytes:
    dims = b"".join(_number(1, size) for size in shape)
    return dims + _number(2, kind) + _bytes(8, name) + _bytes(9, raw)


def _value(name: str, kind: int, shape: tuple[str | int, ...]) -> bytes:
    dims = b"".join(
        _bytes(1, _bytes(2, size) if isinstance(size, str) else _number(1, size)) for size in shape
    )
    kinds = _number(1, kind) + _bytes(2, dims)
    return _bytes(1, name) + _bytes(2, _bytes(1, kinds))


def _node(kind: str, inputs: tuple[str, ...], output: str, attributes: bytes = b"") -> bytes:
    return (
        b"".join(_bytes(1, one) for one in inputs)
        + _bytes(2, output)
        + _bytes(4, kind)
        + attributes
    )


def _integer_attribute(name: str, value: int) -> bytes:
    return _bytes(5, _bytes(1, name) + _number(3, value) + _number(20, 2))


def _model(classes: int, *, poison: bool) -> bytes:
    """Return the graph: Equal, Cast, ReduceSum, Mul, Add; for two classes Concat with zeros."""
    nan = float("nan")
    constants = [
        _tensor("hit", INT64, (), struct.pack("<q", WORDS.index("hit"))),
        _tensor("ten", FLOAT, (), struct.pack("<f", nan if poison else 10.0)),
        _tensor("less", FLOAT, (), struct.pack("<f", -5.0)),
        _tensor("axis", INT64, (1,), struct.pack("<q", 1)),
    ]
    nodes = [
        _node("Equal", ("input_ids", "hit"), "same"),
        _node("Cast", ("same",), "ones", _integer_attribute("to", FLOAT)),
        _node("ReduceSum", ("ones", "axis"), "count", _integer_attribute("keepdims", 1)),
        _node("Mul", ("count", "ten"), "many"),
        _node("Add", ("many", "less"), "yes" if classes == 2 else "logits"),
    ]
    if classes == 2:
        nodes += [
            _node("Sub", ("less", "less"), "nil"),
            _node("Mul", ("yes", "nil"), "no"),
            _node("Concat", ("no", "yes"), "logits", _integer_attribute("axis", 1)),
        ]
    inputs = [_value(name, INT64, ("n", "m")) for name in ("input_ids", "attention_mask")]
    graph = b"".join(_bytes(1, node) for node in nodes) + _bytes(2, "pairs")
    graph += b"".join(_bytes(5, one) for one in constants)
    graph += b"".join(_bytes(11, one) for one in inputs)
    graph += _bytes(12, _value("logits", FLOAT, ("n", classes)))
    opset = _bytes(1, "") + _number(2, 13)
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, opset)
