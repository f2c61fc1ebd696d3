"""The history of one repository: read from git a piece at a time, for all projects that show it."""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import GitFailed
from paparatsd.history.ancestry import existing_commits, list_commits
from paparatsd.history.facts import StoredFacts
from paparatsd.history.project import ProjectHistory
from paparatsd.history.reachable import reachable_from
from paparatsd.history.scan import scan_commits
from paparatsd.history.shape import shape_of
from paparatsd.history.trouble import NO_TROUBLE, Trouble
from paparatsd.history.wording import read_wording, wording_sources
from paparatsd.history_model import HistoryState, HistoryStatus
from paparatsd.sources import repo as places

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from paparatsd.history.followed import Followed
    from paparatsd.model import CommitId, RepoId
    from paparatsd.sources.git import GitContext
    from paparatsd.store.history import HistoryStore
    from paparatsd.store.reader import CatalogReader

log = structlog.get_logger()

FACTS_AT_ONCE = 1_000
AGAIN_S = (0.0, 1.0, 10.0, 60.0, 600.0, 3_600.0)
"""How long to wait after the n-th failure of git in a row."""
_LONGEST_S = 86_400.0


class RepoHistory:
    """Facts of one repository, and its projects. Work is done in pieces by `step`."""

    def __init__(self, store: HistoryStore, reader: CatalogReader, repo: RepoId) -> None:
        self.projects: dict[int, ProjectHistory] = {}
        self.facts = StoredFacts(store, repo)
        self._reader = reader
        self._work: AsyncGenerator[None, None] | None = None
        self._piece: asyncio.Future[None] | None = None
        self._is_stale = False
        self._problem = NO_TROUBLE
        self._failed = NO_TROUBLE
        self._lost = NO_TROUBLE
        self._depth = ""
        self._failures = 0
        self._again_at: float | None = None

    def follow(self, followed: Followed) -> None:
        """Take note of a project or of where it is now; the work is done by `step`."""
        known = self.projects.get(followed.project_id)
        if known is None or known.followed.root != followed.root:
            known = ProjectHistory(followed, self.facts, self._reader)
            self.projects[followed.project_id] = known
        elif known.followed != followed:
            known.followed = followed
        self._is_stale = True

    def forget(self, project_id: int) -> None:
        """Drop a project; what its repository has stays for the others, who may ask git now."""
        if self.projects.pop(project_id, None) is not None:
            self._is_stale = True

    def status(self) -> dict[int, HistoryStatus]:
        """Return how far each project is."""
        counts = self.facts.counts()
        left = counts.commits - counts.facts - len(self.facts.unreadable)
        return {
            project_id: self._status_of(project, counts.facts, max(0, left))
            for project_id, project in self.projects.items()
        }

    def _status_of(self, project: ProjectHistory, commits: int, left: int) -> HistoryStatus:
        followed = project.followed
        if not followed.git or followed.head is None:
            reason = "no commit yet" if followed.git else "not a git repository"
            if not followed.wanted:
                reason = "metadata.git.enabled is false in its .paparats.yml or projects.yml"
            return HistoryStatus(HistoryState.NONE, 0, 0, reason)
        troubles = (self._problem, self._failed, self._lost)
        reason = next((one.told_to(project) for one in troubles if one), "") or project.problem
        if project.head() is None and self._problem:
            return HistoryStatus(HistoryState.BROKEN, commits, 0, reason)
        if left or project.head() is None:
            return HistoryStatus(HistoryState.SCANNING, commits, left, reason)
        if not project.is_mapped:
            return HistoryStatus(HistoryState.MAPPING, commits, project.pending, reason)
        if self._depth or reason:
            reason = reason or "history ends where the clone is shallow"
            return HistoryStatus(HistoryState.LIMITED, commits, 0, reason)
        return HistoryStatus(HistoryState.READY, commits)

    async def step(self, seconds: float = math.inf) -> bool:
        """Do a small piece of what is to be done; False when there is nothing.

        A piece that waits for git longer than `seconds` is gone on with by the next step.
        """
        if self._work is None:
            if self._is_due():
                self._failed = NO_TROUBLE
                self.facts.unreadable.clear()
            elif not self._is_stale:
                return False
            self._work = self._run()
        try:
            if not await self._is_advanced(self._work, seconds):
                return True
        except StopAsyncIteration:
            self._work = None
            self._plan_again()
        except GitFailed as error:
            self._note_problem(error, None)
            self._work = None
            self._plan_again()
        except BaseException:
            # A generator that has raised is at its end, but what it was to do is not done.
            self._work, self._is_stale = None, True
            raise
        return self._work is not None or self._is_stale

    async def _is_advanced(self, work: AsyncGenerator[None, None], seconds: float) -> bool:
        """Go on to the end of a piece; False when it is not reached in time."""
        if self._piece is None:
            self._piece = asyncio.ensure_future(_next_piece(work))
        done, _ = await asyncio.wait({self._piece}, timeout=min(max(0.0, seconds), _LONGEST_S))
        if not done:
            return False
        piece, self._piece = self._piece, None
        piece.result()
        return True

    @property
    def again_s(self) -> float | None:
        """After how long what has failed is tried again; None where nothing has."""
        return None if self._again_at is None else max(0.0, self._again_at - time.monotonic())

    def _is_due(self) -> bool:
        return self._again_at is not None and time.monotonic() >= self._again_at

    def _plan_again(self) -> None:
        """Git that was in the middle of packing answers a moment later; a damaged one seldom."""
        if not self._problem and not self._failed:
            if self._failures > 1 and not self._is_stale:
                # What was cut off may be there now.
                for project in self.projects.values():
                    project.forget_pasts()
                self._is_stale = True
            self._failures, self._again_at = 0, None
            return
        wait_s = AGAIN_S[min(self._failures, len(AGAIN_S) - 1)]
        self._failures += 1
        self._again_at = time.monotonic() + wait_s
        self._is_stale = self._is_stale or not wait_s

    def _note_problem(self, error: GitFailed, project: ProjectHistory | None) -> None:
        log.warning("history_failed", repo=self.facts.repo, error=str(error))
        self._problem = Trouble(str(error), project)

    def fail(self, text: str) -> None:
        """Take note of what nobody foresaw; it is tried again later, as what git refuses is."""
        self._problem = Trouble(text, None)
        self._is_stale = False
        self._plan_again()

    def collect(self, grace_s: float) -> None:
        """Let go of what no project's head has reached for a while."""
        heads = [project.head() for project in self.projects.values()]
        if self._work is None and not self._is_stale and None not in heads:
            self.facts.collect([head for head in heads if head is not None], grace_s)

    async def close(self) -> None:
        """Give up what is under way."""
        piece, self._piece = self._piece, None
        if piece is not None:
            piece.cancel()
            await asyncio.wait({piece})
        work, self._work = self._work, None
        if work is not None:
            await work.aclose()

    async def _run(self) -> AsyncGenerator[None, None]:
        """Read what is missing, then map views; begins anew when something has moved."""
        self._is_stale = False
        for project in tuple(self.projects.values()):
            if project.followed.git:
                await self._look(project)
                yield
        self._problem = NO_TROUBLE
        for work in (self._learn(), self._apply_rules(), self._read_facts()):
            async with aclosing(work) as pieces:
                async for _ in pieces:
                    yield
                    if self._is_stale:
                        return
        for project in tuple(self.projects.values()):
            if not self._is_to_map(project):
                continue
            others = [one for one in self.projects.values() if one is not project]
            async with aclosing(project.map(others)) as pieces:
                async for _ in pieces:
                    yield
                    if self._is_stale:
                        return

    def _is_to_map(self, project: ProjectHistory) -> bool:
        """Whether a project needs it, and shows what is at its head: else it is told again soon."""
        is_here = project.followed.project_id in self.projects
        return is_here and project.followed.settled and not project.is_mapped

    async def _look(self, project: ProjectHistory) -> None:
        """See what git and the project's own files say now."""
        if project.checkout is None:
            project.checkout = await places.locate(Path(project.followed.root))
        await self.read_wording_again(project)

    async def read_wording_again(self, project: ProjectHistory) -> None:
        """Read what a project says of people, tickets and lines if its files are other ones."""
        checkout = project.checkout
        if checkout is None or not checkout.git:
            return
        sources = wording_sources(project.followed, checkout)
        if sources != project.wording_sources:
            before = project.wording
            project.wording = await read_wording(project.followed, checkout)
            project.wording_sources = sources
            self._is_stale |= before.ignored != project.wording.ignored

    async def _learn(self) -> AsyncGenerator[None, None]:
        """Learn which commits the heads reach, and what their parents are."""
        found = self._any_git()
        if found is not None and found.checkout is not None:
            self._depth, replaced = await asyncio.to_thread(shape_of, found.checkout)
            if self.facts.set_depth(self._depth + replaced):
                for project in self.projects.values():
                    project.forget_pasts()
        for project in tuple(self.projects.values()):
            head, checkout = project.followed.head, project.checkout
            if head is None or checkout is None or not checkout.git:
                continue
            if self.facts.is_listed(head):
                continue
            known = self.facts.known_heads()
            rows = list_commits(checkout.root, project.context, [head], known)
            try:
                async with aclosing(rows) as batches:
                    async for batch in batches:
                        self.facts.add_commits(batch)
                        yield
            except GitFailed as error:
                # What could be reached is there; the next try may reach the rest.
                self._note_problem(error, project)
            else:
                self.facts.note_listed(head)

    async def _apply_rules(self) -> AsyncGenerator[None, None]:
        """Act on what has changed in which commits are ignored and how tickets look."""
        found = self._any_git()
        if found is None:
            return
        ignored = {one for project in self.projects.values() for one in project.wording.ignored}
        if self.facts.set_ignored(frozenset(ignored)):
            for project in self.projects.values():
                project.forget_pasts()
        for _ in self.facts.read_tickets_again(found.wording):
            yield

    async def _read_facts(self) -> AsyncGenerator[None, None]:
        """Read what commits say and touch, the newest first, from whichever clone has them."""
        sources = self._sources()
        while sources and (ids := self.facts.missing(FACTS_AT_ONCE)):
            unread, failure = set(ids), NO_TROUBLE
            for source in sources:
                root, context = self._place(source)
                wanted = [one for one in ids if one in unread]
                try:
                    if len(sources) > 1:
                        wanted = await existing_commits(root, context, wanted)
                    scanning = scan_commits(root, context, wanted, is_cut=bool(self._depth))
                    async with aclosing(scanning) as batches:
                        async for batch in batches:
                            self.facts.add_facts(batch, source.wording)
                            unread -= {one.commit.id for one in batch}
                            yield
                except GitFailed as error:
                    failure = Trouble(str(error), source)
                if not unread:
                    break
            if unread and not failure:
                failure = Trouble("commits that are reached are in no clone that is here", None)
            # What git has no more of stays as it is; asking again would ask for ever.
            left = self._left_behind(unread) if failure else set()
            if failure and not left:
                log.warning("history_failed", repo=self.facts.repo, error=failure.text)
                # Facts that were read by half stay so; what could not be read is asked for again.
                self._failed, self._lost = (
                    (failure, NO_TROUBLE) if unread else (NO_TROUBLE, failure)
                )
            self._give_up(left or unread)
        for project in self.projects.values():
            project.remap_without_gaps()

    def _sources(self) -> list[ProjectHistory]:
        """Return the projects whose git can be asked, one for each clone that is there."""
        found: dict[Path, ProjectHistory] = {}
        for project in self.projects.values():
            checkout = project.checkout
            if checkout is None or not checkout.git or checkout.common_dir is None:
                continue
            if checkout.root.is_dir():
                found.setdefault(checkout.common_dir, project)
        return list(found.values())

    def _place(self, source: ProjectHistory) -> tuple[Path, GitContext]:
        checkout = source.checkout
        return (checkout.root if checkout else Path(source.followed.root)), source.context

    def _any_git(self) -> ProjectHistory | None:
        """Return a project whose git can be asked."""
        return next(iter(self._sources()), None)

    def _left_behind(self, ids: set[CommitId]) -> set[CommitId]:
        """Return those that no head reaches any more: amended since, and thrown away by git."""
        heads = [project.head() for project in self.projects.values()]
        reached = {
            number
            for head in heads
            if head is not None
            for number in reachable_from(self.facts.dag, head).tolist()
        }
        return {one for one in ids if self.facts.number(one) not in reached}

    def _give_up(self, ids: set[CommitId]) -> None:
        if ids:
            log.warning("commits_unreadable", repo=self.facts.repo, count=len(ids))
        self.facts.unreadable |= ids


async def _next_piece(work: AsyncGenerator[None, None]) -> None:
    await anext(work)
