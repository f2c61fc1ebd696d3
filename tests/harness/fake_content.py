"""Repositories elsewhere and pushed files, without any: remembers what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.errors import UnknownProject
from paparatsd.model import GroupName, ProjectEntry, ProjectName
from paparatsd.pushes.service import PushAnswer
from paparatsd.remotes.entries import check_spec
from paparatsd.status_model import Fetched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.model import RemoteSpec
    from paparatsd.pushes.service import PushedFile


@dataclass(frozen=True)
class FakeRemotes:
    """Implements RemotesApi."""

    calls: list[str]

    async def add(self, spec: RemoteSpec, *, name: str | None, group: str | None) -> ProjectEntry:
        """Accept every URL that can be used."""
        spec = check_spec(spec)
        self.calls.append(f"follow {spec.url} {name} {group}")
        chosen = ProjectName(name or "cloned")
        return ProjectEntry(chosen, f"/state/{chosen}", GroupName(group or "g"), remote=spec)

    async def fetch(self, name: ProjectName | None) -> tuple[Fetched, ...]:
        """Have fetched it."""
        self.calls.append(f"fetch {name}")
        return (Fetched(name or ProjectName("cloned"), moved=True, commit="1" * 40),)


@dataclass(frozen=True)
class FakePushed:
    """Implements PushedApi; the project "nobody" is unknown."""

    calls: list[str]

    async def push(
        self,
        group: str,
        project: str,
        files: Sequence[PushedFile],
        *,
        force: bool = False,
        wait_s: float = 120.0,
    ) -> PushAnswer:
        """Remember which files were sent; one called `*.key` is secret."""
        names = " ".join(f"{one.path}={one.content}" for one in files)
        self.calls.append(f"push {group} {project} {names} {force} {wait_s:g}")
        skipped = {one.path: "secret" for one in files if one.path.endswith(".key")}
        kept = len(files) - len(skipped)
        return PushAnswer("ok", group, project, kept, 0, 3 * kept, skipped)

    async def change(
        self, group: str, project: str, file: PushedFile, *, wait_s: float = 60.0
    ) -> PushAnswer:
        """Take one file in."""
        if project == "nobody":
            raise UnknownProject("no project named 'nobody'")
        return await self.push(group, project, (file,), wait_s=wait_s)

    async def delete(
        self, group: str, project: str, path: str, *, wait_s: float = 60.0
    ) -> PushAnswer:
        """Remember it."""
        self.calls.append(f"delete {group} {project} {path} {wait_s:g}")
        return PushAnswer("ok", group, project, 1, 0, 0, {})
