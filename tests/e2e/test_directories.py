"""Agents that name directories: indexed by the first question, kept equal to the disk, let go."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp import Client, StdioServerParameters

from tests.harness.daemon import Daemon, running_daemon
from tests.harness.repos import Repo, many_modules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

BURROW = '''\
"""Burrows of marmots."""

DEPTH_LIMIT_METRES = 3


def dig_burrow(depth):
    """Dig until the limit of depth is reached."""
    return min(depth, DEPTH_LIMIT_METRES)


def move_in(depth):
    return dig_burrow(depth)
'''


@asynccontextmanager
async def allowing(tmp_path: Path) -> AsyncIterator[Daemon]:
    async with running_daemon({"PAPARATS_PROJECTS_ALLOWED_ROOTS": str(tmp_path)}) as daemon:
        yield daemon


@asynccontextmanager
async def agent(daemon: Daemon, toolset: str, way: str = "http") -> AsyncIterator[Client]:
    target: Any = f"{await daemon.http_url()}/{toolset}/mcp"
    if way == "stdio":
        target = StdioServerParameters(
            command=sys.executable,
            args=["-m", "paparatsd.interfaces.cli.main", "mcp", "--toolset", toolset],
            env=daemon.environment,
        )
    async with Client(target) as client:
        yield client


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


async def test_the_first_question_about_a_directory_indexes_it_and_answers(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "shop", {"lib/burrow.py": BURROW, **many_modules(30)})
    told: list[tuple[float, float | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total))

    asked = {"information_request": "limit of depth", "directory_path": str(repo.root / "lib")}
    async with allowing(tmp_path) as daemon, agent(daemon, "codebase", "stdio") as client:
        found = await client.call_tool("codebase_search", asked, progress_callback=on_progress)
        text = text_of(found)
        assert f"{repo.root} was not indexed: it is now, as project shop." in text
        assert "## 1. lib/burrow.py" in text
        for number, line in enumerate(BURROW.splitlines()[5:8], 6):
            assert f"{number:>6}\t{line}" in text
        assert [total for _, total in told] == [100.0] * len(told)
        assert told == sorted(told)
        assert (told[0][0], told[-1][0]) == (0.0, 100.0)
        (project,) = (await daemon.status())["projects"]
        assert project["root"] == str(repo.root)
        assert not (repo.root / ".git/hooks/post-commit").exists()
        repo.write("lib/hay.py", "def gather_hay_for_winter():\n    return 'hay'\n")
        more = {**asked, "information_request": "gather hay for winter"}
        again = text_of(await client.call_tool("codebase_search", {**more, "top_n": 1}))
        assert "## 1. lib/hay.py - gather_hay_for_winter" in again
        assert "was not indexed" not in again


async def test_constants_outside_of_functions_callers_and_filters_are_there(tmp_path: Path) -> None:
    files = {"lib/burrow.py": BURROW, "docs/burrow.md": "# Depth limit\n\nThree metres.\n"}
    repo = Repo.create(tmp_path / "shop", files)
    base = {"directory_path": str(repo.root), "top_n": 3}
    async with allowing(tmp_path) as daemon, agent(daemon, "codebase") as client:
        asked = {**base, "information_request": "DEPTH_LIMIT_METRES"}
        assert "     3\tDEPTH_LIMIT_METRES = 3" in text_of(
            await client.call_tool("codebase_search", asked)
        )
        found = await client.call_tool(
            "codebase_search", {**base, "information_request": "dig_burrow", "top_n": 1}
        )
        shown = found.structured_content
        related = {(one["relation"], one["symbol"]) for one in shown["related"]}
        lines = [line for one in shown["results"] for line in (one["start_line"], one["end_line"])]
        assert ("caller", "move_in") in related or lines == [1, 12]
        for text, path in (("DOCS/", "docs/burrow.md"), ("*.py", "lib/burrow.py")):
            asked = {**base, "information_request": "depth limit", "path_filter": text}
            results = (await client.call_tool("codebase_search", asked)).structured_content
            assert {one["path"] for one in results["results"]} == {path}


async def test_directories_outside_the_allowed_folders_are_not_indexed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for root in (inside, outside):
        Repo.create(root / "shop", {"a.py": BURROW})
    async with running_daemon({"PAPARATS_PROJECTS_ALLOWED_ROOTS": str(inside)}) as daemon:
        async with agent(daemon, "codebase") as client:
            for path, said in (
                (outside / "shop", f"a person can: paparats add {outside / 'shop'}"),
                (tmp_path / "gone", "is not there; check the path"),
                ("/", "it is the whole machine"),
            ):
                asked = {"information_request": "depth", "directory_path": str(path)}
                refused = await client.call_tool("codebase_search", asked)
                assert refused.is_error
                assert said in text_of(refused)
        async with agent(daemon, "projects") as client:
            refused = await client.call_tool("add_project", {"path": str(outside / "shop")})
            assert refused.is_error
        assert (await daemon.status())["projects"] == []


async def test_a_project_is_added_searched_by_path_and_removed(tmp_path: Path) -> None:
    shop = Repo.create(tmp_path / "shop", {"lib/burrow.py": BURROW, "lib/hay.py": "HAY = 1\n"})
    other = Repo.create(tmp_path / "other", {"web/burrow.py": BURROW})
    async with allowing(tmp_path) as daemon, agent(daemon, "projects") as client:

        async def ask(tool: str, **arguments: Any) -> Any:
            answer = await client.call_tool(tool, arguments)
            assert not answer.is_error, text_of(answer)
            return answer.structured_content

        for repo in (shop, other):
            added = await ask("add_project", path=str(repo.root))
            assert added["project"]["path"] == str(repo.root)
            await daemon.wait_ready(repo.root.name)
        every = await ask("semantic_search", query="dig a burrow")
        assert {one["project"] for one in every["results"]} == {str(shop.root), str(other.root)}
        one = await ask("semantic_search", query="dig a burrow", file_filter="WEB")
        assert {hit["file"] for hit in one["results"]} == {"web/burrow.py"}
        hit = (await ask("semantic_search", query="dig_burrow", project=str(shop.root)))["results"][
            0
        ]
        assert (hit["file"], hit["symbol"], hit["symbol_type"]) == (
            "lib/burrow.py", "dig_burrow", "function",
        )  # fmt: skip
        code = await ask(
            "get_code_context", file=str(shop.root / hit["file"]), start_line=6, end_line=8
        )
        assert code["text"] == "\n".join(
            f"{number:>6}\t{line}" for number, line in enumerate(BURROW.splitlines()[5:8], 6)
        )
        found = await ask("find_symbol", name="dig_burrow", project="other")
        assert (found["exact"], [one["path"] for one in found["found"]]) == (
            True, ["web/burrow.py"],
        )  # fmt: skip
        users = await ask("find_references", name="dig_burrow", project="shop")
        assert users["found"][0]["incoming"]["edges"][0]["symbol"]["name"] == "move_in"
        outline = await ask("outline", file="lib/burrow.py", project="shop")
        assert {entry["name"] for entry in outline["files"][0]["entries"]} >= {"dig_burrow"}
        assert (await ask("skeleton", project="shop"))["total_files"] == 2
        await ask("reindex_project", path=str(shop.root))
        assert (await ask("index_status", path=str(shop.root)))["project"]["files"] == 2
        assert (await ask("remove_project", path=str(other.root)))["removed"]
        assert not (await ask("lookup_project", path=str(other.root)))["registered"]
        left = await ask("semantic_search", query="dig a burrow")
        assert {one["project"] for one in left["results"]} == {str(shop.root)}
