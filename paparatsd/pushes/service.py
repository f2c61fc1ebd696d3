"""The use cases about projects whose files are sent by programs; no protocol, no storage."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import BadQuery, Conflict, TooLarge, UnknownProject
from paparatsd.model import ChangeBatch, Depth, ProjectName
from paparatsd.naming import check_group_name, check_project_name
from paparatsd.project_entries import check_kept_name, source_of
from paparatsd.pushes.files import PushedFiles, check_pushed_path
from paparatsd.redact import is_secret_name

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from paparatsd.indexing.ledger import Ledger
    from paparatsd.model import ProjectEntry
    from paparatsd.registry import ProjectsFile
    from paparatsd.roster import Roster
    from paparatsd.settings import Settings
    from paparatsd.sharing.followed_projects import FollowedProjects

log = structlog.get_logger()

INDEXED, INDEXING = "ok", "indexing"


@dataclass(frozen=True, slots=True)
class PushedFile:
    """One file as it was sent."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class PushAnswer:
    """What came of a push. `status` is "ok", or "indexing" when that goes on longer than asked.

    `chunks` are those that the project shows now. `skipped` has the sent files that are not
    indexed, with the reason.
    """

    status: str
    group: str
    project: str
    written: int
    unchanged: int
    chunks: int
    skipped: Mapping[str, str]


