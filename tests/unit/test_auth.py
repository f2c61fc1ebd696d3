"""Bearer tokens."""

from __future__ import annotations

import pytest

from paparatsd.interfaces.auth import token_matches

TOKEN, OTHER = "correct-horse-battery-staple", "staple-battery-horse-correct"


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_token_is_accepted_whatever_the_case_of_the_scheme(scheme: str) -> None:
    assert token_matches([TOKEN], [f"{scheme} {TOKEN}".encode()])


@pytest.mark.parametrize("sent", [TOKEN, OTHER])
def test_each_of_several_tokens_is_accepted(sent: str) -> None:
    assert token_matches([TOKEN, OTHER], [f"Bearer {sent}".encode()])


@pytest.mark.parametrize(
    "sent",
    [
        [], [b""], [b"Bearer"], [b"Bearer "], [b"Basic " + TOKEN.encode()], [TOKEN.encode()],
        [b"Bearer " + TOKEN.encode()[:-1]], [b"Bearer " + TOKEN.encode() + b"x"],
        [b"Bearer " + TOKEN.encode()] * 2, [b"Bearer " + bytes(range(128, 256))],
        [f"Bearer {TOKEN}, {OTHER}".encode()], [f"Bearer {TOKEN}{OTHER}".encode()],
    ],
)  # fmt: skip
def test_anything_else_is_not_and_nothing_raises(sent: list[bytes]) -> None:
    assert not token_matches([TOKEN, OTHER], sent)


def test_where_there_is_no_token_none_is_right() -> None:
    assert not token_matches([], [b"Bearer " + TOKEN.encode()])
    assert not token_matches([], [b"Bearer "])


def test_every_token_is_compared_whichever_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []

    def compare(sent: bytes, expected: bytes) -> bool:
        compared.append(expected)
        return sent == expected

    monkeypatch.setattr("paparatsd.interfaces.auth.compare_digest", compare)
    assert token_matches([TOKEN, OTHER, "short"], [f"Bearer {TOKEN}".encode()])
    assert len(compared) == 3
    assert {len(one) for one in compared} == {32}
