"""The tools about documents, terms and cards over the wire, with the SDK's own client."""

from __future__ import annotations

from typing import Any

import pytest

from paparatsd.model import ProjectName
from tests.harness.fake_knowledge import DEPTH_ID
from tests.harness.fake_service import FakeService, served
from tests.harness.knowledge_asked import ASKING
from tests.integration.test_mcp_transport import client_of, text_of

jsonschema: Any = pytest.importorskip("jsonschema")  # comes with the SDK


@pytest.mark.parametrize("kind", ["auto", "legacy", "sse"])
async def test_every_tool_answers_with_text_and_data_of_its_schema(kind: str) -> None:
    async with served() as up, client_of(up, kind) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for name, arguments in ASKING.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, text_of(result)
            jsonschema.validate(result.structured_content, tools[name].output_schema)
            assert text_of(result)


async def test_a_decision_is_recorded_repeated_superseded_and_read_back() -> None:
    given = ASKING["arch_record_decision"]
    async with served() as up, client_of(up, "auto") as client:
        refused = await client.call_tool("arch_record_decision", {**given, "context": "again"})
        assert refused.structured_content["id"] == DEPTH_ID
        assert not refused.is_error
        taken = await client.call_tool("arch_record_decision", {**given, "supersedes": DEPTH_ID})
        assert taken.structured_content["outcome"] == "created"
        listed = await client.call_tool("arch_list", {"kinds": ["decision"], "limit": "5"})
        ids = [one["id"] for one in listed.structured_content["cards"]]
        assert ids == [taken.structured_content["id"]]
        history = await client.call_tool("arch_list", {"include_history": "true"})
        assert "superseded" in text_of(history)


async def test_a_scope_holds_for_documents_terms_and_cards_of_both_toolsets() -> None:
    service = FakeService(others=(ProjectName("yaks"),))
    async with served(service=service, allowed_projects=("marmots",)) as up:
        for root in ("", "/support"):
            async with client_of(up, "auto", root=root) as client:
                names = {tool.name for tool in (await client.list_tools()).tools}
                for name, arguments in ASKING.items():
                    if name in names:
                        result = await client.call_tool(name, arguments)
                        assert "yaks" not in text_of(result)
                        assert "yaks" not in str(result.structured_content)


async def test_cards_are_out_of_reach_of_support() -> None:
    async with served() as up, client_of(up, "auto", root="/support") as client:
        for name in ("arch_context", "arch_record_lesson", "term_delete"):
            with pytest.raises(Exception, match=f"there is no tool '{name}'"):
                await client.call_tool(name, ASKING[name])
        assert up.service.knowledge.asked == []
