"""The routes for programs under /api, with the names that one of the systems before this one has.

What they take and reply is in `contrib/API.md`; a test compares that with `READING` and `CHANGING`
here. A refusal is `{"error": "sentence", "code": "word"}`. They are thin: whatever they do, the
control API can do, and more.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from paparatsd import __version__
from paparatsd.errors import PaparatsError, Refused, Unavailable, UnknownProject
from paparatsd.interfaces import program_shapes as shapes
from paparatsd.interfaces.api import ServiceApi
from paparatsd.interfaces.asking import MAX_RESULTS
from paparatsd.interfaces.control import VERSION_HEADER, JsonRoute, answer
from paparatsd.interfaces.requests import body_of, parameters_of
from paparatsd.interfaces.shapes import status_of
from paparatsd.model import GroupName, ProjectName
from paparatsd.naming import EVERY
from paparatsd.search_model import SearchRequest

if TYPE_CHECKING:
    from paparatsd.history_model import ChunkLog

ProgramCall = Callable[[ServiceApi, Request], Awaitable[dict[str, Any]]]

MAX_RADIUS = 200
MAX_COMMITS, USUAL_COMMITS = 50, 10
MAX_ID_CHARS = 8_192
OLD_PARTS = 5
"""What the ids of the system before have, with `//` between: group, project, file, lines, hash."""
FULL_MEMORY_PERCENT = 90


async def _search(service: ServiceApi, request: Request) -> dict[str, Any]:
    arguments = await body_of(request)
    group = arguments.text("group")
    query = arguments.text("query", max_chars=10_000)
    project = arguments.optional_text("project")
    limit = arguments.number("limit", default=5, low=1, high=MAX_RESULTS)
    arguments.finish()
    wanted = SearchRequest(
        query=query,
        limit=limit,
        projects=() if project in (None, EVERY) else (ProjectName(project),),
        groups=(GroupName(group),),
        history=True,
        widen=False,
    )
    return shapes.results_json(await service.search(wanted))


async def _chunk(service: ServiceApi, request: Request) -> dict[str, Any]:
    arguments = parameters_of(request)
    radius = arguments.number("radius_lines", default=0, low=0, high=MAX_RADIUS)
    arguments.finish()
    address = await _address(service, request)
    view = await service.show(address, radius)
    return shapes.chunk_json(view, await _log_if_known(service, address))


async def _meta(service: ServiceApi, request: Request) -> dict[str, Any]:
    arguments = parameters_of(request)
    limit = arguments.number("commit_limit", default=USUAL_COMMITS, low=1, high=MAX_COMMITS)
    arguments.finish()
    address = await _address(service, request)
    view = await service.show(address, 0)
    return shapes.meta_json(view, await service.chunk_log(address, limit))


async def _log_if_known(service: ServiceApi, address: str) -> ChunkLog | None:
    """Return the newest of a place's history, None when it cannot be said now."""
    try:
        return await service.chunk_log(address, 1)
    except Unavailable:
        return None


async def _address(service: ServiceApi, request: Request) -> str:
    """Return the address that an id means, also one of the system before.

    Raises Refused for the id of a group that is not here.
    """
    given = str(request.path_params["chunk_id"])[: MAX_ID_CHARS + 1]
    parts = given.split("//")
    if len(parts) != OLD_PARTS or not all(parts):
        return given
    group, project, file, lines, _ = parts
    if group not in {one.group for one in await service.list_projects(None)}:
        raise Refused(f"there is no group {group!r} here")
    return f"{project}:{file}:{lines}"


async def _stats(service: ServiceApi, request: Request) -> dict[str, Any]:
    parameters_of(request).finish()
    return shapes.stats_json(await service.figures(), await service.list_projects(None))


async def _remove(service: ServiceApi, request: Request) -> dict[str, Any]:
    parameters_of(request).finish()
    group, name = request.path_params["group"], ProjectName(request.path_params["name"])
    allowed = (await service.figures()).allowed_projects
    if allowed and name not in allowed:
        raise Refused(f"{name} is not among the projects that this daemon answers for")
    here = {one.name: one.group for one in await service.list_projects(None)}
    if here.get(name) != group:
        raise UnknownProject(f"no project named {name!r} in the group {group!r}")
    await service.remove_project(name)
    return {"status": "success", "message": f"{name} and its index are removed"}


async def _embed_cards(service: ServiceApi, request: Request) -> dict[str, Any]:
    arguments = await body_of(request)
    group = arguments.text("group")
    arguments.finish()
    count = await service.embed_cards(GroupName(group))
    return {"status": "success", "group": group, "reindexed": count}


READING: tuple[tuple[str, str, float, ProgramCall], ...] = (
    ("POST", "/api/search", 30.0, _search),
    ("GET", "/api/chunk/{chunk_id:path}/meta", 30.0, _meta),
    ("GET", "/api/chunk/{chunk_id:path}", 30.0, _chunk),
    ("GET", "/api/stats", 30.0, _stats),
)
"""Method, path, seconds that it may take, and implementation of what changes nothing."""
CHANGING: tuple[tuple[str, str, float, ProgramCall], ...] = (
    ("POST", "/api/arch/reindex", 120.0, _embed_cards),
    ("DELETE", "/api/project/{group}/{name}", 120.0, _remove),
)
"""Likewise of what changes something, which not everybody may ask for."""


def program_routes(service: ServiceApi, *, trusted: bool) -> list[JsonRoute]:
    """Return the routes; whoever is not `trusted` is refused what changes something."""
    routes = [
        JsonRoute(path, _endpoint(service, call, seconds), method, method)
        for method, path, seconds, call in READING
    ]
    routes += [
        JsonRoute(path, _endpoint(service, call if trusted else _refuse, seconds), method, method)
        for method, path, seconds, call in CHANGING
    ]
    return routes


async def _refuse(service: ServiceApi, request: Request) -> dict[str, Any]:
    del service, request
    raise Refused(
        "this can be asked over the Unix socket, or with a token once there is one; run: "
        "paparatsd --create-token"
    )


def _endpoint(
    service: ServiceApi, call: ProgramCall, seconds: float
) -> Callable[[Request], Awaitable[Response]]:
    async def work(request: Request) -> Response:
        try:
            with anyio.fail_after(seconds):
                return JSONResponse(await call(service, request), headers=VERSION_HEADER)
        except PaparatsError as error:
            return _refusal(str(error), error.code, status_of(error))
        except TimeoutError:
            return _refusal(f"it took longer than {seconds:g} s", "too_slow", 504)

    async def endpoint(request: Request) -> Response:
        return await answer(request, lambda: work(request))

    return endpoint


def _refusal(message: str, code: str, status: int) -> JSONResponse:
    return JSONResponse({"error": message, "code": code}, status, VERSION_HEADER)


async def probe(service: ServiceApi) -> JSONResponse:
    """Answer GET /health; degraded also when we leave hardly any memory to others."""
    try:
        health, figures = await service.health(), await service.figures()
    except PaparatsError as error:
        return JSONResponse({"status": "error", "error": str(error)}, 503)
    told = shapes.health_json(health, figures)
    if told["memory"]["percent"] > FULL_MEMORY_PERCENT:
        told["status"] = "degraded"
    return JSONResponse({"version": __version__, **told})
