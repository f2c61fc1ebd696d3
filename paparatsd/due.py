"""What of one project is to be looked at, why, and who waits for it."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.doubts import in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from paparatsd.clock import Clock
    from paparatsd.errors import PaparatsError
    from paparatsd.model import ChangeBatch

MAX_PATHS = 500
"""More changed paths than this are cheaper to find by one walk."""
RULE_FILES = frozenset(
    {".gitignore", ".paparatsignore", ".codeindexignore", ".paparats.yml", ".gitattributes"}
)
"""Files that decide about other files: a change of one means a full pass."""
GIT_MOVED = "git moved"
"""The reason of a pass after git moved in this work tree; in another of its repository is none."""
PERIODIC = "periodic check"
"""The reason of a pass that nothing speaks for but the time that has gone by."""
_PENDING = "changes pending"


@dataclass(frozen=True, slots=True)
class Look:
    """What one look is to find out.

    `full`: why all files are listed, None where `paths` will do. `moved`: git did something in
    the repository. `paranoid`: files are read whatever their stat says. `ticket`: whoever asked
    up to this one is answered by it.
    """

    full: str | None
    paths: frozenset[str]
    moved: bool
    paranoid: bool
    ticket: int


class Due:
    """Gathers what speaks for a look until one is taken; a project's session owns it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._full: str | None = "start"
        self._paths: set[str] = set()
        self._moved = False
        self._paranoid = False
        self._looking = ""
        self._wake = asyncio.Event()
        self._settled = asyncio.Condition()
        self._asked = 0
        self._answered = 0
        self._next_full = 0.0
        self._end: PaparatsError | None = None

    # ------------------------------------------------------------------ what is known of it

    def __bool__(self) -> bool:
        """Whether there is anything to look at."""
        return bool(self._paths or self._full or self._moved)

    @property
    def paths(self) -> frozenset[str]:
        """Paths that may have changed."""
        return frozenset(self._paths)

    @property
    def is_under_way(self) -> bool:
        """Whether a look has been taken that has not come to its end."""
        return bool(self._looking)

    @property
    def reason(self) -> str:
        """What speaks for a look that is due or under way, in words."""
        return in_words(self._full or self._looking or (GIT_MOVED if self._moved else _PENDING))

    # ------------------------------------------------------------------ what makes it more

    def offer(self, batch: ChangeBatch) -> None:
        """Take note of what may have changed; never waits."""
        if batch.doubt is not None:
            self._full = self._full or batch.doubt
        self._moved = self._moved or batch.head
        if any(Path(path).name in RULE_FILES for path in batch.paths):
            self._full = self._full or "ignore rules changed"
        self._paths.update(batch.paths)
        if len(self._paths) > MAX_PATHS:
            self._paths.clear()
            self._full = self._full or "many changes"
        self._wake.set()

    def ask(self, reason: str, *, paranoid: bool = False) -> None:
        """Ask for all files to be listed, and for a `paranoid` look read."""
        self._paranoid = self._paranoid or paranoid
        self._full = self._full or reason
        self._wake.set()

    def begin_anew(self, reason: str) -> None:
        """Have everything looked at for this reason, whatever else spoke for it."""
        self._full = reason

    def plan(self, seconds: float) -> None:
        """Have all files listed after so long even when nothing else speaks for it."""
        self._next_full = self._clock.monotonic() + seconds

    # ------------------------------------------------------------------ looks

    async def wait(self) -> None:
        """Wait until something is due."""
        while not self:
            left = self._next_full - self._clock.monotonic()
            if left <= 0:
                self._full = PERIODIC
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._wake.wait()
            self._wake.clear()

    async def fold(self, seconds: float) -> None:
        """Let what comes within this time gather, unless somebody waits for an answer."""
        if seconds <= 0 or self._is_waited_for:
            return
        self._wake.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self._is_waited_for:
                    await self._wake.wait()
                    self._wake.clear()

    def take(self) -> Look:
        """Return what is due. What speaks for it holds until `rest`."""
        look = Look(self._full, self.paths, self._moved, self._paranoid, self._asked)
        unsure = look.full or (GIT_MOVED if look.moved else _PENDING)
        # Of a look for which only the time speaks, answers need not say that they may be old.
        self._looking = unsure if look.full != PERIODIC else ""
        self._full, self._paranoid, self._moved = None, False, False
        self._paths.clear()
        return look

    def give_back(self, look: Look) -> None:
        """Have a look that has failed taken again, as one at everything."""
        self._full = look.full or "the last attempt failed"
        self._paranoid = look.paranoid

    def drop(self, reason: str) -> None:
        """Take back a reason for a full look that has turned out to be none."""
        self._full = None if self._full == reason else self._full

    async def rest(self) -> None:
        """Say that a look has come to its end, well or not."""
        self._looking = ""
        async with self._settled:
            self._settled.notify_all()

    # ------------------------------------------------------------------ who waits

    @property
    def _is_waited_for(self) -> bool:
        return self._asked > self._answered

    def answer(self, ticket: int | None = None) -> None:
        """Let those go whose tickets are not above this one; None lets all go."""
        self._answered = max(self._answered, self._asked if ticket is None else ticket)

    async def end(self, reason: PaparatsError) -> None:
        """Say that nobody looks any more: whoever waits, now or later, gets `reason` raised."""
        self._end = reason
        async with self._settled:
            self._settled.notify_all()

    def check_running(self) -> None:
        """Raise the reason of an end, if there was one."""
        if self._end is not None:
            raise self._end

    async def verified(self) -> None:
        """Wait for a full look that began after this call; raises the reason of an end."""
        self._asked += 1
        ticket = self._asked
        self.ask("asked to verify")
        await self._until(lambda: self._answered >= ticket)

    async def all_done(self) -> None:
        """Wait until nothing is due, and no look is under way that something spoke for."""
        await self._until(lambda: not self and not self.is_under_way)

    async def nothing(self) -> None:
        """Wait until nothing is due."""
        await self._until(lambda: not self)

    async def _until(self, reached: Callable[[], bool]) -> None:
        async with self._settled:
            await self._settled.wait_for(lambda: self._end is not None or reached())
        self.check_running()
