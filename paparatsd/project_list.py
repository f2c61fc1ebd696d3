"""The list of projects as it is changed, by people, agents and git, and what runs because of it."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.registration import free_name, registrable
from paparatsd.sources import repo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from paparatsd.model import ProjectEntry, ProjectName
    from paparatsd.project_hooks import ProjectHooks
    from paparatsd.registry import ProjectsFile
    from paparatsd.remotes.keeper import Remotes
    from paparatsd.roster import Roster
    from paparatsd.sharing.followed_projects import FollowedProjects


class ProjectList:
    """Brings sessions, hooks and clones in line with the list, one change at a time.

    `changing` is held by whoever reads or writes the list.
    """

    def __init__(
        self,
        projects: ProjectsFile | FollowedProjects,
        roster: Roster,
        hooks: ProjectHooks,
        remotes: Remotes,
    ) -> None:
        self._projects = projects
        self._roster = roster
        self._hooks = hooks
        self._remotes = remotes
        self.changing = asyncio.Lock()

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the list as it was read last."""
        return self._projects.registry.problems

    # ------------------------------------------------------------------ coming

    async def add(
        self, path: Path, *, name: str | None, group: str | None, hooks: bool
    ) -> ProjectEntry:
        """Register an absolute directory and start indexing it. Raises Conflict, BadQuery."""
        if path.is_dir():
            checkout = await repo.locate(path)
            if checkout.refused:
                raise BadQuery(checkout.problem)
        return await self.register(
            partial(self._projects.add, str(path), name=name, group=group, hooks=hooks)
        )

    async def register(self, write: Callable[[], ProjectEntry]) -> ProjectEntry:
        """Write an entry into the list, in a thread, and bring everything in line with it."""
        async with self.changing:
            entry = await asyncio.to_thread(write)
            await self._apply(self._projects.registry.entries)
        return entry

    async def add_for_agent(
        self, path: str, name: str | None, roots: Sequence[str]
    ) -> ProjectEntry:
        """Register what an agent names below one of `roots`, without hooks.

        `registration.py` has the rules. Raises BadQuery, Conflict for a `name` that is taken.
        """
        entries = self._projects.registry.entries
        root = await asyncio.to_thread(registrable, path, roots, self._projects.home, entries)
        for entry in entries:
            if entry.path == str(root) and name in (None, entry.name):
                return entry
        chosen = name or free_name(root, {entry.name for entry in entries})
        return await self.add(root, name=chosen, group=None, hooks=False)

    async def add_worktree(self, root: Path, name: str, beside: ProjectEntry) -> None:
        """Register a work tree that git added; its hooks are those of the repository."""
        await self.register(
            partial(
                self._projects.add,
                str(root),
                name=name,
                group=beside.group,
                hooks=False,
                worktree_of=beside.worktree_of or beside.name,
            )
        )

    # ------------------------------------------------------------------ going

    async def remove(self, name: ProjectName) -> ProjectEntry:
        """Forget a project and purge what no other one shows; returns what it was."""
        return await self.register(partial(self._projects.remove, name))

    async def remove_worktree(self, entry: ProjectEntry) -> None:
        """Forget a work tree that git removed."""
        await self.remove(entry.name)

    # ------------------------------------------------------------------ following

    async def read_again(self) -> tuple[str, ...]:
        """Read the list and apply it; returns what changed, in words. Hold `changing`."""
        registry = await asyncio.to_thread(self._projects.read)
        return await self._apply(registry.entries)

    async def _apply(self, entries: Sequence[ProjectEntry]) -> tuple[str, ...]:
        before = self._entries()
        changes = await self._roster.apply(entries)
        await self._hooks.follow(before, self._entries())
        await self.follow_remotes()
        return changes

    def _entries(self) -> list[ProjectEntry]:
        return [session.entry for session in self._roster.sessions()]

    async def follow_remotes(self) -> None:
        """Bring the clones of repositories elsewhere in line with the list."""
        registry = self._projects.registry
        await self._remotes.follow(registry.entries, whole=not registry.problems)

    async def settle_hooks(self, before: Sequence[ProjectEntry] | None) -> None:
        """Look at the hooks of all projects; `before` is the list when we stopped, if it counts.

        What was written into the list or taken out of it meanwhile gets its hooks, or loses them.
        """
        entries = self._entries()
        await self._hooks.look(entries)
        if before is not None:
            await self._hooks.follow(before, entries)
