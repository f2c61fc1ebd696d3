"""The control API: HTTP and JSON over the Unix socket, for the CLI and for scripts.

    curl --unix-socket $XDG_RUNTIME_DIR/paparatsd/control.sock http://localhost/v1/status

Every reply is JSON with the header `Paparats-Version`. A refusal is
`{"error": {"code", "message"}}` with a status of 400 or more (`shapes.STATUS_OF`). Unknown
members of a request body and unknown parameters are refused. A call ends with its connection.

| call | body or parameters | reply |
| --- | --- | --- |
| GET /v1/health | | `{status, version, groups: {name: chunks}, problems?}` |
| GET /v1/status | | `{version, pid, uptime_s, state_dir, http, socket, embedder, store, memory_bytes, problems, projects: [PROJECT]}` |
| GET /v1/projects | `group?` | `{projects: [PROJECT]}` |
| POST /v1/projects | `{path, name?, group?, hooks?=true}` | `{project: {name, path, group, hooks, exclude}}` |
| DELETE /v1/projects/{name} | | `{removed: name}` |
| POST /v1/reindex | `{project?, depth?="changed"}` (or "full") | `{projects: [name], depth}` |
| POST /v1/flush | `{project?, history?=false}`: reconcile now and wait, with `history` also for that | `{freshness: [FRESHNESS]}` |
| GET /v1/skipped | `project?` | `{projects: {name: [{path, reason, detail}]}}` |
| POST /v1/search | `{query, limit?=5, offset?=0, max_tokens?, projects?, groups?, paths?, languages?, kinds?, fresh?, explain?, related?, history?, deadline_s?, CHANGED}` | `{query, results: [HIT], freshness: [FRESHNESS], notes, took_ms, total_candidates, tokens, next_offset, meanings?}` |
| GET /v1/show | `address`, `radius?=0` | `{target: HIT, neighbours: [HIT], freshness: FRESHNESS}` |
| POST /v1/log | `{address, limit?=10}` (1 to 200) | `{project, branch, address, path, start_line, end_line, symbol, kind, commits: [{commit: COMMIT, role, lines, born}], total, tickets: [TICKET], owners: [{person, lines, commits, last}], uncommitted, complete, pending, freshness: FRESHNESS, notes}` |
| POST /v1/commits | `{query?, projects?, groups?, paths?, limit?=10, merges?=false, CHANGED}` | `{query, commits: [{commit: COMMIT, score, files: [{path, change, old_path}], files_total, places: [PLACE], places_total}], total, freshness: [FRESHNESS], notes}` |
| POST /v1/explain | `{query, limit?=5, commits?=5, projects?, groups?, paths?, languages?, kinds?, fresh?, deadline_s?, CHANGED}` | `{question, results: [HIT without text], timeline: [{commit: COMMIT, hits: [number]}], freshness: [FRESHNESS], notes}` |
| POST /v1/hooks/install, uninstall, status | `{path}` (a path, or a project's name) | `{directory, state, hooks: {name: state}, beside: {name: [text]}, fired: {name: seconds}, advice}` |
| POST /v1/reload | | `{changes: [text]}` |
| POST /v1/stop | | `{stopping: true}` |
| GET /v1/events | | `application/x-ndjson`, an object a line: `{event, project?, ...}`, first `{"event": "connected"}`, every 10 s also `{"event": "ping"}` |

PROJECT: `{name, root, group, repo, branch, head, state, reason, generation, files, chunks,
skipped, pending, languages: {language: files}, freshness, checked_at, watching, hooks,
progress: null | {files_done, files_total, chunks_done, files_rate, eta_s}, history: null | {state,
commits, pending, reason}}`; `history.pending` is how many commits or files are still to come.

HIT: `{project, path, start_line, end_line, address, score, confidence, language, kind, symbol,
symbol_end, text, defines, uses, also_in}`. `symbol_end` is null, or the last line of a symbol that
goes on below. With `related` also `related: [{relation, certainty, address, symbol, kind, path,
line}]`; with `explain` also `explanation: {score, features: [{name, share, value, weight}],
confidence: {label, score, grounds}}`, and `meanings` says what the names in it mean.

`tokens` is an estimate for the texts of the results. With `max_tokens` only as many results come as
fit; `next_offset` is where to go on, null when all results up to `limit` are there.

CHANGED: `author?, since?, until?, ticket?`, texts as people write them: part of a name or address, a
date, an instant or "7 days ago", a key. Only what was changed so counts; what cannot be read is
refused. A HIT has with `history` also `last_change: {commit: COMMIT or null, commits, uncommitted,
pending}`: the newest commit of its lines, and how many there are.

COMMIT: `{project, id, short, author: PERSON, authored, committer: PERSON, committed, subject, body,
co_authors: [PERSON], tickets: [TICKET], merge, url, replaced_by}`. Instants are ISO 8601 in the zone
they were written in; `replaced_by` is the id that an amended or rebased commit has now.
PERSON: `{name, email}`. TICKET: `{key, source, closes, url}`.
PLACE: `{project, path, start_line, end_line, address, symbol, kind}`.

`role` is author, carrier (a merge that brought it in) or resolution (a merge that changed lines
itself); `lines` counts those of today that the commit was the last to change; `born`: nothing is
older. `complete` is false where history is cut off below, `pending` true while commits are being
read. `files_total` and `places_total` count also what is not listed. `hits` are numbers in `results`,
from 0.

FRESHNESS: `{project, generation, head, state, reason, pending, checked_at, branch}`
"""  # noqa: E501 - tables

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import structlog
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from paparatsd import __version__
from paparatsd.errors import BadQuery, PaparatsError
from paparatsd.interfaces import asking, shapes
from paparatsd.interfaces.api import ServiceApi
from paparatsd.interfaces.requests import body_of, parameters_of
from paparatsd.model import Depth, GroupName, ProjectName

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Receive, Scope, Send

    from paparatsd.model import SkippedFile

