"""Agents that name directories at the same time, over a real list of projects."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.errors import BadQuery
from paparatsd.project_list import ProjectList
from paparatsd.registry import ProjectsFile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from paparatsd.model import ProjectEntry


class Running:
    """Stands for roster, hooks and clones: knows which projects run."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def sessions(self) -> tuple[Any, ...]:
        return ()

    async def apply(self, entries: Sequence[ProjectEntry]) -> tuple[str, ...]:
        await asyncio.sleep(0)
        self.names = [entry.name for entry in entries]
        return ()

    async def follow(self, *_what: Any, **_how: Any) -> None:
        return


class World:
    def __init__(self, top: Path) -> None:
        (top / "home").mkdir()
        self.src = top / "src"
        running: Any = Running()
        self.running = running
        projects = ProjectsFile(top / "projects.yml", home=top / "home")
        self.list = ProjectList(projects, running, running, running)

    async def add(self, folder: str) -> str:
        """Add a folder as an agent does and return its name, which runs then."""
        path = self.src / folder
        path.mkdir(parents=True, exist_ok=True)
        entry = await self.list.add_for_agent(str(path), None, (str(self.src),))
        assert entry.name in self.running.names
        return entry.name


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_agents_that_name_one_directory_at_once_all_get_the_project_that_runs(
    world: World,
) -> None:
    assert set(await asyncio.gather(*(world.add("shop") for _ in range(6)))) == {"shop"}


async def test_directories_of_one_name_that_come_at_once_get_names_of_their_own(
    world: World,
) -> None:
    names = await asyncio.gather(*(world.add(f"{one}/shop") for one in "abcabc"))
    assert len(set(names)) == 3
    assert sorted(set(names))[-1] == "shop"
    assert list(names[:3]) == list(names[3:])


async def test_a_directory_and_one_that_holds_it_do_not_both_come_in(world: World) -> None:
    (world.src / "a" / "b").mkdir(parents=True)
    answers = await asyncio.gather(world.add("a/b"), world.add("a"), return_exceptions=True)
    assert [type(one) for one in answers] in ([str, BadQuery], [str, str])
    if isinstance(answers[1], str):
        assert sorted(world.running.names) == ["a", "b"]
