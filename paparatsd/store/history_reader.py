"""Questions to the history file. Nothing here writes; commits go by their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.store import history_facts, history_graph, history_pasts, history_words
from paparatsd.store.database import translated
from paparatsd.store.history_interning import path_bytes
from paparatsd.store.history_rows import HistoryCounts, ScanState

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from paparatsd.commits import Touch
    from paparatsd.model import CommitId, RepoId
    from paparatsd.store.history_rows import (
        GraphRows,
        StoredCommit,
        StoredPerson,
        StoredTouch,
        TicketLink,
        Words,
    )

NO_LIMIT = 1 << 40


class HistoryReader:
    """Reads over one connection, which belongs to one thread.

    A repository of which nothing is kept has no commits; asking for it is no error.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, words: Words) -> None:
        self._path = path
        self._connection = connection
        self._words = words

    def repos(self) -> list[RepoId]:
        """Return every repository of which something is kept."""
        with translated(self._path):
            return history_graph.read_repos(self._connection)

    def scan_state(self, repo: RepoId) -> ScanState:
        """Return how far a repository was read."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return ScanState()
            return history_graph.read_scan(self._connection, number)

    def counts(self, repo: RepoId) -> HistoryCounts:
        """Return how much there is of a repository."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return HistoryCounts()
            return history_graph.read_counts(self._connection, number)

    # ------------------------------------------------------------------ the graph

    def graph(self, repo: RepoId) -> GraphRows:
        """Return all commits with their parents, as columns."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return history_graph.empty_graph()
            return history_graph.read_graph(self._connection, number)

    def numbers(self, repo: RepoId, ids: Iterable[CommitId]) -> dict[CommitId, int]:
        """Return the numbers of those commits that are there, with or without facts."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return {}
            return history_graph.find_numbers(self._connection, number, ids)

    def ids(self, numbers: Iterable[int]) -> dict[int, CommitId]:
        """Return the ids of numbers in use, also those of parents that are not there."""
        with translated(self._path):
            return history_graph.find_ids(self._connection, numbers)

    def resolve(self, repo: RepoId, prefix: str, limit: int = 16) -> list[CommitId]:
        """Return up to `limit` ids that begin so, ascending; none for what is not hexadecimal."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return []
            return history_graph.resolve(self._connection, number, prefix, limit)

    def missing_facts(self, repo: RepoId, limit: int = 1000) -> list[CommitId]:
        """Return commits whose facts are still to be read, the newest first."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return []
            return history_graph.missing_facts(self._connection, number, limit)

    # ------------------------------------------------------------------ facts

    def touches_of(self, repo: RepoId, path: str) -> list[StoredTouch]:
        """Return all that ever happened to a path, by commit number, then parent."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return []
            return history_facts.read_touches(self._connection, number, path_bytes(path))

    def commits_of(self, repo: RepoId, path: str) -> list[int]:
        """Return the commits that differ from their first parent at a path, ascending."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return []
            return history_facts.read_touching(self._connection, number, path_bytes(path))

    def leavers(self, repo: RepoId, path: str) -> list[int]:
        """Return the commits that gave what was at a path another one: it was gone with them."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return []
            return history_facts.read_leavers(self._connection, number, path_bytes(path))

    def left_paths(self, numbers: Iterable[int]) -> set[str]:
        """Return the old names of what these commits renamed or copied."""
        with translated(self._path):
            return history_facts.read_left_paths(self._connection, numbers)

    def touches_of_commit(self, number: int) -> tuple[Touch, ...]:
        """Return all that a commit touched, by path, then parent."""
        with translated(self._path):
            return history_facts.read_touches_of_commit(self._connection, number)

    def changed_paths(self, numbers: Iterable[int]) -> dict[int, tuple[str, ...]]:
        """Return the paths each commit touched (of a rename the new one), in order."""
        with translated(self._path):
            return history_facts.read_changed_paths(self._connection, numbers)

    def commits(self, numbers: Iterable[int]) -> dict[int, StoredCommit]:
        """Return those of these commits whose facts are there."""
        with translated(self._path):
            return history_facts.read_commits(self._connection, numbers)

    def persons(self, repo: RepoId) -> list[StoredPerson]:
        """Return every name and address that a repository's commits give."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return []
            return history_facts.read_persons(self._connection, number)

    def written_by(self, persons: Iterable[int], *, committers: bool = False) -> list[int]:
        """Return the commits that these persons wrote (or committed), the newest first."""
        with translated(self._path):
            return history_facts.written_by(self._connection, persons, committers=committers)

    def committed_between(
        self,
        repo: RepoId,
        since: int | None = None,
        until: int | None = None,
        limit: int = NO_LIMIT,
    ) -> list[int]:
        """Return commits of a time range (seconds, both inclusive), the newest first."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return []
            return history_graph.committed_between(self._connection, number, since, until, limit)

    def by_ticket(self, repo: RepoId, key: str) -> list[tuple[int, TicketLink]]:
        """Return the commits that name a ticket in letters of any case, the newest first."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return []
            return history_facts.find_tickets(self._connection, number, key)

    def search(
        self, repo: RepoId, text: str, limit: int = 50, among: Collection[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return (commit number, score) of what matches a plain question best, best first.

        Of subject, body and changed paths; any of the words may match. `among` is a set of
        commits to choose from.
        """
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return []
            find = history_words.search_rows
            if history_words.has_index(self._connection):
                find = history_words.search_index
            return find(self._connection, self._words, number, text, limit, among)

    # ------------------------------------------------------------------ rewrites

    def follow(self, repo: RepoId, ids: Iterable[CommitId]) -> dict[CommitId, CommitId]:
        """Return what stands for each commit now, at the end of its chain of rewrites."""
        with translated(self._path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return {ident: ident for ident in ids}
            return history_pasts.follow(self._connection, number, ids)
