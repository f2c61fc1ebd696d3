"""Hunks and numbers come back as they were; bytes that nobody made are an error of ours."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paparatsd.commits import Hunk
from paparatsd.errors import StateCorrupt
from paparatsd.store.hunk_pack import pack_hunks, unpack_hunks
from paparatsd.store.varints import (
    pack_ascending,
    pack_numbers,
    unpack_ascending,
    unpack_numbers,
    unzigzag,
    zigzag,
)

NUMBERS = st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 300))


@st.composite
def as_git_writes(draw: st.DrawFn) -> tuple[Hunk, ...]:
    """Make hunks by walking down two texts side by side."""
    out = []
    old = new = 1
    for _ in range(draw(st.integers(0, 12))):
        same = draw(st.integers(0, 5) | st.integers(0, 100_000))
        removed, added = draw(st.tuples(st.integers(0, 300), st.integers(0, 300)).filter(any))
        old, new = old + same, new + same
        out.append(Hunk(old - (not removed), removed, new - (not added), added))
        old, new = old + removed, new + added
    return tuple(out)


@settings(deadline=None)
@given(as_git_writes())
def test_hunks_come_back_as_git_wrote_them(hunks: tuple[Hunk, ...]) -> None:
    assert unpack_hunks(pack_hunks(hunks)) == hunks


@settings(deadline=None)
@given(st.lists(st.builds(Hunk, *[st.integers(0, 1 << 40)] * 4), max_size=8))
def test_hunks_that_do_not_fit_together_come_back_too(hunks: list[Hunk]) -> None:
    assert unpack_hunks(pack_hunks(hunks)) == tuple(hunks)


@pytest.mark.parametrize(
    ("hunks", "size"),
    [
        ((), 0),
        ((Hunk(0, 0, 1, 40),), 3),
        ((Hunk(1, 40, 0, 0),), 3),
        ((Hunk(10, 1, 10, 2), Hunk(30, 0, 32, 3), Hunk(40, 2, 43, 0)), 9),
        ((Hunk(1000, 1, 1000, 1),), 4),
    ],
)
def test_usual_hunks_take_three_bytes_each(hunks: tuple[Hunk, ...], size: int) -> None:
    assert len(pack_hunks(hunks)) == size
    assert unpack_hunks(pack_hunks(hunks)) == hunks


def test_damaged_hunks_are_an_error_of_ours_or_other_hunks() -> None:
    chance = random.Random(5)  # noqa: S311 - a fixed stream
    pack = pack_hunks([Hunk(1000 * n, 3, 1000 * n, 3) for n in range(1, 20)])
    refused = 0
    for _ in range(300):
        damaged = bytearray(pack[: chance.randrange(1, len(pack) + 1)])
        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            unpack_hunks(bytes(damaged))
        except StateCorrupt:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize("pack", [b"\x80", b"\xff" * 10 + b"\x01", b"\x01\x02", b"\0", b"\0\x01"])
def test_bytes_that_are_no_hunks_are_refused(pack: bytes) -> None:
    with pytest.raises(StateCorrupt, match="restart"):
        unpack_hunks(pack)


def test_numbers_that_cannot_be_packed_are_refused() -> None:
    for values in ([-1], [1 << 63]):
        with pytest.raises(ValueError, match="numbers"):
            pack_numbers(values)
    with pytest.raises(ValueError, match="numbers"):
        pack_hunks([Hunk(5, -1, 5, 1)])


@settings(deadline=None)
@given(NUMBERS)
def test_numbers_come_back_in_order(values: list[int]) -> None:
    assert unpack_numbers(pack_numbers(values)) == values
    assert unpack_ascending(pack_ascending(sorted(values))) == sorted(values)


@settings(deadline=None)
@given(st.integers(-(1 << 61), 1 << 61))
def test_numbers_of_either_sign_survive_the_fold(value: int) -> None:
    assert zigzag(value) >= 0
    assert unzigzag(zigzag(value)) == value
