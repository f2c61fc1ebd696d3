"""Records of many files laid end to end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.chunks.fields import lexical_vectors
from paparatsd.chunks.packing import build_record
from paparatsd.chunks.parse import ChunkLimits, parse_file
from paparatsd.chunks.record import read_record
from paparatsd.chunks.terms import term_id
from paparatsd.search.arena import DEFINED_TERMS, USED, Arena, Records
from paparatsd.search.matching import collect_definitions, find_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

WORDS = ("vault", "mail", "paint", "river", "castle", "engine")


def encoder(dimension: int) -> Callable[[Sequence[str]], NDArray[np.float32]]:
    """Return what makes a vector of each text, of length 1."""

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.array([[len(text) % (at + 2) + 1 for at in range(dimension)] for text in texts])
        units: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return units.astype(np.float32)

    return encode


def packed(word: str, dimension: int = 0) -> bytes:
    function = f"def open_{word}():\n    return close_{word}({word!r})\n"
    text = f"{function}\n\nclass {word.title()}:\n    pass\n"
    parsed = parse_file(f"{word}.py", text, ChunkLimits())
    encode = encoder(dimension) if dimension else None
    return build_record(f"{word}.py", parsed, lexical_vectors(f"{word}.py", parsed), encode)


def filled(max_bytes: int = 1 << 20, words: tuple[str, ...] = WORDS) -> Arena:
    arena = Arena(max_bytes)
    for version, word in enumerate(words):
        arena.use([version])
        data = packed(word)
        arena.add(version, data, read_record(data))
    return arena


def laid(arena: Arena, versions: list[int]) -> Records:
    return arena.lay(
        arena.use(versions), versions, lambda version: read_record(arena.packed(version))
    )


def files_with(arena: Arena, versions: list[int], word: str) -> list[int]:
    hits = find_terms(laid(arena, versions), np.array([term_id(word)], np.uint32))
    return np.flatnonzero(hits.whole[0]).tolist()


def test_a_term_is_found_in_the_files_that_have_it_whatever_their_order() -> None:
    arena = filled()
    assert files_with(arena, [4, 0, 2], "vault") == [1]
    assert files_with(arena, [4, 0, 2], "mail") == []
    assert files_with(arena, [4, 0, 2], "open") == [0, 1, 2]


def test_the_columns_of_some_files_are_what_their_records_hold() -> None:
    arena = filled()
    records = laid(arena, [3, 1])
    one, other = read_record(packed("river")), read_record(packed("mail"))
    assert records.column(USED).tolist() == [*one.used_names, *other.used_names]
    assert records.column(DEFINED_TERMS, np.array([1])).tolist() == other.def_terms.tolist()
    table = collect_definitions(records)
    assert table.hashes.tolist() == [*one.def_hashes, *other.def_hashes]
    assert table.starts.tolist() == [0, 2, 4]
    assert records.open(1).digest == other.digest == records.digest(1)


@pytest.mark.parametrize("dimensions", [(4, 4, 4), (4, 8, 0, 4)])
def test_cosines_are_those_of_the_vectors_of_that_size(dimensions: tuple[int, ...]) -> None:
    arena, vector = Arena(1 << 20), np.array([0.5, -0.5, 0.5, 0.5], np.float32)
    expected = []
    for version, dimension in enumerate(dimensions):
        data = packed(WORDS[version], dimension)
        record = read_record(data)
        arena.add(version, data, record)
        fits = record.vectors is not None and record.vectors.shape[1] == len(vector)
        expected.append(record.vectors @ vector if fits else np.zeros(5))  # type: ignore[operator]
    found = laid(arena, list(range(len(dimensions)))).cosines(vector)
    assert np.allclose(found, expected, atol=1e-6)
    assert found[0].any()


def test_no_files_have_no_terms_and_no_definitions() -> None:
    arena = Arena(1 << 20)
    records = laid(arena, [])
    assert find_terms(records, np.array([term_id("vault")], np.uint32)).values.tolist() == []
    assert collect_definitions(records).starts.tolist() == [0]


def test_when_there_is_too_much_what_was_used_last_stays() -> None:
    whole = filled()
    arena = filled(whole.used_bytes - 1)
    arena.use([0])
    smaller = arena.shrunk()
    assert smaller.used_bytes <= whole.used_bytes / 2
    kept = [version for version in range(len(WORDS)) if version in smaller]
    assert kept == [0, 5]
    assert files_with(smaller, kept, "vault") == [0]
    assert files_with(smaller, kept, "engin") == [1]
    assert files_with(smaller, kept, "open") == [0, 1]


def test_an_arena_with_room_is_left_alone() -> None:
    arena = filled()
    assert arena.shrunk() is arena


def test_what_is_in_use_stays_even_when_it_is_too_much() -> None:
    arena = filled(1)
    arena.use(range(len(WORDS)))
    smaller = arena.shrunk()
    assert all(version in smaller for version in range(len(WORDS)))
    data = packed("window")
    smaller.add(99, data, read_record(data))
    assert files_with(smaller, [99, 1], "window") == [0]
