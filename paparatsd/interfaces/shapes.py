"""Values as JSON, and errors as status codes: the one place that fixes the outside spelling."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from paparatsd import errors
from paparatsd.interfaces import history_shapes
from paparatsd.interfaces.mcp.identity import KNOWLEDGE_PATH
from paparatsd.interfaces.place_shapes import labels_json, place_json
from paparatsd.search.explanation import explanation, meanings_of
from paparatsd.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.history_model import ChunkLog, CommitsAnswer, Explanation
    from paparatsd.model import EmbedderSpec, Freshness, ProjectEntry, SkippedFile
    from paparatsd.search_model import ChunkView, Hit, Neighbour, SearchAnswer
    from paparatsd.sources.hooks import HookReport
    from paparatsd.status_model import (
        DaemonStatus,
        Fetched,
        Outlet,
        ProjectStatus,
        Published,
        RemoteStatus,
    )

STATUS_OF: Mapping[type[errors.PaparatsError], int] = {
    errors.PaparatsError: 500,
    errors.UserError: 400,
    errors.UnknownProject: 404,
    errors.UnknownAddress: 404,
    errors.UnknownDocument: 404,
    errors.Conflict: 409,
    errors.TooLarge: 413,
    errors.Refused: 403,
    errors.Busy: 503,
    errors.Unavailable: 503,
    errors.BadReply: 502,
    errors.Broken: 500,
}
"""HTTP status by class; a class that is not listed has its nearest base's."""


def status_of(error: errors.PaparatsError) -> int:
    """Return the HTTP status of an error."""
    return next(STATUS_OF[base] for base in type(error).__mro__ if base in STATUS_OF)


def error_json(code: str, message: str) -> dict[str, Any]:
    """Return the body of every refusal."""
    return {"error": {"code": code, "message": message}}


def freshness_json(freshness: Freshness) -> dict[str, Any]:
    """`checked_at` is epoch seconds of the last full check, or null."""
    return {
        "project": freshness.project,
        "generation": freshness.generation,
        "head": freshness.head,
        "state": freshness.state.value,
        "reason": freshness.reason,
        "pending": freshness.pending,
        "checked_at": freshness.checked_at,
        "branch": freshness.branch,
    }


def ending_json(freshness: Sequence[Freshness], notes: Sequence[str]) -> dict[str, Any]:
    """Return what answers end with: how fresh they are, and what is to be known of them."""
    return {"freshness": [freshness_json(one) for one in freshness], "notes": list(notes)}


def hit_json(hit: Hit, *, explain: bool = False) -> dict[str, Any]:
    """Return one result; what was not asked for is not there.

    That is `related`, `last_change` and `explanation`; and `service`, `bounded_context` and `tags`
    where the project names none of them.
    """
    shape: dict[str, Any] = {
        **place_json(hit),
        "score": round(hit.score, 4),
        "confidence": hit.confidence.value,
        "language": hit.language,
        "kind": hit.kind,
        "symbol": hit.symbol,
        "symbol_end": hit.symbol_end,
        "text": hit.text,
        "defines": list(hit.defines),
        "uses": list(hit.uses),
        "also_in": list(hit.also_in),
        **labels_json(hit.labels),
    }
    if hit.related is not None:
        shape["related"] = [neighbour_json(one) for one in hit.related]
    if hit.last_change is not None:
        shape["last_change"] = history_shapes.last_change_json(hit.last_change)
    if explain:
        shape["explanation"] = explanation(hit)
    return shape


def neighbour_json(neighbour: Neighbour) -> dict[str, Any]:
    """Return one neighbour of a hit."""
    return {
        "relation": neighbour.relation,
        "certainty": neighbour.certainty,
        "address": neighbour.address,
        "symbol": neighbour.symbol,
        "kind": neighbour.kind,
        "path": neighbour.path,
        "line": neighbour.line,
    }


def answer_json(
    answer: SearchAnswer, next_offset: int | None = None, *, explain: bool = False
) -> dict[str, Any]:
    """Return a whole search answer.

    `tokens` estimates the results' texts. With `explain`, `meanings` says what the names in the
    explanations mean.
    """
    shape: dict[str, Any] = {
        "query": answer.query,
        "results": [hit_json(hit, explain=explain) for hit in answer.hits],
        **ending_json(answer.freshness, answer.notes),
        "took_ms": round(answer.took_ms, 3),
        "total_candidates": answer.total_candidates,
        "tokens": sum(estimate_tokens(hit.text) for hit in answer.hits),
        "next_offset": next_offset,
    }
    if answer.reranked_by:
        shape["reranked_by"] = answer.reranked_by
    if explain:
        shape["meanings"] = meanings_of(hit["explanation"] for hit in shape["results"])
    return shape


def view_json(view: ChunkView) -> dict[str, Any]:
    """Return a chunk with its neighbours."""
    return {
        "target": hit_json(view.target),
        "neighbours": [hit_json(hit) for hit in view.neighbours],
        "freshness": freshness_json(view.freshness),
    }


def log_json(log: ChunkLog) -> dict[str, Any]:
    """Return the history of one place."""
    return {**history_shapes.log_json(log), "freshness": freshness_json(log.freshness)}


