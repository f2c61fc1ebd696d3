"""Reading what embedding services answer: vectors in their forms."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.embeddings.embedder import FloatMatrix


def rows_by_index(reply: Any, count: int, number_type: str) -> list[Any]:  # noqa: ANN401 - a stranger's
    """Return the embeddings of a list of objects, ordered by their index, if they have one.

    `number_type` is the type of the numbers in base64 form, as numpy writes it. Raises ValueError
    when one is missing.
    """
    items = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ValueError("no list of vectors")
    if len(items) != count:
        raise ValueError(f"{len(items)} vectors for {count} texts")
    by_index = {item.get("index", position): item for position, item in enumerate(items)}
    if set(by_index) != set(range(count)):
        raise ValueError("indexes that do not match the texts")
    return [_row(by_index[position].get("embedding"), number_type) for position in range(count)]


def _row(embedding: Any, number_type: str) -> Any:  # noqa: ANN401 - a stranger's
    """Undo the base64 form that some services prefer; everything else is left to the check."""
    if not isinstance(embedding, str):
        return embedding
    try:
        return np.frombuffer(base64.b64decode(embedding, validate=True), number_type)
    except (binascii.Error, ValueError):
        raise ValueError("a vector that is neither numbers nor base64") from None


def matrix_of(rows: Sequence[Any]) -> FloatMatrix:
    """Return equally long rows of numbers as float32; null becomes NaN.

    Some servers write null for a number that JSON does not have. Raises ValueError.
    """
    unequal = "vectors that are not equally long rows of numbers"
    with np.errstate(over="ignore"):
        try:
            numbers = np.array(rows)
        except ValueError:
            raise ValueError(unequal) from None
        if numbers.dtype == object:
            numbers = np.array([[_number(item) for item in row] for row in rows], dtype=np.float64)
        if numbers.ndim != 2 or numbers.dtype.kind not in "fiu":
            raise ValueError(unequal)
        matrix: FloatMatrix = numbers.astype(np.float32)
        return matrix


def _number(item: Any) -> float:  # noqa: ANN401 - a stranger's
    if item is None:
        return float("nan")
    if isinstance(item, str | bool):
        raise ValueError("a vector with something that is no number")  # noqa: TRY004 - one class
    return float(item)


def tokens_of(reply: Any, *path: str) -> int:  # noqa: ANN401 - a stranger's
    """Return the whole number at a path of a reply, 0 when there is none."""
    for name in path:
        reply = reply.get(name) if isinstance(reply, dict) else None
    return reply if isinstance(reply, int) and 0 <= reply < 1 << 40 else 0
