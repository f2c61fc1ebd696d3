"""Bearer tokens of the TCP listener. Making and reading the token's file is in private_file.py."""

from __future__ import annotations

from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEME = b"bearer"


def token_matches(expected: Sequence[str], authorizations: Sequence[bytes]) -> bool:
    """Say whether the one Authorization header carries one of the tokens, in constant time.

    Digests are compared, so that neither the length of a token nor how much of it was right
    shows, and every token is compared, whichever matched. What is sent is bytes: `compare_digest`
    raises on text that is not ASCII, which a stranger may send.
    """
    value = authorizations[0] if len(authorizations) == 1 else b""
    scheme, _, token = value.partition(b" ")
    sent = sha256(token.strip(b" ")).digest()
    matches = False
    for one in expected:
        matches |= compare_digest(sent, sha256(one.encode("utf-8")).digest())
    return matches and scheme.lower() == SCHEME
