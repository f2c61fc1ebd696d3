"""The notes file: all or nothing, never replaced, copied once a day."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import stat
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.errors import Conflict, SchemaTooNew, StateCorrupt, StateUnwritable
from paparatsd.store.ids import note_id
from paparatsd.store.migrations import Migration
from paparatsd.store.notes import Note, NotesFile, Rows
from paparatsd.store.notes_copies import KEPT, copies_of
from paparatsd.store.notes_schema import NOTES
from tests.harness.full_disk import files_no_larger_than
from tests.harness.steps import Fuse, Stopped, contents, crash

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAY_S = 86_400.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.sqlite3"


@pytest.fixture
def file(path: Path) -> Iterator[NotesFile]:
    opened = NotesFile.open(path)
    yield opened
    opened.close()


def note(ident: str, **changes: object) -> Note:
    made = Note(
        id=ident,
        kind="term",
        group="shop",
        project=None,
        label=ident.upper(),
        status="accepted",
        created=1.0,
        updated=1.0,
        payload={"definition": f"what {ident} is", "aliases": ["ü", "'"]},
        text=f"{ident} text",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def rows(fingerprint: str, *notes: Note) -> Rows:
    row = np.arange(4, dtype=np.float32)
    return Rows(fingerprint, {one.id: (one.text, row) for one in notes})


# --------------------------------------------------------------------------- what is written


def test_what_was_written_is_there_after_opening_again(path: Path) -> None:
    kept = [note("a"), note("b", project="cart", kind="lesson", created=0.5)]
    with contextlib.closing(NotesFile.open(path)) as file:
        file.put(kept, rows=rows("one", kept[0]))
    with contextlib.closing(NotesFile.open(path)) as file:
        assert file.all_of() == [kept[1], kept[0]], "oldest first"
        assert file.all_of("shop", ("term",)) == [kept[0]]
        assert file.all_of("other") == []
        assert file.get(["b", "none", "a", "b"]) == [kept[1], kept[0]]
        assert file.groups() == {"shop": {"lesson": 1, "term": 1}}
        assert file.projects() == {"shop": {"cart"}}
        assert file.vectors("one")["a"].tolist() == [0, 1, 2, 3]
        assert file.vectors("one", "other") == {}


def test_notes_are_for_us_alone_whatever_the_umask_and_what_was_there(path: Path) -> None:
    NotesFile.open(path).close()
    path.chmod(0o644)
    with contextlib.closing(NotesFile.open(path)) as file:
        file.put([note("a")])
        copied = file.keep_copy(0.0)
        assert copied is not None
        for one in path.parent.iterdir():
            if one.suffix != ".clean":
                assert stat.S_IMODE(one.stat().st_mode) == 0o600, one


def test_writes_wait_for_the_disk(file: NotesFile) -> None:
    assert file._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_note_that_changed_meanwhile_is_not_overwritten(file: NotesFile) -> None:
    file.put([note("a"), note("b")])
    changed = note("a", updated=2.0, label="other")
    with pytest.raises(Conflict, match="changed"):
        file.put([changed], deleted=["b"], expected={"a": 1.5})
    with pytest.raises(Conflict, match="deleted"):
        file.put([changed], expected={"gone": 1.0})
    assert file.get(["a", "b"]) == [note("a"), note("b")]
    file.put([changed], deleted=["b"], expected={"a": 1.0})
    assert file.all_of() == [changed]


def test_a_crash_at_any_step_leaves_all_of_a_write_or_nothing(path: Path) -> None:
    before, after = [note("a"), note("b")], [note("a", text="new", updated=2.0), note("c")]
    with contextlib.closing(NotesFile.open(path)) as file:
        file.put(before, rows=rows("one", *before))
    seen = set()
    for step in range(1, 4):
        fuse = Fuse(step)
        copy = path.with_name(f"try{step}.sqlite3")
        copy.write_bytes(path.read_bytes())
        with contextlib.closing(NotesFile.open(copy)) as file:
            file._database._on_step = fuse
            with contextlib.suppress(Stopped):
                file.put(after, deleted=["b"], rows=rows("one", *after))
            left = contents(crash(copy))
        seen.add(tuple(sorted(left["notes"])))
    assert len(seen) == 2


def test_ids_are_uuids_of_version_7_that_sort_by_time() -> None:
    ids = [note_id(seconds) for seconds in (1.0, 1.5, 2e9)]
    assert ids == sorted(ids)
    assert {(one[14], one[19] in "89ab") for one in ids} == {("7", True)}
    assert len({note_id(5.0) for _ in range(50)}) == 50


# --------------------------------------------------------------------------- vectors


def test_a_vector_goes_with_the_text_that_it_is_of(file: NotesFile) -> None:
    file.put([note("a"), note("b")], rows=rows("one", note("a"), note("b")))
    file.put([note("a", label="other name"), note("b", text="new text")])
    assert set(file.vectors("one")) == {"a"}
    assert file.without_vector("one") == [("b", "new text")]
    file.put_vectors(rows("one", note("b"), note("gone")))
    assert set(file.vectors("one")) == {"a"}, "a vector of the old text was taken"


def test_vectors_of_another_embedder_go_when_told_and_with_their_note(file: NotesFile) -> None:
    file.put([note("a"), note("b")], rows=rows("one", note("a"), note("b")))
    file.put_vectors(rows("two", note("a")))
    assert {one for one, _ in file.without_vector("two")} == {"b"}
    file.drop_other_vectors("two")
    assert (set(file.vectors("one")), set(file.vectors("two"))) == (set(), {"a"})
    file.put([], deleted=["a"])
    assert file.vectors("two") == {}


# --------------------------------------------------------------------------- copies


def test_a_day_has_one_copy_and_the_newest_few_are_kept(path: Path, file: NotesFile) -> None:
    assert file.keep_copy(0.0) is None, "nothing to lose"
    for day in range(KEPT + 2):
        file.put([note(f"n{day}")])
        assert file.keep_copy(day * DAY_S) is not None
        file.put([note(f"late{day}")])
        assert file.keep_copy(day * DAY_S + 3_600) is None
    assert len(copies_of(path)) == KEPT
    copy = copies_of(path)[-1]
    assert copy.name == "notes.sqlite3.copy-1970-01-07"
    with contextlib.closing(NotesFile.open(copy)) as opened:
        assert {one.id for one in opened.all_of()} == {
            *(f"n{day}" for day in range(KEPT + 2)),
            *(f"late{day}" for day in range(KEPT + 1)),
        }
    assert not list(path.parent.glob("*.copying*"))


def test_deleting_everything_does_not_push_the_copies_out(path: Path, file: NotesFile) -> None:
    file.put([note("a")])
    file.keep_copy(0.0)
    file.put([], deleted=["a"])
    assert [file.keep_copy(day * DAY_S) for day in range(1, 9)] == [None] * 8
    assert len(copies_of(path)) == 1


def test_before_a_migration_the_file_is_copied(path: Path) -> None:
    with contextlib.closing(NotesFile.open(path)) as file:
        file.put([note("a")])
    more = (*NOTES.migrations, Migration(2, ("DELETE FROM notes",)))
    NotesFile.open(path, migrations=more).close()
    (copy,) = path.parent.glob("*.schema-1.backup")
    with contextlib.closing(NotesFile.open(copy)) as opened:
        assert opened.all_of() == [note("a")]


# --------------------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    "damage", ["no database", "another program's", "torn", "torn at its head", "emptied", "gone"]
)
def test_a_damaged_file_is_left_as_it_is_and_the_way_out_is_told(path: Path, damage: str) -> None:
    with contextlib.closing(NotesFile.open(path)) as file:
        file.put([note(f"n{number}", text="x" * 3_000) for number in range(20)])
        file.keep_copy(0.0)
    path.with_name("notes.sqlite3.clean").unlink()
    if damage == "no database":
        path.write_bytes(b"hello" * 1_000)
    elif damage == "another program's":
        path.unlink()
        with contextlib.closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE t(x)")
    elif damage == "torn":
        data = bytearray(path.read_bytes())
        data[8192:40_000] = random.Random(1).randbytes(40_000 - 8192)  # noqa: S311 - fixed
        path.write_bytes(data)
    elif damage == "torn at its head":
        data = bytearray(path.read_bytes())
        data[100:4_000] = random.Random(1).randbytes(3_900)  # noqa: S311 - fixed
        path.write_bytes(data)
    elif damage == "emptied":
        path.write_bytes(b"")
    else:
        path.unlink()
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(StateCorrupt, match=r"put a copy of it .* in its place") as caught:
        NotesFile.open(path)
    told = str(caught.value)
    assert told.count("stop paparatsd") == 1
    assert "rebuilt" not in told
    assert "\n" not in told
    assert (path.read_bytes() if path.exists() else None) == before
    assert not list(path.parent.glob("*.damaged-*"))
    copies_of(path)[0].replace(path)
    with contextlib.closing(NotesFile.open(path)) as restored:
        assert len(restored.all_of()) == 20


def test_a_file_of_a_newer_version_is_left_untouched(path: Path) -> None:
    more = (*NOTES.migrations, Migration(2, ("CREATE TABLE later(x TEXT) STRICT",)))
    NotesFile.open(path, migrations=more).close()
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew, match="upgrade paparatsd"):
        NotesFile.open(path)
    assert path.read_bytes() == before


def test_a_full_disk_leaves_the_notes_as_they_were(path: Path, file: NotesFile) -> None:
    file.put([note("a")])
    large = [note(f"n{number}", text="x" * 4_000) for number in range(200)]
    with files_no_larger_than(200_000), pytest.raises(StateUnwritable, match="disk"):
        file.put(large, deleted=["a"])
    assert file.all_of() == [note("a")]
    file.put(large)
    assert len(file.all_of()) == 201


def test_a_copy_that_does_not_fit_leaves_nothing_behind(path: Path, file: NotesFile) -> None:
    file.put([note(f"n{number}", text="x" * 4_000) for number in range(200)])
    with files_no_larger_than(100_000), pytest.raises(StateUnwritable):
        file.keep_copy(0.0)
    assert copies_of(path) == []
    assert not list(path.parent.glob("*.copying*"))
    assert file.keep_copy(0.0) is not None


@pytest.mark.parametrize("what", ["removed", "replaced"])
def test_a_file_that_was_taken_away_is_not_written_to(
    path: Path, file: NotesFile, what: str
) -> None:
    file.put([note("a")])
    path.rename(path.with_name("kept.sqlite3"))
    if what == "replaced":
        path.write_bytes(b"")
    with pytest.raises(StateUnwritable, match="removed or replaced"):
        file.put([note("b")])
    assert file.all_of() == [note("a")]


def test_a_directory_in_its_place_is_said_so(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StateUnwritable):
        NotesFile.open(path)
