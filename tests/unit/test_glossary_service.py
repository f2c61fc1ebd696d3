"""The glossary's use cases: out of reach is like missing, and nothing is written to nowhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.errors import BadQuery, UnknownProject
from paparatsd.glossary_service import GlossaryService
from paparatsd.knowledge.notes import Notes
from paparatsd.knowledge_model import (
    Deleted,
    Outcome,
    Reach,
    TermDraft,
    TermsRequest,
)
from paparatsd.model import GroupName, ProjectName
from tests.harness.note_embedder import DIMENSION, WordEmbedder
from tests.harness.set_clock import SetClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

ANYTHING = Reach()


class Registered:
    """Stands for the projects that are answered about."""

    def __init__(self, **groups: tuple[str, ...]) -> None:
        self.groups = groups
        self.limit: tuple[str, ...] = ()

    def select(self, projects: tuple[str, ...], groups: tuple[str, ...]) -> tuple[Any, ...]:
        assert not projects
        assert not groups
        return tuple(
            SimpleNamespace(name=name, entry=SimpleNamespace(group=group))
            for group, names in self.groups.items()
            for name in names
            if not self.limit or name in self.limit
        )

    def allowed(self) -> tuple[str, ...]:
        return self.limit


class World:
    """The service over two groups."""

    def __init__(self, path: Path) -> None:
        self.registered = Registered(shop=("cart", "till"), bank=("vault",))
        clock = SetClock()
        self.notes = Notes(path, clock, WordEmbedder(), dimension=DIMENSION)
        self.service = GlossaryService(self.notes, self.registered, clock)  # type: ignore[arg-type]

    async def record(
        self, term: str, project: str | None = None, group: str = "shop", reach: Reach = ANYTHING
    ) -> str:
        """Write a term and return its id."""
        of = None if project is None else ProjectName(project)
        draft = TermDraft(GroupName(group), term, f"meaning of {term}", project=of)
        recorded = await self.service.record(draft, reach)
        assert recorded.outcome is Outcome.CREATED
        return recorded.id

    async def found(self, query: str, reach: Reach = ANYTHING, **more: Any) -> list[str]:
        """Search and return the terms."""
        answer = await self.service.search(TermsRequest(query, reach, **more))
        assert answer.total == len(answer.terms)
        return [hit.term.term for hit in answer.terms]

    async def listed(self, reach: Reach = ANYTHING, limit: int = 200) -> list[str]:
        """List the terms."""
        return [hit.term.term for hit in (await self.service.list(reach, limit)).terms]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    made = World(tmp_path / "notes.sqlite3")
    await made.notes.start()
    yield made
    await made.notes.stop()


async def filled(world: World) -> dict[str, str]:
    """Write a term of each kind of place; return their ids."""
    places = (("all", None, "shop"), ("mine", "cart", "shop"), ("other", "till", "shop"),
              ("bank", None, "bank"), ("safe", "vault", "bank"))  # fmt: skip
    return {term: await world.record(term, project, group) for term, project, group in places}


def seeing(*projects: str) -> Reach:
    return Reach(visible=frozenset(projects))


async def test_everything_is_told_to_who_may_see_everything(world: World) -> None:
    await filled(world)
    assert await world.listed() == ["bank", "safe", "all", "mine", "other"]
    assert await world.found("other") == ["other"]
    assert await world.listed(Reach(groups=(GroupName("bank"),))) == ["bank", "safe"]
    assert await world.listed(Reach(projects=(ProjectName("cart"),))) == ["all", "mine"]


async def test_what_is_out_of_reach_answers_like_what_does_not_exist(world: World) -> None:
    ids = await filled(world)
    reach = seeing("cart")
    assert await world.listed(reach) == ["all", "mine"]
    assert await world.found("other", reach) == await world.found("nonesuch", reach) == []
    assert (await world.service.list(reach, 1)).total == 2
    for ident in (ids["other"], ids["bank"], "nonesuch"):
        read = await world.service.list(reach, 1, (ids["mine"], ident))
        assert [hit.term.id for hit in read.terms] == [ids["mine"]]
        assert (read.total, read.missing) == (1, (ident,))
    asked = (ids["mine"], ids["other"], ids["bank"], "nonesuch")
    assert await world.service.delete(asked, reach) == Deleted(asked[:1], asked[1:])
    assert await world.listed() == ["bank", "safe", "all", "other"]


@pytest.mark.parametrize(
    ("reach", "deleted"),
    [
        (Reach(groups=(GroupName("bank"),)), ["bank", "safe"]),
        (Reach(projects=(ProjectName("cart"),)), ["all", "mine"]),
    ],
)
async def test_only_terms_of_what_was_named_are_deleted(
    world: World, reach: Reach, deleted: list[str]
) -> None:
    ids = await filled(world)
    done = await world.service.delete(tuple(ids.values()), reach)
    assert sorted(done.deleted) == sorted(ids[term] for term in deleted)
    assert sorted(await world.listed()) == sorted(set(ids) - set(deleted))


async def test_groups_out_of_reach_are_refused_like_unknown_ones(world: World) -> None:
    await filled(world)
    said = []
    for group in ("bank", "none"):
        with pytest.raises(UnknownProject) as caught:
            await world.listed(Reach(groups=(GroupName(group),), visible=frozenset({"cart"})))
        said.append(str(caught.value).replace(group, "?"))
        with pytest.raises(UnknownProject) as caught:
            await world.record("x", group=group, reach=seeing("cart"))
        said.append(str(caught.value).replace(group, "?"))
    assert len(set(said)) == 1


async def test_what_the_daemon_does_not_answer_about_is_out_of_reach(world: World) -> None:
    await filled(world)
    world.registered.limit = ("cart",)
    assert await world.listed() == ["all", "mine"]
    with pytest.raises(UnknownProject):
        await world.record("x", "till")


async def test_where_notes_may_not_be_told_there_are_none(world: World) -> None:
    ids = await filled(world)
    nothing = Reach(notes=False)
    assert await world.listed(nothing) == []
    assert (await world.service.beside_docs("all", nothing)).terms == ()
    gone = await world.service.delete((ids["all"],), nothing)
    assert gone.missing == (ids["all"],)


async def test_a_group_with_notes_stays_when_its_projects_are_gone(world: World) -> None:
    ids = await filled(world)
    world.registered.groups = {"shop": ("cart", "till")}
    assert await world.found("safe") == ["safe"]
    await world.record("later", "vault", "bank")
    await world.service.delete((ids["bank"], ids["safe"]), ANYTHING)
    with pytest.raises(UnknownProject, match="no group named 'nowhere'"):
        await world.record("x", group="nowhere")


async def test_a_term_of_an_unknown_project_is_not_written(world: World) -> None:
    with pytest.raises(UnknownProject, match=r"'vault' in the group 'shop' \(projects: cart, till"):
        await world.record("x", "vault")
    assert await world.listed() == []


async def test_beside_documents_a_few_terms_of_each_group_are_told(world: World) -> None:
    for number in range(6):
        await world.record(f"pay{number}")
        await world.record(f"pay{number}", group="bank")
    question = "how do " + " ".join(f"pay{number}" for number in range(6)) + " relate?"
    answer = await world.service.beside_docs(question, ANYTHING)
    groups = [hit.term.group for hit in answer.terms]
    assert (groups.count(GroupName("bank")), groups.count(GroupName("shop"))) == (3, 3)
    assert (await world.service.beside_docs("bread and butter", ANYTHING)).terms == ()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"query": " \u200b"}, "query is empty"),
        ({"query": "x" * 4_001}, "query has 4001"),
        ({"limit": 0}, "limit is 0"),
        ({"min_score": 1.5}, "min_score is 1.5"),
        ({"min_score": float("nan")}, "min_score is nan"),
    ],
)
async def test_a_question_that_cannot_be_meant_is_refused(
    world: World, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadQuery, match=said):
        await world.found(**{"query": "x", **more})
