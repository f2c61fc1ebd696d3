"""The toolsets projects and codebase over every transport, with the SDK's own client."""

from __future__ import annotations

import json
import sys
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client, StdioServerParameters

from paparatsd.interfaces.mcp.toolsets import TOOLS
from paparatsd.interfaces.mcp.workspaces import slug_of
from paparatsd.model import ProjectName
from paparatsd.settings import HttpSettings
from tests.harness.fake_service import FakeService, served
from tests.integration.test_mcp_transport import KINDS, POST, client_of, text_of

jsonschema: Any = pytest.importorskip("jsonschema")  # comes with the SDK
ROOT = "/alps/marmots"
ASKED: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "projects": (
        ("semantic_search", {"query": "dig", "project": ROOT, "limit": "3", "file_filter": "src"}),
        ("get_code_context", {"file": "src/burrow3.py", "symbol": "Burrow.dig"}),
        ("find_symbol", {"name": "Burrow.dig", "project": "marmots"}),
        ("find_references", {"name": "Burrow.dig", "relationship": "calls", "limit": "2"}),
        ("outline", {"file": f"{ROOT}/src/burrow3.py"}),
        ("skeleton", {"project": slug_of(ROOT), "path_prefix": "src"}),
        ("add_project", {"path": f"{ROOT}/src"}),
        ("lookup_project", {"path": ROOT}),
        ("list_projects", {}),
        ("index_status", {"path": "marmots"}),
        ("reindex_project", {"path": ROOT}),
        ("remove_project", {"path": ROOT}),
    ),
    "codebase": (
        ("codebase_search", {"information_request": "dig", "directory_path": ROOT, "top_n": "3"}),
    ),
}
TOOLS_OF = {name: [tool.spec.name for tool in TOOLS[name]] for name in ASKED}


@pytest.mark.parametrize("toolset", list(ASKED))
@pytest.mark.parametrize("kind", KINDS)
async def test_every_tool_answers_over_every_transport(kind: str, toolset: str) -> None:
    async with served() as up, client_of(up, kind, root=f"/{toolset}") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert sorted(tools) == sorted(name for name, _ in ASKED[toolset])
        assert "You MUST call" in (client.instructions or "")
        for name, arguments in ASKED[toolset]:
            result = await client.call_tool(name, arguments)
            assert not result.is_error, text_of(result)
            assert text_of(result)
            jsonschema.validate(result.structured_content, tools[name].output_schema)


def test_the_six_tools_take_the_parameters_they_always_took() -> None:
    takes = {
        tool.spec.name: {
            name: one.get("default") for name, one in tool.spec.input_schema["properties"].items()
        }
        for tool in TOOLS["projects"]
    }
    assert takes["add_project"].keys() == {"path", "name"}
    for name in ("remove_project", "index_status", "reindex_project"):
        assert takes[name].keys() == {"path"}
    assert takes["list_projects"] == {}
    before = {"query": None, "project": None, "limit": 8, "file_filter": None}
    assert before.items() <= takes["semantic_search"].items()


def test_codebase_search_takes_its_five_parameters_and_no_other() -> None:
    (tool,) = TOOLS["codebase"]
    schema = tool.spec.input_schema
    assert {name: one.get("default") for name, one in schema["properties"].items()} == {
        "information_request": None,
        "directory_path": None,
        "top_n": 0,
        "path_filter": "",
        "include_related": True,
    }
    assert schema["required"] == ["information_request", "directory_path"]


async def test_results_have_score_project_place_symbol_and_a_short_snippet() -> None:
    behind = FakeService(text="def dig():\n" + "    deeper()\n" * 60)
    async with served(service=behind) as up, client_of(up, "auto", root="/projects") as client:
        found = await client.call_tool("semantic_search", {"query": "dig"})
        lines = text_of(found).splitlines()
        assert lines[1] == "0.9000 high /alps/marmots src/burrow0.py:1-9 [Burrow.dig]"
        assert len(lines[2].strip()) == 200
        assert len(found.structured_content["results"]) == 8
        assert behind.searches[-1].fresh
        none = await client.call_tool("semantic_search", {"query": "nothing"})
        assert text_of(none) == "no results"


