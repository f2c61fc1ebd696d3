"""An index of one folder inside a program: `paparatsd.open_index`, without a daemon.

The same parts as in the daemon (passes, workers, search process, store), in a thread of their own.
All calls block the thread that makes them, whether or not an event loop runs there, and may come
from several threads at a time; in coroutines use `await asyncio.to_thread(index.search, ...)`.
"""

from __future__ import annotations

import asyncio
import re
import weakref
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery, Unavailable
from paparatsd.graph_model import GraphScope
from paparatsd.interfaces.arguments import Arguments
from paparatsd.interfaces.asking import MAX_COMMITS, search_request
from paparatsd.interfaces.graph_requests import usages_request
from paparatsd.library.host import Host
from paparatsd.library.places import (
    check_folder,
    choose_state_dir,
    home_of,
    list_folder,
    prepare_state,
    read_settings,
)
from paparatsd.model import Depth, ProjectName, ProjectState
from paparatsd.naming import default_project_name
from paparatsd.settings import process_environment

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from paparatsd.graph_model import UsagesAnswer
    from paparatsd.history_model import ChangedFilter, ChunkLog
    from paparatsd.library.places import SettingValue
    from paparatsd.model import SkippedFile
    from paparatsd.search_model import ChunkView, SearchAnswer
    from paparatsd.service import Service
    from paparatsd.status_model import ProjectStatus

FAILING = (ProjectState.ERROR, ProjectState.PAUSED)
LOOK_S, VECTORS_LOOK_S = 1.0, 0.1
PATIENCE = 10
"""So many looks in a row at a failing index, and whoever waits for it is told."""
NO_SETTINGS: Mapping[str, SettingValue] = MappingProxyType({})
PLACE = re.compile(r"#|:\d+(?:[-:]\d+)?$")
"""What tells an address of a place from a name."""
CHANGED_BY = ("author", "since", "until", "ticket")


def open_index(
    folder: str | os.PathLike[str],
    *,
    state_dir: str | os.PathLike[str] | None = None,
    exclude: Sequence[str] = (),
    history: bool = False,
    watch: bool = True,
    settings: Mapping[str, SettingValue] = NO_SETTINGS,
    timeout_s: float | None = None,
) -> Index:
    """Index a folder, a git repository or not, and return its index once it is whole.

    What was indexed before is only compared with the disk. Ignore rules and `.paparats.yml` hold as
    they do for the daemon; the folder itself is never written.

    `state_dir`: where the index is kept; by default a private directory under the user's cache,
    named after the folder. One index at a time may use it. `exclude`: patterns as in .gitignore,
    besides those of the folder. `history`: read git history, which `log` and the filters by
    author, time and ticket need; the first time that takes a while. `watch`: follow the disk by
    file events while open; without it the index is as old as the last `refresh`. `settings`: what
    could be set for the daemon, as {"embedder.provider": "onnx"}; neither its settings file nor its
    variables are read, but for secrets such as VOYAGE_API_KEY. `timeout_s`: seconds that the first
    index may take.

    Raises BadQuery for a folder that cannot be indexed, BadSettings, Busy while another process or
    another index of this one holds the state directory, Conflict when that is of another folder,
    Unavailable when it takes too long or cannot be done now; all of them are PaparatsError.
    """
    environment = process_environment()
    home = home_of(environment)
    root = check_folder(folder, home)
    places = prepare_state(choose_state_dir(root, state_dir, environment))
    chosen = read_settings(places, settings, environment, watch=watch)
    host = Host(chosen, home, root)
    host.start(lambda: list_folder(places, root, exclude, history=history))
    index = Index(host, root, places.config.parent, history=history)
    try:
        index.refresh(timeout_s=timeout_s)
    except BaseException:
        index.close()
        raise
    return index


