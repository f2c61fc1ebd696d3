"""What the head of an HTTP request may look like, before a parser sees it. Pure.

Stricter than h11: where two readers could disagree about where a request ends, it is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

END = b"\r\n\r\n"
_BARE_LF = re.compile(rb"(?<!\r)\n")
_BARE_CR = re.compile(rb"\r(?!\n)(?!\Z)")
_FRAMING = re.compile(rb"^(content-length|transfer-encoding)[ \t]*:", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HeadLimits:
    """Sizes of a request head in bytes, and its number of lines."""

    max_target_bytes: int = 8 << 10
    max_head_bytes: int = 32 << 10
    max_headers: int = 100


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a request is refused: status, code and a sentence."""

    status: int
    code: str
    message: str


def find_fault(data: bytes, limits: HeadLimits) -> Fault | None:
    """Say what is wrong with a request head, or None; `data` may end before the head does."""
    end = data.find(END)
    head = data if end < 0 else data[: end + 2]
    first_line = head.find(b"\r\n")
    first_length = len(head) if first_line < 0 else first_line
    if first_length > limits.max_target_bytes:
        return Fault(414, "target_too_long", "the request target is too long")
    if len(head) > limits.max_head_bytes or head.count(b"\n") > limits.max_headers + 1:
        return Fault(431, "headers_too_large", "the request headers are too many or too long")
    if b"\0" in head or _BARE_LF.search(head) or _BARE_CR.search(head):
        return Fault(400, "bad_http", "lines of the request head must end with CR LF")
    if b"\r\n " in head or b"\r\n\t" in head:
        return Fault(400, "bad_http", "folded headers are not accepted")
    if end >= 0 and len(_FRAMING.findall(head)) > 1:
        return Fault(400, "bad_http", "the length of the request is given more than once")
    return None
