"""What a support agent and a person at a terminal learn of a real repository's history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

if TYPE_CHECKING:
    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo

BURROW = "def dig_burrow(depth):\n    return depth\n"
LIMITED = "def dig_burrow(depth):\n    return min(depth, 7)\n"
ADDRESS = "marmots:burrow.py#dig_burrow"


@pytest.fixture
async def filled(daemon: Daemon, repo: Repo) -> Daemon:
    """Return a daemon that knows a project with two commits on one function."""
    repo.write("burrow.py", BURROW)
    repo.write("README.md", "# Marmots\n\nThey sleep.\n")
    repo.commit("Dig burrows")
    repo.write("burrow.py", LIMITED)
    repo.commit("ALP-7: limit the depth of burrows\n\nDeep ones were flooded.")
    await daemon.add(repo.root, name="marmots")
    await daemon.wait_until(whole, within_s=30)
    return daemon


def whole(status: dict[str, Any]) -> bool:
    return all(
        one["state"] == "ready" and (one["history"] or {}).get("state") == "ready"
        for one in status["projects"]
    )


def text_of(result: Any) -> str:
    assert not result.is_error, result.content
    return "\n".join(block.text for block in result.content)


async def test_a_support_agent_learns_what_changed_when_for_what_and_whom_to_ask(
    filled: Daemon,
) -> None:
    async with Client(await filled.http_url() + "/support/mcp") as client:
        changed = await client.call_tool(
            "recent_changes", {"question": "depth of burrows", "since": "30 years ago"}
        )
        assert "ALP-7: limit the depth of burrows" in text_of(changed)
        commits = await client.call_tool("search_commits", {"query": "when was the depth limited"})
        found = commits.structured_content["commits"][0]
        assert found["commit"]["tickets"][0]["key"] == "ALP-7"
        assert ADDRESS in [place["address"] for place in found["places"]]
        assert "says: Deep ones were flooded." in text_of(commits)
        meta = await client.call_tool("get_chunk_meta", {"address": ADDRESS})
        assert [one["lines"] for one in meta.structured_content["commits"]] == [1, 1]
        assert "whom to ask" in text_of(meta)
        feature = await client.call_tool("explain_feature", {"question": "how deep are burrows"})
        assert "return min" not in text_of(feature)
        assert ADDRESS in text_of(feature)


async def test_filters_let_through_only_what_was_changed_so(filled: Daemon) -> None:
    async with Client(await filled.http_url() + "/support/mcp") as client:

        async def places(**changed: str) -> list[str]:
            given = {"query": "dig_burrow", **changed}
            result = await client.call_tool("search_changes", given)
            text_of(result)
            return [hit["path"] for hit in result.structured_content["results"]]

        assert "burrow.py" in await places(ticket="ALP-7", since="30 years ago")
        assert "README.md" not in await places(ticket="ALP-7")
        assert await places(until="2001-01-01") == []
        assert await places(author="nobody at all") == []
        wrong = await client.call_tool("search_changes", {"query": "x", "since": "soonish"})
        assert wrong.is_error


async def test_the_command_line_says_the_same(filled: Daemon) -> None:
    log = (await filled.cli("log", ADDRESS)).stdout
    assert "ALP-7: limit the depth of burrows" in log.splitlines()[2]
    assert "Dig burrows" in log.splitlines()[3]
    assert "who to ask:" in log
    changes = (await filled.cli("changes", "--ticket", "ALP-7")).stdout
    assert f"now {ADDRESS}" in changes
    assert "Dig burrows" not in changes
    explained = (await filled.cli("explain", "how", "deep", "are", "burrows")).stdout
    assert "return min" not in explained
    assert ADDRESS in explained
    found = (await filled.cli("search", "dig_burrow", "--history", "-n", "1")).stdout
    assert "last changed" in found
    assert "[ALP-7]" in found
    wrong = await filled.cli("changes", "--since", "soonish")
    assert wrong.returncode == 64
