"""Whatever stops the writer, and at whatever step: a change is there as a whole or not at all."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.errors import UnknownProject
from paparatsd.model import Head, ProjectName, Skip
from paparatsd.store.catalog import Catalog
from paparatsd.store.migrations import MIGRATIONS, Migration
from paparatsd.store.rows import SkippedRow, ViewChange
from tests.harness.catalog_rows import delta, entry, register, version_row
from tests.harness.steps import Fuse, StillClock, Stopped, contents, crash

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def open_catalog(path: Path, on_step: Callable[[str], None] = lambda step: None) -> Catalog:
    return Catalog.open(path, clock=StillClock(), on_step=on_step)


ONE = ProjectName("one")


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a catalog: two projects of one repository, and versions that nobody shows any more."""
    path = tmp_path_factory.mktemp("before") / "c.sqlite3"
    catalog = open_catalog(path)
    for name in ("one", "two"):
        project = register(catalog, name)
        rows = [version_row(project.repo, "a.py", "shared"), version_row(project.repo, name, name)]
        past = [version_row(project.repo, name, f"past {name}")]
        for shown in (past, rows):
            catalog.write_versions(shown, project_id=project.id, shard=project.shard)
            catalog.mark_upserted(project.shard, [row.id for row in shown])
            change = ViewChange(
                set={row.path: entry(row) for row in shown},
                skipped_set=(SkippedRow("x.bin", Skip.BINARY),),
                terms=delta({1: 2, 5: 1}, 2),
            )
            catalog.commit_generation(project.id, change, Head("main"))
    catalog.close()
    return path


def index_file(catalog: Catalog) -> None:
    """Do what one saved file causes."""
    project = catalog.project(ONE)
    row = version_row(project.repo, "a.py", "changed now")
    shard = catalog.read.shards()[0]
    catalog.write_versions([row], project_id=project.id, shard=shard)
    catalog.mark_upserted(shard, [row.id])
    change = ViewChange(
        set={"a.py": entry(row)},
        drop=tuple(path for path in ("one",) if path in catalog.read_view(project.id)),
        skipped_set=(SkippedRow("one", Skip.TOO_LARGE),),
        skipped_drop=("x.bin",),
        terms=delta({1: -1, 9: 3}, -1),
    )
    catalog.commit_generation(project.id, change, Head("next"))
    catalog.mark_flushed(shard)


def remove(catalog: Catalog) -> None:
    with contextlib.suppress(UnknownProject):
        catalog.begin_removal(ONE)
    while catalog.purge():
        pass


def collect(catalog: Catalog) -> None:
    catalog.collect(-10, 0)
    while catalog.purge():
        pass


@pytest.mark.parametrize("work", [index_file, remove, collect])
def test_work_stopped_at_any_step_leaves_whole_transactions_and_can_go_on(
    work: Callable[[Catalog], None], before: Path, tmp_path: Path
) -> None:
    path = tmp_path / "whole.sqlite3"
    shutil.copy(before, path)
    steps: list[str] = []
    committed = [contents(path)]

    def record(step: str) -> None:
        steps.append(step)
        if step.endswith(":done"):
            committed.append(contents(path))

    catalog = open_catalog(path, record)
    work(catalog)
    catalog.close()
    assert len(steps) >= 6
    assert contents(path) == committed[-1]

    for number, step in enumerate(steps, 1):
        path = tmp_path / f"{number}.sqlite3"
        shutil.copy(before, path)
        stopped = open_catalog(path, Fuse(number))
        with pytest.raises(Stopped):
            work(stopped)
        crashed = crash(path)
        stopped.close()
        done = sum(earlier.endswith(":done") for earlier in steps[:number])
        assert contents(crashed) == committed[done], f"half a change after {step}"
        again = open_catalog(crashed)
        work(again)
        again.close()
        assert settled(contents(crashed)) == settled(committed[-1]), f"not whole after {step}"


def settled(tables: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Leave out what grows when a step is repeated: generations and their segments."""
    return {name: rows for name, rows in tables.items() if name not in ("projects", "segments")}


def test_a_migration_stopped_at_any_step_leaves_the_old_schema_or_the_new(
    before: Path, tmp_path: Path
) -> None:
    number = MIGRATIONS[-1].number
    steps = ("ALTER TABLE projects ADD COLUMN note TEXT", "CREATE TABLE extra(x)")
    newer = (
        *MIGRATIONS,
        Migration(number + 1, steps),
        Migration(number + 2, ("DROP TABLE extra",)),
    )
    fuse = Fuse(0)
    whole = tmp_path / "whole.sqlite3"
    shutil.copy(before, whole)
    Catalog.open(whole, on_step=fuse, migrations=newer).close()
    backup = contents(whole.with_name(f"whole.sqlite3.schema-{number}.backup"))
    assert backup == contents(before)

    for number in range(1, len(fuse.steps) + 1):
        path = tmp_path / f"m{number}.sqlite3"
        shutil.copy(before, path)
        with pytest.raises(Stopped):
            Catalog.open(path, on_step=Fuse(number), migrations=newer)
        again = Catalog.open(path, migrations=newer)
        assert [project.entry.name for project in again.projects()] == ["one", "two"]
        again.close()
        assert contents(path) == contents(whole)
