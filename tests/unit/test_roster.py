"""What becomes of those who wait for a project that leaves the list, or has another entry."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from paparatsd.clock import SystemClock
from paparatsd.due import Due
from paparatsd.errors import PaparatsError, Unavailable, UnknownProject
from paparatsd.model import GroupName, ProjectEntry, ProjectName
from paparatsd.roster import Roster


class Session:
    """A session that is never done."""

    project_id = 1

    def __init__(self, entry: ProjectEntry, _parts: Any) -> None:
        self.entry, self.name = entry, entry.name
        self.due = Due(SystemClock())

    async def run(self) -> None:
        await asyncio.Event().wait()

    async def end(self, reason: PaparatsError) -> None:
        await self.due.end(reason)


class Parts:
    """Stands for all that a session is made of: knows nothing, and takes whatever it is told."""

    @property
    def ledger(self) -> Parts:
        return self

    history = broadcaster = ledger

    async def projects(self) -> dict[str, Any]:
        return {}

    async def remove_project(self, name: str) -> None:
        del name

    def drop(self, project_id: int) -> None:
        del project_id

    keep = send = lambda *_anything, **_named: None


async def test_who_waits_for_a_project_is_let_go_when_it_is_removed_or_its_entry_changes() -> None:
    parts: Any = Parts()
    roster, make = Roster(parts), Session
    roster.make = make  # type: ignore[assignment]
    one, other = (
        ProjectEntry(ProjectName(name), f"/src/{name}", GroupName("default"))
        for name in ("shop", "den")
    )
    stop = asyncio.Event()
    running = asyncio.create_task(roster.run(stop))
    await roster.apply((one, other))
    sessions: list[Any] = [roster.session(entry.name) for entry in (one, other)]
    waiting = [asyncio.create_task(session.due.verified()) for session in sessions]
    await asyncio.sleep(0)
    await roster.apply((replace(one, group=GroupName("web")),))
    async with asyncio.timeout(2):
        changed, removed = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(changed, Unavailable)
    assert isinstance(removed, UnknownProject)
    stop.set()
    await running
