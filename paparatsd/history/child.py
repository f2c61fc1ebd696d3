"""The history process: `python -m paparatsd.history.child STATE_FILE CATALOG FD`.

The only writer and reader of the history file. It does its work in small pieces when it is asked
to, so that questions are answered in between; it ends when the daemon's end of the pipe closes.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from paparatsd import ipc
from paparatsd.chunks.terms import STOP, TERMS_VERSION, stem, tokens
from paparatsd.errors import StateCorrupt, StateUnwritable, Unavailable
from paparatsd.history.answers import Answers
from paparatsd.history.followed import Found, Report
from paparatsd.history.merging import merged
from paparatsd.history.repository import RepoHistory
from paparatsd.store.history import HistoryStore
from paparatsd.store.history_rows import Rewrite, Words
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from paparatsd.history.followed import Asked, Followed, Lines, PlaceLog
    from paparatsd.history_model import FoundCommit, LastChange
    from paparatsd.model import CommitId, RepoId

log = structlog.get_logger()

MEMORY_BYTES = 4 << 30
WORK_S = 0.03
"""How long one request to work on may hold up others, but for a piece that takes longer."""
NICE = 5
"""Questions go first, but those about history are answered here."""
MAX_PASTS_BYTES = 1 << 30
KEEP_PASTS_S = 60 * 86_400.0
COLLECT_S = 3_600.0
"""Between two looks at what could be let go."""
GRACE_S = 30 * 86_400.0
"""How long commits that no head reaches are kept, as git keeps them for its reflog."""


class Server:
    """Turns requests into work on repositories and into answers about projects."""

    def __init__(self, history: Path, catalog: Path) -> None:
        self._path = history
        self._catalog = catalog
        self._store: HistoryStore | None = None
        self._reader: CatalogReader | None = None
        self._repos: dict[RepoId, RepoHistory] = {}
        self._projects: dict[int, RepoId] = {}
        self._runner = asyncio.Runner()
        self._collect_at = time.monotonic() + COLLECT_S
        self._to_collect: list[RepoHistory] | None = None

    def handle(self, operation: str, argument: Any, note: Callable[[Any], None]) -> Any:  # noqa: ANN401 - frames carry any value
        """Serve one request of the daemon."""
        del note
        known: dict[str, Callable[..., Any]] = {
            "follow": self.follow,
            "forget": self.forget,
            "keep": self.keep,
            "work": self.work,
            "rewritten": self.rewritten,
            "log": self.log,
            "last_changes": self.last_changes,
            "touched": self.touched,
            "allow": self.allow,
            "find": self.find,
            "ping": lambda: "pong",
        }
        if operation not in known:
            raise ValueError(f"unknown operation {operation!r}")
        return known[operation](*argument)

    # ------------------------------------------------------------------ following

    def follow(self, followed: Followed) -> None:
        """Take note of a project, or of where it is now."""
        before = self._projects.get(followed.project_id)
        if before is not None and before != followed.repo:
            self._repos[before].forget(followed.project_id)
        self._projects[followed.project_id] = followed.repo
        repo = self._repos.get(followed.repo)
        if repo is None:
            repo = self._repos[followed.repo] = RepoHistory(
                self.store(), self.reader(), followed.repo
            )
        repo.follow(followed)

    def forget(self, project_id: int) -> None:
        """Drop a project; what only it had goes with `keep`."""
        repo = self._projects.pop(project_id, None)
        if repo is not None:
            self._repos[repo].forget(project_id)

    def keep(self, repos: Iterable[RepoId]) -> None:
        """Forget everything of repositories that are not among these."""
        kept = set(repos)
        for repo in [one for one in self._repos if one not in kept]:
            self._runner.run(self._repos.pop(repo).close())
        for repo in self.store().read.repos():
            if repo not in kept:
                self.store().forget_repo(repo)

    def rewritten(
        self, repo: RepoId, pairs: Sequence[tuple[CommitId, CommitId]], kind: str
    ) -> None:
        """Note which commits took the place of which: (old, new)."""
        now = time.time()
        self.store().add_rewrites(repo, [Rewrite(old, new, kind, now) for old, new in pairs])

    def work(self, seconds: float = WORK_S) -> Report:
        """Do some of what is to be done and say what is left."""
        return self._runner.run(self._work(seconds))

    async def _work(self, seconds: float) -> Report:
        end = time.monotonic() + seconds
        busy = False
        for repo in tuple(self._repos.values()):
            more = True
            while more and time.monotonic() < end:
                more = await self._step(repo, end - time.monotonic())
            busy = busy or more
        if not busy:
            busy = self._tidy()
        status = {
            project_id: one
            for repo in self._repos.values()
            for project_id, one in repo.status().items()
        }
        waits = [one.again_s for one in self._repos.values() if one.again_s is not None]
        return Report(busy, status, min(waits, default=None))

    async def _step(self, repo: RepoHistory, seconds: float) -> bool:
        """Do a piece of one repository; a defect that it brings out must not stop the others."""
        try:
            return await repo.step(seconds)
        except (StateCorrupt, StateUnwritable):
            raise
        except Exception as error:  # the border between repositories
            log.exception("history_step_failed", repo=repo.facts.repo)
            repo.fail(f"{type(error).__name__}: {error}")
            return False

    def _tidy(self) -> bool:
        """Do a piece of what can wait; False when there is nothing."""
        store = self.store()
        if store.index_missing() or store.purge():
            return True
        now = time.monotonic()
        if now < self._collect_at:
            return False
        if self._to_collect is None:
            self._to_collect = list(self._repos.values())
        if self._to_collect:
            self._to_collect.pop().collect(GRACE_S)
            return True
        if store.collect_pasts(KEEP_PASTS_S, MAX_PASTS_BYTES):
            return True
        self._collect_at, self._to_collect = now + COLLECT_S, None
        return False

    # ------------------------------------------------------------------ asking

    def log(self, lines: Lines, limit: int) -> PlaceLog:
        """Return the history of some lines."""
        return self._runner.run(self._answers(lines.project_id).log(lines, limit))

    def last_changes(self, places: Sequence[Lines]) -> list[LastChange | None]:
        """Return the newest commit of each place; None where no history is kept."""
        return [
            self._runner.run(self._answers(one.project_id).last_change(one))
            if one.project_id in self._projects
            else None
            for one in places
        ]

    def touched(self, places: Sequence[tuple[int, str]]) -> list[float | None]:
        """Return when the newest commit of each (project, path) was made, None if unknown."""
        paths: dict[int, list[str]] = {}
        for project_id, path in places:
            if project_id in self._projects:
                paths.setdefault(project_id, []).append(path)
        told = {
            (project_id, path): moment
            for project_id, wanted in paths.items()
            for path, moment in zip(wanted, self._answers(project_id).touched(wanted), strict=True)
        }
        return [told.get((project_id, path)) for project_id, path in places]

    def allow(self, projects: Sequence[int], asked: Asked) -> dict[int, dict[int, frozenset[int]]]:
        """Return by project the chunks that a filter lets through: numbers by version."""
        return {
            project_id: self._answers(project_id).allow(asked)
            if project_id in self._projects
            else {}
            for project_id in projects
        }

    def find(
        self,
        projects: Sequence[int],
        query: str,
        asked: Asked,
        paths: tuple[str, ...],
        limit: int,
        merges: bool,
    ) -> Found:
        """Return the best or newest commits of several projects, each once, and how many."""
        parts = [
            (
                self._projects[one],
                self._answers(one).find(query, asked, paths, limit, merges=merges),
            )
            for one in projects
            if one in self._projects
        ]
        if any(part.named for _, part in parts):
            parts = [(repo, part) for repo, part in parts if part.named]
        best: dict[CommitId, FoundCommit] = {}
        totals: dict[RepoId, int] = {}
        for repo, part in parts:
            # Work trees of one repository have most commits in common.
            totals[repo] = max(totals.get(repo, 0), part.total)
            for one in part.commits:
                known = best.setdefault(one.commit.id, one)
                if (one.places_total, one.score) > (known.places_total, known.score):
                    best[one.commit.id] = one
        lists = [part.commits for _, part in parts]
        notes = [note for _, part in parts for note in part.notes]
        order = merged(
            lists, lambda one: (one.score, one.commit.committed.seconds), lambda one: one.commit.id
        )
        shown = tuple(best[one.commit.id] for one in order[:limit])
        return Found(shown, sum(totals.values()), tuple(dict.fromkeys(notes)))

    def _answers(self, project_id: int) -> Answers:
        repo = self._repos.get(self._projects.get(project_id, ""))  # type: ignore[call-overload]
        if repo is None:
            raise Unavailable("the history of this project is not known yet; try again in a moment")
        project = repo.projects[project_id]
        # A name that was corrected shows at once, before anybody has told us of it.
        self._runner.run(repo.read_wording_again(project))
        return Answers(repo, project, self.reader())

    def close(self) -> None:
        """Give up what is under way and close the files in order."""
        for repo in self._repos.values():
            self._runner.run(repo.close())
        self._runner.close()
        for file in (self._store, self._reader):
            if file is not None:
                file.close()

    # ------------------------------------------------------------------ files

    def store(self) -> HistoryStore:
        """Return the history file, opened on first use."""
        if self._store is None:
            self._store = HistoryStore.open(
                self._path, Words(TERMS_VERSION, tokens, frozenset(map(stem, STOP)))
            )
        return self._store

    def reader(self) -> CatalogReader:
        """Return the catalog, opened on first use."""
        if self._reader is None:
            self._reader = CatalogReader(self._catalog)
        return self._reader


def main() -> None:
    """Serve the daemon until its end of the pipe closes."""
    ipc.lower_priority(NICE)
    server = Server(Path(sys.argv[1]), Path(sys.argv[2]))
    ipc.limit_memory(MEMORY_BYTES)
    ipc.serve_child(server.handle)


if __name__ == "__main__":
    main()