class Index:
    """The open index of one folder; made by `open_index`, best used as a context manager.

    Lines are counted from 1, the last one included; paths are POSIX, relative to `folder`. Every
    call raises Unavailable once the index is closed, and in a process forked off the one that
    opened it.
    """

    def __init__(self, host: Host, folder: Path, state_dir: Path, *, history: bool) -> None:
        """Take a started host; programs call `open_index` instead."""
        self._host = host
        self._folder = folder
        self._state_dir = state_dir
        self._project = default_project_name(folder.name)
        self._history = history
        self._finalizer = weakref.finalize(self, host.close)

    def __repr__(self) -> str:
        """Name the folder."""
        return f"<paparatsd.Index of {self._folder}>"

    @property
    def folder(self) -> Path:
        """The folder, links resolved."""
        return self._folder

    @property
    def state_dir(self) -> Path:
        """Where the index is kept; may be deleted while it is closed."""
        return self._state_dir

    @property
    def project(self) -> ProjectName:
        """What addresses in this index begin with: the name of the folder."""
        return self._project

    def __enter__(self) -> Index:
        """Return the index; it is closed at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the index."""
        self.close()

    # ------------------------------------------------------------------ asking

    def search(  # noqa: PLR0913 - each is a keyword that says what it does
        self,
        query: str,
        *,
        limit: int = 5,
        paths: Sequence[str] = (),
        languages: Sequence[str] = (),
        kinds: Sequence[str] = (),
        changed: ChangedFilter | None = None,
        fresh: bool = False,
        related: bool = False,
        explain: bool = False,
        deadline_s: float = 10.0,
    ) -> SearchAnswer:
        """Return the places that answer a question in words, names, paths or pasted code.

        `limit`: at most so many hits, 1 to 100. `paths`: globs, `languages` and `kinds`: names, of
        which one must hold. `changed`: only what somebody changed, some time or for a ticket.
        `fresh`: compare with the disk first. `related`: hits have their neighbours in the symbol
        graph. `explain`: hits have their `signals`, shares of the score. `deadline_s`: seconds,
        0.05 to 10; what is found by then is returned.

        Hits come best first; with history each has its last change. Raises BadQuery, Unavailable.
        """
        given: dict[str, Any] = {
            "query": query,
            "limit": limit,
            "paths": list(paths),
            "languages": list(languages),
            "kinds": list(kinds),
            "fresh": fresh,
            "deadline_s": deadline_s,
        }
        if changed is not None:
            self._check_history("a filter by author, time or ticket")
            given |= {name: getattr(changed, name) for name in CHANGED_BY}
        wanted = replace(
            search_request(Arguments(given)),
            related=related,
            explain=explain,
            history=self._history,
        )
        return self._host.ask(lambda service: service.search(wanted))

    def show(self, address: str, *, radius: int = 0) -> ChunkView:
        """Return the chunk at an address, with those that overlap `radius` lines (0-200) around.

        An address is that of a hit, or `path#Name`, `path:12` or `path:12-20`. Raises BadQuery for
        one that cannot be read, UnknownAddress for one that names nothing.
        """
        full = self._addressed(address)
        return self._host.ask(lambda service: service.show(full, radius))

    def usages(self, address: str, *, direction: str = "incoming", limit: int = 20) -> UsagesAnswer:
        """Return who uses a symbol; with `direction` "outgoing" what it uses, with "both" both.

        `address` as in `show`, or a name in any spelling. `limit`: uses in each direction, 1 to
        200. Raises BadQuery, UnknownAddress.
        """
        at = self._addressed(address) if PLACE.search(address) else address
        given = {"address": at, "direction": direction, "limit": limit}
        wanted = usages_request(Arguments(given), GraphScope())
        return self._host.ask(lambda service: service.graph.usages(wanted))

    def log(self, address: str, *, limit: int = 10) -> ChunkLog:
        """Return who changed a place, when and why, newest commit first; needs `history`.

        `address` as in `show`; `limit`: commits, 1 to 200. Raises BadQuery, also when the index was
        opened without history, and UnknownAddress.
        """
        self._check_history("the log of a place")
        if not 1 <= limit <= MAX_COMMITS:
            raise BadQuery(f"limit must be a whole number from 1 to {MAX_COMMITS}")
        full = self._addressed(address)
        return self._host.ask(lambda service: service.chunk_log(full, limit))

    def status(self) -> ProjectStatus:
        """Return how the index is: its state and why, files, chunks, languages, head."""
        project = self._project

        async def work(service: Service) -> ProjectStatus:
            found = {one.name: one for one in await service.list_projects(None)}
            if project not in found:
                raise Unavailable(f"{self._folder} is not indexed: its entry was refused")
            return found[project]

        return self._host.ask(work)

    def skipped(self) -> tuple[SkippedFile, ...]:
        """Return every file that is there but not indexed, with the reason."""
        project = self._project

        async def work(service: Service) -> tuple[SkippedFile, ...]:
            return (await service.skipped(project))[project]

        return self._host.ask(work)

    # ------------------------------------------------------------------ keeping up

    def refresh(self, *, full: bool = False, timeout_s: float | None = None) -> ProjectStatus:
        """Make the index equal to the disk and return how it is then.

        `full`: read every file again, whatever its times say. With history its commits are read,
        with another embedding model than the built-in one its vectors are made, too; while that
        fails, words alone find what lacks one, and answers say so. `timeout_s`: seconds; the work
        goes on when they are over. Raises Unavailable when it takes longer or fails, with the
        reason; what was indexed before can still be searched.
        """
        project, history = self._project, self._history

        async def work(service: Service) -> None:
            if full:
                await service.reindex(project, Depth.FULL)
            await _until_indexed(service, project, history=history)
            await _until_embedded(service, project)

        self._host.ask(work, timeout_s)
        now = self.status()
        if now.state in (*FAILING, ProjectState.MISSING):
            raise Unavailable(f"{self._folder} cannot be indexed: {now.reason}")
        return now

    def close(self) -> None:
        """Stop all processes and give the state directory up; what was indexed is kept.

        Doing so twice is fine. Happens by itself at the end of the program.
        """
        self._host.close()
        self._finalizer.detach()

    # ------------------------------------------------------------------ checks

    def _addressed(self, address: str) -> str:
        """Return an address with the project in front."""
        mark = f"{self._project}:"
        return address if address.startswith(mark) else mark + address

    def _check_history(self, what: str) -> None:
        if not self._history:
            raise BadQuery(f"{what} needs history; use open_index(..., history=True)")


async def _until_indexed(service: Service, project: ProjectName, *, history: bool) -> None:
    """Return when the project is equal to the disk, or has been failing for a while."""
    flush = asyncio.ensure_future(service.flush(project, history=history))
    failing = 0
    try:
        while failing < PATIENCE:
            done, _ = await asyncio.wait({flush}, timeout=LOOK_S)
            if done:
                flush.result()
                return
            states = [one.state for one in await service.list_projects(None)]
            failing = failing + 1 if any(one in FAILING for one in states) else 0
    finally:
        flush.cancel()


async def _until_embedded(service: Service, project: ProjectName) -> None:
    """Return when all vectors are there, or something is wrong and there are no more of them."""
    left, stuck = -1, 0
    while stuck < PATIENCE:
        found = {one.name: one for one in await service.list_projects(None)}
        if project not in found or found[project].state is not ProjectState.INDEXING:
            return
        moved = found[project].pending != left
        left = found[project].pending
        stuck = 0 if moved or not (await service.health()).get("problems") else stuck + 1
        await asyncio.sleep(VECTORS_LOOK_S)
