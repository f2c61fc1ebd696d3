"""The history file: facts of commits, what was made of them, and how far they were read.

All methods are synchronous and belong to one thread. Each change is one short transaction or
several that can be repeated; whatever a crash leaves of it is invisible, complete or resumable.
The file is derived from repositories: without it, they are read again.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from paparatsd.clock import SystemClock
from paparatsd.store import history_collect as collection
from paparatsd.store import history_facts, history_graph, history_pasts, history_words
from paparatsd.store.database import Database, batched, copies, translated
from paparatsd.store.history_interning import Interned
from paparatsd.store.history_reader import HistoryReader
from paparatsd.store.history_schema import HISTORY, PARTIAL, WHOLE
from paparatsd.store.past_pack import pack_pasts, unpack_pasts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.clock import Clock
    from paparatsd.commits import ChunkPast, CommitFacts
    from paparatsd.model import CommitId, RepoId, VersionId
    from paparatsd.store.history_pasts import PastKey
    from paparatsd.store.history_rows import Rewrite, ScanState, Skeleton, TicketLink, Words
    from paparatsd.store.migrations import Migration

SKELETONS = 1000
"""Commits without facts that a transaction writes."""
TOUCHES = 600
"""Touches that a transaction writes, and twice as many as commits; keeps it within 50 ms."""
USED_S = 3600.0
"""How exactly it is kept when a past was used last: reading should seldom write."""
_PURGE_PASTS = 500
_CACHE_KB = 32_000


class HistoryStore:
    """The one connection to `history.sqlite3`, which writes and, through `read`, answers.

    `moved_aside` names a damaged predecessor of the file, if there was one.
    """

    def __init__(self, database: Database, words: Words, clock: Clock) -> None:
        self._database = database
        self._connection = database.connection
        self._words = words
        self._clock = clock
        self._interned = Interned()
        self._used: dict[PastKey, None] = {}
        self._sweep: Iterator[None] | None = None
        self.path = database.path
        self.moved_aside = database.moved_aside
        self.read = HistoryReader(database.path, database.connection, words)

    @classmethod
    def open(
        cls,
        path: Path,
        words: Words,
        *,
        clock: Clock | None = None,
        on_step: Callable[[str], None] = lambda step: None,
        migrations: Sequence[Migration] | None = None,
    ) -> HistoryStore:
        """Open or create the file.

        A damaged file is moved aside and replaced by an empty one; SchemaTooNew leaves every byte
        as it was. `on_step` is called before and after each durable step.
        """
        database = Database.open(path, on_step=on_step, migrations=migrations, kind=HISTORY)
        # Touches lie by path, so those of one commit are far apart: a larger cache pays.
        database.connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        try:
            if history_words.lacks_index(database.connection, words):
                with database.transaction("make_index") as connection:
                    history_words.make_index(connection, words)
        except BaseException:
            database.close()
            raise
        return cls(database, words, clock or SystemClock())

    def close(self) -> None:
        """Close in order, so that the next start need not check the file."""
        self._database.close()

    # ------------------------------------------------------------------ reading a repository

    def set_scan(self, repo: RepoId, state: ScanState) -> None:
        """Note how far a repository was read."""
        with self._database.transaction("set_scan") as connection:
            number = history_graph.ensure_repo(connection, repo)
            history_graph.write_scan(connection, number, state)

    def add_skeletons(self, repo: RepoId, skeletons: Iterable[Skeleton]) -> dict[CommitId, int]:
        """Write commits with their parents, in any order; return the numbers of all named.

        What is there already stays, but when its parents are others now (a shallow clone was
        deepened) its facts are missing again. A parent that is not there gets a number too, and
        keeps it when it comes.
        """
        numbers: dict[CommitId, int] = {}
        for batch in batched(skeletons, SKELETONS):
            with self._database.transaction("add_skeletons") as connection:
                number = history_graph.ensure_repo(connection, repo)
                numbers.update(history_graph.add_skeletons(connection, number, batch))
        return numbers

    def add_facts(
        self,
        repo: RepoId,
        facts: Iterable[CommitFacts],
        tickets: Mapping[CommitId, Sequence[TicketLink]] | None = None,
    ) -> None:
        """Write facts of commits whose skeletons are there; those that are there stay.

        `tickets` of a commit are written with its facts. Raises Conflict for an unknown commit.
        One transaction for up to 600 touches, several for a commit with more.
        """
        links = tickets or {}
        for group in _groups(facts):
            with translated(self.path):
                number = history_graph.find_repo(self._connection, repo) or 0
                states = history_facts.states_of(
                    self._connection, number, [one.commit.id for one in group]
                )
            missing = [one for one in group if states[one.commit.id][1] != WHOLE]
            numbers = {ident: commit for ident, (commit, _) in states.items()}
            try:
                for one in missing:
                    if states[one.commit.id][1] == PARTIAL:
                        self._clear(number, numbers[one.commit.id])
                if len(missing) == 1 and len(missing[0].touches) > TOUCHES:
                    self._add_large(number, numbers, missing[0], links)
                elif missing:
                    self._add_group(number, numbers, missing, links)
            except BaseException:
                self._interned.forget()
                raise

    def _add_group(
        self,
        repo: int,
        numbers: Mapping[CommitId, int],
        group: Sequence[CommitFacts],
        tickets: Mapping[CommitId, Sequence[TicketLink]],
    ) -> None:
        touches = [(numbers[one.commit.id], touch) for one in group for touch in one.touches]
        with self._database.transaction("add_facts") as connection:
            names = {touch.path for _, touch in touches}
            paths = self._interned.paths(connection, repo, names)
            history_facts.write_commits(
                connection,
                self._interned,
                repo,
                [
                    (numbers[one.commit.id], one.commit, {paths[t.path] for t in one.touches})
                    for one in group
                ],
                whole=True,
            )
            history_facts.write_touches(connection, self._interned, repo, touches)
            self._finish(repo, numbers, group, tickets)

    def _add_large(
        self,
        repo: int,
        numbers: Mapping[CommitId, int],
        facts: CommitFacts,
        tickets: Mapping[CommitId, Sequence[TicketLink]],
    ) -> None:
        number = numbers[facts.commit.id]
        touched: set[int] = set()
        for names in batched(sorted({touch.path for touch in facts.touches}), TOUCHES):
            with self._database.transaction("add_paths") as connection:
                touched.update(self._interned.paths(connection, repo, set(names)).values())
        with self._database.transaction("begin_facts") as connection:
            said = [(number, facts.commit, touched)]
            history_facts.write_commits(connection, self._interned, repo, said, whole=False)
        for batch in batched(facts.touches, TOUCHES):
            with self._database.transaction("add_touches") as connection:
                history_facts.write_touches(
                    connection, self._interned, repo, [(number, touch) for touch in batch]
                )
        with self._database.transaction("add_facts"):
            self._finish(repo, numbers, [facts], tickets)

    def _finish(
        self,
        repo: int,
        numbers: Mapping[CommitId, int],
        group: Sequence[CommitFacts],
        tickets: Mapping[CommitId, Sequence[TicketLink]],
    ) -> None:
        """Within a transaction: say that all of these facts are there, and index their words."""
        connection = self._connection
        history_facts.end_facts(connection, repo, [numbers[one.commit.id] for one in group])
        for one in group:
            if links := tickets.get(one.commit.id):
                history_facts.set_tickets(connection, repo, numbers[one.commit.id], links)
        if history_words.has_index(connection):
            history_words.index_commits(
                connection, self._words, [numbers[one.commit.id] for one in group]
            )

    def _clear(self, repo: int, number: int) -> None:
        """Delete what a crash or a collection left of a commit whose facts are written again."""
        with translated(self.path):
            left = history_facts.touched_paths(self._connection, [number]).get(number, ())
        cleared = False
        while left or not cleared:
            cleared = True
            with self._database.transaction("clear_facts") as connection:
                if history_words.has_index(connection):
                    history_words.unindex_commits(connection, self._words, [number])
                history_facts.delete_touches(connection, repo, number, left[:TOUCHES])
                left = left[TOUCHES:]
                history_facts.set_touched(connection, number, left)

    def set_tickets(self, repo: RepoId, tickets: Mapping[CommitId, Sequence[TicketLink]]) -> None:
        """Replace the tickets of commits (none: they name no ticket); unknown ones are left out."""
        numbers = self.read.numbers(repo, tickets)
        for batch in batched(numbers.items(), TOUCHES):
            with self._database.transaction("set_tickets") as connection:
                number = history_graph.ensure_repo(connection, repo)
                for ident, commit in batch:
                    history_facts.set_tickets(connection, number, commit, tickets[ident])

    def index_missing(self, limit: int = 100) -> int:
        """Put some commits into the full-text index that lack it; 0 when there are none left.

        There are some after the way in which words are made has changed.
        """
        if not history_words.has_index(self._connection):
            return 0
        with translated(self.path):
            numbers = history_words.unindexed(self._connection, limit)
        if numbers:
            with self._database.transaction("index_missing") as connection:
                history_words.index_commits(connection, self._words, numbers)
        return len(numbers)

    def add_rewrites(self, repo: RepoId, rewrites: Iterable[Rewrite]) -> None:
        """Note which commits took the place of which."""
        for batch in batched(rewrites):
            with self._database.transaction("add_rewrites") as connection:
                number = history_graph.ensure_repo(connection, repo)
                history_pasts.add_rewrites(connection, number, batch)

    # ------------------------------------------------------------------ pasts

    def put_pasts(self, repo: RepoId, pasts: Mapping[PastKey, Sequence[ChunkPast]]) -> None:
        """Keep the past of each chunk of file versions, in the order of the chunks."""
        packs = [(key, pack_pasts(chunks)) for key, chunks in pasts.items()]
        for batch in batched(packs, TOUCHES):
            with self._database.transaction("put_pasts") as connection:
                number = history_graph.ensure_repo(connection, repo)
                history_pasts.put_pasts(connection, number, batch, self._clock.now())
        self._note_used()

    def pasts(self, keys: Iterable[PastKey]) -> dict[PastKey, tuple[ChunkPast, ...]]:
        """Return those pasts that are kept; when they were used is written with the next put."""
        now = self._clock.now()
        with translated(self.path):
            found = history_pasts.read_pasts(self._connection, keys)
        stale = (key for key, (used, _) in found.items() if now - used > USED_S)
        self._used.update(dict.fromkeys(islice(stale, max(0, 10_000 - len(self._used)))))
        return {key: unpack_pasts(pack) for key, (_, pack) in found.items()}

    def _note_used(self) -> None:
        used, self._used = list(self._used), {}
        for batch in batched(used, TOUCHES):
            with self._database.transaction("note_used") as connection:
                history_pasts.note_used(connection, batch, self._clock.now())

    # ------------------------------------------------------------------ collection

    def forget_repo(self, repo: RepoId) -> None:
        """Make a repository's history disappear at once; `purge` then deletes it, in pieces."""
        with self._database.transaction("forget_repo") as connection:
            connection.execute("UPDATE repositories SET id = NULL WHERE id = ?", (repo,))
        self._disturb()
        # A backup of an older schema would still hold what was removed.
        for copy in copies(self.path):
            copy.unlink(missing_ok=True)

    def forget_versions(self, ids: Iterable[VersionId]) -> None:
        """Delete what is kept of the pasts of file versions."""
        for batch in batched(ids, TOUCHES):
            with self._database.transaction("forget_versions") as connection:
                history_pasts.delete_pasts(connection, batch)
                collection.note_sweeping(connection)
        self._disturb()

    def forget_pasts(self, repo: RepoId) -> None:
        """Delete all pasts of a repository: what is said of its commits has changed."""
        with translated(self.path):
            number = history_graph.find_repo(self._connection, repo)
        while number is not None:
            with self._database.transaction("forget_pasts") as connection:
                if not history_pasts.delete_pasts_of(connection, number, _PURGE_PASTS):
                    break
        self._disturb()

    def collect(
        self, repo: RepoId, reachable: Collection[int] | NDArray[np.int64], grace_s: float
    ) -> None:
        """Doom commits that were not among `reachable` (numbers) for longer than `grace_s`.

        `purge` deletes them. One that is named again before comes back, its facts to be read.
        """
        now = self._clock.now()
        with translated(self.path):
            number = history_graph.find_repo(self._connection, repo)
            if number is None:
                return
            lost = collection.find_lost(self._connection, number, reachable).tolist()
            found = collection.found_again(self._connection, number, lost)
        for batch in batched(found, TOUCHES):
            with self._database.transaction("found_again") as connection:
                collection.forget_unreached(connection, batch)
        for batch in batched(lost, SKELETONS):
            with self._database.transaction("note_unreached") as connection:
                collection.note_unreached(connection, batch, now)
        doomed = bool(lost)
        while doomed:
            with self._database.transaction("doom_commits") as connection:
                doomed = bool(collection.doom_unreached(connection, number, now - grace_s))
        self._disturb()

    def collect_pasts(self, keep_s: float, max_bytes: int) -> int:
        """Delete some pasts not used for `keep_s`, or the oldest above the size; 0 at the end."""
        self._note_used()
        before = self._clock.now() - keep_s
        with self._database.transaction("collect_pasts") as connection:
            gone = history_pasts.delete_old_pasts(connection, before, max_bytes, _PURGE_PASTS)
            if gone:
                collection.note_sweeping(connection)
        self._disturb()
        return gone

    def purge(self) -> int:
        """Do a piece of the deletion that is due; 0 means that nothing is left to do."""
        with translated(self.path):
            due = collection.is_due(self._connection)
        if due:
            self._disturb()
            with self._database.transaction("purge") as connection:
                collection.purge_some(connection, self._words)
            return 1
        with translated(self.path):
            if self._sweep is None and not collection.is_sweeping(self._connection):
                return 0
        if self._sweep is None:
            self._sweep = collection.sweep(self._database, self._clock.now())
        self._interned.forget()
        for _ in self._sweep:
            return 1
        self._disturb()
        self._database.empty_log()
        return 0

    def _disturb(self) -> None:
        """Begin sweeping again: something else was deleted, or numbers in memory are gone."""
        self._sweep = None
        self._interned.forget()


def _groups(facts: Iterable[CommitFacts]) -> Iterator[list[CommitFacts]]:
    """Cut facts into groups that one transaction can write; a large commit is one of its own."""
    group: dict[CommitId, CommitFacts] = {}
    weight = 0
    for one in facts:
        # Its message costs about as much as two touches.
        size = len(one.touches) + 2
        if group and weight + size > TOUCHES:
            yield list(group.values())
            group, weight = {}, 0
        group[one.commit.id] = one
        weight += size
    if group:
        yield list(group.values())
