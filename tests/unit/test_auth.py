"""The bearer token."""

from __future__ import annotations

import pytest

from paparatsd.interfaces.auth import token_matches

TOKEN = "correct-horse-battery-staple"


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_token_is_accepted_whatever_the_case_of_the_scheme(scheme: str) -> None:
    assert token_matches(TOKEN, [f"{scheme} {TOKEN}".encode()])


@pytest.mark.parametrize(
    "sent",
    [
        [], [b""], [b"Bearer"], [b"Bearer "], [b"Basic " + TOKEN.encode()], [TOKEN.encode()],
        [b"Bearer " + TOKEN.encode()[:-1]], [b"Bearer " + TOKEN.encode() + b"x"],
        [b"Bearer " + TOKEN.encode()] * 2, [b"Bearer " + bytes(range(128, 256))],
    ],
)  # fmt: skip
def test_anything_else_is_not_and_nothing_raises(sent: list[bytes]) -> None:
    assert not token_matches(TOKEN, sent)
