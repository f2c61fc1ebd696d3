"""Answers about history as JSON: the one place that fixes their outside spelling.

Instants are ISO 8601 in the zone they were written in, such as `2026-03-01T09:30:00+01:00`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from paparatsd.interfaces.place_shapes import labels_json, place_json

if TYPE_CHECKING:
    from paparatsd.commits import Moment, Person
    from paparatsd.history_model import (
        ChunkCommit,
        ChunkLog,
        CommitNote,
        CommitsAnswer,
        FoundCommit,
        HistoryStatus,
        LastChange,
        Owner,
        TicketNote,
        TouchedPlace,
    )

SHORT_DIGITS = 10
_DAY_MINUTES = 24 * 60
_MIN_SECONDS, _MAX_SECONDS = -62_135_510_400, 253_402_214_400
"""The second day of the year 1 and the last of 9999: what every zone can still write."""


def moment_iso(moment: Moment) -> str:
    """Return an instant in its own zone; a zone that cannot be is read as UTC.

    An instant beyond what a calendar of four digits holds is moved to its edge.

    >>> from paparatsd.commits import Moment
    >>> moment_iso(Moment(1_772_353_800, 60))
    '2026-03-01T09:30:00+01:00'
    """
    minutes = moment.zone_minutes if abs(moment.zone_minutes) < _DAY_MINUTES else 0
    seconds = min(max(moment.seconds, _MIN_SECONDS), _MAX_SECONDS)
    zone = timezone(timedelta(minutes=minutes))
    # Not fromtimestamp: it refuses instants before 1970 on some systems.
    instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    return instant.astimezone(zone).isoformat()


def person_json(person: Person) -> dict[str, Any]:
    """Return a name and an address; either may be empty."""
    return {"name": person.name, "email": person.email}


def ticket_json(ticket: TicketNote) -> dict[str, Any]:
    """Return a ticket; `url` is null when no web page is known."""
    return {
        "key": ticket.key,
        "source": ticket.source,
        "closes": ticket.closes,
        "url": ticket.url,
    }


def commit_json(commit: CommitNote) -> dict[str, Any]:
    """Return one commit."""
    return {
        "project": commit.project,
        "id": commit.id,
        "short": commit.id[:SHORT_DIGITS],
        "author": person_json(commit.author),
        "authored": moment_iso(commit.authored),
        "committer": person_json(commit.committer),
        "committed": moment_iso(commit.committed),
        "subject": commit.subject,
        "body": commit.body,
        "co_authors": [person_json(one) for one in commit.co_authors],
        "tickets": [ticket_json(one) for one in commit.tickets],
        "merge": commit.merge,
        "url": commit.url,
    }


def last_change_json(change: LastChange) -> dict[str, Any]:
    """Return the newest commit of a hit, and how many there are; `commit` may be null."""
    return {
        "commit": None if change.commit is None else commit_json(change.commit),
        "commits": change.commits,
        "uncommitted": change.uncommitted,
        "pending": change.pending,
    }


def status_json(status: HistoryStatus | None) -> dict[str, Any] | None:
    """Return how far the history of a project is; None where nobody keeps one."""
    if status is None:
        return None
    return {
        "state": status.state.value,
        "commits": status.commits,
        "pending": status.pending,
        "reason": status.reason,
    }


def log_json(log: ChunkLog) -> dict[str, Any]:
    """Return the history of one place; without `freshness`, which `shapes.py` knows to write."""
    return {
        "project": log.project,
        "branch": log.branch,
        "address": log.address,
        "path": log.path,
        "start_line": log.start_line,
        "end_line": log.end_line,
        "symbol": log.symbol,
        "kind": log.kind,
        "commits": [_chunk_commit_json(one) for one in log.commits],
        "total": log.total,
        "tickets": [ticket_json(one) for one in log.tickets],
        "owners": [owner_json(one) for one in log.owners],
        "began": None if log.began is None else commit_json(log.began),
        "uncommitted": log.uncommitted,
        "complete": log.complete,
        "pending": log.pending,
        "notes": list(log.notes),
        **labels_json(log.labels),
    }


def _chunk_commit_json(one: ChunkCommit) -> dict[str, Any]:
    return {
        "commit": commit_json(one.commit),
        "role": one.role.value,
        "lines": one.lines,
        "born": one.born,
    }


def owner_json(owner: Owner) -> dict[str, Any]:
    """Return a person who knows some code, and why."""
    return {
        "person": person_json(owner.person),
        "lines": owner.lines,
        "commits": owner.commits,
        "last": moment_iso(owner.last),
    }


def commits_json(answer: CommitsAnswer) -> dict[str, Any]:
    """Return the commits that were found; without `freshness`, as `log_json`."""
    return {
        "query": answer.query,
        "commits": [found_commit_json(one) for one in answer.commits],
        "total": answer.total,
        "notes": list(answer.notes),
    }


def found_commit_json(found: FoundCommit) -> dict[str, Any]:
    """Return a commit with what it changed, and the chunks it touched as they are now."""
    return {
        "commit": commit_json(found.commit),
        "score": round(found.score, 4),
        "files": [
            {"path": one.path, "change": one.change.value, "old_path": one.old_path}
            for one in found.files
        ],
        "files_total": found.files_total,
        "places": [_place_json(one) for one in found.places],
        "places_total": found.places_total,
    }


def _place_json(place: TouchedPlace) -> dict[str, Any]:
    return {
        **place_json(place),
        "symbol": place.symbol,
        "kind": place.kind,
    }
