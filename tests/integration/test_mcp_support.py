"""The support toolset over every transport, with the SDK's own client."""

from __future__ import annotations

import json
import sys
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters

from paparatsd.model import ProjectName
from paparatsd.settings import HttpSettings
from tests.harness.fake_service import FakeService, served
from tests.integration.test_mcp_transport import KINDS, POST, client_of, text_of

jsonschema: Any = pytest.importorskip("jsonschema")  # comes with the SDK
TOOLS = [
    "search_code", "get_chunk", "find_usages", "health_check", "list_projects", "get_chunk_meta",
    "search_changes", "recent_changes", "explain_feature", "search_commits", "impact_analysis",
    "search_docs", "get_document", "term_search", "term_list", "term_record",
]  # fmt: skip
HIDDEN = "yaks:src/secret.py#secret"
ADDRESS = "marmots:src/burrow3.py#Burrow.dig"
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search_code", {"query": "dig", "history": "true", "ticket": "ALP-7"}),
    ("get_chunk", {"address": ADDRESS}),
    ("health_check", {}),
    ("list_projects", {}),
    ("get_chunk_meta", {"chunk_id": ADDRESS, "commit_limit": "3"}),
    ("search_changes", {"query": "dig", "since": "7 days ago"}),
    ("recent_changes", {"question": "digging", "since": "2026-01-01", "limit": "3"}),
    ("explain_feature", {"question": "digging"}),
    ("search_commits", {"query": "when was the depth limited"}),
    ("find_usages", {"address": "Burrow.dig", "direction": "both", "limit": "2"}),
    ("impact_analysis", {"question": "digging", "max_hops": "2"}),
    ("search_docs", {"query": "burrow", "limit": "2", "history": "true"}),
    ("get_document", {"project": "marmots", "path": "docs/burrows.md", "max_chars": "300"}),
    ("term_search", {"query": "den", "min_score": "0.5"}),
    ("term_list", {"limit": "5"}),
    ("term_record", {"term": "sentinel", "definition": "Who keeps watch."}),
)


@pytest.mark.parametrize("kind", KINDS)
async def test_every_tool_answers_over_every_transport(kind: str) -> None:
    async with served() as up, client_of(up, kind, root="/support") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == TOOLS
        assert "people who do not see its code" in (client.instructions or "")
        for name, arguments in ASKED:
            result = await client.call_tool(name, arguments)
            assert not result.is_error, text_of(result)
            assert text_of(result)
            jsonschema.validate(result.structured_content, tools[name].output_schema)
        assert "last changed 2026-03-28 by Bert Berg [ALP-7]" in text_of(
            await client.call_tool(*ASKED[5])
        )


async def test_every_tool_has_title_annotations_and_closed_input() -> None:
    async with served() as up, client_of(up, "auto", root="/support") as client:
        for tool in (await client.list_tools()).tools:
            assert tool.title
            assert tool.description
            assert tool.annotations is not None
            writes = tool.name == "term_record"
            assert tool.annotations.read_only_hint is (not writes)
            assert tool.annotations.open_world_hint is False
            assert tool.annotations.destructive_hint is (False if writes else None)
            assert tool.annotations.idempotent_hint is (True if writes else None)
            assert tool.input_schema["additionalProperties"] is False


async def test_neither_toolset_has_the_tools_of_the_other() -> None:
    async with (
        served() as up,
        client_of(up, "auto", root="/support") as support,
        client_of(up, "auto") as coding,
    ):
        for client, name in ((support, "delete_project"), (coding, "get_chunk_meta")):
            with pytest.raises(Exception, match=f"there is no tool '{name}'"):
                await client.call_tool(name, {"project": "marmots", "address": ADDRESS})
        assert up.service.removed == []


