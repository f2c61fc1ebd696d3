"""Pushing files: their order, what is refused, and what the index is told; without an index."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.errors import BadQuery, Conflict, TooLarge, UnknownProject
from paparatsd.model import ProjectName, Skip, SkippedFile
from paparatsd.project_entries import Rooms
from paparatsd.pushes.files import PushedFiles
from paparatsd.pushes.service import PushedFile, PushedService
from paparatsd.registry import ProjectsFile
from paparatsd.settings import IndexSettings, Places, ProjectSettings, PushSettings, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from paparatsd.model import ChangeBatch, Depth, ProjectEntry


@dataclass
class Indexed:
    """Stands for roster, session and ledger: remembers what is to be looked at."""

    offered: list[frozenset[str]] = field(default_factory=list)
    reindexed: int = 0
    project_id: int = 1
    busy: bool = False

    def session(self, _name: ProjectName) -> Indexed:
        return self

    def offer(self, batch: ChangeBatch) -> None:
        if batch.paths:
            self.offered.append(batch.paths)

    def reindex(self, _depth: Depth) -> None:
        self.reindexed += 1

    async def settle(self) -> None:
        if self.busy:
            await asyncio.Event().wait()

    async def totals(self) -> Mapping[int, Any]:
        return {}

    async def skipped(self, _project_id: int) -> tuple[SkippedFile, ...]:
        return (SkippedFile("made.bin", Skip.BINARY), SkippedFile("other.bin", Skip.BINARY))


class World:
    """A service over real files and a real list of projects."""

    def __init__(self, tmp_path: Path, **settings: Any) -> None:
        self.top = tmp_path / "pushed"
        self.index = Indexed()
        projects = ProjectsFile(
            tmp_path / "projects.yml", home=tmp_path / "home", rooms=Rooms(tmp_path / "c", self.top)
        )
        (tmp_path / "home").mkdir()
        chosen = replace(Settings(Places(*[tmp_path] * 5)), **settings)

        async def register(write: Callable[[], ProjectEntry]) -> ProjectEntry:
            return write()

        parts: Any = self.index
        self.projects = projects
        self.service = PushedService(
            PushedFiles(self.top), chosen, projects, parts, parts, register, lambda: None
        )

    async def push(self, *files: tuple[str, str], **options: Any) -> Any:
        sent = [PushedFile(path, content) for path, content in files]
        return await self.service.push("web", "shop", sent, **options)

    def kept(self) -> dict[str, str]:
        root = self.top / "shop"
        found = (path for path in root.rglob("*") if path.is_file())
        return {path.relative_to(root).as_posix(): path.read_text() for path in found}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_of_many_writers_of_one_path_the_last_one_counts(world: World) -> None:
    await world.push(("a", "0"))
    pushes = [world.push(("a", str(number)), (f"b{number}", "x")) for number in range(30)]
    await asyncio.gather(*pushes)
    kept = world.kept()
    assert (kept["a"], len(kept)) == ("29", 31)
    await world.push(("a", "first"), ("a", "second"))
    assert world.kept()["a"] == "second"


async def test_only_what_has_changed_is_looked_at(world: World) -> None:
    first = await world.push(("a", "1"), ("b", "1"), ("made.bin", "1"))
    assert (first.written, first.skipped) == (3, {"made.bin": "binary"})
    world.index.offered.clear()
    again = await world.push(("a", "1"), ("b", "2"))
    assert (again.written, again.unchanged) == (1, 1)
    assert world.index.offered == [frozenset({"b"})]
    await world.push(("a", "1"), force=True)
    assert world.index.reindexed == 1


async def test_what_must_not_be_kept_any_more_goes(tmp_path: Path) -> None:
    world = World(tmp_path, index=IndexSettings(max_file_bytes=1_000))
    await world.push(("a", "small"), ("b", "b"))
    answer = await world.push(("a", "x" * 1_001), ("deep/.env", "SECRET=1"))
    assert answer.skipped == {"a": "too_large", "deep/.env": "secret"}
    assert world.kept() == {"b": "b"}


async def test_over_a_limit_nothing_is_written(tmp_path: Path) -> None:
    world = World(tmp_path, push=PushSettings(max_files=3, max_project_bytes=10))
    await world.push(("a", "123"))
    with pytest.raises(TooLarge, match=r"push\.max_project_bytes"):
        await world.push(("b", "1"), ("c", "12345678"))
    with pytest.raises(TooLarge, match=r"push\.max_files"):
        await world.push(*((name, "") for name in "bcde"))
    assert world.kept() == {"a": "123"}
    await world.push(("a", "1234567890"))
    await world.service.delete("web", "shop", "a")
    await world.push(("b", "1234567890"))
    assert world.kept() == {"b": "1234567890"}


async def test_another_kind_of_project_or_another_group_is_a_conflict(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "shop").mkdir()
    world.projects.add(str(tmp_path / "shop"), name=None, group=None, hooks=False)
    with pytest.raises(Conflict, match="nothing can be pushed"):
        await world.push(("a", "1"))
    world.projects.remove("shop")
    await world.push(("a", "1"))
    with pytest.raises(Conflict, match="in the group 'web'"):
        await world.service.push("other", "shop", [PushedFile("a", "2")])
    for call in (
        world.service.change("web", "den", PushedFile("a", "2")),
        world.service.delete("web", "den", "a"),
    ):
        with pytest.raises(UnknownProject, match="/api/index"):
            await call
    assert world.kept() == {"a": "1"}


@pytest.mark.parametrize("name", [".gone-shop-1", ".tmp-x", "..", "a/b", ""])
async def test_a_name_that_would_not_be_a_directory_of_its_own_is_refused(
    world: World, name: str
) -> None:
    with pytest.raises(BadQuery):
        await world.service.push("web", name, [PushedFile("a", "1")])
    assert not world.top.exists()


async def test_a_forced_group_takes_what_is_sent_for_any(tmp_path: Path) -> None:
    world = World(tmp_path, projects=ProjectSettings(forced_group="one"))
    await world.push(("a", "1"))
    await world.service.push("two", "shop", [PushedFile("a", "2")])
    assert world.kept() == {"a": "2"}


async def test_who_does_not_want_to_wait_is_told_that_it_goes_on(world: World) -> None:
    world.index.busy = True
    assert (await world.push(("a", "1"), wait_s=0)).status == "indexing"
    assert (await world.push(("a", "2"), wait_s=0.01)).status == "indexing"
    assert world.kept() == {"a": "2"}


async def test_a_removed_project_takes_its_files_with_it_and_others_keep_theirs(
    world: World, tmp_path: Path
) -> None:
    await world.push(("a", "1"))
    (tmp_path / "src").mkdir()
    other = world.projects.add(str(tmp_path / "src"), name=None, group=None, hooks=False)
    await world.service.forget(other)
    assert (tmp_path / "src").is_dir()
    await world.service.forget(world.projects.remove("shop"))
    assert world.kept() == {}
    assert (await world.push(("b", "1"))).written == 1
