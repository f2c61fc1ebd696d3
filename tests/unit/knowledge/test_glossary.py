"""Terms: who stands in whose way, what is found, what is deleted."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadQuery, StateCorrupt
from paparatsd.knowledge.deleting import delete_notes
from paparatsd.knowledge.glossary import FoundTerms, Glossary
from paparatsd.knowledge.notes import BY_WORDS, Notes
from paparatsd.knowledge_model import (
    Deleted,
    Outcome,
    TermDraft,
)
from paparatsd.model import GroupName, ProjectName
from tests.harness.note_embedder import DIMENSION, WordEmbedder
from tests.harness.set_clock import SetClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from paparatsd.knowledge_model import Recorded
    from paparatsd.store.notes import Note

FLOOR = 0.5
SLA = "what we promise a customer about being reachable"
ROTA = "who answers when something breaks at night"


class World:
    """A glossary with a file of its own and a clock that the test moves."""

    def __init__(self, path: Path) -> None:
        self.clock = SetClock()
        self.embedder = WordEmbedder()
        self.notes = Notes(path, self.clock, self.embedder, dimension=DIMENSION)
        self.glossary = Glossary(self.notes, self.clock)

    async def record(
        self,
        term: str,
        definition: str,
        *aliases: str,
        project: str | None = None,
        group: str = "shop",
    ) -> Recorded:
        """Write a term a second later."""
        self.clock.at += 1
        of = None if project is None else ProjectName(project)
        return await self.glossary.record(
            TermDraft(GroupName(group), term, definition, aliases, of)
        )

    async def find(
        self, query: str, *groups: str, project: str | None = None, floor: float = FLOOR
    ) -> FoundTerms:
        """Search, in the group "shop" unless others are named."""

        def accept(note: Note) -> bool:
            return project is None or note.project in (project, None)

        return await self.glossary.search(query, groups or ("shop",), accept, 8, floor)

    async def names(self, query: str, *groups: str, **options: str) -> list[tuple[str, bool]]:
        """Search and return names, and whether they were found by their name."""
        found = await self.find(query, *groups, **options)  # type: ignore[arg-type]
        return [(hit.term.term, hit.exact) for hit in found.hits]

    async def there(self, group: str = "shop") -> dict[str, str]:
        """Return all terms of a group with their definitions."""
        hits, _ = await self.glossary.listed([group], lambda _: True, 500)
        return {hit.term.term: hit.term.definition for hit in hits}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    made = World(tmp_path / "notes.sqlite3")
    await made.notes.start()
    yield made
    await made.notes.stop()


# --------------------------------------------------------------------------- writing


async def test_a_term_is_read_back_as_it_was_written(world: World) -> None:
    recorded = await world.record("SLA", SLA, "service level", "SLA", project="till")
    assert recorded.outcome is Outcome.CREATED
    (hit,) = (await world.find("SLA")).hits
    term = hit.term
    assert (term.id, term.group, term.project) == (recorded.id, "shop", "till")
    assert (term.term, term.definition, term.aliases) == ("SLA", SLA, ("service level",))
    assert term.created == term.updated == world.clock.at


async def test_the_same_name_in_the_same_place_is_overwritten_and_keeps_its_age(
    world: World,
) -> None:
    first = await world.record("SLA", SLA, "service level")
    created = world.clock.at
    again = await world.record("SLA", ROTA)
    assert (again.outcome, again.id) == (Outcome.UPDATED, first.id)
    (hit,) = (await world.find("SLA")).hits
    assert (hit.term.definition, hit.term.aliases) == (ROTA, ())
    assert (hit.term.created, hit.term.updated) == (created, world.clock.at)
    assert await world.names("service level", floor=0.99) == []  # type: ignore[arg-type]


async def test_the_same_name_elsewhere_is_another_term(world: World) -> None:
    ids = {
        (await world.record("SLA", SLA)).id,
        (await world.record("SLA", ROTA, project="till")).id,
        (await world.record("SLA", "third meaning", project="cart")).id,
        (await world.record("SLA", SLA, group="bank")).id,
    }
    assert len(ids) == 4


async def test_what_says_the_same_under_another_name_is_a_duplicate(world: World) -> None:
    first = await world.record("on-call rota", ROTA)
    same = await world.record("rota on call", ROTA)
    assert same.outcome is Outcome.DUPLICATE
    assert (same.id, same.label) == (first.id, "on-call rota")
    assert same.similarity == pytest.approx(1.0)
    assert list(await world.there()) == ["on-call rota"]


async def test_another_spelling_of_a_name_writes_nothing_and_says_so(world: World) -> None:
    first = await world.record("Go", "a language")
    other = await world.record("GO", "a board game with stones")
    assert (other.outcome, other.id, other.label) == (Outcome.DUPLICATE, first.id, "Go")
    assert "spelling" in other.notes[0]
    assert await world.there() == {"Go": "a language"}


async def test_dots_and_spaces_in_a_name_are_its_spelling_only(world: World) -> None:
    first = await world.record("SSE", "a stream of events that a server sends")
    other = await world.record("S. S. E.", "the engine that draws what is seen")
    assert (other.outcome, other.id) == (Outcome.DUPLICATE, first.id)
    assert "spelling" in other.notes[0]
    assert await world.names("what is S.S.E.?") == [("SSE", True)]


async def test_the_same_definition_is_a_duplicate_however_unlike_the_names(world: World) -> None:
    first = await world.record("DWH", "Where all is kept.")
    names = " ".join(f"word{number}" for number in range(25))
    other = await world.record(names, "where all  is KEPT")
    assert (other.outcome, other.id, other.similarity) == (Outcome.DUPLICATE, first.id, 1.0)
    assert (await world.record(names, "where nothing is kept")).outcome is Outcome.CREATED


async def test_another_projects_term_never_stands_in_the_way(world: World) -> None:
    await world.record("on-call rota", ROTA, project="cart")
    for project in ("till", None):
        written = await world.record("rota on call", ROTA, project=project)
        assert written.outcome is Outcome.CREATED, project


async def test_a_project_does_not_repeat_what_its_group_says(world: World) -> None:
    await world.record("on-call rota", ROTA)
    assert (await world.record("rota on call", ROTA, project="till")).outcome is Outcome.DUPLICATE


async def test_another_group_never_stands_in_the_way(world: World) -> None:
    await world.record("on-call rota", ROTA)
    assert (await world.record("rota on call", ROTA, group="bank")).outcome is Outcome.CREATED


async def test_a_new_term_tells_what_it_was_compared_with(world: World) -> None:
    await world.record("on-call rota", ROTA)
    other = await world.record("SLA", SLA)
    assert other.label == "on-call rota"
    assert other.similarity is not None
    assert 0 <= other.similarity < 0.5


async def test_names_that_lead_to_several_terms_are_told(world: World) -> None:
    first = await world.record("service level agreement", SLA, "SLA")
    other = await world.record("SLA", "a local abbreviation", "rota", project="till")
    (told,) = other.notes
    assert "'SLA' is an alias of the term 'service level agreement'" in told
    assert first.id in told
    elsewhere = await world.record("on-call list", ROTA, "SLA", project="cart")
    assert [first.id in told for told in elsewhere.notes] == [True], "till is not seen from cart"


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        (("", "d"), "term is empty"),
        (("t" * 201, "d"), "term has 201"),
        (("t", " \u200b"), "definition is empty"),
        (("t", "d" * 4_001), "definition has 4001"),
        (("t", "d", *map(str, range(21))), "aliases has 21"),
        (("t", "d", "a" * 201), "aliases has 201"),
    ],
)
async def test_what_cannot_be_a_term_is_refused(
    world: World, draft: tuple[str, ...], said: str
) -> None:
    with pytest.raises(BadQuery, match=said):
        await world.record(*draft)
    assert await world.there() == {}


async def test_what_is_written_is_cleaned(world: World) -> None:
    await world.record(" on-call\x1b[31m\u202e\nrota ", "one\r\ntwo\x00 ", " al\u200bias ")
    (hit,) = (await world.find("on-call rota")).hits
    assert (hit.term.term, hit.term.definition) == ("on-call rota", "one\ntwo")
    assert hit.term.aliases == ("alias",)


async def test_of_many_at_once_one_is_written(world: World) -> None:
    written = await asyncio.gather(
        *(world.record("SLA" if number % 2 else "sla", SLA) for number in range(12)),
        *(world.record(" ".join(order), ROTA) for order in (("a", "b"), ("b", "a"))),
    )
    created = [one for one in written if one.outcome is Outcome.CREATED]
    assert len(created) == 2
    assert len(await world.there()) == 2


async def test_without_the_embedder_the_gate_goes_by_words(world: World) -> None:
    await world.record("on-call rota", ROTA)
    world.embedder.down = True
    again = await world.record("rota on call", "at night, when something breaks, who answers")
    assert again.outcome is Outcome.DUPLICATE
    assert again.notes == (BY_WORDS,)
    other = await world.record("SLA", SLA)
    assert (other.outcome, other.notes) == (Outcome.CREATED, (BY_WORDS,))


# --------------------------------------------------------------------------- searching


async def test_a_name_is_found_however_it_is_written(world: World) -> None:
    await world.record("On-Call Rota", ROTA)
    for query in ("on-call rota", "ON_CALL  rota", "oncall-rota", "“On-call rota”?"):
        assert await world.names(query) == [("On-Call Rota", True)], query


async def test_a_name_beats_an_alias_and_a_shared_alias_finds_all(world: World) -> None:
    await world.record("rota", "a list of turns")
    await world.record("on-call plan", ROTA, "rota", "pager")
    await world.record("beeper", "a small device", "pager")
    assert await world.names("rota") == [("rota", True)]
    assert await world.names("PAGER") == [("on-call plan", True), ("beeper", True)]


async def test_a_project_sees_its_own_meaning_first_and_no_other_projects(world: World) -> None:
    await world.record("SLA", SLA)
    await world.record("SLA", "of the till", project="till")
    await world.record("SLA", "of the cart", project="cart")
    found = await world.find("sla", project="till")
    assert [hit.term.project for hit in found.hits] == ["till", None]
    assert len((await world.find("sla")).hits) == 3


async def test_all_terms_are_looked_at_not_the_first_few(world: World) -> None:
    for number in range(210):
        await world.record(f"term{number}", f"thing {number}", f"alias{number}")
    assert await world.names("TERM 209") == [("term209", True)]
    assert await world.names("alias-208") == [("term208", True)]


async def test_a_term_that_a_question_names_is_found_before_what_is_like_it(world: World) -> None:
    await world.record("SLA", "something else entirely")
    await world.record("reachable", SLA)
    found = await world.find(f"what does SLA say about {SLA}?")
    assert [(hit.term.term, hit.exact) for hit in found.hits] == [
        ("SLA", True),
        ("reachable", True),
    ]
    assert await world.names(f"is it {SLA}", floor=0.3) == [("reachable", True)]  # type: ignore[arg-type]


async def test_what_is_like_the_question_is_found_from_the_floor_on(world: World) -> None:
    await world.record("SLA", SLA)
    (hit,) = (await world.find("what we promise a customer")).hits
    assert not hit.exact
    assert FLOOR <= hit.score < 1
    assert (await world.find("what we promise a customer", floor=0.99)).hits == ()
    assert (await world.find("bread and butter")).hits == ()


async def test_several_groups_are_searched_together(world: World) -> None:
    await world.record("SLA", SLA)
    await world.record("SLA", "of the bank", group="bank")
    await world.record("rota", ROTA, group="third")
    found = await world.find("sla", "bank", "shop")
    assert [hit.term.group for hit in found.hits] == ["bank", "shop"]


async def test_how_terms_were_compared_is_told_when_it_matters(world: World) -> None:
    world.embedder.down = True
    await world.record("SLA", SLA)
    found = await world.find(SLA)
    assert [hit.term.term for hit in found.hits] == ["SLA"]
    assert found.notes == (BY_WORDS,)
    assert (await world.find("SLA")).notes == (), "a name is a name"


# --------------------------------------------------------------------------- listing, deleting


async def test_a_list_is_by_name_and_counts_what_it_leaves_out(world: World) -> None:
    for name, project in (("b", None), ("A", "till"), ("c", None), ("a2", "cart")):
        await world.record(name, f"meaning of {name}", project=project)
    await world.record("z", "last", group="bank")
    hits, total = await world.glossary.listed(["bank", "shop"], lambda _: True, 3)
    assert [hit.term.term for hit in hits] == ["z", "A", "a2", "b"]
    assert total == 5
    assert all(hit.term.id for hit in hits)


async def test_only_what_may_be_told_is_deleted(world: World) -> None:
    mine = await world.record("rota", ROTA, project="till")
    other = await world.record("SLA", SLA, project="cart")
    ids = [mine.id, other.id, "none", "'", mine.id]
    gone = await delete_notes(world.notes, ids, ("term",), lambda note: note.project == "till")
    assert gone == Deleted((mine.id,), (other.id, "none", "'"))
    assert list(await world.there()) == ["SLA"]


# --------------------------------------------------------------------------- what goes wrong


async def test_a_failure_is_raised_and_never_reads_as_an_empty_glossary(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite3"
    path.write_bytes(b"hello" * 1_000)
    world = World(path)
    await world.notes.start()
    for call in (
        lambda: world.record("SLA", SLA),
        lambda: world.find("SLA"),
        world.there,
        lambda: delete_notes(world.notes, ["i"], ("term",), lambda _: True),
    ):
        with pytest.raises(StateCorrupt):
            await call()
    await world.notes.stop()
