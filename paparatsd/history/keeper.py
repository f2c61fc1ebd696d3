"""Keeps the history process informed and working, and asks it: the daemon's side."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import structlog

from paparatsd import ipc
from paparatsd.errors import ChildDied, PaparatsError, Unavailable
from paparatsd.history.followed import PlaceLog
from paparatsd.history_model import HistoryState, HistoryStatus
from paparatsd.supervise import RemoteError, local_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from paparatsd.clock import Clock
    from paparatsd.history.followed import Asked, Followed, Found, Lines, Report
    from paparatsd.history_model import LastChange
    from paparatsd.model import CommitId, RepoId
    from paparatsd.supervise import Child

log = structlog.get_logger()

STEP_TIMEOUT_S = 900.0
"""A piece of work may wait for git as long as git's own deadline."""
ASK_TIMEOUT_S = 30.0
RETRY_S = (1.0, 5.0, 30.0, 300.0)
TIDY_S = 3_600.0
"""After so long without news the process is asked whether there is something to tidy up."""
_SETTLED = (HistoryState.READY, HistoryState.LIMITED, HistoryState.NONE)
REST_S = 0.002
"""Between two pieces of work: questions go first anyway, other processes get a turn."""
SET_BACK_S = 0.5
"""How long a piece of work waits at most for searches that are under way."""
ASKED_LATELY_S = 2.0
PIECE_S, SMALL_PIECE_S = 0.03, 0.01
"""How long a piece of work is, and after a search of late, when the next one may come soon."""


