"""What came of chunks comes back from its bytes; damage and missing commits are told apart."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paparatsd.commits import ChunkPast, Involvement, Role
from paparatsd.errors import StateCorrupt
from paparatsd.store.past_pack import pack_pasts, past_commits, unpack_pasts
from tests.harness.history_facts import cid

NUMBERS = {cid(n): n * n + 1 for n in range(40)}
IDS = {number: ident for ident, number in NUMBERS.items()}

INVOLVEMENTS = st.builds(
    Involvement,
    st.sampled_from(sorted(NUMBERS)),
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
    pack = pack_pasts(pasts, NUMBERS)

    assert unpack_pasts(pack, IDS) == tuple(pasts)
    named = {NUMBERS[one.commit] for past in pasts for one in past.commits}
    assert past_commits(pack) == sorted(named)


def test_a_chunk_with_few_commits_takes_a_few_bytes() -> None:
    commits = tuple(Involvement(cid(n), Role.AUTHOR, 10) for n in range(4))
    pasts = [ChunkPast(40 * n + 1, 40 * n + 40, commits) for n in range(20)]

    assert len(pack_pasts(pasts, NUMBERS)) < 20 * 13 + 10


def test_a_commit_without_an_id_is_no_damage() -> None:
    pack = pack_pasts([ChunkPast(1, 2, (Involvement(cid(3), Role.CARRIER, 0),))], NUMBERS)

    with pytest.raises(KeyError):
        unpack_pasts(pack, {})
    with pytest.raises(KeyError):
        pack_pasts([ChunkPast(1, 2, (Involvement(cid("?"), Role.AUTHOR, 0),))], NUMBERS)


def test_damaged_pasts_are_an_error_of_ours() -> None:
    chance = random.Random(7)  # noqa: S311 - a fixed stream
    commits = tuple(Involvement(cid(n), Role.AUTHOR, 1000) for n in range(9))
    pack = pack_pasts([ChunkPast(900, 1000, commits), ChunkPast(2000, 2100, commits)], NUMBERS)
    refused = 0
    for _ in range(300):
        damaged = bytearray(pack[: chance.randrange(len(pack) + 1)])
        if damaged:
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        try:
            unpack_pasts(bytes(damaged), IDS)
        except StateCorrupt:
            refused += 1
        except KeyError:
            continue
    assert refused > 100