async def test_code_search_of_either_toolset_filters_by_what_changed() -> None:
    async with served() as up:
        for root in ("", "/support"):
            async with client_of(up, "auto", root=root) as client:
                given = {"query": "dig", "author": "bert", "since": "7 days ago", "history": True}
                result = await client.call_tool("search_code", given)
                change = result.structured_content["results"][0]["last_change"]
                assert change["commit"]["author"]["name"] == "Bert Berg"
                assert "ALP-7: stop at bedrock" in text_of(result)
                bad = await client.call_tool("search_code", {"query": "dig", "since": "soon"})
                assert bad.is_error
                plain = await client.call_tool("search_code", {"query": "dig"})
                assert "last_change" not in plain.structured_content["results"][0]
        asked = up.service.searches[0]
        assert asked.changed is not None
        assert (asked.changed.author, asked.changed.since) == ("bert", "7 days ago")
        assert up.service.searches[-1].changed is None


async def test_a_scope_holds_over_the_wire_and_is_named() -> None:
    service = FakeService(others=(ProjectName("yaks"),))
    async with served(service=service, allowed_projects=("marmots",)) as up:
        for root in ("", "/support"):
            async with client_of(up, "auto", root=root) as client:
                assert "these projects only: marmots" in (client.instructions or "")
                listed = await client.call_tool("list_projects", {})
                found = await client.call_tool("search_code", {"query": "dig", "limit": 20})
                hidden = await client.call_tool(
                    "get_chunk", {"address": "yaks:src/secret.py#secret"}
                )
                assert hidden.structured_content["found"] is False
                assert "yaks" not in text_of(listed) + text_of(found)
        async with client_of(up, "auto") as client:
            await client.call_tool("delete_project", {"project": "yaks"})
        assert service.removed == []


async def test_a_session_of_one_toolset_is_refused_by_the_other() -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello["clientInfo"] = {"name": "t", "version": "1"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    async with served() as up, httpx.AsyncClient(base_url=up.http) as client:
        opened = await client.post("/support/mcp", headers=POST, json=message)
        session = {**POST, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
        session["Mcp-Protocol-Version"] = "2025-06-18"
        refused = await client.post("/mcp", headers=session, json=listing)
        assert refused.status_code == 400
        assert refused.json()["error"]["code"] == -32000
        for said in ("support", "/support/mcp", "coding"):
            assert said in refused.json()["error"]["message"]
        assert (await client.post("/support/mcp", headers=session, json=listing)).status_code == 200


async def test_the_stdio_bridge_carries_the_support_toolset() -> None:
    code = (
        "import sys; from paparatsd.interfaces.stdio import run_bridge;"
        "run_bridge(sys.argv[1], sys.stdin.buffer, sys.stdout.buffer, start=None,"
        " toolset='support')"
    )
    async with served() as up:
        parameters = StdioServerParameters(command=sys.executable, args=["-c", code, up.control])
        async with Client(parameters, mode="legacy") as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            assert "people who do not see its code" in (client.instructions or "")
            meta = await client.call_tool("get_chunk_meta", {"address": ADDRESS})
            assert json.loads(json.dumps(meta.structured_content))["total"] == 4


async def test_every_path_of_the_toolset_is_guarded_and_takes_its_own_methods() -> None:
    token = "correct-horse-battery-staple"
    paths = ("/support/mcp", "/support/sse", "/support/messages?session_id=" + "0" * 32)
    async with (
        served(HttpSettings(port=0, token=token)) as up,
        httpx.AsyncClient(base_url=up.http) as client,
    ):
        for path in paths:
            assert (await client.post(path, headers=POST, json={})).status_code == 401
            foreign = {"Origin": "http://evil.example", "Authorization": f"Bearer {token}"}
            assert (await client.get(path, headers=foreign)).status_code == 403
        own = {"Authorization": f"Bearer {token}"}
        for path, method in ((paths[1], "POST"), (paths[2], "GET"), (paths[0], "PUT")):
            assert (await client.request(method, path, headers=own)).status_code == 405
        async with client_of(up, "auto", token, root="/support") as agent:
            assert len((await agent.list_tools()).tools) == len(TOOLS)
