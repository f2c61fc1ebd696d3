"""The use cases about history: who changed what, when and why."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from paparatsd.chunks.address import LineAddress, NamedAddress, RangeAddress, parse_address
from paparatsd.chunks.terms import stem, words
from paparatsd.commits import Role
from paparatsd.errors import BadQuery, PaparatsError, UnknownProject
from paparatsd.history.followed import Asked, Lines
from paparatsd.history.merging import merged
from paparatsd.history.moments import parse_moment
from paparatsd.history.owners import owners_of
from paparatsd.history.question import read_question
from paparatsd.history_model import (
    ChangedFilter,
    ChunkLog,
    CommitsAnswer,
    Explanation,
    HistoryState,
    LastChange,
    TimelineEntry,
)
from paparatsd.search.abbreviations import other_forms
from paparatsd.search.scope import Scope
from paparatsd.sources.globs import PathMatcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.clock import Clock
    from paparatsd.history.keeper import HistoryKeeper
    from paparatsd.history_model import CommitNote, CommitRequest
    from paparatsd.model import CommitId, ProjectName
    from paparatsd.search.scope import ProjectScope
    from paparatsd.search.searcher import Searcher
    from paparatsd.search_model import Hit, SearchAnswer

MAX_COMMITS = 200
SHOWN_NAMES = 3
"""Of more projects that lack a history for one reason only the number is said."""


class HistoryService:
    """Answers over scopes that the caller has chosen."""

    def __init__(self, keeper: HistoryKeeper, searcher: Searcher, clock: Clock) -> None:
        self._keeper = keeper
        self._searcher = searcher
        self._clock = clock

    # ------------------------------------------------------------------ places

    async def log(
        self, address: str, limit: int, scope: Scope, branches: dict[ProjectName, str | None]
    ) -> ChunkLog:
        """Return the history of the chunk or the lines at an address."""
        view = await self._searcher.show(address, 0, scope)
        target = view.target
        start, end = _lines_of(address, target)
        project = _project(scope, target.project)
        symbol, line = _meant(address, target)
        lines = Lines(project.project_id, target.path, start, end, symbol, line)
        found = await self._keeper.log(lines, min(max(limit, 1), MAX_COMMITS))
        return ChunkLog(
            project=target.project,
            branch=branches.get(target.project),
            address=target.address if _is_whole(target, found.start, found.end) else address,
            path=target.path,
            start_line=found.start,
            end_line=found.end,
            symbol=found.symbol or target.symbol,
            kind=target.kind,
            commits=found.commits,
            total=found.total,
            tickets=found.tickets,
            owners=found.owners,
            uncommitted=found.uncommitted,
            complete=found.complete,
            pending=found.pending,
            freshness=project.freshness,
            notes=(*found.notes, *self.notes(scope.only_of(target.project))),
            began=found.began,
        )

    async def with_last_changes(self, answer: SearchAnswer, scope: Scope) -> SearchAnswer:
        """Return the answer, each hit with its newest commit; without them if none can be told."""
        ids = {project.name: project.project_id for project in scope.projects}
        places = [
            Lines(ids[hit.project], hit.path, hit.start_line, hit.symbol_end or hit.end_line)
            for hit in answer.hits
        ]
        try:
            found: Sequence[LastChange | None] = await self._keeper.last_changes(places)
        except PaparatsError as error:
            note = f"History cannot be told now: {error}"
            return replace(answer, notes=(*answer.notes, note))
        hits = tuple(
            replace(hit, last_change=change) for hit, change in zip(answer.hits, found, strict=True)
        )
        return replace(answer, hits=hits)

    async def last_changes_of(
        self, places: Sequence[tuple[ProjectName, str, int, int]], scope: Scope
    ) -> list[LastChange | None]:
        """Return the newest commit of lines (project, path, first, last), None where none is told.

        Raises what the history process raises.
        """
        ids = {project.name: project.project_id for project in scope.projects}
        known = [at for at, place in enumerate(places) if place[0] in ids]
        lines = [Lines(ids[places[at][0]], *places[at][1:]) for at in known]
        told = await self._keeper.last_changes(lines) if lines else []
        found: list[LastChange | None] = [None] * len(places)
        for at, change in zip(known, told, strict=True):
            found[at] = change
        return found

    # ------------------------------------------------------------------ filters

    def read_question(
        self, text: str, changed: ChangedFilter | None
    ) -> tuple[str, ChangedFilter | None, tuple[str, ...]]:
        """Return what a question is about, the filter with the time that it names, and a note.

        A time that the filter has already stands. The subject is "" where only a time is named.
        """
        said = read_question(text)
        known = changed or ChangedFilter()
        if not said.phrase:
            return said.subject or text.strip(), changed, ()
        if known.since or known.until:
            return said.subject or text.strip(), changed, ()
        taken = replace(known, since=said.since, until=said.until)
        until = f", until {said.until}" if said.until else ""
        note = f"Only what was changed since {said.since}{until}, as the question says."
        return said.subject, taken, (note,)

    def read_filter(self, changed: ChangedFilter | None) -> Asked:
        """Return a filter as numbers; raises BadQuery for a moment that cannot be read."""
        if not changed:
            return Asked()
        now = self._clock.now()
        zone = datetime.fromtimestamp(now).astimezone().tzinfo or UTC
        since = parse_moment(changed.since, now, zone) if changed.since else None
        until = parse_moment(changed.until, now, zone, end=True) if changed.until else None
        if since is not None and until is not None and until.seconds < since.seconds:
            raise BadQuery(
                f"until {changed.until!r} is before since {changed.since!r}: nothing lies between"
            )
        return Asked(
            author=changed.author.strip(),
            since=float(since.seconds) if since is not None else None,
            until=float(until.seconds) if until is not None else None,
            ticket=_ticket_of(changed.ticket.strip()),
        )

    async def limited(self, scope: Scope, changed: ChangedFilter | None) -> Scope:
        """Return the scope in which only what was changed so can be found."""
        if not changed:
            return scope
        asked = self.read_filter(changed)
        allowed = await self._keeper.allow([one.project_id for one in scope.projects], asked)
        return Scope(
            tuple(
                replace(project, only=allowed.get(project.project_id, {}))
                for project in scope.projects
            )
        )

    # ------------------------------------------------------------------ commits

    async def find_commits(self, request: CommitRequest, scope: Scope) -> CommitsAnswer:
        """Find commits by words, or list them by time; one that the words name is a filter."""
        PathMatcher(request.paths)  # says what is wrong with them before anything is asked
        subject, changed, note = self.read_question(request.query, request.changed)
        found = await self._keeper.find(
            [one.project_id for one in scope.projects],
            _with_other_forms(subject),
            self.read_filter(changed),
            request.paths,
            min(max(request.limit, 1), MAX_COMMITS),
            merges=request.merges,
        )
        return CommitsAnswer(
            query=request.query,
            commits=found.commits,
            total=found.total,
            freshness=tuple(project.freshness for project in scope.projects),
            notes=(*note, *found.notes, *self.notes(scope)),
        )

    async def explain(
        self, answer: SearchAnswer, scope: Scope, changed: ChangedFilter | None, commits: int
    ) -> Explanation:
        """Return what a search found with the commits behind it, newest first."""
        asked = self.read_filter(changed)
        ids = {project.name: project.project_id for project in scope.projects}
        timelines: list[list[CommitNote]] = []
        places: dict[CommitId, list[int]] = {}
        shares: dict[CommitId, tuple[CommitNote, int]] = {}
        for number, hit in enumerate(answer.hits):
            last = hit.symbol_end or hit.end_line
            lines = Lines(ids[hit.project], hit.path, hit.start_line, last)
            found = await self._keeper.log(lines, MAX_COMMITS)
            shown = [one.commit for one in found.commits if _passes(one.commit, asked)][:commits]
            timelines.append(shown)
            for commit in shown:
                places.setdefault(commit.id, []).append(number)
            for one in found.commits:
                if one.role is not Role.CARRIER:
                    _, lines_of_it = shares.get(one.commit.id, (one.commit, 0))
                    shares[one.commit.id] = one.commit, lines_of_it + one.lines
        order = merged(timelines, lambda one: one.committed.seconds, lambda one: one.id)
        return Explanation(
            question=answer.query,
            hits=answer.hits,
            timeline=tuple(TimelineEntry(one, tuple(places[one.id])) for one in order),
            freshness=answer.freshness,
            notes=(*answer.notes, *self.notes(scope)),
            owners=owners_of(shares.values()),
        )

    # ------------------------------------------------------------------ what to know of it

    def notes(self, scope: Scope) -> tuple[str, ...]:
        """Return what a reader must know of how far history is."""
        notes = []
        without: dict[str, list[str]] = {}
        for project in scope.projects:
            status = self._keeper.status(project.project_id)
            if status is None or status.state is HistoryState.SCANNING:
                left = (
                    f": {_count(status.pending, 'commit')} to go"
                    if status and status.pending
                    else ""
                )
                notes.append(f"The history of {project.name} is still being read{left}.")
            elif status.state is HistoryState.MAPPING:
                left = f": {_count(status.pending, 'file')} to go" if status.pending else ""
                notes.append(
                    f"The history of {project.name} is still being laid to its code{left}."
                )
            elif status.state is HistoryState.NONE:
                without.setdefault(status.reason, []).append(project.name)
            elif status.reason:
                notes.append(f"The history of {project.name} is incomplete: {status.reason}.")
        notes += [_without_history(names, reason) for reason, names in without.items()]
        return tuple(notes)


def _project(scope: Scope, name: ProjectName) -> ProjectScope:
    for project in scope.projects:
        if project.name == name:
            return project
    raise UnknownProject(f"no project named {name!r}")


def _lines_of(address: str, target: Hit) -> tuple[int, int]:
    """Return the lines that an address asks for: a range its own, anything else its chunk's."""
    place = parse_address(address)
    start, end = getattr(place, "start", None), getattr(place, "end", None)
    if start is None or end is None:
        return target.start_line, target.symbol_end or target.end_line
    return int(start), int(end)


