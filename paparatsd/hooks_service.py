"""The use cases about git hooks: of a project by its name, or of any checkout by its path."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.sources import hooks, repo

if TYPE_CHECKING:
    from paparatsd.hook_times import HookTimes
    from paparatsd.project_hooks import ProjectHooks
    from paparatsd.roster import Roster
    from paparatsd.sources.hooks import HookReport


class HooksService:
    """Installs, takes out and looks at hooks on request."""

    def __init__(self, roster: Roster, known: ProjectHooks, times: HookTimes, spool: Path) -> None:
        """`known` is told what is found; hooks write into `spool`."""
        self._roster = roster
        self._known = known
        self._times = times
        self._spool = spool

    async def install(self, target: str) -> HookReport:
        """Install our hooks beside whatever is there. Raises BadQuery."""
        checkout = await self._checkout_of(target)
        return self._remember(target, await hooks.install(checkout, self._spool))

    async def uninstall(self, target: str) -> HookReport:
        """Take our hooks out again. Raises BadQuery."""
        checkout = await self._checkout_of(target)
        return self._remember(target, await hooks.uninstall(checkout, self._spool))

    async def status(self, target: str) -> HookReport:
        """Say which hooks are there. Raises BadQuery."""
        checkout = await self._checkout_of(target)
        return self._remember(target, await hooks.inspect(checkout, self._spool))

    async def _checkout_of(self, target: str) -> repo.Checkout:
        named = [item for item in self._roster.sessions() if target in (item.name, item.entry.path)]
        path = named[0].root if named else Path(target)
        if not path.is_absolute():
            raise BadQuery(f"{target!r} is neither a project's name nor an absolute path")
        if not path.is_dir():
            raise BadQuery(f"{path} is not a directory")
        checkout = await repo.locate(path)
        if named and named[0].entry.remote is not None:
            raise BadQuery(f"{target} is a clone of ours: nobody commits there, so no hooks are")
        if not checkout.git:
            raise BadQuery(checkout.problem or f"{path} is not a git repository; it has no hooks")
        return checkout

    def _remember(self, target: str, report: HookReport) -> HookReport:
        for session in self._roster.sessions():
            if target in (session.name, session.entry.path):
                self._known.remember(session.name, report.state)
        return replace(report, fired=self._times.of(report.repository))
