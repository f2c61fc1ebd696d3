"""The task that owns one project: what it watches, what is due, and its view.

Nobody else writes a project's view. Others offer change batches, ask for a pass, or read the
frozen snapshot.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from paparatsd.due import GIT_MOVED, Due
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
from paparatsd.project_rules import ProjectRules, warn_of_labels
from paparatsd.session_parts import Snapshot, age_when
from paparatsd.sources import repo, walk

if TYPE_CHECKING:
    from paparatsd.due import Look
    from paparatsd.model import ProjectEntry, ProjectName, RepoId
    from paparatsd.place_labels import ProjectLabels
    from paparatsd.session_parts import SessionParts
    from paparatsd.sources.repo import Checkout
    from paparatsd.store.rows import ProjectRow

log = structlog.get_logger()

MANY_DIRTY = 20
"""So many at once are the work of a program; if it is git, it is let finish."""
RETRY_S = (0.5, 2.0, 5.0, 15.0, 60.0)
WATCH_STARTED = "watch_started"
"""The doubt of the hub about what changed before it began to watch."""
WATCHED_S = 2.0
"""The first look waits so long for files to be watched."""
CPU_FACTOR = 2_000.0
"""A periodic pass may cost at most 1/2000 of one processor."""


class ProjectSession:
    """Keeps the view of one project equal to its directory."""

    def __init__(self, entry: ProjectEntry, parts: SessionParts) -> None:
        self.entry = entry
        self.root = Path(entry.path)
        self._place = ProjectPlace(self.root, plain=entry.pushed)
        self._parts = parts
        self._rules = ProjectRules(entry, parts.index, parts.clock, parts.on_group)
        self._project_id = 0
        self._repo: RepoId | None = None
        self._generation = 0
        self._head = Head()
        self._state = ProjectState.INDEXING
        self._reason = "opening"
        self._due = Due(parts.clock)
        self._checked_at: float | None = None
        self._pass: Pass | None = None
        self._failures = 0
        self._first_pass_done = False
        self._was_whole = False
        self._directories: frozenset[str] = frozenset()
        self._label_warnings: tuple[str, ...] = ()

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
        """What in the project's own file and in its documents does nothing, in words."""
        return (*self._rules.warnings, *self._label_warnings)

    @property
    def watching(self) -> str:
        """How changes are noticed: see `WatchHub.health`."""
        return self._parts.hub.health(self.name)

    @property
    def checkout(self) -> Checkout | None:
        """What git says of the root; None until it was looked at."""
        return self._place.checkout

    def snapshot(self) -> Snapshot:
        """Return what is known now."""
        running = self._pass
        waiting = running.waiting if running is not None else frozenset()
        # A directory among them is a doubt: something below it may have changed.
        changed = self._due.paths - self._directories
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
            dirty=bool(self._due or waiting or self._due.is_under_way),
            first=not (self._first_pass_done or self._was_whole),
            docs_kind=self._rules.docs_kind,
            docs_audience=self._rules.docs_audience,
        )

    @property
    def labels(self) -> ProjectLabels:
        """What the project's own file calls it and its parts."""
        return self._rules.labels

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
            state, reason = FreshnessState.STALE, self._due.reason
        elif (watching := self._parts.hub.health(self.name)) != "events":
            state, reason = (
                FreshnessState.STALE,
                age_when(watching, self._checked_at, self._parts.clock.now()),
            )
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

    def offer(self, batch: ChangeBatch) -> None:
        """Take note of what may have changed; never waits."""
        self._due.offer(batch)
        if batch.paths:
            self._parts.warm()

    def doubt_model(self) -> None:
        """Have everything compared: another embedding model answers now."""
        self.offer(ChangeBatch(doubt="the embedding model was changed"))

    def expect_files(self) -> None:
        """Have the processes started that read files: many will come soon."""
        self._parts.warm()

    def reindex(self, depth: Depth) -> None:
        """Ask for a full pass; with Depth.FULL every file is read whatever its stat says."""
        self._due.ask("reindex asked for", paranoid=depth is Depth.FULL)

    def recover(self, reason: str) -> None:
        """Forget what was under way after a defect; everything is looked at again."""
        self._pass = None
        self._place.forget()
        self._project_id = 0
        self._first_pass_done = False
        self._due.begin_anew(reason)
        self._set_state(ProjectState.ERROR, reason)

    async def end(self, reason: PaparatsError) -> None:
        """Let everybody go who waits, with this error: the task has ended for good."""
        await self._due.end(reason)

    async def verify(self) -> None:
        """Wait for a full pass that began after this call."""
        await self._due.verified()

    async def settle(self) -> None:
        """Wait until nothing that is known of is pending."""
        await self._due.all_done()

    async def flush(self) -> None:
        """Verify, then wait until nothing is known to be pending."""
        await self.verify()
        await self._due.nothing()

    # ------------------------------------------------------------------ the task

    async def run(self) -> None:
        """Keep the view equal to disk until cancelled."""
        try:
            while True:
                await self._due.wait()
                if len(self._due.paths) >= MANY_DIRTY:
                    # Half of a branch shown now would only hold up the whole.
                    await self._place.until_git_rests(self._parts.clock)
                started = self._parts.clock.monotonic()
                await self._attempt()
                await self._fold(started)
        finally:
            self._parts.hub.unwatch(self.name)

    async def _fold(self, started: float) -> None:
        """Act on the first event at once; later ones wait until `fold_ms` have passed."""
        left = self._parts.watch.fold_ms / 1000 - (self._parts.clock.monotonic() - started)
        await self._due.fold(left)

    async def _attempt(self) -> None:
        look = self._due.take()
        try:
            if await self._ensure_open():
                full, doubted = look.full, look.moved or len(look.paths) >= MANY_DIRTY
                if doubted and full is None and not await self._has_git_stayed():
                    full = GIT_MOVED
                if full is not None or not self._first_pass_done:
                    await self._full_pass(look)
                elif look.paths:
                    await self._small_pass(look.paths)
                self._tell_history()
                self._note_looked(look, full)
            self._failures = 0
        except PaparatsError as error:
            self._due.give_back(look)
            await self._fail(error)
        finally:
            await self._due.rest()

    def _note_looked(self, look: Look, full: str | None) -> None:
        log.debug("looked", project=self.name, because=full, paths=len(look.paths), git=look.moved)

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
                wanted=self._rules.history,
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
        indexed_as = self._repo if self._generation else None
        reason = await asyncio.to_thread(self._place.why_missing, indexed_as)
        there = bool(reason) and self.root.exists()
        if there:
            # A clone may have been put in place between the two looks.
            reason = await asyncio.to_thread(self._place.why_missing, indexed_as)
        if reason:
            # The index is kept: an unmounted disk or a renamed folder may come back.
            told = None if there else self._absence()
            self._set_state(*(told or (ProjectState.MISSING, reason)))
            self._place.forget()
            self._first_pass_done = False
            self._due.plan(self._parts.watch.poll_s)
            self._due.answer()
            return False
        if await self._place.refresh() or self._project_id == 0:
            await self._open()
        return True

    def _absence(self) -> tuple[ProjectState, str] | None:
        """Return what is known better of a root that is not there than just that."""
        told = self._parts.absence(self.name)
        if told is None and self.entry.remote is not None:
            # It is on the list a moment before somebody follows it.
            return ProjectState.INDEXING, f"to be cloned from {self.entry.remote.url}"
        return told

    async def _open(self) -> None:
        checkout = self._place.checkout
        lineage = await repo.lineage(checkout) if checkout is not None and checkout.git else None
        row = await self._parts.ledger.open_project(self.entry, lineage)
        self._project_id, self._repo, self._head = row.id, row.repo, row.head
        builder = self._parts.builder_of(row.repo)
        await self._parts.prepare(builder)
        current = builder.pipeline.fingerprint
        self._generation = await self._parts.ledger.renew(row.id, builder.shard, current)
        self._was_whole = await self._parts.ledger.is_whole(row.id)
        self._set_state(ProjectState.INDEXING, "checking files")

    # ------------------------------------------------------------------ passes

    async def _full_pass(self, look: Look) -> None:
        checkout = self._place.checkout
        if checkout is None:
            raise Unavailable(f"{self.root} cannot be opened")
        signature = await self._place.signature()
        self._place.note_shown(None)
        await self._read_head(checkout)
        began, began_wall = time.process_time(), self._parts.clock.now()
        rules = await self._rules.read()
        if rules is None:
            self._hold(checkout, look)
            return
        listing = await walk.list_tree(checkout, rules)
        self._watch(checkout, listing.directories)
        if not self._first_pass_done and await self._parts.hub.covers(self.name, WATCHED_S):
            # What changed before it was watched shows when files are listed once more: that is
            # cheaper than to read all twice, as is due when they have only just been written.
            self._due.drop(WATCH_STARTED)
            listing = await walk.list_tree(checkout, rules)
        known = await self._parts.ledger.known(self._project_id)
        # What is built now costs nothing the next time, when it is only compared.
        cost = time.process_time() - began
        if not await self._run_pass(PassInput(known, listing, paranoid=look.paranoid)):
            return
        self._first_pass_done = True
        if not self._was_whole:
            await self._parts.ledger.note_whole(self._project_id, began_wall)
            self._was_whole = True
        self._place.note_shown(signature)
        self._checked_at = began_wall
        self._due.plan(max(self._parts.index.reconcile_min_s, CPU_FACTOR * cost))
        self._due.answer(look.ticket)

    def _hold(self, checkout: Checkout, look: Look) -> None:
        """Leave the view as it is while nobody can say what belongs into it."""
        self._watch(checkout, frozenset({""}))
        self._set_state(ProjectState.ERROR, self._rules.problem)
        self._due.plan(self._parts.watch.poll_s)
        self._due.answer(look.ticket)

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
        refused = await self._parts.ledger.refused_labels(self._project_id)
        self._label_warnings = warn_of_labels(refused)
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
