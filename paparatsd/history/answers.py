"""What the history process says of one project: places, filters, commits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.address import format_address
from paparatsd.commits import Role
from paparatsd.errors import GitFailed
from paparatsd.history.followed import Asked, Found, Lines, PlaceLog
from paparatsd.history.owners import owners_of
from paparatsd.history.reachable import reached_apart
from paparatsd.history_model import (
    ChunkCommit,
    FileChange,
    FoundCommit,
    HistoryState,
    LastChange,
    TicketNote,
    TouchedPlace,
)
from paparatsd.model import CommitId
from paparatsd.sources.globs import PathMatcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.commits import ChunkPast, Involvement
    from paparatsd.history.project import ProjectHistory
    from paparatsd.history.repository import RepoHistory
    from paparatsd.history_model import CommitNote, Owner
    from paparatsd.model import Chunk, VersionId
    from paparatsd.store.reader import CatalogReader

SHOWN_FILES = 12
SHOWN_PLACES = 8
ALL = 1_000_000
"""Commits of one place that is asked for: all of them."""
SEARCHED = 2_000
"""Commits that match a question which nothing else restricts."""
MAX_NAMED = 10
MAX_CARRIED = 2_000
"""Commits of one merge; one that brings in more is about no single ticket."""
_ID_CHARS = (40, 64)
_ID = re.compile(r"[0-9a-fA-F]{7,64}")
CHANGED = "the file has changed since it was indexed; ask again in a moment"


class Answers:
    """Answers over one project and its repository."""

    def __init__(self, repo: RepoHistory, project: ProjectHistory, reader: CatalogReader) -> None:
        self._repo = repo
        self._facts = repo.facts
        self._project = project
        self._reader = reader

    # ------------------------------------------------------------------ places

    async def log(self, lines: Lines, limit: int) -> PlaceLog:
        """Return the history of some lines of what is shown, newest commit first.

        `limit` counts those that changed something; merges that carried them stand between.
        """
        version = self._version_at(lines.path)
        symbol, start, end = self._narrowed(lines, version)
        past, note = await self._past(lines.path, version, start, end)
        pending = self._is_pending()
        if past is None:
            return PlaceLog(
                start, end, (), 0, (), (), 0, complete=False, pending=pending, notes=(note,)
            )
        own = [one for one in past.commits if one.role is not Role.CARRIER]
        last = own[limit - 1] if len(own) > limit else None
        shown = past.commits[: past.commits.index(last) + 1] if last else past.commits
        first = next((one for one in past.commits if one.born), None)
        notes = self._notes_of([*shown, *([first] if first is not None else [])])
        commits = tuple(
            ChunkCommit(notes[one.commit], one.role, one.lines, one.born)
            for one in shown
            if one.commit in notes
        )
        return PlaceLog(
            start=start,
            end=end,
            commits=commits,
            total=len(own),
            tickets=self._tickets_of(past),
            owners=self._owners(past),
            uncommitted=past.uncommitted,
            complete=past.complete,
            pending=pending,
            symbol=symbol,
            began=notes.get(first.commit) if first is not None else None,
        )

    def _narrowed(self, lines: Lines, version: VersionId | None) -> tuple[str | None, int, int]:
        """Return the symbol that is meant and its lines; a chunk may hold several small ones."""
        whole = None, lines.start, lines.end
        if version is None or not (lines.symbol or lines.line):
            return whole
        inside = [
            (symbol.end_line - first, symbol.qualified, first, symbol.end_line)
            for symbol in self._reader.symbols_of(version)
            if lines.start <= (first := symbol.lead_line or symbol.start_line)
            and symbol.end_line <= lines.end
            and (symbol.qualified == lines.symbol or first <= lines.line <= symbol.end_line)
        ]
        if not inside:
            return whole
        _, name, first, last = min(inside)
        return name, first, last

    async def _past(
        self, path: str, version: VersionId | None, start: int, end: int
    ) -> tuple[ChunkPast | None, str]:
        if version is None:
            return None, CHANGED
        base = self._project.base(path)
        try:
            found = await self._project.trace(path, version, base, [(start, end)], limit=ALL)
        except GitFailed as error:
            return None, str(error)
        return (found[0], "") if found else (None, CHANGED)

    async def last_change(self, lines: Lines) -> LastChange:
        """Return the newest commit of some lines, from what is known of the chunks they are in.

        Lines that leave out some of theirs are replayed by themselves.
        """
        version = self._version_at(lines.path)
        base = self._project.base(lines.path)
        key = (version, base) if version is not None else None
        kept = self._facts.pasts([key]).get(key) if key is not None else None
        if kept is None or version is None:
            return LastChange(None, 0, 0, pending=True)
        inside = [p for p in kept if p.start_line <= lines.end and p.end_line >= lines.start]
        if any(p.start_line < lines.start or p.end_line > lines.end for p in inside):
            past, _ = await self._past(lines.path, version, lines.start, lines.end)
            inside = [past] if past is not None else inside
        commits = {
            one.commit for past in inside for one in past.commits if one.role is not Role.CARRIER
        }
        fresh = sum(past.uncommitted for past in inside)
        if not commits:
            # Without any commit there is nothing to which lines could be added.
            return LastChange(None, 0, fresh if self._project.head() is not None else 0)
        dag = self._facts.dag
        newest = max(commits, key=lambda commit: (dag.order(commit), commit))
        note = self._note_of([newest]).get(newest)
        return LastChange(note, len(commits), fresh)

    def touched(self, paths: Sequence[str]) -> list[float | None]:
        """Return when the newest commit of each path was made, None where none is known."""
        newest = [self._project.base(path) for path in paths]
        stored = self._facts.store.read.commits({number for number in newest if number})
        return [
            float(stored[number].commit.committed.seconds) if number in stored else None
            for number in newest
        ]

    def _version_at(self, path: str) -> VersionId | None:
        entry = self._reader.view_at(self._project.followed.project_id, [path]).get(path)
        return entry.version if entry is not None else None

    def _is_pending(self) -> bool:
        status = self._repo.status()[self._project.followed.project_id]
        return status.state is HistoryState.SCANNING

    # ------------------------------------------------------------------ notes

    def _notes_of(self, commits: Iterable[Involvement]) -> dict[int, CommitNote]:
        return self._note_of([one.commit for one in commits])

    def _note_of(self, numbers: Sequence[int]) -> dict[int, CommitNote]:
        stored = self._facts.store.read.commits(numbers)
        wording, name = self._project.wording, self._project.followed.name
        return {number: wording.note(name, one.commit) for number, one in stored.items()}

    def _tickets_of(self, past: ChunkPast) -> tuple[TicketNote, ...]:
        """Return the tickets of a place, those of the newest commits first."""
        found: dict[str, TicketNote] = {}
        notes = self._notes_of(past.commits)
        for one in past.commits:
            for ticket in notes[one.commit].tickets if one.commit in notes else ():
                known = found.get(ticket.key)
                if known is None or (ticket.closes and not known.closes):
                    found[ticket.key] = ticket
        return tuple(found.values())

    def _owners(self, past: ChunkPast) -> tuple[Owner, ...]:
        """Return who to ask: whose lines are there now, then who has changed most."""
        notes = self._notes_of(past.commits)
        return owners_of(
            (notes[one.commit], one.lines)
            for one in past.commits
            if one.commit in notes and one.role is not Role.CARRIER
        )

    # ------------------------------------------------------------------ filters

    def allow(self, asked: Asked) -> dict[int, frozenset[int]]:
        """Return the chunks that the filter lets through: numbers by version.

        Uncommitted lines count as changed now, by nobody that is known.
        """
        now_counts = not asked.author and not asked.ticket and asked.until is None
        return self._project.timeline.chunks_of(self.chosen(asked), fresh=now_counts)

    def chosen(self, asked: Asked) -> NDArray[np.int64]:
        """Return the commits that the filter lets through and the head reaches."""
        read, repo = self._facts.store.read, self._facts.repo
        head = self._project.head()
        if head is None:
            return np.zeros(0, np.int64)
        found = self._facts.reached(head)
        if asked.since is not None or asked.until is not None:
            since = None if asked.since is None else int(np.ceil(asked.since))
            until = None if asked.until is None else int(np.floor(asked.until))
            found = _both(found, read.committed_between(repo, since, until))
        if asked.ticket:
            found = _both(found, self._of_ticket(asked.ticket))
        if asked.author:
            found = _both(found, read.written_by(self._persons(asked.author)))
        return found

    def _of_ticket(self, key: str) -> list[int]:
        """Return the commits of a ticket: who names it, and what merges that do brought in."""
        named = [number for number, _ in self._facts.store.read.by_ticket(self._facts.repo, key)]
        dag = self._facts.dag
        found = set(named)
        for merge in named:
            parents = dag.parents(merge) if merge in dag else ()
            if len(parents) > 1 and all(parent in dag for parent in parents):
                found |= reached_apart(dag, parents[1:], parents[0], MAX_CARRIED)
        return sorted(found)

    def _persons(self, text: str) -> list[int]:
        """Return the people whose name or address, as written or as mapped, contains a text."""
        wanted = text.casefold()
        mapped = self._project.wording.person
        return [
            one.number
            for one in self._facts.store.read.persons(self._facts.repo)
            if any(
                wanted in part.casefold()
                for person in (one.person, mapped(one.person))
                for part in (person.name, person.email, f"{person.name} <{person.email}>")
            )
        ]

    # ------------------------------------------------------------------ commits

    def find(
        self, query: str, asked: Asked, paths: tuple[str, ...], limit: int, *, merges: bool
    ) -> Found:
        """Return the commits that answer best, or the newest.

        A query that is the beginning of an id asks for that commit, or what took its place.
        """
        named = self._named(query, asked)
        if named is not None:
            return named
        numbers = self.chosen(asked)
        scores: dict[int, float] = {}
        if query:
            most = ALL if asked != Asked() or paths else SEARCHED
            ranked = self._facts.store.read.search(self._facts.repo, query, most)
            allowed = set(numbers.tolist())
            scores = {number: score for number, score in ranked if number in allowed}
            order = list(scores)
        else:
            dag = self._facts.dag
            order = sorted(numbers.tolist(), key=lambda one: (dag.order(one), one), reverse=True)
        if not merges:
            order = [one for one in order if self._facts.dag.parent_count(one) < 2]
        matcher = PathMatcher(paths) if paths else None
        if matcher is not None:
            order = self._touching(order, matcher)
        return Found(tuple(self._found(order[:limit], scores, matcher)), len(order))

    def _named(self, query: str, asked: Asked) -> Found | None:
        """Return the commits whose ids begin so, as far as the head reaches them.

        In place of one that was amended or rebased stands what took its place, but where the
        head still reaches the old one.
        """
        if not _ID.fullmatch(query) or not any(char.isdigit() for char in query):
            return None
        read, repo = self._facts.store.read, self._facts.repo
        known = read.resolve(repo, query.lower(), MAX_NAMED)
        whole = len(query) in _ID_CHARS
        named = known or ([CommitId(query.lower())] if whole else [])
        allowed = set(self.chosen(asked).tolist())
        here = {one for one, number in read.numbers(repo, named).items() if number in allowed}
        newest = {one: one for one in named if one in here}
        newest |= read.follow(repo, [one for one in named if one not in here])
        numbers = read.numbers(repo, newest.values())
        found = self._found([one for one in numbers.values() if one in allowed], {})
        shown = {one.commit.id for one in found}
        notes = [
            f"{old[:10]} was rewritten; {new[:10]} has taken its place."
            for old, new in newest.items()
            if old != new and new in shown
        ]
        if not found:
            # Never words instead: whoever asks for an id wants that commit or none.
            return Found((), 0, (f"No commit that passes the filters has an id like {query}.",))
        return Found(tuple(found), len(found), tuple(notes), named=True)

    def _touching(self, numbers: Sequence[int], matcher: PathMatcher) -> list[int]:
        changed = self._facts.store.read.changed_paths(numbers)
        local = self._project.project_path
        return [
            number
            for number in numbers
            if any(
                matcher.matches(path)
                for path in map(local, changed.get(number, ()))
                if path is not None
            )
        ]

    def _found(
        self,
        numbers: Sequence[int],
        scores: Mapping[int, float],
        matcher: PathMatcher | None = None,
    ) -> list[FoundCommit]:
        notes = self._note_of(numbers)
        touched = self._project.timeline.touched_by(numbers)
        names = {
            version: path
            for path, version in self._project.view().items()
            if matcher is None or matcher.matches(path)
        }
        found = []
        for number in numbers:
            if number not in notes:
                continue
            files = self._files_of(number)
            places = sorted(
                (place for place in touched[number] if place[0] in names),
                key=lambda place: (names[place[0]], place[1]),  # type: ignore[index]
            )
            found.append(
                FoundCommit(
                    commit=notes[number],
                    score=round(scores.get(number, 0.0), 4),
                    files=tuple(files[:SHOWN_FILES]),
                    files_total=len(files),
                    places=tuple(self._places(places[:SHOWN_PLACES], names)),
                    places_total=len(places),
                )
            )
        return found

    def _files_of(self, number: int) -> list[FileChange]:
        touches = self._facts.store.read.touches_of_commit(number)
        return [
            FileChange(_shown(touch.path), touch.change, touch.old_path and _shown(touch.old_path))
            for touch in touches
            if touch.parent == 0
        ]

    def _places(
        self, places: Sequence[tuple[int, int]], names: Mapping[VersionId, str]
    ) -> Iterable[TouchedPlace]:
        chunks: dict[int, tuple[Chunk, ...]] = {}
        for version, ordinal in places:
            if version not in chunks:
                chunks[version] = self._reader.chunks_of(version)  # type: ignore[arg-type]
            if ordinal >= len(chunks[version]):
                continue
            chunk, path = chunks[version][ordinal], names[version]  # type: ignore[index]
            project = self._project.followed.name
            yield TouchedPlace(
                project=project,
                path=path,
                start_line=chunk.start_line,
                end_line=chunk.end_line,
                address=format_address(project, path, chunk.fragment),
                symbol=chunk.name,
                kind=chunk.kind,
            )


def _shown(path: str) -> str:
    """Return a path as text; bytes that are none are written as escapes."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _both(some: NDArray[np.int64], others: Sequence[int]) -> NDArray[np.int64]:
    return np.intersect1d(some, np.array(others, np.int64))
