"""The repositories elsewhere that projects follow: a clone of each, under the state directory."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import BadQuery
from paparatsd.remotes.follower import RemoteFollower, Slots, forget_clone
from paparatsd.remotes.sweeper import GONE
from paparatsd.sources.clone import TEMPORARY
from paparatsd.status_model import Outlet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from paparatsd.clock import Clock
    from paparatsd.model import ProjectEntry, ProjectName, ProjectState
    from paparatsd.settings import RemotesSettings
    from paparatsd.status_model import Fetched, RemoteStatus

log = structlog.get_logger()

RESTART_S = 60.0
ASKED_PER_FETCH = 4


class Remotes:
    """Follows one remote for each project that names one; `top` holds the clones, and only these.

    `on_change` is called with the name of a project whose clone may have changed, `sweep` when
    something was set aside.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        settings: RemotesSettings,
        top: Path,
        on_change: Callable[[ProjectName], None],
        sweep: Callable[[], None],
    ) -> None:
        self._clock = clock
        self._settings = settings
        self._top = top
        self._on_change = on_change
        self._sweep = sweep
        self._slots = Slots(
            asyncio.Semaphore(ASKED_PER_FETCH * settings.concurrency),
            asyncio.Semaphore(settings.concurrency),
        )
        self._followers: dict[ProjectName, RemoteFollower] = {}
        self._tasks: dict[ProjectName, asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Own the tasks until cancelled."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            try:
                for follower in self._followers.values():
                    self._start(follower)
                await asyncio.Event().wait()
            finally:
                self._group = None

    async def follow(self, entries: Iterable[ProjectEntry], *, whole: bool) -> None:
        """Make the followed remotes equal to the list of projects.

        A `whole` list costs what is not on it its clone.
        """
        wanted = {one.name: one for one in entries if one.remote is not None}
        for name in list(self._followers):
            entry = wanted.get(name)
            follower = self._followers[name]
            same = entry is not None and entry.remote == follower.spec
            if not same or entry is None or Path(entry.path) != follower.root:
                await self._end(name)
        if wanted or self._top.is_dir():
            await asyncio.to_thread(
                self._prepare, {Path(one.path) for one in wanted.values()}, whole
            )
            self._sweep()
        for name, entry in wanted.items():
            if name in self._followers or entry.remote is None:
                continue
            follower = self._followers[name] = RemoteFollower(
                name,
                entry.remote,
                Path(entry.path),
                settings=self._settings,
                clock=self._clock,
                slots=self._slots,
                on_change=self._on_change,
                sweep=self._sweep,
            )
            self._start(follower)

    async def fetch(self, name: ProjectName | None) -> tuple[Fetched, ...]:
        """Fetch one project now, or all that follow a remote. Raises BadQuery for another one."""
        if name is None:
            chosen = [self._followers[one] for one in sorted(self._followers)]
        elif name in self._followers:
            chosen = [self._followers[name]]
        else:
            known = ", ".join(sorted(self._followers)) or "none"
            raise BadQuery(f"{name} follows no repository elsewhere (those that do: {known})")
        return tuple(await asyncio.gather(*(follower.fetch() for follower in chosen)))

    def status_of(self, name: ProjectName) -> RemoteStatus | None:
        """Return how a project stands to its remote; None when it follows none."""
        follower = self._followers.get(name)
        return None if follower is None else follower.status

    def absence_of(self, name: ProjectName) -> tuple[ProjectState, str] | None:
        """Return what to say of a project whose root is not there; None when it is no clone."""
        follower = self._followers.get(name)
        return None if follower is None else follower.absence

    def outlets(self) -> tuple[Outlet, ...]:
        """Return the hosts that are asked for commits."""
        hosts: dict[str, list[RemoteFollower]] = {}
        for follower in self._followers.values():
            if follower.address.host:
                hosts.setdefault(follower.address.host, []).append(follower)
        return tuple(
            Outlet(
                purpose="remote repositories",
                what=f"requests for commits of {_names(followers)}",
                host=host,
                local=followers[0].address.is_local,
            )
            for host, followers in sorted(hosts.items())
        )

    def _start(self, follower: RemoteFollower) -> None:
        if self._group is not None:
            self._tasks[follower.name] = self._group.create_task(
                self._supervise(follower), name=f"remote-{follower.name}"
            )

    async def _supervise(self, follower: RemoteFollower) -> None:
        """Run a follower; a defect in it is logged and does not end the others."""
        while True:
            try:
                await follower.run()
            except Exception:  # the border: the others go on
                log.exception("remote_crashed", project=follower.name)
            await self._clock.sleep(RESTART_S)

    async def _end(self, name: ProjectName) -> None:
        self._followers.pop(name, None)
        task = self._tasks.pop(name, None)
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    def _prepare(self, roots: set[Path], whole: bool) -> None:
        """Make the directory, and set aside what nobody wants and what a crash left behind."""
        self._top.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in self._top.iterdir():
            if path.name.startswith(GONE):
                continue
            if path.suffix == ".json":
                if whole and path.with_suffix("") not in roots:
                    path.unlink(missing_ok=True)
            elif self._is_unwanted(path, roots, whole=whole):
                forget_clone(path)
                log.info("clone_deleted", path=str(path))

    def _is_unwanted(self, path: Path, roots: set[Path], *, whole: bool) -> bool:
        if path.is_symlink() or not path.is_dir():
            return False
        if path.name.startswith(TEMPORARY):
            return not self._tasks  # else it may be one that is being made
        return whole and path not in roots


def _names(followers: Sequence[RemoteFollower]) -> str:
    names = sorted(follower.name for follower in followers)
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} projects"
