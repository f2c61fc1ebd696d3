"""Reads arrays from a file of the safetensors format: a JSON head, then raw numbers.

https://github.com/huggingface/safetensors has the format: 8 bytes with the length of the head, the
head (name to type, shape and place), the data.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

MAX_HEAD_BYTES = 16 << 20
TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U8": "u1",
}  # fmt: skip


def read_tensors(path: Path) -> Mapping[str, NDArray[Any]]:
    """Return the arrays in a file by name, mapped and not read; other types are left out.

    Raises OSError, or ValueError when the file is no such file or cut short.
    """
    with path.open("rb") as file:
        head_bytes = int.from_bytes(file.read(8), "little")
        if head_bytes > MAX_HEAD_BYTES:
            raise ValueError("it is no safetensors file")
        head = json.loads(file.read(head_bytes))
    if not isinstance(head, dict):
        raise ValueError("it is no safetensors file")  # noqa: TRY004 - one class for all
    data = np.memmap(path, np.uint8, "r", offset=8 + head_bytes)
    return {
        name: _array(data, entry)
        for name, entry in head.items()
        if name != "__metadata__" and isinstance(entry, dict) and entry.get("dtype") in TYPES
    }


def _array(data: NDArray[np.uint8], entry: Mapping[str, Any]) -> NDArray[Any]:
    try:
        (start, end), shape = entry["data_offsets"], [int(size) for size in entry["shape"]]
        number = np.dtype(TYPES[entry["dtype"]])
        whole = 0 <= start <= end <= len(data) and min(shape, default=1) >= 0
        if not whole or end - start != math.prod(shape) * number.itemsize:
            raise ValueError("it is cut short or damaged")
    except (KeyError, TypeError) as error:
        raise ValueError("it is damaged") from error
    return np.asarray(data[start:end]).view(number).reshape(shape)