def commits_json(answer: CommitsAnswer) -> dict[str, Any]:
    """Return the commits that answer a question."""
    freshness = [freshness_json(one) for one in answer.freshness]
    return {**history_shapes.commits_json(answer), "freshness": freshness}


def explanation_json(answer: Explanation) -> dict[str, Any]:
    """Return what a question finds and the commits behind it; code is left out.

    `hits` of a commit in `timeline` are numbers in `results`, from 0.
    """
    results = [hit_json(hit) for hit in answer.hits]
    for result in results:
        del result["text"]
    return {
        "question": answer.question,
        "results": results,
        "timeline": [
            {"commit": history_shapes.commit_json(one.commit), "hits": list(one.hits)}
            for one in answer.timeline
        ],
        "owners": [history_shapes.owner_json(one) for one in answer.owners],
        **ending_json(answer.freshness, answer.notes),
    }


def project_json(status: ProjectStatus) -> dict[str, Any]:
    """Return all that is said of one project."""
    progress = status.progress
    return {
        "name": status.name,
        "root": status.root,
        "group": status.group,
        "repo": status.repo,
        "branch": status.branch,
        "head": status.head,
        "state": status.state.value,
        "reason": status.reason,
        "generation": status.generation,
        "files": status.files,
        "chunks": status.chunks,
        "skipped": status.skipped,
        "pending": status.pending,
        "languages": dict(status.languages),
        "freshness": status.freshness.value,
        "checked_at": status.checked_at,
        "watching": status.watching,
        "hooks": status.hooks,
        "progress": None
        if progress is None
        else {
            "files_done": progress.files_done,
            "files_total": progress.files_total,
            "chunks_done": progress.chunks_done,
            "files_rate": round(progress.files_rate, 1),
            "eta_s": progress.eta_s,
        },
        "history": history_shapes.status_json(status.history),
        "remote": None if status.remote is None else remote_json(status.remote),
        "pushed": status.pushed,
    }


def remote_json(remote: RemoteStatus) -> dict[str, Any]:
    """Return how a project stands to the repository elsewhere that it follows."""
    return {
        "url": remote.url,
        "branch": remote.branch,
        "ref": remote.ref,
        "state": remote.state,
        "fetched_at": remote.fetched_at,
        "checked_at": remote.checked_at,
        "next_at": remote.next_at,
        "problem": remote.problem,
    }


def fetched_json(fetched: Fetched) -> dict[str, Any]:
    """Return what came of fetching one project."""
    return {
        "project": fetched.project,
        "moved": fetched.moved,
        "commit": fetched.commit,
        "problem": fetched.problem,
    }


def embedder_json(embedder: EmbedderSpec) -> dict[str, Any]:
    """Return what names an embedder."""
    return {
        "provider": embedder.provider,
        "model": embedder.model,
        "dimension": embedder.dimension,
        "fingerprint": embedder.fingerprint,
    }


def daemon_json(status: DaemonStatus) -> dict[str, Any]:
    """Return the whole status."""
    return {
        "version": status.version,
        "pid": status.pid,
        "uptime_s": round(status.uptime_s, 1),
        "state_dir": status.state_dir,
        "http": status.http,
        "socket": status.socket,
        "embedder": embedder_json(status.embedder),
        "text_embedder": embedder_json(text) if (text := status.text_embedder) else None,
        "model_changes": [asdict(change) for change in status.model_changes],
        "store": status.store,
        "memory_bytes": dict(status.memory_bytes),
        "problems": list(status.problems),
        "offers": list(status.offers),
        "outlets": [outlet_json(outlet) for outlet in status.outlets],
        "knowledge": None if status.knowledge is None else _published_json(status.knowledge),
        "projects": [project_json(project) for project in status.projects],
    }


def _published_json(published: Published) -> dict[str, Any]:
    return {
        "path": KNOWLEDGE_PATH,
        "audience": list(published.audience),
        "projects": list(published.projects),
    }


def outlet_json(outlet: Outlet) -> dict[str, Any]:
    """Return where something is sent, and how much was since the start."""
    return {
        "purpose": outlet.purpose,
        "what": outlet.what,
        "host": outlet.host,
        "local": outlet.local,
        "texts": outlet.texts,
        "chars": outlet.chars,
        "tokens": outlet.tokens,
    }


def entry_json(entry: ProjectEntry) -> dict[str, Any]:
    """Return one registration."""
    return {
        "name": entry.name,
        "path": entry.path,
        "group": entry.group,
        "hooks": entry.hooks,
        "exclude": list(entry.exclude),
        "url": None if entry.remote is None else entry.remote.url,
        "pushed": entry.pushed,
    }


def skipped_json(skipped: SkippedFile) -> dict[str, Any]:
    """Return one file that is not indexed."""
    return {"path": skipped.path, "reason": skipped.reason.value, "detail": skipped.detail}


def hooks_json(report: HookReport) -> dict[str, Any]:
    """Return what is known of a checkout's hooks."""
    return {
        "directory": report.directory,
        "state": report.state,
        "hooks": dict(report.hooks),
        "beside": {kind: list(others) for kind, others in report.beside.items()},
        "fired": dict(report.fired),
        "advice": report.advice,
    }
