"""What it means when an endpoint does not give what was asked for, and what its error says."""

from __future__ import annotations

import email.utils
import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paparatsd.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")
_TOO_LONG = re.compile(
    r"context (?:length|size|window)|too (?:large|long)|maximum (?:context|allowed|number of)"
    r"|must have less than|exceeds? the (?:max|limit)|physical batch size",
    re.IGNORECASE,
)
_TOO_MANY = re.compile(
    r"batch size|too many (?:texts|documents|inputs)|(?:number|list) of (?:texts|documents)"
    r"|documents? (?:cannot|must not|may not) exceed",
    re.IGNORECASE,
)
_TOKENS = re.compile(
    r"(\d{1,9})(?= (?:\w+ )?tokens\b)|\b(?:size|given):? (\d{1,9})\b", re.IGNORECASE
)
LONGEST_WAIT_S = 86_400.0


class LeftAlone(Unavailable):
    """Nothing was sent: the endpoint asked to be left alone, or a pace was set."""


class TooSlow(Unavailable):
    """No answer within the deadline."""


class Rejected(Unavailable):
    """The endpoint refuses what is configured (key, model, address); trying again is no use."""


class TryLater(Unavailable):
    """A failure that may pass; `after_s` is how long the endpoint asked us to wait.

    `crowded`: there were too many requests.
    """

    def __init__(
        self, message: str, after_s: float | None = None, *, crowded: bool = False
    ) -> None:
        super().__init__(message)
        self.after_s = after_s
        self.crowded = crowded


class ServerFailed(TryLater):
    """The server failed at this request, perhaps at one of its texts."""


class InputRefused(Unavailable):
    """The endpoint refuses these texts, or their number (`too_many`: it says so).

    `fits`: which part of a text would have been short enough, 0 when that is not told.
    """

    def __init__(self, message: str, *, too_many: bool = False, fits: float = 0.0) -> None:
        super().__init__(message)
        self.too_many = too_many
        self.fits = fits


@dataclass(frozen=True, slots=True)
class Speech:
    """How failures of one kind of endpoint are told: in which words, as which classes.

    `subject` begins sentences ("the embedding endpoint"), `section` is that of its settings.
    """

    subject: str
    section: str
    alone: type[Unavailable] = LeftAlone
    too_slow: type[Unavailable] = TooSlow
    later: type[TryLater] = TryLater
    failed: type[ServerFailed] = ServerFailed
    input: type[InputRefused] = InputRefused
    refused: type[Unavailable] = Rejected


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


def says_too_many(data: bytes) -> bool:
    """Say whether an error reply complains of the number of texts, not of their length."""
    return any(
        _TOO_MANY.search(text[:2_000]) and "physical batch" not in text for text in _messages(data)
    )


def part_that_fits(data: bytes) -> float:
    """Return the part of a text that an error reply says is short enough, 0 when it does not.

    Such replies name the limit and the length, in either order: "input (532 tokens) is too large
    (current batch size: 512)", "must have less than 512 tokens. Given: 532".
    """
    for text in _messages(data):
        if not _TOO_LONG.search(text[:2_000]):
            continue
        counts = {int(found[1] or found[2]) for found in _TOKENS.finditer(text[:2_000])} - {0}
        if len(counts) > 1:
            given, limit = sorted(counts, reverse=True)[:2]
            return limit / given
    return 0.0


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
