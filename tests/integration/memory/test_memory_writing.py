"""What is new is kept, what is there is not repeated, and nobody's card blocks another's."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadQuery, Conflict, PaparatsError, StateCorrupt, UnknownProject
from paparatsd.knowledge_limits import MAX_NAMED, MAX_TEXT_CHARS
from paparatsd.knowledge_model import (
    CardKind,
    CardsRequest,
    CardStatus,
    Component,
    Decision,
    Lesson,
    Outcome,
)
from tests.harness.memory_world import MemoryWorld, component, decision, lesson, reach

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.knowledge_model import (
        Card,
        CardBody,
        Reach,
    )


async def cards(world: MemoryWorld, *groups: str) -> dict[str, Card]:
    """Return all cards by id."""
    asked = CardsRequest(reach(groups=groups), history=True, limit=200)
    return {hit.card.id: hit.card for hit in (await world.memory.list(asked)).cards}


# --------------------------------------------------------------------------- components


async def test_a_component_recorded_again_keeps_its_id_and_its_birth(world: MemoryWorld) -> None:
    first = await world.record(component("Cart", "Holds goods."), files=["src/cart.py"])
    born = (await cards(world))[first.id].created
    again = await world.record(component("Cart", "Holds goods and prices."))
    assert (first.outcome, again.outcome) == (Outcome.CREATED, Outcome.UPDATED)
    ((ident, card),) = (await cards(world)).items()
    assert ident == first.id == again.id
    assert card.created == born < card.updated
    assert isinstance(card.body, Component)
    assert (card.body.summary, card.files) == ("Holds goods and prices.", ())


async def test_components_of_one_name_in_two_projects_are_two(world: MemoryWorld) -> None:
    await world.record(component("Cart"), "shop")
    other = await world.record(component("Cart"), "library")
    third = await world.record(component("Cart"), "other", group="edge")
    assert (other.outcome, third.outcome) == (Outcome.CREATED, Outcome.CREATED)
    assert len(await cards(world)) == 3


async def test_a_component_without_a_project_is_refused(world: MemoryWorld) -> None:
    with pytest.raises(BadQuery, match="belongs to a project"):
        await world.record(component("Cart"), None)


async def test_components_are_not_compared_by_likeness(world: MemoryWorld) -> None:
    await world.record(component("Cart"))
    assert (await world.record(component("Basket"))).outcome is Outcome.CREATED


# --------------------------------------------------------------------------- the gate


@pytest.mark.parametrize(
    ("likeness", "outcome"),
    [
        ("0.20", Outcome.CREATED),
        ("0.69", Outcome.CREATED),
        ("0.71", Outcome.SIMILAR),
        ("0.84", Outcome.SIMILAR),
        ("0.86", Outcome.DUPLICATE),
    ],
)
async def test_a_decision_is_new_near_or_there_already_by_its_likeness(
    world: MemoryWorld, likeness: str, outcome: Outcome
) -> None:
    first = await world.record(decision("One database"))
    told = await world.record(decision(f"A single database ~{likeness}"))
    assert told.outcome is outcome
    assert told.label == "One database"
    assert told.similarity == pytest.approx(float(likeness), abs=1e-4)
    written = outcome is Outcome.CREATED
    assert len(await cards(world)) == 1 + written
    assert (told.id == first.id) is not written


async def test_a_lesson_learned_again_is_confirmed_not_repeated(world: MemoryWorld) -> None:
    first = await world.record(lesson("Never retry a payment"), files=["pay.py"])
    before = (await cards(world))[first.id]
    again = await world.record(
        replace(lesson("Do not retry payments ~0.90"), why="money"), files=["bill.py"]
    )
    assert (again.outcome, again.id) == (Outcome.UPDATED, first.id)
    ((_, card),) = (await cards(world)).items()
    assert card.confirmations == 1
    assert card.updated > before.updated
    assert card.created == before.created
    assert card.body == before.body
    assert card.files == ("pay.py", "bill.py")


async def test_a_lesson_that_is_near_another_is_not_written(world: MemoryWorld) -> None:
    await world.record(lesson("Never retry a payment"))
    told = await world.record(lesson("Never log a payment ~0.75"))
    assert told.outcome is Outcome.SIMILAR
    ((_, card),) = (await cards(world)).items()
    assert card.confirmations == 0


async def test_lessons_and_decisions_do_not_stand_in_each_others_way(world: MemoryWorld) -> None:
    await world.record(lesson("One database"))
    assert (await world.record(decision("One database"))).outcome is Outcome.CREATED


async def test_a_card_of_another_project_never_blocks(world: MemoryWorld) -> None:
    await world.record(decision("One database"), "library")
    assert (await world.record(decision("One database"), "shop")).outcome is Outcome.CREATED


async def test_a_card_of_another_group_never_blocks(world: MemoryWorld) -> None:
    await world.record(decision("One database"), None, group="edge")
    assert (await world.record(decision("One database"), None)).outcome is Outcome.CREATED


async def test_a_group_wide_card_blocks_one_of_a_project(world: MemoryWorld) -> None:
    await world.record(decision("One database"), None)
    assert (await world.record(decision("One database"), "shop")).outcome is Outcome.DUPLICATE


async def test_a_card_of_a_project_never_blocks_a_group_wide_one(world: MemoryWorld) -> None:
    await world.record(decision("One database"), "shop")
    assert (await world.record(decision("One database"), None)).outcome is Outcome.CREATED


async def test_what_is_superseded_blocks_nobody(world: MemoryWorld) -> None:
    old = await world.record(decision("One database"))
    await world.record(decision("Two databases ~0.30", supersedes=old.id))
    assert (await world.record(decision("One database"))).outcome is Outcome.CREATED


async def test_of_two_equal_cards_at_once_one_is_written(world: MemoryWorld) -> None:
    told = await asyncio.gather(*(world.record(decision("One database")) for _ in range(5)))
    assert sorted(one.outcome.value for one in told) == ["created", *["duplicate"] * 4]
    assert len(await cards(world)) == 1


async def test_the_gate_does_not_take_a_failure_for_nothing_found(tmp_path: Path) -> None:
    (tmp_path / "notes.sqlite3").write_bytes(b"this is no database" * 100)
    damaged = MemoryWorld(tmp_path)
    with pytest.raises(StateCorrupt):
        await damaged.record(decision("One database"))
    await damaged.close()


# --------------------------------------------------------------------------- superseding


async def test_a_decision_takes_the_place_of_another(world: MemoryWorld) -> None:
    old = await world.record(decision("One database"))
    new = await world.record(decision("One database per region", supersedes=old.id))
    assert new.outcome is Outcome.CREATED
    told = await cards(world)
    assert told[old.id].status is CardStatus.SUPERSEDED
    assert told[old.id].superseded_by == new.id
    assert told[new.id].status is CardStatus.ACCEPTED
    holding = await world.memory.list(CardsRequest(reach()))
    assert [hit.card.id for hit in holding.cards] == [new.id]


async def test_what_is_superseded_already_is_told_with_what_took_its_place(
    world: MemoryWorld,
) -> None:
    old = await world.record(decision("One database"))
    new = await world.record(decision("Two databases", supersedes=old.id))
    with pytest.raises(Conflict, match=f"superseded by {new.id} .*Two databases"):
        await world.record(decision("Three databases", supersedes=old.id))
    assert len(await cards(world)) == 2


async def test_only_a_decision_of_the_group_that_is_there_can_be_superseded(
    world: MemoryWorld,
) -> None:
    learned = await world.record(lesson("Never retry"))
    elsewhere = await world.record(decision("One database"), None, group="edge")
    hidden = await world.record(decision("One database"), "library")
    with pytest.raises(BadQuery, match="is a lesson, not a decision"):
        await world.record(decision("Retry", supersedes=learned.id))
    for ident in (elsewhere.id, "nothing"):
        with pytest.raises(BadQuery, match="no decision"):
            await world.record(decision("Two", supersedes=ident))
    ours = reach(visible=["shop"])
    with pytest.raises(BadQuery) as unseen:
        await world.record(decision("Two", supersedes=hidden.id), reach=ours)
    with pytest.raises(BadQuery) as missing:
        await world.record(decision("Two", supersedes="x" * len(hidden.id)), reach=ours)
    assert str(unseen.value) == str(missing.value).replace("x" * len(hidden.id), hidden.id)
    assert {card.status for card in (await cards(world)).values()} == {CardStatus.ACCEPTED}


async def test_a_card_names_no_decision_that_may_not_be_heard_of(world: MemoryWorld) -> None:
    old = await world.record(decision("One database"), None)
    await world.record(decision("Two", supersedes=old.id), "library")
    asked = CardsRequest(reach(visible=["shop"]), history=True)
    (hit,) = (await world.memory.list(asked)).cards
    assert (hit.card.status, hit.card.superseded_by) == (CardStatus.SUPERSEDED, None)
    asked = CardsRequest(reach(visible=["library"]), history=True)
    first, second = (hit.card for hit in (await world.memory.list(asked)).cards)
    assert first.superseded_by == second.id
    assert isinstance(second.body, Decision)
    assert second.body.supersedes == first.id


async def test_what_a_deleted_decision_superseded_holds_again(world: MemoryWorld) -> None:
    old = await world.record(decision("One database"))
    new = await world.record(decision("One database per region", supersedes=old.id))
    gone = await world.memory.delete((new.id,), reach())
    assert (gone.deleted, gone.missing, gone.restored) == ((new.id,), (), (old.id,))
    (left,) = (await cards(world)).values()
    assert (left.id, left.status, left.superseded_by) == (old.id, CardStatus.ACCEPTED, None)
    assert (await world.record(decision("One database"))).outcome is Outcome.DUPLICATE


@pytest.mark.parametrize("both", [False, True])
async def test_a_line_of_decisions_closes_around_what_is_deleted(
    world: MemoryWorld, both: bool
) -> None:
    first = await world.record(decision("One database"))
    second = await world.record(decision("Two databases", supersedes=first.id))
    third = await world.record(decision("Three databases", supersedes=second.id))
    fourth = await world.record(decision("Four databases", supersedes=third.id))
    ids = (second.id, third.id) if both else (second.id,)
    gone = await world.memory.delete(ids, reach())
    assert gone.restored == ()
    left = await cards(world)
    assert left[first.id].status is CardStatus.SUPERSEDED
    assert left[first.id].superseded_by == (fourth.id if both else third.id)
    last = left[fourth.id if both else third.id].body
    assert isinstance(last, Decision)
    assert last.supersedes == first.id


async def test_what_holds_again_is_told_to_those_who_may_hear_of_it(world: MemoryWorld) -> None:
    old = await world.record(decision("One database"), "library")
    new = await world.record(decision("Two"), None)
    newer = await world.record(decision("Three", supersedes=old.id), "shop", reach=reach())
    gone = await world.memory.delete((newer.id, new.id), reach(visible=["shop"]))
    assert (gone.deleted, gone.restored) == ((newer.id, new.id), ())
    assert (await cards(world))[old.id].status is CardStatus.ACCEPTED


# --------------------------------------------------------------------------- drafts


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (Component("", "Does."), "name is empty"),
        (Component("Cart", " \u200b\n"), "summary is empty"),
        (Component("Cart", "x" * (MAX_TEXT_CHARS + 1)), "summary has"),
        (Component("Cart", "Does.", ("",)), "neighbours is empty"),
        (Component("Cart", "Does.", tuple(map(str, range(MAX_NAMED + 1)))), "neighbours has"),
        (replace(decision("One"), context=""), "context is empty"),
        (replace(decision("One"), decision=""), "decision is empty"),
        (replace(decision("One"), consequences=""), "consequences is empty"),
        (Lesson("", "why", "when"), "rule is empty"),
        (Lesson("rule", "", "when"), "why is empty"),
        (Lesson("rule", "why", " "), "when is empty"),
    ],
)
async def test_what_a_card_must_say_is_asked_for_by_name(
    world: MemoryWorld, body: CardBody, message: str
) -> None:
    with pytest.raises(BadQuery, match=message):
        await world.record(body)


@pytest.mark.parametrize(
    "at", ["/etc/passwd", "../other/a.py", "src/../../a.py", "~/a.py", "src\\a.py", "", "a\x00b"]
)
async def test_files_and_anchors_stay_inside_their_project(world: MemoryWorld, at: str) -> None:
    with pytest.raises(BadQuery, match="files"):
        await world.record(component("Cart"), files=[at])
    if "\\" not in at:  # a name in PHP
        with pytest.raises(BadQuery, match="anchors"):
            await world.record(component("Cart"), anchors=[at])


async def test_texts_are_kept_without_what_is_invisible(world: MemoryWorld) -> None:
    told = await world.record(
        Component("The\u202e  Cart\n", "Line one.  \r\nLine\x07 two.\n\n"),
        files=["./src//cart.py", "src/cart.py"],
    )
    card = (await cards(world))[told.id]
    assert card.body == Component("The Cart", "Line one.\nLine two.")
    assert card.files == ("src/cart.py",)


async def test_nobody_writes_where_there_is_no_group_or_project(world: MemoryWorld) -> None:
    with pytest.raises(UnknownProject) as nowhere:
        await world.record(component("Cart"), group="nowhere")
    assert "core, edge" in str(nowhere.value)
    with pytest.raises(UnknownProject):
        await world.record(component("Cart"), "other")
    hidden = await raised(world, "library", reach(visible=["shop"]))
    missing = await raised(world, "missing", reach(visible=["shop"]))
    assert hidden == missing.replace("missing", "library")


async def raised(world: MemoryWorld, project: str, within: Reach) -> str:
    with pytest.raises(PaparatsError) as error:
        await world.record(component("Cart"), project, reach=within)
    return f"{type(error.value).__name__}: {error.value}"


# --------------------------------------------------------------------------- deleting


async def test_deleting_says_what_is_gone_and_what_was_not_there(world: MemoryWorld) -> None:
    one = await world.record(lesson("One ~0.10"))
    two = await world.record(lesson("Two ~0.90"))
    done = await world.memory.delete((one.id, "nothing", one.id), reach(groups=["core"]))
    assert (done.deleted, done.missing) == ((one.id,), ("nothing",))
    assert list(await cards(world)) == [two.id]


async def test_what_is_out_of_reach_is_not_deleted_but_missing(world: MemoryWorld) -> None:
    hidden = await world.record(lesson("One"), "library")
    elsewhere = await world.record(lesson("One"), "other", group="edge")
    done = await world.memory.delete(
        (hidden.id, elsewhere.id), reach(groups=["core"], visible=["shop"])
    )
    assert (done.deleted, done.missing) == ((), (hidden.id, elsewhere.id))
    assert len(await cards(world)) == 2


async def test_ids_begin_with_the_moment_of_their_making(world: MemoryWorld) -> None:
    first, second = await world.record(lesson("One ~0.10")), await world.record(lesson("Two ~0.9"))
    assert first.id < second.id
    assert first.id[14] == second.id[14] == "7"
    assert (await cards(world))[first.id].kind is CardKind.LESSON