class HistoryKeeper:
    """One per daemon. A process that was restarted is told of all projects again."""

    def __init__(
        self,
        child: Child,
        clock: Clock,
        on_status: Callable[[int], None] = lambda project: None,
        *,
        none_because: str = "",
    ) -> None:
        """`on_status` is called with the project whose state has changed.

        With `none_because` no project has a history, for that reason.
        """
        self._none = HistoryStatus(HistoryState.NONE, reason=none_because)
        self._child = child
        self._clock = clock
        self._on_status = on_status
        self._followed: dict[int, Followed] = {}
        self._untold: dict[int, Followed] = {}
        self._dropped: set[int] = set()
        self._kept: tuple[RepoId, ...] | None = None
        self._wake = asyncio.Event()
        self._quiet = asyncio.Event()
        self._status: dict[int, HistoryStatus] = {}
        self._moved: set[int] = set()
        self._problem = ""
        self._searches = 0
        self._unasked = asyncio.Event()
        self._unasked.set()
        self._asked_at = float("-inf")
        child.on_start = self._tell_all

    # ------------------------------------------------------------------ being told

    def follow(self, followed: Followed) -> None:
        """Take note of where a project is now; never waits."""
        if self._followed.get(followed.project_id) == followed:
            return
        self._followed[followed.project_id] = followed
        self._untold[followed.project_id] = followed
        self._dropped.discard(followed.project_id)
        self._moved.add(followed.project_id)
        self._quiet.clear()
        self._wake.set()

    def drop(self, project_id: int) -> None:
        """Take note that a project is gone."""
        if self._followed.pop(project_id, None) is not None:
            self._untold.pop(project_id, None)
            self._status.pop(project_id, None)
            self._dropped.add(project_id)
            self._quiet.clear()
            self._wake.set()

    def keep(self, repos: Iterable[RepoId]) -> None:
        """Have everything forgotten of repositories that are not among these."""
        self._kept = tuple(repos)
        self._quiet.clear()
        self._wake.set()

    def status(
        self, project_id: int, shown: tuple[int, CommitId | None] | None = None
    ) -> HistoryStatus | None:
        """Return how far a project's history is; None before anything is known.

        `shown` are the generation and the head for which it is to be said: what is ready for
        something older is not ready for them.
        """
        if self._none.reason:
            return self._none
        followed = self._followed.get(project_id)
        if self._problem and followed is not None:
            return HistoryStatus(HistoryState.BROKEN, reason=self._problem)
        known = self._status.get(project_id)
        if known is None or followed is None or known.state not in _SETTLED:
            return known
        behind = shown is not None and shown != (followed.generation, followed.head)
        if behind or project_id in self._moved:
            return replace(known, state=HistoryState.MAPPING)
        return known

    async def settle(self) -> None:
        """Wait until nothing is known to be left to do, or it is known why it cannot be done."""
        await self._quiet.wait()

    @contextlib.contextmanager
    def set_back(self) -> Iterator[None]:
        """Within this block somebody waits for an answer: no piece of work is begun meanwhile.

        A search takes a few milliseconds on several processes; work at any priority would take
        the processors and their caches from it.
        """
        self._searches += 1
        self._unasked.clear()
        try:
            yield
        finally:
            self._searches -= 1
            self._asked_at = self._clock.monotonic()
            if not self._searches:
                self._unasked.set()

    # ------------------------------------------------------------------ working

    async def run(self) -> None:
        """Have the process work whenever there is something to do, until cancelled."""
        failures = 0
        again_s: float | None = None
        while True:
            limit_s = again_s if again_s is not None else TIDY_S
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(limit_s if self._child.is_running() else None):
                    await self._wake.wait()
            self._wake.clear()
            try:
                again_s = await self._work()
                failures = 0
            except PaparatsError as error:
                log.warning("history_interrupted", error=str(error))
                self._fail(error, failures)
                await self._clock.sleep(RETRY_S[min(failures, len(RETRY_S) - 1)])
                failures += 1
                self._wake.set()

    async def _work(self) -> float | None:
        """Have all done that is to do; returns after how long to ask again."""
        busy = True
        while busy:
            await self._tell()
            piece_s = await self._make_way()
            report: Report = await self._call(
                "work", piece_s, urgency=ipc.BULK, timeout_s=STEP_TIMEOUT_S
            )
            self._problem = ""
            self._moved = set(self._untold)
            self._note(report.status)
            busy = report.busy or bool(self._untold or self._dropped or self._kept is not None)
            if report.busy:
                await self._clock.sleep(REST_S)
        self._quiet.set()
        return report.again_s

    async def _make_way(self) -> float:
        """Let searches finish, but not for ever; returns how long the next piece may be."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SET_BACK_S):
                await self._unasked.wait()
        lately = self._clock.monotonic() - self._asked_at < ASKED_LATELY_S
        return SMALL_PIECE_S if lately else PIECE_S

    def _fail(self, error: PaparatsError, failures: int) -> None:
        """Say what is wrong; a process that merely ended is started again first."""
        if failures or isinstance(error, RemoteError) or not isinstance(error, ChildDied):
            if isinstance(error, RemoteError):
                error = local_error(error, self._child.name)
            self._problem = str(error)
            self._quiet.set()

    async def _tell(self) -> None:
        await self._child.ensure_started()
        while self._dropped:
            await self._call("forget", self._dropped.pop())
        while self._untold:
            _, followed = self._untold.popitem()
            await self._call("follow", _told(followed))
        if self._kept is not None:
            kept, self._kept = self._kept, None
            await self._call("keep", kept)

    async def _tell_all(self) -> None:
        """Tell a process that has just started everything, before anybody asks it."""
        self._untold.clear()
        for followed in tuple(self._followed.values()):
            await self._call("follow", _told(followed))
        self._quiet.clear()
        self._wake.set()

    def _note(self, status: Mapping[int, HistoryStatus]) -> None:
        before, self._status = self._status, dict(status)
        for project_id, one in status.items():
            known = before.get(project_id)
            if known is None or known.state is not one.state:
                self._on_status(project_id)

    # ------------------------------------------------------------------ asking

    async def log(self, lines: Lines, limit: int) -> PlaceLog:
        """Return the history of some lines; an empty one where no project has any."""
        if self._none.reason:
            return PlaceLog(lines.start, lines.end, (), 0, (), (), 0, complete=False, pending=False)
        found: PlaceLog = await self._ask("log", lines, limit)
        return found

    async def last_changes(self, places: Sequence[Lines]) -> list[LastChange | None]:
        """Return the newest commit of each place, None where no history is kept."""
        found: list[LastChange | None] = await self._ask("last_changes", places)
        return found

    async def touched(self, places: Sequence[tuple[int, str]]) -> list[float | None]:
        """Return when the newest commit of each (project, path) was made, None if unknown."""
        found: list[float | None] = await self._ask("touched", places)
        return found

    async def allow(
        self, projects: Sequence[int], asked: Asked
    ) -> dict[int, dict[int, frozenset[int]]]:
        """Return by project the chunks that a filter lets through: numbers by version."""
        found: dict[int, dict[int, frozenset[int]]] = await self._ask("allow", projects, asked)
        return found

    async def find(
        self,
        projects: Sequence[int],
        query: str,
        asked: Asked,
        paths: tuple[str, ...],
        limit: int,
        *,
        merges: bool,
    ) -> Found:
        """Return the best or the newest commits."""
        found: Found = await self._ask("find", projects, query, asked, paths, limit, merges)
        return found

    async def rewritten(
        self, repo: RepoId, pairs: Sequence[tuple[CommitId, CommitId]], kind: str
    ) -> None:
        """Note which commits took the place of which: (old, new)."""
        await self._ask("rewritten", repo, pairs, kind)

    async def _ask(self, operation: str, *arguments: Any) -> Any:  # noqa: ANN401 - what it returns
        if self._problem:
            raise Unavailable(self._problem)
        try:
            return await self._call(operation, *arguments)
        except RemoteError as error:
            raise local_error(error, self._child.name) from error
        except ChildDied as error:
            log.warning("history_asked_again", error=str(error))
        self._wake.set()
        try:
            return await self._call(operation, *arguments)
        except RemoteError as error:
            raise local_error(error, self._child.name) from error

    async def _call(
        self,
        operation: str,
        *arguments: Any,  # noqa: ANN401 - whatever the operation takes
        urgency: int = ipc.URGENT,
        timeout_s: float = ASK_TIMEOUT_S,
    ) -> Any:  # noqa: ANN401 - whatever the operation returns
        return await self._child.call(operation, arguments, timeout_s=timeout_s, urgency=urgency)


def _told(followed: Followed) -> Followed:
    """Return what the process is told: of whom no history is wanted, that there is no git."""
    return followed if followed.wanted else replace(followed, git=False, head=None)
