"""What the catalog says of embedding models: what a shard still lacks, and when it may answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from paparatsd.model import Fingerprint, RepoId, ShardKey
from paparatsd.store.catalog import Catalog
from paparatsd.store.models import ModelRow, Wanted
from paparatsd.store.rows import ViewChange
from tests.harness.catalog_rows import PIPELINE, Registered, entry, register, version_row
from tests.harness.set_clock import SetClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paparatsd.store.rows import VersionRow

NEW = ModelRow("code", "code", Fingerprint("new"), 8, "{}", "{}")


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def catalog(tmp_path: Path, clock: SetClock) -> Iterator[Catalog]:
    made = Catalog.open(tmp_path / "catalog.sqlite3", clock=clock)
    yield made
    made.close()


def show(catalog: Catalog, project: Registered, *rows: VersionRow) -> None:
    """Have a project show versions whose points are in its shard."""
    catalog.write_versions(rows, project_id=project.id, shard=project.shard)
    catalog.mark_upserted(project.shard, [row.id for row in rows])
    catalog.commit_generation(project.id, ViewChange(set={row.path: entry(row) for row in rows}))


def fill(catalog: Catalog, shard: ShardKey, *rows: VersionRow, durable: bool = True) -> None:
    ids = [row.id for row in rows]
    catalog.models.intend(shard, ids)
    catalog.models.note_filled(shard, ids)
    if durable:
        catalog.mark_flushed(shard, ids)


def swapped(catalog: Catalog, *projects: Registered) -> bool:
    return catalog.models.swap(NEW, {project.repo: PIPELINE for project in projects})


def test_a_model_answers_when_all_that_is_shown_is_there_and_durable(catalog: Catalog) -> None:
    project = register(catalog, "a")
    one, two = (version_row(project.repo, f"{name}.py", name) for name in ("one", "two"))
    show(catalog, project, one, two)
    shard = NEW.shard(project.repo)

    assert not swapped(catalog, project)
    assert set(catalog.models.wanted(shard, PIPELINE).missing) == {one.id, two.id}
    fill(catalog, shard, one)
    assert catalog.models.wanted(shard, PIPELINE) == Wanted(2, (two.id,))
    assert not swapped(catalog, project)
    fill(catalog, shard, two, durable=False)
    assert catalog.models.wanted(shard, PIPELINE) == Wanted(2)
    assert not swapped(catalog, project), "a power cut would take it"
    assert catalog.models.row("code") is None
    catalog.mark_flushed(shard, [two.id])
    assert swapped(catalog, project)
    assert catalog.models.row("code") == NEW


def test_every_repository_must_be_ready(catalog: Catalog) -> None:
    first, second = register(catalog, "a", "r1"), register(catalog, "b", "r2")
    one, two = version_row(first.repo, "a.py", "a"), version_row(second.repo, "b.py", "b")
    show(catalog, first, one)
    show(catalog, second, two)
    fill(catalog, NEW.shard(first.repo), one)
    assert not swapped(catalog, first, second)
    fill(catalog, NEW.shard(second.repo), two)
    assert not swapped(catalog, first), "of the other it is not known how its files are read"
    assert swapped(catalog, first, second)


def test_what_is_about_to_be_shown_counts_and_what_was_shown_long_ago_does_not(
    catalog: Catalog, clock: SetClock
) -> None:
    project = register(catalog, "a")
    old, new = version_row(project.repo, "a.py", "old"), version_row(project.repo, "a.py", "new")
    show(catalog, project, old)
    show(catalog, project, new)
    shard = NEW.shard(project.repo)
    assert catalog.models.wanted(shard, PIPELINE).total == 2
    clock.at += 3_600
    assert catalog.models.wanted(shard, PIPELINE) == Wanted(1, (new.id,))


def test_what_was_read_in_another_way_comes_last_and_only_while_it_is_shown(
    catalog: Catalog,
) -> None:
    project = register(catalog, "a")
    row = replace(version_row(project.repo, "a.py", "a"), fingerprint=Fingerprint("before"))
    show(catalog, project, row)
    shard = NEW.shard(project.repo)
    assert catalog.models.wanted(shard, PIPELINE) == Wanted(1, (), (row.id,))
    assert catalog.models.outdated([row.id], PIPELINE) == {row.id}
    assert not swapped(catalog, project)
    catalog.commit_generation(project.id, ViewChange(drop=("a.py",)))
    assert catalog.models.wanted(shard, PIPELINE) == Wanted(0)


def test_a_shard_of_documents_wants_documents_of_every_branch(catalog: Catalog) -> None:
    project = register(catalog, "a")
    guide, code = version_row(project.repo, "g.md", "guide"), version_row(project.repo, "a.py", "a")
    show(catalog, project, guide, code)
    catalog.commit_generation(project.id, ViewChange(drop=("g.md",)))
    shard = replace(NEW, kind="text").shard(project.repo)
    assert catalog.models.wanted(shard, PIPELINE) == Wanted(1, (guide.id,))


def test_points_of_a_version_that_was_purged_meanwhile_are_not_noted(catalog: Catalog) -> None:
    project = register(catalog, "a")
    row = version_row(project.repo, "a.py", "a")
    show(catalog, project, row)
    shard = NEW.shard(project.repo)
    assert catalog.models.intend(shard, [row.id]) == {row.id}
    catalog.commit_generation(project.id, ViewChange(drop=("a.py",)))
    catalog.discard([row.id])
    while catalog.purge():
        pass
    catalog.models.note_filled(shard, [row.id])
    assert catalog.models.intend(shard, [row.id]) == set()
    assert not len(catalog.read.shard_versions(shard))
    pending = {entry.shard: entry.versions for entry in catalog.outbox_pending()}
    assert pending[shard] == (row.id,), "what was written of it would stay for ever"


def test_shards_of_other_models_are_given_up_piece_by_piece(catalog: Catalog) -> None:
    project = register(catalog, "a")
    row = version_row(project.repo, "a.py", "a")
    show(catalog, project, row)
    fill(catalog, NEW.shard(project.repo), row)
    [other] = catalog.models.others("code", [NEW.fingerprint])
    assert other == project.shard
    assert catalog.models.give_up(other)
    assert not catalog.models.give_up(other)
    assert catalog.empty_shards() == (project.shard,)
    catalog.shard_dropped(other)
    assert catalog.models.others("code", [NEW.fingerprint]) == ()


def test_builds_are_counted_by_repository(catalog: Catalog) -> None:
    first, second = register(catalog, "a", "r1"), register(catalog, "b", "r2")
    assert catalog.models.begin_build(first.repo) == 1
    assert catalog.models.begin_build(first.repo) == 2
    assert catalog.models.builds() == {first.repo: 2, second.repo: 0}
    assert catalog.models.begin_build(RepoId("none")) == 0
