"""The history of what one project shows: filled a file at a time, kept as a timeline."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from paparatsd.commits import Change, ChunkPast, Involvement
from paparatsd.errors import GitFailed
from paparatsd.history.committed import difference
from paparatsd.history.cut import read_tree
from paparatsd.history.lineage import first_parents_apart
from paparatsd.history.replay import DEFAULT_LIMIT, FileNow, replay
from paparatsd.history.timeline import Timeline
from paparatsd.history.trail import last_touch
from paparatsd.history.wording import Wording
from paparatsd.model import VersionId
from paparatsd.sources.git import GitContext

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Sequence

    from paparatsd.history.facts import StoredFacts
    from paparatsd.history.followed import Followed
    from paparatsd.sources.repo import Checkout
    from paparatsd.store.reader import CatalogReader

log = structlog.get_logger()

_POINTER_LINES = 3
"""Lines of what git keeps in place of content that lies elsewhere."""
READ_AT_ONCE = 200


class ProjectHistory:
    """One project, its view and where its head is in the graph."""

    def __init__(self, followed: Followed, facts: StoredFacts, reader: CatalogReader) -> None:
        self.followed = followed
        self.checkout: Checkout | None = None
        self.timeline = Timeline()
        self.pending = 0
        self.problem = ""
        self.wording = Wording()
        self.wording_sources: tuple[object, ...] = ()
        self._facts = facts
        self._reader = reader
        self._bases: dict[str, int] = {}
        self._bases_at: int | None = None
        self._mapped: tuple[object, ...] | None = None
        self._had_gaps = False
        self._cut = 0
        self._cut_at: int | None = None
        self._tree: dict[str, str] = {}

    @property
    def context(self) -> GitContext:
        """How git is to be asked of what was committed here."""
        if self.checkout is None:
            return GitContext()
        git_dir = self.checkout.git_dir
        context = self.checkout.context or GitContext()
        return replace(context, bare_dir=str(git_dir) if git_dir is not None else "")

    @property
    def is_mapped(self) -> bool:
        """Whether every chunk of the view has its history as of the head."""
        return self._mapped == self._now()

    def git_path(self, path: str) -> str:
        """Return the path from the top of the work tree, as git has it."""
        prefix = self.checkout.prefix if self.checkout is not None else ""
        return f"{prefix}/{path}" if prefix else path

    def project_path(self, path: str) -> str | None:
        """Return a path of git's as the project has it; None when it lies outside."""
        prefix = self.checkout.prefix if self.checkout is not None else ""
        if not prefix:
            return path
        return path.removeprefix(f"{prefix}/") if path.startswith(f"{prefix}/") else None

    def head(self) -> int | None:
        """Return the head's number; None where there is none that is known."""
        return self._facts.number(self.followed.head) if self.followed.head else None

    def view(self) -> dict[str, VersionId]:
        """Return what the project shows, by path."""
        paths, versions = self._reader.view_versions(self.followed.project_id)
        return dict(zip(paths, map(VersionId, versions.tolist()), strict=True))

    # ------------------------------------------------------------------ filling

    async def map(self, others: Sequence[ProjectHistory] = ()) -> AsyncGenerator[None, None]:
        """Bring the timeline in line with view and head; yields after each small piece.

        What `others` of the same repository (its worktrees) have in memory is taken from them.
        """
        now = self._now()
        self.problem = ""
        self._had_gaps = self._facts.has_gaps(self.head())
        view = self.view()
        self._take_bases(others)
        async for _ in self._find_bases(view):
            yield
        wanted = [
            (path, version, self._bases[path])
            for path, version in view.items()
            if not self._is_here(version, self._bases[path], others)
        ]
        self.pending = len(wanted)
        missing: list[tuple[str, VersionId, int]] = []
        for start in range(0, len(wanted), READ_AT_ONCE):
            some = wanted[start : start + READ_AT_ONCE]
            known = self._facts.pasts([(version, base) for _, version, base in some])
            for path, version, base in some:
                if (version, base) in known:
                    self.timeline.put(version, base, known[version, base])
                else:
                    missing.append((path, version, base))
            self.pending = len(wanted) - start - len(some) + len(missing)
            yield
        for path, version, base in missing:
            await self._fill(path, version, base)
            self.pending -= 1
            yield
        self.timeline.keep(view.values())
        self.pending = 0
        self._mapped = now

    def _take_bases(self, others: Iterable[ProjectHistory]) -> None:
        """Begin with the bases of another project that has the same paths."""
        if self._bases_at is not None:
            return
        for other in others:
            if other._bases_at is not None and other.git_path("") == self.git_path(""):
                self._bases, self._bases_at = dict(other._bases), other._bases_at
                return

    def _is_here(self, version: int, base: int, others: Iterable[ProjectHistory]) -> bool:
        """Whether the timeline has a file as seen from its base, or gets it from another's."""
        if self.timeline.base(version) == base or self.timeline.bring_back(version, base):
            return True
        for other in others:
            if other.timeline.base(version) == base:
                self.timeline.adopt(version, other.timeline)
                return True
        return False

    def remap_without_gaps(self) -> None:
        """Have what was replayed over gaps replayed again, now that there are none."""
        if self._had_gaps and not self._facts.has_gaps(self.head()):
            self._had_gaps = False
            self.forget_pasts()

    def forget_pasts(self) -> None:
        """Have everything replayed again: what is said of commits has changed, or their numbers."""
        self.timeline = Timeline()
        self._bases, self._bases_at = {}, None
        self._cut_at = None
        self._mapped = None

    def _now(self) -> tuple[object, ...]:
        return self.followed.generation, self.followed.head

    async def _find_bases(self, view: Iterable[str]) -> AsyncGenerator[None, None]:
        """Say for each path which commit made it what it is at the head; 0 for none."""
        head = self.head()
        if head is None:
            self._bases, self._bases_at = dict.fromkeys(view, 0), None
            return
        if head != self._cut_at:
            await self._find_cut(head)
        if head != self._bases_at:
            self._forget_bases(head)
        paths = list(view)
        for gone in self._bases.keys() - set(paths):
            del self._bases[gone]
        # Said at once: whoever gives up below leaves bases that are true of this head.
        self._bases_at = head
        unknown = [path for path in paths if path not in self._bases]
        for count, path in enumerate(unknown, 1):
            self._bases[path] = self._base_at(head, path)
            if count % READ_AT_ONCE == 0:
                yield

    async def _find_cut(self, head: int) -> None:
        """Learn where history ends below a head; what is older is told of by its tree alone."""
        cut, tree = self._facts.cut_below(head), {}
        if cut and self.followed.head is not None:
            try:
                tree = await read_tree(Path(self.followed.root), self.context, self.followed.head)
            except GitFailed as error:
                log.warning("history_tree_unreadable", error=str(error))
                self.problem = str(error)
        if cut != self._cut:
            self._bases, self._bases_at = {}, None
        self._cut, self._cut_at, self._tree = cut, head, tree

    def _base_at(self, head: int, path: str) -> int:
        """Return the commit that made a path what it is; where that is cut off, its place."""
        full = self.git_path(path)
        found = last_touch(self._facts, self._facts.dag, head, full)
        if found is not None:
            return found
        return self._cut if head == self._cut_at and full in self._tree else 0

    def _forget_bases(self, head: int) -> None:
        """Drop those that may differ between where they were looked up and `head`."""
        apart = None
        if self._bases_at is not None:
            apart = first_parents_apart(self._facts.dag, self._bases_at, head)
        if apart is None:
            self._bases = {}
            return
        for touched in self._facts.paths_of(apart):
            path = self.project_path(touched)
            if path is not None:
                self._bases.pop(path, None)

    async def _fill(self, path: str, version: VersionId, base: int) -> None:
        chunks = self._reader.chunks_of(version)
        ranges = [(chunk.start_line, chunk.end_line) for chunk in chunks]
        try:
            pasts = await self.trace(path, version, base, ranges)
        except GitFailed as error:
            log.warning("history_of_file_failed", path=path, error=str(error))
            self.problem = str(error)
            return
        if pasts is not None:
            self.timeline.put(version, base, pasts)
            if self._facts.is_shallow or all(past.complete for past in pasts):
                # What is missing now may be there when it is asked for again.
                self._facts.put_pasts((version, base), pasts)

    # ------------------------------------------------------------------ asking

    def base(self, path: str) -> int:
        """Return the commit that made a path what it is at the head; 0 when there is none."""
        known = self._bases.get(path) if self._bases_at == self.head() else None
        if known is None:
            head = self.head()
            return 0 if head is None else self._base_at(head, path)
        return known

    async def trace(
        self,
        path: str,
        version: VersionId,
        base: int,
        ranges: Sequence[tuple[int, int]],
        limit: int = DEFAULT_LIMIT,
    ) -> tuple[ChunkPast, ...] | None:
        """Return the history of ranges of lines [first, last] of what is shown at a path.

        Of each range the newest `limit` commits, and all that have lines in it.
        None when the file is another one by now. Raises GitFailed.
        """
        info = self._reader.infos([version]).get(version)
        if info is None:
            return None
        blob = self._blob(path, base)
        gaps = self._facts.has_gaps(self.head())
        if blob is None:
            # Where commits are missing nobody can say that a file is in none.
            fresh = 0 if gaps else 1
            return tuple(
                ChunkPast(a, b, (), fresh * max(0, b - a + 1), complete=not gaps) for a, b in ranges
            )
        root = Path(self.followed.root)
        found = await difference(root, path, info.content, blob, self.context)
        if found is None:
            return None
        dag, full = self._facts.dag, self.git_path(path)
        ignored = self._facts.ignored
        if found.opaque:
            file = FileNow(base, full, _POINTER_LINES)
            pointer = [(1, _POINTER_LINES)]
            (past,) = replay(self._facts, dag, file, pointer, limit=limit, ignored=ignored)
            return tuple(_of_pointer(past, a, b) for a, b in ranges)
        file = FileNow(base, full, info.lines, found.hunks)
        pasts = replay(self._facts, dag, file, ranges, limit=limit, ignored=ignored)
        return tuple(replace(past, complete=False) for past in pasts) if gaps else pasts

    def _blob(self, path: str, base: int) -> str | None:
        """Return git's object of what was committed at a path; None when nothing was."""
        full = self.git_path(path)
        touches = self._facts.touches_at(full, base) if base else []
        if touches and touches[0].parent == 0:
            return None if touches[0].change is Change.DELETE else touches[0].blob
        return self._tree.get(full) if base and base == self._cut else None


def _of_pointer(past: ChunkPast, first: int, last: int) -> ChunkPast:
    """Say of lines whose content git does not have what is known of the file as a whole."""
    commits = tuple(Involvement(one.commit, one.role, 0, one.born) for one in past.commits)
    return ChunkPast(first, last, commits, 0, past.complete)
