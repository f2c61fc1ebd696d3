"""The facts of one repository as replays ask for them: the store, with the graph in memory."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.history.cut import end_of, oldest
from paparatsd.history.dag import ROOT, CommitRow, Dag
from paparatsd.history.reachable import reachable_from
from paparatsd.history.wording import ignored_digest
from paparatsd.store.history_rows import Skeleton, StoredTouch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from paparatsd.commits import ChunkPast, CommitFacts, Touch
    from paparatsd.history.ancestry import Lineage
    from paparatsd.history.wording import Wording
    from paparatsd.model import CommitId, RepoId
    from paparatsd.store.history import HistoryStore
    from paparatsd.store.history_pasts import PastKey
    from paparatsd.store.history_rows import GraphRows, HistoryCounts

KEPT_PATHS = 64
"""Paths whose touches stay in memory: a file is looked up several times in a row."""
KEPT_HEADS = 200
MESSAGES_AT_ONCE = 200


class StoredFacts:
    """Implements `trail.PathFacts`. `ignored` are commits that only carry lines."""

    def __init__(self, store: HistoryStore, repo: RepoId) -> None:
        self.repo = repo
        self.store = store
        self.dag = Dag(_rows_of(store.read.graph(repo)))
        self.ignored: frozenset[int] = frozenset()
        self.unreadable: set[CommitId] = set()
        self._reached: tuple[tuple[int, int], NDArray[np.int64]] | None = None
        self._touches: OrderedDict[str, dict[int, list[StoredTouch]]] = OrderedDict()
        self._listed = dict.fromkeys(store.read.scan_state(repo).heads)

    # ------------------------------------------------------------------ what replays ask

    def commits(self, path: str) -> list[int]:
        """Return the commits that differ from parent 0 at the path."""
        known = self._touches.get(path)
        if known is None:
            read = self.store.read
            return [*read.commits_of(self.repo, path), *read.leavers(self.repo, path)]
        return [number for number, rows in known.items() if rows[0].parent == 0]

    def touches_at(self, path: str, commit: int) -> list[Touch]:
        """Return what a commit did to a path, against each parent."""
        return [row.touch(path) for row in self._rows_at(path).get(commit, ())]

    def _rows_at(self, path: str) -> dict[int, list[StoredTouch]]:
        """Return the touches of a path by commit, packed: most are not looked at."""
        found = self._touches.get(path)
        if found is None:
            found = self._touches[path] = {}
            for row in self.store.read.touches_of(self.repo, path):
                found.setdefault(row.number, []).append(row)
            for number in self.store.read.leavers(self.repo, path):
                # To its old name a rename is what a deletion is.
                found.setdefault(number, [StoredTouch.deletion(number)])
            if len(self._touches) > KEPT_PATHS:
                self._touches.popitem(last=False)
        return found

    def number(self, commit: CommitId) -> int | None:
        """Return the number of a commit that is in the graph."""
        found = self.store.read.numbers(self.repo, [commit]).get(commit)
        return found if found is not None and found in self.dag else None

    def paths_of(self, commits: Iterable[int]) -> set[str]:
        """Return every path that one of these commits touched, new names and old ones."""
        numbers = list(commits)
        changed = self.store.read.changed_paths(numbers)
        left = self.store.read.left_paths(numbers)
        return left | {path for paths in changed.values() for path in paths}

    # ------------------------------------------------------------------ pasts

    def pasts(self, keys: Sequence[PastKey]) -> dict[PastKey, tuple[ChunkPast, ...]]:
        """Return those pasts of file versions that are kept."""
        return self.store.pasts(keys)

    def put_pasts(self, key: PastKey, pasts: Sequence[ChunkPast]) -> None:
        """Keep what came of a file version's chunks."""
        self.store.put_pasts(self.repo, {key: pasts})

    # ------------------------------------------------------------------ reading

    def counts(self) -> HistoryCounts:
        """Return how much there is."""
        return self.store.read.counts(self.repo)

    def is_listed(self, head: CommitId) -> bool:
        """Whether all that a head reaches is in the graph already."""
        return head in self._listed

    def known_heads(self) -> list[CommitId]:
        """Return heads all of whose commits are known; some may be gone from git."""
        return list(self._listed)

    def note_listed(self, head: CommitId) -> None:
        """Note that all that a head reaches is in the graph."""
        self._listed.pop(head, None)
        self._listed[head] = None
        while len(self._listed) > KEPT_HEADS:
            del self._listed[next(iter(self._listed))]
        self._set_state(heads=tuple(self._listed))

    def _set_state(self, **changes: Any) -> None:  # noqa: ANN401 - fields of ScanState
        self.store.set_scan(self.repo, replace(self.store.read.scan_state(self.repo), **changes))

    def reached(self, head: int) -> NDArray[np.int64]:
        """Return what a head reaches, ascending; the last answer is kept, since all filters ask."""
        key = head, len(self.dag)
        if self._reached is None or self._reached[0] != key:
            self._reached = key, reachable_from(self.dag, head)
        return self._reached[1]

    def has_gaps(self, head: int | None) -> bool:
        """Whether a head reaches commits of which nothing can be read now."""
        if not self.unreadable or head is None:
            return False
        lost = list(self.store.read.numbers(self.repo, self.unreadable).values())
        return bool(np.isin(self.reached(head), lost).any())

    def collect(self, heads: Sequence[int], grace_s: float) -> None:
        """Let go of commits that no head has reached for a while; what is left is the graph."""
        kept = [reachable_from(self.dag, head) for head in heads]
        numbers = np.unique(np.concatenate(kept)) if kept else np.zeros(0, np.int64)
        if len(numbers) == len(self.dag):
            return
        self.store.collect(self.repo, numbers, grace_s)
        graph = self.store.read.graph(self.repo)
        if len(graph.numbers) < len(self.dag):
            self.dag = Dag(_rows_of(graph))
            self._touches.clear()
            known = self.store.read.numbers(self.repo, self._listed)
            self._listed = {head: None for head in self._listed if known.get(head, -1) in self.dag}
            self._set_state(heads=tuple(self._listed))

    # ------------------------------------------------------------------ rules

    @property
    def is_shallow(self) -> bool:
        """Whether the graph is of a clone that is cut off somewhere."""
        return bool(self.store.read.scan_state(self.repo).shallow)

    def cut_below(self, head: int) -> int:
        """Return the commit below a head, down first parents, of which is not told what it did.

        It is not here, or here as the end of a shallow clone. 0 where history is whole.
        """
        end = end_of(self.dag, head)
        if end != ROOT or not self.is_shallow:
            return 0 if end == ROOT else end
        last = oldest(self.dag, head)
        stored = self.store.read.commits([last]).get(last)
        return last if stored is not None and stored.commit.boundary else 0

    def set_depth(self, shallow: str) -> bool:
        """Note where the clone is cut off; if elsewhere than before, all is to be read anew."""
        if self.store.read.scan_state(self.repo).shallow == shallow:
            return False
        if self._listed:
            self.store.forget_repo(self.repo)
            self.dag = Dag()
            self._listed.clear()
            self._touches.clear()
            self.unreadable.clear()
        self._set_state(shallow=shallow)
        return True

    def set_ignored(self, commits: frozenset[CommitId]) -> bool:
        """Note which commits only carry lines; True when what was replayed is not true any more."""
        self.ignored = frozenset(self.store.read.numbers(self.repo, commits).values())
        digest = ignored_digest(commits)
        if self.store.read.scan_state(self.repo).ignored == digest:
            return False
        self.store.forget_pasts(self.repo)
        self._set_state(ignored=digest)
        return True

    def read_tickets_again(self, wording: Wording) -> Iterator[None]:
        """Look for the tickets of all messages anew unless it was done by these rules."""
        if self.store.read.scan_state(self.repo).wording == wording.digest:
            return
        numbers = self.store.read.committed_between(self.repo)
        for start in range(0, len(numbers), MESSAGES_AT_ONCE):
            commits = self.store.read.commits(numbers[start : start + MESSAGES_AT_ONCE])
            found = {one.commit.id: wording.tickets_in(one.commit) for one in commits.values()}
            self.store.set_tickets(self.repo, found)
            yield
        self._set_state(wording=wording.digest)

    def add_commits(self, rows: Sequence[Lineage]) -> None:
        """Put commits into the graph, parents first; what they touch is read later."""
        skeletons = [Skeleton(row.commit, row.parents, row.instant) for row in rows]
        numbers = self.store.add_skeletons(self.repo, skeletons)
        self._reached = None
        self.dag.extend(
            CommitRow(numbers[row.commit], tuple(numbers[one] for one in row.parents), row.instant)
            for row in rows
        )

    def missing(self, limit: int) -> list[CommitId]:
        """Return commits whose facts are to be read, the newest first."""
        found = self.store.read.missing_facts(self.repo, limit + len(self.unreadable))
        return [commit for commit in found if commit not in self.unreadable][:limit]

    def add_facts(self, facts: Sequence[CommitFacts], wording: Wording) -> None:
        """Keep what commits say and touched, with the tickets they name."""
        tickets = {one.commit.id: wording.tickets_in(one.commit) for one in facts}
        self.store.add_facts(self.repo, facts, tickets)
        self._touches.clear()


def _rows_of(graph: GraphRows) -> Iterator[CommitRow]:
    ends = graph.offsets.tolist()
    parents = graph.parents.tolist()
    for at, (number, committed) in enumerate(
        zip(graph.numbers.tolist(), graph.committed.tolist(), strict=True)
    ):
        yield CommitRow(number, tuple(parents[ends[at] : ends[at + 1]]), committed)
