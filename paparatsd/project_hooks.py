"""Git hooks of registered projects: put in when one is registered, taken out when it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import PaparatsError
from paparatsd.sources import hooks, repo

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable

    from paparatsd.model import ProjectEntry, ProjectName
    from paparatsd.sources.repo import Checkout

    Step = Callable[[ProjectEntry, Collection[ProjectEntry]], Awaitable[None]]

log = structlog.get_logger()

NO_GIT, UNKNOWN = "no git", "unknown"


class ProjectHooks:
    """Knows which hooks each project has. A hook that cannot be placed never fails its project."""

    def __init__(self, spool: Path) -> None:
        self._spool = spool
        self._states: dict[ProjectName, str] = {}

    def state_of(self, name: ProjectName) -> str:
        """Return the state of a project's hooks, or "unknown" before anybody looked."""
        return self._states.get(name, UNKNOWN)

    def remember(self, name: ProjectName, state: str) -> None:
        """Note what an explicit request has found or done."""
        self._states[name] = state

    async def follow(
        self, before: Collection[ProjectEntry], after: Collection[ProjectEntry]
    ) -> None:
        """Install hooks of projects that came, take out those of projects that went."""
        old = {(entry.name, entry.path) for entry in before}
        new = {(entry.name, entry.path) for entry in after}
        for entry in before:
            if (entry.name, entry.path) not in new:
                await self._guarded(self._uninstall, entry, after)
        for entry in after:
            if (entry.name, entry.path) not in old and entry.hooks:
                await self._guarded(self._install, entry, after)

    async def look(self, entries: Iterable[ProjectEntry]) -> None:
        """Look once at the hooks of these projects."""
        for entry in entries:
            await self._guarded(self._inspect, entry, ())

    async def _guarded(
        self, step: Step, entry: ProjectEntry, others: Collection[ProjectEntry]
    ) -> None:
        try:
            await step(entry, others)
        except (PaparatsError, OSError) as error:
            self._states[entry.name] = UNKNOWN
            log.warning("hooks_failed", project=entry.name, error=str(error))

    async def _install(self, entry: ProjectEntry, _others: Collection[ProjectEntry]) -> None:
        checkout = await self._checkout(entry)
        if checkout is not None:
            self._states[entry.name] = (await hooks.install(checkout, self._spool)).state

    async def _inspect(self, entry: ProjectEntry, _others: Collection[ProjectEntry]) -> None:
        checkout = await self._checkout(entry)
        if checkout is not None:
            self._states[entry.name] = (await hooks.inspect(checkout, self._spool)).state

    async def _uninstall(self, entry: ProjectEntry, others: Collection[ProjectEntry]) -> None:
        self._states.pop(entry.name, None)
        checkout = await self._checkout(entry)
        self._states.pop(entry.name, None)
        if checkout is None:
            return
        for other in others:
            # Worktrees and parts of one repository have their hooks in common.
            shared = await self._checkout(other)
            if shared is not None and shared.common_dir == checkout.common_dir:
                return
        await hooks.uninstall(checkout, self._spool)

    async def _checkout(self, entry: ProjectEntry) -> Checkout | None:
        checkout = await repo.locate(Path(entry.path))
        if checkout.git:
            return checkout
        self._states[entry.name] = NO_GIT
        return None
