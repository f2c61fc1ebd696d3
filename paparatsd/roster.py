"""The set of running project sessions, kept in line with the list of registered projects."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import PaparatsError, Unavailable, UnknownProject
from paparatsd.model import ChangeBatch, ProjectName
from paparatsd.sessions import ProjectSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paparatsd.model import GroupName, ProjectEntry
    from paparatsd.session_parts import SessionParts

log = structlog.get_logger()

RESTART_S = (0.2, 1.0, 5.0, 30.0)


class Roster:
    """Starts a session for each registered project and purges those that left the list."""

    def __init__(self, parts: SessionParts) -> None:
        self._parts = parts
        self._sessions: dict[ProjectName, ProjectSession] = {}
        self._tasks: dict[ProjectName, asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None
        self.make: Callable[[ProjectEntry, SessionParts], ProjectSession] = ProjectSession

    async def run(self, stop: asyncio.Event) -> None:
        """Own the session tasks until `stop` is set."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            for session in self._sessions.values():
                self._start(session)
            await stop.wait()
            self._group = None
            for task in self._tasks.values():
                task.cancel()

    def sessions(self) -> tuple[ProjectSession, ...]:
        """Return all sessions, by name."""
        return tuple(self._sessions[name] for name in sorted(self._sessions))

    def session(self, name: ProjectName) -> ProjectSession:
        """Return the session of one project; raises UnknownProject."""
        try:
            return self._sessions[name]
        except KeyError:
            known = ", ".join(sorted(self._sessions)) or "none is registered"
            raise UnknownProject(f"no project named {name!r} (projects: {known})") from None

    def groups(self) -> frozenset[GroupName]:
        """Return the groups that have a project."""
        return frozenset(session.entry.group for session in self._sessions.values())

    def offer(self, key: str, batch: ChangeBatch) -> None:
        """Hand what the watchers saw to the session it concerns."""
        session = self._sessions.get(ProjectName(key))
        if session is not None:
            session.offer(batch)

    def doubt_models(self) -> None:
        """Have all projects compared: what was placed meanwhile may lack points of a new model."""
        for session in self._sessions.values():
            session.doubt_model()

    def is_settled(self) -> bool:
        """Say whether no project is about to change what it shows."""
        return not any(session.snapshot().dirty for session in self._sessions.values())

    def summary(self) -> str:
        """Return one line on all projects, for the service manager."""
        counts = Counter(session.snapshot().state.value for session in self._sessions.values())
        states = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
        return f"{len(self._sessions)} projects: {states}" if states else "no projects yet"

    async def apply(self, entries: Iterable[ProjectEntry]) -> tuple[str, ...]:
        """Make the running sessions equal to the list; returns what changed, in words."""
        wanted = {entry.name: entry for entry in entries}
        rows = await self._parts.ledger.projects()
        changes: list[str] = []
        for name in [name for name in self._sessions if name not in wanted]:
            await self._remove(name, UnknownProject(f"the project {name} was removed meanwhile"))
            changes.append(f"removed {name}")
        for name, entry in wanted.items():
            running = self._sessions.get(name)
            if running is not None and running.entry == entry:
                continue
            changed = Unavailable(f"the entry of {name} was changed meanwhile; ask again")
            if running is not None and running.entry.path != entry.path:
                await self._remove(name, changed)
            elif running is not None:
                await self._end(name, changed)
            session = self.make(entry, self._parts)
            if name in rows and rows[name].entry.path == entry.path:
                session.adopt(rows[name])
            self._sessions[name] = session
            self._start(session)
            changes.append(f"{'added' if running is None else 'changed'} {name}")
        return tuple(changes)

    async def purge_unlisted(self, entries: Iterable[ProjectEntry]) -> None:
        """Remove what the catalog holds of projects that left the list while we were down."""
        listed = {entry.name for entry in entries}
        for name in await self._parts.ledger.projects():
            if name not in listed:
                await self._parts.ledger.remove_project(name)
                log.info("project_removed", project=name)
        await self._keep_history()

    async def _keep_history(self) -> None:
        """Have history forgotten of repositories that no project shows any more."""
        rows = await self._parts.ledger.projects()
        self._parts.history.keep({row.repo for row in rows.values()})

    def _start(self, session: ProjectSession) -> None:
        if self._group is not None:
            self._tasks[session.name] = self._group.create_task(
                self._supervise(session), name=f"session-{session.name}"
            )

    async def _supervise(self, session: ProjectSession) -> None:
        """Run a session; a defect in it is logged and restarts that session only."""
        failures = 0
        while True:
            try:
                await session.run()
            except PaparatsError as error:
                log.warning("session_ended", project=session.name, error=str(error))
            except Exception:  # the border: the other sessions go on
                log.exception("session_crashed", project=session.name)
            session.recover("the session was restarted after an internal error")
            await self._parts.clock.sleep(RESTART_S[min(failures, len(RESTART_S) - 1)])
            failures += 1

    async def _end(self, name: ProjectName, reason: PaparatsError) -> None:
        task = self._tasks.pop(name, None)
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
        await self._sessions[name].end(reason)

    async def _remove(self, name: ProjectName, reason: PaparatsError) -> None:
        await self._end(name, reason)
        session = self._sessions.pop(name)
        await self._parts.ledger.remove_project(name)
        self._parts.history.drop(session.project_id)
        await self._keep_history()
        self._parts.broadcaster.send("removed", project=name)
        log.info("project_removed", project=name)
