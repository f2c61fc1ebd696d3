"""Resources and prompts of a real daemon, through the SDK's client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp import Client

if TYPE_CHECKING:
    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo


async def test_an_agent_begins_a_memory_as_it_is_asked_to_and_reads_its_numbers(
    daemon: Daemon, repo: Repo
) -> None:
    repo.write("burrow.py", "class Burrow:\n    def dig(self):\n        return 7\n")
    repo.commit("Dig")
    await daemon.add(repo.root, name="marmots", group="alps")
    await daemon.settle("marmots")
    async with Client(await daemon.mcp_url()) as client:

        async def read(uri: str) -> str:
            (content,) = (await client.read_resource(uri)).contents
            text: str = content.text  # type: ignore[union-attr]
            return text

        overview = await read("context://project-overview")
        assert "Group alps" in overview
        assert "**marmots**" in overview
        assert "Cards: 0." in await read("arch://stats/alps")
        assert "no group named 'andes'" in await read("arch://stats/andes")
        asked = await client.get_prompt("init_arch_memory", {"group": "alps", "project": "marmots"})
        assert 'group="alps", project="marmots"' in asked.messages[0].content.text  # type: ignore[union-attr]
        written = await client.call_tool(
            "arch_record_component",
            {
                "group": "alps", "project": "marmots", "name": "Burrow",
                "summary": "Does: digs. Owns: holes. Does not: fill them. Touched when: depth.",
                "files": ["burrow.py"], "anchors": ["burrow.py#Burrow.dig"],
            },
        )  # fmt: skip
        assert written.structured_content["outcome"] == "created"
        numbers = await read("arch://stats/alps")
        assert "Cards: 1." in numbers
        assert "- component: 1" in numbers
        assert "Newest: n/a" not in numbers