async def test_a_filter_is_part_of_the_search_and_not_applied_to_what_it_found() -> None:
    behind = FakeService()
    async with served(service=behind) as up:
        async with client_of(up, "auto", root="/projects") as client:
            asked = {"query": "dig", "file_filter": f"{ROOT}/src/*.py", "project": ROOT}
            await client.call_tool("semantic_search", asked)
            await client.call_tool("semantic_search", {"query": "dig", "project": f"{ROOT}/src"})
        async with client_of(up, "auto", root="/codebase") as client:
            more = {"path_filter": "burrow", "directory_path": ROOT}
            await client.call_tool("codebase_search", {"information_request": "dig", **more})
    first, below, second = (search.paths for search in behind.searches)
    assert first == ("/src/*.py", "/src/*/**/*.py")
    assert below == ("/src/",)
    assert second == ("/**/*[bB][uU][rR][rR][oO][wW]*",)


async def test_what_is_not_named_as_it_is_gets_an_answer_that_says_what_is_there() -> None:
    async with served() as up, client_of(up, "auto", root="/projects") as client:
        wrong = await client.call_tool("semantic_search", {"query": "x", "project": "yak"})
        assert wrong.is_error
        assert "registered: marmots (/alps/marmots)" in text_of(wrong)
        for name in ("lookup_project", "index_status", "reindex_project", "remove_project"):
            gone = await client.call_tool(name, {"path": "/alps/yaks"})
            assert not gone.is_error
            assert "/alps/yaks is not registered" in text_of(gone)
            nobody = await client.call_tool(name, {"path": "~nobody-of-this-name/yaks"})
            assert "~nobody-of-this-name/yaks is not registered" in text_of(nobody)
        taken = await client.call_tool("add_project", {"path": "/alps/yaks", "name": "marmots"})
        assert text_of(taken) == "add_project was not run: the name marmots is taken."


async def test_without_a_project_a_relative_file_needs_one() -> None:
    behind = FakeService(others=(ProjectName("yaks"),))
    async with served(service=behind) as up, client_of(up, "auto", root="/projects") as client:
        asked = await client.call_tool("outline", {"file": "src/burrow3.py"})
        assert asked.is_error
        assert "marmots (/alps/marmots), yaks (/alps/yaks)" in text_of(asked)


async def test_other_projects_answer_like_what_does_not_exist() -> None:
    behind = FakeService(others=(ProjectName("yaks"),))
    async with served(service=behind, allowed_projects=["marmots"]) as up:
        async with client_of(up, "auto", root="/projects") as client:
            listed = await client.call_tool("list_projects", {})
            assert [one["name"] for one in listed.structured_content["projects"]] == ["marmots"]
            for name, arguments in (
                ("semantic_search", {"query": "x", "project": "{}"}),
                ("lookup_project", {"path": "/alps/{}"}),
                ("index_status", {"path": "{}"}),
                ("reindex_project", {"path": "{}"}),
                ("remove_project", {"path": "/alps/{}"}),
                ("add_project", {"path": "/alps/{}"}),
                ("skeleton", {"project": "{}"}),
                ("get_code_context", {"file": "/alps/{}/src/secret.py"}),
                ("find_references", {"name": "x", "project": "{}"}),
            ):
                said = []
                for project in ("yaks", "goat"):
                    asked = {key: text.format(project) for key, text in arguments.items()}
                    said.append(text_of(await client.call_tool(name, asked)).replace(project, "P"))
                assert said[0] == said[1], name
            every = await client.call_tool("semantic_search", {"query": "dig"})
            assert "secret" not in text_of(every)
        async with client_of(up, "auto", root="/codebase") as client:
            said = []
            for project in ("yaks", "goat"):
                asked = {"information_request": "x", "directory_path": f"/alps/{project}"}
                answer = text_of(await client.call_tool("codebase_search", asked))
                assert "adds no others: marmots" in answer
                said.append(answer.replace(project, "P"))
            assert said[0] == said[1]
    assert not behind.removed
    assert not [call for call in behind.calls if "yaks" in call or call.startswith("add")]


