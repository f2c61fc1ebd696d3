"""Answers to programs: the spelling of names that one of the systems before this one has.

Lines are counted from 1, the last one included. `chunk_id` is an address.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from paparatsd import __version__
from paparatsd.interfaces.history_shapes import moment_iso
from paparatsd.usage import savings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.history_model import ChunkLog, CommitNote, TicketNote
    from paparatsd.search_model import ChunkView, Hit, SearchAnswer
    from paparatsd.status_model import CacheFigures, DaemonFigures, ProjectStatus

HASH_DIGITS = 16


def payload_json(hit: Hit) -> dict[str, Any]:
    """Return a chunk; `hash` is the beginning of the SHA-256 of its text."""
    digest = hashlib.sha256(hit.text.encode(errors="surrogatepass")).hexdigest()
    return {
        "project": hit.project,
        "file": hit.path,
        "language": hit.language,
        "startLine": hit.start_line,
        "endLine": hit.end_line,
        "content": hit.text,
        "hash": digest[:HASH_DIGITS],
        "chunk_id": hit.address,
        "symbol_name": hit.symbol,
        "kind": hit.kind,
        "service": hit.labels.service or None,
        "bounded_context": hit.labels.context or None,
        "tags": list(hit.labels.tags),
        "defines_symbols": list(hit.defines),
        "uses_symbols": list(hit.uses),
    }


def result_json(hit: Hit) -> dict[str, Any]:
    """Return one result of a search; the moment is null for what is in no commit."""
    change = hit.last_change
    commit = None if change is None else change.commit
    moment = None if commit is None else moment_iso(commit.committed)
    return {**payload_json(hit), "score": round(hit.score, 4), "last_commit_at": moment}


def results_json(answer: SearchAnswer) -> dict[str, Any]:
    """Return the results of a search and what they spare."""
    savings = savings_of(answer.hits)
    return {
        "results": [result_json(hit) for hit in answer.hits],
        "total": len(answer.hits),
        "metrics": {
            "tokensReturned": savings.returned,
            "estimatedFullFileTokens": savings.full,
            "tokensSaved": savings.saved,
            "savingsPercent": savings.percent,
        },
    }


def _last_commit_json(commit: CommitNote | None, tickets: Sequence[TicketNote]) -> dict[str, Any]:
    keys = [ticket.key for ticket in tickets]
    if commit is None:
        nothing = dict.fromkeys(("last_commit_hash", "last_commit_at", "last_author_email"))
        return {**nothing, "ticket_keys": keys}
    return {
        "last_commit_hash": commit.id,
        "last_commit_at": moment_iso(commit.committed),
        "last_author_email": commit.author.email,
        "ticket_keys": keys,
    }


def chunk_json(view: ChunkView, log: ChunkLog | None) -> dict[str, Any]:
    """Return a chunk, its newest commit, and the chunks around it."""
    newest = log.commits[0].commit if log is not None and log.commits else None
    tickets = () if log is None else log.tickets
    return {
        **payload_json(view.target),
        **_last_commit_json(newest, tickets),
        "adjacent_chunks": [payload_json(hit) for hit in view.neighbours],
    }


def meta_json(view: ChunkView, log: ChunkLog) -> dict[str, Any]:
    """Return a chunk with its commits, newest first, and the tickets they name."""
    commits = [_commit_json(one.commit) for one in log.commits]
    newest = log.commits[0].commit if log.commits else None
    return {
        **payload_json(view.target),
        **_last_commit_json(newest, log.tickets),
        "commits": commits,
        "tickets": [{"ticket_key": ticket.key, "source": ticket.source} for ticket in log.tickets],
        "latest_commit": commits[0] if commits else None,
    }


def _commit_json(commit: CommitNote) -> dict[str, Any]:
    return {
        "commit_hash": commit.id,
        "committed_at": moment_iso(commit.committed),
        "author_email": commit.author.email,
        "message_summary": commit.subject,
    }


def memory_json(figures: DaemonFigures) -> dict[str, Any]:
    """Return the memory of our processes and of the machine, in bytes, and the share in percent."""
    total = figures.machine_bytes
    return {
        "heapUsed": figures.memory_bytes,
        "heapTotal": total,
        "percent": round(100 * figures.memory_bytes / total, 1) if total else 0.0,
    }


def scope_json(figures: DaemonFigures) -> str | list[str]:
    """Return the projects that are answered about, "all" without a restriction."""
    return list(figures.allowed_projects) or "all"


def health_json(health: Mapping[str, Any], figures: DaemonFigures) -> dict[str, Any]:
    """Return the answer to a probe; `uptime` is in seconds."""
    return {
        **health,
        "projectScope": scope_json(figures),
        "uptime": figures.uptime_s,
        "memory": memory_json(figures),
    }


def stats_json(figures: DaemonFigures, projects: Sequence[ProjectStatus]) -> dict[str, Any]:
    """Return what the daemon counts of itself; nothing of it is sent anywhere."""
    groups: dict[str, int] = {}
    registered: dict[str, list[str]] = {}
    for one in projects:
        groups[one.group] = groups.get(one.group, 0) + one.chunks
        registered.setdefault(one.group, []).append(one.name)
    searches = figures.searches
    average = round(figures.saved_tokens / searches) if searches else 0
    return {
        "identity": {"name": "paparatsd", "version": __version__},
        "telemetry": False,
        "groups": groups,
        "projectScope": scope_json(figures),
        "registeredProjects": registered,
        "cache": _cache_json(figures.embeddings),
        "queryCache": _cache_json(figures.answers),
        "watcher": {one.name: one.watching for one in projects},
        "memory": memory_json(figures),
        "usage": {
            "searchCount": searches,
            "totalTokensSaved": figures.saved_tokens,
            "avgTokensSaved": average,
        },
    }


def _cache_json(cache: CacheFigures) -> dict[str, Any]:
    return {
        "size": cache.entries,
        "hitCount": cache.answered,
        "maxSize": cache.limit,
        "hitRate": round(cache.answered / cache.asked, 4) if cache.asked else 0.0,
    }