log = structlog.get_logger()

PING_S = 10.0
SKIPPED_BATCH = 500
VERSION_HEADER = {"Paparats-Version": __version__}

Call = Callable[[ServiceApi, Request], Awaitable[dict[str, Any]]]
StreamingCall = Callable[[ServiceApi, Request], Awaitable[Response]]


async def _health(service: ServiceApi, request: Request) -> dict[str, Any]:
    parameters_of(request).finish()
    return {"version": __version__, **await service.health()}


async def _status(service: ServiceApi, request: Request) -> dict[str, Any]:
    parameters_of(request).finish()
    return shapes.daemon_json(await service.status())


async def _projects(service: ServiceApi, request: Request) -> dict[str, Any]:
    arguments = parameters_of(request)
    group = arguments.optional_text("group")
    arguments.finish()
    projects = await service.list_projects(GroupName(group) if group else None)
    return {"projects": [shapes.project_json(project) for project in projects]}


async def _add(service: ServiceApi, request: Request) -> dict[str, Any]:
    arguments = await body_of(request)
    path = arguments.text("path", max_chars=4096)
    name = arguments.optional_text("name")
    group = arguments.optional_text("group")
    hooks = arguments.flag("hooks", default=True)
    arguments.finish()
    if not path.startswith("/"):
        raise BadQuery(f"path must be absolute, not {path!r}")
    entry = await service.add_project(Path(path), name=name, group=group, hooks=hooks)
    return {"project": shapes.entry_json(entry)}


async def _remove(service: ServiceApi, request: Request) -> dict[str, Any]:
    parameters_of(request).finish()
    name = ProjectName(request.path_params["name"])
    await service.remove_project(name)
    return {"removed": name}


async def _reindex(service: ServiceApi, request: Request) -> dict[str, Any]:
    arguments = await body_of(request)
    project = arguments.optional_text("project")
    depth = Depth(arguments.choice("depth", tuple(Depth), default=Depth.CHANGED))
    arguments.finish()
    queued = await service.reindex(ProjectName(project) if project else None, depth)
    return {"projects": list(queued), "depth": depth.value}


async def _flush(service: ServiceApi, request: Request) -> dict[str, Any]:
    arguments = await body_of(request)
    project = arguments.optional_text("project")
    history = arguments.flag("history", default=False)
    arguments.finish()
    fresh = await service.flush(ProjectName(project) if project else None, history=history)
    return {"freshness": [shapes.freshness_json(one) for one in fresh]}


async def _hooks(service: ServiceApi, request: Request) -> dict[str, Any]:
    arguments = await body_of(request)
    target = arguments.text("path", max_chars=4096)
    arguments.finish()
    calls = {
        "install": service.hooks_install,
        "uninstall": service.hooks_uninstall,
        "status": service.hooks_status,
    }
    return shapes.hooks_json(await calls[request.url.path.rpartition("/")[2]](target))


async def _reload(service: ServiceApi, request: Request) -> dict[str, Any]:
    (await body_of(request)).finish()
    return {"changes": list(await service.reload_settings())}


async def _stop(service: ServiceApi, request: Request) -> dict[str, Any]:
    (await body_of(request)).finish()
    await service.stop()
    return {"stopping": True}


async def _skipped(service: ServiceApi, request: Request) -> Response:
    arguments = parameters_of(request)
    project = arguments.optional_text("project")
    arguments.finish()
    skipped = await service.skipped(ProjectName(project) if project else None)
    return StreamingResponse(
        _stream_skipped(skipped), media_type="application/json", headers=VERSION_HEADER
    )


async def _stream_skipped(
    skipped: Mapping[ProjectName, tuple[SkippedFile, ...]],
) -> AsyncIterator[str]:
    """Yield one JSON document in pieces: a hundred thousand entries at once would stop the loop."""
    yield '{"projects": {'
    for index, (name, files) in enumerate(skipped.items()):
        yield f"{', ' if index else ''}{json.dumps(name)}: ["
        for start in range(0, len(files), SKIPPED_BATCH):
            batch = [shapes.skipped_json(one) for one in files[start : start + SKIPPED_BATCH]]
            yield f"{', ' if start else ''}{json.dumps(batch)[1:-1]}"
            await anyio.lowlevel.checkpoint()
        yield "]"
    yield "}}"


