"""Prompts and resources over the wire, with the SDK's own client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mcp.shared.exceptions import MCPError

from paparatsd.interfaces.mcp.identity import IDENTITIES, initialize_result
from paparatsd.interfaces.mcp.toolsets import PROMPTS, RESOURCES
from paparatsd.interfaces.mcp.transport import build_server
from paparatsd.model import ProjectName
from tests.harness.fake_service import FakeService, served
from tests.integration.test_mcp_transport import client_of

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOTS: Mapping[str, str] = {name: one.root for name, one in IDENTITIES.items()}
KINDS = ("auto", "legacy", "sse", "unix-legacy")


@pytest.mark.parametrize("kind", KINDS)
async def test_a_client_lists_and_fills_prompts(kind: str) -> None:
    async with served() as up, client_of(up, kind) as client:
        listed = {one.name: one for one in (await client.list_prompts()).prompts}
        assert list(listed) == [one.name for one in PROMPTS["coding"]]
        callers = listed["trace_callers"]
        assert callers.title
        assert callers.description
        arguments = {one.name: one for one in callers.arguments or []}
        assert arguments["symbol"].required is True
        assert arguments["project"].required is False
        assert arguments["project"].description
        found = await client.get_prompt("trace_callers", {"symbol": "Burrow.dig"})
        (message,) = found.messages
        assert message.role == "user"
        assert "Burrow.dig" in message.content.text  # type: ignore[union-attr]
        assert 'project="all"' in message.content.text  # type: ignore[union-attr]


@pytest.mark.parametrize("toolset", list(PROMPTS))
@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("no_such_prompt", {}, "there is no prompt 'no_such_prompt'; there are "),
        ("onboard_to_project", {}, "needs the argument project: "),
        ("onboard_to_project", {"project": ""}, "needs the argument project: "),
        ("onboard_to_project", {"project": "x", "y": "z"}, "has no argument 'y'"),
    ],
)
async def test_what_cannot_be_filled_is_an_error_that_says_why(
    toolset: str, name: str, arguments: dict[str, str], said: str
) -> None:
    async with served() as up, client_of(up, "auto", root=ROOTS[toolset]) as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt(name, arguments)
        assert said in str(caught.value)
        assert caught.value.error.code == -32602


@pytest.mark.parametrize("toolset", list(RESOURCES))
async def test_a_client_lists_and_reads_resources(toolset: str) -> None:
    async with served() as up, client_of(up, "auto", root=ROOTS[toolset]) as client:
        plain = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        named = [one.uri for one in plain] + [one.uri_template for one in templates]
        assert named == [one.uri for one in RESOURCES[toolset]]
        about = [(one.title, one.description, one.mime_type) for one in plain]
        about += [(one.title, one.description, one.mime_type) for one in templates]
        for title, description, media_type in about:
            assert title
            assert description
            assert media_type == "text/markdown"
        for one in plain:
            (content,) = (await client.read_resource(one.uri)).contents
            assert content.uri == one.uri
            assert content.mime_type == "text/markdown"
            assert content.text.startswith("# ")  # type: ignore[union-attr]


async def test_numbers_of_a_group_are_read_through_the_template() -> None:
    async with served() as up, client_of(up, "legacy") as client:
        (content,) = (await client.read_resource("arch://stats/alps")).contents
        assert "Cards: 4." in content.text  # type: ignore[union-attr]


async def test_an_unknown_resource_is_an_error_and_memory_is_unknown_to_support() -> None:
    async with (
        served() as up,
        client_of(up, "auto") as coding,
        client_of(up, "auto", root="/support") as support,
    ):
        for client, uri in (
            (coding, "context://nothing"),
            (support, "arch://schema"),
            (support, "arch://stats/alps"),
        ):
            with pytest.raises(MCPError, match="there is no resource"):
                await client.read_resource(uri)


async def test_resources_keep_to_the_projects_in_scope() -> None:
    service = FakeService(others=(ProjectName("yaks"),))
    async with (
        served(service=service, allowed_projects=["marmots"]) as up,
        client_of(up, "auto") as client,
    ):
        texts = [
            (await client.read_resource(uri)).contents[0].text  # type: ignore[union-attr]
            for uri in ("context://project-overview", "arch://stats/alps")
        ]
        assert all("yaks" not in text for text in texts)
        assert "marmots" in texts[0]


@pytest.mark.parametrize("toolset", list(IDENTITIES.values()), ids=list(IDENTITIES))
@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25"])
async def test_the_bridge_claims_while_the_daemon_starts_what_the_server_has(
    toolset: object, version: str
) -> None:
    identity = next(one for one in IDENTITIES.values() if one is toolset)
    server = build_server(identity, FakeService(), ())
    capabilities = server.get_capabilities(protocol_version=version)
    claimed = initialize_result(identity, version)["capabilities"]
    assert claimed == capabilities.model_dump(by_alias=True, exclude_none=True, mode="json")
