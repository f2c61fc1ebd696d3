"""What a project says of itself while its directory is not there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from paparatsd.broadcast import Broadcaster
from paparatsd.clock import SystemClock
from paparatsd.model import GroupName, ProjectEntry, ProjectName, ProjectState, RemoteSpec
from paparatsd.sessions import ProjectSession
from paparatsd.settings import IndexSettings, WatchSettings

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.session_parts import SessionParts


def session_at(root: Path, remote: RemoteSpec | None, told: Any = None) -> ProjectSession:
    entry = ProjectEntry(
        name=ProjectName("shop"), path=str(root), group=GroupName("default"), remote=remote
    )
    parts = SimpleNamespace(
        clock=SystemClock(),
        index=IndexSettings(),
        watch=WatchSettings(),
        broadcaster=Broadcaster(),
        on_group=lambda: None,
        absence=lambda name: told,
    )
    return ProjectSession(entry, cast("SessionParts", parts))


async def state_of(session: ProjectSession) -> tuple[ProjectState, str]:
    assert not await session._ensure_open()
    return session._state, session._reason


async def test_a_clone_that_nobody_follows_yet_is_to_come_and_not_missing(tmp_path: Path) -> None:
    session = session_at(tmp_path / "gone", RemoteSpec(url="https://git.example.org/shop"))
    assert await state_of(session) == (
        ProjectState.INDEXING,
        "to be cloned from https://git.example.org/shop",
    )


async def test_who_follows_a_remote_knows_best_why_its_clone_is_not_there(tmp_path: Path) -> None:
    told = (ProjectState.MISSING, "the host cannot be reached")
    session = session_at(tmp_path / "gone", RemoteSpec(url="https://git.example.org/shop"), told)
    assert await state_of(session) == told


async def test_a_directory_of_this_disk_that_is_gone_is_missing(tmp_path: Path) -> None:
    state, reason = await state_of(session_at(tmp_path / "gone", None))
    assert state is ProjectState.MISSING
    assert "is not there" in reason
