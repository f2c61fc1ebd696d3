"""What the bridge needs of the toolset without the SDK, and what the tools promise."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from paparatsd.chunks import parse
from paparatsd.interfaces.hints import CHUNK_KINDS
from paparatsd.interfaces.mcp import schemas
from paparatsd.interfaces.mcp.identity import coding_instructions, initialize_result
from paparatsd.interfaces.mcp.tools import CodingTools
from paparatsd.search.tokens import estimate_tokens
from tests.harness.fake_service import FakeService


async def ignore(_progress: float, _message: str) -> None:
    """Take no notice of progress."""


def test_instructions_name_every_tool_and_no_other() -> None:
    text = coding_instructions(())
    for spec in schemas.CODING:
        assert spec.name in text
    for absent in ("find_usages", "search_docs", "arch_context", "term_search"):
        assert absent not in text
    assert "MUST call search_code" in text


def test_a_scope_is_named_in_the_instructions() -> None:
    assert "these projects only: marmots, yaks" in coding_instructions(("marmots", "yaks"))


def test_a_known_version_is_kept_and_an_unknown_one_answered_with_the_newest() -> None:
    assert initialize_result("2024-11-05")["protocolVersion"] == "2024-11-05"
    assert initialize_result("2031-01-01")["protocolVersion"] == "2025-11-25"
    assert initialize_result(None)["protocolVersion"] == "2025-11-25"


async def test_a_long_call_reports_progress_that_grows() -> None:
    service = FakeService()
    seen: list[float] = []

    async def report(progress: float, _message: str) -> None:
        seen.append(progress)
        if len(seen) == 2:
            service.release.set()

    reply = await CodingTools(service, progress_every_s=0.01).call(
        "search_code", {"query": "wait"}, report
    )
    assert not reply.is_error
    assert seen[:2] == [0.0, 0.01]


async def test_structured_text_carries_no_control_characters() -> None:
    service = FakeService(text="a\x1b[31mred\x07\u202e")
    reply = await CodingTools(service).call("search_code", {"query": "x"}, ignore)
    assert reply.structured is not None
    assert reply.structured["results"][0]["text"] == "ared"
    assert "\x1b" not in reply.text


async def test_an_unknown_group_lists_as_no_project() -> None:
    reply = await CodingTools(FakeService()).call("list_projects", {"group": "andes"}, ignore)
    assert reply.structured == {"projects": []}
    assert "paparats add" in reply.text


async def test_a_filter_that_names_nothing_is_pointed_out_when_nothing_is_found() -> None:
    tools = CodingTools(FakeService())
    wrong = {"query": "nothing", "language": "pyton", "kind": "funktion", "group": "alps"}
    reply = await tools.call("search_code", wrong, ignore)
    assert reply.structured is not None
    language, kind = reply.structured["notes"]
    assert language == "No indexed file is in 'pyton'; languages: python."
    assert kind.startswith("No chunk is of the kind 'funktion'; kinds: block, cell,")
    assert language in reply.text
    right = {"query": "nothing", "language": "py", "kind": "class"}
    reply = await tools.call("search_code", right, ignore)
    assert reply.structured is not None
    assert reply.structured["notes"] == []


def test_every_kind_a_query_gives_is_known() -> None:
    queries = Path(parse.__file__).with_name("queries").glob("*.scm")
    given = {kind for query in queries for kind in re.findall(r"@def\.([a-z]+)", query.read_text())}
    assert len(given) > 15
    assert given <= set(CHUNK_KINDS)


def test_the_bridge_and_the_client_import_nothing_heavy() -> None:
    code = (
        "import sys, paparatsd.interfaces.stdio, paparatsd.interfaces.client;"
        "heavy = {'mcp', 'starlette', 'pydantic', 'httpx', 'httpx2', 'anyio', 'numpy', 'rich',"
        " 'h11', 'structlog', 'yaml'};"
        "print(','.join(sorted(heavy & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


async def test_tokens_are_those_of_the_text_and_budgets_cut_the_data_too() -> None:
    tools = CodingTools(FakeService(text="z = 1\n" * 400))
    reply = await tools.call("search_code", {"query": "x", "max_tokens": 300}, ignore)
    assert reply.structured is not None
    assert reply.structured["tokens"] == estimate_tokens(reply.text) <= 300
    assert reply.structured["next_offset"] == 1
    (hit,) = reply.structured["results"]
    assert hit["text"] in reply.text
    reply = await tools.call(
        "get_chunk", {"address": "marmots:src/burrow3.py#Burrow.dig", "max_tokens": 300}, ignore
    )
    assert reply.structured is not None
    assert reply.structured["tokens"] == estimate_tokens(reply.text) <= 300
    assert reply.structured["target"]["text"] in reply.text


async def test_explanations_and_neighbours_come_only_when_asked_for() -> None:
    tools = CodingTools(FakeService())
    plain = await tools.call("search_code", {"query": "x"}, ignore)
    assert plain.structured is not None
    assert not {"related", "explanation"} & set(plain.structured["results"][0])
    assert "meanings" not in plain.structured
    asked = {"query": "x", "related": "true", "explain": True}
    reply = await tools.call("search_code", asked, ignore)
    assert reply.structured is not None
    hit = reply.structured["results"][0]
    assert hit["related"][0]["address"] == "marmots:src/den.py#sleep"
    assert hit["explanation"]["features"][0]["name"] == "def_exact"
    assert reply.structured["meanings"]["p_test"].startswith("a test")
    assert "related: called by? marmots:src/den.py#sleep line 4" in reply.text
    assert "confidence: high, 0.90 = 0.90 (" in reply.text


async def test_an_unknown_project_is_answered_with_those_there_are() -> None:
    reply = await CodingTools(FakeService()).call(
        "search_code", {"query": "x", "project": "yaks"}, ignore
    )
    assert reply.structured is not None
    assert reply.text.endswith("Indexed projects: marmots.")
    assert reply.structured["tokens"] == estimate_tokens(reply.text)
