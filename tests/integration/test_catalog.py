"""The catalog on real files: what it shows, what it forgets, what it does with damage."""

from __future__ import annotations

import contextlib
import hashlib
import random
import shutil
import sqlite3
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import Conflict, SchemaTooNew, StateUnwritable, UnknownProject
from paparatsd.model import CommitId, DocumentHead, Head, ProjectName, RepoId, Skip, Stat, VersionId
from paparatsd.store.catalog import Catalog
from paparatsd.store.database import Database
from paparatsd.store.migrations import MIGRATIONS
from paparatsd.store.packs import unpack_facts, unpack_uses
from paparatsd.store.reader import CatalogReader
from paparatsd.store.rows import SkippedRow, ViewChange, ViewEntry
from tests.harness.catalog_rows import PIPELINE, delta, entry, register, version_row
from tests.harness.full_disk import files_no_larger_than
from tests.harness.set_clock import SetClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paparatsd.store.rows import VersionRow
    from tests.harness.catalog_rows import Registered


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def catalog(tmp_path: Path, clock: SetClock) -> Iterator[Catalog]:
    opened = Catalog.open(tmp_path / "state" / "catalog.sqlite3", clock=clock)
    yield opened
    opened.close()


def show(catalog: Catalog, project: Registered, *rows: VersionRow) -> int:
    catalog.write_versions(rows, project_id=project.id, shard=project.shard)
    catalog.mark_upserted(project.shard, [row.id for row in rows])
    return catalog.commit_generation(
        project.id, ViewChange(set={row.path: entry(row) for row in rows})
    )


def purge(catalog: Catalog) -> None:
    while catalog.purge():
        pass


# --------------------------------------------------------------------------- writing and reading


def test_a_version_is_read_back_as_it_was_written(catalog: Catalog) -> None:
    project = register(catalog, "p")
    row = version_row(project.repo, "src/ä.py", "alpha beta alpha")
    show(catalog, project, row)

    reader = CatalogReader(catalog.path)
    assert reader.chunks_of(row.id) == row.chunks
    assert reader.symbols_of(row.id) == row.symbols
    assert reader.uses_of(row.id) == row.uses
    assert reader.records([row.id, VersionId(5)]) == {row.id: row.record}
    info = reader.infos([row.id])[row.id]
    assert (info.path, info.language, info.chunks, info.repo) == (
        "src/ä.py",
        "python",
        1,
        project.repo,
    )
    assert reader.users_of(["alpha"]) == {"alpha": {row.id: 2}}
    assert reader.facts_of(row.id) == row.facts
    assert reader.labelled("package", ["alpha beta alpha", "x"]) == {"alpha beta alpha": [row.id]}
    assert reader.labels("package", [row.id]) == {"alpha beta alpha": [row.id]}
    assert reader.labels("package", [VersionId(5)]) == {}
    packs = dict(reader.packs_of([row.id, VersionId(5)]))
    assert unpack_facts(packs[row.id].facts) == row.facts
    assert unpack_uses(packs[row.id].uses) == row.uses
    assert reader.contents_at(project.shard, PIPELINE, ["src/ä.py", "b"]) == {
        "src/ä.py": {row.content}
    }
    assert reader.chunks_of(VersionId(5)) == ()
    reader.close()


def test_documents_are_those_of_the_view_as_it_is_now(catalog: Catalog) -> None:
    project, other = register(catalog, "p"), register(catalog, "q")
    guide, code = version_row(project.repo, "b.md", "Guide"), version_row(project.repo, "a.py", "x")
    show(catalog, project, guide, code, version_row(project.repo, "a.md", "Old title"))
    show(catalog, other, guide)

    show(catalog, project, version_row(project.repo, "a.md", "New title"))

    found = catalog.read.documents(project.id)
    assert [(row.path, row.title) for row in found] == [("a.md", "New title"), ("b.md", "Guide")]
    assert (found[1].version, found[1].language) == (guide.id, "markdown")
    assert (found[1].link, found[1].modified) == ("https://example.org/a", 5.5)
    assert (found[1].audience, found[1].refused) == ("all", "")
    catalog.commit_generation(project.id, ViewChange(drop=("a.md", "b.md")))
    assert catalog.read.documents(project.id) == []
    assert [row.path for row in catalog.read.documents(other.id)] == ["b.md"]


