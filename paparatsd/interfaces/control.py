"""The control API: HTTP and JSON over the Unix socket, for the CLI and for scripts.

Its calls, with bodies, replies and examples, are in `contrib/API.md`; a test compares that with
`CALLS` and `STREAMS` here. Every reply is JSON with the header `Paparats-Version`. A refusal is
`{"error": {"code", "message"}}` with a status of 400 or more (`shapes.STATUS_OF`). Unknown
members of a request body and unknown parameters are refused. A call ends with its connection.
"""

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
from paparatsd.interfaces import asking, asking_graph, asking_knowledge, pushing, shapes
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
    path = arguments.optional_text("path", max_chars=4096)
    name = arguments.optional_text("name")
    group = arguments.optional_text("group")
    hooks = arguments.flag("hooks", default=True)
    spec = pushing.remote_spec(arguments)
    arguments.finish()
    if (path is None) == (spec is None):
        raise BadQuery("give path or url, one of them")
    if spec is not None:
        entry = await service.remotes.add(spec, name=name, group=group)
        return {"project": shapes.entry_json(entry)}
    if path is None or not path.startswith("/"):
        raise BadQuery(f"path must be absolute, not {path!r}")
    entry = await service.add_project(Path(path), name=name, group=group, hooks=hooks)
    return {"project": shapes.entry_json(entry)}


async def _fetch(service: ServiceApi, request: Request) -> dict[str, Any]:
    arguments = await body_of(request)
    project = arguments.optional_text("project")
    arguments.finish()
    fetched = await service.remotes.fetch(ProjectName(project) if project else None)
    return {"fetched": [shapes.fetched_json(one) for one in fetched]}


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


CALLS: tuple[tuple[str, str, Call], ...] = (
    ("GET", "/v1/health", _health),
    ("GET", "/v1/status", _status),
    ("GET", "/v1/projects", _projects),
    ("POST", "/v1/projects", _add),
    ("DELETE", "/v1/projects/{name}", _remove),
    ("POST", "/v1/fetch", _fetch),
    ("POST", "/v1/reindex", _reindex),
    ("POST", "/v1/flush", _flush),
    ("POST", "/v1/search", asking.search),
    ("GET", "/v1/show", asking.show),
    ("POST", "/v1/log", asking.log),
    ("POST", "/v1/commits", asking.commits),
    ("POST", "/v1/explain", asking.explain),
    ("POST", "/v1/usages", asking_graph.usages),
    ("POST", "/v1/definition", asking_graph.definition),
    ("POST", "/v1/outline", asking_graph.outline),
    ("POST", "/v1/calls", asking_graph.calls),
    ("POST", "/v1/impact", asking_graph.impact),
    ("POST", "/v1/changed", asking_graph.changed),
    ("POST", "/v1/unused", asking_graph.unused),
    ("POST", "/v1/hubs", asking_graph.hubs),
    ("POST", "/v1/docs", asking_knowledge.docs),
    ("POST", "/v1/document", asking_knowledge.document),
    ("POST", "/v1/terms/search", asking_knowledge.search_terms),
    ("POST", "/v1/terms/list", asking_knowledge.list_terms),
    ("POST", "/v1/terms/record", asking_knowledge.record_term),
    ("POST", "/v1/terms/delete", asking_knowledge.delete_terms),
    ("POST", "/v1/cards/context", asking_knowledge.context),
    ("POST", "/v1/cards/list", asking_knowledge.list_cards),
    ("POST", "/v1/cards/record", asking_knowledge.record_card),
    ("POST", "/v1/cards/delete", asking_knowledge.delete_cards),
    ("POST", "/v1/cards/suggest", asking_knowledge.suggest),
    ("POST", "/v1/cards/stats", asking_knowledge.stats),
    ("POST", "/v1/cards/export", asking_knowledge.export_files),
    ("POST", "/v1/cards/import", asking_knowledge.import_files),
    ("POST", "/v1/hooks/install", _hooks),
    ("POST", "/v1/hooks/uninstall", _hooks),
    ("POST", "/v1/hooks/status", _hooks),
    ("POST", "/v1/reload", _reload),
    ("POST", "/v1/stop", _stop),
    *pushing.CALLS,
)
"""Method, path and implementation of every call that is answered at once."""
STREAMS: tuple[tuple[str, StreamingCall], ...] = (
    ("/v1/skipped", _skipped),
    ("/v1/events", _events),
)
"""Path and implementation of every GET whose reply is written piece by piece."""


def json_endpoint(service: ServiceApi, call: Call) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a call that is answered at once, for another listener."""
    return _endpoint(service, call)


def control_routes(service: ServiceApi) -> list[JsonRoute]:
    """Return the routes of all calls."""
    allowed: dict[str, list[str]] = {}
    for method, path, _ in CALLS:
        allowed.setdefault(path, []).append(method)
    routes = [
        JsonRoute(path, _endpoint(service, call), method, ", ".join(allowed[path]))
        for method, path, call in CALLS
    ]
    routes += [
        JsonRoute(path, _streaming_endpoint(service, call), "GET", "GET") for path, call in STREAMS
    ]
    return routes