async def _events(service: ServiceApi, request: Request) -> Response:
    parameters_of(request).finish()
    return EventStream(service)


class EventStream(Response):
    """Progress events, an object a line, until the reader goes away or the daemon stops."""

    media_type = "application/x-ndjson"

    def __init__(self, service: ServiceApi, ping_s: float = PING_S) -> None:
        super().__init__(headers=VERSION_HEADER)
        del self.headers["content-length"]
        self._service = service
        self._ping_s = ping_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream; the pings let a vanished reader be noticed."""
        await send(
            {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        )

        async def write(event: Mapping[str, Any]) -> None:
            line = json.dumps(dict(event)).encode() + b"\n"
            await send({"type": "http.response.body", "body": line, "more_body": True})

        async def ping() -> None:
            while True:
                await anyio.sleep(self._ping_s)
                await write({"event": "ping"})

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_when_gone, receive, tasks.cancel_scope)
            tasks.start_soon(ping)
            await write({"event": "connected"})
            async for event in self._service.events():
                await write(event)
            tasks.cancel_scope.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _cancel_when_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def refusal(error: PaparatsError) -> JSONResponse:
    """Return an error as a response."""
    return JSONResponse(
        shapes.error_json(error.code, str(error)), shapes.status_of(error), VERSION_HEADER
    )


async def answer(request: Request, work: Callable[[], Awaitable[Response]]) -> Response:
    """Run one call, end it when the caller goes away, and turn every failure into a reply."""
    await request.body()
    responses: list[Response] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_cancel_when_gone, request.receive, tasks.cancel_scope)
        try:
            responses.append(await work())
        except PaparatsError as error:
            responses.append(refusal(error))
        except Exception:  # the border: the caller learns nothing internal, the log everything
            log.exception("control_call_failed", method=request.method, path=request.url.path)
            message = "internal error; the daemon's log has the details"
            responses.append(JSONResponse(shapes.error_json("internal", message), 500))
        tasks.cancel_scope.cancel()
    return responses[0] if responses else Response(status_code=499)


class JsonRoute(Route):
    """A route that also says in JSON that it does not take a method."""

    def __init__(
        self, path: str, endpoint: Callable[[Request], Awaitable[Response]], method: str, allow: str
    ) -> None:
        super().__init__(path, endpoint, methods=[method])
        self._allow = allow

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, or refuse its method."""
        if self.methods is None or scope["method"] in self.methods:
            await super().handle(scope, receive, send)
            return
        message = f"{scope['path']} takes {self._allow}, not {scope['method']}"
        headers = {**VERSION_HEADER, "Allow": self._allow}
        response = JSONResponse(shapes.error_json("bad_request", message), 405, headers)
        await response(scope, receive, send)


def _endpoint(service: ServiceApi, call: Call) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        async def work() -> Response:
            return JSONResponse(await call(service, request), headers=VERSION_HEADER)

        return await answer(request, work)

    return endpoint


def _streaming_endpoint(
    service: ServiceApi, call: StreamingCall
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return await answer(request, lambda: call(service, request))

    return endpoint


def control_routes(service: ServiceApi) -> list[JsonRoute]:
    """Return the routes of the table above."""
    calls: tuple[tuple[str, str, Call], ...] = (
        ("GET", "/v1/health", _health),
        ("GET", "/v1/status", _status),
        ("GET", "/v1/projects", _projects),
        ("POST", "/v1/projects", _add),
        ("DELETE", "/v1/projects/{name}", _remove),
        ("POST", "/v1/reindex", _reindex),
        ("POST", "/v1/flush", _flush),
        ("POST", "/v1/search", asking.search),
        ("GET", "/v1/show", asking.show),
        ("POST", "/v1/log", asking.log),
        ("POST", "/v1/commits", asking.commits),
        ("POST", "/v1/explain", asking.explain),
        ("POST", "/v1/hooks/install", _hooks),
        ("POST", "/v1/hooks/uninstall", _hooks),
        ("POST", "/v1/hooks/status", _hooks),
        ("POST", "/v1/reload", _reload),
        ("POST", "/v1/stop", _stop),
    )
    streams = (("/v1/skipped", _skipped), ("/v1/events", _events))
    allowed: dict[str, list[str]] = {}
    for method, path, _ in calls:
        allowed.setdefault(path, []).append(method)
    routes = [
        JsonRoute(path, _endpoint(service, call), method, ", ".join(allowed[path]))
        for method, path, call in calls
    ]
    routes += [
        JsonRoute(path, _streaming_endpoint(service, call), "GET", "GET") for path, call in streams
    ]
    return routes
