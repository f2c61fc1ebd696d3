"""What interfaces may ask about content that is not on this disk: a part of `api.ServiceApi`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.model import ProjectEntry, ProjectName, RemoteSpec
    from paparatsd.pushes.service import PushAnswer, PushedFile
    from paparatsd.status_model import Fetched


class RemotesApi(Protocol):
    """Repositories elsewhere that projects follow."""

    async def add(self, spec: RemoteSpec, *, name: str | None, group: str | None) -> ProjectEntry:
        """Follow a repository; returns before it is cloned. Raises BadQuery, Conflict."""
        ...

    async def fetch(self, name: ProjectName | None) -> tuple[Fetched, ...]:
        """Fetch one project, or all that follow a repository elsewhere, now. Raises BadQuery."""
        ...


class PushedApi(Protocol):
    """Projects whose files are sent by programs.

    Calls wait `wait_s` seconds for the index. They raise BadQuery, Conflict (another kind of
    project, another group), TooLarge, StateUnwritable; then nothing was written.
    """

    async def push(
        self,
        group: str,
        project: str,
        files: Sequence[PushedFile],
        *,
        force: bool = False,
        wait_s: float = 120.0,
    ) -> PushAnswer:
        """Take files in and register the project if there is none; other files of it stay."""
        ...

    async def change(
        self, group: str, project: str, file: PushedFile, *, wait_s: float = 60.0
    ) -> PushAnswer:
        """Take one file of a known project in; raises UnknownProject, too."""
        ...

    async def delete(
        self, group: str, project: str, path: str, *, wait_s: float = 60.0
    ) -> PushAnswer:
        """Delete one file of a known project; raises UnknownProject, too."""
        ...


class WithContent(Protocol):
    """What takes in content that is not on this disk."""

    @property
    def remotes(self) -> RemotesApi:
        """The use cases about repositories elsewhere."""
        ...

    @property
    def pushed(self) -> PushedApi:
        """The use cases about files that are sent."""
        ...
