"""Notes above their file: vectors, likeness, healing, and what goes wrong."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import Conflict, SchemaTooNew, StateCorrupt, StateUnwritable
from paparatsd.knowledge import kept
from paparatsd.knowledge import notes as knowledge_notes
from paparatsd.knowledge.notes import BY_WORDS, Notes
from paparatsd.store.notes import Note, NotesFile
from paparatsd.store.notes_copies import copies_of
from tests.harness.full_disk import files_no_larger_than
from tests.harness.note_embedder import DIMENSION, WordEmbedder
from tests.harness.set_clock import SetClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.sqlite3"


@contextlib.asynccontextmanager
async def opened(path: Path, embedder: WordEmbedder | None) -> AsyncIterator[Notes]:
    notes = Notes(path, SetClock(), embedder, dimension=DIMENSION)
    await notes.start()
    try:
        yield notes
    finally:
        await notes.stop()


def note(ident: str, text: str, **changes: object) -> Note:
    made = Note(
        id=ident,
        kind="term",
        group="shop",
        project=None,
        label=ident,
        status="accepted",
        created=1.0,
        updated=1.0,
        payload={},
        text=text,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


ALL = [
    note("a", "goods that wait to be paid"),
    note("b", "who answers when something breaks at night", project="till"),
    note("c", "money that is owed", kind="lesson"),
    note("d", "goods that wait to be paid", group="bank"),
]


async def near(notes: Notes, text: str, **changes: object) -> list[tuple[str, float]]:
    found = await notes.nearest(
        text,
        "shop",
        ("term",),
        lambda one: True,
        5,
        **{"query": True, **changes},  # type: ignore[arg-type]
    )
    return [(one.id, round(score, 3)) for one, score in found.hits]


def kept_vectors(path: Path, fingerprint: str) -> set[str]:
    with contextlib.closing(NotesFile.open(path)) as file:
        return set(file.vectors(fingerprint))


# --------------------------------------------------------------------------- finding


async def test_notes_of_a_group_and_kind_are_found_by_likeness(path: Path) -> None:
    async with opened(path, WordEmbedder()) as notes:
        await notes.write(ALL)
        found = await near(notes, "goods that wait to be paid")
        assert found[0] == ("a", 1.0)
        assert [ident for ident, _ in found] == ["a", "b"]
        assert found[1][1] < 0.6
    async with opened(path, WordEmbedder()) as notes:
        assert await near(notes, "goods that wait to be paid") == found, "from the file"


async def test_only_accepted_notes_are_compared(path: Path) -> None:
    async with opened(path, WordEmbedder()) as notes:
        await notes.write(ALL)
        found = await notes.nearest(
            "goods", "shop", ("term",), lambda one: one.project == "till", 5, query=False
        )
        assert [one.id for one, _ in found.hits] == ["b"]


async def test_what_changed_and_went_is_seen_at_once(path: Path) -> None:
    async with opened(path, WordEmbedder()) as notes:
        await notes.write(ALL)
        await near(notes, "warm")
        await notes.write([note("a", "entirely different words"), note("e", "goods to be paid")])
        assert (await near(notes, "entirely different words"))[0] == ("a", 1.0)
        assert (await near(notes, "goods to be paid"))[0] == ("e", 1.0)
        await notes.delete(["a", "none"])
        assert {ident for ident, _ in await near(notes, "different words")} == {"b", "e"}
        assert [one.id for one in await notes.all_of("shop")] == ["b", "c", "e"]
        await notes.write([note("e", "goods to be paid", group="bank")])
        assert [one.id for one in await notes.all_of("shop")] == ["b", "c"]
        assert {one.id for one in await notes.all_of("bank")} == {"d", "e"}


async def test_a_note_keeps_its_vector_when_only_its_label_changes(path: Path) -> None:
    embedder = WordEmbedder()
    async with opened(path, embedder) as notes:
        await notes.write(ALL)
        await near(notes, "warm")
        embedder.down = True
        for number in range(400):  # more texts than are remembered
            await notes.nearest(f"{number}", "shop", (), lambda one: False, 1, query=False)
        await notes.write([note("a", ALL[0].text, label="other")])
        embedder.down = False
        assert (await near(notes, ALL[0].text))[0] == ("a", 1.0)
        assert embedder.embedded[ALL[0].text] == 1


async def test_among_thousands_the_same_ones_are_found(path: Path) -> None:
    many = [
        note(f"n{number:04}", f"thing {number} of {number % 7} parts", created=float(number))
        for number in range(2_000)
    ]
    for embedder in (WordEmbedder(), None):
        async with opened(path, embedder) as notes:
            await notes.write(many)
            assert (await near(notes, "thing 1234 of 2 parts"))[0] == ("n1234", 1.0)


# --------------------------------------------------------------------------- without vectors


async def test_without_the_embedder_notes_are_written_and_compared_by_words(path: Path) -> None:
    embedder = WordEmbedder()
    async with opened(path, embedder) as notes:
        embedder.down = True
        await notes.write(ALL)
        found = await notes.nearest(ALL[0].text, "shop", (), lambda one: True, 1, query=True)
        assert [(one.id, score) for one, score in found.hits] == [("a", 1.0)]
        assert found.notes == (BY_WORDS,)
        embedder.down = False
        found = await notes.nearest(ALL[0].text, "shop", (), lambda one: True, 1, query=True)
        assert found.notes == (
            "3 notes are not embedded yet, and compared by words only until then.",
        )
        await notes.refill()
        found = await notes.nearest(ALL[0].text, "shop", (), lambda one: True, 1, query=True)
        assert found.notes == ()


async def test_a_silent_embedder_is_waited_for_once_and_asked_again_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge_notes, "EMBED_S", 0.01)
    embedder, clock = WordEmbedder(), SetClock()
    notes = Notes(path, clock, embedder, dimension=DIMENSION)
    embedder.silent = True
    for group in ("shop", "bank"):
        found = await notes.nearest("goods", group, ("term",), lambda one: True, 5, query=True)
        assert found.notes == (BY_WORDS,)
    await notes.write(ALL)
    assert embedder.waited_for == 1
    embedder.silent = False
    clock.at += knowledge_notes.SILENT_S
    found = await notes.nearest("goods", "shop", ("term",), lambda one: True, 5, query=True)
    assert found.notes == ("2 notes are not embedded yet, and compared by words only until then.",)
    await notes.stop()


async def test_what_is_told_of_missing_vectors_counts_only_what_is_accepted(path: Path) -> None:
    embedder = WordEmbedder()
    async with opened(path, embedder) as notes:
        embedder.down = True
        await notes.write(ALL)
        embedder.down = False
        for project, told in (("till", 1), ("none", 0)):
            found = await notes.nearest(
                "night",
                "shop",
                (),
                lambda one, project=project: one.project == project,  # type: ignore[misc]
                5,
                query=True,
            )
            assert len(found.notes) == told


async def test_the_background_embeds_what_a_failure_left(path: Path) -> None:
    embedder = WordEmbedder()
    async with opened(path, embedder) as notes:
        embedder.down = True
        await notes.write(ALL)
        embedder.down = False
        running = asyncio.create_task(notes.run())
        async with asyncio.timeout(5):
            await embedder.told.wait()
        await notes.groups()  # the vectors were written before
        running.cancel()
    assert kept_vectors(path, "one") == {"a", "b", "c", "d"}


async def test_the_background_survives_a_damaged_file(path: Path) -> None:
    path.write_bytes(b"hello" * 1_000)
    async with opened(path, WordEmbedder()) as notes:
        running = asyncio.create_task(notes.run())
        for _ in range(20):
            await asyncio.sleep(0.001)
        assert not running.done()
        running.cancel()


async def test_a_new_model_embeds_from_the_text_before_old_vectors_go(path: Path) -> None:
    async with opened(path, WordEmbedder("one")) as notes:
        await notes.write(ALL)
    later = WordEmbedder("two")
    async with opened(path, later) as notes:
        later.down = True
        with pytest.raises(Exception, match="does not answer"):
            await notes.refill()
        assert (await near(notes, ALL[0].text))[0] == ("a", 1.0), "by words until then"
    assert kept_vectors(path, "one") == {"a", "b", "c", "d"}
    later.down = False
    async with opened(path, later) as notes:
        await near(notes, "warm")
        await notes.refill()
        assert (await near(notes, ALL[0].text))[0] == ("a", 1.0)
        assert later.embedded.total() == len(ALL)
        await notes.refill()
        assert later.embedded.total() == len(ALL), "nothing is embedded twice"
    assert kept_vectors(path, "one") == set()
    assert kept_vectors(path, "two") == {"a", "b", "c", "d"}


async def test_a_text_that_the_embedder_refuses_is_asked_for_once(path: Path) -> None:
    embedder = WordEmbedder(refused="night")
    async with opened(path, embedder) as notes:
        await notes.write(ALL)
        for _ in range(3):
            await notes.refill()
        assert embedder.embedded[ALL[1].text] == 2, "when written, and when healing"
        assert {ident for ident, _ in await near(notes, "breaks at night")} == {"a", "b"}


# --------------------------------------------------------------------------- what goes wrong


async def test_a_damaged_file_is_a_problem_until_it_is_put_right(path: Path) -> None:
    async with opened(path, WordEmbedder()) as notes:
        await notes.write(ALL)
    good = path.read_bytes()
    path.write_bytes(b"hello" * 1_000)
    async with opened(path, WordEmbedder()) as notes:
        assert "is not a notes" in notes.problem
        for _ in range(2):
            with pytest.raises(StateCorrupt, match="put a copy of it"):
                await notes.all_of("shop")
            with pytest.raises(StateCorrupt):
                await notes.write(ALL[:1])
        assert path.read_bytes() == b"hello" * 1_000
        path.write_bytes(good)
        assert len(await notes.all_of()) == len(ALL)
        assert notes.problem == ""


async def test_damage_found_while_reading_is_told_and_not_trusted_again(path: Path) -> None:
    many = [note(f"n{number}", "x" * 3_000) for number in range(50)]
    async with opened(path, None) as notes:
        await notes.write(many)
    async with opened(path, None) as notes:
        data = bytearray(path.read_bytes())
        data[20_000:60_000] = b"\xff" * 40_000
        path.write_bytes(data)
        with pytest.raises(StateCorrupt):
            await notes.all_of("shop")
        assert "damaged" in notes.problem
        with pytest.raises(StateCorrupt):
            await notes.all_of("shop")


async def test_a_file_of_a_newer_version_is_a_problem_and_stays(path: Path) -> None:
    with contextlib.closing(NotesFile.open(path)) as file:
        file._connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    async with opened(path, None) as notes:
        assert "schema 99" in notes.problem
        with pytest.raises(SchemaTooNew):
            await notes.write(ALL)
    assert path.read_bytes() == before


async def test_a_full_disk_is_a_problem_until_there_is_room(path: Path) -> None:
    async with opened(path, None) as notes:
        await notes.write(ALL)
        large = [note(f"n{number}", "x" * 4_000) for number in range(100)]
        with files_no_larger_than(100_000), pytest.raises(StateUnwritable):
            await notes.write(large)
        assert "cannot write" in notes.problem
        assert len(await notes.all_of("shop")) == 3
        await notes.write(large)
        assert notes.problem == ""
        assert len(await notes.all_of("shop")) == 103


async def test_a_refused_write_changes_nothing_in_memory(path: Path) -> None:
    async with opened(path, WordEmbedder()) as notes:
        await notes.write(ALL)
        await near(notes, "warm")
        with pytest.raises(Conflict):
            await notes.write([note("a", "new")], expected={"a": 7.0})
        assert (await near(notes, ALL[0].text))[0] == ("a", 1.0)
        assert {one.id for one in await notes.all_of("shop")} == {"a", "b", "c"}


async def test_a_group_is_not_filled_without_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MAX_NOTES", 3)
    async with opened(path, None) as notes:
        await notes.write(ALL)
        with pytest.raises(Conflict, match="more than 3 notes"):
            await notes.write([note("e", "one more")])
        await notes.write([note("a", "changed")])
        await notes.write([note("e", "one more", group="bank")])


async def test_the_first_write_of_a_day_leaves_a_copy(path: Path) -> None:
    clock = SetClock()
    notes = Notes(path, clock)
    await notes.start()
    for _ in range(3):
        await notes.write(ALL)
        clock.at += 86_400
    await notes.stop()
    assert len(copies_of(path)) == 3
