"""What came of chunks comes back from its bytes; damage is told."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from paparatsd.commits import ChunkPast, Involvement, Role
from paparatsd.errors import StateCorrupt
from paparatsd.store.past_pack import pack_pasts, unpack_pasts

NUMBERS = [n * n + 1 for n in range(40)]

INVOLVEMENTS = st.builds(
    Involvement,
    st.sampled_from(NUMBERS),
    st.sampled_from(Role),
    st.integers(0, 5000),
    st.booleans(),
)
PASTS = st.lists(
    st.builds(
        lambda start, size, commits, uncommitted, complete: ChunkPast(
            start, start + size, tuple(commits), uncommitted, complete
        ),
        st.integers(1, 100_000),
        st.integers(-1, 400),
        st.lists(INVOLVEMENTS, max_size=6),
        st.integers(0, 300),
        st.booleans(),
    ),
    max_size=6,
)


@settings(deadline=None)
@given(PASTS)
def test_pasts_come_back_as_they_were(pasts: list[ChunkPast]) -> None:
    assert unpack_pasts(pack_pasts(pasts)) == tuple(pasts)


def test_a_chunk_with_few_commits_takes_a_few_bytes() -> None:
    commits = tuple(Involvement(NUMBERS[n], Role.AUTHOR, 10) for n in range(4))
    pasts = [ChunkPast(40 * n + 1, 40 * n + 40, commits) for n in range(20)]

    assert len(pack_pasts(pasts)) < 20 * 13 + 10


def test_damaged_pasts_are_an_error_of_ours() -> None:
    chance = random.Random(7)  # noqa: S311 - a fixed stream
    commits = tuple(Involvement(NUMBERS[n], Role.AUTHOR, 1000) for n in range(9))
    pack = pack_pasts([ChunkPast(900, 1000, commits), ChunkPast(2000, 2100, commits)])
    refused = 0
    for _ in range(300):
        damaged = bytearray(pack[: chance.randrange(len(pack) + 1)])
        if damaged:
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        try:
            unpack_pasts(bytes(damaged))
        except StateCorrupt:
            refused += 1
    assert refused > 100