def _with_other_forms(query: str) -> str:
    """Return a question with the short and long forms of its words: auth, authentication."""
    roots = [stem(word.lower()) for word in words(query)] if " " in query or query.isalpha() else []
    forms = [form for root in roots for form in other_forms(root) if form not in roots]
    return " ".join([query, *dict.fromkeys(forms)])


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _ticket_of(text: str) -> str:
    """Return a ticket's key: a bare number is one of the repository's own."""
    return f"#{text}" if text.isascii() and text.isdigit() else text


def _meant(address: str, target: Hit) -> tuple[str, int]:
    """Return the symbol or the line that an address names."""
    place = parse_address(address)
    if isinstance(place, LineAddress):
        return "", place.line
    part = isinstance(place, NamedAddress) and "/" in place.fragment
    return ("" if part or isinstance(place, RangeAddress) else target.symbol or ""), 0


def _is_whole(target: Hit, start: int, end: int) -> bool:
    return (start, end) == (target.start_line, target.symbol_end or target.end_line)


def _passes(commit: CommitNote, asked: Asked) -> bool:
    """Whether a filter lets a commit through, by what is shown of it."""
    when = commit.committed.seconds
    if asked.since is not None and when < asked.since:
        return False
    if asked.until is not None and when > asked.until:
        return False
    who = f"{commit.author.name} <{commit.author.email}>".casefold()
    if asked.author and asked.author.casefold() not in who:
        return False
    keys = {ticket.key.casefold() for ticket in commit.tickets}
    return not asked.ticket or asked.ticket.casefold() in keys


def _without_history(names: Sequence[str], reason: str) -> str:
    """Say which projects have no history for one reason; of many only how many they are."""
    if len(names) == 1:
        return f"{names[0]} has no history: {reason}."
    shown = ", ".join(names) if len(names) <= SHOWN_NAMES else f"{len(names)} projects"
    return f"{shown} have no history: {reason}."
