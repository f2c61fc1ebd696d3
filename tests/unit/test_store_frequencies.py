"""Document frequencies: the sum of all deltas, whatever was merged and whenever it was read."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.model import ContentId, Fingerprint, GroupName, ProjectEntry, ProjectName, Stat
from paparatsd.store.catalog import Catalog
from paparatsd.store.frequencies import MAX_SEGMENTS, Segment, choose_merge, list_segments
from paparatsd.store.ids import version_id
from paparatsd.store.reader import CatalogReader
from paparatsd.store.rows import TermDelta, VersionRow, ViewChange, ViewEntry

if TYPE_CHECKING:
    from pathlib import Path


def delta(counts: dict[int, int], chunks: int = 0) -> TermDelta:
    ids = np.array(sorted(counts), np.uint32)
    return TermDelta(ids, np.array([counts[int(i)] for i in ids], np.int32), chunks)


def test_frequencies_are_the_sum_of_all_generations(tmp_path: Path) -> None:
    catalog = Catalog.open(tmp_path / "c.sqlite3")
    repo = catalog.ensure_repo("/r", None)
    project = catalog.add_project(ProjectEntry(ProjectName("p"), "/r", GroupName("g")), repo)
    content, print_ = ContentId(b"0" * 32), Fingerprint("f")
    version = version_id(repo, "a", content, print_)
    row = VersionRow(version, repo, "a", content, print_, "text", 1, 1, (), (), (), b"")
    catalog.write_versions([row])
    shown = {"a": ViewEntry(version, Stat(1, 1, 1, 1))}
    often, seldom = CatalogReader(catalog.path), CatalogReader(catalog.path)
    expected: Counter[int] = Counter()
    chance = random.Random(5)  # noqa: S311 - a fixed stream
    chunks = 0

    for step in range(3 * MAX_SEGMENTS):
        size = 400 if step % 13 == 0 else 5
        change = {chance.randrange(1 << 32): chance.randint(1, 4) for _ in range(size)}
        for term in list(expected)[:2]:
            change[term] = -expected[term]
        expected.update(change)
        expected = Counter({term: n for term, n in expected.items() if n})
        chunks += 3
        catalog.commit_generation(project, ViewChange(set=shown, terms=delta(change, 3)))
        if step % 3 == 0:
            often.frequencies(project)

    for reader in (often, seldom, catalog.read):
        found = reader.frequencies(project)
        counted = dict(zip(found.ids.tolist(), found.counts.tolist(), strict=True))
        assert counted == dict(expected)
        assert found.chunks == chunks
        assert (found.ids[1:] > found.ids[:-1]).all()
    with contextlib.closing(sqlite3.connect(catalog.path)) as connection:
        assert len(list_segments(connection, project)) <= MAX_SEGMENTS
    often.close()
    seldom.close()
    catalog.close()


def test_small_segments_merge_without_the_big_one() -> None:
    big = Segment(1, 1, 100_000, 10)
    small = [Segment(n, n, 200, 1) for n in range(2, 2 + MAX_SEGMENTS)]

    assert choose_merge([big, *small[:-1]]) == []
    assert choose_merge([big, *small]) == small


@pytest.mark.parametrize("ids", [[2, 1], [1, 1]])
def test_a_delta_out_of_order_is_refused(tmp_path: Path, ids: list[int]) -> None:
    catalog = Catalog.open(tmp_path / "c.sqlite3")
    bad = TermDelta(np.array(ids, np.uint32), np.array([1, 1], np.int32), 1)

    with pytest.raises(ValueError, match="ascending"):
        catalog.commit_generation(1, ViewChange(terms=bad))
    catalog.close()
