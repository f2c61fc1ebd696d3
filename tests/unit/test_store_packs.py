"""What is packed comes out as it went in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paparatsd.errors import StateCorrupt
from paparatsd.model import Chunk, Fact, Symbol, Use
from paparatsd.store.names import fold_name, storable
from paparatsd.store.packs import (
    pack_chunks,
    pack_counts,
    pack_facts,
    pack_symbols,
    pack_uses,
    unpack_chunks,
    unpack_counts,
    unpack_facts,
    unpack_symbols,
    unpack_used_names,
    unpack_uses,
)

TEXT = st.text(max_size=20)
NUMBER = st.integers(0, 10_000)
CHUNKS = st.builds(
    Chunk,
    ordinal=NUMBER,
    start_line=NUMBER,
    end_line=NUMBER,
    kind=TEXT,
    name=st.none() | TEXT,
    fragment=TEXT,
    text=st.text(st.characters(), max_size=60),
)
SYMBOLS = st.builds(
    Symbol,
    name=TEXT,
    qualified=TEXT,
    kind=TEXT,
    start_line=NUMBER,
    end_line=NUMBER,
    signature=TEXT,
    doc=TEXT,
    parent=st.integers(-1, 50),
    chunk=NUMBER,
    container=st.booleans(),
    exported=st.booleans(),
)
USES = st.builds(Use, name=TEXT, kind=TEXT, line=NUMBER, receiver=TEXT, target=TEXT)


@settings(max_examples=40, deadline=None)
@given(st.lists(CHUNKS, max_size=4), st.lists(SYMBOLS, max_size=4), st.lists(USES, max_size=6))
def test_packs_return_what_they_were_given(
    chunks: list[Chunk], symbols: list[Symbol], uses: list[Use]
) -> None:
    assert unpack_chunks(pack_chunks(chunks)) == tuple(chunks)
    assert unpack_symbols(pack_symbols(symbols)) == tuple(symbols)
    assert unpack_uses(pack_uses(uses)) == tuple(uses)


def test_used_names_come_by_line_and_without_the_kind_left_out() -> None:
    uses = [Use("b", "call", 7), Use("os", "import", 1), Use("a", "call", 7), Use("c", "type", 2)]
    assert unpack_used_names(pack_uses(uses), {"import"}) == ([2, 7, 7], ["c", "b", "a"])
    assert unpack_used_names(pack_uses(uses), {"other"})[1] == ["os", "c", "b", "a"]
    assert unpack_used_names(pack_uses([]), {"import"}) == ([], [])


def test_lone_surrogates_and_nul_survive_in_chunk_texts() -> None:
    chunk = Chunk(0, 1, 1, "block", None, "~", "a\ud800b\x00\n")

    assert unpack_chunks(pack_chunks([chunk])) == (chunk,)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.integers(0, 2**32 - 1), st.integers(-(2**31), 2**31 - 1), max_size=50))
def test_counts_return_what_they_were_given(counts: dict[int, int]) -> None:
    ids = np.array(sorted(counts), np.uint32)
    values = np.array([counts[int(ident)] for ident in ids], np.int32)

    back_ids, back_values = unpack_counts(pack_counts(ids, values))

    assert back_ids.tolist() == ids.tolist()
    assert back_values.tolist() == values.tolist()
    assert back_ids.dtype == np.uint32
    assert back_values.dtype == np.int32


@pytest.mark.parametrize("damage", [b"", b"garbage", pack_chunks([])[:-3]])
def test_a_damaged_pack_is_said_to_be_corrupt(damage: bytes) -> None:
    with pytest.raises(StateCorrupt):
        unpack_chunks(damage)
    with pytest.raises(StateCorrupt):
        unpack_counts(damage)


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Session.refreshToken", "refreshtoken"),
        ("Foo::Bar", "bar"),
        ("Straße", "strasse"),
        ("plain", "plain"),
        ("trailing.", "trailing"),
        ("::", "::"),
        ("", ""),
    ],
)
def test_names_fold_to_their_last_part(name: str, folded: str) -> None:
    assert fold_name(name) == folded


def test_names_with_lone_surrogates_become_storable() -> None:
    assert storable("a\udcffb") == "a?b"
    assert storable("größe") == "größe"


def test_facts_come_back_as_they_were_packed() -> None:
    facts = (
        Fact("bind", "client", 3, 1, "Client", "Client()"),
        Fact("returns", "", 9, 2, type="User | None"),
        Fact("route", "GET /users/{}", 4, value="list_users"),
    )

    assert unpack_facts(pack_facts(facts)) == facts
    assert unpack_facts(pack_facts(())) == ()


def test_the_local_name_of_an_import_comes_back() -> None:
    uses = (Use("numpy", "import", 1, "*", "numpy", "np"), Use("go", "call", 2))

    assert unpack_uses(pack_uses(uses)) == uses
