"""Reading what embedding services answer: vectors in their forms, and what refusals mean."""

from __future__ import annotations

import base64
import binascii
import email.utils
import json
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.embeddings.embedder import FloatMatrix

_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")
_TOO_LONG = re.compile(
    r"context (?:length|size|window)|too (?:large|long)|maximum (?:context|allowed|number of)"
    r"|must have less than|exceeds? the (?:max|limit)|physical batch size",
    re.IGNORECASE,
)
LONGEST_WAIT_S = 86_400.0


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


def error_code(data: bytes) -> str:
    """Return the short code of an error reply ("" without); never its text, it may repeat ours."""
    document = _document(data)
    error = document.get("error")
    # The code stands in an object of its own, or beside the message; as a number it says nothing.
    for place in (error if isinstance(error, dict) else {}, document):
        for name in ("code", "type", "error_type"):
            code = place.get(name)
            if isinstance(code, str) and _CODE.fullmatch(code):
                return code
    return ""


def says_too_long(data: bytes) -> bool:
    """Say whether an error reply complains of the length of what was sent."""
    return any(_TOO_LONG.search(text[:2_000]) for text in _messages(data))


def says_model(data: bytes) -> bool:
    """Say whether an error reply speaks of the model, not of the address."""
    return any("model" in text[:2_000].lower() for text in _messages(data))


def _messages(data: bytes) -> list[str]:
    """Return the sentences of an error reply; they are looked at and never shown."""
    document = _document(data)
    error = document.get("error")
    texts = [document.get("message"), document.get("detail"), error]
    if isinstance(error, dict):
        texts.append(error.get("message"))
    return [text for text in texts if isinstance(text, str)]


def _document(data: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Read Retry-After: seconds, or a date, which is compared with the server's own clock."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            until = email.utils.parsedate_to_datetime(value)
            now = email.utils.parsedate_to_datetime(headers.get("date", ""))
            seconds = (until - now).total_seconds()
        except (ValueError, TypeError):
            return None
    return None if math.isnan(seconds) else max(0.0, min(seconds, LONGEST_WAIT_S))