class PushedService:
    """Takes files in, in the order of their requests, and has the project's session index them."""

    def __init__(
        self,
        files: PushedFiles,
        settings: Settings,
        projects: ProjectsFile | FollowedProjects,
        roster: Roster,
        ledger: Ledger,
        register: Callable[[Callable[[], ProjectEntry]], Awaitable[ProjectEntry]],
        sweep: Callable[[], None],
    ) -> None:
        self._files = files
        self._limits = settings.push
        self._max_file_bytes = settings.index.max_file_bytes
        self._allow_secrets = settings.index.allow_secrets
        self._forced_group = settings.projects.forced_group
        self._projects = projects
        self._roster = roster
        self._ledger = ledger
        self._register = register
        self._sweep = sweep
        self._locks: dict[str, asyncio.Lock] = {}
        self._sizes: dict[str, dict[str, int]] = {}

    async def push(
        self,
        group: str,
        project: str,
        files: Sequence[PushedFile],
        *,
        force: bool = False,
        wait_s: float = 120.0,
    ) -> PushAnswer:
        """Take files in and register the project if there is none; other files of it stay.

        Raises BadQuery for names and paths that cannot be used, Conflict for a project that is
        another kind of one or in another group, TooLarge, StateUnwritable; nothing is written then.
        """
        name, contents, refused = self._checked(group, project, files)
        entry = self._entry(name, group)
        async with self._lock(name):
            await self._check_room(name, contents)
            await asyncio.to_thread(self._files.prepare, name)
            if entry is None:
                entry = await self._register(partial(self._projects.add_pushed, name, group))
            written = await self._write(name, contents)
            # What may not be kept any more must not stay as it was before.
            await self._drop(name, refused)
        session = self._roster.session(name)
        if force:
            session.reindex(Depth.FULL)
        settled = await self._settle(name, wait_s)
        log.info("files_pushed", project=name, files=len(contents), written=written)
        return PushAnswer(
            status=INDEXED if settled else INDEXING,
            group=entry.group,
            project=name,
            written=written,
            unchanged=len(contents) - written,
            chunks=await self._chunks_of(name),
            skipped=refused | await self._skipped(name, contents.keys()),
        )

    async def change(
        self, group: str, project: str, file: PushedFile, *, wait_s: float = 60.0
    ) -> PushAnswer:
        """Take one file of a known project in; as `push`, and UnknownProject, TooLarge."""
        if self._entry(check_project_name(project), group) is None:
            raise UnknownProject(f"no project named {project!r}; POST /api/index makes one")
        if len(_encoded(file)) > self._max_file_bytes:
            raise TooLarge(
                f"{file.path[:200]!r} is larger than index.max_file_bytes ({self._max_file_bytes})"
            )
        return await self.push(group, project, (file,), wait_s=wait_s)

    async def delete(
        self, group: str, project: str, path: str, *, wait_s: float = 60.0
    ) -> PushAnswer:
        """Delete one file of a known project; `written` is 0 when there was none of that path."""
        name = check_project_name(project)
        entry = self._entry(name, group)
        if entry is None:
            raise UnknownProject(f"no project named {project!r}; POST /api/index makes one")
        check_pushed_path(path)
        async with self._lock(name):
            sizes = await self._known_sizes(name)
            gone = await asyncio.to_thread(self._files.delete, name, path)
            sizes.pop(path, None)
            self._offer(name, {path})
        settled = await self._settle(name, wait_s)
        return PushAnswer(
            INDEXED if settled else INDEXING,
            entry.group,
            name,
            int(gone),
            int(not gone),
            await self._chunks_of(name),
            {},
        )

    async def forget(self, entry: ProjectEntry) -> None:
        """Delete the files of a project that was removed; of another kind of project none."""
        if not entry.pushed:
            return
        async with self._lock(entry.name):
            self._sizes.pop(entry.name, None)
            await asyncio.to_thread(self._files.forget, entry.name)
        self._sweep()

    async def tidy(self) -> None:
        """Delete what a crash has left; before anything is written."""
        await asyncio.to_thread(self._files.tidy)

    # ------------------------------------------------------------------ what may be written

    def _checked(
        self, group: str, project: str, files: Sequence[PushedFile]
    ) -> tuple[ProjectName, dict[str, bytes], dict[str, str]]:
        """Return name, contents by path, and what is not kept, with the reason."""
        name = check_kept_name(project)
        check_group_name(group)
        contents: dict[str, bytes] = {}  # of several with one path the last one counts
        refused: dict[str, str] = {}
        for file in files:
            path, data = check_pushed_path(file.path), _encoded(file)
            if is_secret_name(path) and not self._allow_secrets:
                refused[path] = "secret"
            elif len(data) > self._max_file_bytes:
                refused[path] = "too_large"
            else:
                contents[path] = data
                refused.pop(path, None)
                continue
            contents.pop(path, None)
        return name, contents, refused

    def _entry(self, name: ProjectName, group: str) -> ProjectEntry | None:
        """Return the registration that files may be pushed to; raises Conflict for another."""
        entries = self._projects.registry.entries
        entry = next((one for one in entries if one.name == name), None)
        if entry is None:
            return None
        if not entry.pushed:
            raise Conflict(
                f"the project {name} follows {source_of(entry)}; nothing can be pushed to it"
            )
        if entry.group != group and not self._forced_group:
            raise Conflict(f"the project {name} is in the group {entry.group!r}, not {group!r}")
        return entry

    async def _known_sizes(self, name: str) -> dict[str, int]:
        if name not in self._sizes:
            self._sizes[name] = await asyncio.to_thread(self._files.sizes, name)
        return self._sizes[name]

    async def _check_room(self, name: str, contents: Mapping[str, bytes]) -> None:
        sizes = dict(await self._known_sizes(name))
        sizes |= {path: len(data) for path, data in contents.items()}
        if len(sizes) > self._limits.max_files:
            raise TooLarge(
                f"{name} would have {len(sizes)} files; push.max_files is {self._limits.max_files}"
            )
        total = sum(sizes.values())
        if total > self._limits.max_project_bytes:
            raise TooLarge(
                f"{name} would have {total} bytes; push.max_project_bytes is "
                f"{self._limits.max_project_bytes}"
            )

    async def _write(self, name: ProjectName, contents: Mapping[str, bytes]) -> int:
        """Write files one after the other; what was written is looked at also if one fails."""
        sizes = await self._known_sizes(name)
        written: set[str] = set()
        try:
            for path, data in contents.items():
                if await asyncio.to_thread(self._files.write, name, path, data):
                    written.add(path)
                sizes[path] = len(data)
        finally:
            self._offer(name, written)
        return len(written)

    async def _drop(self, name: ProjectName, paths: Collection[str]) -> None:
        sizes = await self._known_sizes(name)
        for path in paths:
            if path in sizes and await asyncio.to_thread(self._files.delete, name, path):
                del sizes[path]
                self._offer(name, {path})

    # ------------------------------------------------------------------ the index

    def _offer(self, name: ProjectName, paths: set[str]) -> None:
        with suppress(UnknownProject):
            self._roster.session(name).offer(ChangeBatch(paths=frozenset(paths)))

    async def _settle(self, name: ProjectName, wait_s: float) -> bool:
        """Wait until nothing is pending, but not for long; whether that is so."""
        if wait_s <= 0:
            return False
        try:
            async with asyncio.timeout(wait_s):
                await self._roster.session(name).settle()
        except TimeoutError:
            return False
        return True

    async def _chunks_of(self, name: ProjectName) -> int:
        totals = await self._ledger.totals()
        total = totals.get(self._roster.session(name).project_id)
        return total.chunks if total is not None else 0

    async def _skipped(self, name: ProjectName, sent: Collection[str]) -> dict[str, str]:
        found = await self._ledger.skipped(self._roster.session(name).project_id)
        return {one.path: one.reason.value for one in found if one.path in sent}

    def _lock(self, name: str) -> asyncio.Lock:
        return self._locks.setdefault(name, asyncio.Lock())


def _encoded(file: PushedFile) -> bytes:
    try:
        return file.content.encode("utf-8")
    except UnicodeEncodeError:
        raise BadQuery(f"the content of {file.path[:200]!r} is not valid Unicode") from None
