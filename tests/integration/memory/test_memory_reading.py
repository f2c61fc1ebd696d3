"""What memory says of a question: by kind, by project, above the floor, and never from before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadQuery, UnknownProject
from paparatsd.knowledge.glossary import Glossary
from paparatsd.knowledge.recall import files_in
from paparatsd.knowledge_model import (
    CardKind,
    CardsRequest,
    CardStatus,
    Component,
    ContextRequest,
    Reach,
    TermDraft,
)
from paparatsd.model import GroupName
from tests.harness.memory_world import component, decision, lesson, reach

if TYPE_CHECKING:
    from paparatsd.knowledge_model import ContextAnswer
    from tests.harness.memory_world import MemoryWorld

EVERYWHERE = reach()


async def ask(
    world: MemoryWorld,
    question: str = "how",
    within: Reach = EVERYWHERE,
    min_score: float | None = None,
    **limits: int,
) -> ContextAnswer:
    by_kind = {CardKind(kind): limit for kind, limit in limits.items()}
    return await world.memory.context(ContextRequest(question, within, by_kind or None, min_score))


def labels(answer: ContextAnswer) -> list[str]:
    return [hit.card.label for hit in answer.hits]


# --------------------------------------------------------------------------- context


async def test_each_kind_has_a_budget_of_its_own(world: MemoryWorld) -> None:
    for number in range(7):
        await world.record(component(f"C{number}"))
    await world.record(decision("D"))
    told = labels(await ask(world))
    assert sum(one.startswith("C") for one in told) == 5
    assert "D" in told
    assert labels(await ask(world, component=1, decision=0)) == ["C6"]
    assert labels(await ask(world, component=0)) == ["D"]


async def test_without_any_budget_nothing_is_embedded(world: MemoryWorld) -> None:
    await world.record(component("Cart"))
    answer = await ask(world, component=0, decision=0, lesson=0)
    assert (answer.hits, world.embedder.asked, sum(answer.counts.values())) == ((), 0, 1)


async def test_cards_below_the_floor_are_told_apart_from_no_cards(world: MemoryWorld) -> None:
    await world.record(component("Cart ~0.40"))
    answer = await ask(world)
    assert answer.hits == ()
    assert answer.counts == {"core": 1, "edge": 0}
    assert labels(await ask(world, min_score=0.4)) == ["Cart ~0.40"]
    assert labels(await ask(world, min_score=0)) == ["Cart ~0.40"]


async def test_cards_of_the_asked_project_are_put_forward(world: MemoryWorld) -> None:
    await world.record(decision("Here ~0.60"), "shop")
    await world.record(decision("Everywhere ~0.62"), None)
    assert labels(await ask(world)) == ["Everywhere ~0.62", "Here ~0.60"]
    answer = await ask(world, within=reach(projects=["shop"]))
    assert labels(answer) == ["Here ~0.60", "Everywhere ~0.62"]
    assert [round(hit.score, 2) for hit in answer.hits] == [0.65, 0.62]


async def test_the_floor_is_applied_after_the_boost(world: MemoryWorld) -> None:
    await world.record(decision("Here ~0.42"), "shop")
    assert labels(await ask(world)) == []
    assert labels(await ask(world, within=reach(projects=["shop"]))) == ["Here ~0.42"]


async def test_a_boosted_score_is_at_most_one(world: MemoryWorld) -> None:
    await world.record(decision("Here ~0.99"), "shop")
    (hit,) = (await ask(world, within=reach(projects=["shop"]))).hits
    assert hit.score == 1.0


async def test_a_project_sees_its_components_only_and_the_decisions_of_its_group(
    world: MemoryWorld,
) -> None:
    for project in ("shop", "library"):
        await world.record(component(f"C {project}"), project)
        await world.record(decision(f"D {project}"), project)
        await world.record(lesson(f"L {project}"), project)
    await world.record(lesson("L everywhere ~0.60"), None)
    answer = await ask(world, within=reach(projects=["shop"]))
    assert labels(answer) == ["C shop", "D shop", "L shop", "L everywhere ~0.60"]
    assert answer.counts == {"core": 4}


async def test_however_many_cards_of_others_there_are_the_projects_own_are_found(
    world: MemoryWorld,
) -> None:
    for number in range(60):
        await world.record(component(f"Other {number}"), "library")
    await world.record(component("Ours ~0.50"), "shop")
    assert labels(await ask(world, within=reach(projects=["shop"]))) == ["Ours ~0.50"]


async def test_what_is_superseded_is_not_told(world: MemoryWorld) -> None:
    old = await world.record(decision("Old"))
    await world.record(decision("New", supersedes=old.id))
    assert labels(await ask(world)) == ["New"]


async def test_the_same_question_again_is_answered_anew(world: MemoryWorld) -> None:
    assert labels(await ask(world)) == []
    await world.record(component("Cart"))
    assert labels(await ask(world)) == ["Cart"]


async def test_without_a_group_all_are_asked(world: MemoryWorld) -> None:
    await world.record(component("Cart"), "shop")
    await world.record(component("Edge"), "other", group="edge")
    assert labels(await ask(world)) == ["Cart", "Edge"]
    assert labels(await ask(world, within=reach(groups=["edge"]))) == ["Edge"]


async def test_hidden_cards_are_neither_told_nor_counted(world: MemoryWorld) -> None:
    await world.record(component("Cart"), "shop")
    await world.record(component("Shelf"), "library")
    await world.record(component("Edge"), "other", group="edge")
    answer = await ask(world, within=reach(visible=["shop"]))
    assert (labels(answer), answer.counts) == (["Cart"], {"core": 1})
    for within in (reach(groups=["edge"], visible=["shop"]), reach(groups=["none"])):
        with pytest.raises(UnknownProject, match="no group named"):
            await ask(world, within=within)


async def test_what_the_daemon_does_not_answer_about_is_not_told(world: MemoryWorld) -> None:
    await world.record(component("Cart"), "shop")
    await world.record(component("Shelf"), "library")
    world.projects.only = ("library",)
    assert labels(await ask(world)) == ["Shelf"]


async def test_where_notes_are_not_told_there_are_none(world: MemoryWorld) -> None:
    told = await world.record(component("Cart"))
    silent = Reach(notes=False)
    assert (await ask(world, within=silent)).counts == {}
    assert await world.memory.stats(silent) == ()
    assert (await world.memory.delete((told.id,), silent)).missing == (told.id,)
    with pytest.raises(UnknownProject):
        await world.record(component("Cart"), reach=silent)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (ContextRequest("  "), "what about"),
        (ContextRequest("x" * 9_000), "at most"),
        (ContextRequest("x", min_score=1.5), "between 0 and 1"),
        (ContextRequest("x", limits={CardKind.LESSON: 51}), "limit of lessons"),
        (ContextRequest("x", limits={CardKind.LESSON: -1}), "limit of lessons"),
    ],
)
async def test_questions_that_cannot_be_meant_are_refused(
    world: MemoryWorld, request_: ContextRequest, message: str
) -> None:
    with pytest.raises(BadQuery, match=message):
        await world.memory.context(request_)


# --------------------------------------------------------------------------- files


async def test_cards_that_name_the_asked_files_come_first(world: MemoryWorld) -> None:
    named = {
        "Like the question": [],
        "Names its folder ~0.20": ["src"],
        "Names it ~0.10": ["src/cart.py"],
        "Names another ~0.05": ["src/cart.pyx"],
    }
    for name, files in named.items():
        await world.record(component(name), files=files)
    anchors = ["src/cart.py#Cart.total"]
    await world.record(component("Names a symbol in it ~0.30"), anchors=anchors)
    answer = await ask(world, "src/cart.py, ./docs/other.md")
    assert [(hit.card.label, hit.score) for hit in answer.hits] == [
        ("Names a symbol in it ~0.30", 1.0),
        ("Names it ~0.10", 1.0),
        ("Names its folder ~0.20", 1.0),
        ("Like the question", 1.0),
    ]


async def test_a_card_is_found_by_where_its_code_is_now(world: MemoryWorld) -> None:
    cart = "class Cart:\n    def total(self):\n        return sum(self.prices)\n"
    world.index({"src/cart.py": cart, "src/till.py": "def pay():\n    return 1\n"})
    await world.record(lesson("By its file ~0.10"), files=["src/cart.py"])
    await world.record(component("By its symbol ~0.10"), anchors=["Cart.total"])
    await world.record(component("By nothing near ~0.10"), files=["src/till.py"])
    assert labels(await ask(world, "shop/basket.py")) == []
    world.index({"shop/basket.py": cart, "src/till.py": "def pay():\n    return 1\n"})
    there = ["By its symbol ~0.10", "By its file ~0.10"]
    assert labels(await ask(world, "shop/basket.py")) == there
    assert labels(await ask(world, "src/cart.py")) == there
    quick = ContextRequest("shop/basket.py", EVERYWHERE, checked=False)
    assert labels(await world.memory.context(quick)) == []


async def test_a_folder_is_asked_about_with_all_that_is_in_it(world: MemoryWorld) -> None:
    await world.record(lesson("Inside ~0.10"), files=["src/cart.py"])
    assert labels(await ask(world, "src/")) == ["Inside ~0.10"]
    assert labels(await ask(world, "sr/")) == []
    assert labels(await ask(world, "what does src/cart.py do")) == []


def test_a_question_is_a_list_of_files_only_when_it_says_nothing_else() -> None:
    assert files_in("src/a.py, b.ts\n`./c/d`") == ("src/a.py", "b.ts", "c/d")
    assert files_in("src/a.py and more") == ()
    assert files_in("how are carts priced") == ()
    assert files_in("cart") == ()
    assert files_in("...") == ()


# --------------------------------------------------------------------------- lists


async def listed(world: MemoryWorld, request: CardsRequest) -> list[str]:
    return [hit.card.label for hit in (await world.memory.list(request)).cards]


async def test_a_list_goes_on_where_it_ended_whatever_came_and_went(world: MemoryWorld) -> None:
    ids = [(await world.record(component(f"C{number}"))).id for number in range(5)]
    first = await world.memory.list(CardsRequest(EVERYWHERE, limit=2))
    assert [hit.card.label for hit in first.cards] == ["C0", "C1"]
    await world.memory.delete((ids[1], ids[2]), EVERYWHERE)
    await world.record(component("C5"))
    second = await world.memory.list(CardsRequest(EVERYWHERE, limit=2, cursor=first.next_cursor))
    assert [hit.card.label for hit in second.cards] == ["C3", "C4"]
    third = await world.memory.list(CardsRequest(EVERYWHERE, limit=2, cursor=second.next_cursor))
    assert ([hit.card.label for hit in third.cards], third.next_cursor) == (["C5"], "")


async def test_cards_written_in_one_instant_are_each_listed_once(world: MemoryWorld) -> None:
    for number in range(5):
        world.clock.at -= 1
        await world.record(component(f"C{number}"))
    told, cursor = [], ""
    while True:
        answer = await world.memory.list(CardsRequest(EVERYWHERE, limit=2, cursor=cursor))
        told += [hit.card.label for hit in answer.cards]
        cursor = answer.next_cursor
        if not cursor:
            break
    assert sorted(told) == [f"C{number}" for number in range(5)]


@pytest.mark.parametrize("cursor", ["x", "!!", "e30", "W10", "WzEsMl0", "WyJhIiwiYiJd", "ü", "5"])
async def test_what_is_no_cursor_is_refused(world: MemoryWorld, cursor: str) -> None:
    with pytest.raises(BadQuery, match="cursor"):
        await world.memory.list(CardsRequest(EVERYWHERE, cursor=cursor))


async def test_a_list_is_of_kinds_projects_and_with_history_when_asked(world: MemoryWorld) -> None:
    old = await world.record(decision("Old"), "library")
    await world.record(decision("New", supersedes=old.id), "library")
    await world.record(lesson("L"), "shop")
    await world.record(component("C"), "shop")
    assert await listed(world, CardsRequest(EVERYWHERE)) == ["New", "L", "C"]
    assert await listed(world, CardsRequest(EVERYWHERE, history=True)) == ["Old", "New", "L", "C"]
    assert await listed(world, CardsRequest(EVERYWHERE, (CardKind.LESSON,))) == ["L"]
    assert await listed(world, CardsRequest(reach(projects=["shop"]))) == ["L", "C"]
    assert await listed(world, CardsRequest(reach(visible=["library"]))) == ["New"]
    with pytest.raises(BadQuery, match="limit"):
        await world.memory.list(CardsRequest(EVERYWHERE, limit=201))
    with pytest.raises(BadQuery, match="limit"):
        await world.memory.list(replace(CardsRequest(EVERYWHERE), limit=0))


# --------------------------------------------------------------------------- figures


async def test_figures_are_by_kind_and_status_with_the_oldest_and_newest(
    world: MemoryWorld,
) -> None:
    start = world.clock.at
    old = await world.record(decision("Old"))
    await world.record(decision("New", supersedes=old.id))
    await world.record(component("C"), "library")
    core, edge = await world.memory.stats(EVERYWHERE)
    assert (core.group, core.cards, core.terms) == ("core", 3, 0)
    assert core.by_kind == {CardKind.COMPONENT: 1, CardKind.DECISION: 2, CardKind.LESSON: 0}
    assert core.by_status[CardStatus.SUPERSEDED] == 1
    assert core.by_status[CardStatus.PROPOSED] == 0
    assert (core.oldest, core.newest) == (start + 2, start + 3)
    assert (edge.cards, edge.oldest, edge.newest) == (0, None, None)
    (ours,) = await world.memory.stats(reach(visible=["library"]))
    assert (ours.group, ours.cards) == ("core", 1)


async def test_cards_are_read_by_their_ids_whether_they_hold_or_not(world: MemoryWorld) -> None:
    old = await world.record(decision("Old"))
    await world.record(decision("New", supersedes=old.id))
    kept = await world.record(component("C"))
    answer = await world.memory.list(CardsRequest(EVERYWHERE, ids=(kept.id, old.id, "x", kept.id)))
    assert [hit.card.label for hit in answer.cards] == ["C", "Old"]
    assert (answer.missing, answer.next_cursor) == (("x",), "")
    with pytest.raises(BadQuery, match="no cursor"):
        await world.memory.list(CardsRequest(EVERYWHERE, ids=("x",), cursor="x"))
    with pytest.raises(BadQuery, match="at most 100"):
        await world.memory.list(CardsRequest(EVERYWHERE, ids=tuple("x" * 101)))


async def test_a_card_out_of_reach_is_missing_like_one_that_does_not_exist(
    world: MemoryWorld,
) -> None:
    hidden = await world.record(component("C"))
    elsewhere = await world.record(component("D"), "other", group="edge")
    term = TermDraft(GroupName("core"), "SKU", "A number.")
    told = await Glossary(world.notes, world.clock).record(term)
    for ident in (hidden.id, elsewhere.id, told.id, "x"):
        asked = CardsRequest(reach(visible=["library"]), ids=(ident,))
        answer = await world.memory.list(asked)
        assert (answer.cards, answer.missing) == ((), (ident,))
    other = await world.memory.list(CardsRequest(reach(groups=["edge"]), ids=(hidden.id,)))
    assert other.missing == (hidden.id,)


# --------------------------------------------------------------------------- suggestions


def used_widely(*names: str, users: int = 12) -> dict[str, str]:
    """Return files that define each of the names, and files that use them all."""
    files = {f"src/{name.lower()}.py": f"def {name}():\n    return 1\n" for name in names}
    imports = "".join(f"from src.{name.lower()} import {name}\n" for name in names)
    calls = "".join(f"    {name}()\n" for name in names)
    for number in range(users):
        files[f"app/u{number}.py"] = f"{imports}\ndef use{number}():\n{calls}"
    return files


async def test_places_that_much_is_built_on_are_suggested_once_a_file(world: MemoryWorld) -> None:
    world.index(used_widely("charge", "refund", "settle"))
    world.index({"a.py": "def alone():\n    return 1\n"}, "library")
    answer = await world.memory.suggest(EVERYWHERE, 10)
    assert {(one.project, one.path, one.users) for one in answer.suggestions} >= {
        ("shop", "src/charge.py", 12),
        ("shop", "src/refund.py", 12),
    }
    paths = [(one.project, one.path) for one in answer.suggestions]
    assert len(paths) == len(set(paths))
    assert len((await world.memory.suggest(EVERYWHERE, 1)).suggestions) == 1


async def test_what_a_component_names_is_not_suggested(world: MemoryWorld) -> None:
    world.index(used_widely("charge", "refund", "settle"))
    await world.record(component("Charge"), files=["src/charge.py"])
    await world.record(component("Refund"), anchors=["refund"])
    left = await world.memory.suggest(reach(projects=["shop"]), 10)
    assert "src/settle.py" in [one.path for one in left.suggestions]
    assert not {"src/charge.py", "src/refund.py"} & {one.path for one in left.suggestions}
    await world.record(component("Sources"), files=["src", "app"])
    none = await world.memory.suggest(reach(projects=["shop"]), 10)
    assert none.suggestions == ()
    assert "named by a component card" in none.notes[-1]


async def test_what_a_component_names_is_not_suggested_where_it_was_moved(
    world: MemoryWorld,
) -> None:
    files = used_widely("charge", "settle")
    world.index(files)
    await world.record(component("Charge"), files=["src/charge.py"])
    files["src/money/charge.py"] = files.pop("src/charge.py")
    world.index(
        {path: text.replace("src.charge", "src.money.charge") for path, text in files.items()}
    )
    paths = [one.path for one in (await world.memory.suggest(reach(), 10)).suggestions]
    assert "src/settle.py" in paths
    assert "src/money/charge.py" not in paths


async def test_hidden_projects_are_not_even_looked_at_for_suggestions(world: MemoryWorld) -> None:
    world.index(used_widely("charge"))
    answer = await world.memory.suggest(reach(visible=["library"]), 10)
    assert answer.suggestions == ()
    (asked,) = world.graph.asked
    assert list(asked.scope.projects) == ["library"]
    assert asked.scope.visible == {"library"}
    assert "symbol graph knows nothing" in answer.notes[-1]


async def test_a_component_of_the_whole_memory_says_what_it_is(world: MemoryWorld) -> None:
    told = await world.record(Component("Cart", "Holds goods.", ("Till", "Till")))
    (hit,) = (await ask(world)).hits
    assert hit.card.body == Component("Cart", "Holds goods.", ("Till",))
    assert (hit.card.id, hit.card.project, hit.card.group) == (told.id, "shop", "core")