def test_labels_that_are_none_are_told_of_documents_that_are_shown(catalog: Catalog) -> None:
    project, other = register(catalog, "p"), register(catalog, "q")
    good, plain = version_row(project.repo, "a.md", "Guide"), version_row(project.repo, "c.md", "x")
    head = DocumentHead("Secrets", audience="internal", refused="for all!")
    bad = replace(version_row(project.repo, "b.md", "Secrets"), document=head)
    show(catalog, project, good, bad)
    show(catalog, other, good, plain)

    assert catalog.read.refused_labels(project.id) == [("b.md", "for all!")]
    assert catalog.read.refused_labels(other.id) == []
    catalog.commit_generation(project.id, ViewChange(drop=("b.md",)))
    assert catalog.read.refused_labels(project.id) == []


def test_a_catalog_from_before_there_were_documents_opens_without_any(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite3"
    earlier = [step for step in MIGRATIONS if step.number < 3]
    Catalog.open(path, migrations=earlier).close()

    catalog = Catalog.open(path)

    project = register(catalog, "p")
    assert catalog.read.documents(project.id) == []
    show(catalog, project, version_row(project.repo, "a.md", "Guide"))
    assert [row.title for row in catalog.read.documents(project.id)] == ["Guide"]
    catalog.close()


def test_names_are_found_by_their_last_part_without_regard_to_case(catalog: Catalog) -> None:
    project = register(catalog, "p")
    row = version_row(project.repo, "a.py", "Session token")
    show(catalog, project, row)

    found = catalog.read.symbols_named(["auth.MAKE_SESSION", "nothing"])

    assert [one.name for one in found["auth.MAKE_SESSION"]] == ["make_Session"]
    assert found["nothing"] == []
    assert catalog.read.definers([project.repo], ["make_token"]).tolist() == [row.id]
    assert catalog.read.definers([RepoId("other")], ["make_token"]).tolist() == []


def test_written_versions_are_shown_by_nobody_until_a_generation_names_them(
    catalog: Catalog,
) -> None:
    project = register(catalog, "p")
    row = version_row(project.repo, "a.py", "alpha")

    catalog.write_versions([row, row])
    assert catalog.read_view(project.id) == {}
    assert catalog.known([row.id, VersionId(9)]) == {row.id}

    assert catalog.commit_generation(project.id, ViewChange(set={"a.py": entry(row)})) == 1
    assert catalog.read_view(project.id) == {"a.py": entry(row)}


def test_totals_follow_every_change(catalog: Catalog) -> None:
    project = register(catalog, "p")
    one, two = (version_row(project.repo, path, path) for path in ("a.py", "b.txt"))
    show(catalog, project, one, two)
    change = ViewChange(
        drop=("b.txt",),
        skipped_set=(SkippedRow("b.txt", Skip.BINARY), SkippedRow("k", Skip.SECRET, "key")),
    )
    catalog.commit_generation(project.id, change, Head("main", CommitId("c" * 40)))
    catalog.note_whole(project.id, 5.5)

    totals = catalog.read.totals(project.id)
    assert (totals.files, totals.chunks, totals.bytes) == (1, 1, 4)
    assert totals.languages == {"python": 1}
    assert totals.skipped == {Skip.BINARY: 1, Skip.SECRET: 1}
    row = catalog.project(project.name)
    assert (row.generation, row.head, row.skipped) == (2, Head("main", CommitId("c" * 40)), 2)
    assert row.checked_at == 5.5

    catalog.commit_generation(project.id, ViewChange(skipped_drop=("k",)))
    show(catalog, project, two)
    assert catalog.read.totals(project.id).skipped == {}
    assert catalog.read.totals(project.id).languages == {"python": 1, "text": 1}
    assert catalog.project(project.name).skipped == 0


def test_a_change_of_skipped_files_alone_keeps_the_generation(catalog: Catalog) -> None:
    project = register(catalog, "p")
    skipped = SkippedRow("k", Skip.TOO_LARGE, "9 MB", Stat(1, 2, 3, (1 << 64) - 5))

    assert catalog.commit_generation(project.id, ViewChange(skipped_set=(skipped,))) == 0
    assert catalog.read.skipped(project.id) == {"k": skipped}


def test_a_touched_file_keeps_its_version_and_the_generation(catalog: Catalog) -> None:
    project = register(catalog, "p")
    row = version_row(project.repo, "a.py", "alpha")
    show(catalog, project, row)
    touched = ViewEntry(row.id, Stat(5, 99, 98, (1 << 64) - 1), racy=True)

    catalog.touch(project.id, {"a.py": touched, "gone.py": touched})

    assert catalog.read_view(project.id) == {"a.py": touched}
    assert catalog.read.generation(project.id) == 1


def test_a_change_that_contradicts_itself_is_refused(catalog: Catalog) -> None:
    project = register(catalog, "p")
    row = version_row(project.repo, "a.py", "alpha")
    show(catalog, project, row)
    unknown = replace(entry(row), version=VersionId(77))

    for change in (
        ViewChange(set={"a.py": entry(row)}, drop=("a.py",)),
        ViewChange(skipped_set=(SkippedRow("a.py", Skip.BINARY),)),
        ViewChange(set={"b.py": unknown}),
    ):
        with pytest.raises(Conflict):
            catalog.commit_generation(project.id, change)
    with pytest.raises(Conflict):
        catalog.commit_generation(99, ViewChange())

    assert catalog.read_view(project.id) == {"a.py": entry(row)}
    assert catalog.read.generation(project.id) == 1


def test_names_of_projects_are_unique_and_ids_never_come_back(catalog: Catalog) -> None:
    first = register(catalog, "p")
    with pytest.raises(Conflict):
        register(catalog, "p")
    catalog.remove_project(first.name)

    with pytest.raises(UnknownProject):
        catalog.project(first.name)
    assert register(catalog, "p").id > first.id


def test_a_folder_without_lineage_keeps_its_random_repository(catalog: Catalog) -> None:
    repo = catalog.ensure_repo("/plain", None)

    assert catalog.ensure_repo("/plain", None) == repo
    assert catalog.ensure_repo("/other", None) != repo
    assert catalog.ensure_repo("/plain", RepoId("a" * 40)) == "a" * 40


def test_a_reader_in_another_thread_sees_one_state_during_writes(catalog: Catalog) -> None:
    project = register(catalog, "p")
    rows = [version_row(project.repo, "a.py", f"text{n}") for n in range(30)]
    wrong: list[object] = []
    stop = threading.Event()

    def read() -> None:
        reader = CatalogReader(catalog.path)
        while not stop.is_set():
            with reader.snapshot():
                generation = reader.generation(project.id)
                view = reader.view(project.id)
            shown = [entry.version for entry in view.values()]
            if generation and shown != [rows[generation - 1].id]:
                wrong.append((generation, shown))
        reader.close()

    thread = threading.Thread(target=read)
    thread.start()
    for row in rows:
        show(catalog, project, row)
    stop.set()
    thread.join()

    assert wrong == []
    assert catalog.read.generation(project.id) == 30


# --------------------------------------------------------------------------- forgetting


def test_nothing_of_a_removed_project_is_left_in_the_file(catalog: Catalog, tmp_path: Path) -> None:
    keep, lose = register(catalog, "keep", "r1"), register(catalog, "lose", "r2")
    canaries = [f"canary{n:04d}" for n in range(300)]
    for start in range(0, 300, 30):
        words = canaries[start : start + 30]
        show(catalog, lose, *(version_row(lose.repo, f"{w}/{w}.py", w) for w in words))
        show(catalog, lose, *(version_row(lose.repo, f"{w}.md", w) for w in words))
        show(catalog, keep, version_row(keep.repo, f"kept{start}.py", f"kept{start}"))
    secret = SkippedRow("canary-skipped", Skip.SECRET, "canary-detail")
    catalog.commit_generation(lose.id, ViewChange(skipped_set=(secret,)))
    catalog.commit_generation(lose.id, ViewChange(drop=("canary0000/canary0000.py",)))
    copy = catalog.path.with_name(catalog.path.name + ".schema-0.backup")
    copy.write_bytes(b"canary")

    catalog.remove_project(lose.name)

    for file in catalog.path.parent.iterdir():
        assert b"canary" not in file.read_bytes(), file.name
    assert len(catalog.read_view(keep.id)) == 10
    assert catalog.read.users_of(["kept30"])
    assert catalog.read.infos([version_row(lose.repo, "canary0001/canary0001.py", "x").id]) == {}
    assert not copy.exists()


def test_removing_a_worktree_keeps_what_another_shows(catalog: Catalog) -> None:
    main, tree = register(catalog, "main"), register(catalog, "tree")
    shared = version_row(main.repo, "a.py", "shared")
    ours, theirs = (version_row(main.repo, "b.py", text) for text in ("ours", "theirs"))
    show(catalog, main, shared, ours)
    show(catalog, tree, shared, theirs)
    planned = version_row(main.repo, "c.py", "planned")
    catalog.write_versions([planned], project_id=main.id, shard=main.shard)

    catalog.remove_project(tree.name)

    assert catalog.known([shared.id, ours.id, theirs.id, planned.id]) == {
        shared.id,
        ours.id,
        planned.id,
    }
    [pending] = catalog.outbox_pending()
    assert pending.versions == (theirs.id,)


def test_versions_in_no_view_stay_for_a_while_and_then_go(
    catalog: Catalog, clock: SetClock
) -> None:
    project = register(catalog, "p")
    old, new = (version_row(project.repo, "a.py", text) for text in ("old", "new"))
    show(catalog, project, old)
    show(catalog, project, new)

    clock.at += 50
    catalog.collect(100, 10)
    purge(catalog)
    assert catalog.known([old.id, new.id]) == {old.id, new.id}

    clock.at += 51
    catalog.collect(100, 10)
    purge(catalog)
    assert catalog.known([old.id, new.id]) == {new.id}
    assert catalog.read.records([old.id]) == {}
    assert catalog.read.users_of(["old"]) == {}
    assert catalog.read.labelled("package", ["old", "new"]) == {"new": [new.id]}


def test_only_so_many_unviewed_versions_are_kept_but_never_young_ones_lost(
    catalog: Catalog, clock: SetClock
) -> None:
    project = register(catalog, "p")
    rows = [version_row(project.repo, f"{n}.py", str(n)) for n in range(5)]
    for row in rows:
        catalog.write_versions([row])
        clock.at += 1_000

    catalog.collect(1e9, 2)
    purge(catalog)
    assert catalog.known([row.id for row in rows]) == {rows[3].id, rows[4].id}

    young = [version_row(project.repo, f"y{n}.py", str(n)) for n in range(5)]
    catalog.write_versions(young)
    catalog.collect(1e9, 2)
    purge(catalog)
    assert catalog.known([row.id for row in young]) == {row.id for row in young}


def test_a_version_that_comes_back_is_neither_purged_nor_deleted_from_its_shard(
    catalog: Catalog, clock: SetClock
) -> None:
    project = register(catalog, "p")
    row, other = (version_row(project.repo, "a.py", text) for text in ("one", "two"))
    show(catalog, project, row)
    show(catalog, project, other)
    clock.at += 1_000
    catalog.collect(10, 0)
    show(catalog, project, row)
    purge(catalog)
    assert catalog.known([row.id]) == {row.id}

    show(catalog, project, other)
    clock.at += 1_000
    catalog.collect(10, 0)
    purge(catalog)
    assert [pending.versions for pending in catalog.outbox_pending()] == [(row.id,)]
    show(catalog, project, row)
    assert catalog.outbox_pending() == []


# --------------------------------------------------------------------------- vector shards


def test_the_outbox_empties_as_deletes_are_acknowledged_and_the_shard_goes_last(
    catalog: Catalog,
) -> None:
    project = register(catalog, "p")
    rows = [version_row(project.repo, f"{n}.py", str(n)) for n in range(5)]
    show(catalog, project, *rows)
    assert catalog.read.shard_versions(project.shard).tolist() == sorted(row.id for row in rows)
    assert catalog.empty_shards() == ()

    catalog.remove_project(project.name)

    [first] = catalog.outbox_pending(2)
    assert first.shard == project.shard
    assert len(first.versions) == len(first.seqs) == 2
    catalog.outbox_done(first.seqs)
    assert sum(len(pending.versions) for pending in catalog.outbox_pending()) == 3
    assert catalog.empty_shards() == (project.shard,)
    catalog.shard_dropped(project.shard)
    assert catalog.outbox_pending() == []
    assert catalog.read.shards() == ()


def test_versions_are_unflushed_from_intent_until_a_flush_covers_them(catalog: Catalog) -> None:
    project = register(catalog, "p")
    one, two = (version_row(project.repo, path, path) for path in ("a.py", "b.py"))
    catalog.write_versions([one, two], shard=project.shard)
    assert set(catalog.unflushed(project.shard)) == {one.id, two.id}
    assert catalog.upserted(project.shard, [one.id, two.id]) == set()

    catalog.mark_upserted(project.shard, [one.id], dense=False)
    assert catalog.upserted(project.shard, [one.id, two.id]) == {one.id}
    assert set(catalog.lexical_only(project.shard)) == {one.id, two.id}
    assert catalog.flushable(project.shard) == [one.id]
    catalog.mark_flushed(project.shard)
    assert catalog.unflushed(project.shard) == [two.id]

    catalog.mark_upserted(project.shard, [one.id, two.id])
    assert catalog.lexical_only(project.shard) == []
    catalog.mark_flushed(project.shard, [two.id])
    assert catalog.unflushed(project.shard) == [one.id]

    catalog.forget_vectors(project.shard, [two.id])
    assert set(catalog.unflushed(project.shard)) == {one.id, two.id}


# --------------------------------------------------------------------------- damage and upgrades


def filled(path: Path) -> Catalog:
    catalog = Catalog.open(path)
    project = register(catalog, "p")
    for start in range(0, 200, 40):
        rows = [version_row(project.repo, f"{n}.py", f"word{n}") for n in range(start, start + 40)]
        show(catalog, project, *rows)
    catalog.commit_generation(project.id, ViewChange(drop=("0.py",), terms=delta({1: 1, 2: 5}, 3)))
    return catalog


def test_a_newer_schema_is_refused_and_not_a_byte_changes(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite3"
    filled(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = hashlib.sha256(path.read_bytes()).hexdigest()

    with pytest.raises(SchemaTooNew, match="99"):
        Catalog.open(path)

    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_a_newer_schema_that_is_only_in_the_log_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite3"
    catalog = filled(path)
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA user_version = 99")
    copy = tmp_path / "copy.sqlite3"
    for suffix in ("", "-wal"):
        shutil.copy(path.with_name(path.name + suffix), copy.with_name(copy.name + suffix))
    writer.close()
    catalog.close()
    before = copy.read_bytes()

    with pytest.raises(SchemaTooNew):
        Catalog.open(copy)

    assert copy.read_bytes() == before


@pytest.mark.parametrize("kind", ["text", "foreign", "truncated", "header"])
def test_a_file_that_is_no_catalog_is_moved_aside_and_replaced(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "c.sqlite3"
    if kind == "text":
        path.write_text("not a database at all")
    elif kind == "foreign":
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE theirs(x)")
        connection.close()
    else:
        filled(path).close()
        data = path.read_bytes()
        path.write_bytes(
            data[: len(data) // 2] if kind == "truncated" else b"\0" * 100 + data[100:]
        )
    damaged = path.read_bytes()

    catalog = Catalog.open(path)

    assert catalog.projects() == ()
    assert catalog.moved_aside is not None
    assert catalog.moved_aside.read_bytes() == damaged
    register(catalog, "p")
    catalog.close()


def test_random_damage_is_noticed_at_open_or_harmless(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite3"
    filled(path).close()
    data = path.read_bytes()
    chance = random.Random(11)  # noqa: S311 - a fixed stream
    noticed = 0
    for number in range(40):
        victim = tmp_path / f"{number}.sqlite3"
        damaged = bytearray(data)
        if number % 2:
            page = chance.randrange(len(data) // 4096) * 4096
            damaged[page : page + 4096] = bytes(4096)
        else:
            for _ in range(64):
                damaged[chance.randrange(len(damaged))] ^= 1 + chance.randrange(255)
        victim.write_bytes(damaged)
        catalog = Catalog.open(victim)
        noticed += catalog.moved_aside is not None
        catalog.projects()
        catalog.close()

    assert noticed >= 30


def test_a_log_cut_anywhere_shows_some_committed_generation(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite3"
    catalog = Catalog.open(path)
    project = register(catalog, "p")
    rows = [version_row(project.repo, "a.py", f"text{n}") for n in range(6)]
    for row in rows:
        show(catalog, project, row)
    log = path.with_name(path.name + "-wal").read_bytes()
    base = path.read_bytes()
    catalog.close()
    seen = set()

    for size in range(0, len(log), 8192 + 512):
        copy = tmp_path / "cut.sqlite3"
        for leftover in tmp_path.glob("cut.sqlite3*"):
            leftover.unlink()
        copy.write_bytes(base)
        copy.with_name(copy.name + "-wal").write_bytes(log[:size])
        again = Catalog.open(copy)
        assert again.moved_aside is None
        for registered in again.projects():
            generation = registered.generation
            seen.add(generation)
            shown = [one.version for one in again.read_view(registered.id).values()]
            assert shown == ([rows[generation - 1].id] if generation else [])
        again.close()

    assert len(seen) >= 5


def test_a_directory_where_nothing_can_be_written_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "c.sqlite3").mkdir()

    with pytest.raises(StateUnwritable):
        Catalog.open(tmp_path / "c.sqlite3")


def test_a_full_disk_leaves_the_state_as_it_was(tmp_path: Path) -> None:
    catalog = filled(tmp_path / "c.sqlite3")
    project = catalog.project(ProjectName("p"))
    view = catalog.read_view(project.id)
    incompressible = random.Random(3).randbytes(60_000)  # noqa: S311 - a fixed stream
    rows = [
        replace(version_row(project.repo, f"{n}", f"{n}"), record=incompressible) for n in range(40)
    ]

    with files_no_larger_than(1 << 20), pytest.raises(StateUnwritable, match="disk"):
        catalog.write_versions(rows)

    assert catalog.known([row.id for row in rows]) == set()
    assert catalog.read_view(project.id) == view
    catalog.write_versions(rows)
    assert len(catalog.known([row.id for row in rows])) == 40
    catalog.close()


def test_a_file_closed_in_order_is_not_checked_again(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite3"
    filled(path).close()
    stamp = path.with_name(path.name + ".clean")
    assert stamp.exists()

    database = Database.open(path)
    assert not stamp.exists()
    database.close()
    assert stamp.exists()


def test_a_kill_during_the_very_first_write_does_not_keep_the_next_start_away(
    tmp_path: Path,
) -> None:
    """A hot rollback journal can be undone by a writer only; looking must not be read-only."""
    first, left = tmp_path / "first.sqlite3", tmp_path / "catalog.sqlite3"
    with contextlib.closing(sqlite3.connect(first, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA user_version = 0")
        connection.execute("CREATE TABLE t(x)")
        connection.execute("DROP TABLE t")
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE half(x)")
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
            "INSERT INTO half SELECT hex(randomblob(500)) FROM n"
        )
        left.write_bytes(first.read_bytes())
        journal = first.with_name(first.name + "-journal")
        left.with_name(left.name + "-journal").write_bytes(journal.read_bytes())
        connection.execute("ROLLBACK")

    catalog = Catalog.open(left)

    assert catalog.projects() == ()
    catalog.close()