@pytest.mark.parametrize("toolset", list(ASKED))
async def test_the_guard_stands_before_them_too(toolset: str) -> None:
    settings = HttpSettings(port=0, token="0123456789abcdef0123")
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with served(settings) as up, httpx.AsyncClient(base_url=up.http) as client:
        path, bearer = f"/{toolset}/mcp", {"Authorization": f"Bearer {settings.token}"}
        for headers, status in (
            ({}, 401),
            ({**bearer, "Host": "evil.example"}, 421),
            ({**bearer, "Origin": "http://evil.example"}, 403),
        ):
            answer = await client.post(path, headers={**POST, **headers}, json=message)
            assert answer.status_code == status
        async with client_of(up, "auto", str(settings.token), f"/{toolset}") as agent:
            assert [one.name for one in (await agent.list_tools()).tools] == TOOLS_OF[toolset]


@pytest.mark.parametrize("toolset", list(ASKED))
async def test_a_bridge_speaks_the_toolset_it_was_told(toolset: str) -> None:
    script = (
        "import sys;from paparatsd.interfaces.stdio import run_bridge;"
        "run_bridge(sys.argv[1], sys.stdin.buffer, sys.stdout.buffer, start=None,"
        " toolset=sys.argv[2])"
    )
    async with served() as up:
        parameters = StdioServerParameters(
            command=sys.executable, args=["-c", script, up.control, toolset]
        )
        async with Client(parameters) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS_OF[toolset]
            name, arguments = ASKED[toolset][0]
            assert not (await client.call_tool(name, arguments)).is_error


async def test_code_and_neighbours_are_shown_once_and_numbered() -> None:
    async with served() as up, client_of(up, "auto", root="/codebase") as client:
        asked = {"information_request": "dig", "directory_path": ROOT, "top_n": 2}
        told = text_of(await client.call_tool("codebase_search", asked))
        assert "2 results for 'dig'; paths are below /alps/marmots." in told
        assert "## 1. src/burrow0.py - Burrow.dig (score 0.900, high)" in told
        assert "     1\tdef dig(self):\n     2\t    return 0" in told
        bare = text_of(
            await client.call_tool("codebase_search", {**asked, "include_related": "false"})
        )
        assert "Related" not in bare
        nothing = text_of(
            await client.call_tool("codebase_search", {**asked, "information_request": "nothing"})
        )
        assert "Nothing found for 'nothing' in /alps/marmots. Try other words." in nothing


@pytest.mark.parametrize("kind", ["auto", "legacy", "unix-legacy"])
async def test_progress_is_told_and_cancelling_reaches_the_service(kind: str) -> None:
    told: list[tuple[float, float | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total))

    async with served() as up, client_of(up, kind, root="/codebase") as client:
        asked = {"information_request": "wait", "directory_path": ROOT}

        async def wait() -> None:
            await client.call_tool("codebase_search", asked, progress_callback=on_progress)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            with anyio.fail_after(5):
                await up.service.started.wait()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(5):
            await up.service.cancelled.wait()
    assert told[0] == (0.0, 100.0)
    assert (100.0, 100.0) not in told


async def test_a_failure_names_no_tool_that_is_not_there() -> None:
    behind = FakeService(failure=RuntimeError("boom"))
    async with served(service=behind) as up, client_of(up, "auto", root="/codebase") as client:
        asked = {"information_request": "dig", "directory_path": ROOT}
        failed = await client.call_tool("codebase_search", asked)
        assert failed.is_error
        assert "health_check" not in text_of(failed)
        assert "boom" not in json.dumps(text_of(failed))
