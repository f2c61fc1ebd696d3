"""Directories that agents name: finding their project, and waiting for its first index."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from paparatsd.errors import BadQuery
from paparatsd.interfaces.mcp.reply import Waiting
from paparatsd.interfaces.mcp.workspaces import (
    canonical,
    find_workspace,
    meant_project,
    open_workspace,
    slug_of,
)
from paparatsd.model import GroupName, ProjectEntry, ProjectName, ProjectState
from paparatsd.status_model import Progress, ProjectStatus
from tests.harness.fake_service import ALPS, project_of

if TYPE_CHECKING:
    from pathlib import Path

Told = list[tuple[float, str, float | None]]


@dataclass
class Indexing:
    """A service whose projects are indexed a step further each time it is asked for them."""

    steps: list[ProjectStatus]
    registered: list[str] = field(default_factory=list)
    known: bool = True

    async def list_projects(self, group: GroupName | None) -> tuple[ProjectStatus, ...]:
        """Return the project, one step further until the last."""
        del group
        if not self.known:
            return ()
        step = self.steps[0]
        if len(self.steps) > 1:
            self.steps.pop(0)
        return (step,)

    async def register(self, path: str, *, name: str | None = None) -> ProjectEntry:
        """Know the project from now on."""
        self.known = True
        self.registered.append(path)
        return ProjectEntry(ProjectName(name or "shop"), path, ALPS)


def step(root: Path, done: int, total: int = 100) -> ProjectStatus:
    progress = Progress(done, total, done * 3, 10.0, None)
    status = replace(project_of(ProjectName("shop"), ALPS), root=str(root), progress=progress)
    return replace(status, state=ProjectState.INDEXING, checked_at=None)


def finished(root: Path) -> ProjectStatus:
    return replace(project_of(ProjectName("shop"), ALPS), root=str(root))


def listening(patience_s: float = 5.0) -> tuple[Waiting, Told]:
    told: Told = []

    async def report(progress: float, message: str, total: float | None = None) -> None:
        told.append((progress, message, total))

    return Waiting(report, patience_s), told


async def opened(service: Any, text: str, patience_s: float = 5.0) -> tuple[Any, str, Told]:
    waiting, told = listening(patience_s)
    workspace, said = await open_workspace(service, text, waiting)
    return workspace, said, told


async def test_a_directory_that_is_not_indexed_is_registered_and_waited_for(tmp_path: Path) -> None:
    steps = [step(tmp_path, done) for done in (0, 0, 2, 50, 52, 100)]
    service = Indexing([*steps, finished(tmp_path)], known=False)
    workspace, said, told = await opened(service, str(tmp_path) + "/")
    assert service.registered == [str(tmp_path)]
    assert workspace.project.root == str(tmp_path)
    assert said == f"{tmp_path} was not indexed: it is now, as project shop."
    assert [value for value, _, _ in told] == [0.0, 10.0, 34.5, 59.0]
    assert {total for _, _, total in told} == {100.0}
    assert "50 of 100 files, 150 chunks" in told[2][1]


async def test_an_index_that_is_there_is_not_waited_for(tmp_path: Path) -> None:
    busy = replace(step(tmp_path, 5), checked_at=1.0)
    _, said, told = await opened(Indexing([busy]), str(tmp_path))
    assert said == ""
    assert len(told) == 1


async def test_when_patience_ends_the_answer_says_how_far_the_index_is(tmp_path: Path) -> None:
    _, said, _ = await opened(Indexing([step(tmp_path, 40)]), str(tmp_path), 0.01)
    assert said.startswith("It is still being indexed (40 of 100 files, 120 chunks)")


async def test_what_cannot_be_indexed_is_not_waited_for(tmp_path: Path) -> None:
    stuck = replace(step(tmp_path, 3), state=ProjectState.ERROR, reason="the disk is full")
    _, said, _ = await opened(Indexing([stuck]), str(tmp_path))
    assert said == "Its index is not whole: the disk is full."


async def test_cancelling_ends_the_wait_at_once(tmp_path: Path) -> None:
    waiting, told = listening(600.0)
    service: Any = Indexing([step(tmp_path, 1)])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(open_workspace, service, str(tmp_path), waiting)
        with anyio.fail_after(5):
            while not told or told[-1][0] < 10:
                await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    assert told[-1][0] < 60


async def test_a_folder_belongs_to_the_innermost_project(tmp_path: Path) -> None:
    inner = tmp_path / "lib/own"
    (inner / "src").mkdir(parents=True)
    service: Any = Indexing([finished(tmp_path)])
    found = await find_workspace(service, str(inner / "src"))
    assert found is not None
    assert found.folder == "lib/own/src"
    assert await find_workspace(service, str(tmp_path) + "-other") is None


async def test_a_repository_inside_a_project_is_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "trees/x/.git").mkdir(parents=True)
    (tmp_path / "trees/x/src").mkdir()
    service: Any = Indexing([finished(tmp_path)])
    assert await find_workspace(service, str(tmp_path / "trees/x/src")) is None


async def test_a_file_is_no_directory_to_search(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    with pytest.raises(BadQuery, match="is not a directory"):
        await opened(Indexing([finished(tmp_path)]), str(tmp_path / "a.py"))


async def test_a_path_is_read_as_clients_write_it(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a b")
    for text in (f"{tmp_path}/link/", f"file://{tmp_path}/a%20b", f"{tmp_path}/x/../a b"):
        assert await canonical(text) == str(tmp_path / "a b")
    with pytest.raises(BadQuery, match="is no absolute path"):
        await canonical("src")


async def test_a_project_is_meant_by_path_slug_or_name(tmp_path: Path) -> None:
    service: Any = Indexing([finished(tmp_path)])
    for text in (str(tmp_path), slug_of(str(tmp_path)), "shop"):
        project = await meant_project(service, text)
        assert project is not None
        assert project.name == "shop"
    assert await meant_project(service, "other") is None
    assert len(slug_of(str(tmp_path))) == 8
