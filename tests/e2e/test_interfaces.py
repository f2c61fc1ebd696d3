"""The daemon from the outside: agents over MCP, scripts over the socket, strangers over TCP."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client

from tests.harness.repos import many_modules

if TYPE_CHECKING:
    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo

TOOLS = [
    "search_code", "get_chunk", "find_usages", "go_to_definition", "outline", "call_paths",
    "impact_analysis", "changed_symbols", "unused_definitions", "hubs", "search_docs",
    "get_document", "term_search", "term_list", "term_record", "term_delete", "arch_context",
    "arch_list", "arch_check", "arch_suggest_components", "arch_record_component",
    "arch_record_decision", "arch_record_lesson", "arch_delete", "list_projects", "health_check",
    "delete_project",
]  # fmt: skip
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture
async def filled(daemon: Daemon, repo: Repo) -> Daemon:
    """Return a daemon that has indexed one small project."""
    repo.write_all(many_modules(5))
    repo.write("burrow.py", 'def hibernate():\n    """Sleep through the winter."""\n')
    repo.commit("start")
    await daemon.add(repo.root, name="marmots")
    await daemon.wait_ready("marmots")
    return daemon


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


async def use(client: Client) -> None:
    """List tools, search, follow the address of the first hit."""
    assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
    found = await client.call_tool("search_code", {"query": "sleep through the winter"})
    assert not found.is_error
    first = found.structured_content["results"][0]
    assert first["address"] == "marmots:burrow.py#hibernate"
    assert "marmots" in text_of(found)
    shown = await client.call_tool("get_chunk", {"address": first["address"]})
    assert "def hibernate()" in text_of(shown)
    missing = await client.call_tool("get_chunk", {"address": "marmots:burrow.py#gone"})
    assert not missing.is_error
    wrong = await client.call_tool("search_code", {"query": "x", "surprise": 1})
    assert wrong.is_error


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_agent_searches_over_streamable_http(filled: Daemon, mode: Any) -> None:
    async with Client(await filled.mcp_url(), mode=mode) as client:
        await use(client)


async def test_an_agent_searches_over_legacy_sse(filled: Daemon) -> None:
    async with Client(sse_client(await filled.http_url() + "/sse"), mode="legacy") as client:
        await use(client)


async def test_an_agent_searches_over_stdio(filled: Daemon) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "paparatsd.interfaces.cli.main", "mcp"],
        env=filled.environment,
    )
    async with Client(parameters) as client:
        await use(client)


async def test_the_bridge_starts_the_daemon_and_prints_nothing_but_json_rpc(
    daemon: Daemon,
) -> None:
    await daemon.stop()
    try:
        done = await anyio.to_thread.run_sync(
            lambda: subprocess.run(
                [sys.executable, "-m", "paparatsd.interfaces.cli.main", "mcp"],
                input=json.dumps(INITIALIZE) + "\n",
                env=daemon.environment,
                cwd=daemon.home,
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
            )
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert lines[0]["result"]["serverInfo"]["name"] == "paparats-mcp"
        assert all(line["jsonrpc"] == "2.0" for line in lines)
    finally:
        assert (await daemon.cli("down")).returncode == 0


async def test_deleting_a_project_over_mcp_removes_it(filled: Daemon) -> None:
    async with Client(await filled.mcp_url()) as client:
        await client.call_tool("delete_project", {"group": "default", "project": "marmots"})
    assert (await filled.status())["projects"] == []


async def test_a_foreign_host_gets_421_and_a_foreign_origin_403(filled: Daemon) -> None:
    url = await filled.mcp_url()
    async with httpx.AsyncClient() as client:
        headers = {"Accept": "application/json, text/event-stream"}
        host = await client.post(url, json=INITIALIZE, headers={**headers, "Host": "evil.example"})
        origin = await client.post(
            url, json=INITIALIZE, headers={**headers, "Origin": "http://evil.example"}
        )
        fine = await client.post(url, json=INITIALIZE, headers=headers)
    assert (host.status_code, origin.status_code, fine.status_code) == (421, 403, 200)
    assert not any("access-control" in name for name in origin.headers)


async def test_health_is_answered_over_tcp(filled: Daemon) -> None:
    async with httpx.AsyncClient() as client:
        reply = await client.get(await filled.http_url() + "/health")
    assert reply.json()["status"] == "ok"
    assert reply.json()["groups"]["default"] > 0


async def test_curl_reads_the_status_over_the_socket(filled: Daemon) -> None:
    command = [
        "curl",
        "-sS",
        "--unix-socket",
        str(filled.socket_path),
        "http://localhost/v1/status",
    ]
    done = await anyio.to_thread.run_sync(
        lambda: subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    )
    project = json.loads(done.stdout)["projects"][0]
    assert {"name", "root", "group", "branch", "head", "state", "files", "chunks"} <= project.keys()
    assert {"skipped", "pending"} <= project.keys()
    assert project["state"] == "ready"


async def test_filters_hold_inside_recall(filled: Daemon, repo: Repo) -> None:
    repo.write("docs/guide.md", "# Winter\n\nHow marmots sleep through the winter.\n")
    repo.write("web/winter.ts", "export function sleepThroughTheWinter() { return 1; }\n")
    await filled.settle("marmots")
    query = "sleep through the winter"

    assert await filled.paths(query, languages=["typescript"]) == ["web/winter.ts"]
    assert await filled.paths(query, paths=["docs/**"]) == ["docs/guide.md"]
    assert {hit["kind"] for hit in await filled.search(query, kinds=["section"])} == {"section"}
    assert await filled.search(query, paths=["nowhere/**"]) == []


async def test_a_fresh_search_sees_what_was_written_just_before(filled: Daemon, repo: Repo) -> None:
    for number in range(5):
        repo.write("now.py", f"def written_just_now_{number}(): ...\n")
        answer = await filled.answer(f"written_just_now_{number}", fresh=True, limit=1)
        assert answer["freshness"][0]["state"] == "verified"
        assert f"written_just_now_{number}" in answer["results"][0]["text"]


async def test_results_never_overlap_by_more_than_half(filled: Daemon) -> None:
    hits = await filled.search("module function returns what it makes of argument", limit=20)
    spans: dict[str, list[tuple[int, int]]] = {}
    for hit in hits:
        spans.setdefault(hit["path"], []).append((hit["start_line"], hit["end_line"]))
    for lines in spans.values():
        for one in lines:
            for other in lines:
                shared = min(one[1], other[1]) - max(one[0], other[0]) + 1
                assert one == other or shared <= (one[1] - one[0] + 1) / 2


async def test_bad_requests_say_what_is_wrong(daemon: Daemon, repo: Repo) -> None:
    for body, words in (
        ({"path": "/"}, "whole machine"),
        ({"path": "/nowhere/at/all"}, "not there"),
        ({"path": "relative"}, "relative"),
        ({"path": str(repo.root), "name": "a b"}, "name"),
        ({"path": str(repo.root), "group": "x_docs"}, "reserved"),
    ):
        async with daemon.client() as client:
            reply = await client.post("/v1/projects", json=body)
        assert 400 <= reply.status_code < 500
        assert words in reply.json()["error"]["message"]
    assert (await daemon.status())["projects"] == []
