"""The bearer token of the TCP listener. Making and reading its file is in private_file.py."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEME = b"bearer"


def token_matches(expected: str, authorizations: Sequence[bytes]) -> bool:
    """Say whether the one Authorization header carries the token, in constant time.

    Compares bytes: `compare_digest` raises on text that is not ASCII, which a stranger may send.
    """
    value = authorizations[0] if len(authorizations) == 1 else b""
    scheme, _, token = value.partition(b" ")
    matches = compare_digest(token.strip(b" "), expected.encode("utf-8"))
    return matches and scheme.lower() == SCHEME
