"""Resources: what they say, and that reading one never fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paparatsd.errors import Unavailable
from paparatsd.interfaces.mcp.resources import (
    ARCH_SCHEMA,
    ARCH_STATS,
    CODING_RESOURCES,
    SUPPORT_RESOURCES,
    Resource,
    ResourceText,
    read_resource,
)
from paparatsd.interfaces.mcp.scope import scoped
from paparatsd.interfaces.mcp.toolsets import RESOURCES, TOOLS
from paparatsd.knowledge_model import (
    CardKind,
    CardScope,
    CardStatus,
    Component,
    Decision,
    Lesson,
)
from paparatsd.model import ProjectName
from tests.harness.fake_knowledge import FakeKnowledge
from tests.harness.fake_service import ALPS, MARMOTS, FakeService

YAKS = ProjectName("yaks")
OVERVIEW = CODING_RESOURCES[0]


def test_memory_is_for_coding_alone() -> None:
    uris = {toolset: [one.uri for one in resources] for toolset, resources in RESOURCES.items()}
    assert uris == {
        "coding": ["context://project-overview", "arch://schema", "arch://stats/{group}"],
        "support": ["context://project-overview"],
    }


@pytest.mark.parametrize(
    ("uri", "part"),
    [
        ("arch://stats/alps", "alps"), ("arch://stats/a%20b", "a b"), ("arch://stats/", ""),
        ("arch://stats", ""), ("arch://statistics", None), ("arch://schema", None), ("", None),
    ],
)  # fmt: skip
def test_a_template_takes_its_part_out_of_an_address(uri: str, part: str | None) -> None:
    assert ARCH_STATS.part_of(uri) == part


def test_a_plain_resource_is_its_address_and_no_other() -> None:
    assert ARCH_SCHEMA.part_of("arch://schema") == ""
    assert ARCH_SCHEMA.part_of("arch://schema/") is None


@pytest.mark.parametrize("resource", [CODING_RESOURCES[0], SUPPORT_RESOURCES[0]])
async def test_the_overview_names_groups_projects_and_how_to_ask(resource: Resource) -> None:
    text = (await read_resource(resource, FakeService(others=(YAKS,)), "")).text
    for part in (
        "Group alps: 30 chunks", "**marmots**: 30 chunks of 3 files; python; ready",
        "Group group-of-yaks", "**yaks**", "high:", "partial:", "low,",
    ):  # fmt: skip
        assert part in text
    assert text.count('\n- "') == 4


@pytest.mark.parametrize("toolset", list(RESOURCES))
async def test_the_overview_names_tools_of_its_toolset_only(toolset: str) -> None:
    text = (await read_resource(RESOURCES[toolset][0], FakeService(), "")).text
    every = {tool.spec.name for tools in TOOLS.values() for tool in tools}
    offered = {tool.spec.name for tool in TOOLS[toolset]}
    assert {name for name in every - offered if name in text} == set()


async def test_the_overview_keeps_to_the_projects_in_scope() -> None:
    service = scoped(FakeService(others=(YAKS,)), ["marmots"])
    text = (await read_resource(OVERVIEW, service, "")).text
    assert "marmots" in text
    assert "yaks" not in text


async def test_without_projects_the_overview_says_how_to_add_one() -> None:
    service = scoped(FakeService(), ["no-such-project"])
    assert "paparats add" in (await read_resource(OVERVIEW, service, "")).text


async def test_the_schema_names_every_kind_field_and_status() -> None:
    text = (await read_resource(ARCH_SCHEMA, FakeService(), "")).text
    for body in (Component, Decision, Lesson):
        for name in body.__dataclass_fields__:
            assert name in text, name
    for word in (*CardKind, *CardStatus, *CardScope):
        assert word.value in text, word


async def test_stats_count_cards_by_kind_and_status() -> None:
    found = await read_resource(ARCH_STATS, FakeService(), "alps")
    assert found.media_type == "text/markdown"
    for line in (
        "# Memory of alps", "Cards: 4. Terms of the glossary: 3.", "- component: 1",
        "- decision: 2", "- lesson: 1", "- proposed: 0", "- accepted: 3", "- superseded: 1",
        "- deprecated: 0",
    ):  # fmt: skip
        assert line in found.text
    assert "T" in found.text.split("Oldest: ")[1].split(". Newest")[0]


async def test_a_group_without_cards_is_empty_and_one_that_is_not_there_is_said_to_be_so() -> None:
    empty = FakeService(knowledge=FakeKnowledge({MARMOTS: ALPS}))
    assert "Nothing has been recorded" in (await read_resource(ARCH_STATS, empty, "alps")).text
    unknown = await read_resource(ARCH_STATS, FakeService(), "andes")
    assert unknown.media_type == "text/plain"
    assert "andes" in unknown.text


async def test_a_missing_group_gets_a_hint() -> None:
    found = await read_resource(ARCH_STATS, FakeService(), " ")
    assert found.media_type == "text/plain"
    assert "arch://stats/GROUP" in found.text


async def test_the_numbers_of_a_group_out_of_scope_are_those_of_a_missing_one() -> None:
    service = scoped(FakeService(others=(YAKS,)), ["marmots"])
    hidden = await read_resource(ARCH_STATS, service, "group-of-yaks")
    missing = await read_resource(ARCH_STATS, service, "group-of-yetis")
    assert hidden.text.replace("yaks", "X") == missing.text.replace("yetis", "X")


@pytest.mark.parametrize(
    ("failure", "part"),
    [(Unavailable("the store is down"), "the store is down"), (RuntimeError("secret"), "the log")],
)
async def test_a_failure_is_a_plain_text_that_says_so(failure: Exception, part: str) -> None:
    service = FakeService(failure=failure)
    found = await read_resource(ARCH_STATS, service, "alps")
    assert found.media_type == "text/plain"
    assert part in found.text.replace("daemon's log", "the log")
    assert "secret" not in found.text


async def test_what_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paparatsd.interfaces.mcp.resources.DEADLINE_S", 0.01)
    service = FakeService()

    async def read(_service: object, _part: str) -> ResourceText:
        await service.release.wait()
        return ResourceText("too late")

    found = await read_resource(replace(ARCH_SCHEMA, read=read), service, "")
    assert "took too long" in found.text
