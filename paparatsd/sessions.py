"""The task that owns one project: what it watches, what is due, and its view.

Nobody else writes a project's view. Others offer change batches, ask for a pass, or read the
frozen snapshot.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from paparatsd.doubts import in_words
from paparatsd.errors import PaparatsError, Unavailable
from paparatsd.history.followed import Followed, own_files_stamp
from paparatsd.indexing.passes import Pass, PassInput
from paparatsd.model import (
    ChangeBatch,
    Depth,
    Freshness,
    FreshnessState,
    Head,
    ProjectState,
)
from paparatsd.place import ProjectPlace
from paparatsd.project_rules import ProjectRules
from paparatsd.session_parts import Snapshot
from paparatsd.sources import repo, walk

if TYPE_CHECKING:
    from paparatsd.model import ProjectEntry, ProjectName, RepoId
    from paparatsd.session_parts import SessionParts
    from paparatsd.sources.repo import Checkout
    from paparatsd.store.rows import ProjectRow

log = structlog.get_logger()

MAX_DIRTY = 500
"""More changed paths than this are cheaper to find by one walk."""
MANY_DIRTY = 20
"""So many at once are the work of a program; if it is git, it is let finish."""
RULE_FILES = frozenset(
    {".gitignore", ".paparatsignore", ".codeindexignore", ".paparats.yml", ".gitattributes"}
)
"""Files that decide about other files: a change of one means a full pass."""
RETRY_S = (0.5, 2.0, 5.0, 15.0, 60.0)
GIT_MOVED = "git moved"
"""The reason of a pass after git moved in this work tree; in another of its repository is none."""
WATCH_STARTED = "watch_started"
"""The doubt of the hub about what changed before it began to watch."""
WATCHED_S = 2.0
"""The first look waits so long for files to be watched."""
PERIODIC = "periodic check"
"""The reason of a pass that nothing speaks for but the time that has gone by."""
CPU_FACTOR = 2_000.0
"""A periodic pass may cost at most 1/2000 of one processor."""


class ProjectSession:
    """Keeps the view of one project equal to its directory."""

    def __init__(self, entry: ProjectEntry, parts: SessionParts) -> None:
        self.entry = entry
        self.root = Path(entry.path)
        self._place = ProjectPlace(self.root)
        self._parts = parts
        self._rules = ProjectRules(entry, parts.index, parts.clock, parts.on_group)
        self._project_id = 0
        self._repo: RepoId | None = None
        self._generation = 0
        self._head = Head()
        self._state = ProjectState.INDEXING
        self._reason = "opening"
        self._dirty: set[str] = set()
        self._full_reason: str | None = "start"
        self._git_moved = False
        self._looking = ""
        self._paranoid = False
        self._wake = asyncio.Event()
        self._asked = 0
        self._verified_no = 0
        self._settled = asyncio.Condition()
        self._checked_at: float | None = None
        self._pass: Pass | None = None
        self._next_full = 0.0
        self._failures = 0
        self._first_pass_done = False
        self._directories: frozenset[str] = frozenset()

    def adopt(self, row: ProjectRow) -> None:
        """Answer from what the catalog knows until the first pass has checked it."""
        self._project_id, self._repo, self._generation = row.id, row.repo, row.generation
        self._head, self._checked_at = row.head, row.checked_at

    # ------------------------------------------------------------------ what others may do

    @property
    def name(self) -> ProjectName:
        """The project's name."""
        return self.entry.name

    @property
    def project_id(self) -> int:
        """The catalog's number of the project; 0 until opened."""
        return self._project_id

    @property
    def warnings(self) -> tuple[str, ...]:
        """What in the project's own file does nothing, in words."""
        return self._rules.warnings

    @property
    def checkout(self) -> Checkout | None:
        """What git says of the root; None until it was looked at."""
        return self._place.checkout

    def snapshot(self) -> Snapshot:
        """Return what is known now."""
        running = self._pass
        waiting = running.waiting if running is not None else frozenset()
        # A directory among them is a doubt: something below it may have changed.
        changed = self._dirty - self._directories
        pending = len(changed | waiting)
        state, reason = self._state, self._reason
        if pending and state is ProjectState.READY:
            state, reason = ProjectState.INDEXING, "files have changed"
        return Snapshot(
            project_id=self._project_id,
            repo=self._repo,
            state=state,
            reason=reason,
            generation=self._generation,
            head=self._head,
            pending=pending,
            checked_at=self._checked_at,
            progress=running.progress() if running is not None else None,
            dirty=self._is_due or bool(waiting or self._looking),
            first=not self._first_pass_done,
        )

    def freshness(self, *, verified: bool = False) -> Freshness:
        """Say what an answer given now reflects.

        `verified` says that a stat walk has finished after the question was asked; what changed
        later than that is not part of the question.
        """
        now = self.snapshot()
        state, reason = FreshnessState.CURRENT, ""
        if self._state not in (ProjectState.READY, ProjectState.DEGRADED):
            state, reason = FreshnessState.STALE, now.reason or now.state.value
        elif verified:
            state = FreshnessState.VERIFIED
        elif now.dirty:
            state = FreshnessState.STALE
            moved = GIT_MOVED if self._git_moved else "changes pending"
            reason = in_words(self._full_reason or self._looking or moved)
        elif (watching := self._parts.hub.health(self.name)) != "events":
            state, reason = FreshnessState.STALE, self._age_when(watching)
        return Freshness(
            project=self.name,
            generation=now.generation,
            head=now.head.commit,
            state=state,
            reason=reason,
            pending=now.pending,
            checked_at=now.checked_at,
            branch=now.head.branch,
        )

    def _age_when(self, watching: str) -> str:
        """Say how old the last check is, which counts where no event tells of a change."""
        checked = self._checked_at
        age = "never" if checked is None else f"{self._parts.clock.now() - checked:.0f} s ago"
        return f"{watching}; last checked {age}"

    def offer(self, batch: ChangeBatch) -> None:
        """Take note of what may have changed; never waits."""
        if batch.doubt is not None:
            self._full_reason = self._full_reason or batch.doubt
        self._git_moved = self._git_moved or batch.head
        if any(Path(path).name in RULE_FILES for path in batch.paths):
            self._full_reason = self._full_reason or "ignore rules changed"
        self._dirty.update(batch.paths)
        if len(self._dirty) > MAX_DIRTY:
            self._dirty.clear()
            self._full_reason = self._full_reason or "many changes"
        if batch.paths:
            self._parts.warm()
        self._wake.set()

    def expect_files(self) -> None:
        """Have the processes started that read files: many will come soon."""
        self._parts.warm()

    def reindex(self, depth: Depth) -> None:
        """Ask for a full pass; with Depth.FULL every file is read whatever its stat says."""
        self._paranoid = self._paranoid or depth is Depth.FULL
        self._full_reason = self._full_reason or "reindex asked for"
        self._wake.set()

    def recover(self, reason: str) -> None:
        """Forget what was under way after a defect; everything is looked at again."""
        self._pass = None
        self._place.forget()
        self._project_id = 0
        self._first_pass_done = False
        self._full_reason = reason
        self._set_state(ProjectState.ERROR, reason)

    async def verify(self) -> None:
        """Wait for a full pass that began after this call."""
        self._asked += 1
        ticket = self._asked
        self._full_reason = self._full_reason or "asked to verify"
        self._wake.set()
        async with self._settled:
            await self._settled.wait_for(lambda: self._verified_no >= ticket)

    async def flush(self) -> None:
        """Verify, then wait until nothing is known to be pending."""
        await self.verify()
        async with self._settled:
            await self._settled.wait_for(lambda: not self._is_due)

    # ------------------------------------------------------------------ the task

    async def run(self) -> None:
        """Keep the view equal to disk until cancelled."""
        try:
            while True:
                await self._wait_for_work()
                if len(self._dirty) >= MANY_DIRTY:
                    # Half of a branch shown now would only hold up the whole.
                    await self._place.until_git_rests(self._parts.clock)
                started = self._parts.clock.monotonic()
                await self._attempt()
                await self._fold(started)
        finally:
            self._parts.hub.unwatch(self.name)

    async def _wait_for_work(self) -> None:
        while not self._is_due:
            left = self._next_full - self._parts.clock.monotonic()
            if left <= 0:
                self._full_reason = PERIODIC
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._wake.wait()
            self._wake.clear()

    async def _fold(self, started: float) -> None:
        """Act on the first event at once; later ones wait until `fold_ms` have passed."""
        left = self._parts.watch.fold_ms / 1000 - (self._parts.clock.monotonic() - started)
        if left > 0 and not self._waiting_for_flush:
            self._wake.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    while not self._waiting_for_flush:
                        await self._wake.wait()
                        self._wake.clear()

    @property
    def _is_due(self) -> bool:
        """Whether there is anything to look at."""
        return bool(self._dirty or self._full_reason or self._git_moved)

    @property
    def _waiting_for_flush(self) -> bool:
        return self._asked > self._verified_no

    async def _attempt(self) -> None:
        full, dirty, paranoid = self._full_reason, frozenset(self._dirty), self._paranoid
        asked, moved = self._asked, self._git_moved
        self._full_reason, self._paranoid, self._git_moved = None, False, False
        self._dirty.clear()
        # What speaks for this attempt holds until it has looked.
        unsure = full or (GIT_MOVED if moved else "changes pending")
        self._looking = unsure if full != PERIODIC else ""
        try:
            if await self._ensure_open():
                doubted = moved or len(dirty) >= MANY_DIRTY
                if doubted and full is None and not await self._has_git_stayed():
                    full = GIT_MOVED
                if full is not None or not self._first_pass_done:
                    await self._full_pass(asked, paranoid=paranoid)
                elif dirty:
                    await self._small_pass(dirty)
                self._tell_history()
                log.debug("looked", project=self.name, because=full, paths=len(dirty), git=moved)
            self._failures = 0
        except PaparatsError as error:
            self._full_reason = full or "the last attempt failed"
            self._paranoid = paranoid
            await self._fail(error)
        finally:
            self._looking = ""
        async with self._settled:
            self._settled.notify_all()

    async def _has_git_stayed(self) -> bool:
        """Whether it was another work tree in which git moved, and files are told of by events."""
        watching = self._parts.hub.health(self.name)
        return watching == "events" and await self._place.is_as_shown()

    def _tell_history(self, *, settled: bool = True) -> None:
        """Say where the project is now, once it shows all of its files.

        Not `settled`: the head alone has moved, so that its commits are read while files are.
        """
        checkout = self.checkout
        if not self._first_pass_done or self._repo is None or checkout is None:
            return
        self._parts.history.follow(
            Followed(
                project_id=self._project_id,
                name=self.name,
                repo=self._repo,
                root=str(self.root),
                git=checkout.git,
                generation=self._generation,
                head=self._head.commit,
                branch=self._head.branch,
                patterns=self._rules.ticket_patterns,
                jira=self._rules.jira,
                settled=settled,
                stamp=own_files_stamp(checkout.work_tree or checkout.root, checkout.common_dir),
            )
        )

    async def _fail(self, error: PaparatsError) -> None:
        self._pass = None
        paused = isinstance(error, Unavailable)
        self._set_state(ProjectState.PAUSED if paused else ProjectState.ERROR, str(error))
        log.warning("project_failed", project=self.name, error=str(error), code=error.code)
        wait = RETRY_S[min(self._failures, len(RETRY_S) - 1)]
        self._failures += 1
        await self._parts.clock.sleep(wait)

    # ------------------------------------------------------------------ opening

    async def _ensure_open(self) -> bool:
        """Locate the checkout; False while the root is missing."""
        reason = await asyncio.to_thread(
            self._place.why_missing, self._repo if self._generation else None
        )
        if reason:
            # The index is kept: an unmounted disk or a renamed folder may come back.
            self._set_state(ProjectState.MISSING, reason)
            self._place.forget()
            self._first_pass_done = False
            self._next_full = self._parts.clock.monotonic() + self._parts.watch.poll_s
            self._verified_no = self._asked
            return False
        if await self._place.refresh() or self._project_id == 0:
            await self._open()
        return True

    async def _open(self) -> None:
        checkout = self._place.checkout
        lineage = await repo.lineage(checkout) if checkout is not None and checkout.git else None
        row = await self._parts.ledger.open_project(self.entry, lineage)
        self._project_id, self._repo, self._head = row.id, row.repo, row.head
        shard = self._parts.builder_of(row.repo).shard
        self._generation = await self._parts.ledger.renew(row.id, shard)
        self._set_state(ProjectState.INDEXING, "checking files")

    # ------------------------------------------------------------------ passes

    async def _full_pass(self, asked: int, *, paranoid: bool) -> None:
        checkout = self._place.checkout
        if checkout is None:
            raise Unavailable(f"{self.root} cannot be opened")
        signature = await self._place.signature()
        self._place.note_shown(None)
        await self._read_head(checkout)
        began, began_wall = time.process_time(), self._parts.clock.now()
        rules = await self._rules.read()
        if rules is None:
            self._hold(checkout, asked)
            return
        listing = await walk.list_tree(checkout, rules)
        self._watch(checkout, listing.directories)
        if not self._first_pass_done and await self._parts.hub.covers(self.name, WATCHED_S):
            # What changed before it was watched shows when files are listed once more: that is
            # cheaper than to read all twice, as is due when they have only just been written.
            self._full_reason = None if self._full_reason == WATCH_STARTED else self._full_reason
            listing = await walk.list_tree(checkout, rules)
        known = await self._parts.ledger.known(self._project_id)
        if not await self._run_pass(PassInput(known, listing, paranoid=paranoid)):
            return
        self._first_pass_done = True
        self._place.note_shown(signature)
        self._checked_at = began_wall
        cost = time.process_time() - began
        wait = max(self._parts.index.reconcile_min_s, CPU_FACTOR * cost)
        self._next_full = self._parts.clock.monotonic() + wait
        self._verified_no = max(self._verified_no, asked)

    def _hold(self, checkout: Checkout, asked: int) -> None:
        """Leave the view as it is while nobody can say what belongs into it."""
        self._watch(checkout, frozenset({""}))
        self._set_state(ProjectState.ERROR, self._rules.problem)
        self._next_full = self._parts.clock.monotonic() + self._parts.watch.poll_s
        self._verified_no = max(self._verified_no, asked)

    async def _small_pass(self, dirty: frozenset[str]) -> None:
        checkout, rules = self.checkout, self._rules.selection
        if checkout is None or rules is None:
            return
        listing = await walk.list_paths(checkout, rules, sorted(dirty))
        known = await self._parts.ledger.known(self._project_id, sorted(dirty))
        if not listing.directories <= self._directories:
            self._watch(checkout, self._directories | listing.directories)
        await self._run_pass(PassInput(known, listing))

    def _watch(self, checkout: Checkout, directories: frozenset[str]) -> None:
        self._directories = directories
        git_paths = repo.git_watch_paths(checkout) if checkout.git else ()
        self._parts.hub.watch(self.name, self.root, directories, git_paths)

    async def _run_pass(self, given: PassInput) -> bool:
        """Make the index equal to a listing; False when that would be wrong."""
        if self._repo is None or self.checkout is None:
            return False
        if not given.listing.files and given.known.view and not await self._ensure_open():
            return False  # the root went away while it was listed
        running = Pass(
            project_id=self._project_id,
            root=self.root,
            builder=self._parts.builder_of(self._repo),
            ledger=self._parts.ledger,
            clock=self._parts.clock,
            head=self._head,
            on_commit=self._committed,
        )
        self._pass = running
        if not self._first_pass_done:
            reason = "checking files after the start" if self._generation else "first index"
            self._set_state(ProjectState.INDEXING, reason)
        try:
            await running.run(given)
        finally:
            self._pass = None
        if running.vanished:
            self.offer(ChangeBatch(paths=frozenset(running.vanished)))
        self._set_state(*self._quiet_state())
        return True

    def _quiet_state(self) -> tuple[ProjectState, str]:
        problem = self._rules.problem
        if self.checkout is not None and self.checkout.problem:
            problem = self.checkout.problem
        return (ProjectState.DEGRADED, problem) if problem else (ProjectState.READY, "")

    def _committed(self, generation: int) -> None:
        if generation != self._generation:
            self._parts.on_change(self.entry.group)
        self._generation = generation
        running = self._pass
        fields = {} if running is None else {"remaining": running.remaining}
        self._parts.broadcaster.send(
            "generation", project=self.name, generation=generation, **fields
        )

    async def _read_head(self, checkout: Checkout) -> None:
        head = await repo.read_head(checkout) if checkout.git else Head()
        if head != self._head:
            self._head = head
            self._tell_history(settled=False)
            await self._parts.ledger.set_head(self._project_id, head)

    def _set_state(self, state: ProjectState, reason: str) -> None:
        if (state, reason) == (self._state, self._reason):
            return
        self._state, self._reason = state, reason
        self._parts.broadcaster.send("state", project=self.name, state=state.value, reason=reason)
