"""History of the fake projects: a few commits, filtered and searched as the service promises.

The commits of marmots, oldest first: ANN begins it, LIMIT bounds it for #12, MERGE carries LIMIT
in, BERT fixes ALP-7 in a zone of his own. `hidden_commit` is one of any other project.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from paparatsd.commits import Change, Moment, Person, Role
from paparatsd.errors import BadQuery
from paparatsd.history_model import (
    ChangedFilter,
    ChunkCommit,
    ChunkLog,
    CommitNote,
    FileChange,
    FoundCommit,
    LastChange,
    Owner,
    TicketNote,
    TouchedPlace,
)
from paparatsd.model import CommitId, ProjectName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.model import Freshness
    from paparatsd.search_model import Hit

NOW = datetime.fromisoformat("2026-04-01T12:00:00+00:00")
ANN = Person("Ann Alm", "ann@alps.example")
BERT = Person("Bert Berg", "bert@alps.example")
CARO = Person("Caro Col", "caro@alps.example")


def moment(text: str) -> Moment:
    """Return a moment written as ISO 8601."""
    instant = datetime.fromisoformat(text)
    zone = instant.utcoffset() or timedelta()
    return Moment(int(instant.timestamp()), int(zone.total_seconds()) // 60)


def commit(number: int, author: Person, when: str, subject: str, **more: object) -> CommitNote:
    """Return a commit that its author also committed."""
    made = CommitNote(
        project=ProjectName("marmots"),
        id=CommitId(f"{number:x}" * 40),
        author=author,
        authored=moment(when),
        committer=author,
        committed=moment(when),
        subject=subject,
    )
    return replace(made, **more)  # type: ignore[arg-type]


BEGIN = commit(1, ANN, "2025-12-20T10:00:00+00:00", "Dig burrows")
LIMIT = commit(
    2, CARO, "2026-03-01T09:30:00+01:00", "Limit the depth",
    body="Deep burrows flooded.\n\nCloses #12", co_authors=(ANN,),
    tickets=(TicketNote("#12", "github", closes=True, url="https://alps.example/12"),),
    url="https://alps.example/commit/2",
)  # fmt: skip
MERGE = commit(3, ANN, "2026-03-02T08:00:00+00:00", "Merge branch 'depth'", merge=True)
FIX = commit(
    4, BERT, "2026-03-28T23:30:00-05:00", "ALP-7: stop at bedrock",
    authored=moment("2026-03-20T10:00:00+01:00"),
    tickets=(TicketNote("ALP-7", "jira", url="https://jira.example/ALP-7"),),
    url="https://alps.example/commit/4",
)  # fmt: skip
COMMITS = (FIX, MERGE, LIMIT, BEGIN)
"""Newest first."""
OWNERS = (Owner(ANN, 5, 2, MERGE.committed), Owner(BERT, 3, 1, FIX.committed))


def hidden_commit(project: str) -> CommitNote:
    """Return a commit of another project."""
    return commit(
        9, BERT, "2026-03-30T10:00:00+00:00", f"Secret of {project}", project=ProjectName(project)
    )


def passing(changed: ChangedFilter | None, commits: Sequence[CommitNote]) -> list[CommitNote]:
    """Return the commits that a filter lets through. Raises BadQuery."""
    if changed is None:
        return list(commits)
    since, until = _instant("since", changed.since), _instant("until", changed.until)
    author = changed.author.lower()
    return [
        one
        for one in commits
        if (since is None or one.committed.seconds >= since)
        and (until is None or one.committed.seconds <= until)
        and (not author or author in f"{one.author.name} {one.author.email}".lower())
        and (not changed.ticket or changed.ticket in {ticket.key for ticket in one.tickets})
    ]


def _instant(name: str, text: str) -> float | None:
    if not text:
        return None
    ago = re.fullmatch(r"(\d+) days ago", text)
    if ago is not None:
        return (NOW - timedelta(days=int(ago[1]))).timestamp()
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise BadQuery(
            f"{name} is {text!r}; it must be a date, an instant or a time such as '7 days ago'"
        ) from None
    return instant.replace(tzinfo=instant.tzinfo or NOW.tzinfo).timestamp()


def last_change_of(
    hit: Hit, changed: ChangedFilter | None = None, own: Sequence[CommitNote] = COMMITS
) -> LastChange:
    """Return the one line of history of a hit."""
    known = own if hit.project == "marmots" else (hidden_commit(hit.project),)
    mine = passing(changed, known)
    return LastChange(mine[0] if mine else None, len(known), uncommitted=1)


def log_of(
    hit: Hit, limit: int, freshness: Freshness, known: Sequence[CommitNote] = COMMITS
) -> ChunkLog:
    """Return the history of a hit: the newest commit has 3 of its lines, the oldest 5."""
    commits = [
        ChunkCommit(
            note,
            Role.CARRIER if note.merge else Role.AUTHOR,
            {0: 3, len(known) - 1: 5}.get(number, 0),
            born=number == len(known) - 1,
        )
        for number, note in enumerate(known)
    ]
    return ChunkLog(
        project=hit.project,
        branch="main",
        address=hit.address,
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        symbol=hit.symbol,
        kind=hit.kind,
        commits=tuple(commits[:limit]),
        total=len(commits),
        tickets=tuple(dict.fromkeys(one for note in known for one in note.tickets)),
        owners=OWNERS,
        uncommitted=1,
        complete=False,
        pending=True,
        freshness=freshness,
        began=BEGIN,
    )


def found_of(note: CommitNote, score: float, hit: Hit) -> FoundCommit:
    """Return a commit with a file it renamed and the place that is left of it."""
    place = TouchedPlace(
        hit.project, hit.path, hit.start_line, hit.end_line, hit.address, hit.symbol, hit.kind
    )
    files = (
        FileChange(hit.path, Change.RENAME, "src/hole.py"),
        FileChange("README.md", Change.MODIFY),
    )
    places = () if note.merge else (place,)
    return FoundCommit(note, score, files, len(files), places, len(places))


def answering(query: str, commits: Sequence[CommitNote]) -> list[CommitNote]:
    """Return the commits whose message has a word of the query; all of them without a query."""
    words = set(query.lower().split())
    return [
        one
        for one in commits
        if not words or words & set(re.findall(r"\w+", f"{one.subject} {one.body}".lower()))
    ]
