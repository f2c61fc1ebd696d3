"""Keeps one clone equal to its remote: when it is asked and fetched, and what became of it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import GitFailed
from paparatsd.model import ProjectState
from paparatsd.remotes.cron import parse_cron
from paparatsd.remotes.entries import OFF
from paparatsd.remotes.notes import CloneNote, follows_of, note_path, read_note, write_note
from paparatsd.remotes.sweeper import set_aside
from paparatsd.sources.clone import (
    Tip,
    Wanted,
    ask_tip,
    make_clone,
    renew_clone,
    tidy_clone,
)
from paparatsd.sources.clone_policy import Access
from paparatsd.sources.clone_trouble import trouble_words
from paparatsd.sources.remote_address import parse_address, token_for
from paparatsd.status_model import Fetched, RemoteStatus

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from paparatsd.clock import Clock
    from paparatsd.model import ProjectName, RemoteSpec
    from paparatsd.settings import RemotesSettings

log = structlog.get_logger()

BACKOFF_S = (30.0, 120.0, 600.0, 1_800.0, 3_600.0)
"""After a failure; a host that is down, or does not let us in, is not asked again and again."""
SPREAD_S = 30
"""Schedules of many projects come true in the same second: each waits its own part of this."""
LOOK_S = 30.0
"""How often at least it is looked whether the clone is still there, and what time it is."""
WAITING, ASKING, CLONING, FETCHING = "waiting", "asking", "cloning", "fetching"
_BROKEN = re.compile(
    r"not a git repository|loose object|packfile|bad object|unable to read|missing (?:blob|tree"
    r"|commit)|index file|bad (?:index|config)|unresolved reference|invalid object|did not send all"
)


@dataclass(frozen=True, slots=True)
class Slots:
    """How many remotes are asked, and how many fetched, at a time.

    They are apart, so that two clones that take an hour do not keep the rest from being asked.
    """

    asking: asyncio.Semaphore
    fetching: asyncio.Semaphore


class RemoteFollower:
    """One repository elsewhere; `root` is its clone.

    `slots` bounds how many are fetched at a time. `on_change` is called with the name whenever the
    files may have changed, or the reason why there are none; `sweep` when a clone was set aside.
    """

    def __init__(  # noqa: PLR0913 - wired in one place
        self,
        name: ProjectName,
        spec: RemoteSpec,
        root: Path,
        *,
        settings: RemotesSettings,
        clock: Clock,
        slots: Slots,
        on_change: Callable[[ProjectName], None],
        sweep: Callable[[], None],
    ) -> None:
        self.name, self.spec, self.root = name, spec, root
        self.address = parse_address(spec.url)
        self._settings = settings
        self._clock = clock
        self._slots = slots
        self._on_change = on_change
        self._sweep = sweep
        self._note = CloneNote()
        self._state = WAITING
        self._problem = ""
        self._failures = 0
        self._next_at: float | None = None
        self._there = root.is_dir()
        self._wake = asyncio.Event()
        self._done = asyncio.Condition()
        self._asked = self._answered = 0
        self._last = Fetched(name, moved=False, commit="")
        credential = token_for(self.address, settings.tokens)
        self._has_token = bool(credential)
        self._wanted = Wanted(
            url=self.address.for_git,
            access=Access(
                self.address.scheme, f"{self.address.scheme}://{self.address.host}/", credential
            ),
            branch=spec.branch,
            ref=spec.ref,
            depth=spec.depth,
            max_bytes=settings.max_bytes,
            deadline_s=settings.timeout_s,
        )

    # ------------------------------------------------------------------ what others may do

    @property
    def status(self) -> RemoteStatus:
        """How it stands."""
        return RemoteStatus(
            url=self.spec.url,
            branch=self.spec.branch or self._note.branch,
            ref=self.spec.ref,
            state=self._state,
            fetched_at=self._note.fetched_at or None,
            checked_at=self._note.checked_at or None,
            next_at=self._next_at,
            problem=self._problem,
        )

    @property
    def absence(self) -> tuple[ProjectState, str]:
        """What to say of the project while its clone is not there."""
        if self._problem:
            return ProjectState.MISSING, self._problem
        where = f"from {self.address.host}" if self.address.host else f"from {self.address.path}"
        return ProjectState.INDEXING, f"being cloned {where}"

    async def fetch(self) -> Fetched:
        """Fetch now and return what came of it; whoever stops waiting does not stop that."""
        self._asked += 1
        ticket = self._asked
        self._wake.set()
        async with self._done:
            await self._done.wait_for(lambda: self._answered >= ticket)
        return self._last

    # ------------------------------------------------------------------ the task

    async def run(self) -> None:
        """Follow the remote until cancelled."""
        self._note = await asyncio.to_thread(read_note, self.root)
        try:
            while True:
                self._next_at = self._due_at()
                while not self._is_due():
                    await self._rest()
                ticket, asked = self._asked, self._asked > self._answered
                await self._cycle(whole=asked or self._is_whole_due())
                await self._answer(ticket)
        finally:
            await self._answer(self._asked)

    async def _answer(self, ticket: int) -> None:
        self._answered, self._state = ticket, WAITING
        async with self._done:
            self._done.notify_all()

    async def _rest(self) -> None:
        left = LOOK_S if self._next_at is None else self._next_at - self._clock.now()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(max(left, 0.05), LOOK_S)):
                await self._wake.wait()
        self._wake.clear()
        there = await asyncio.to_thread(self.root.is_dir)
        if self._there and not there:
            self._next_at = self._clock.now()
        self._there = there

    def _is_due(self) -> bool:
        if self._asked > self._answered:
            return True
        return self._next_at is not None and self._next_at <= self._clock.now()

    def _due_at(self) -> float | None:
        """Return when the remote is asked next; None when nothing but a wish leads to it."""
        now, note = self._clock.now(), self._note
        share = zlib.crc32(self.name.encode("utf-8")) / (1 << 32)
        if self._failures:
            wait = BACKOFF_S[min(self._failures, len(BACKOFF_S)) - 1]
            return now + wait * (1 + 0.2 * share)
        if not self._there or not note.complete or note.follows != follows_of(self.spec):
            return now
        # A clock that was set back must not make anything wait for the future of before.
        times = [self._whole_at()]
        fast = self.spec.cron_fast or self._settings.cron_fast
        if fast != OFF:
            times.append(parse_cron(fast).after(min(note.checked_at, now)))
        known = [time for time in times if time is not None]
        return min(known) + share * SPREAD_S if known else None

    def _whole_at(self) -> float | None:
        cron = self.spec.cron or self._settings.cron
        if cron == OFF:
            return None
        return parse_cron(cron).after(min(self._note.full_at, self._clock.now()))

    def _is_whole_due(self) -> bool:
        at = self._whole_at()
        return at is not None and at <= self._clock.now()

    async def _cycle(self, *, whole: bool) -> None:
        before = (self._note.commit, self._there, self._problem)
        try:
            await self._renew(whole=whole)
        except GitFailed as error:
            self._fail(trouble_words(error, self.address, has_token=self._has_token))
        except OSError as error:
            self._fail(f"the clone cannot be written: {error.strerror or error}")
        else:
            if self._problem:
                log.info("remote_back", project=self.name)
            self._problem, self._failures = "", 0
            moved = self._note.commit != before[0]
            self._last = Fetched(self.name, moved, self._note.commit)
            if moved:
                log.info("remote_fetched", project=self.name, commit=self._note.commit)
        self._there = await asyncio.to_thread(self.root.is_dir)
        if (self._note.commit, self._there, self._problem) != before:
            self._on_change(self.name)

    def _fail(self, problem: str) -> None:
        self._failures += 1
        self._problem = f"{self.spec.url} cannot be fetched: {problem}"
        self._last = Fetched(self.name, moved=False, commit=self._note.commit, problem=problem)
        log.warning("remote_failed", project=self.name, url=self.spec.url, problem=problem)

    # ------------------------------------------------------------------ one cycle

    async def _renew(self, *, whole: bool) -> None:
        """Ask, and unless there is nothing new, fetch. Raises GitFailed, OSError."""
        self._state = ASKING
        now, note = self._clock.now(), self._note
        async with self._slots.asking:
            tip = await ask_tip(self.root.parent, self._wanted)
        self._there = await asyncio.to_thread(self.root.is_dir)
        same = note.complete and note.follows == follows_of(self.spec)
        if (
            same
            and not whole
            and self._there
            and (note.tip, note.branch) == (tip.commit, tip.branch)
        ):
            await self._write(replace(note, checked_at=now))
            return
        self._state = FETCHING if self._there else CLONING
        # What a crash leaves behind from here on is looked at again.
        await self._write(replace(note, complete=False))
        async with self._slots.fetching:
            commit = await self._clone_or_fetch(tip)
        self._note = CloneNote(
            commit=commit,
            tip=tip.commit,
            branch=tip.branch,
            follows=follows_of(self.spec),
            complete=True,
            fetched_at=self._clock.now(),
            checked_at=now,
            full_at=now,
        )
        await self._write(self._note)
        async with self._slots.fetching:
            if await tidy_clone(self.root, self._settings.timeout_s):
                log.info("remote_packed", project=self.name)

    async def _clone_or_fetch(self, tip: Tip) -> str:
        if not self._there:
            return await make_clone(self.root, self._wanted, tip)
        try:
            return await renew_clone(self.root, self._wanted, tip)
        except GitFailed as error:
            if not _BROKEN.search(f"{error}\n{error.complaint}"):
                raise
            log.warning("clone_broken", project=self.name, error=str(error))
        self._state = CLONING
        await asyncio.to_thread(set_aside, self.root)
        self._sweep()
        commit = await make_clone(self.root, self._wanted, tip)
        self._on_change(self.name)  # also when it is the commit of before
        return commit

    async def _write(self, note: CloneNote) -> None:
        self._note = note
        await asyncio.to_thread(write_note, self.root, note)


def forget_clone(root: Path) -> None:
    """Move a clone out of the way and delete the note on it."""
    set_aside(root)
    note_path(root).unlink(missing_ok=True)
