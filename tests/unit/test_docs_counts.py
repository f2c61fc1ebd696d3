"""How often words stand in documents: kept up to date, it is as if counted anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.chunks.fields import lexical_vectors
from paparatsd.chunks.packing import build_record
from paparatsd.chunks.parse import ChunkLimits, parse_file
from paparatsd.chunks.terms import term_id
from paparatsd.search.docs_counts import AT_ONCE, NOTHING, count, nearer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paparatsd.search.docs_counts import Counted

MANY = 2 * AT_ONCE + 5


class Shelf:
    """Records of small documents: number n has the word `shared`, and `own<n>`."""

    def __init__(self, count: int) -> None:
        self.known = {number: record(number) for number in range(count)}
        self.most = 0

    def records(self, versions: Iterable[int]) -> Mapping[int, bytes]:
        wanted = list(versions)
        self.most = max(self.most, len(wanted))
        return {one: self.known[one] for one in wanted if one in self.known}


def record(number: int) -> bytes:
    path = f"d{number}.md"
    parsed = parse_file(path, f"# Shared\n\nownword{number} shared.\n", ChunkLimits())
    return build_record(path, parsed, lexical_vectors(path, parsed), None)


def frequency(counted: Counted, word: str) -> int:
    table = counted.frequencies
    found = dict(zip(table.ids.tolist(), table.counts.tolist(), strict=True))
    return int(found.get(term_id(word), 0))


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf(MANY)


def test_each_word_is_counted_once_a_chunk_and_little_is_read_at_once(shelf: Shelf) -> None:
    counted = count(NOTHING, frozenset(range(MANY)), shelf)
    assert counted.frequencies.chunks == MANY
    assert frequency(counted, "share") == MANY
    assert frequency(counted, "ownword7") == 1
    assert shelf.most <= AT_ONCE


def test_documents_that_came_and_went_leave_what_a_fresh_count_gives(shelf: Shelf) -> None:
    before = count(NOTHING, frozenset(range(60)), shelf)
    after = count(before, frozenset(range(5, MANY)), shelf)
    fresh = count(NOTHING, frozenset(range(5, MANY)), shelf)
    assert after.frequencies.chunks == fresh.frequencies.chunks
    assert after.frequencies.ids.tolist() == fresh.frequencies.ids.tolist()
    assert after.frequencies.counts.tolist() == fresh.frequencies.counts.tolist()


def test_what_went_and_is_not_known_any_more_is_counted_anew(shelf: Shelf) -> None:
    before = count(NOTHING, frozenset(range(20)), shelf)
    purged = Shelf(MANY)
    del purged.known[3]
    after = count(before, frozenset(range(4, 20)), purged)
    assert frequency(after, "share") == 16
    assert frequency(after, "ownword3") == 0


def test_counting_goes_on_in_slices(shelf: Shelf) -> None:
    wanted, counted, slices = frozenset(range(MANY)), NOTHING, 0
    while counted.versions != wanted:
        counted = nearer(counted, wanted, shelf)
        slices += 1
    assert slices == 3
    assert frequency(counted, "share") == MANY
