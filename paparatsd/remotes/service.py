"""The use cases about repositories elsewhere: following one, and fetching now."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from paparatsd.remotes.entries import check_spec

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paparatsd.model import ProjectEntry, ProjectName, RemoteSpec
    from paparatsd.registry import ProjectsFile
    from paparatsd.remotes.keeper import Remotes
    from paparatsd.sharing.followed_projects import FollowedProjects
    from paparatsd.status_model import Fetched


class RemotesService:
    """Registers repositories by their URL, and fetches them on request."""

    def __init__(
        self,
        remotes: Remotes,
        projects: ProjectsFile | FollowedProjects,
        register: Callable[[Callable[[], ProjectEntry]], Awaitable[ProjectEntry]],
    ) -> None:
        self._remotes = remotes
        self._projects = projects
        self._register = register

    async def add(self, spec: RemoteSpec, *, name: str | None, group: str | None) -> ProjectEntry:
        """Follow a repository elsewhere; returns before it is cloned. Raises BadQuery, Conflict."""
        checked = check_spec(spec)
        return await self._register(
            partial(self._projects.add_remote, checked, name=name, group=group)
        )

    async def fetch(self, name: ProjectName | None) -> tuple[Fetched, ...]:
        """Fetch one project, or all that follow a remote, now. Raises BadQuery."""
        return await self._remotes.fetch(name)
